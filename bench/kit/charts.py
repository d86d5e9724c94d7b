"""Charts as inline SVG: text stays text, and the colours of text and rules follow light and dark."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from bench.kit.markup import LOSS_MARK

__all__ = [
    "COLOURS",
    "Bar",
    "Curve",
    "Groups",
    "LineChart",
    "Mark",
    "extent",
    "ratio_chart",
    "ratio_charts",
    "spread",
    "ticks",
    "value_chart",
]

COLOURS = {
    "json": "#6f7782",
    "orjson": "#d55e00",
    "msgspec": "#e69f00",
    "pydantic": "#b8588f",
    "ssrjson_web": "#0072b2",
    "ssrjson": "#009e73",
    "ssrjson+cache": "#5fb89c",
    "fastsimdjson": "#a0522d",
    "isojson": "#56b4e9",
    "rjson": "#cc79a7",
    "yjson": "#7f3c1d",
    "oxjson": "#3f7f5f",
    "strata": "#c2a25a",
    "blitzjson": "#a6a6a6",
    "drf-oxide": "#5a6b8c",
    "django-bolt": "#b59f3b",
    "jiter": "#9c9a00",
    "ujson": "#8d6cab",
}
"""Colour by library, from Okabe and Ito's palette: distinct with any colour vision, and by lightness in print."""
SERIES_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6f7782")
"""Colours of curves that belong to no library."""

_WIDTH = 500
_ROW = 19
_BAR = 11
_BASELINE = 12
_HEADING = 25
_MARK = 24
"""Width reserved for the mark of a loss, to the left of the figures."""
_AXIS = 24
_LEFT_END, _RIGHT_END = 0.8, 2.0
"""The smallest range of an axis of ratios."""
_MOST = 64.0
"""Bars of ratios above it, or below its inverse, end at the edge; the figure is printed beside them."""
_LINE_WIDTH = 900
_LINE_LEFT, _LINE_RIGHT, _LINE_TOP, _LINE_BOTTOM = 52, 220, 20, 44
_LABEL_GAP = 21
_MARK_ROW = 16


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One row of a bar chart: the base before the run is pale, `value` was added by the run."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    """The range of the rounds; None for a single round."""
    before: float = 0.0
    note: str
    """The text beside it."""
    colour: str = ""
    """The colour in a chart of values; ratios are coloured by gain and loss."""

    @property
    def end(self) -> float:
        """The larger end of the bar and its range."""
        return self.before + max(0.0, self.value, self.high or 0.0)


Groups = Sequence[tuple[str, Sequence[Bar]]]
"""Rows under headings; an empty heading takes no space."""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Values over time; `note` is printed at the end of the curve."""

    name: str
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
class LineChart:
    """Curves on one pair of axes that begin at 0."""

    title: str
    curves: Sequence[Curve]
    marks: Sequence[Mark] = ()
    least_top: float = 1.0
    """The smallest upper end of the axis, so that noise around 0 looks small."""
    height: int = 400

    @property
    def top(self) -> float:
        """The largest value, or `least_top`."""
        return max([self.least_top, *(value for curve in self.curves for _, value in curve.points)])

    @property
    def seconds(self) -> float:
        """The right end of the axis of time."""
        return max([1e-9, *(at for curve in self.curves for at, _ in curve.points)])

    def as_svg(self) -> str:
        """The chart as SVG; a line of text where there are no curves."""
        if not self.curves:
            return '<p class="quiet">no figures</p>'
        top = 1.06 * self.top
        # texts of marks are above the curves and rules, each in a row of its own
        above = _LINE_TOP + _MARK_ROW * sum(not mark.is_low for mark in self.marks)
        width, height = _LINE_WIDTH - _LINE_LEFT - _LINE_RIGHT, self.height - above - _LINE_BOTTOM

        def x(seconds: float) -> float:
            return _LINE_LEFT + width * seconds / self.seconds

        def y(value: float) -> float:
            return above + height * (1 - value / top)

        parts = [_open(_LINE_WIDTH, self.height, self.title)]
        for tick in ticks(top):
            parts.append(_line("rule", _LINE_LEFT, _LINE_LEFT + width, y(tick), y(tick)))
            parts.append(_text(_LINE_LEFT - 8, y(tick) + 4, f"{tick:g}", "end", "tick"))
        for tick in ticks(self.seconds):
            parts.append(_text(x(tick), self.height - _LINE_BOTTOM + 22, f"{tick:g}", "middle", "tick"))
        parts.append(_text(_LINE_LEFT + width, self.height - 4, "seconds of load", "end", "tick"))
        for row, mark in enumerate(self.marks):
            at = x(mark.seconds)
            text_y = above + height - 8 - _MARK_ROW * row if mark.is_low else _LINE_TOP + _MARK_ROW * row
            parts.append(_line("mark", at, at, above if mark.is_low else text_y - 10, above + height))
            parts += [_text(at - 8, text_y, mark.before, "end")] if mark.before else []
            parts += [_text(at + 8, text_y, mark.after, "start")] if mark.after else []
        places = spread([y(curve.points[-1][1]) for curve in self.curves], gap=_LABEL_GAP)
        for curve, place in zip(self.curves, places, strict=True):
            points = [(x(seconds), y(value)) for seconds, value in curve.points]
            parts.append(_curve(curve, points, place, right=_LINE_LEFT + width))
        return "\n".join([*parts, "</svg>"])


def _curve(curve: Curve, points: Sequence[tuple[float, float]], place: float, *, right: float) -> str:
    """The line, and its label at the height `place` with a line that connects the two.

    `right` is the end of the axis: no label is left of it, where rules and other curves are.
    """
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    start_x, end_y = points[-1][0] + curve.width / 2 + 2, points[-1][1]
    end_x = right + curve.width / 2 + 2
    return (
        f'<polyline fill="none" stroke="{curve.colour}" stroke-width="{curve.width}" stroke-linejoin="round" '
        f'stroke-linecap="round" points="{line}"><title>{escape(curve.note)}</title></polyline>'
        f'<path d="M{start_x:.1f} {end_y:.1f} L{end_x + 16:.1f} {place:.1f}" stroke="{curve.colour}" '
        f'stroke-width="1.4"/><rect x="{end_x + 20:.1f}" y="{place - 5:.1f}" width="10" height="10" '
        f'fill="{curve.colour}"/>' + _text(end_x + 36, place + 5, curve.note, "start", "strong")
    )


def ratio_charts(groups: Groups, *, title: str, left: int, right: int) -> list[str]:
    """Two charts of half the rows each, on one scale."""
    total, upper = sum(len(rows) for _, rows in groups), 0
    halves: tuple[list[tuple[str, Sequence[Bar]]], list[tuple[str, Sequence[Bar]]]] = ([], [])
    for heading, rows in groups:
        halves[upper + len(rows) / 2 > total / 2].append((heading, rows))
        upper += len(rows)
    bounds = _ratio_bounds(groups)
    return [ratio_chart(half, title=title, left=left, right=right, bounds=bounds) for half in halves if half]


def ratio_chart(
    groups: Groups, *, title: str, left: int = 150, right: int = 120, bounds: tuple[float, float] | None = None
) -> str:
    """Ratios on a logarithmic axis: to the right of 1 we are faster, to the left another library."""
    bottom, top = bounds or _ratio_bounds(groups)
    width = _WIDTH - left - right

    def x(ratio: float) -> float:
        return left + width * math.log(min(max(ratio, bottom), top) / bottom) / math.log(top / bottom)

    def bar(row: Bar, y: float) -> list[str]:
        is_loss = row.value < 1
        start, end = sorted((x(1), x(row.value)))
        mark = [_text(_WIDTH - right + _MARK - 5, y + _BASELINE, LOSS_MARK, "end", "loss")] if is_loss else []
        return [
            _rect(f"bar {'loss' if is_loss else 'gain'}", start, y, max(end - start, 1)),
            *_whisker(row, x, y),
            *_labels(row, y, left, right, "strong loss" if is_loss else "strong"),
            *mark,
        ]

    height = _height(groups)
    step = 1 if top / bottom <= 40 else 2
    lowest, highest = math.ceil(math.log2(bottom) / step), math.floor(math.log2(top) / step)
    parts = [_open(_WIDTH, height, title)]
    for tick in (2.0 ** (step * power) for power in range(lowest, highest + 1)):
        parts += _tick(tick, x(tick), groups, "rule even" if tick == 1 else "rule")
    for y, row in _rows(groups):
        parts += [_text(0, y + 16, row, "start", "group")] if isinstance(row, str) else bar(row, y)
    return "".join([*parts, "</svg>"])


def value_chart(groups: Groups, *, title: str, right: int = 130, top: float | None = None) -> str:
    """Values on an axis from 0 to `top`, or to the largest value."""
    left = 110
    top = 1.03 * (top or extent(groups))
    width = _WIDTH - left - right

    def x(value: float) -> float:
        return left + width * max(value, 0.0) / top

    height = _height(groups)
    parts = [_open(_WIDTH, height, title)]
    for tick in ticks(top, about=4):
        parts += _tick(tick, x(tick), groups, "rule")
    for y, row in _rows(groups):
        if isinstance(row, str):
            parts.append(_text(0, y + 16, row, "start", "group"))
            continue
        start = x(row.before)
        if row.before:
            parts.append(_rect("base", left, y, start - left))
        parts.append(_rect("bar", start, y, max(x(row.before + row.value) - start, 1), row.colour))
        parts += _whisker(row, x, y)
        parts += _labels(row, y, left, right, "strong")
    return "".join([*parts, "</svg>"])


def extent(groups: Groups) -> float:
    """Where the longest bar ends; 1 where there is none."""
    return max((bar.end for _, bars in groups for bar in bars), default=1.0) or 1.0


def spread(positions: Sequence[float], *, gap: float) -> list[float]:
    """The positions, moved by the least amount that keeps any two of them `gap` apart; in the same order."""
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
    """Round values from 0 to at most `top`, which is positive; there are roughly `about` of them."""
    rough = top / about
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * magnitude for factor in (1, 2, 5, 10) if factor * magnitude >= rough)
    return [step * number for number in range(int(top / step * 1.0001) + 1)]


def _ratio_bounds(groups: Groups) -> tuple[float, float]:
    """The ends of an axis that shows 1 and all bars."""
    values = [value for _, rows in groups for bar in rows for value in (bar.value, bar.low, bar.high) if value]
    bottom = max(1 / _MOST, min(_LEFT_END, *values) / 1.05)
    return bottom, min(_MOST, max(_RIGHT_END, *values) * 1.05)


def _rows(groups: Groups) -> list[tuple[float, str | Bar]]:
    """Headings and bars with their upper edges."""
    y, found = 4.0, list[tuple[float, str | Bar]]()
    for heading, bars in groups:
        if heading:
            found.append((y, heading))
            y += _HEADING
        for bar in bars:
            found.append((y, bar))
            y += _ROW
    return found


def _height(groups: Groups) -> int:
    return 4 + sum(len(rows) * _ROW + (_HEADING if heading else 0) for heading, rows in groups) + _AXIS


def _open(width: int, height: int, title: str) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title, quote=True)}" '
        'xmlns="http://www.w3.org/2000/svg">'
    )


def _tick(value: float, x: float, groups: Groups, css: str) -> list[str]:
    """A rule beside the bars of each group, so that it crosses no heading, and its number below."""
    parts, y = [], 4.0
    for heading, bars in groups:
        y += _HEADING if heading else 0
        if bars:
            parts.append(_line(css, x, x, y, y + _ROW * len(bars)))
        y += _ROW * len(bars)
    return [*parts, _text(x, _height(groups) - 8, f"{value:g}", "middle", "tick")]


def _labels(bar: Bar, y: float, left: int, right: int, css: str) -> list[str]:
    return [
        _text(left - 8, y + _BASELINE, bar.label, "end", "label"),
        _text(_WIDTH - right + _MARK, y + _BASELINE, bar.note, "start", css),
    ]


def _rect(css: str, x: float, y: float, width: float, colour: str = "") -> str:
    fill = f' fill="{colour}"' if colour else ""
    return f'<rect class="{css}" x="{x:.1f}" y="{y + 2:.1f}" width="{width:.1f}" height="{_BAR}"{fill}/>'


def _whisker(bar: Bar, x: Callable[[float], float], y: float) -> list[str]:
    """The range of a bar, where it has one."""
    if bar.low is None or bar.high is None or bar.low == bar.high:
        return []
    low, high, middle = x(bar.before + bar.low), x(bar.before + bar.high), y + 2 + _BAR / 2
    return [
        f'<path class="whisker" d="M{low:.1f} {middle:.1f}H{high:.1f}M{low:.1f} {middle - 3:.1f}v6'
        f'M{high:.1f} {middle - 3:.1f}v6"/>'
    ]


def _line(css: str, x1: float, x2: float, y1: float, y2: float) -> str:
    return f'<line class="{css}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, content: str, anchor: str, css: str = "label") -> str:
    plain = escape(content.replace("`", ""))
    return f'<text class="{css}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{plain}</text>'
