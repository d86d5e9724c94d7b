"""Figures for Prometheus: what its parser reads, and what its linter would say."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ssrjson_web
from ssrjson_web._core import Recorder
from ssrjson_web.asgi import MemoryMiddleware
from ssrjson_web.monitor.prometheus import exposition

parser = pytest.importorskip("prometheus_client.parser")
openmetrics = pytest.importorskip("prometheus_client.openmetrics.parser")

DURATIONS_NS = (50_000, 100_000, 100_001, 3_000_000, 700_000_000, 90_000_000_000)


@pytest.fixture(scope="module")
def stats() -> dict[str, Any]:
    """Figures of two workers: this process, and another that answered one request more."""
    middleware = MemoryMiddleware(lambda *_: None, enabled=True, token="0123456789abcdef", share=False)  # type: ignore[arg-type, return-value]
    monitor = middleware.monitor
    assert monitor is not None
    recorder = Recorder()
    for n, ns in enumerate(DURATIONS_NS):
        how = ("2xx", "2xx", "4xx", "5xx", "raised", "aborted")[n]
        monitor.totals.add(recorder, ns, 10, 20, how)
    monitor.memory.scan()
    own = monitor.stats()
    monitor.totals.add(recorder, 1, 0, 0, "5xx")
    (other,) = monitor.stats()["workers"]
    return {**own, "workers": [*own["workers"], {**other, "pid": 1, "memory": {**other["memory"], "uss": None}}]}


@pytest.fixture(scope="module")
def families(stats: dict[str, Any]) -> dict[str, Any]:
    text = exposition(stats)[1].decode()
    return {family.name: family for family in parser.text_string_to_metric_families(text)}


def samples(families: dict[str, Any], family: str, name: str, **labels: str) -> list[float]:
    return [
        sample.value
        for sample in families[family].samples
        if sample.name == name and labels.items() <= sample.labels.items()
    ]


def test_requests_are_counted_by_status(families: dict[str, Any]) -> None:
    own = str(os.getpid())
    counted = {
        sample.labels["status"]: sample.value
        for sample in families["ssrjson_requests"].samples
        if sample.labels["pid"] == own
    }
    expected = {"2xx": 2, "4xx": 1, "5xx": 1, "raised": 1, "aborted": 1}
    assert counted == {**dict.fromkeys(("1xx", "3xx", "other"), 0), **expected}
    assert samples(families, "ssrjson_requests", "ssrjson_requests_total", status="5xx", pid="1") == [2]


def test_durations_are_a_histogram_in_seconds(families: dict[str, Any]) -> None:
    family = families["ssrjson_request_duration_seconds"]
    assert family.type == "histogram"
    own = {
        (sample.name.rpartition("_")[2], sample.labels.get("le")): sample.value
        for sample in family.samples
        if sample.labels["pid"] == str(os.getpid())
    }
    assert own["sum", None] == sum(DURATIONS_NS) / 1e9
    assert own["count", None] == own["bucket", "+Inf"] == len(DURATIONS_NS)
    for le, number in ((le, number) for (kind, le), number in own.items() if kind == "bucket"):
        assert le is not None
        assert number == sum(ns <= float(le) * 1e9 for ns in DURATIONS_NS), le
    bounds = [float(le) for kind, le in own if kind == "bucket" and le is not None]
    assert bounds == sorted(bounds)
    assert bounds[0] <= 0.001
    assert 10 <= bounds[-2] < bounds[-1] == math.inf


def test_memory_of_the_control_group_is_told_once_and_of_each_process_by_pid(
    families: dict[str, Any], stats: dict[str, Any]
) -> None:
    for name in ("cgroup_current", "cgroup_peak"):
        told = samples(families, f"ssrjson_{name}_bytes", f"ssrjson_{name}_bytes")
        assert told == ([] if stats["memory"][name] is None else [stats["memory"][name]])
        assert all(not sample.labels for sample in families[f"ssrjson_{name}_bytes"].samples)
    assert len(samples(families, "ssrjson_rss_bytes", "ssrjson_rss_bytes")) == 2
    assert samples(families, "ssrjson_uss_bytes", "ssrjson_uss_bytes", pid="1") == []
    (sample,) = families["ssrjson_workers_memory_bytes"].samples
    total = stats["workers_memory"]
    assert (sample.labels, sample.value) == ({"source": total["source"]}, total["bytes"])


def problems_of(text: str) -> Iterator[str]:
    """What `promtool check metrics` looks at, and the rules of the text format."""
    kinds: dict[str, str] = {}
    seen = set()
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name, _, words = line[7:].partition(" ")
            if not words.strip():
                yield f"{name}: no help"
            continue
        if line.startswith("# TYPE "):
            name, kind = line[7:].split()
            if name in kinds:
                yield f"{name}: declared twice"
            kinds[name] = kind
            continue
        matched = re.fullmatch(r'([a-z_]+)(?:\{((?:[a-z_]+="[^"\\\n]*",?)*)\})? (\S+)', line)
        if matched is None:
            yield f"not a sample: {line}"
            continue
        name, labels, value = matched.groups()
        float(value)
        if (name, labels) in seen:
            yield f"{line}: told twice"
        seen.add((name, labels))
        family = name if name in kinds else re.sub("_(bucket|sum|count)$", "", name)
        kind = kinds.get(family, "undeclared")
        yield from _problems_of_name(name, family, kind, labels or "")


def _problems_of_name(name: str, family: str, kind: str, labels: str) -> Iterator[str]:
    if kind not in ("counter", "gauge", "histogram"):
        yield f"{name}: {kind}"
    if (kind == "counter") != name.endswith("_total"):
        yield f"{name}: a {kind}"
    if kind != "histogram" and re.search(r"_(count|sum|bucket|info)$", name):
        yield f"{name}: an ending of histograms"
    if ('le="' in labels) != (kind == "histogram" and name == f"{family}_bucket"):
        yield f"{name}: le"
    if 'quantile="' in labels:
        yield f"{name}: quantile"
    if re.search(r"(_|^)(ms|ns|us|kb|mb|milliseconds|kilobytes|gauge|counter|histogram)(_|$)", family):
        yield f"{name}: not in base units, or its type in its name"


def test_linter_finds_nothing(stats: dict[str, Any]) -> None:
    assert list(problems_of(exposition(stats)[1].decode())) == []


@pytest.mark.parametrize(
    "text",
    [
        "# HELP a_total \n# TYPE a_total counter\na_total 1",
        "# TYPE a counter\na 1",
        "# TYPE a gauge\na 1\na 1",
        '# TYPE a gauge\na{le="1"} 1',
        '# TYPE a gauge\na{quantile="1"} 1',
        "# TYPE a_ms gauge\na_ms 1",
        "a 1",
    ],
)
def test_linter_finds_what_is_wrong(text: str) -> None:
    assert list(problems_of(text)) != []


def test_text_is_valid_openmetrics_too(stats: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Stricter than the text format: families in one piece, canonical bounds, cumulative buckets, names that clash."""
    from prometheus_client.openmetrics import exposition as of_openmetrics

    monkeypatch.setattr("prometheus_client.generate_latest", of_openmetrics.generate_latest)
    text = exposition(stats)[1].decode()
    found = {family.name: family.type for family in openmetrics.text_string_to_metric_families(text)}
    assert found["ssrjson_request_duration_seconds"] == "histogram"


def test_library_that_was_called_is_a_label() -> None:
    middleware = MemoryMiddleware(_echo, enabled=True, token="0123456789abcdef", share=False)
    assert middleware.monitor is not None
    import asyncio

    async def ignore(_: Any) -> None:
        pass

    async def nothing() -> Any:
        return {"type": "http.request"}

    asyncio.run(middleware({"type": "http", "path": "/", "method": "GET", "headers": []}, nothing, ignore))
    text = exposition(middleware.monitor.stats())[1].decode()
    own = f'pid="{os.getpid()}"'
    assert f'ssrjson_json_bytes_total{{direction="encode",library="ssrjson_web",{own}}} 3.0' in text
    assert f'ssrjson_body_bytes_total{{direction="out",{own}}} 3.0' in text


async def _echo(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": ssrjson_web.dumps_to_bytes([1])})


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs the kernel's smaps_rollup")
def test_memory_of_all_workers_is_proportional(stats: dict[str, Any]) -> None:
    total = stats["workers_memory"]
    assert (total["source"], total["is_upper_bound"]) == ("pss", False)
    assert 0 < total["bytes"] <= stats["memory"]["rss"] * 1.5
