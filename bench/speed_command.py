"""The commands `encode` and `decode`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, get_args

from bench import corpus
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
from bench.speed_results import Report, report_to_json
from bench.speed_run import Plan, run
from bench.speed_tables import report_tables
from bench.subject import Kind, Mode, Temperature
from bench.timing import CPU_CLOCK, WALL_CLOCK, Clock, Settings

_QUICK_MAX_BYTES = 400_000
_MODES: Mapping[Operation, Sequence[Mode]] = {
    "encode": [
        Mode(operation="encode", kind=kind, temperature=temperature)
        for kind in get_args(Kind)
        for temperature in get_args(Temperature)
    ],
    "decode": [
        Mode(operation="decode", kind="bytes"),
        Mode(operation="decode", kind="str", temperature="cold"),
        Mode(operation="decode", kind="str", temperature="warm"),
    ],
}
_CLOCKS: Mapping[str, Clock] = {"cpu": CPU_CLOCK, "wall": WALL_CLOCK}


def add_commands(commands: Any) -> None:
    """Adds `encode` and `decode` to an `argparse` subparsers object."""
    encode = commands.add_parser("encode", help="time of encoding, to bytes and to str")
    encode.add_argument("--evicted", action="store_true", help="only fresh objects, in none of the CPU's caches")
    _add_options(encode, "encode")
    decode = commands.add_parser("decode", help="time of decoding, from bytes and from str")
    decode.add_argument("--keep-results", action="store_true", help="free results after the clock has stopped")
    _add_options(decode, "decode")


def _add_options(parser: argparse.ArgumentParser, operation: Operation) -> None:
    parser.set_defaults(start=publishing(partial(_page, operation)), evicted=False)
    parser.add_argument("--cases", metavar="PATTERNS", default="", help="names, globs or families: rows,doc/t*")
    parser.add_argument("--rounds", type=int, metavar="N", help=f"default {Settings.rounds}")
    parser.add_argument("--clock", choices=list(_CLOCKS), default="cpu", help="cpu time of the thread, or wall time")
    labels = ", ".join(mode.label for mode in _MODES[operation])
    parser.add_argument("--modes", metavar="PATTERNS", default="", help=f"labels or globs: {labels}")
    parser.add_argument("--corpus", type=Path, action="append", default=[], metavar="DIR", help="*.json, *.json.xz")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and stop")
    add_common_options(parser, "few short rounds, and small documents only")


def chosen_modes(operation: Operation, patterns: Sequence[str]) -> list[Mode]:
    """The modes whose label is one of `patterns`, or matches it; without patterns those that most programs have.

    Encoding to str uses no cached UTF-8 copy, and decoding the same str twice is rare. Raises UsageError for none.
    """
    usual = [f"{operation} bytes", f"{operation} bytes cold", f"{operation} str cold", "encode bytes warm"]
    chosen = [mode for mode in _MODES[operation] if any(fnmatchcase(mode.label, each) for each in patterns or usual)]
    if not chosen:
        raise UsageError(f"no mode matches {', '.join(patterns)!r}: --help names them")
    return chosen


def _page(operation: Operation, options: argparse.Namespace) -> Page | None:
    cases = _cases(operation, options)
    if options.list:
        print("\n".join(case.name for case in cases))
        return None
    return _measured(operation, options, cases)


def _cases(operation: Operation, options: argparse.Namespace) -> list[Case]:
    documents = corpus.wheel_documents(say).items()
    cases = [case for case in all_cases(documents, options.corpus) if operation in case.operations]
    if options.cases:
        cases = [case for case in cases if case.matches(split_names(options.cases))]
    if options.quick:
        cases = [case for case in cases if len(case.make()) <= _QUICK_MAX_BYTES]
    if not cases:
        left_out = f"; --quick leaves out documents over {_QUICK_MAX_BYTES} bytes" if options.quick else ""
        raise UsageError(f"no case matches {options.cases!r}: --list names them{left_out}")
    return cases


def _measured(operation: Operation, options: argparse.Namespace, cases: Sequence[Case]) -> Page:
    settings = chosen_settings(options)
    rivals, machine = present_rivals(options.rivals)
    machine["clock"] = f"{options.clock} time"
    if operation == "decode":
        when = "after the clock has stopped" if options.keep_results else "call by call"
        machine["results"] = f"freed {when}"
    plan = Plan(
        cases=cases,
        modes=chosen_modes(operation, ["* evicted"] if options.evicted else split_names(options.modes)),
        rivals=rivals,
        make_subject=EncodeSubject.of
        if operation == "encode"
        else partial(DecodeSubject.of, keep_results=options.keep_results),
        settings=settings,
        clock=_CLOCKS[options.clock],
    )
    rows, is_complete = until_stopped(run(plan))
    report = Report(machine=machine, rows=rows, is_complete=is_complete)
    return Page(
        machine=machine,
        tables=report_tables(report),
        document=report_to_json(report),
        is_complete=is_complete,
        has_faults=bool(report.our_faults),
    )
