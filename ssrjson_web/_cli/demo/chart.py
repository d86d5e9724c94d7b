"""The charts of the HTML page, as inline SVG: text stays text, and light or dark follows the reader."""

from __future__ import annotations

from html import escape

from ssrjson_web._cli.demo import figures
from ssrjson_web._cli.demo.figures import Bars, Curves

__all__ = ["bars_svg", "curves_svg"]

_WIDTH = 900
_HEIGHT = 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 200, 20, 44
_LABEL_GAP = 21
_BARS_WIDTH = 430
_BARS_LEFT, _BARS_RIGHT = 76, 152
_ROW = 30
_HEADING_ROWS = 0.9
_BAR_HEIGHT = 19


def curves_svg(figure: Curves, *, title: str) -> str:
    """RSS above the base over time, one line an engine, each labelled at its end."""
    top = 1.12 * figure.megabytes
    width = _WIDTH - _LEFT - _RIGHT
    height = _HEIGHT - _TOP - _BOTTOM

    def x(seconds: float) -> float:
        return _LEFT + width * seconds / figure.seconds

    def y(value: float) -> float:
        return _TOP + height * (1 - value / top)

    parts = [_open(_WIDTH, _HEIGHT, title)]
    for tick in figures.ticks(top):
        parts.append(f'<line class="rule" x1="{_LEFT}" x2="{_LEFT + width}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>')
        parts.append(_text(_LEFT - 8, y(tick) + 4, f"{tick:g}", anchor="end", css="tick"))
    for tick in figures.ticks(figure.seconds):
        parts.append(_text(x(tick), _HEIGHT - _BOTTOM + 22, f"{tick:g}", anchor="middle", css="tick"))
    parts.append(_text(_LEFT + width, _HEIGHT - 4, "seconds of load", anchor="end", css="tick"))
    if figure.served_once_seconds is not None:
        at = x(figure.served_once_seconds)
        parts.append(f'<line class="mark" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>')
        parts.append(_text(at - 8, _TOP + 8, "each record served once", anchor="end"))
        parts.append(
            _text(at + 8, _TOP + 8, f"all again{': a plateau, not a leak' if figure.is_level else ''}", anchor="start")
        )
    places = figures.spread([y(curve.points[-1][1]) for curve in figure.curves], gap=_LABEL_GAP)
    for curve, place in zip(figure.curves, places, strict=True):
        line = " ".join(f"{x(seconds):.1f},{y(value):.1f}" for seconds, value in curve.points)
        parts.append(
            f'<polyline fill="none" stroke="{curve.colour}" stroke-width="{curve.width}" stroke-linejoin="round" '
            f'stroke-linecap="round" points="{line}"><title>{escape(curve.label)}</title></polyline>'
        )
        end_x, end_y = x(curve.points[-1][0]) + curve.width / 2 + 2, y(curve.points[-1][1])
        parts.append(
            f'<path d="M{end_x:.1f} {end_y:.1f} L{end_x + 16:.1f} {place:.1f}" stroke="{curve.colour}" '
            f'stroke-width="1.4"/><rect x="{end_x + 20:.1f}" y="{place - 5:.1f}" width="10" height="10" '
            f'fill="{curve.colour}"/>'
        )
        parts.append(_text(end_x + 36, place + 5, curve.label, anchor="start", css="strong"))
    return "\n".join([*parts, "</svg>"])


def bars_svg(figure: Bars, *, title: str) -> str:
    """Horizontal bars; what was there before the sweep is pale."""
    scale = (_BARS_WIDTH - _BARS_LEFT - _BARS_RIGHT) / figure.extent
    rows = sum(len(bars) + (_HEADING_ROWS if heading else 0) for heading, bars in figure.groups)
    parts = [_open(_BARS_WIDTH, round(_ROW * rows + 12), title)]
    top = 6.0
    for heading, bars in figure.groups:
        if heading:
            parts.append(_text(0, top + 16, heading, anchor="start", css="group"))
            top += _HEADING_ROWS * _ROW
        for bar in bars:
            before, value = scale * bar.before, max(scale * bar.value, 2.0)
            middle = top + _BAR_HEIGHT / 2 + 5
            parts.append(_text(_BARS_LEFT - 8, middle, bar.label, anchor="end"))
            parts.append(
                f'<rect class="base" x="{_BARS_LEFT}" y="{top:.1f}" width="{before:.1f}" height="{_BAR_HEIGHT}"/>'
            )
            parts.append(
                f'<rect x="{_BARS_LEFT + before:.1f}" y="{top:.1f}" width="{value:.1f}" height="{_BAR_HEIGHT}" '
                f'fill="{bar.colour}"/>'
            )
            parts.append(_text(_BARS_LEFT + before + value + 7, middle, bar.note, anchor="start", css="strong"))
            top += _ROW
    return "\n".join([*parts, "</svg>"])


def _open(width: int, height: int, title: str) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title, quote=True)}" '
        'xmlns="http://www.w3.org/2000/svg">'
    )


def _text(x: float, y: float, text: str, *, anchor: str, css: str = "") -> str:
    of_class = f' class="{css}"' if css else ""
    return f'<text{of_class} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
