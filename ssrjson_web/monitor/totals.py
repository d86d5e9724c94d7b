"""What all requests of a process cost together, in memory that does not grow with their number."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from ssrjson_web._core import Recorder
from ssrjson_web.monitor.histogram import Histogram

__all__ = ["OWN_LIBRARY", "Totals", "latency_figures", "summed"]

OWN_LIBRARY = "ssrjson_web"
_CALL_FIGURES = ("encode_ns", "encodes", "encoded_bytes", "decode_ns", "decodes", "decoded_bytes")
_QUANTILES = {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99}


_MOST_WAITING = 128


class Totals:
    """Counters of finished requests; any number of threads may add to them.

    Requests wait to be counted many at once, which takes less time than a lock and a histogram for each.
    """

    __slots__ = (
        "_latency",
        "_lock",
        "_recorder",
        "_waiting",
        "body_bytes_in",
        "body_bytes_out",
        "count",
        "failed",
        "total_ns",
    )

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, int, int, bool]] = deque()
        self._lock = threading.Lock()
        self._recorder = Recorder()
        self._latency = Histogram()
        self.count = 0
        self.failed = 0
        self.total_ns = 0
        self.body_bytes_in = 0
        self.body_bytes_out = 0

    def add(self, recorder: Recorder, ns: int, bytes_in: int, bytes_out: int, is_failed: bool) -> None:
        """Count a request; `is_failed` where the application raised."""
        self._recorder.add(recorder)
        waiting = self._waiting
        waiting.append((ns, bytes_in, bytes_out, is_failed))
        if len(waiting) >= _MOST_WAITING:
            with self._lock:
                self._count_waiting()

    def _count_waiting(self) -> None:
        waiting = self._waiting
        while waiting:
            ns, bytes_in, bytes_out, is_failed = waiting.popleft()
            self.count += 1
            self.failed += is_failed
            self.total_ns += ns
            self.body_bytes_in += bytes_in
            self.body_bytes_out += bytes_out
            self._latency.add(ns)

    def figures(self) -> dict[str, Any]:
        """`requests`, `libraries`, and `buckets` of the latency."""
        with self._lock:
            self._count_waiting()
            requests = {
                "count": self.count,
                "failed": self.failed,
                "total_ns": self.total_ns,
                "body_bytes_in": self.body_bytes_in,
                "body_bytes_out": self.body_bytes_out,
            }
            buckets = self._latency.counts()
        libraries = {OWN_LIBRARY: self._recorder, **self._recorder.observed}
        return {
            "requests": requests,
            "libraries": {
                library: {name: getattr(calls, name) for name in _CALL_FIGURES} for library, calls in libraries.items()
            },
            "buckets": buckets,
        }


def latency_figures(histograms: Iterable[Iterable[tuple[int, int]]]) -> dict[str, int | None]:
    """Quantiles of all durations together, in nanoseconds; None before any."""
    together = Histogram()
    for counts in histograms:
        together.merge(counts)
    return dict(zip(_QUANTILES, together.quantiles(*_QUANTILES.values()), strict=True))


def _added(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for part in parts:
        for name, number in part.items():
            sums[name] = sums.get(name, 0) + number
    return sums


def summed(figures: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What `Totals.figures` of several processes make together, with JSON's part of the requests' time.

    `requests` has `json_ns`, `json_share` (of total_ns; None before any request) and the calls of all libraries added;
    `latency` is quantiles.
    """
    parts = list(figures)
    names = dict.fromkeys(name for part in parts for name in part["libraries"])
    libraries = {name: _added(part["libraries"].get(name, {}) for part in parts) for name in names}
    requests: dict[str, Any] = _added(part["requests"] for part in parts)
    calls = _added(libraries.values())
    json_ns = calls["encode_ns"] + calls["decode_ns"]
    requests |= {**calls, "json_ns": json_ns, "json_share": None}
    if requests["total_ns"]:
        requests["json_share"] = min(1.0, json_ns / requests["total_ns"])
    return {
        "requests": requests,
        "libraries": libraries,
        "latency": latency_figures(part["buckets"] for part in parts),
    }
