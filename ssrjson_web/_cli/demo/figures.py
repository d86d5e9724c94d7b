"""The figures of the reports, free of any drawing library: what is drawn, where, in which colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from ssrjson_web._cli.demo.results import Results
from ssrjson_web._cli.kit.records import MEGABYTE

__all__ = [
    "COLOURS",
    "Bar",
    "Bars",
    "Curve",
    "Curves",
    "curves",
    "encode_bars",
    "growth_bars",
    "megabytes",
    "preload_bars",
    "spread",
    "ticks",
]

COLOURS = {
    "json": "#6f7782",
    "orjson": "#d55e00",
    "msgspec": "#e69f00",
    "pydantic": "#b8588f",
    "ssrjson_web": "#0072b2",
}
"""After Okabe and Ito: told apart with any colour vision, and by lightness in print."""

_LINE_WIDTHS = {"orjson": 7.0, "msgspec": 4.2, "pydantic": 1.6, "json": 7.0, "ssrjson_web": 3.0}
"""Curves of the same course lie over each other; a wider one below stays visible."""

_SAME_MOMENT_SHARE = 0.1


@dataclass(frozen=True, kw_only=True)
class Curve:
    """RSS above the base over time."""

    engine: str
    colour: str
    width: float
    points: tuple[tuple[float, float], ...]
    """Seconds and megabytes."""

    @property
    def label(self) -> str:
        """The engine and where its curve ends."""
        return f"{self.engine} {self.points[-1][1]:+.1f} MB"


@dataclass(frozen=True, kw_only=True)
class Curves:
    """The curves of all engines on one pair of axes."""

    curves: tuple[Curve, ...]
    seconds: float
    """Right end of the time axis."""
    megabytes: float
    """Upper end of the other axis."""
    served_once_seconds: float | None
    """When each record had been served once, if all engines agree on it."""
    is_level: bool
    """Whether no curve rose by more than noise after that."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One row of a bar chart: `before` was there before the sweep, `value` came with it."""

    label: str
    colour: str
    value: float
    before: float = 0.0
    note: str
    """What stands at its end."""


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Rows of bars in groups, each with a heading."""

    groups: tuple[tuple[str, tuple[Bar, ...]], ...]

    @property
    def extent(self) -> float:
        """Where the longest bar ends."""
        return max((bar.before + max(0.0, bar.value) for _, bars in self.groups for bar in bars), default=1.0) or 1.0


def curves(results: Results) -> Curves:
    """RSS of each engine's server during the sweep; of finished runs, as in all figures."""
    drawn = []
    runs = results.finished_runs
    for run in sorted(runs, key=lambda run: list(_LINE_WIDTHS).index(run.engine)):
        points = tuple((sample.seconds, megabytes(sample.rss_bytes - run.rss_base_bytes)) for sample in run.samples)
        if not points:
            continue
        drawn.append(
            Curve(
                engine=run.engine,
                colour=COLOURS[run.engine],
                width=_LINE_WIDTHS[run.engine],
                points=points,
            )
        )
    seconds = max((curve.points[-1][0] for curve in drawn), default=1.0)
    moments = [run.sweep.pass_seconds[0] for run in runs]
    agree = bool(moments) and max(moments) - min(moments) < _SAME_MOMENT_SHARE * seconds
    top = max((value for curve in drawn for _, value in curve.points), default=1.0)
    return Curves(
        curves=tuple(drawn),
        seconds=seconds,
        megabytes=max(top, 1.0),
        served_once_seconds=median(moments) if agree else None,
        is_level=all(run.is_level for run in runs),
    )


def growth_bars(results: Results) -> Bars:
    """RSS growth that outlives `malloc_trim`, the sweep above the ASCII control."""
    groups = []
    for script, runs in ((results.options.script, results.finished_runs), ("ascii", results.finished_control)):
        bars = tuple(
            Bar(
                label=run.engine,
                colour=COLOURS[run.engine],
                value=megabytes(run.growth_bytes),
                note=f"{megabytes(run.growth_bytes):+.1f} MB",
            )
            for run in runs
        )
        if bars:
            groups.append(("ASCII text" if script == "ascii" else f"{script.capitalize()} text", bars))
    return Bars(groups=tuple(groups))


def encode_bars(results: Results) -> Bars:
    """Median time to encode a page when it is served for the first time; again in the note."""
    bars = []
    for run in results.finished_runs:
        if run.encode_first_us is None:
            continue
        note = f"{run.encode_first_us:.0f}"
        if run.encode_again_us is not None:
            note += f", then {run.encode_again_us:.0f} µs"
        if run.engine == "pydantic":
            note += "*"
        bars.append(Bar(label=run.engine, colour=COLOURS[run.engine], value=run.encode_first_us, note=note))
    return Bars(groups=(("", tuple(bars)),) if bars else ())


def preload_bars(results: Results) -> Bars:
    """Private memory of a forked worker before and after the sweep."""
    bars = []
    for run in results.finished_preload:
        growth = megabytes(run.worker_growth_bytes)
        bars.append(
            Bar(
                label=run.engine,
                colour=COLOURS[run.engine],
                before=megabytes(run.worker_uss_bytes) - growth,
                value=growth,
                note=f"{growth:+.1f} MB",
            )
        )
    return Bars(groups=(("", tuple(bars)),) if bars else ())


def spread(positions: Sequence[float], *, gap: float) -> list[float]:
    """The positions, moved as little as keeps any two of them `gap` apart; in the same order."""
    order = sorted(range(len(positions)), key=lambda index: positions[index])
    clusters: list[list[int]] = []
    centres: list[float] = []
    for index in order:
        clusters.append([index])
        centres.append(positions[index])
        while len(clusters) > 1 and centres[-1] - centres[-2] < gap * (len(clusters[-1]) + len(clusters[-2])) / 2:
            last = clusters.pop()
            centres.pop()
            clusters[-1] += last
            centres[-1] = sum(positions[member] for member in clusters[-1]) / len(clusters[-1])
    moved = [0.0] * len(positions)
    for cluster, centre in zip(clusters, centres, strict=True):
        for place, index in enumerate(cluster):
            moved[index] = centre + gap * (place - (len(cluster) - 1) / 2)
    return moved


def ticks(top: float, *, about: int = 6) -> list[float]:
    """Round values from 0 to at most `top`, which is positive: about so many."""
    rough = top / about
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * magnitude for factor in (1, 2, 5, 10) if factor * magnitude >= rough)
    return [step * number for number in range(int(top / step * 1.0001) + 1)]


def megabytes(n_bytes: float) -> float:
    """In units of 1,000,000 bytes."""
    return n_bytes / MEGABYTE
