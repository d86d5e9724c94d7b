"""Encoding and decoding: every library, with strings fresh and with strings encoded before."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from bench.kit import charts as chart
from bench.kit import markup
from bench.kit.charts import Bar
from bench.kit.markup import Cell
from bench.report.run_records import Finding
from bench.report.section import HeldLine, Section, SpeedLine, bar_of, mean_ratio, mean_ratio_of_minima
from bench.rivals import OURS, RIVALS
from bench.speed_results import Duel, Measurement, Report, Row, report_from_json
from bench.speed_tables import report_tables
from bench.worker import MEGABYTE

_GROUPS: Sequence[tuple[str, Sequence[str]]] = (
    ("real documents", ("doc/*",)),
    ("ASCII text, the control", ("rows/ascii", "text/ascii", "strings/ascii*", "strings/long-keys")),
    ("records in other scripts", ("rows/*",)),
    ("long texts in other scripts", ("text/*", "strings/*")),
    ("text with escapes", ("escapes/*",)),
    ("numbers and arrays", ("numbers/*", "numpy/*")),
    ("nesting", ("shape/*",)),
    ("small answers", ("small/*",)),
)
_OTHERS = "other documents"
_MODES: Mapping[str, str] = {
    "encode bytes cold": "to bytes, fresh strings",
    "encode bytes evicted": "to bytes, fresh strings that lie in none of the CPU's caches",
    "encode bytes warm": "to bytes, strings encoded before",
    "encode str cold": "to str, fresh strings",
    "encode str evicted": "to str, fresh strings that lie in none of the CPU's caches",
    "encode str warm": "to str, strings encoded before",
    "decode bytes": "from bytes",
    "decode str cold": "from a fresh str",
    "decode str warm": "from a str parsed before",
}
_INTRODUCTION = {
    "encode": (
        "Fresh strings hold no cached UTF-8 copy, as when a server answers with them for the first time. Strings "
        "encoded before hold the copies that the library itself left there, as in a benchmark that encodes one object "
        "again and again. `ssrjson` runs with its cache off and `ssrjson+cache` with it on; `ssrjson_web` writes none. "
        "A peer that makes the other type and converts it is marked * and is never the fastest other."
    ),
    "decode": (
        "The same documents are parsed. Every result was compared with the standard library's before the timing. "
        "Freeing the result is part of the timed call."
    ),
}


def library_section(operation: str, finding: Finding) -> Section:
    """The section. Raises KeyError and TypeError if the figures are not those of the command."""
    assert finding.document is not None
    report = report_from_json(finding.document)
    title = "Encoding" if operation == "encode" else "Decoding"
    body = [
        markup.paragraph(_INTRODUCTION[operation]),
        markup.heading(3, "By library"),
        markup.side_by_side([*_by_library(report), *_copies(report, operation)]),
        *_by_group(report),
        *_by_document(report),
        *_all_times(report),
        *_all_copies(report, operation),
    ]
    return Section(
        anchor=operation,
        title=title,
        body="".join(body),
        speed=[line for mode in report.modes if (line := _speed_line(title, mode, report.of_mode(mode))) is not None],
        held=_held(report, operation),
        findings=[finding],
        absent=_absent(report),
    )


def _absent(report: Report) -> list[str]:
    present = report.machine["libraries"].replace(",", "").split()
    return [rival.name for rival in RIVALS if rival.name not in present]


def _title(mode: str) -> str:
    return _MODES[mode][0].upper() + _MODES[mode][1:]


def _duels(rows: Sequence[Row], rival: str) -> list[Duel]:
    """Ours against one library, on every document that both encode or decode."""
    found = []
    for row in rows:
        ours, theirs = row.ours, next((each for each in row.measurements if each.rival == rival), None)
        if ours and ours.sample and theirs and theirs.sample:
            found.append(Duel(name=row.case, other=theirs.rival, ours=ours.sample, theirs=theirs.sample))
    return found


def _best_duels(rows: Sequence[Row]) -> list[Duel]:
    return [duel for row in rows if (duel := row.duel)]


def _speed_line(title: str, mode: str, rows: Sequence[Row]) -> SpeedLine | None:
    best = _best_duels(rows)
    if not best:
        return None
    return SpeedLine(
        title=f"{title} {_MODES[mode]}", best=best, orjson=_duels(rows, "orjson"), stock=_duels(rows, "json")
    )


def _rivals(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(each.rival for row in rows for each in row.measurements))


def _label(rival: str, rows: Sequence[Row]) -> str:
    converts = any(each.converts for row in rows for each in row.measurements if each.rival == rival)
    return f"{rival}*" if converts else rival


def _by_library(report: Report) -> list[str]:
    groups = []
    for mode in report.modes:
        rows = report.of_mode(mode)
        bars = []
        for rival in _rivals(rows):
            duels = [] if rival == OURS else _duels(rows, rival)
            if duels:
                ratios = [duel.ratio for duel in duels]
                low, _, high = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
                mean = mean_ratio(duels)
                note = markup.ratio_text(mean)
                bars.append(Bar(label=_label(rival, rows), value=mean, low=low, high=high, note=note))
        if bars:
            groups.append((_MODES[mode], bars))
    if not groups:
        return []
    title = "Each library’s time over ours"
    caption = "Geometric mean over the documents that both have; the line spans the middle half of them."
    return [markup.figure(title, chart.ratio_chart(groups, title=title, right=75), caption)]


def _by_group(report: Report) -> list[str]:
    parts = []
    for mode in report.modes:
        rows = report.of_mode(mode)
        best = _best_duels(rows)
        if not best:
            continue
        rivals = [rival for rival in _rivals(rows) if rival != OURS]
        lines: list[list[Cell | str]] = [_group_line("all documents", rows, rivals)]
        for title in [*(title for title, _ in _GROUPS), _OTHERS]:
            members = [row for row in rows if _group_of(row.case) == title]
            if members:
                lines.append(_group_line(title, members, rivals))
        headers = ["", "documents", "fastest other", "minima", "slower in", *(_label(rival, rows) for rival in rivals)]
        parts += [markup.heading(4, _title(mode)), markup.table(headers, lines)]
    if not parts:
        return []
    note = (
        "Each library's time over ours, geometric mean; above 1 we are faster. Fastest other: on each document the "
        "fastest of the other libraries, so it is the harder measure. Minima: ratios of each side's fastest round; if "
        "they differ much from those of the medians, other work on the machine disturbed the run."
    )
    return [markup.heading(3, "By kind of document"), *parts, markup.paragraph(note, "quiet")]


def _group_of(case: str) -> str:
    return next((title for title, patterns in _GROUPS if any(fnmatchcase(case, each) for each in patterns)), _OTHERS)


def _group_line(title: str, rows: Sequence[Row], rivals: Sequence[str]) -> list[Cell | str]:
    best = _best_duels(rows)
    if not best:
        return [title, str(len(rows)), *(["-"] * (3 + len(rivals)))]
    n_lost = sum(duel.is_loss for duel in best)
    line: list[Cell | str] = [
        title,
        str(len(best)),
        markup.ratio_cell(mean_ratio(best)),
        f"{mean_ratio_of_minima(best):.2f}",
        Cell(text=f"{n_lost}", css="loss") if n_lost else "0",
    ]
    for rival in rivals:
        duels = _duels(rows, rival)
        line.append(markup.ratio_cell(mean_ratio(duels)) if duels else "-")
    return line


def _cached(report: Report, operation: str) -> list[Row]:
    """The rows with the copies that one call leaves in strings that held none."""
    mode = "encode bytes cold" if operation == "encode" else "decode str cold"
    return [row for row in report.of_mode(mode) if any(each.cache_bytes for each in row.measurements)]


def _copies(report: Report, operation: str) -> list[str]:
    rows = _cached(report, operation)
    if not rows:
        return []
    rivals = _rivals(rows)
    total = sum(row.n_bytes for row in rows)
    bars = []
    for rival in rivals:
        left = sum(each.cache_bytes for row in rows for each in row.measurements if each.rival == rival)
        share = 100 * left / total
        bars.append(
            Bar(label=rival, value=share, low=share, high=share, note=f"{share:.0f} %", colour=chart.COLOURS[rival])
        )
    where = "in the strings of the object" if operation == "encode" else "in the str that was parsed"
    title = f"Cached UTF-8 copies that one call leaves {where}, in % of the JSON"
    caption = f"All {len(rows)} documents in which any library left a copy. A copy stays as long as its string does."
    return [markup.figure(title, chart.value_chart([("", bars)], title=title, right=90), caption)]


def _all_copies(report: Report, operation: str) -> list[str]:
    rows = _cached(report, operation)
    if not rows:
        return []
    rivals = _rivals(rows)
    lines = [[row.case, f"{row.n_bytes:,}", *(_copies_cell(_of(row, rival)) for rival in rivals)] for row in rows]
    return [
        markup.details(
            "Cached UTF-8 copies that one call leaves, in bytes",
            markup.table(["document", "JSON", *rivals], lines, css="dense"),
        )
    ]


def _of(row: Row, rival: str) -> Measurement | None:
    return next((each for each in row.measurements if each.rival == rival), None)


def _copies_cell(measurement: Measurement | None) -> str:
    return "-" if measurement is None or measurement.sample is None else f"{measurement.cache_bytes:,}"


def _held(report: Report, operation: str) -> list[HeldLine]:
    rows = _cached(report, operation)
    if not rows:
        return []
    verb = "encoded to bytes" if operation == "encode" else "parsed from a str"
    total = sum(row.n_bytes for row in rows)
    held = {
        rival: sum(each.cache_bytes for row in rows if (each := _of(row, rival))) / MEGABYTE for rival in _rivals(rows)
    }
    title = f"Cached UTF-8 copies: {len(rows)} documents, {total / MEGABYTE:.1f} MB, {verb}"
    return [HeldLine(title=title, held_mb=held)]


def _by_document(report: Report) -> list[str]:
    parts = []
    for mode in report.modes:
        duels = _best_duels(report.of_mode(mode))
        if not duels:
            continue
        families: dict[str, list[Bar]] = {}
        for duel in duels:
            family, _, name = duel.name.partition("/")
            families.setdefault(family, []).append(bar_of(duel, name))
        title = f"{_title(mode)}: the fastest other’s time over ours"
        charts = chart.ratio_charts(list(families.items()), title=title, left=162, right=165)
        caption = "Medians; the line spans the quartiles of the rounds, theirs over ours."
        parts.append(markup.figure(title, markup.side_by_side(charts), caption))
    return [markup.heading(3, "Document by document"), *parts] if parts else []


def _all_times(report: Report) -> list[str]:
    tables = dict(zip(report.modes, report_tables(report), strict=False))  # the goals come after them
    return [
        markup.details(f"{_title(mode)}: all times, {source.title.rpartition(': ')[2]}", markup.table_of(source))
        for mode, source in tables.items()
    ]
