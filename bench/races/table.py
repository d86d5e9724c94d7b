"""The table of races, and the command of each: `python -m bench NAME`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from importlib.util import find_spec
from typing import Any

from bench.command_output import Page, UsageError, add_common_options, publishing, say, split_names, until_stopped
from bench.kit.machine import describe_machine, installed_versions
from bench.races.race import Document, Race
from bench.source_tree import ROOT
from bench.speed_results import Report, Row, report_to_json
from bench.speed_run import gist
from bench.speed_tables import report_tables

RACES: Sequence[Race] = (
    Race(
        name="schemas",
        help="marshmallow's schemas, beside marshmallow alone",
        text="What marshmallow's schemas take to dump and to load with `ssrjson_web.marshmallow`, and without it: 100 "
        "rows of ten fields, and 100 nested ones, at once and one by one; rows with errors; schemas that are made for "
        "one row; whole requests to Flask, in both cases with `SSRJSON(app)`.",
        needs=("flask", "marshmallow"),
        size=100,
        quick_size=10,
        size_of="rows",
        loop_ns=5_000_000,
    ),
    Race(
        name="types",
        help="typed decoding, beside msgspec",
        text="`Decoder(type=)` beside `msgspec.json.Decoder` for the same types: rows, nested orders and single ones, "
        "as Structs, dataclasses, TypedDicts and NamedTuples, with the garbage collector on.",
        needs=("msgspec",),
        size=1000,
        quick_size=20,
        size_of="rows; orders are 3 for 10 of them",
        loop_ns=5_000_000,
        with_collector=True,
    ),
    Race(
        name="events",
        help="a chunk of a model's answer as a server-sent event",
        text="What one chunk of a model's answer costs as a server-sent event, alone and in a streamed response. A "
        "chunk is a pydantic model with the text of one token; the other is what servers do: `model_dump_json`, in a "
        "line of text. Each call gets new chunks.",
        needs=("pydantic", "starlette"),
        unit="event",
        size=500,
        quick_size=20,
        size_of="chunks of an answer",
        rounds=21,
    ),
    Race(
        name="vectors",
        help="vectors of numbers to numpy's arrays",
        text="`number_arrays` beside `loads` and `np.array`, ours and of other libraries: vectors of 1,536 numbers, as "
        "one matrix, and as the answer of an embeddings service.",
        needs=("numpy",),
        size=1000,
        quick_size=10,
        size_of="vectors",
        rounds=9,
    ),
    Race(
        name="arrays",
        help="tensors and Arrow to JSON",
        text="`arrays=True` beside the library's own list and an encoder.",
        size=100_000,
        quick_size=1000,
        size_of="rows of a table",
        rounds=9,
    ),
    Race(
        name="parts",
        help="parts of real documents, beside whole ones",
        text="`loads(only=...)` beside `loads` of all of it, ours and of other libraries. Two questions: a key that a "
        "document does not have, so that all of it is skipped, and two of its fields.",
        size=2000,
        quick_size=20,
        size_of="rows of the generated document",
    ),
    Race(
        name="pauses",
        help="how long an event loop stops for a large answer",
        text="How long a server's event loop runs nothing else while it serves a large answer: by the clock, and in "
        "CPU time of the thread, which leaves out what other processes took. uvicorn serves rows to a client in a "
        "process of its own. Each answer has rows of its own, so what it takes to release them counts, too.",
        needs=("starlette", "uvicorn"),
        unit="pause",
        size=50,
        quick_size=1,
        size_of="megabytes of an answer",
        rounds=5,
        loop_ns=1,
    ),
)


def add_commands(commands: Any) -> None:
    """Adds a command for each race to an `argparse` subparsers object."""
    for race in RACES:
        parser = commands.add_parser(
            race.name,
            help=race.help,
            description=f"{race.text} All results are compared before; the contenders take turns in each round.",
        )
        parser.set_defaults(start=publishing(partial(_page, race)))
        parser.add_argument("--size", type=int, metavar="N", help=f"number of {race.size_of}; default {race.size}")
        parser.add_argument("--rounds", type=int, metavar="N", help=f"default {race.rounds}")
        parser.add_argument("--cases", metavar="PATTERNS", default="*", help="names of documents, or globs")
        add_common_options(parser, "few short rounds on small documents", ["columns of the table, beside ours"])


def _page(race: Race, options: argparse.Namespace) -> Page:
    missing = [name for name in race.needs if find_spec(name) is None]
    if missing:
        raise UsageError(f"not installed: {', '.join(missing)}")
    size = options.size if options.size is not None else race.quick_size if options.quick else race.size
    if min(size, options.rounds or 1) < 1 or options.rounds == 0:
        raise UsageError("--size and --rounds are at least 1")
    rows, is_complete = until_stopped(_rows(race, size, options))
    if is_complete and not rows:
        raise UsageError(f"no case matches {options.cases!r}, or the libraries that make the documents are missing")
    names = {"ssrjson_web", *race.needs, *(each.rival.split(".")[0] for row in rows for each in row.measurements)}
    machine = describe_machine(installed_versions(sorted(names)), sources=ROOT)
    report = Report(machine=machine, rows=rows, is_complete=is_complete)
    return Page(
        machine=machine,
        tables=report_tables(report, goals=race.goals, unit=race.unit),
        document=report_to_json(report),
        is_complete=is_complete,
        has_faults=any(each.is_wrong for row in rows for each in row.measurements),
    )


def _rows(race: Race, size: int, options: argparse.Namespace) -> Iterator[Row]:
    settings = race.settings(rounds=options.rounds, is_quick=options.quick)
    for document in race.documents(size):
        if any(fnmatchcase(document.name, each) for each in split_names(options.cases)):
            row = race.row(_chosen(document, split_names(options.rivals)), settings)
            yield row  # kept before it is told
            say(f"{race.name}  {document.name}, {document.n_bytes / 1e6:.2f} MB: {gist(row)}")


def _chosen(document: Document, names: Sequence[str]) -> Document:
    ours, *others = document.contenders
    return replace(document, contenders=[ours, *(each for each in others if not names or each.name in names)])
