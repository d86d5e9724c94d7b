"""Curves over time as inline SVG, for the live page and for the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from bench.load.samples import Sample, WorkerSample
from ssrjson_web._cli.demo.figures import spread, ticks

Points = Sequence[tuple[float, float]]

STYLE = """
:root { color-scheme: light dark; --ink: #1f2933; --quiet: #5b6673; --rule: #dfe4ea; --paper: #ffffff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e9ee; --quiet: #9aa6b2; --rule: #343d47; --paper: #14191f; }
}
body { margin: 0; background: var(--paper); color: var(--ink); }
body { font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 960px; margin: 0 auto; padding: 32px 24px 48px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 8px; }
h2 { font-size: 18px; margin: 36px 0 4px; }
p { margin: 0 0 10px; }
.quiet { color: var(--quiet); font-size: 14px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 8px; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { font-weight: 600; color: var(--quiet); }
th:first-child, td:first-child { text-align: left; }
table.plain td { white-space: normal; text-align: left; vertical-align: top; }
table.plain td:first-child { color: var(--quiet); width: 9em; }
svg { display: block; width: 100%; height: auto; font-size: 13px; }
svg text { fill: var(--ink); }
svg .tick { fill: var(--quiet); }
svg .rule { stroke: var(--rule); }
svg .mark { stroke: var(--quiet); stroke-dasharray: 4 3; }
.warning { border-left: 4px solid #d55e00; padding-left: 12px; font-weight: 600; }
"""

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6f7782")
"""After Okabe and Ito: told apart with any colour vision."""
_PHASES = {"after": "after the load", "trimmed": "after malloc_trim"}
_WIDTH, _HEIGHT = 900, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 170, 12, 34
_LABEL_GAP = 18


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Curves on one pair of axes, from 0 on both; each is labelled at its end."""

    title: str
    curves: Mapping[str, Points]
    least_top: float = 1.0
    """The upper end of the axis is not below it, so that noise around 0 stays small."""
    marks: Mapping[str, float] = field(default_factory=dict)
    """Moments: what happened, and after how many seconds."""

    def as_svg(self) -> str:
        """The drawing; a line of text where there is nothing to draw."""
        curves = {label: points for label, points in self.curves.items() if points}
        if not curves:
            return '<p class="quiet">no figures</p>'
        top = 1.1 * max(self.least_top, *(value for points in curves.values() for _, value in points))
        end = max(1.0, *(at for points in curves.values() for at, _ in points))
        width, height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

        def x(seconds: float) -> float:
            return _LEFT + width * seconds / end

        def y(value: float) -> float:
            return _TOP + height * (1 - value / top)

        parts = [
            f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(self.title, quote=True)}" '
            'xmlns="http://www.w3.org/2000/svg">'
        ]
        for tick in ticks(top):
            parts.append(f'<path class="rule" d="M{_LEFT} {y(tick):.1f}H{_LEFT + width}"/>')
            parts.append(_text(_LEFT - 8, y(tick) + 4, f"{tick:g}", "end"))
        for tick in ticks(end):
            parts.append(_text(x(tick), _HEIGHT - _BOTTOM + 18, f"{tick:g}", "middle"))
        parts.append(_text(_LEFT + width, _HEIGHT - 2, "seconds", "end"))
        for row, (what, at) in enumerate(self.marks.items()):
            parts.append(f'<path class="mark" d="M{x(at):.1f} {_TOP}V{_TOP + height}"/>')
            parts.append(_text(x(at) - 5, _TOP + height - 8 - 16 * row, what, "end"))
        places = spread([y(points[-1][1]) for points in curves.values()], gap=_LABEL_GAP)
        for number, ((label, points), place) in enumerate(zip(curves.items(), places, strict=True)):
            colour = _COLOURS[number % len(_COLOURS)]
            line = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in points)
            parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2.5" points="{line}"/>')
            at = x(points[-1][0]) + 8
            parts.append(f'<rect x="{at:.1f}" y="{place - 5:.1f}" width="9" height="9" fill="{colour}"/>')
            parts.append(_text(at + 14, place + 4, f"{label}: {points[-1][1]:.1f}", "start", css="label"))
        return "\n".join([*parts, "</svg>"])


def worker_charts(samples: Sequence[Sample]) -> list[Chart]:
    """RSS, copies and, where it is known, JSON's share of each worker; when the load ended, and memory was trimmed."""

    def of_each(figure: Callable[[WorkerSample], float | None], unit: float) -> dict[str, Points]:
        curves: dict[str, list[tuple[float, float]]] = {}
        for sample in samples:
            for worker in sample.workers:
                value = figure(worker)
                if value is not None:
                    curves.setdefault(f"pid {worker.pid}", []).append((sample.seconds, unit * value))
        return dict(curves)

    moments = {sample.phase: sample.seconds for sample in samples}
    marks = {what: moments[phase] for phase, what in _PHASES.items() if phase in moments}
    charts = [
        Chart(title="RSS, MB", curves=of_each(lambda worker: worker.rss_bytes, 1e-6), marks=marks),
        Chart(title="UTF-8 copies, MB", curves=of_each(lambda worker: worker.cache_bytes, 1e-6)),
    ]
    json_shares = of_each(lambda worker: worker.json_share, 100.0)
    if json_shares:
        charts.append(Chart(title="JSON's share of request time, %", curves=json_shares))
    return charts


def as_html(charts: Sequence[Chart]) -> str:
    """The charts under their titles."""
    return "\n".join(f"<h2>{escape(chart.title)}</h2>\n{chart.as_svg()}" for chart in charts)


def _text(x: float, y: float, text: str, anchor: str, *, css: str = "tick") -> str:
    return f'<text class="{css}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
