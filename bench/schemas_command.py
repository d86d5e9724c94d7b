"""marshmallow's schemas: what they take to dump and to load with `ssrjson_web.marshmallow`, beside marshmallow alone.

    python -m bench schemas
    python -m bench schemas --rounds 31

100 rows of ten fields, and 100 nested ones, at once and one by one; rows with errors; schemas that are made for one
row; and whole requests to Flask, in both cases with `SSRJSON(app)`. What both give is compared first. They take turns
in each round; the lines have the minima of the thread's CPU time.
"""

from __future__ import annotations

import argparse
from typing import Any


def add_command(commands: Any) -> None:
    parser = commands.add_parser("schemas", help="marshmallow's schemas, beside marshmallow alone")
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="default 15")
    parser.set_defaults(start=start)


def start(options: argparse.Namespace) -> int:
    from bench import schemas_cases  # with Flask and marshmallow, which other commands do without

    schemas_cases.compare(max(1, options.rounds))
    return 0
