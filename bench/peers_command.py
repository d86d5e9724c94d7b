"""The command `peers`: a table that compares each JSON library with ours, by time, losses, copies and peak memory."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bench import corpus, procfs
from bench.bench_decode import DecodeSubject
from bench.bench_encode import EncodeSubject
from bench.cases import Case, Operation, all_cases
from bench.command_output import (
    Page,
    UsageError,
    add_common_options,
    chosen_settings,
    present_rivals,
    publishing,
    say,
    split_names,
    until_stopped,
)
from bench.kit.tables import Table
from bench.rivals import RIVALS, Rival, select
from bench.speed_results import Report, Row, geometric_mean, report_to_json
from bench.speed_run import Plan, run
from bench.subject import Mode, Subject
from bench.timing import CPU_CLOCK, Settings
from bench.worker import ask_workers

_CASES = (
    *("doc/twitter", "doc/github", "rows", "text/chinese", "text/emoji", "escapes/html", "strings/names-scripts"),
    *("numbers/random-floats", "numbers/ints-64-bit", "shape/flags", "small/web", "small/web-chinese"),
)
_QUICK_CASES = ("rows/chinese", "rows/emoji", "small/web")
_OTHER_SETTINGS = "ssrjson+cache"
"""Left out unless it is named: it is `ssrjson` again."""
_SETTINGS = Settings(rounds=9, min_rounds=4, loop_ns=600_000, budget_ns=300_000_000)
_MODES: Mapping[str, Mode] = {
    "fresh": Mode(operation="encode", kind="bytes", temperature="cold"),
    "again": Mode(operation="encode", kind="bytes", temperature="warm"),
    "str": Mode(operation="encode", kind="str", temperature="cold"),
    "loads bytes": Mode(operation="decode", kind="bytes"),
    "loads str": Mode(operation="decode", kind="str", temperature="cold"),
}
"""What is timed, by the name of its column."""
_PEAK_MB, _QUICK_PEAK_MB = 4, 1


@dataclass(frozen=True, kw_only=True)
class Contest:
    """A peer beside ours on one document, in one of the columns."""

    column: str
    document: str
    ratio: float
    """The peer's time over ours, each in its fastest round: the rounds are few, and the machine may be shared."""

    def __str__(self) -> str:
        return f"{self.column} {self.document} {self.ratio:.2f}"


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A peer beside ours."""

    rival: str
    contests: Sequence[Contest]
    converts: frozenset[str] = frozenset()
    """The columns in which the peer makes the other type and a second pass converts it."""
    refusals: Mapping[str, Sequence[str]]
    """Why a document was not timed: the reason, and the columns and documents."""

    def mean(self, column: str) -> float | None:
        """The geometric mean of the peer's time over ours; None where it did not take part."""
        ratios = [each.ratio for each in self.contests if each.column == column]
        return geometric_mean(ratios) if ratios else None

    @property
    def losses(self) -> list[Contest]:
        """Where the peer is faster; the worst first."""
        return sorted((each for each in self.contests if each.ratio < 1), key=lambda each: each.ratio)


def add_command(commands: Any) -> None:
    """Adds `peers` to an `argparse` subparsers object."""
    parser = commands.add_parser(
        "peers",
        help="one table of all libraries beside ours, in about a minute",
        description="Every installed library beside ours: geometric means of its time over ours, the losses, the "
        "cached UTF-8 copies that it leaves, and peak memory. About a minute; encode, decode and memory have more.",
    )
    parser.set_defaults(start=publishing(_page))
    parser.add_argument("--cases", metavar="PATTERNS", default="", help="other documents: names, globs or families")
    parser.add_argument("--rounds", type=int, metavar="N", help=f"default {_SETTINGS.rounds}")
    add_common_options(parser, "three documents, few short rounds, a small document for peak memory")


def _page(options: argparse.Namespace) -> Page:
    settings = chosen_settings(options, _SETTINGS)
    cases = _cases(options)
    names = options.rivals or ",".join(each.name for each in RIVALS if each.name != _OTHER_SETTINGS)
    rivals, machine = present_rivals(names)
    absent = [each.name for each in select(split_names(names)) if each not in rivals]
    rows, is_complete = until_stopped(_timed(cases, rivals, settings))
    report = Report(machine={**machine, "clock": "cpu time"}, rows=rows, is_complete=is_complete)
    lengths: dict[str, tuple[str, str]] = {}
    peaks: dict[tuple[str, str], float] = {}
    n_mb = _QUICK_PEAK_MB if options.quick else _PEAK_MB
    if is_complete:
        try:
            lengths = lengths_with_copies()
            peaks.update(_peaks(rivals, n_mb))
        except KeyboardInterrupt:
            say("stopped by Ctrl-C")
            is_complete = False
    table = peers_table(report, rivals, lengths=lengths, peaks=peaks, n_mb=n_mb)
    notes = [*table.notes, *([f"absent here: {', '.join(absent)}"] if absent else [])]
    return Page(
        machine=report.machine,
        tables=[replace(table, notes=notes)],
        document={
            **report_to_json(report),
            "copies": lengths,
            "peak_mb": {f"{operation} {name}": peak for (name, operation), peak in peaks.items()},
        },
        is_complete=is_complete,
        has_faults=bool(report.our_faults),
    )


def _cases(options: argparse.Namespace) -> list[Case]:
    patterns = split_names(options.cases) or (_QUICK_CASES if options.quick else _CASES)
    documents = corpus.wheel_documents(say).items()
    cases = [case for case in all_cases(documents, ()) if case.style == "plain" and case.matches(patterns)]
    if not cases:
        raise UsageError(f"no case matches {options.cases!r}: python -m bench encode --list names them")
    return cases


def _timed(cases: Sequence[Case], rivals: Sequence[Rival], settings: Settings) -> Iterator[Row]:
    makers: Mapping[Operation, Callable[[Case], Subject]] = {"encode": EncodeSubject.of, "decode": DecodeSubject.of}
    for operation, maker in makers.items():
        plan = Plan(
            cases=[case for case in cases if operation in case.operations],
            modes=[mode for mode in _MODES.values() if mode.operation == operation],
            rivals=rivals,
            make_subject=maker,
            settings=settings,
            clock=CPU_CLOCK,
        )
        yield from run(plan)


def lengths_with_copies() -> dict[str, tuple[str, str]]:
    """What the doctor finds, by library: the lengths of encoded strings and of decoded ones that hold copies then."""
    say("the doctor tries what each library leaves in strings")
    command = [sys.executable, "-m", "ssrjson_web", "doctor", "--json"]
    with tempfile.TemporaryDirectory() as folder:  # the working folder comes first on the import path
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    if not done.stdout:
        raise UsageError(f"the doctor failed: {done.stderr.strip()}")
    libraries = json.loads(done.stdout)["libraries"]
    return {each["name"]: (_lengths(each["encoded"]), _lengths(each["decoded"])) for each in libraries}


def _lengths(by_kind: Mapping[str, Sequence[tuple[int, int | None]]]) -> str:
    words = {kind: " and ".join(map(_span, spans)) or "none" for kind, spans in by_kind.items()}
    if len(set(words.values())) == 1:
        return next(iter(words.values()))
    return ", ".join(f"{kind} {lengths}" for kind, lengths in words.items()) or "-"


def _span(span: tuple[int, int | None]) -> str:
    first, last = span
    if last is None:
        return "all" if first <= 3 else f"from {first}"
    return f"below {last + 1}" if first <= 3 else f"{first} to {last}"


def _peaks(rivals: Sequence[Rival], n_mb: int) -> Iterator[tuple[tuple[str, str], float]]:
    """Rival and operation, and the MB that one call adds to resident memory, in a process of its own."""
    if not procfs.is_available():
        say("peak memory is read from /proc: not on this system")
        return
    operations: Sequence[Operation] = ("encode", "decode")
    for operation in operations:
        names = [rival.name for rival in rivals if rival.makes(operation, "bytes")]
        for name, answers in ask_workers(f"{operation}-document", names, say=say, n_mb=n_mb).items():
            yield (name, operation), answers[0]["peak_bytes"] / 1e6


def standing_of(rival: str, report: Report) -> Standing:
    """The peer's times over ours in the rows of `report`."""
    contests: list[Contest] = []
    converts: set[str] = set()
    refusals: dict[str, list[str]] = {}
    for column, mode in _MODES.items():
        for row in report.of_mode(mode.label):
            theirs = next((each for each in row.measurements if each.rival == rival), None)
            if theirs is None:
                continue
            if theirs.reason:
                refusals.setdefault(theirs.reason, []).append(f"{column} {row.case}")
            elif theirs.sample and row.ours and row.ours.sample:
                ratio = theirs.sample.best_ns / row.ours.sample.best_ns
                contests.append(Contest(column=column, document=row.case, ratio=ratio))
                if theirs.converts:
                    converts.add(column)
    return Standing(rival=rival, contests=contests, converts=frozenset(converts), refusals=refusals)


def peers_table(
    report: Report,
    rivals: Sequence[Rival],
    *,
    lengths: Mapping[str, tuple[str, str]],
    peaks: Mapping[tuple[str, str], float],
    n_mb: int,
) -> Table:
    """A row for each library, ours first, and notes that name every loss and every wrong result."""
    standings = {rival.name: standing_of(rival.name, report) for rival in rivals if not rival.is_ours}
    rows = []
    for rival in rivals:
        encoded, decoded = lengths.get(rival.name, ("-", "-"))
        memory = [f"{peaks[key]:.1f}" if (key := (rival.name, each)) in peaks else "-" for each in ("encode", "decode")]
        rows.append([rival.name, *_ratio_cells(standings.get(rival.name)), encoded, decoded, *memory])
    notes = [*_reading(n_mb, any(each.converts for each in standings.values())), *_found(standings.values(), report)]
    if "ssrjson" in standings:
        notes.append("ssrjson is timed with its cache off; the copies are those of its default")
    n_documents = len({row.case for row in report.rows})
    return Table(
        title=f"peers: their time over ours, geometric mean of {n_documents} documents",
        headers=["library", *_MODES, "worst", "lost", "copies: encoded", "decoded", "MB: dumps", "loads"],
        rows=rows,
        notes=notes,
    )


def _ratio_cells(standing: Standing | None) -> list[str]:
    if standing is None:
        return ["1", "1", "1", "1", "1", "", ""]
    means = {column: standing.mean(column) for column in _MODES}
    worst = min((each.ratio for each in standing.contests), default=None)
    return [
        *(
            "-" if mean is None else f"{mean:.2f}{'*' if column in standing.converts else ''}"
            for column, mean in means.items()
        ),
        "-" if worst is None else f"{worst:.2f}",
        f"{len(standing.losses)} of {len(standing.contests)}",
    ]


def _reading(n_mb: int, has_converting: bool) -> Iterator[str]:
    yield "above 1 ours is faster; each library's fastest round; all take turns, once their values equal stdlib's"
    yield "fresh: dumps to bytes, of new strings; again: of strings that the library encoded before; str: dumps to str"
    if has_converting:
        yield "* makes the other type and converts it"
    yield (
        "copies: lengths, in characters, of strings that hold a cached UTF-8 copy after they were encoded, and after a "
        "str of JSON was decoded (python -m ssrjson_web doctor)"
    )
    yield f"MB: by how much one call on {n_mb} MB of rows in seven scripts raises resident memory, result included"
    yield "worst: the smallest ratio; lost: how many are below 1, of those that were timed"


def _found(standings: Iterable[Standing], report: Report) -> Iterator[str]:
    for standing in standings:
        if standing.losses:
            yield f"LOST to {standing.rival}: {', '.join(map(str, standing.losses))}"
        for reason, places in standing.refusals.items():
            yield f"{standing.rival} {reason}: {', '.join(places)}"
    if report.our_faults:
        yield "WRONG RESULTS OF OURS: " + ", ".join(f"{row.case} ({row.mode})" for row in report.our_faults)
