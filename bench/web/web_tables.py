"""The tables of a run: times, UTF-8 copies, shares of the steps, goals."""

from __future__ import annotations

from collections.abc import Sequence

from bench.timing import Sample
from bench.web.measure import Measured, WebRow
from bench.web.rivals import RIVALS, SET_UP, STOCK, TITLES, WebRival
from bench.web.steps import STEPS, shares
from bench.web.web_goals import verdicts
from ssrjson_web._cli.kit.tables import Table, significant


def web_tables(rows: Sequence[WebRow]) -> list[Table]:
    """Times, UTF-8 copies, shares of the steps, goals."""
    return [_times_table(rows), _cache_table(rows), _shares_table(rows), _goals_table(rows)]


def _times_table(rows: Sequence[WebRow]) -> Table:
    rivals = [rival for rival in RIVALS if any(each.rival == rival.name for row in rows for each in row.measured)]
    notes = [
        "in brackets: stock's time over it",
        "every request gets data made for it outside the clock; what it leaves behind is freed outside, too",
        "answers were compared before: equal as JSON, ours byte for byte and header for header stock's",
        "spread: the middle half of the rounds as a share of the median, stock/the last of ours",
        *_refusals(rows),
    ]
    return Table(
        title="a request in this process, without a socket: µs, median",
        headers=["case", "KB", *(rival.name for rival in rivals), "spread"],
        rows=[
            [
                row.case,
                f"{row.n_bytes / 1000:.1f}",
                *(_time(row, rival) for rival in rivals),
                f"{_spread(row.of(STOCK))}/{_spread(_last_of_ours(row))}",
            ]
            for row in rows
        ],
        notes=notes,
    )


def _cache_table(rows: Sequence[WebRow]) -> Table:
    rivals = [rival for rival in RIVALS if any(row.of(rival) for row in rows)]
    return Table(
        title="UTF-8 copies that one request leaves in its data: bytes",
        headers=["case", *(rival.name for rival in rivals)],
        rows=[
            [row.case, *(str(each.cache_bytes) if (each := row.of(rival)) else "-" for rival in rivals)]
            for row in rows
            if row.kind != "empty"
        ],
        notes=["they stay as long as the strings do; ASCII strings need none"],
    )


def _shares_table(rows: Sequence[WebRow]) -> Table:
    lines = []
    for row in rows:
        for each in row.measured:
            if each.sample and each.steps_ns:
                found = shares(each.sample.median_ns, each.steps_ns)
                cells = [f"{found[name]:.0%}" if name in found else "-" for name in (*STEPS, "rest", "other")]
                lines.append([row.case, each.rival, _microseconds(each.sample), *cells])
    return Table(
        title="where a request's time goes",
        headers=["case", "rival", "µs", *STEPS, "rest", "other"],
        rows=lines,
        notes=[
            "validate, convert, encode, decode: the framework's or our function for it, by itself, on data as fresh",
            "rest: a request to such an application that carries nothing either way",
            "other: what these leave over of the whole; under 0 where they cost more by themselves",
            f"{SET_UP.name} converts as it encodes",
        ],
        n_text_columns=2,
    )


def _goals_table(rows: Sequence[WebRow]) -> Table:
    found = verdicts(rows)
    wrong = [f"{row.case} ({each.rival}: {each.reason})" for row in rows for each in row.measured if each.is_wrong]
    notes = [
        "the other's time over ours, of the medians; minima: of each side's fastest round",
        "undecided: the two lie on both sides of the goal; more --rounds may tell",
    ]
    return Table(
        title="goals",
        headers=["what", "case", "ours", "over", "ratio", "minima", "goal", "copies", "met"],
        rows=[
            [
                TITLES[each.goal.kind],
                each.case,
                each.goal.ours.name,
                each.goal.over.name,
                f"{each.ratio:.2f}",
                f"{each.ratio_of_minima:.2f}",
                f"{each.goal.at_least:g}",
                f"{each.cache_bytes} B" if each.goal.no_cache else "-",
                ("yes" if each.is_met else "NO") + (", undecided" if each.is_undecided else ""),
            ]
            for each in found
        ],
        notes=[*notes, *(["WRONG ANSWERS: " + "; ".join(wrong)] if wrong else [])],
        n_text_columns=4,
    )


def _refusals(rows: Sequence[WebRow]) -> list[str]:
    return [f"{each.rival} in {row.case}: {each.reason}" for row in rows for each in row.measured if each.reason]


def _last_of_ours(row: WebRow) -> Measured | None:
    return next((each for each in reversed(row.measured) if each.is_ours and each.sample), None)


def _time(row: WebRow, rival: WebRival) -> str:
    each, stock = row.of(rival), row.of(STOCK)
    if each is None or each.sample is None:
        return "-"
    time = _microseconds(each.sample)
    if rival is STOCK or stock is None or stock.sample is None:
        return time
    return f"{time} ({stock.sample.median_ns / each.sample.median_ns:.2f})"


def _microseconds(sample: Sample) -> str:
    return significant(sample.median_ns / 1000)


def _spread(each: Measured | None) -> str:
    return f"{each.sample.spread:.0%}" if each and each.sample else "-"
