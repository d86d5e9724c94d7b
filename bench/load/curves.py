"""Curves over time of a server's workers, for the live page and for the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from bench.kit.charts import SERIES_COLOURS, Curve, LineChart, Mark
from bench.load.samples import Sample, WorkerSample

Points = Sequence[tuple[float, float]]

_PHASES = {"after": "after the load", "trimmed": "after malloc_trim"}
_HEIGHT = 250


def line_chart(title: str, curves: Mapping[str, Points], marks: Sequence[Mark] = ()) -> LineChart:
    """A chart of curves by name, each with its last value at its end; curves without points are left out."""
    drawn = [
        Curve(
            name=name,
            points=points,
            note=f"{name}: {points[-1][1]:.1f}",
            colour=SERIES_COLOURS[place % len(SERIES_COLOURS)],
        )
        for place, (name, points) in enumerate(curves.items())
        if points
    ]
    return LineChart(title=title, curves=drawn, marks=marks, height=_HEIGHT)


def worker_charts(samples: Sequence[Sample]) -> list[LineChart]:
    """Charts of RSS, copies and, if known, JSON's share of each worker, with marks for the end of load and the trim."""

    def of_each(figure: Callable[[WorkerSample], float | None], unit: float) -> dict[str, Points]:
        curves: dict[str, list[tuple[float, float]]] = {}
        for sample in samples:
            for worker in sample.workers:
                value = figure(worker)
                if value is not None:
                    curves.setdefault(f"pid {worker.pid}", []).append((sample.seconds, unit * value))
        return dict(curves)

    moments = {sample.phase: sample.seconds for sample in samples}
    marks = [
        Mark(seconds=moments[phase], before=what, is_low=True) for phase, what in _PHASES.items() if phase in moments
    ]
    charts = [
        line_chart("RSS, MB", of_each(lambda worker: worker.rss_bytes, 1e-6), marks),
        line_chart("Cached UTF-8 copies, MB", of_each(lambda worker: worker.cache_bytes, 1e-6)),
    ]
    json_shares = of_each(lambda worker: worker.json_share, 100.0)
    if json_shares:
        charts.append(line_chart("JSON's share of request time, %", json_shares))
    return charts


def as_html(charts: Sequence[LineChart]) -> str:
    """The charts under their titles."""
    return "\n".join(f"<h2>{escape(chart.title)}</h2>\n{chart.as_svg()}" for chart in charts)
