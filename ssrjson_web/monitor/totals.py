"""Sums over all requests of a process, in memory that does not grow with their number."""

from __future__ import annotations

import itertools
import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from ssrjson_web._compare import figures as comparisons
from ssrjson_web._core import Recorder
from ssrjson_web.monitor.histogram import Histogram
from ssrjson_web.monitor.outcome import FAILED, OUTCOMES

__all__ = ["CALL_FIGURES", "N_BOUNDS", "OWN_LIBRARY", "Totals", "merged", "summed"]

OWN_LIBRARY = "ssrjson_web"
CALL_FIGURES = ("encode_ns", "encodes", "encoded_bytes", "decode_ns", "decodes", "decoded_bytes")
_QUANTILES = {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99}
_BOUNDS = {
    str(seconds): round(seconds * 1e9)
    for seconds in (
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
        0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
    )
}  # fmt: skip
"""Bounds of durations: in seconds, as Prometheus' label `le` has them, and in nanoseconds."""
_BOUNDS_NS = tuple(_BOUNDS.values())
N_BOUNDS = len(_BOUNDS_NS)

_MAX_WAITING = 128


class Totals:
    """Counters of finished requests; any number of threads may add to them.

    Requests are queued and counted in batches, which is faster than a lock and a histogram for each.
    """

    __slots__ = (
        "_below",
        "_latency",
        "_lock",
        "_recorder",
        "_waiting",
        "body_bytes_in",
        "body_bytes_out",
        "outcomes",
        "total_ns",
    )

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, int, int, str]] = deque()
        self._lock = threading.Lock()
        self._recorder = Recorder()
        self._latency = Histogram()
        self._below = [0] * (
            len(_BOUNDS_NS) + 1
        )  # by the smallest bound that holds the duration; the last entry: above all bounds
        self.outcomes: dict[str, int] = dict.fromkeys(OUTCOMES, 0)
        self.total_ns: int = 0
        self.body_bytes_in: int = 0
        self.body_bytes_out: int = 0

    def add(self, recorder: Recorder, ns: int, bytes_in: int, bytes_out: int, outcome: str) -> None:
        """Count a request; `outcome` is one of `OUTCOMES`."""
        self._recorder.add(recorder)
        waiting = self._waiting
        waiting.append((ns, bytes_in, bytes_out, outcome))
        if len(waiting) >= _MAX_WAITING:
            with self._lock:
                self._count_waiting()

    def _count_waiting(self) -> None:
        waiting = self._waiting
        while waiting:
            ns, bytes_in, bytes_out, outcome = waiting.popleft()
            self.outcomes[outcome] += 1
            self.total_ns += ns
            self.body_bytes_in += bytes_in
            self.body_bytes_out += bytes_out
            self._latency.add(ns)
            self._below[bisect_left(_BOUNDS_NS, ns)] += 1

    def figures(self) -> dict[str, Any]:
        """`requests`, `responses` by outcome, `libraries`, `buckets` and `below` of the latency."""
        with self._lock:
            self._count_waiting()
            responses = dict(self.outcomes)
            requests = {
                "count": sum(responses.values()),
                "failed": sum(responses[outcome] for outcome in FAILED),
                "total_ns": self.total_ns,
                "body_bytes_in": self.body_bytes_in,
                "body_bytes_out": self.body_bytes_out,
            }
            buckets, below = self._latency.counts(), list(self._below)
        libraries = {OWN_LIBRARY: self._recorder, **self._recorder.observed}
        return {
            "requests": requests,
            "responses": responses,
            "libraries": {
                library: {name: getattr(calls, name) for name in CALL_FIGURES} for library, calls in libraries.items()
            },
            "buckets": buckets,
            "below": below,
        }


def merged(figures: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The sum of what `Totals`, `RouteCounts` and `ComparisonRecord` gave in some processes; other keys are dropped."""
    parts = list(figures)
    latency = Histogram()
    below = [0] * (len(_BOUNDS_NS) + 1)
    for part in parts:
        latency.merge(part["buckets"])
        below = [one + other for one, other in zip(below, part["below"], strict=True)]
    return {
        "requests": _added(part["requests"] for part in parts),
        "responses": _added(part["responses"] for part in parts),
        "libraries": _added_by_name(part["libraries"] for part in parts),
        "routes": _added_by_name(part.get("routes", {}) for part in parts),
        "reasons": {route: reason for part in parts for route, reason in part.get("reasons", {}).items()},
        "compared": comparisons.merged(_comparisons(parts)),
        "buckets": latency.counts(),
        "below": below,
    }


def _comparisons(parts: Iterable[Mapping[str, Any]]) -> list[Any]:
    return [part["compared"] for part in parts if "compared" in part]


def _added_by_name(parts: Iterable[Mapping[str, Mapping[str, int]]]) -> dict[str, dict[str, int]]:
    every = list(parts)
    names = dict.fromkeys(name for part in every for name in part)
    return {name: _added(part.get(name, {}) for part in every) for name in names}


def _added(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for part in parts:
        for name, number in part.items():
            sums[name] = sums.get(name, 0) + number
    return sums


def summed(figures: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The sum of what several processes gave, as `merged` has it, with JSON's share of the requests' time.

    `requests` has `json_ns`, `json_share` (json_ns / total_ns; None before any request) and the sums over all
    libraries; `responses` has numbers by outcome, `latency` has quantiles and a cumulative histogram; each of `routes`
    has its `reason`. `compared` is None where nothing is compared with stock.
    """
    parts = list(figures)
    together = merged(parts)
    compared = comparisons.report(_comparisons(parts))
    requests: dict[str, Any] = together["requests"]
    calls = _added(together["libraries"].values())
    json_ns = calls["encode_ns"] + calls["decode_ns"]
    requests |= {**calls, "json_ns": json_ns, "json_share": None}
    if requests["total_ns"]:
        requests["json_share"] = min(1.0, json_ns / requests["total_ns"])
    return {
        "requests": requests,
        "responses": together["responses"],
        "libraries": together["libraries"],
        "routes": {
            route: {**numbers, "reason": together["reasons"].get(route)}
            for route, numbers in together["routes"].items()
        },
        "compared": compared if compared["compared"] or compared["left_out"] else None,
        "latency": _latency_figures(together),
    }


def _latency_figures(together: Mapping[str, Any]) -> dict[str, Any]:
    """Quantiles in nanoseconds, None before any request; `le`: the number of requests up to each bound in seconds."""
    latency = Histogram()
    latency.merge(together["buckets"])
    quantiles = dict(zip(_QUANTILES, latency.quantiles(*_QUANTILES.values()), strict=True))
    counts = itertools.accumulate(together["below"])
    return {**quantiles, "le": dict(zip([*_BOUNDS, "+Inf"], counts, strict=True))}
