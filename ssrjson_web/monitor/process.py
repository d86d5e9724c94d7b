"""The memory of this process, with the reasons for figures that this system does not have."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ssrjson_web import memory
from ssrjson_web._core import scan_utf8_cache
from ssrjson_web.monitor.cgroup import cgroup_files, cgroup_memory
from ssrjson_web.monitor.sampler import Sampler, peak_bytes
from ssrjson_web.monitor.watched import watched_roots

if TYPE_CHECKING:
    from ssrjson_web._core import CacheReport

__all__ = ["ProcessMemory"]

_UNMEASURED = {"after_trim": "trim", "uss": "scan", "pss": "scan", "cache_bytes": "scan", "cache_strings": "scan"}
"""Figures that are expensive to measure, and the action that measures them."""


class ProcessMemory:
    """The figures of the current process."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Forget all measurements, in the child of a fork."""
        self._lock = threading.Lock()
        self._measured: dict[str, int] = {}
        self._measured_at: dict[str, float] = {}
        self._problems: dict[str, str] = {}
        self._cgroup: tuple[Path, Path] | None = None

    def figures(self) -> tuple[dict[str, Any], dict[str, str]]:
        """Bytes by name, None if unavailable, and the reasons for those; fast enough to be called each second.

        Figures that only `trim` and `scan` measure are as old as `after_trim_at` and `scanned_at`, in Unix time.
        """
        figures: dict[str, Any] = {}
        problems = {name: f"not measured yet: POST {action}" for name, action in _UNMEASURED.items()}
        problems |= self._problems

        def ask(name: str, probe: Callable[[], int]) -> None:
            try:
                figures[name] = probe()
            except OSError as error:
                figures[name] = None
                problems[name] = str(error)

        ask("rss", self._sampler.rss_bytes)
        ask("peak", peak_bytes)
        ask("malloc_in_use", memory.malloc_in_use_bytes)
        ask("cgroup_current", lambda: cgroup_memory(self._cgroup_files()[0]))
        ask("cgroup_peak", lambda: cgroup_memory(self._cgroup_files()[1]))
        with self._lock:
            for name in _UNMEASURED:
                figures[name] = self._measured.get(name)
            for name in ("after_trim_at", "scanned_at"):
                figures[name] = self._measured_at.get(name)
        if self._sampler.problem is not None:
            problems["samples"] = self._sampler.problem
        return figures, {name: reason for name, reason in problems.items() if figures.get(name) is None}

    def _cgroup_files(self) -> tuple[Path, Path]:
        if self._cgroup is None:
            self._cgroup = cgroup_files()
        return self._cgroup

    def trim(self) -> dict[str, Any]:
        """Return free pages to the system: resident bytes before and after, and whether the allocator returned any."""
        before = self._rss()
        was_trimmed = memory.trim()
        after = self._rss()
        self._keep({"after_trim": after}, {}, "after_trim_at")
        return {"pid": os.getpid(), "rss_before": before, "rss_after": after, "trimmed": was_trimmed}

    def scan(self) -> dict[str, Any]:
        """Count cached UTF-8 copies in the watched objects, and measure USS and PSS: all that is expensive."""
        started = time.perf_counter()
        roots = watched_roots()
        problems: dict[str, str] = {}
        measured: dict[str, int | None] = {"cache_bytes": None, "cache_strings": None}
        report: CacheReport | None = None
        if roots:
            report = scan_utf8_cache(*roots)
            measured |= {"cache_bytes": report["bytes"], "cache_strings": report["cached_strings"]}
        else:
            reason = "no object is watched: call ssrjson_web.monitor.watch(...) with the objects that hold text"
            problems |= dict.fromkeys(measured, reason)
        for name, probe in (("uss", memory.uss_bytes), ("pss", memory.pss_bytes)):
            try:
                measured[name] = probe()
            except OSError as error:
                measured[name] = None
                problems[name] = str(error)
        self._keep(measured, problems, "scanned_at")
        elapsed = time.perf_counter() - started
        return {"pid": os.getpid(), "seconds": elapsed, "uss": measured["uss"], "pss": measured["pss"], "cache": report}

    def _rss(self) -> int | None:
        try:
            return self._sampler.rss_bytes()
        except OSError:
            return None

    def _keep(self, measured: dict[str, int | None], problems: dict[str, str], when: str) -> None:
        with self._lock:
            for name, number in measured.items():
                self._measured.pop(name, None)
                self._problems.pop(name, None)
                if number is not None:
                    self._measured[name] = number
            self._problems |= problems
            self._measured_at[when] = time.time()
