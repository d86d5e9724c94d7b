"""The gains of the frameworks, with one subsection for each run of `python -m bench web`.

It reads the rows of the JSON file as `web_measure.WebRow`. The entry named `stock` is the framework without changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.kit import charts as chart
from bench.kit import markup
from bench.kit.charts import Bar
from bench.kit.markup import Cell
from bench.kit.recorded import from_json
from bench.kit.tables import significant
from bench.report.run_records import Finding
from bench.report.section import Section, SpeedLine, bar_of
from bench.speed_results import Duel
from bench.web.web_case import JSON_PART, STOCK
from bench.web.web_measure import WebRow

_PARTS: Mapping[str, str] = {JSON_PART: "the JSON part", "": "the whole request"}


def _title(row: WebRow) -> str:
    return " · ".join(filter(None, (row.title, row.case.partition("/")[2])))


def _duel(row: WebRow, part: str, other: str | None) -> Duel | None:
    """Our last entry against another one by name, or against the fastest that is not ours."""
    timed = [(each, sample) for each in row.measured if (sample := each.sample(part))]
    ours = next((sample for each, sample in reversed(timed) if each.is_ours), None)
    others = [(each, sample) for each, sample in timed if not each.is_ours and other in (None, each.rival)]
    if ours is None or not others:
        return None
    rival, theirs = min(others, key=lambda pair: pair[1].median_ns)
    return Duel(name=_title(row), other=rival.rival, ours=ours, theirs=theirs)


def _bars(row: WebRow, part: str) -> list[Bar]:
    """A row for each of the others."""
    others = [each.rival for each in row.measured if not each.is_ours]
    duels = [duel for other in others if (duel := _duel(row, part, other))]
    return [bar_of(duel, duel.other, has_name=False) for duel in duels]


def web_section(found: Sequence[Finding]) -> Section:
    """The section. Raises KeyError and TypeError if the figures are not those of the command."""
    body = [
        markup.paragraph(
            "Requests are made in one process, without a socket, so that they consist only of the framework and the "
            "JSON. The data of each request is made while the clock is stopped. Answers were compared with stock's "
            "before. Where models, serializers and queries take most of a request, faster JSON gains little of the "
            "whole. The JSON part is shown by itself where it was measured."
        )
    ]
    speed: list[SpeedLine] = []
    for finding in found:
        body.append(markup.heading(3, finding.record.title))
        if finding.document is None:
            continue
        rows = [from_json(WebRow, row) for row in finding.document["rows"]]
        for part, name in _PARTS.items():
            lines, line = _measure(finding.record.title, part, name, rows)
            body += lines
            speed += [line] if line else []
        body.append(
            markup.notes(
                f"{_title(row)}: {each.rival}: {'WRONG: ' if each.is_wrong else ''}{each.reason or each.note}"
                for row in rows
                for each in row.measured
                if each.reason or each.note
            )
        )
    return Section(anchor="web", title="Web frameworks", body="".join(body), speed=speed, findings=found)


def _measure(framework: str, part: str, name: str, rows: Sequence[WebRow]) -> tuple[list[str], SpeedLine | None]:
    best = [duel for row in rows if (duel := _duel(row, part, None))]
    if not best:
        return [], None
    title = f"{framework}, {name}: each other way’s time over ours"
    groups = [(_title(row), bars) for row in rows if (bars := _bars(row, part))]
    caption = "Medians; the line spans the quartiles of the rounds, theirs over ours."
    charts = chart.ratio_charts(groups, title=title, left=165, right=75)
    line = SpeedLine(
        title=f"{framework}, {name}",
        best=best,
        orjson=[duel for row in rows if (duel := _orjson_duel(row, part))],
        stock=[duel for row in rows if (duel := _duel(row, part, STOCK))],
    )
    return [
        markup.figure(title, markup.side_by_side(charts), caption),
        markup.details(f"All figures of {framework}, {name}", _table(part, rows)),
    ], line


def _orjson_duel(row: WebRow, part: str) -> Duel | None:
    """Duels with the fastest way that uses orjson."""
    names = [each.rival for each in row.measured if "orjson" in each.rival.lower()]
    duels = [duel for name in names if (duel := _duel(row, part, name))]
    return min(duels, key=lambda duel: duel.ratio, default=None)


def _table(part: str, rows: Sequence[WebRow]) -> str:
    lines: list[list[Cell | str]] = []
    for row in rows:
        stock = row.of(STOCK)
        stock_sample = stock.sample(part) if stock else None
        for each in row.measured:
            sample = each.sample(part)
            if sample is None:
                lines.append([_title(row), each.rival, *(["-"] * 5)])
                continue
            over = stock_sample.median_ns / sample.median_ns if stock_sample else None
            lines.append(
                [
                    _title(row),
                    each.rival,
                    significant(sample.median_ns / 1000),
                    significant(sample.best_ns / 1000),
                    f"{sample.spread:.0%}",
                    "-" if over is None else markup.ratio_cell(over) if each.is_ours else f"{over:.2f}",
                    f"{each.cache_bytes:,}",
                ]
            )
    headers = ["request", "way", "µs, median", "fastest round", "spread", "stock/it", "UTF-8 copies, bytes"]
    return markup.table(headers, lines, n_text_columns=2, css="dense") + markup.notes(
        [
            "spread: the middle half of the rounds as a share of the median",
            "copies: the cached UTF-8 copies that one request leaves in its data",
        ]
    )
