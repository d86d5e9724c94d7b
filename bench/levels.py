"""A run for each of our instruction-set levels, each in its own process, and their ratios side by side."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bench.command_output import say
from bench.kit.tables import Table, significant
from bench.speed_results import Report, report_from_json
from bench.speed_tables import goals_table, ratio_cell


def run_levels(levels: Sequence[str], arguments: Sequence[str]) -> tuple[dict[str, Report], bool]:
    """Level to report of `python -m bench ARGUMENTS` with SSRJSON_ISA set, and whether all were measured.

    A level that is not available gets a line. Ctrl-C ends the whole run; the current level keeps its figures so far.
    """
    reports: dict[str, Report] = {}
    with tempfile.TemporaryDirectory() as folder:
        for level in levels:
            say(f"level {level}")
            path = Path(folder) / "report.json"
            path.unlink(missing_ok=True)
            is_stopped = _run_bench([*arguments, "--json", str(path)], level)
            report = report_from_json(json.loads(path.read_text("utf-8"))) if path.exists() else None
            if report is None:
                say(f"level {level}: no report")
            elif report.machine.get("level") != level:
                say(f"level {level}: not used: not usable on this CPU, or ssrjson_web is missing")
            else:
                reports[level] = report
            if is_stopped or (report is not None and not report.is_complete):
                return reports, False
    return reports, True


def _run_bench(arguments: Sequence[str], level: str) -> bool:
    """Whether Ctrl-C ended the child: the terminal sends the signal to it too."""
    child = subprocess.Popen(
        [sys.executable, "-m", "bench", *arguments],
        env={**os.environ, "SSRJSON_ISA": level},
        stdout=subprocess.DEVNULL,
    )
    try:
        child.wait()
    except KeyboardInterrupt:
        child.wait()
        return True
    return False


def levels_tables(reports: Mapping[str, Report]) -> list[Table]:
    """One table for each mode, with our time and ratio at each level, then the goals of each level."""
    modes = dict.fromkeys(mode for report in reports.values() for mode in report.modes)
    tables = [_mode_table(mode, reports) for mode in modes]
    for level, report in reports.items():
        goals = goals_table(report)
        tables.append(replace(goals, title=f"{level}: {goals.title}"))
    return tables


def _mode_table(mode: str, reports: Mapping[str, Report]) -> Table:
    by_level = {level: {row.case: row for row in report.of_mode(mode)} for level, report in reports.items()}
    cases = dict.fromkeys(case for rows in by_level.values() for case in rows)
    cells = []
    for case in cases:
        line = [case]
        for rows in by_level.values():
            row = rows.get(case)
            sample = row.ours.sample if row and row.ours else None
            line += [significant(sample.median_ns / 1000) if sample else "-", ratio_cell(row)]
        cells.append(line)
    return Table(
        title=f"{mode}: our µs a call, and best peer's time over ours",
        headers=["case", *(header for level in reports for header in (level, "ratio"))],
        rows=cells,
        notes=["the peers run at their own best level"],
    )
