"""Bar charts with their spread, as inline SVG: text stays text, and colours follow light and dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ssrjson_web._cli.demo.figures import COLOURS as ENGINE_COLOURS
from ssrjson_web._cli.demo.figures import ticks
from ssrjson_web._cli.kit.markup import LOSS_MARK

COLOURS = {
    **ENGINE_COLOURS,
    "ssrjson": "#009e73",
    "ssrjson+cache": "#5fb89c",
    "ujson": "#8d6cab",
}
"""By the names that `python -m bench` has for the libraries."""
_WIDTH = 500
_ROW = 19
_BAR = 11
_BASELINE = 12
_HEADING = 25
_MARK = 24
"""Room for the mark of a loss, to the left of the figures."""
_AXIS = 24
_LEFT_END, _RIGHT_END = 0.8, 2.0
"""Shown in any case."""
_MOST = 64.0
"""Ratios beyond it, or beyond its inverse, end at the edge; their figure stands beside them."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A row: a figure, and from where to where it was seen."""

    label: str
    value: float
    low: float
    high: float
    note: str
    """What stands beside it."""
    colour: str = ""
    """Of a chart of values; ratios have theirs by themselves."""


Groups = Sequence[tuple[str, Sequence[Bar]]]
"""Rows under headings; an empty heading takes no room."""


def ratio_charts(groups: Groups, *, title: str, left: int, right: int) -> list[str]:
    """Two charts of half the rows each, on one scale."""
    total, upper = sum(len(rows) for _, rows in groups), 0
    halves: tuple[list[tuple[str, Sequence[Bar]]], list[tuple[str, Sequence[Bar]]]] = ([], [])
    for heading, rows in groups:
        halves[upper + len(rows) / 2 > total / 2].append((heading, rows))
        upper += len(rows)
    return [
        ratio_chart(half, title=title, left=left, right=right, bounds=ratio_bounds(groups)) for half in halves if half
    ]


def ratio_bounds(groups: Groups) -> tuple[float, float]:
    """The ends of an axis that shows 1 and all of the bars."""
    bars = [bar for _, rows in groups for bar in rows]
    bottom = max(1 / _MOST, min(_LEFT_END, *(min(bar.low, bar.value) for bar in bars)) / 1.05)
    return bottom, min(_MOST, max(_RIGHT_END, *(max(bar.high, bar.value) for bar in bars)) * 1.05)


def ratio_chart(
    groups: Groups, *, title: str, left: int = 150, right: int = 120, bounds: tuple[float, float] | None = None
) -> str:
    """Ratios on a logarithmic axis: to the right of 1 we are faster, to the left someone else."""
    bottom, top = bounds or ratio_bounds(groups)
    width = _WIDTH - left - right

    def x(ratio: float) -> float:
        return left + width * math.log(min(max(ratio, bottom), top) / bottom) / math.log(top / bottom)

    height = _height(groups)
    parts = [_open(height, title)]
    for tick in _ratio_ticks(bottom, top):
        is_even = " even" if tick == 1 else ""
        parts.append(_line(f"rule{is_even}", x(tick), x(tick), 4, height - _AXIS))
        parts.append(_text(x(tick), height - 8, f"{tick:g}", "middle", "tick"))
    y = 4.0
    for heading, rows in groups:
        if heading:
            parts.append(_text(0, y + 16, heading, "start", "group"))
            y += _HEADING
        for bar in rows:
            css = "loss" if bar.value < 1 else "gain"
            start, end = sorted((x(1), x(bar.value)))
            parts.append(_rect(f"bar {css}", start, y, max(end - start, 1)))
            parts.append(_whisker(x(bar.low), x(bar.high), y))
            parts += _labels(bar, y, left, right, "strong loss" if bar.value < 1 else "strong")
            if bar.value < 1:
                parts.append(_text(_WIDTH - right + _MARK - 5, y + _BASELINE, LOSS_MARK, "end", "loss"))
            y += _ROW
    return "".join([*parts, "</svg>"])


def value_chart(groups: Groups, *, title: str, right: int = 130, top: float | None = None) -> str:
    """Values on an axis from 0 to `top`, or as far as they go."""
    left = 110
    top = 1.03 * (top or max([bar.high for _, rows in groups for bar in rows if bar.high > 0], default=1.0))
    width = _WIDTH - left - right

    def x(value: float) -> float:
        return left + width * max(value, 0.0) / top

    height = _height(groups)
    parts = [_open(height, title)]
    for tick in ticks(top, about=4):
        parts.append(_line("rule", x(tick), x(tick), 4, height - _AXIS))
        parts.append(_text(x(tick), height - 8, f"{tick:g}", "middle", "tick"))
    y = 4.0
    for heading, rows in groups:
        if heading:
            parts.append(_text(0, y + 16, heading, "start", "group"))
            y += _HEADING
        for bar in rows:
            parts.append(_rect("bar", left, y, max(x(bar.value) - left, 1), bar.colour))
            parts.append(_whisker(x(bar.low), x(bar.high), y))
            parts += _labels(bar, y, left, right, "strong")
            y += _ROW
    return "".join([*parts, "</svg>"])


def _ratio_ticks(bottom: float, top: float) -> list[float]:
    step = 1 if top / bottom <= 40 else 2
    lowest, highest = math.ceil(math.log2(bottom) / step), math.floor(math.log2(top) / step)
    return [2.0 ** (step * power) for power in range(lowest, highest + 1)]


def _height(groups: Groups) -> int:
    return 4 + sum(len(rows) * _ROW + (_HEADING if heading else 0) for heading, rows in groups) + _AXIS


def _open(height: int, title: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title, quote=True)}" '
        'xmlns="http://www.w3.org/2000/svg">'
    )


def _labels(bar: Bar, y: float, left: int, right: int, css: str) -> list[str]:
    return [
        _text(left - 8, y + _BASELINE, bar.label, "end", "label"),
        _text(_WIDTH - right + _MARK, y + _BASELINE, bar.note, "start", css),
    ]


def _rect(css: str, x: float, y: float, width: float, colour: str = "") -> str:
    fill = f' fill="{colour}"' if colour else ""
    return f'<rect class="{css}" x="{x:.1f}" y="{y + 2:.1f}" width="{width:.1f}" height="{_BAR}"{fill}/>'


def _whisker(low: float, high: float, y: float) -> str:
    middle = y + 2 + _BAR / 2
    return (
        f'<path class="whisker" d="M{low:.1f} {middle:.1f}H{high:.1f}M{low:.1f} {middle - 3:.1f}v6'
        f'M{high:.1f} {middle - 3:.1f}v6"/>'
    )


def _line(css: str, x1: float, x2: float, y1: float, y2: float) -> str:
    return f'<line class="{css}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, content: str, anchor: str, css: str) -> str:
    plain = escape(content.replace("`", ""))
    return f'<text class="{css}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{plain}</text>'
