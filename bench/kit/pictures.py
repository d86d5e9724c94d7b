"""Pictures of curves and bars, drawn by matplotlib."""

from __future__ import annotations

import base64
import io
import itertools
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLOURS", "Bar", "Bars", "Curve", "Curves", "Mark", "Picture", "draw", "spread", "ticks"]

COLOURS = {
    "json": "#6f7782",
    "stock": "#6f7782",
    "orjson": "#d55e00",
    "msgspec": "#e69f00",
    "pydantic": "#b8588f",
    "ssrjson_web": "#0072b2",
}
"""Colour by engine, from Okabe and Ito's palette: distinct with any colour vision, and by lightness in print."""
SERIES_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6f7782")
"""Colours of curves that belong to no engine."""

_INK, _FAINT, _RULE = "#1f2933", "#8a94a0", "#dfe4ea"
_WIDTH, _PANEL_HEIGHT, _MARGIN_HEIGHT = 12.8, 3.6, 1.9
_FOOTNOTE_CHARS = 190
_HEADING_ROWS = 0.9
_NOTE_SHARE = 0.038
"""The width of a character of a note, in lengths of the longest bar."""
_TITLE_SIZE = 1440.0
"""The font size of a title is this number divided by its length."""
_BELOW_MARKS = 0.89
"""The share of the height that rules and curves take; the texts of marks are above."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One row of bars: what was there before is pale, `value` was added."""

    label: str
    value: float
    before: float = 0.0
    note: str
    """The text beside it."""


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Rows under headings; an empty heading takes no space."""

    title: str
    groups: Sequence[tuple[str, Sequence[Bar]]]

    @property
    def n_rows(self) -> float:
        return sum(len(bars) + (_HEADING_ROWS if heading else 0) for heading, bars in self.groups)


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Values over time; `note` is printed at the end of the curve."""

    points: Sequence[tuple[float, float]]
    note: str
    colour: str
    width: float = 2.5


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A moment, and the text to its left and to its right."""

    seconds: float
    before: str = ""
    after: str = ""
    is_low: bool = False
    """Whether the text is at the bottom, for curves that are near the top."""


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Curves on one pair of axes that begin at 0."""

    title: str
    curves: Sequence[Curve]
    marks: Sequence[Mark] = ()


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A PNG under its title."""

    title: str
    caption: str
    png: str
    """In base64."""

    @property
    def data(self) -> bytes:
        return base64.b64decode(self.png)


def draw(
    left: Sequence[Curves], right: Sequence[Bars] = (), *, title: str, caption: str = "", footnote: str = ""
) -> Picture:
    """Panels with curves below each other, and beside them those with bars. Raises ImportError without matplotlib."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    style: dict[Any, Any] = {
        **{"font.family": "DejaVu Sans", "font.size": 12.5, "text.color": _INK, "axes.labelcolor": _INK},
        **{"axes.edgecolor": _FAINT, "xtick.color": _INK, "ytick.color": _INK},
        **{"axes.spines.top": False, "axes.spines.right": False},
    }
    height = max(7.0 if right else 0.0, _PANEL_HEIGHT * len(left)) + _MARGIN_HEIGHT
    with plt.rc_context(style):
        figure = plt.figure(figsize=(_WIDTH, height), dpi=110, facecolor="white")
        size = min(16.5, _TITLE_SIZE / max(1, len(title)))
        figure.text(0.02, 1 - 0.4 / height, title, fontsize=size, fontweight="bold")
        figure.text(0.02, 1 - 0.72 / height, caption, fontsize=13)
        figure.text(0.02, 0.1 / height, textwrap.fill(footnote, _FOOTNOTE_CHARS), fontsize=9, color=_FAINT)
        outer = figure.add_gridspec(
            1,
            2 if right else 1,
            width_ratios=(1.66, 1) if right else None,
            **{"left": 0.045, "right": 0.985, "top": 1 - 1.27 / height, "bottom": 0.86 / height, "wspace": 0.31},
        )
        cells = outer[0].subgridspec(max(1, len(left)), 1, hspace=0.5)
        for place, curves in enumerate(left):
            _draw_curves(figure.add_subplot(cells[place]), curves)
        if right:
            cells = outer[1].subgridspec(len(right), 1, height_ratios=[bars.n_rows for bars in right], hspace=0.4)
        for place, bars in enumerate(right):
            _draw_bars(figure.add_subplot(cells[place]), bars)
        written = io.BytesIO()
        figure.savefig(written, format="png")
        plt.close(figure)
    return Picture(title=title, caption=caption, png=base64.b64encode(written.getvalue()).decode())


def _draw_curves(axes: Axes, panel: Curves) -> None:
    curves = [curve for curve in panel.curves if curve.points]
    top = max([1.0, *(value for curve in curves for _, value in curve.points)]) / (_BELOW_MARKS - 0.01)
    end = max([1e-9, *(at for curve in curves for at, _ in curve.points)])
    axes.set_title(panel.title, loc="left", fontsize=13, fontweight="bold", pad=10)
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
    for row, mark in enumerate(panel.marks):
        axes.axvline(mark.seconds, color=_FAINT, linewidth=1, linestyle=(0, (4, 3)))
        for text, side, offset in ((mark.before, "right", -0.012), (mark.after, "left", 0.012)):
            if mark.is_low:  # each text in a row of its own
                axes.text(mark.seconds + offset * end, (0.02 + 0.1 * row) * top, text, ha=side, va="bottom")
            else:
                lines = textwrap.fill(text, width=len(text) // 2 + 4)
                axes.text(mark.seconds + offset * end, 0.985 * top, lines, ha=side, va="top")
    places = spread([curve.points[-1][1] for curve in curves], gap=0.055 * top)
    for curve, place in zip(curves, places, strict=True):
        seconds, values = zip(*curve.points, strict=True)
        axes.plot(seconds, values, color=curve.colour, linewidth=curve.width, solid_capstyle="round")
        last = curve.points[-1]
        # right of all curves: one that ends earlier has its label there, too, and not across the axis
        axes.plot((last[0] + 0.014 * end, 1.045 * end), (last[1], place), color=curve.colour, linewidth=1.4)
        axes.plot((1.06 * end,), (place,), marker="s", markersize=8, color=curve.colour)
        axes.text(1.083 * end, place, curve.note, va="center_baseline", fontweight="bold")


def _draw_bars(axes: Axes, panel: Bars) -> None:
    axes.set_title(panel.title, loc="left", fontsize=13, fontweight="bold", pad=7)
    everything = [bar for _, bars in panel.groups for bar in bars]
    longest = max((bar.before + max(0.0, bar.value) for bar in everything), default=1.0) or 1.0
    row = 0.0
    places: list[float] = []
    for heading, bars in panel.groups:
        if heading:
            axes.text(0.01 * longest, row, heading, va="center", fontsize=11.5, style="italic")
            row += _HEADING_ROWS
        for bar in bars:
            value = max(bar.value, 0.004 * longest)
            axes.barh(row, bar.before, color=_RULE, height=0.66)
            axes.barh(row, value, left=bar.before, color=COLOURS[bar.label], height=0.66)
            end = bar.before + value + 0.02 * longest
            axes.text(end, row, bar.note, va="center_baseline", fontsize=12, fontweight="bold")
            places.append(row)
            row += 1
    axes.set_yticks(places, [bar.label for bar in everything])
    axes.set_ylim(row - 0.5, -0.5)
    axes.set_xlim(0, (1.25 + _NOTE_SHARE * max((len(bar.note) for bar in everything), default=0)) * longest)
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.spines["bottom"].set_visible(False)


def spread(positions: Sequence[float], *, gap: float) -> list[float]:
    """The positions, moved by little, so that any two of them are `gap` apart; in the same order."""
    moved = list(positions)
    order = sorted(range(len(moved)), key=moved.__getitem__)
    for _ in range(100):  # each pass moves neighbours that are too close apart by half of what is missing
        close = [(low, high) for low, high in itertools.pairwise(order) if moved[high] - moved[low] < gap]
        for low, high in close:
            missing = gap - (moved[high] - moved[low])
            moved[low] -= missing / 2
            moved[high] += missing / 2
    return moved


def ticks(top: float, *, about: int = 6) -> list[float]:
    """Round values from 0 to at most `top`, which is positive; there are roughly `about` of them."""
    rough = top / about
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * magnitude for factor in (1, 2, 5, 10) if factor * magnitude >= rough)
    return [step * number for number in range(int(top / step * 1.0001) + 1)]
