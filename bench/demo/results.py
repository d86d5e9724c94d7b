"""What the demo measured: the dataclasses that every report is made from."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.demo.sweep import SweepReport
from bench.kit.machine import describe_machine, installed_versions
from bench.kit.memory_sampler import Sample
from bench.kit.records import MEGABYTE
from bench.source_tree import ROOT

__all__ = [
    "Failure",
    "Options",
    "ProcessMemory",
    "Results",
    "Run",
    "describe_demo_machine",
    "package_versions",
]

_STILL_SHARE = 0.03
"""Growth below this part of the catalogue is noise: allocator pages, not copies."""

_PACKAGES = ("ssrjson_web", "fastapi", "starlette", "pydantic", "uvicorn", "orjson", "msgspec", "matplotlib")


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
    out: Path = Path("demo-out")
    has_control: bool = True
    has_preload: bool = True


@dataclass(frozen=True, kw_only=True)
class ProcessMemory:
    """One process of a server: before the sweep, after it, and after `malloc_trim`."""

    pid: int
    rss_base_bytes: int
    """After the start, a warm-up with other records, and `malloc_trim`."""
    rss_end_bytes: int
    rss_trimmed_bytes: int
    uss_base_bytes: int
    uss_trimmed_bytes: int
    caches: Mapping[str, Any] | None
    """Cached UTF-8 copies in the catalogue's strings after the sweep; None for a parent, which serves nothing."""

    @property
    def growth_bytes(self) -> int:
        """New memory, and memory that is no longer shared with the parent."""
        return self.uss_trimmed_bytes - self.uss_base_bytes

    @property
    def copies_bytes(self) -> int:
        """Of the cached UTF-8 copies."""
        return self.caches["bytes"] if self.caches else 0


@dataclass(frozen=True, kw_only=True)
class Run:
    """One engine: on a server of one process, or on workers that were forked over one catalogue."""

    engine: str
    script: str
    records: int
    catalogue_bytes: int
    text_bytes: int
    processes: tuple[ProcessMemory, ...]
    """The server; or the parent, then its workers."""
    pss_base_bytes: int
    """The memory of all processes together."""
    pss_trimmed_bytes: int
    encode_first_us: float | None
    """Median time from the records to the finished response, for pages served for the first time."""
    encode_again_us: float | None
    passes: int
    """How often each worker has to serve each record."""
    sweeps: tuple[SweepReport, ...]
    """Of each worker."""
    samples: tuple[Sample, ...]
    """Of the first process."""

    @property
    def server(self) -> ProcessMemory:
        """The server, or the parent."""
        return self.processes[0]

    @property
    def workers(self) -> tuple[ProcessMemory, ...]:
        """The processes that serve."""
        return self.processes[1:] or self.processes

    @property
    def script_title(self) -> str:
        """`Chinese`, `Mixed`, `ASCII`."""
        return "ASCII" if self.script == "ascii" else self.script.capitalize()

    @property
    def cut_off(self) -> str | None:
        """How much of the load was done before it was cut off; None for a finished run. Only those are evaluated."""
        if all(len(sweep.pass_seconds) == self.passes for sweep in self.sweeps):
            return None
        seconds = max(sweep.seconds for sweep in self.sweeps)
        served = [f"{sweep.served(0, of=self.records):,}" for sweep in self.sweeps]
        done = f"{served[0]} of {self.records:,} records"
        if len(self.sweeps) > 1:
            done = f"its workers served {' and '.join(served)} of {self.records:,} records"
        elif self.sweeps[0].served_all:
            done = f"each record served once, {self.sweeps[0].served(1, of=self.records):,} of {self.records:,} again"
        return f"cut off after {seconds:.0f} s: {done}"

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
        return self.server.rss_trimmed_bytes - self.server.rss_base_bytes

    @property
    def second_pass_growth_bytes(self) -> int | None:
        """RSS growth from the first sample after each record was served once to the end; None without a second pass."""
        ended = self.sweeps[0].pass_seconds
        after = [sample.rss_bytes for sample in self.samples if len(ended) == 2 and sample.seconds >= ended[0]]
        return after[-1] - after[0] if after else None

    def mean_of_workers(self, figure: Callable[[ProcessMemory], float]) -> float:
        """The mean of a figure over the workers."""
        return sum(map(figure, self.workers)) / len(self.workers)


@dataclass(frozen=True, kw_only=True)
class Failure:
    """An engine that gave no result in one part of the demo, and why."""

    engine: str
    part: str
    reason: str
    is_missing: bool = False
    """Not installed, as opposed to failed."""


@dataclass(frozen=True, kw_only=True)
class Results:
    """All data that the reports need."""

    options: Options
    machine: Mapping[str, str]
    versions: Mapping[str, str]
    """Of the packages under comparison that are installed."""
    runs: tuple[Run, ...]
    control: tuple[Run, ...]
    preload: tuple[Run, ...]
    failures: tuple[Failure, ...]

    @property
    def finished_runs(self) -> tuple[Run, ...]:
        """The runs that completed their load."""
        return _finished(self.runs)

    @property
    def finished_control(self) -> tuple[Run, ...]:
        """Those of the control that completed their load."""
        return _finished(self.control)

    @property
    def finished_preload(self) -> tuple[Run, ...]:
        """The preload runs in which every worker served every record."""
        return _finished(self.preload)

    @property
    def all_served_twice(self) -> bool:
        """Whether there are runs, and none of them was cut off."""
        return bool(self.runs) and self.finished_runs == self.runs

    @property
    def cut_off(self) -> tuple[str, ...]:
        """A line for each run that was cut off: `json (preload): cut off after 40 s: ...`."""
        parts = (("sweep", self.runs), ("ascii control", self.control), ("preload", self.preload))
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


def _finished(runs: Sequence[Run]) -> tuple[Run, ...]:
    return tuple(run for run in runs if run.cut_off is None)


def package_versions() -> dict[str, str]:
    """Of the packages under comparison that are installed."""
    return installed_versions(_PACKAGES)


def describe_demo_machine(*, command: Sequence[str]) -> dict[str, str]:
    """The machine, with what memory depends on, and the command."""
    libc = " ".join(platform.libc_ver()).strip()
    system = (f"{platform.system()} {platform.release()}", platform.machine(), libc)
    return {
        "command": " ".join(command),
        **describe_machine(package_versions(), sources=ROOT),
        "system": ", ".join(filter(None, system)),
        "memory": f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 1e9:.1f} GB",
    }
