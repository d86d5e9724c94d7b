"""The tables of a run on an adapter, and from the options of the command to its page."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict

from bench.command_output import Page, UsageError, split_names
from bench.source_tree import ROOT
from bench.timing import CPU_CLOCK, WALL_CLOCK, Settings
from bench.web.adapter_case import STOCK, Adapter
from bench.web.adapter_measure import AdapterFigures, AdapterPlan, AdapterRow, run
from ssrjson_web._cli.kit.machine import describe_machine
from ssrjson_web._cli.kit.tables import Table, significant

_QUICK = Settings(rounds=5, min_rounds=3, loop_ns=100_000, budget_ns=40_000_000)


def page(options: argparse.Namespace, adapter: Adapter) -> Page | None:
    """The page; None where only names were asked for. Raises UsageError."""
    patterns = split_names(options.cases)
    chosen = [case for case in adapter.cases if not patterns or case.kind in patterns]
    if not chosen:
        raise UsageError(f"no case matches {options.cases!r}: --list names them")
    if options.list:
        print("\n".join(case.kind for case in chosen))
        return None
    settings = _QUICK if options.quick else Settings()
    if options.rounds is not None:
        if options.rounds < 1:
            raise UsageError(f"--rounds is {options.rounds}: at least 1 is needed")
        settings = settings.with_rounds(options.rounds)
    wanted = split_names(options.rivals)
    strangers = [name for name in wanted if name not in adapter.rival_names]
    if strangers:
        raise UsageError(f"unknown rival {', '.join(strangers)}: choose from {', '.join(adapter.rival_names)}")
    rivals = [name for name in adapter.rival_names if not wanted or name in (STOCK, *adapter.ours, *wanted)]
    clock = CPU_CLOCK if options.clock == "cpu" else WALL_CLOCK
    machine = {**describe_machine(adapter.versions, sources=ROOT), "clock": f"{options.clock} time"}
    rows, is_complete = run(AdapterPlan(cases=chosen, rivals=rivals, settings=settings, clock=clock))
    return Page(
        machine=machine,
        tables=[_times_table(rows, adapter), _goals_table(rows, adapter)],
        document={"is_complete": is_complete, "rows": [asdict(row) for row in rows]},
        is_complete=is_complete,
        has_faults=any(row.faults for row in rows),
    )


def _times_table(rows: Sequence[AdapterRow], adapter: Adapter) -> Table:
    lines = []
    for row in rows:
        stock = row.of(STOCK)
        for each in row.figures:
            assert stock is not None
            lines.append(
                [
                    row.title,
                    each.rival,
                    f"{each.n_bytes / 1000:.1f}",
                    significant(each.part.median_ns / 1000),
                    significant(each.part.best_ns / 1000),
                    f"{stock.part.median_ns / each.part.median_ns:.2f}",
                    significant(each.request.median_ns / 1000),
                    significant(each.request.best_ns / 1000),
                    _gain(stock, each),
                    f"{each.part.spread:.0%}/{each.request.spread:.0%}",
                    str(each.cache_bytes),
                ]
            )
    return Table(
        title=adapter.title,
        headers=["what", "rival", "KB", "JSON", "min", "x", "request", "min", "less", "spread", "copies"],
        rows=lines,
        notes=[
            "JSON: the class's part by itself, on data made for it outside the clock; x: stock's median over it",
            adapter.request_note,
            "copies: bytes of UTF-8 that one call left in the strings",
            *(f"{row.title}: {each.rival} gives {each.note}" for row in rows for each in row.figures if each.note),
            *(f"WRONG: {row.title}: {'; '.join(row.faults)}" for row in rows if row.faults),
        ],
        n_text_columns=2,
    )


def _gain(stock: AdapterFigures, each: AdapterFigures) -> str:
    return f"{1 - each.request.median_ns / stock.request.median_ns:.1%}"


def _goals_table(rows: Sequence[AdapterRow], adapter: Adapter) -> Table:
    lines = []
    for goal in adapter.goals:
        for row in rows:
            ours, over = row.of(goal.ours), row.of(goal.over)
            if row.kind == goal.kind and ours and over:
                ratio = over.part.median_ns / ours.part.median_ns
                of_minima = over.part.best_ns / ours.part.best_ns
                is_undecided = (ratio >= goal.at_least) != (of_minima >= goal.at_least)
                lines.append(
                    [
                        row.title,
                        *([goal.ours] if len(adapter.ours) > 1 else []),
                        goal.over,
                        f"{ratio:.2f}",
                        f"{of_minima:.2f}",
                        f"{goal.at_least:g}",
                        f"{ours.cache_bytes} B",
                        ("yes" if ratio >= goal.at_least else "NO") + (", undecided" if is_undecided else ""),
                    ]
                )
    ours_header = ["ours"] if len(adapter.ours) > 1 else []
    return Table(
        title="goals, of the JSON part",
        headers=[
            "what",
            *ours_header,
            "over",
            "ratio",
            "minima",
            "goal",
            "copies",
            "met",
        ],
        rows=lines,
        notes=["the other's time over ours, of the medians; minima: of each side's fastest round"],
        n_text_columns=len(adapter.ours[:2]) + 1,
    )
