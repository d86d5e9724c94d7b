"""The tables of a run: times and ratios, then groups and goals."""

from __future__ import annotations

from collections.abc import Sequence

from bench.kit.tables import Table, significant
from bench.speed_goals import GOALS, Goal, Verdict, goal_scale, verdicts
from bench.speed_results import Measurement, Report, Row

_CONVERTS = "* makes the other type and converts it: it is shown, but is never the best peer"


def report_tables(report: Report, goals: Sequence[Goal] = GOALS, unit: str = "call") -> list[Table]:
    """One table for each mode with the time of a `unit`, the losses, and the goals."""
    return [
        *(_mode_table(mode, report.of_mode(mode), unit) for mode in report.modes),
        goals_table(report, goals),
    ]


def ratio_cell(row: Row | None) -> str:
    """A row's ratio: LOSS where the best peer is faster, a question mark where that is undecided."""
    if row is None or row.ratio is None:
        return "-"
    return f"{row.ratio:.2f}{'?' if row.is_undecided else ' LOSS' if row.is_loss else ''}"


def _mode_table(mode: str, rows: Sequence[Row], unit: str) -> Table:
    rivals = rows[0].measurements
    losses = [row.case for row in rows if row.is_loss]
    undecided = [row.case for row in rows if row.is_undecided]
    notes = [_CONVERTS] if any(each.converts for each in rivals) else []
    notes.append("minima: best/ours of each side's fastest round")
    notes.append("spread: the middle half of the rounds as a share of the median, ours/best peer")
    if losses:
        notes.append(f"{len(losses)} of {len(rows)} cases lost: {', '.join(losses)}")
    if undecided:
        notes.append(
            f"? {len(undecided)} of {len(rows)} cases undecided, because the fastest rounds say the opposite: "
            f"{', '.join(undecided)}"
        )
    notes.extend(_refusals(rows))
    return Table(
        title=f"{mode}: µs {'an' if unit[0] in 'aeiou' else 'a'} {unit}, median",
        headers=[
            "case",
            *(f"{each.rival}{'*' if each.converts else ''}" for each in rivals),
            "best peer",
            "best/ours",
            "minima",
            "spread",
        ],
        rows=[
            [
                row.case,
                *(_time(_of(row, each.rival)) for each in rivals),
                row.best_peer.rival if row.best_peer else "-",
                ratio_cell(row),
                f"{row.duel.ratio_of_minima:.2f}" if row.duel else "-",
                f"{_spread(row.ours)}/{_spread(row.best_peer)}",
            ]
            for row in rows
        ],
        notes=notes,
    )


def goals_table(report: Report, goals: Sequence[Goal] = GOALS) -> Table:
    """Groups of cases: geometric mean and worst ratio, and the goal for one of the two."""
    scale = goal_scale(report.machine)
    found = verdicts(report, goals)
    notes = ["best peer's time over ours; [ ] marks the figure that the goal applies to"]
    if not found:
        notes = ["no ratios: ssrjson_web was not timed"]
    if scale != 1:
        notes.append(f"goals x {scale}: the peers run at their own best level")
    if not report.is_complete:
        notes.append("INCOMPLETE: only the measured cases count; a goal that is not missed so far is undecided")
    if report.our_faults:
        notes.append("WRONG RESULTS OF OURS: " + ", ".join(f"{row.case} ({row.mode})" for row in report.our_faults))
    return Table(
        title="groups and goals",
        headers=["mode", "group", "worst case", "cases", "mean", "worst", "goal", "reached"],
        rows=[_goal_cells(verdict, is_complete=report.is_complete) for verdict in found],
        notes=notes,
        n_text_columns=3,
    )


def _goal_cells(verdict: Verdict, *, is_complete: bool) -> list[str]:
    mean, worst = f"{verdict.mean:.2f}", f"{verdict.worst:.2f}"
    is_mean = verdict.goal.rule == "mean"
    return [
        verdict.goal.mode,
        verdict.goal.title,
        verdict.worst_case,
        str(verdict.n_cases),
        f"[{mean}]" if is_mean else mean,
        worst if is_mean else f"[{worst}]",
        f"{verdict.at_least:.2f}",
        _met(verdict, is_complete=is_complete),
    ]


def _met(verdict: Verdict, *, is_complete: bool) -> str:
    """Cases that are missing can still miss a goal, and change a mean either way."""
    if verdict.goal.rule == "each":
        return f"NO, {verdict.n_short} short" if not verdict.is_met else "yes" if is_complete else "undecided"
    return "undecided" if not is_complete else "yes" if verdict.is_met else "NO"


def _of(row: Row, rival: str) -> Measurement:
    return next(each for each in row.measurements if each.rival == rival)


def _time(measurement: Measurement) -> str:
    return significant(measurement.sample.median_ns / 1000) if measurement.sample else "-"


def _spread(measurement: Measurement | None) -> str:
    return f"{measurement.sample.spread:.0%}" if measurement and measurement.sample else "-"


def _refusals(rows: Sequence[Row]) -> list[str]:
    cases: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for each in row.measurements:
            if each.reason:
                cases.setdefault((each.rival, each.reason), []).append(row.case)
    return [
        f"{rival} {reason}: {'every case' if len(names) == len(rows) else ', '.join(names)}"
        for (rival, reason), names in cases.items()
    ]
