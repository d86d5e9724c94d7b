"""The ssrJSON article's two scripts: time, and memory that remains."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from bench.article_command import Outcome
from bench.kit import charts as chart
from bench.kit import markup
from bench.kit.charts import Bar
from bench.kit.markup import Cell
from bench.kit.tables import span
from bench.report.run_records import Finding
from bench.report.section import HeldLine, Section, SpeedLine
from bench.rivals import OURS
from bench.timing import sample

_SCRIPTS: Mapping[str, tuple[str, str]] = {
    "article-dumps": ("dumps", "fresh objects, each encoded to bytes once"),
    "article-loads": ("loads", "fresh str documents, each parsed once"),
}
_NS_PER_MS = 1_000_000


def article_section(finding: Finding) -> Section:
    """The section. Raises KeyError and TypeError if the figures are not those of the command."""
    assert finding.document is not None
    body = [
        markup.paragraph(
            "A dict of 16 keys and values of Chinese text, 1 to 65,536 characters long, is created again for each call "
            "and kept alive. Every library runs in its own processes. RSS is read before and after, each time after "
            "`gc.collect()`. A cached UTF-8 copy stays in memory as long as its string, and no longer."
        )
    ]
    speed, held = [], []
    for script, (name, what) in _SCRIPTS.items():
        outcomes = [Outcome(**each) for each in finding.document.get(script, ())]
        if not outcomes:
            body.append(markup.paragraph(f"`{name}` was not measured."))
            continue
        body += _script(name, what, outcomes, finding.document)
        speed += _speed(name, outcomes)
        held.append(
            HeldLine(
                title=f"RSS growth: the article’s {name} script",
                held_mb={each.rival: statistics.median(each.growth_mb) for each in outcomes},
            )
        )
    return Section(
        anchor="article",
        title="The article’s two scripts",
        body="".join(body),
        speed=speed,
        held=held,
        findings=[finding],
    )


def _script(name: str, what: str, outcomes: Sequence[Outcome], document: Mapping[str, Any]) -> list[str]:
    ours = next((each for each in outcomes if each.rival == OURS), None)
    n_objects = document.get("objects", "")
    times = [_bar(each, each.elapsed_ms, f"{each.median_ms:.0f} ms") for each in outcomes]
    growth = [_bar(each, each.growth_mb, f"{max(each.growth_mb):+.1f} MB", of=max) for each in outcomes]
    rows: list[list[Cell | str]] = [
        [
            each.rival,
            f"{each.median_ms:.1f}",
            span(each.elapsed_ms, ".1f"),
            markup.ratio_cell(each.median_ms / ours.median_ms) if ours else "-",
            span(each.growth_mb, "+.1f"),
            str(len(each.elapsed_ms)),
        ]
        for each in outcomes
    ]
    rounds = document.get("rounds", 0)
    unfinished = [
        f"{each.rival}, {len(each.elapsed_ms)} of {rounds} processes"
        for each in outcomes
        if len(each.elapsed_ms) < rounds
    ]
    return [
        markup.heading(3, f"{name}: {n_objects} {what}"),
        *([markup.paragraph(f"UNFINISHED: {'; '.join(unfinished)}.", "warning")] if unfinished else []),
        markup.side_by_side(
            [
                markup.figure(
                    f"{name}: time, ms",
                    chart.value_chart([("", times)], title=f"{name}: time of each library"),
                    "Median of the processes; the line spans all of them.",
                ),
                markup.figure(
                    f"{name}: RSS growth, MB",
                    chart.value_chart([("", growth)], title=f"{name}: RSS growth with each library"),
                    "The largest of the processes; the line spans all of them.",
                ),
            ]
        ),
        markup.table(["library", "ms", "all processes", "its time/ours", "RSS growth MB", "processes"], rows),
    ]


def _bar(outcome: Outcome, values: Sequence[float], note: str, *, of: Any = None) -> Bar:
    value = max(values) if of is max else sample(values).median_ns
    return Bar(
        label=outcome.rival,
        value=value,
        low=min(values),
        high=max(values),
        note=note,
        colour=chart.COLOURS[outcome.rival],
    )


def _speed(name: str, outcomes: Sequence[Outcome]) -> list[SpeedLine]:
    samples = {each.rival: sample([ms * _NS_PER_MS for ms in each.elapsed_ms]) for each in outcomes}
    line = SpeedLine.of_samples(f"The article’s {name} script", name, samples)
    return [] if line is None else [line]
