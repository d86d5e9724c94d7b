"""Typed decoding: `Decoder(type=)` beside `msgspec.json.Decoder` for the same types.

    python -m bench types
    python -m bench types --rounds 31

1,000 rows, 300 nested orders and single ones, as Structs, dataclasses, TypedDicts and NamedTuples. What both give is
compared first. They take turns in each round, with the garbage collector on; the lines have the minima of the thread's
CPU time.
"""

from __future__ import annotations

import argparse
from typing import Any


def add_command(commands: Any) -> None:
    parser = commands.add_parser("types", help="typed decoding, beside msgspec")
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="default 15")
    parser.set_defaults(start=start)


def start(options: argparse.Namespace) -> int:
    from bench import types_cases  # with msgspec, which other commands do without

    types_cases.compare(max(1, options.rounds))
    return 0
