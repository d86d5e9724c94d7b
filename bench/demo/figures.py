"""The data of the reports' charts, for one round of the demo or several. No drawing library is needed here.

Figures come from finished runs only: medians of the rounds, with the lowest and the highest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from bench.demo.results import EngineRun, PreloadRun, Results
from bench.kit.charts import COLOURS, Bar, Curve, Groups, LineChart, Mark
from bench.kit.records import MEGABYTE

__all__ = [
    "copies_bars",
    "curves",
    "encode_bars",
    "engines_of",
    "growth_bars",
    "megabytes",
    "preload_bars",
    "pss_bars",
    "runs_by_script",
    "script_title",
]

_LINE_WIDTHS = {"orjson": 7.0, "msgspec": 4.2, "pydantic": 1.6, "json": 7.0, "ssrjson_web": 3.0}
"""Curves with equal values cover each other; a wider one below stays visible."""

_SAME_MOMENT_SHARE = 0.1


def megabytes(n_bytes: float) -> float:
    """In units of 1,000,000 bytes."""
    return n_bytes / MEGABYTE


def script_title(script: str) -> str:
    """`Chinese`, `Mixed`, `ASCII`."""
    return "ASCII" if script == "ascii" else script.capitalize()


def engines_of(runs: Sequence[EngineRun] | Sequence[PreloadRun]) -> list[str]:
    """Each engine once, in the order of the runs."""
    return list(dict.fromkeys(run.engine for run in runs))


def runs_by_script(rounds: Sequence[Results]) -> list[list[EngineRun]]:
    """The finished runs of the load, then those of the ASCII control; either may be empty."""
    parts = (
        [run for results in rounds for run in results.finished_runs],
        [run for results in rounds for run in results.finished_control],
    )
    return [runs for runs in parts if runs]


def curves(results: Results) -> LineChart:
    """RSS of each engine's server during the load."""
    runs = results.finished_runs
    drawn = []
    for run in sorted(runs, key=lambda run: list(_LINE_WIDTHS).index(run.engine)):
        points = [(sample.seconds, megabytes(sample.rss_bytes - run.rss_base_bytes)) for sample in run.samples]
        if points:
            drawn.append(
                Curve(
                    name=run.engine,
                    points=points,
                    note=f"{run.engine} {points[-1][1]:+.1f} MB",
                    colour=COLOURS[run.engine],
                    width=_LINE_WIDTHS[run.engine],
                )
            )
    chart = LineChart(title="RSS growth of each engine's server over time", curves=drawn)
    moments = [run.sweep.pass_seconds[0] for run in runs]
    if not moments or max(moments) - min(moments) >= _SAME_MOMENT_SHARE * chart.seconds:
        return chart
    after = "all again: a plateau, not a leak" if all(run.is_level for run in runs) else "all again"
    mark = Mark(seconds=median(moments), before="each record served once", after=after)
    return LineChart(title=chart.title, curves=drawn, marks=[mark])


def growth_bars(rounds: Sequence[Results]) -> Groups:
    """RSS growth that remains after `malloc_trim`; the load comes above the ASCII control."""
    return _by_script(rounds, lambda run: run.growth_bytes, "{:+.1f} MB")


def copies_bars(rounds: Sequence[Results]) -> Groups:
    """Cached UTF-8 copies in the catalogue's strings after the load, and after the ASCII control."""
    return _by_script(rounds, lambda run: run.caches["bytes"], "{:.1f} MB")


def encode_bars(rounds: Sequence[Results], *, is_again: bool = False) -> Groups:
    """Median time to encode a page that is served for the first time, with the later time in the note.

    With `is_again` the bars show the later time.
    """
    bars = []
    runs = [run for results in rounds for run in results.finished_runs]
    for engine in engines_of(runs):
        first = [run.encode_first_us for run in runs if run.engine == engine and run.encode_first_us is not None]
        again = [run.encode_again_us for run in runs if run.engine == engine and run.encode_again_us is not None]
        values = again if is_again else first
        if not values:
            continue
        note = f"{median(values):.0f}"
        note += f", then {median(again):.0f} µs" if again and not is_again else " µs"
        bars.append(_bar(engine, values, note + ("*" if engine == "pydantic" else "")))
    return [("", bars)] if bars else []


def preload_bars(rounds: Sequence[Results]) -> Groups:
    """Private memory of a forked worker, before the load and gained by it, over all workers."""
    runs = [run for results in rounds for run in results.finished_preload]
    bars = []
    for engine in engines_of(runs):
        workers = [worker for run in runs if run.engine == engine for worker in run.workers]
        growth = [megabytes(worker.growth_bytes) for worker in workers]
        before = median(megabytes(worker.uss_base_bytes) for worker in workers)
        bars.append(_bar(engine, growth, f"{median(growth):+.1f} MB", before=before))
    return [("", bars)] if bars else []


def pss_bars(rounds: Sequence[Results]) -> Groups:
    """Memory by which the parent and all workers grow together."""
    runs = [run for results in rounds for run in results.finished_preload]
    bars = []
    for engine in engines_of(runs):
        gained = [megabytes(run.pss_trimmed_bytes - run.pss_base_bytes) for run in runs if run.engine == engine]
        bars.append(_bar(engine, gained, f"{median(gained):+.1f} MB"))
    return [("", bars)] if bars else []


def _by_script(rounds: Sequence[Results], n_bytes: Callable[[EngineRun], float], form: str) -> Groups:
    groups: list[tuple[str, list[Bar]]] = []
    for runs in runs_by_script(rounds):
        bars = []
        for engine in engines_of(runs):
            values = [megabytes(n_bytes(run)) for run in runs if run.engine == engine]
            bars.append(_bar(engine, values, form.format(median(values))))
        control = ", the control" if runs[0].script == "ascii" and len(groups) else ""
        groups.append((f"{script_title(runs[0].script)} text{control}", bars))
    return groups


def _bar(engine: str, values: Sequence[float], note: str, *, before: float = 0.0) -> Bar:
    return Bar(
        label=engine,
        value=median(values),
        low=min(values),
        high=max(values),
        before=before,
        note=note,
        colour=COLOURS[engine],
    )
