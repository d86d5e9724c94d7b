"""The picture: one PNG with the curves, the bars and the preload case. Needs matplotlib."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.demo import figures
from bench.demo.figures import megabytes
from bench.demo.findings import short_headline
from bench.demo.results import Results
from bench.kit.charts import Groups, LineChart, extent, spread, ticks
from bench.kit.lexicon import script_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["write_picture"]

_INK = "#1f2933"
_FAINT = "#8a94a0"
_RULE = "#dfe4ea"
_HEADING_ROWS = 0.9
_NOTE_SHARE = 0.038
"""The width of a character of a note, in lengths of the longest bar."""
_TITLE_SIZE = 1440.0
"""The font size of a title is this number divided by its length."""
_BELOW_MARKS = 0.89
"""The share of the height that rules and curves take; the texts of marks are above."""


def write_picture(results: Results, path: Path) -> None:
    """Draw the results into a PNG. Raises ImportError where matplotlib is missing."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    style: dict[Any, Any] = {
        "font.family": "DejaVu Sans",
        "font.size": 12.5,
        "text.color": _INK,
        "axes.labelcolor": _INK,
        "axes.edgecolor": _FAINT,
        "xtick.color": _INK,
        "ytick.color": _INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with plt.rc_context(style):
        figure = plt.figure(figsize=(12.8, 8.2), dpi=140, facecolor="white")
        options = results.options
        catalogue = megabytes(results.runs[0].catalogue_bytes) if results.runs else options.megabytes
        title = short_headline(results)
        figure.text(0.02, 0.95, title, fontsize=min(16.5, _TITLE_SIZE / len(title)), fontweight="bold")
        python = " ".join(results.environment.python.split()[:2])
        setting = f"{python}: a FastAPI server with {catalogue:.0f} MB of records ({script_words(options.script)})"
        setting += ", all served twice" if results.all_served_twice else ", under load"
        figure.text(0.02, 0.912, setting, fontsize=13)
        panels = [
            (figures.growth_bars([results]), "Still held after malloc_trim"),
            (figures.encode_bars([results]), "Time to encode a page, first and again"),
            (figures.preload_bars([results]), "Private memory of a forked worker"),
        ]
        panels = [(bars, title) for bars, title in panels if bars]
        grid = figure.add_gridspec(
            max(1, len(panels)),
            2,
            width_ratios=(1.66, 1),
            height_ratios=[_panel_rows(bars) for bars, _ in panels] or (1,),
            left=0.045,
            right=0.985,
            top=0.845,
            bottom=0.14 if results.cut_off else 0.105,
            wspace=0.31,
            hspace=0.4,
        )
        if results.finished_runs:
            _draw_curves(figure.add_subplot(grid[:, 0]), figures.curves(results))
        for place, (bars, title) in enumerate(panels):
            _draw_bars(figure.add_subplot(grid[place, 1]), bars, title=title)
        if results.cut_off:
            left_out = ", ".join(line.partition(":")[0] for line in results.cut_off)
            figure.text(0.02, 0.043, f"Cut off, and left out: {left_out}", fontsize=10.5, fontweight="bold")
        figure.text(0.02, 0.02, _footnote(results), fontsize=9.5, color=_FAINT)
        figure.savefig(path)
        plt.close(figure)


def _footnote(results: Results) -> str:
    environment = results.environment
    engines = [
        f"{run.engine} {environment.versions[run.engine]}"
        for run in results.finished_runs
        if run.engine in environment.versions
    ]
    parts = [environment.date[:10], environment.python, environment.cpu, ", ".join(engines)]
    if any(run.engine == "pydantic" for run in results.finished_runs):
        parts.append("* with validation and FastAPI’s handling")
    if results.finished_preload:
        parts.append("pale: before the load")
    return " · ".join(filter(None, parts))


def _draw_curves(axes: Axes, figure: LineChart) -> None:
    top = figure.top / (_BELOW_MARKS - 0.01)
    end = figure.seconds
    axes.set_title("RSS above the start of the load, MB", loc="left", fontsize=13, fontweight="bold", pad=10)
    axes.set_xlim(0, 1.5 * end)
    axes.set_ylim(-0.03 * top, top)
    axes.set_xlabel("seconds of load", loc="left")
    axes.set_xticks(ticks(end))
    rules = [tick for tick in ticks(top) if tick < _BELOW_MARKS * top]
    axes.set_yticks(rules)
    axes.hlines(rules, 0, end, color=_RULE, linewidth=1, zorder=0)
    axes.tick_params(length=0)
    axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_bounds(0, end)
    for mark in figure.marks:
        axes.axvline(mark.seconds, color=_FAINT, linewidth=1, linestyle=(0, (4, 3)))
        for text, side, offset in ((mark.before, "right", -0.012), (mark.after, "left", 0.012)):
            lines = textwrap.fill(text, width=len(text) // 2 + 4)
            axes.text(mark.seconds + offset * end, 0.985 * top, lines, ha=side, va="top")
    places = spread([curve.points[-1][1] for curve in figure.curves], gap=0.055 * top)
    for curve, place in zip(figure.curves, places, strict=True):
        seconds, values = zip(*curve.points, strict=True)
        axes.plot(seconds, values, color=curve.colour, linewidth=curve.width, solid_capstyle="round")
        last = curve.points[-1]
        # right of all curves: one that ends earlier has its label there, too, and not across the axis
        axes.plot((last[0] + 0.014 * end, 1.045 * end), (last[1], place), color=curve.colour, linewidth=1.4)
        axes.plot((1.06 * end,), (place,), marker="s", markersize=8, color=curve.colour)
        axes.text(1.083 * end, place, curve.note, va="center_baseline", fontweight="bold")


def _panel_rows(groups: Groups) -> float:
    return sum(len(bars) + (_HEADING_ROWS if heading else 0) for heading, bars in groups)


def _draw_bars(axes: Axes, groups: Groups, *, title: str) -> None:
    axes.set_title(title, loc="left", fontsize=13, fontweight="bold", pad=7)
    longest = extent(groups)
    row = 0.0
    places: list[float] = []
    labels: list[str] = []
    for heading, bars in groups:
        if heading:
            axes.text(0.01 * longest, row, heading, va="center", fontsize=11.5, style="italic")
            row += _HEADING_ROWS
        for bar in bars:
            value = max(bar.value, 0.004 * longest)
            axes.barh(row, bar.before, color=_RULE, height=0.66)
            axes.barh(row, value, left=bar.before, color=bar.colour, height=0.66)
            axes.text(
                bar.before + value + 0.02 * longest,
                row,
                bar.note,
                va="center_baseline",
                fontsize=12,
                fontweight="bold",
            )
            places.append(row)
            labels.append(bar.label)
            row += 1
    axes.set_yticks(places, labels)
    axes.set_ylim(row - 0.5, -0.5)
    longest_note = max((len(bar.note) for _, bars in groups for bar in bars), default=0)
    axes.set_xlim(0, (1.25 + _NOTE_SHARE * longest_note) * longest)
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.spines["bottom"].set_visible(False)
