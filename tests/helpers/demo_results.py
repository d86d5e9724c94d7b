"""Results that were never measured: the parts of which tests make those of a whole run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.demo.results import ProcessMemory, Run
from bench.demo.sweep import SweepReport
from bench.kit.memory_sampler import Sample

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


def make_sweep(*, served: int = 100, again: int = 100, pages: int = 100, passes: int = 2) -> SweepReport:
    """A sweep over `pages` pages of 20 records: `served` of them in the first pass, `again` in the second."""
    counts = (served, again)[:passes] if served == pages else (served,)
    return SweepReport(
        requests=sum(counts),
        body_bytes=sum(counts) * 1000,
        faults=(),
        pages=pages,
        first_pass_pages=served,
        pass_seconds=tuple(1.0 + number for number, count in enumerate(counts) if count == pages),
        seconds=40.0,
        pass_records=tuple(20 * count for count in counts),
    )


def make_run(
    engine: str,
    *,
    growth_mb: float,
    script: str = "mixed",
    served: int = 100,
    again: int = 100,
    copies_mb: float | None = None,
    again_mb: float = 0.0,
    encode_us: tuple[float, float] | None = None,
) -> Run:
    """A run that grew by `growth_mb`, `again_mb` of it in the second pass."""
    base = 100 * MB
    end = base + round(growth_mb * MB)
    copies = (end - base if growth_mb > 1 else 0) if copies_mb is None else round(copies_mb * MB)
    once = end - round(again_mb * MB)
    first_us, again_us = encode_us or ((300.0, 250.0) if engine == "json" else (60.5, 50.25))
    middle = (base + end) // 2
    return Run(
        engine=engine,
        script=script,
        records=2000,
        catalogue_bytes=60 * MB,
        text_bytes=45 * MB,
        processes=(
            ProcessMemory(
                pid=4000,
                rss_base_bytes=base,
                rss_end_bytes=end + 100_000,
                rss_trimmed_bytes=end,
                uss_base_bytes=base - MB,
                uss_trimmed_bytes=end - MB,
                caches=make_caches(copies),
            ),
        ),
        pss_base_bytes=base,
        pss_trimmed_bytes=end,
        encode_first_us=first_us,
        encode_again_us=again_us,
        passes=2,
        sweeps=(make_sweep(served=served, again=again),),
        samples=tuple(
            Sample(seconds=seconds, rss_bytes=rss)
            for seconds, rss in ((0.0, base), (0.5, middle), (1.0, once), (1.5, end), (2.0, end))
        ),
    )


def make_process(pid: int, *, growth_bytes: int, copies_bytes: int | None) -> ProcessMemory:
    return ProcessMemory(
        pid=pid,
        rss_base_bytes=90 * MB,
        rss_end_bytes=90 * MB + growth_bytes,
        rss_trimmed_bytes=90 * MB + growth_bytes // 2,
        uss_base_bytes=12 * MB,
        uss_trimmed_bytes=12 * MB + growth_bytes,
        caches=None if copies_bytes is None else make_caches(copies_bytes),
    )


def make_preload(engine: str, *, growth_mb: float, served: tuple[int, int] = (100, 100)) -> Run:
    copies = 26 * MB if growth_mb > 80 else 0
    workers = (make_process(pid, growth_bytes=round(growth_mb * MB), copies_bytes=copies) for pid in (4001, 4002))
    return Run(
        engine=engine,
        script="mixed",
        records=2000,
        catalogue_bytes=60 * MB,
        text_bytes=45 * MB,
        processes=(make_process(4000, growth_bytes=0, copies_bytes=None), *workers),
        pss_base_bytes=130 * MB,
        pss_trimmed_bytes=130 * MB + round(2 * growth_mb * MB),
        encode_first_us=None,
        encode_again_us=None,
        passes=1,
        sweeps=tuple(make_sweep(passes=1, served=each) for each in served),
        samples=(),
    )
