"""Results that were never measured, for the tests of what is made of results."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ssrjson_web.demo.results import (
    EngineRun,
    Failure,
    Options,
    PreloadRun,
    ProcessMemory,
    Results,
    describe_environment,
)
from ssrjson_web.demo.sampler import Sample
from ssrjson_web.demo.sweep import SweepReport

if TYPE_CHECKING:
    from ssrjson_web._core import CacheReport

MB = 1_000_000


def make_caches(n_bytes: int) -> CacheReport:
    n_cached = 15_000 if n_bytes else 0
    return {
        "bytes": n_bytes,
        "cached_strings": n_cached,
        "strings": 20_000,
        "objects": 25_000,
        "by_holder": {"dict": {"bytes": n_bytes, "cached_strings": n_cached}} if n_bytes else {},
    }


def make_sweep(*, served: int = 100, pages: int = 100, passes: int = 2) -> SweepReport:
    return SweepReport(
        requests=served * passes,
        body_bytes=served * passes * 1000,
        faults=(),
        pages=pages,
        first_pass_pages=served,
        pass_seconds=(1.0, 2.0)[:passes] if served == pages else (),
        seconds=2.0,
    )


def make_run(engine: str, *, growth_mb: float, script: str = "mixed", served: int = 100) -> EngineRun:
    base = 100 * MB
    end = base + round(growth_mb * MB)
    copies = end - base if growth_mb > 1 else 0
    middle = (base + end) // 2
    return EngineRun(
        engine=engine,
        script=script,
        records=2000,
        catalogue_bytes=60 * MB,
        text_bytes=45 * MB,
        rss_base_bytes=base,
        rss_end_bytes=end + 100_000,
        rss_trimmed_bytes=end,
        uss_base_bytes=base - MB,
        uss_trimmed_bytes=end - MB,
        caches=make_caches(copies),
        encode_first_us=300.0 if engine == "json" else 60.5,
        encode_again_us=250.0 if engine == "json" else 50.25,
        sweep=make_sweep(served=served),
        samples=tuple(
            Sample(seconds=seconds, rss_bytes=rss, uss_bytes=None)
            for seconds, rss in ((0.0, base), (0.5, middle), (1.0, end), (1.5, end), (2.0, end))
        ),
    )


def make_process(pid: int, *, growth_bytes: int, copies_bytes: int | None) -> ProcessMemory:
    return ProcessMemory(
        pid=pid,
        rss_base_bytes=90 * MB,
        rss_trimmed_bytes=90 * MB + growth_bytes // 2,
        uss_base_bytes=12 * MB,
        uss_trimmed_bytes=12 * MB + growth_bytes,
        copies_bytes=copies_bytes,
    )


def make_preload(engine: str, *, growth_mb: float) -> PreloadRun:
    copies = 26 * MB if growth_mb > 80 else 0
    workers = tuple(make_process(pid, growth_bytes=round(growth_mb * MB), copies_bytes=copies) for pid in (4001, 4002))
    return PreloadRun(
        engine=engine,
        script="mixed",
        records=2000,
        catalogue_bytes=60 * MB,
        pss_base_bytes=130 * MB,
        pss_trimmed_bytes=130 * MB + round(2 * growth_mb * MB),
        parent=make_process(4000, growth_bytes=0, copies_bytes=None),
        workers=workers,
        sweeps=(make_sweep(passes=1), make_sweep(passes=1)),
    )


@pytest.fixture
def make_results() -> Callable[..., Results]:
    """A maker of results like a whole run's, with any part replaced."""

    def make(
        *,
        runs: tuple[EngineRun, ...] = (
            make_run("json", growth_mb=0.1),
            make_run("orjson", growth_mb=26.5),
            make_run("msgspec", growth_mb=26.4),
            make_run("pydantic", growth_mb=26.3),
            make_run("ssrjson", growth_mb=0.0),
        ),
        control: tuple[EngineRun, ...] = (
            make_run("orjson", growth_mb=0.1, script="ascii"),
            make_run("ssrjson", growth_mb=0.0, script="ascii"),
        ),
        preload: tuple[PreloadRun, ...] = (
            make_preload("json", growth_mb=62.8),
            make_preload("orjson", growth_mb=86.9),
            make_preload("ssrjson", growth_mb=4.9),
        ),
        failures: tuple[Failure, ...] = (),
    ) -> Results:
        return Results(
            options=Options(out=Path("demo-out")),
            environment=describe_environment(command=["python", "-m", "ssrjson_web", "demo"]),
            runs=runs,
            control=control,
            preload=preload,
            failures=failures,
        )

    return make


@pytest.fixture
def unused_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@pytest.fixture
def without_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves the picture out, which takes longer than all other reports."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.fixture
def unpaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a sweep run as fast as the server answers, so that a generous bound costs no time."""
    monkeypatch.setattr("ssrjson_web.demo.sweep._PACED_SHARE", 0.0)
