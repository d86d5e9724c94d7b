"""What the frameworks gain, one subsection for each run of `python -m bench web`.

It reads the rows of the JSON file. A row has a `case`, a `title`, and under `measured` one entry for each way to set
the framework up: its `rival`, `is_ours`, a sample of the `request`, samples of its `steps`, of which `JSON` is all of a
class's work, `cache_bytes`, a `note` and a `reason`. The entry named `stock` is the framework as it comes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.report.run_records import Finding
from bench.report.section import Section, SpeedLine, bar_of
from bench.speed_results import Duel
from bench.timing import Sample
from bench.web.web_case import JSON_PART, STOCK
from ssrjson_web._cli.kit import charts as chart
from ssrjson_web._cli.kit import markup
from ssrjson_web._cli.kit.charts import Bar
from ssrjson_web._cli.kit.markup import Cell
from ssrjson_web._cli.kit.tables import significant

_MEASURES: Mapping[str, str] = {"part": "the JSON part", "request": "the whole request"}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One way to set the framework up."""

    rival: str
    is_ours: bool
    samples: Mapping[str, Sample]
    """By measure."""
    cache_bytes: int
    note: str


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """One kind of request."""

    title: str
    entries: Sequence[Entry]

    def duel(self, measure: str, other: str | None) -> Duel | None:
        """Ours, the last of them, against another by name, or against the fastest that is not ours."""
        timed = [each for each in self.entries if measure in each.samples]
        ours = next((each for each in reversed(timed) if each.is_ours), None)
        others = [each for each in timed if not each.is_ours and other in (None, each.rival)]
        if ours is None or not others:
            return None
        theirs = min(others, key=lambda each: each.samples[measure].median_ns)
        return Duel(name=self.title, other=theirs.rival, ours=ours.samples[measure], theirs=theirs.samples[measure])

    def bars(self, measure: str) -> list[Bar]:
        """A row for each of the others."""
        others = [each.rival for each in self.entries if not each.is_ours]
        duels = [duel for other in others if (duel := self.duel(measure, other))]
        return [bar_of(duel, duel.other, has_name=False) for duel in duels]


def web_section(found: Sequence[Finding]) -> Section:
    """Raises KeyError and TypeError where the figures are not such."""
    body = [
        markup.paragraph(
            "Requests in one process, without a socket, so that nothing but the framework and the JSON is in them. "
            "Each request gets data made for it outside the clock. Answers were compared with stock's before. Where "
            "models, serializers and queries take most of a request, faster JSON gains little of the whole; the JSON "
            "part is shown by itself where it was measured."
        )
    ]
    speed: list[SpeedLine] = []
    for finding in found:
        body.append(markup.heading(3, finding.record.title))
        if finding.document is None:
            continue
        exchanges = [_exchange(row) for row in finding.document["rows"]]
        for measure, name in _MEASURES.items():
            lines, line = _measure(finding.record.title, measure, name, exchanges)
            body += lines
            speed += [line] if line else []
        body.append(
            markup.notes(
                f"{each.title}: {entry.rival}: {entry.note}"
                for each in exchanges
                for entry in each.entries
                if entry.note
            )
        )
    return Section(anchor="web", title="Web frameworks", body="".join(body), speed=speed, findings=found)


def _exchange(row: Mapping[str, Any]) -> Exchange:
    document = row["case"].partition("/")[2]
    return Exchange(
        title=" · ".join(filter(None, (row["title"], document))), entries=[_entry(each) for each in row["measured"]]
    )


def _entry(content: Mapping[str, Any]) -> Entry:
    found = {"part": content["steps"].get(JSON_PART), "request": content["request"]}
    return Entry(
        rival=content["rival"],
        is_ours=content["is_ours"],
        samples={measure: Sample(**each) for measure, each in found.items() if each},
        cache_bytes=content["cache_bytes"],
        note=f"WRONG: {content['reason']}" if content["is_wrong"] else content["note"] or content["reason"],
    )


def _measure(
    framework: str, measure: str, name: str, exchanges: Sequence[Exchange]
) -> tuple[list[str], SpeedLine | None]:
    best = [duel for each in exchanges if (duel := each.duel(measure, None))]
    stock = [duel for each in exchanges if (duel := each.duel(measure, STOCK))]
    if not best:
        return [], None
    of_measure = [each for each in exchanges if any(measure in entry.samples for entry in each.entries)]
    title = f"{framework}, {name}: each other way’s time over ours"
    groups = [(each.title, bars) for each in exchanges if (bars := each.bars(measure))]
    caption = "Medians; the line spans the quartiles of the rounds, theirs over ours."
    charts = chart.ratio_charts(groups, title=title, left=165, right=75)
    line = SpeedLine(
        title=f"{framework}, {name}",
        best=best,
        orjson=[duel for each in exchanges if (duel := _orjson_duel(each, measure))],
        stock=stock,
    )
    return [
        markup.figure(title, markup.side_by_side(charts), caption),
        markup.details(f"All figures of {framework}, {name}", _table(measure, of_measure)),
    ], line


def _orjson_duel(exchange: Exchange, measure: str) -> Duel | None:
    """Against the fastest way over orjson."""
    names = [entry.rival for entry in exchange.entries if "orjson" in entry.rival.lower()]
    duels = [duel for name in names if (duel := exchange.duel(measure, name))]
    return min(duels, key=lambda duel: duel.ratio, default=None)


def _table(measure: str, exchanges: Sequence[Exchange]) -> str:
    rows: list[list[Cell | str]] = []
    for exchange in exchanges:
        stock = next((each for each in exchange.entries if each.rival == STOCK), None)
        for entry in exchange.entries:
            sample = entry.samples.get(measure)
            if sample is None:
                rows.append([exchange.title, entry.rival, *(["-"] * 5)])
                continue
            over = stock.samples[measure].median_ns / sample.median_ns if stock and measure in stock.samples else None
            rows.append(
                [
                    exchange.title,
                    entry.rival,
                    significant(sample.median_ns / 1000),
                    significant(sample.best_ns / 1000),
                    f"{sample.spread:.0%}",
                    "-" if over is None else markup.ratio_cell(over) if entry.is_ours else f"{over:.2f}",
                    f"{entry.cache_bytes:,}",
                ]
            )
    headers = ["request", "way", "µs, median", "fastest round", "spread", "stock/it", "UTF-8 copies, bytes"]
    return markup.table(headers, rows, n_text_columns=2, css="dense") + markup.notes(
        [
            "spread: the middle half of the rounds as a share of the median",
            "copies: what one request leaves in its data",
        ]
    )
