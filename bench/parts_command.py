"""Parts of real documents: `loads(only=...)` beside `loads` of all of it, ours and of other libraries.

    python -m bench parts
    python -m bench parts --rounds 31

For each document two questions: a key that it does not have, so that all of it is skipped, and, where it is known what
the document holds, two of its fields. The parts are compared with those of json's value before. The calls take turns in
each round; the lines have the fastest rounds' CPU time of the thread, as speed and as a multiple of ours.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from bench.command_output import say
from bench.corpus import MissingWheelError, wheel_documents
from bench.timing import fastest_rounds

NOTHING = "/no such key"
# By document: the pointers, and the same parts of the whole value.
FIELDS: dict[str, tuple[tuple[str, str], Callable[[Any], Any]]] = {
    "twitter": (
        ("/statuses/*/id", "/search_metadata/count"),
        lambda value: {
            "statuses": [{"id": each["id"]} for each in value["statuses"]],
            "search_metadata": {"count": value["search_metadata"]["count"]},
        },
    ),
    "rows": (
        ("/rows/*/id", "/total"),
        lambda value: {"rows": [{"id": row["id"]} for row in value["rows"]], "total": 1},
    ),
}


def documents() -> dict[str, bytes]:
    """Objects, by name: rows, and those of the wheel if it is installed."""
    rows = [{"id": i, "name": f"row {i}", "price": i / 8, "tags": ["a", "b"], "on": True} for i in range(2_000)]
    found = {"rows": json.dumps({"rows": rows, "total": 1}).encode()}
    try:
        real = wheel_documents()
    except MissingWheelError as error:
        say(str(error))
        real = {}
    for name, text in real.items():
        found[name] = text if text.lstrip().startswith(b"{") else b'{"all": ' + text + b"}"
    return found


def rivals() -> dict[str, Callable[[bytes], Any]]:
    """Decoders of whole documents, by name: those that are installed."""
    import ssrjson_web

    found: dict[str, Callable[[bytes], Any]] = {"loads": ssrjson_web.loads}
    for module, name in (("orjson", "loads"), ("msgspec.json", "decode")):
        try:
            found[f"{module}.{name}"] = getattr(__import__(module, fromlist=[name]), name)
        except ImportError:
            say(f"{module} is not installed")
    return found


def check(text: bytes, only: str | tuple[str, str], parts: Any) -> None:
    """Raises AssertionError where `only` gives other parts."""
    from ssrjson_web import loads

    assert loads(text, only=only) == parts, only


def _start(options: argparse.Namespace) -> int:
    from ssrjson_web import loads

    decoders = rivals()
    for name, text in documents().items():
        questions: dict[str, Any] = {"nothing": NOTHING}
        check(text, NOTHING, {})
        if name in FIELDS:
            questions["two fields"], parts_of = FIELDS[name]
            check(text, questions["two fields"], parts_of(json.loads(text)))
        calls: dict[str, Callable[[], Any]] = {
            question: partial(loads, text, only=only) for question, only in questions.items()
        }
        calls |= {rival: partial(decode, text) for rival, decode in decoders.items()}
        took = fastest_rounds(calls, options.rounds)
        for question in questions:
            ours = took[question]
            others = ", ".join(f"{rival} x{took[rival] / ours:.2f}" for rival in decoders)
            say(f"{name}, {len(text) / 1e6:.2f} MB, {question}: {len(text) / ours / 1e9:.2f} GB/s; {others}")
    return 0


def add_command(commands: Any) -> None:
    """Adds `parts` to an `argparse` subparsers object."""
    made = commands.add_parser("parts", help="parts of real documents, beside whole ones")
    made.add_argument("--rounds", type=int, default=15, metavar="N", help="default 15")
    made.set_defaults(start=_start)
