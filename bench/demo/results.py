"""What the demo measured: the dataclasses that every report is made from."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import ssrjson_web
from bench.demo.sweep import SweepReport
from bench.kit.machine import cpu_model, installed_versions, python_build, utc_now
from bench.kit.memory_sampler import Sample
from bench.kit.records import MEGABYTE

__all__ = [
    "EngineRun",
    "Environment",
    "Failure",
    "Options",
    "PreloadRun",
    "ProcessMemory",
    "Results",
    "describe_environment",
]

_STILL_SHARE = 0.03
"""Growth below this part of the catalogue is noise: allocator pages, not copies."""

_PACKAGES = ("fastapi", "starlette", "pydantic", "uvicorn", "orjson", "msgspec", "matplotlib")


@dataclass(frozen=True, kw_only=True)
class Options:
    """The demo's options."""

    megabytes: float = 60.0
    seconds: float = 5.0
    """Seconds over which the load on each server is spread; a slower server gets more time."""
    engines: tuple[str, ...] = ("json", "orjson", "msgspec", "pydantic", "ssrjson_web")
    workers: int = 2
    script: str = "mixed"
    seed: int = 1
    port: int = 0
    """0: any free one, for each server."""
    is_live: bool = False
    """Whether servers have a live page, all of them on the port of the first."""
    out: Path = Path("demo-out")
    has_control: bool = True
    has_preload: bool = True


@dataclass(frozen=True, kw_only=True)
class EngineRun:
    """One engine on one server: before, during and after the sweep."""

    engine: str
    script: str
    records: int
    catalogue_bytes: int
    text_bytes: int
    rss_base_bytes: int
    """After the start, a warm-up with other records, and `malloc_trim`."""
    rss_end_bytes: int
    rss_trimmed_bytes: int
    uss_base_bytes: int
    uss_trimmed_bytes: int
    caches: Mapping[str, Any]
    """Cached UTF-8 copies held by the catalogue's strings after the sweep."""
    encode_first_us: float | None
    """Median time from the records to the finished response, for pages served for the first time."""
    encode_again_us: float | None
    sweep: SweepReport
    samples: tuple[Sample, ...]

    @property
    def script_title(self) -> str:
        """`Chinese`, `Mixed`, `ASCII`."""
        return "ASCII" if self.script == "ascii" else self.script.capitalize()

    @property
    def served_twice(self) -> bool:
        """Whether both passes of the load were completed."""
        return len(self.sweep.pass_seconds) == 2

    @property
    def cut_off(self) -> str | None:
        """How much of the load was done before it was cut off; None for a finished run. Only those are evaluated."""
        if self.served_twice:
            return None
        done = f"{self.sweep.served(0, of=self.records):,} of {self.records:,} records"
        if self.sweep.served_all:
            done = f"each record served once, {self.sweep.served(1, of=self.records):,} of {self.records:,} again"
        return f"cut off after {self.sweep.seconds:.0f} s: {done}"

    @property
    def is_still(self) -> bool:
        """Whether the server grew by no more than noise."""
        return self.growth_bytes < _STILL_SHARE * self.catalogue_bytes

    @property
    def is_level(self) -> bool:
        """Whether there was a second pass, and it made it grow by no more than noise."""
        again = self.second_pass_growth_bytes
        return again is not None and again < _STILL_SHARE * self.catalogue_bytes

    @property
    def growth_bytes(self) -> int:
        """RSS after `malloc_trim` minus RSS before the sweep."""
        return self.rss_trimmed_bytes - self.rss_base_bytes

    @property
    def second_pass_growth_bytes(self) -> int | None:
        """RSS growth from the first sample after each record was served once to the end; None without a second pass."""
        if not self.served_twice:
            return None
        after = [sample.rss_bytes for sample in self.samples if sample.seconds >= self.sweep.pass_seconds[0]]
        return after[-1] - after[0] if after else None


@dataclass(frozen=True, kw_only=True)
class ProcessMemory:
    """One process of the preload case, before the sweep and after it and `malloc_trim`."""

    pid: int
    rss_base_bytes: int
    rss_trimmed_bytes: int
    uss_base_bytes: int
    uss_trimmed_bytes: int
    copies_bytes: int | None
    """Cached UTF-8 copies in the catalogue's strings after the sweep; None for the parent, which serves nothing."""

    @property
    def growth_bytes(self) -> int:
        """Memory no longer shared with the parent, and new memory."""
        return self.uss_trimmed_bytes - self.uss_base_bytes


@dataclass(frozen=True, kw_only=True)
class PreloadRun:
    """One engine over one catalogue that a parent process loaded and its forked workers share."""

    engine: str
    script: str
    records: int
    catalogue_bytes: int
    pss_base_bytes: int
    """The memory of the parent and all workers together."""
    pss_trimmed_bytes: int
    parent: ProcessMemory
    workers: tuple[ProcessMemory, ...]
    sweeps: tuple[SweepReport, ...]

    @property
    def worker_growth_bytes(self) -> float:
        """Mean over the workers."""
        return sum(worker.growth_bytes for worker in self.workers) / len(self.workers)

    @property
    def worker_uss_bytes(self) -> float:
        """Mean over the workers, after the sweep."""
        return sum(worker.uss_trimmed_bytes for worker in self.workers) / len(self.workers)

    @property
    def worker_base_bytes(self) -> float:
        """Mean over the workers, before the sweep."""
        return sum(worker.uss_base_bytes for worker in self.workers) / len(self.workers)

    @property
    def worker_copies_bytes(self) -> float:
        """Cached UTF-8 copies in the catalogue's strings, mean over the workers, after the sweep."""
        return sum(worker.copies_bytes or 0 for worker in self.workers) / len(self.workers)

    @property
    def cut_off(self) -> str | None:
        """How much was done, where a worker has not served each record; None for a finished run."""
        if all(sweep.served_all for sweep in self.sweeps):
            return None
        seconds = max(sweep.seconds for sweep in self.sweeps)
        done = " and ".join(f"{sweep.served(0, of=self.records):,}" for sweep in self.sweeps)
        return f"cut off after {seconds:.0f} s: its workers served {done} of {self.records:,} records"


@dataclass(frozen=True, kw_only=True)
class Failure:
    """An engine that gave no result in one part of the demo, and why."""

    engine: str
    part: str
    reason: str
    is_missing: bool = False
    """Not installed, as opposed to failed."""


@dataclass(frozen=True, kw_only=True)
class Environment:
    """The machine and the software."""

    date: str
    command: str
    python: str
    system: str
    cpu: str
    cores: int
    memory_bytes: int
    level: str
    versions: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Results:
    """All data that the reports need."""

    options: Options
    environment: Environment
    runs: tuple[EngineRun, ...]
    control: tuple[EngineRun, ...]
    preload: tuple[PreloadRun, ...]
    failures: tuple[Failure, ...]

    @property
    def finished_runs(self) -> tuple[EngineRun, ...]:
        """The runs that completed their load."""
        return tuple(run for run in self.runs if run.cut_off is None)

    @property
    def finished_control(self) -> tuple[EngineRun, ...]:
        """The runs that completed their load."""
        return tuple(run for run in self.control if run.cut_off is None)

    @property
    def finished_preload(self) -> tuple[PreloadRun, ...]:
        """The preload runs in which every worker served every record."""
        return tuple(run for run in self.preload if run.cut_off is None)

    @property
    def all_served_twice(self) -> bool:
        """Whether there are runs, and none of them was cut off."""
        return bool(self.runs) and self.finished_runs == self.runs

    @property
    def cut_off(self) -> tuple[str, ...]:
        """A line for each run that was cut off: `json (preload): cut off after 40 s: ...`."""
        parts: tuple[tuple[str, tuple[EngineRun, ...] | tuple[PreloadRun, ...]], ...] = (
            ("sweep", self.runs),
            ("ascii control", self.control),
            ("preload", self.preload),
        )
        return tuple(f"{run.engine} ({part}): {run.cut_off}" for part, runs in parts for run in runs if run.cut_off)

    @property
    def is_complete(self) -> bool:
        """Whether every part of every installed engine was completed."""
        return not self.cut_off and all(failure.is_missing for failure in self.failures)

    def as_document(self) -> dict[str, Any]:
        """Every figure, for other programs: bytes and seconds, as in the dataclasses.

        `is_complete` is false for the whole where any part was not completed, and for each run that was not completed.
        The `cut_off` of such a run says what was done, and its figures describe only that part.
        """
        content = asdict(self)
        content["is_complete"] = self.is_complete
        for part in ("runs", "control", "preload"):
            for run, run_fields in zip(getattr(self, part), content[part], strict=True):
                run_fields |= {"is_complete": run.cut_off is None, "cut_off": run.cut_off}
        content["options"]["out"] = str(self.options.out)
        content["units"] = {"megabyte": MEGABYTE}
        return content


def describe_environment(*, command: Sequence[str]) -> Environment:
    """This machine, this Python and the packages under comparison."""
    features = ssrjson_web.get_current_features()
    libc = " ".join(platform.libc_ver()).strip()
    return Environment(
        date=utc_now(),
        command=" ".join(command),
        python=python_build(),
        system=", ".join(
            part for part in (f"{platform.system()} {platform.release()}", platform.machine(), libc) if part
        ),
        cpu=cpu_model(),
        cores=len(os.sched_getaffinity(0)),
        memory_bytes=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        level=features["level"],
        versions={"ssrjson_web": features["version"], **installed_versions(_PACKAGES)},
    )
