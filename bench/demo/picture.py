"""The demo's picture: RSS over time, what is still held, times to encode, and the preload case.

Only finished runs are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from bench.demo.findings import short_headline
from bench.demo.results import Results, Run
from bench.kit.lexicon import script_words
from bench.kit.pictures import COLOURS, Bar, Bars, Curve, Curves, Mark, Picture, draw
from bench.kit.records import MEGABYTE

__all__ = ["picture_of"]

_LINE_WIDTHS = {"orjson": 7.0, "msgspec": 4.2, "pydantic": 1.6, "json": 7.0, "ssrjson_web": 3.0}
"""Curves with equal values cover each other; a wider one below stays visible."""
_SAME_MOMENT_SHARE = 0.1


def picture_of(results: Results) -> Picture:
    """Raises ImportError where matplotlib is missing."""
    runs = results.finished_runs
    catalogue = results.runs[0].catalogue_bytes / MEGABYTE if results.runs else results.options.megabytes
    python = " ".join(results.machine["python"].split()[:2])
    caption = f"{python}: a FastAPI server with {catalogue:.0f} MB of records ({script_words(results.options.script)})"
    caption += ", all served twice" if results.all_served_twice else ", under load"
    panels = [
        Bars(title="Still held after malloc_trim", groups=_growth(results)),
        Bars(title="Time to encode a page, first and again", groups=[("", _times(runs))]),
        Bars(
            title="Private memory of a forked worker",
            groups=[
                (
                    "",
                    [
                        _bar(
                            run.engine,
                            run.mean_of_workers(lambda each: each.growth_bytes),
                            run.mean_of_workers(lambda each: each.uss_base_bytes),
                        )
                        for run in results.finished_preload
                    ],
                )
            ],
        ),
    ]
    return draw(
        [_curves(runs)] if runs else [],
        [panel for panel in panels if panel.n_rows],
        title=short_headline(results),
        caption=caption,
        footnote=_footnote(results),
    )


def _curves(runs: Sequence[Run]) -> Curves:
    drawn = []
    for run in sorted(runs, key=lambda run: list(_LINE_WIDTHS).index(run.engine)):
        points = [(sample.seconds, (sample.rss_bytes - run.server.rss_base_bytes) / MEGABYTE) for sample in run.samples]
        if points:
            note = f"{run.engine} {points[-1][1]:+.1f} MB"
            width = _LINE_WIDTHS[run.engine]
            drawn.append(Curve(points=points, note=note, colour=COLOURS[run.engine], width=width))
    moments = [run.sweeps[0].pass_seconds[0] for run in runs]
    longest = max((curve.points[-1][0] for curve in drawn), default=0.0)
    marks = []
    if max(moments) - min(moments) < _SAME_MOMENT_SHARE * longest:
        after = "all again: a plateau, not a leak" if all(run.is_level for run in runs) else "all again"
        marks.append(Mark(seconds=median(moments), before="each record served once", after=after))
    return Curves(title="RSS above the start of the load, MB", curves=drawn, marks=marks)


def _growth(results: Results) -> list[tuple[str, list[Bar]]]:
    """RSS growth that remains after `malloc_trim`; the load comes above the ASCII control."""
    groups = []
    for runs, what in ((results.finished_runs, ""), (results.finished_control, ", the control")):
        if runs:
            heading = f"{runs[0].script_title} text{what}"
            groups.append((heading, [_bar(run.engine, run.growth_bytes) for run in runs]))
    return groups


def _bar(engine: str, n_bytes: float, before: float = 0.0) -> Bar:
    value = n_bytes / MEGABYTE
    return Bar(label=engine, value=value, before=before / MEGABYTE, note=f"{value:+.1f} MB")


def _times(runs: Sequence[Run]) -> list[Bar]:
    return [
        Bar(
            label=run.engine,
            value=run.encode_first_us,
            note=f"{run.encode_first_us:.0f}"
            + (f", then {run.encode_again_us:.0f} µs" if run.encode_again_us else " µs")
            + ("*" if run.engine == "pydantic" else ""),
        )
        for run in runs
        if run.encode_first_us
    ]


def _footnote(results: Results) -> str:
    machine, versions = results.machine, results.versions
    engines = [f"{run.engine} {versions[run.engine]}" for run in results.finished_runs if run.engine in versions]
    parts = [machine["date"][:10], machine["python"], machine["cpu"], ", ".join(engines)]
    if any(run.engine == "pydantic" for run in results.finished_runs):
        parts.append("* with validation and FastAPI’s handling")
    if results.finished_preload:
        parts.append("pale: before the load")
    if results.cut_off:
        parts.append(f"cut off, and left out: {', '.join(line.partition(':')[0] for line in results.cut_off)}")
    return " · ".join(filter(None, parts))
