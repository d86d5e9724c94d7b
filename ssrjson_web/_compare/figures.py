"""What the records of several processes say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["DIFFERENCE", "FIGURES", "MAX_DIFFERENCES", "merged", "report", "summary"]

FIGURES = ("compared", "differ", "stock_ns", "core_ns", "saved_ns")
"""The numbers of a route. `saved_ns`: CPU time that the core saves in all requests, as those that were compared say."""
DIFFERENCE = ("route", "part", "place", "stock", "core")
"""The names of what is known of a difference."""
MAX_DIFFERENCES = 20


def merged(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The sum of what `ComparisonRecord.figures` gave in several processes, without `seconds`."""
    routes: dict[str, dict[str, int]] = {}
    left_out: dict[str, str] = {}
    differences: list[dict[str, str]] = []
    for part in parts:
        left_out |= part["left_out"]
        differences += part["differences"]
        for route, numbers in part["routes"].items():
            sums = routes.setdefault(route, dict.fromkeys(FIGURES, 0))
            for name in FIGURES:
                sums[name] += numbers[name]
    return {"routes": routes, "left_out": left_out, "differences": differences[-MAX_DIFFERENCES:]}


def report(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The sum, with the totals of all routes. `saved_an_hour`: seconds of CPU, of processes that still run, or None."""
    every = list(parts)
    together = merged(every)
    sums = _totals(together["routes"])
    saved = _saved_an_hour(every)
    fast = sums["stock_ns"] / sums["core_ns"] if sums["core_ns"] else None
    figures = {name: sums[name] for name in FIGURES[:-1]} | {"times_as_fast": fast, "saved_an_hour": saved}
    return {**figures, "summary": _sentence(sums, fast, saved), **together}


def summary(figures: Mapping[str, Any]) -> str:
    """What one process has found: "12,400 compared, 0 differ; 2.9 times as fast; 1.1 s of CPU saved an hour"."""
    return str(report([figures])["summary"])


def _totals(routes: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    return {name: sum(numbers[name] for numbers in routes.values()) for name in FIGURES}


def _saved_an_hour(parts: Iterable[Mapping[str, Any]]) -> float | None:
    rates = [_totals(one["routes"])["saved_ns"] / 1e9 / one["seconds"] for one in parts if one.get("seconds")]
    return 3600 * sum(rates) if rates else None


def _sentence(sums: Mapping[str, int], fast: float | None, saved: float | None) -> str:
    parts = [f"{sums['compared']:,} compared, {sums['differ']:,} differ"]
    if fast is not None and saved is not None:
        parts.append(f"{fast:.1f} times as fast")
        parts.append(f"{abs(saved):,.1f} s of CPU {'saved' if saved >= 0 else 'lost'} an hour")
    return "; ".join(parts)
