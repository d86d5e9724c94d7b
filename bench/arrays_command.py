"""Tensors and Arrow to JSON: arrays=True beside the library's own list and an encoder.

    python -m bench arrays
    python -m bench arrays --rows 1000 --rounds 3

What each rival gives is compared with `json.dumps` of the list before. They take turns in each round; the lines have
the fastest rounds' CPU time of the process. Libraries that are not installed are left out.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import ssrjson_web
from bench.command_output import say
from bench.timing import fastest_rounds

LENGTH = 1_536

Document = tuple[str, Any, Callable[[], Any]]
"""A name, an array, and what makes a list of it."""


def documents(n_rows: int) -> Iterator[Document]:
    """Arrays of nanoarrow, vectors of torch, arrays and a table of pyarrow: of those that are installed."""
    draw = random.Random(1)
    numbers = [None if i % 7 == 0 else draw.randint(-(10**6), 10**6) for i in range(10 * n_rows)]
    try:
        import nanoarrow
    except ImportError:
        say("nanoarrow is not installed")
    else:
        ints = nanoarrow.Array(numbers, nanoarrow.int64())
        yield "nanoarrow, ints", ints, ints.to_pylist
    try:
        import torch
    except ImportError:
        say("torch is not installed")
    else:
        torch.manual_seed(1)
        vectors = torch.randn(n_rows // 100, LENGTH)
        yield "torch, float32", vectors, vectors.tolist
        narrow = vectors.to(torch.bfloat16)
        yield "torch, bfloat16", narrow, narrow.tolist
    try:
        import pyarrow as pa
    except ImportError:
        say("pyarrow is not installed")
        return
    words = ["alpha", "beta", "gamma", "Zürich", "北京"]
    ints = pa.array(numbers)
    yield "pyarrow, ints", ints, ints.to_pylist
    texts = pa.array([f"{draw.choice(words)} {i}" for i in range(10 * n_rows)])
    yield "pyarrow, texts", texts, texts.to_pylist
    table = pa.table(
        {
            "id": range(n_rows),
            "name": [f"{draw.choice(words)} {i}" for i in range(n_rows)],
            "score": [None if i % 10 == 0 else draw.random() for i in range(n_rows)],
            "tags": [[draw.choice(words)] * (i % 4) for i in range(n_rows)],
        }
    )
    yield "pyarrow, a table", table, table.to_pylist


def rivals() -> dict[str, Callable[[Any, Callable[[], Any]], bytes]]:
    """Calls that write an array, by name."""
    ours = ssrjson_web.Encoder(arrays=True).encode
    found: dict[str, Callable[[Any, Callable[[], Any]], bytes]] = {
        "arrays": lambda array, as_list: ours(array),
        "a list, dumps_to_bytes": lambda array, as_list: ssrjson_web.dumps_to_bytes(as_list()),
    }
    try:
        import orjson
    except ImportError:
        say("orjson is not installed")
    else:
        found["a list, orjson.dumps"] = lambda array, as_list: orjson.dumps(as_list())
    return found


def check(as_list: Callable[[], Any], written: dict[str, bytes]) -> None:
    """Raises AssertionError where a rival has written other values than `json` has."""
    expected = json.loads(json.dumps(as_list()))
    for name, text in written.items():
        assert json.loads(text) == expected, name


def _start(options: argparse.Namespace) -> int:
    calls = rivals()
    for name, array, as_list in documents(options.rows):
        written = {rival: call(array, as_list) for rival, call in calls.items()}
        check(as_list, written)
        fastest = fastest_rounds(
            {rival: partial(call, array, as_list) for rival, call in calls.items()}, options.rounds, time.process_time
        )
        ours = fastest["arrays"]
        figures = ", ".join(f"{rival} {took * 1000:.1f} ms (x{took / ours:.2f})" for rival, took in fastest.items())
        say(f"{name}, {len(written['arrays']) / 1e6:.1f} MB: {figures}")
    return 0


def add_command(commands: Any) -> None:
    """Adds `arrays` to an `argparse` subparsers object."""
    made = commands.add_parser("arrays", help="tensors and Arrow to JSON")
    made.add_argument("--rounds", type=int, default=9, metavar="N", help="default 9")
    made.add_argument("--rows", type=int, default=100_000, metavar="N", help="of the table; default 100000")
    made.set_defaults(start=_start)
