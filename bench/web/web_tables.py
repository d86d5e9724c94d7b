"""The tables of a run: requests, their JSON part, shares of the steps, goals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.kit.tables import Table, significant
from bench.speed_results import Duel
from bench.timing import Sample
from bench.web.web_case import JSON_PART, STOCK, Framework
from bench.web.web_measure import WebRow, verdicts


def web_tables(rows: Sequence[WebRow], framework: Framework) -> list[Table]:
    """Requests, their JSON part or the shares of their steps, goals."""
    has_part = any(JSON_PART in each.steps for row in rows for each in row.measured)
    has_steps = any(each.steps for row in rows for each in row.measured)
    steps = [_part_table(rows, framework) if has_part else _shares_table(rows)] if has_steps else []
    goals = [_goals_table(rows, framework)] if framework.goals else []
    return [_request_table(rows, framework), *steps, *goals]


def _times(sample: Sample, stock: Sample | None) -> list[str]:
    """Median, fastest round, stock's median over it, and the spread."""
    return [
        significant(sample.median_ns / 1000),
        significant(sample.best_ns / 1000),
        f"{stock.median_ns / sample.median_ns:.2f}" if stock else "-",
        f"{sample.spread:.0%}",
    ]


def _bytes(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _rows_of(rows: Sequence[WebRow], part: str) -> list[list[str]]:
    lines = []
    for row in rows:
        stock = row.of(STOCK)
        for each in row.measured:
            sample = each.sample(part)
            if sample:
                times = _times(sample, stock.sample(part) if stock else None)
                lines.append([row.case, each.rival, f"{each.n_bytes / 1000:.1f}", *times, _bytes(each.cache_bytes)])
    return lines


def _lost(rows: Sequence[WebRow], part: str) -> list[str]:
    """A note that names the cases in which another is faster than the last of ours."""
    duels = []
    for row in rows:
        timed = [(each, sample) for each in row.measured if (sample := each.sample(part))]
        ours = [sample for each, sample in timed if each.is_ours]
        others = [(each.rival, sample) for each, sample in timed if not each.is_ours]
        if ours and others:
            other, theirs = min(others, key=lambda pair: pair[1].median_ns)
            duels.append(Duel(name=row.case, other=other, ours=ours[-1], theirs=theirs))
    lost = [
        f"{each.name} {each.ratio:.3f}{'?' if each.is_undecided else ''} ({each.other})"
        for each in duels
        if each.is_loss
    ]
    return [f"{len(lost)} of {len(duels)} cases lost: {', '.join(lost)}; ?: undecided"] if lost else []


def _request_table(rows: Sequence[WebRow], framework: Framework) -> Table:
    wrong = [f"{row.case} ({each.rival}: {each.reason})" for row in rows for each in row.measured if each.is_wrong]
    return Table(
        title=f"{framework.title}: a request, µs",
        headers=["case", "rival", "KB", "median", "fastest", "stock/it", "spread", "copies"],
        rows=_rows_of(rows, ""),
        notes=[
            *framework.notes,
            *_lost(rows, ""),
            "answers were compared before: all are equal as JSON, ours byte for byte with stock's or the expected ones",
            "spread: the middle half of the rounds as a share of the median",
            "copies: bytes of cached UTF-8 copies left in the strings, which stay as long as the strings do",
            *(f"{each.rival} in {row.case}: {each.reason}" for row in rows for each in row.measured if each.reason),
            *(f"{each.rival} in {row.case} gives {each.note}" for row in rows for each in row.measured if each.note),
            *(["WRONG ANSWERS: " + "; ".join(wrong)] if wrong else []),
        ],
        n_text_columns=2,
    )


def _part_table(rows: Sequence[WebRow], framework: Framework) -> Table:
    return Table(
        title=f"{framework.title}: the JSON part of a request, µs",
        headers=["case", "rival", "KB", "median", "fastest", "stock/it", "spread", "copies"],
        rows=_rows_of(rows, JSON_PART),
        notes=[
            "the class's part by itself, on data that was made while the clock was stopped",
            *_lost(rows, JSON_PART),
        ],
        n_text_columns=2,
    )


def _shares_table(rows: Sequence[WebRow]) -> Table:
    names = list(dict.fromkeys(name for row in rows for each in row.measured for name in each.steps if name != "rest"))
    lines = []
    for row in rows:
        for each in row.measured:
            if each.request and each.steps:
                found = shares(each.request, each.steps)
                cells = [f"{found[name]:.0%}" if name in found else "-" for name in (*names, "rest", "other")]
                lines.append([row.case, each.rival, significant(each.request.median_ns / 1000), *cells])
    return Table(
        title="where a request's time goes",
        headers=["case", "rival", "µs", *names, "rest", "other"],
        rows=lines,
        notes=[
            "each step: the framework's function or ours, timed by itself on equally fresh data; setup(app) converts "
            "and encodes in one step",
            "rest: a request without data in either direction, to an application of the same kind",
            "other: the whole request minus all of these; below 0 where they cost more by themselves",
        ],
        n_text_columns=2,
    )


def shares(request: Sample, steps: Mapping[str, Sample]) -> dict[str, float]:
    """Each step's share of the request, and `other`: 1 minus these shares, which is below 0 where they overlap."""
    found = {name: sample.median_ns / request.median_ns for name, sample in steps.items()}
    return {**found, "other": 1 - sum(found.values())}


def _goals_table(rows: Sequence[WebRow], framework: Framework) -> Table:
    return Table(
        title="goals, of the JSON part" if framework.goal_part else "goals, of the whole request",
        headers=["what", "case", "ours", "over", "ratio", "minima", "goal", "copies", "reached"],
        rows=[
            [
                each.row.title,
                each.row.case,
                each.goal.ours,
                each.goal.over,
                f"{each.duel.ratio:.2f}",
                f"{each.duel.ratio_of_minima:.2f}",
                f"{each.goal.at_least:g}",
                _bytes(each.cache_bytes),
                ("yes" if each.is_met else "NO") + (", undecided" if each.is_undecided else ""),
            ]
            for each in verdicts(rows, framework.goals, framework.goal_part)
        ],
        notes=[
            "ratio: the other's median time over ours; minima: the ratio of each side's fastest round",
            "undecided: the two lie on both sides of the goal; more --rounds may tell",
        ],
        n_text_columns=4,
    )
