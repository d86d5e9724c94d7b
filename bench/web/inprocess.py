"""Requests in one process: from the options of the command `web` to its page."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from bench.command_output import Page, UsageError, split_names
from bench.source_tree import ROOT
from bench.timing import WALL_CLOCK, Clock, Settings
from bench.web.measure import PROCESS_CLOCK, WebCase, WebPlan, WebRow, all_cases, run
from bench.web.rivals import RIVALS, STOCK, TITLES, WebRival, versions
from bench.web.web_tables import web_tables
from ssrjson_web._cli.kit.machine import describe_machine

_QUICK = Settings(rounds=5, min_rounds=3, loop_ns=100_000, budget_ns=40_000_000)
_CLOCKS: Mapping[str, Clock] = {"cpu": PROCESS_CLOCK, "wall": WALL_CLOCK}


def page(options: argparse.Namespace) -> Page | None:
    """The page; None where only names were asked for. Raises UsageError."""
    cases = chosen_cases(options.cases)
    if options.list:
        print("\n".join(case.name for case in cases))
        return None
    settings = _QUICK if options.quick else Settings()
    if options.rounds is not None:
        if options.rounds < 1:
            raise UsageError(f"--rounds is {options.rounds}: at least 1 is needed")
        settings = settings.with_rounds(options.rounds)
    plan = WebPlan(cases=cases, rivals=chosen_rivals(options.rivals), settings=settings, clock=_CLOCKS[options.clock])
    machine = {**describe_machine(versions(), sources=ROOT), "clock": f"{options.clock} time"}
    rows, is_complete = run(plan)
    return Page(
        machine=machine,
        tables=web_tables(rows),
        document={"is_complete": is_complete, "rows": [{**asdict(row), "title": TITLES[row.kind]} for row in rows]},
        is_complete=is_complete,
        has_faults=has_faults(rows),
    )


def chosen_cases(patterns: str) -> list[WebCase]:
    """The cases of the option --cases, the empty answer always among them. Raises UsageError where no case matches."""
    cases = all_cases()
    if not patterns:
        return cases
    found = [case for case in cases if case.kind != "empty" and case.matches(split_names(patterns))]
    if not found:
        raise UsageError(f"no case matches {patterns!r}: --list names them")
    return [cases[0], *found]


def chosen_rivals(names: str) -> list[WebRival]:
    """The rivals of the option --rivals, all for none, and stock always: ours is held against it.

    Raises UsageError for a name that nobody has.
    """
    wanted = split_names(names)
    strangers = [name for name in wanted if name not in [rival.name for rival in RIVALS]]
    if strangers:
        raise UsageError(
            f"unknown rival {', '.join(strangers)}: choose from {', '.join(rival.name for rival in RIVALS)}"
        )
    return [rival for rival in RIVALS if not wanted or rival is STOCK or rival.name in wanted]


def has_faults(rows: Sequence[WebRow]) -> bool:
    """Whether one of ours did not give the answer that it must give, or could not run."""
    return any(each.is_ours and each.sample is None for row in rows for each in row.measured)
