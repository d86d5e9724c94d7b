"""The page of a load test with several engines: the growth of each server overlaid, and their figures side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.kit import markup
from bench.kit.charts import COLOURS, Curve, LineChart
from bench.kit.tables import Table
from bench.load.curves import Points
from bench.load.load_page import growth_of, headline, megabytes, notes, sum_of
from bench.load.load_results import PERCENTILES, Results
from bench.load.samples import WorkerSample

_STOCK_COLOUR = COLOURS["json"]


def growth_charts(runs: Sequence[Results]) -> list[LineChart]:
    """RSS above the start of the load, and cached UTF-8 copies: for each engine the sum of its workers."""
    return [
        LineChart(title="RSS growth of all workers, MB", curves=_curves(runs, lambda each: each.rss_bytes)),
        LineChart(title="Cached UTF-8 copies of all workers, MB", curves=_curves(runs, lambda each: each.cache_bytes)),
    ]


def _curves(runs: Sequence[Results], figure: Callable[[WorkerSample], int | None]) -> list[Curve]:
    curves = []
    for results in runs:
        points = _growth(results, figure)
        if points:
            engine = results.plan.engine
            note = f"{engine} {points[-1][1]:+.1f} MB"
            colour = COLOURS.get(engine, _STOCK_COLOUR)
            curves.append(Curve(name=engine, points=points, note=note, colour=colour))
    return curves


def _growth(results: Results, figure: Callable[[WorkerSample], int | None]) -> Points:
    """Seconds, and MB above the first sample with figures of all workers."""
    points: list[tuple[float, float]] = []
    first = 0
    for sample in results.samples:
        total = sum_of(figure(worker) for worker in sample.workers)
        if total is None or len(sample.workers) < results.plan.workers:
            continue
        first = first if points else total
        points.append((sample.seconds, (total - first) / 1e6))
    return points


def engines_table(runs: Sequence[Results]) -> Table:
    """A row for each engine."""
    rows = []
    for results in runs:
        before = sum_of(each.rss_before_bytes for each in results.workers)
        after = sum_of(each.after_trim_bytes for each in results.workers)
        latencies = [f"{ms:.0f}" for ms in results.requests[-1].percentiles_ms] if results.requests else []
        rows.append(
            [
                results.plan.engine + ("" if results.is_complete else " (INCOMPLETE)"),
                megabytes(before),
                megabytes(after),
                growth_of(before, after),
                megabytes(sum_of(each.cache_after_bytes for each in results.workers)),
                f"{results.requests[-1].n_requests:,}" if results.requests else "-",
                *(latencies or ["-"] * len(PERCENTILES)),
            ]
        )
    plan = runs[0].plan
    return Table(
        title=f"{plan.app} under {plan.served_by}, {plan.workers} worker(s): the engines side by side",
        headers=[
            *("engine", "RSS before", "after trim", "growth", "UTF-8 copies", "requests"),
            *(f"p{name.rstrip('%')} ms" for name in PERCENTILES),
        ],
        rows=rows,
        notes=["MB of all workers together, 1,000,000 bytes; growth: from before to after trim"],
    )


def as_page(runs: Sequence[Results], links: Sequence[str]) -> str:
    """The HTML; `links` are the addresses of the engines' own reports, in the order of the runs."""
    table = engines_table(runs)
    pages = "".join(
        f'<li><a href="{markup.text(link)}">{markup.text(headline(results))}</a></li>'
        for results, link in zip(runs, links, strict=True)
    )
    return markup.page(
        table.title,
        [
            markup.heading(1, table.title),
            *(
                markup.figure(chart.title, markup.wide(chart.as_svg()), "The last points are from after malloc_trim.")
                for chart in growth_charts(runs)
            ),
            markup.table_of(table, key=3, colours=COLOURS),
            markup.heading(2, "Each engine by itself"),
            f"<ul>{pages}</ul>",
            markup.heading(2, "What the figures mean, and what not"),
            *map(markup.paragraph, notes(runs[-1])),
        ],
    )
