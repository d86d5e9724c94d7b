"""The figures of all workers in Prometheus' text format, by `prometheus_client`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["exposition"]

_GAUGES = {
    "rss": "Resident set.",
    "peak": "Largest resident set so far.",
    "after_trim": "Resident set after the last trim.",
    "uss": "Memory that is this process's alone, at the last scan.",
    "pss": "Private memory and the share of what is shared, at the last scan.",
    "malloc_in_use": "Memory that the C allocator has given out.",
    "cgroup_current": "Memory that is charged to the control group.",
    "cgroup_peak": "The most that was charged to the control group.",
    "cache_bytes": "UTF-8 copies in strings under what is watched, at the last scan.",
}
_QUANTILES = {"p50_ns": "0.5", "p90_ns": "0.9", "p99_ns": "0.99"}


def exposition(stats: dict[str, Any]) -> tuple[str, bytes]:
    """The content type, and what `Monitor.stats` gave, each worker's figures labelled with its pid.

    Raises ImportError where prometheus_client is not installed.
    """
    try:
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
    except ImportError as error:
        raise ImportError("metrics are written by prometheus_client: pip install 'ssrjson_web[middleware]'") from error

    class Collector:
        def collect(self) -> Iterator[Any]:
            return _families(stats["workers"])

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Collector())
    return CONTENT_TYPE_LATEST, generate_latest(registry)


def _families(workers: list[dict[str, Any]]) -> Iterator[Any]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    requests = CounterMetricFamily("ssrjson_requests", "Requests.", labels=["pid"])
    failed = CounterMetricFamily("ssrjson_requests_failed", "Requests whose application raised.", labels=["pid"])
    seconds = CounterMetricFamily("ssrjson_request_seconds", "Time that requests took.", labels=["pid"])
    bodies = CounterMetricFamily("ssrjson_body_bytes", "Bytes of bodies.", labels=["pid", "direction"])
    latency = GaugeMetricFamily("ssrjson_latency_seconds", "Quantiles since the start.", labels=["pid", "quantile"])
    labels = ["pid", "library", "direction"]
    json_seconds = CounterMetricFamily("ssrjson_json_seconds", "Time that JSON took in requests.", labels=labels)
    json_calls = CounterMetricFamily("ssrjson_json_calls", "Calls that encoded or decoded.", labels=labels)
    json_bytes = CounterMetricFamily("ssrjson_json_bytes", "Bytes that were encoded or decoded.", labels=labels)
    gauges = {
        name: GaugeMetricFamily(f"ssrjson_{name.removesuffix('_bytes')}_bytes", text, labels=["pid"])
        for name, text in _GAUGES.items()
    }
    for worker in workers:
        pid, figures = str(worker["pid"]), worker["requests"]
        requests.add_metric([pid], figures["count"])
        failed.add_metric([pid], figures["failed"])
        seconds.add_metric([pid], figures["total_ns"] / 1e9)
        for direction in ("in", "out"):
            bodies.add_metric([pid, direction], figures[f"body_bytes_{direction}"])
        for name, quantile in _QUANTILES.items():
            if worker["latency"][name] is not None:
                latency.add_metric([pid, quantile], worker["latency"][name] / 1e9)
        for library, calls in worker["libraries"].items():
            for direction in ("encode", "decode"):
                names = [pid, library, direction]
                json_seconds.add_metric(names, calls[f"{direction}_ns"] / 1e9)
                json_calls.add_metric(names, calls[f"{direction}s"])
                json_bytes.add_metric(names, calls[f"{direction}d_bytes"])
        for name, gauge in gauges.items():
            if worker["memory"][name] is not None:
                gauge.add_metric([pid], worker["memory"][name])
    yield from (requests, failed, seconds, bodies, latency, json_seconds, json_calls, json_bytes)
    yield from gauges.values()
