"""The command `memory`: the article's scripts, cost by size, peak memory, and pages that a forked child copies.

Each rival is measured in processes of its own, which take turns.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bench import procfs
from bench.cases import Operation
from bench.command_output import (
    Page,
    UsageError,
    add_common_options,
    check_names,
    present_rivals,
    publishing,
    say,
    split_names,
    until_stopped,
)
from bench.kit.tables import Table, significant
from bench.rivals import OURS, Rival
from bench.subject import Kind
from bench.worker import ask_workers

_OPERATIONS: Sequence[Operation] = ("encode", "decode")
_KINDS: Sequence[Kind] = ("bytes", "str")
_SCRIPTS = ("ascii", "french", "chinese", "emoji")


@dataclass(frozen=True, kw_only=True)
class ArticleScript:
    """One of the two scripts of the ssrJSON article, and the goals of ours."""

    task: str
    operation: Operation
    title: str
    share: float
    """Of ssrjson's time, at most."""
    growth_mb: float
    """By which RSS grows, at most."""


_ARTICLE = (
    ArticleScript(
        task="article-dumps",
        operation="encode",
        title="dumps: fresh objects, encoded to bytes once each",
        share=0.5,
        growth_mb=2.0,
    ),
    ArticleScript(
        task="article-loads",
        operation="decode",
        title="loads: fresh str documents, parsed once each",
        share=0.6,
        growth_mb=1.0,
    ),
)


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The sizes of what is encoded and decoded."""

    max_mb: int = 64
    """The largest document of the series."""
    document_mb: int = 16
    text_mb: int = 100
    catalogue_mb: int = 100
    objects: int = 1000
    """Of the article's scripts: some 1 GB."""
    rounds: int = 3
    """Processes of a rival for the article and the document of rows; documents of each size in the series."""


_QUICK = Sizes(max_mb=4, document_mb=1, text_mb=8, catalogue_mb=8, objects=100, rounds=1)
Answers = Mapping[str, Sequence[Mapping[str, Any]]]
"""Of the processes of each rival."""


def add_command(commands: Any) -> None:
    """Adds `memory` to an `argparse` subparsers object."""
    parser = commands.add_parser("memory", help="the article's scripts, cost by size, peak memory, pages after a fork")
    parser.set_defaults(start=publishing(_page))
    parser.add_argument("--parts", metavar="NAMES", default="", help=f"only these: {', '.join(_PARTS)}")
    parser.add_argument("--rounds", type=int, metavar="N", help=f"default {Sizes.rounds}, with --quick 1")
    add_common_options(parser, "small sizes and one round")


def _page(options: argparse.Namespace) -> Page:
    if not procfs.is_available():
        raise UsageError("memory is read from /proc: this command needs Linux")
    sizes = _QUICK if options.quick else Sizes()
    if options.rounds is not None:
        if options.rounds < 1:
            raise UsageError(f"--rounds is {options.rounds}: at least 1 is needed")
        sizes = replace(sizes, rounds=options.rounds)
    parts = split_names(options.parts) or list(_PARTS)
    check_names("part", parts, _PARTS)
    rivals, machine = present_rivals(options.rivals)
    found, is_complete = until_stopped(section for part in parts for section in _PARTS[part](rivals, sizes))
    return Page(
        machine={**machine, "clock": "cpu time"},
        tables=[table for table, _ in found],
        document={table.title: answers for table, answers in found},
        is_complete=is_complete,
    )


Section = Iterator[tuple[Table, Any]]


def _article(rivals: Sequence[Rival], sizes: Sizes) -> Section:
    for script in _ARTICLE:
        names = _makers(rivals, script.operation)
        found = ask_workers(script.task, names, rounds=sizes.rounds, say=say, n_objects=sizes.objects)
        yield article_table(script, found, sizes.objects), found


def _by_size(rivals: Sequence[Rival], sizes: Sizes) -> Section:
    for operation in _OPERATIONS:
        series = {"sizes_mb": sizes_up_to(sizes.max_mb), "rounds": sizes.rounds}
        found = _ask_all(f"{operation}-linearity", _makers(rivals, operation), **series)
        yield linearity_table(operation, found), found


def _document(rivals: Sequence[Rival], sizes: Sizes) -> Section:
    for operation in _OPERATIONS:
        found = ask_workers(
            f"{operation}-document", _makers(rivals, operation), rounds=sizes.rounds, say=say, n_mb=sizes.document_mb
        )
        yield document_table(operation, sizes.document_mb, found), found


def _string(rivals: Sequence[Rival], sizes: Sizes) -> Section:
    for operation in _OPERATIONS:
        for kind in _KINDS:
            names = _makers(rivals, operation, kind)
            peaks = {
                script: _ask_all(f"{operation}-peak", names, kind=kind, script=script, n_mb=sizes.text_mb)
                for script in _SCRIPTS
            }
            yield peak_table(operation, kind, sizes.text_mb, peaks), peaks


def _fork(rivals: Sequence[Rival], sizes: Sizes) -> Section:
    found = _ask_all("fork", _makers(rivals, "encode"), n_mb=sizes.catalogue_mb)
    yield fork_table(sizes.catalogue_mb, found), found


_PARTS: Mapping[str, Callable[[Sequence[Rival], Sizes], Section]] = {
    "article": _article,
    "size": _by_size,
    "document": _document,
    "string": _string,
    "fork": _fork,
}


def _makers(rivals: Sequence[Rival], operation: Operation, kind: Kind = "bytes") -> list[str]:
    return [rival.name for rival in rivals if rival.makes(operation, kind)]


def _ask_all(task: str, names: Sequence[str], **arguments: Any) -> dict[str, dict[str, Any]]:
    """A worker's answer for each rival that gave one."""
    return {name: answers[0] for name, answers in ask_workers(task, names, say=say, **arguments).items()}


def article_table(script: ArticleScript, found: Answers, n_objects: int) -> Table:
    """Time and growth of each rival, and whether ours reach their goals."""
    ms = {name: [answer["elapsed_ns"] / 1e6 for answer in answers] for name, answers in found.items()}
    growth = {name: max(answer["growth_bytes"] for answer in answers) / 1e6 for name, answers in found.items()}
    median = {name: statistics.median(each) for name, each in ms.items()}
    notes = [f"{OURS} was not timed"]
    if OURS in found:
        is_met = {True: "yes", False: "NO"}
        grown = growth[OURS] <= script.growth_mb
        notes = [f"goal: RSS grows by at most {script.growth_mb} MB: {is_met[grown]} ({growth[OURS]:+.1f})"]
        if "ssrjson" in median:
            share = median[OURS] / median["ssrjson"]
            notes.append(
                f"goal: at most {script.share} of ssrjson's time: {is_met[share <= script.share]} ({share:.2f})"
            )
    return Table(
        title=f"{script.title} ({n_objects} of them)",
        headers=["rival", "ms", "fastest", "slowest", "its time/ours", "RSS growth MB"],
        rows=[
            [
                name,
                *(f"{each:.0f}" for each in (median[name], min(ms[name]), max(ms[name]))),
                f"{median[name] / median[OURS]:.2f}" if OURS in median else "-",
                f"{growth[name]:+.1f}",
            ]
            for name in found
        ],
        notes=notes,
    )


def sizes_up_to(max_mb: int) -> list[int]:
    """1, 4, 16, ... MB, and `max_mb` itself at the end."""
    sizes = [1]
    while sizes[-1] * 4 < max_mb:
        sizes.append(sizes[-1] * 4)
    return sizes if sizes[-1] == max_mb else [*sizes, max_mb]


def linearity_table(operation: str, answers: Mapping[str, Mapping[str, Any]]) -> Table:
    """Cost per MB at each size, and how it grows from the smallest size to the largest."""
    per_mb = {
        name: [each["elapsed_ns"] / each["n_bytes"] for each in answer["sizes"]] for name, answer in answers.items()
    }
    sizes = [f"{each['n_bytes'] / 1e6:.0f} MB" for answer in list(answers.values())[:1] for each in answer["sizes"]]
    return Table(
        title=f"{operation} bytes by size: ms a MB of Chinese rows, fresh each time",
        headers=["rival", *sizes, "last/first"],
        rows=[[name, *map(significant, costs), f"{costs[-1] / costs[0]:.2f}"] for name, costs in per_mb.items()],
        notes=["last/first near 1: the cost grows in proportion to the size"],
    )


def document_table(operation: Operation, n_mb: int, found: Answers) -> Table:
    """Time and peak memory of the same calls, each in a process of its own: the fastest, and the highest peak."""
    direction = "to" if operation == "encode" else "from"
    return Table(
        title=f"{operation} {direction} bytes: time and peak memory for {n_mb} MB of rows in seven scripts",
        headers=["rival", "ms", "peak MB", "copies MB"],
        rows=[
            [
                name,
                significant(min(each["elapsed_ns"] for each in answers) / 1e6),
                f"{max(each['peak_bytes'] for each in answers) / 1e6:.1f}",
                f"{max(each['copy_bytes'] for each in answers) / 1e6:.1f}",
            ]
            for name, answers in found.items()
        ],
        notes=[
            "the first call of a process on new data; the peak of resident memory includes the result and the copies",
            "copies: cached UTF-8 copies that the data's strings hold afterwards",
        ],
    )


def peak_table(
    operation: Operation, kind: Kind, text_mb: int, answers: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> Table:
    """Peak resident memory and reserved address space, each over the size of the result."""
    names = list(dict.fromkeys(name for by_rival in answers.values() for name in by_rival))
    direction = "to" if operation == "encode" else "from"
    return Table(
        title=f"{operation} {direction} {kind}: peak memory for one string of {text_mb} MB of UTF-8",
        headers=["rival", *(f"{script}{what}" for script in answers for what in ("", " reserved"))],
        rows=[
            [name, *(cell for by_rival in answers.values() for cell in _peak_cells(by_rival.get(name)))]
            for name in names
        ],
        notes=[
            "peak of resident memory over the result's size, the result included; goal for ours: at most 1.10",
            "reserved: peak of address space over the result's size; neither figure includes the input",
        ],
    )


def _peak_cells(answer: Mapping[str, Any] | None) -> list[str]:
    if answer is None:
        return ["-", "-"]
    return [f"{answer[name] / answer['result_bytes']:.2f}" for name in ("peak_bytes", "reserved_bytes")]


def fork_table(catalogue_mb: int, answers: Mapping[str, Mapping[str, Any]]) -> Table:
    """Memory that only the child holds after it has encoded everything once."""
    return Table(
        title=f"a forked child encodes a preloaded catalogue of {catalogue_mb} MB of Chinese rows",
        headers=["rival", "own MB"],
        rows=[[name, f"{answer['own_bytes'] / 1e6:.1f}"] for name, answer in answers.items()],
        notes=[
            "private dirty memory of the child; before Python 3.12 the reference counts of None, True, False "
            "and of every object touched un-share pages too",
            "goal for ours: no more than json's",
        ],
    )
