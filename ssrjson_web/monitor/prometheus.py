"""The figures of all workers in Prometheus' text format, by `prometheus_client`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["exposition"]

_PROCESS_GAUGES = {
    "rss": "Resident set.",
    "peak": "Largest resident set so far.",
    "after_trim": "Resident set after the last trim.",
    "uss": "Memory that no other process shares (USS), at the last scan.",
    "pss": "Proportional set size (PSS), at the last scan.",
    "malloc_in_use": "Memory that is allocated by malloc.",
    "cache_bytes": "Cached UTF-8 copies in strings of the watched objects, at the last scan.",
}
_GROUP_GAUGES = {
    "cgroup_current": "Memory charged to the control group, which all workers share.",
    "cgroup_peak": "Largest memory charged to the control group, which all workers share.",
}


def exposition(stats: dict[str, Any]) -> tuple[str, bytes]:
    """The content type and the text of what `Monitor.stats` gave; figures of a worker are labelled with its pid.

    Raises ImportError if prometheus_client is not installed.
    """
    try:
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
    except ImportError as error:
        raise ImportError("metrics need prometheus_client: pip install prometheus_client") from error

    class Collector:
        def collect(self) -> Iterator[Any]:
            yield from _requests(stats["workers"])
            yield from _calls(stats["workers"])
            yield from _routes(stats)
            yield from _compared(stats["workers"])
            yield from _memory(stats)

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Collector())
    return CONTENT_TYPE_LATEST, generate_latest(registry)


def _requests(workers: list[dict[str, Any]]) -> Iterator[Any]:
    from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily

    requests = CounterMetricFamily(
        "ssrjson_requests",
        "Requests by the class of their status; raised: the application raised, aborted: the client left.",
        labels=["pid", "status"],
    )
    durations = HistogramMetricFamily(
        "ssrjson_request_duration_seconds", "Time that requests took, in seconds.", labels=["pid"]
    )
    bodies = CounterMetricFamily("ssrjson_body_bytes", "Bytes of bodies.", labels=["pid", "direction"])
    for worker in workers:
        pid, figures = str(worker["pid"]), worker["requests"]
        for status, number in worker["responses"].items():
            requests.add_metric([pid, status], number)
        durations.add_metric([pid], list(worker["latency"]["le"].items()), figures["total_ns"] / 1e9)
        for direction in ("in", "out"):
            bodies.add_metric([pid, direction], figures[f"body_bytes_{direction}"])
    yield from (requests, durations, bodies)


def _calls(workers: list[dict[str, Any]]) -> Iterator[Any]:
    from prometheus_client.core import CounterMetricFamily

    labels = ["pid", "library", "direction"]
    seconds = CounterMetricFamily("ssrjson_json_seconds", "Time that JSON took in requests.", labels=labels)
    calls = CounterMetricFamily("ssrjson_json_calls", "Calls that encoded or decoded.", labels=labels)
    sizes = CounterMetricFamily("ssrjson_json_bytes", "Bytes that were encoded or decoded.", labels=labels)
    for worker in workers:
        for library, figures in worker["libraries"].items():
            for direction in ("encode", "decode"):
                names = [str(worker["pid"]), library, direction]
                seconds.add_metric(names, figures[f"{direction}_ns"] / 1e9)
                calls.add_metric(names, figures[f"{direction}s"])
                sizes.add_metric(names, figures[f"{direction}d_bytes"])
    yield from (seconds, calls, sizes)


def _routes(stats: dict[str, Any]) -> Iterator[Any]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    if not stats["routes"]:
        return
    values = CounterMetricFamily(
        "ssrjson_route_values",
        "Values of models; way around: they needed no validation, validated: by pydantic.",
        labels=["pid", "route", "value", "way"],
    )
    for worker in stats["workers"]:
        for route, figures in worker["routes"].items():
            for value in ("answers", "bodies"):
                numbers = {way: figures[f"{value}_{way}"] for way in ("around", "validated")}
                for way, number in numbers.items() if any(numbers.values()) else ():
                    values.add_metric([str(worker["pid"]), route, value, way], number)
    reasons = GaugeMetricFamily(
        "ssrjson_route_reason",
        "Why the route's answers are validated, or need not be; always 1.",
        labels=["route", "reason"],
    )
    for route, figures in stats["routes"].items():
        reasons.add_metric([route, figures["reason"] or ""], 1)
    yield from (values, reasons)


def _compared(workers: list[dict[str, Any]]) -> Iterator[Any]:
    from prometheus_client.core import CounterMetricFamily

    known = [worker for worker in workers if worker["compared"] is not None]
    if not known:
        return
    labels = ["pid", "route"]
    requests = CounterMetricFamily(
        "ssrjson_compared_requests", "Requests done by stock and by the core.", labels=labels
    )
    differ = CounterMetricFamily("ssrjson_compared_differ", "Those whose results differ.", labels=labels)
    seconds = CounterMetricFamily(
        "ssrjson_compared_seconds", "CPU time of each way; stock: the framework's.", labels=[*labels, "way"]
    )
    for worker in known:
        for route, figures in worker["compared"]["routes"].items():
            names = [str(worker["pid"]), route]
            requests.add_metric(names, figures["compared"])
            differ.add_metric(names, figures["differ"])
            for way in ("stock", "core"):
                seconds.add_metric([*names, way], figures[f"{way}_ns"] / 1e9)
    yield from (requests, differ, seconds)


def _memory(stats: dict[str, Any]) -> Iterator[Any]:
    from prometheus_client.core import GaugeMetricFamily

    for name, text in _PROCESS_GAUGES.items():
        gauge = GaugeMetricFamily(_gauge(name), text, labels=["pid"])
        for worker in stats["workers"]:
            if worker["memory"][name] is not None:
                gauge.add_metric([str(worker["pid"])], worker["memory"][name])
        yield gauge
    for name, text in _GROUP_GAUGES.items():  # one value: all workers share the control group
        gauge = GaugeMetricFamily(_gauge(name), text)
        if stats["memory"][name] is not None:
            gauge.add_metric([], stats["memory"][name])
        yield gauge
    total = GaugeMetricFamily(
        "ssrjson_workers_memory_bytes",
        "Memory of all workers; source pss: a shared page counts once; rss: sum of resident sets, an upper bound.",
        labels=["source"],
    )
    if stats["workers_memory"]["bytes"] is not None:
        total.add_metric([stats["workers_memory"]["source"]], stats["workers_memory"]["bytes"])
    yield total


def _gauge(name: str) -> str:
    return f"ssrjson_{name.removesuffix('_bytes')}_bytes"
