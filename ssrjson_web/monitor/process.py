"""The memory of this process as far as this system tells it, with the reasons for what it does not."""

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
"""What is dear to measure, and the action that measures it."""


class ProcessMemory:
    """Figures of the process that asks."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """For the child of a fork: nothing has been measured yet."""
        self._lock = threading.Lock()
        self._measured: dict[str, int] = {}
        self._measured_at: dict[str, float] = {}
        self._problems: dict[str, str] = {}
        self._cgroup: tuple[Path, Path] | None = None

    def figures(self) -> tuple[dict[str, Any], dict[str, str]]:
        """Bytes by name, None where they are not to be had, and the reasons of those; cheap enough for each second.

        What only `trim` and `scan` measure is theirs, from `after_trim_at` and `scanned_at`, in Unix time.
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
        """Give free pages back: resident bytes before and after, and whether the allocator gave some."""
        before = self._rss()
        was_trimmed = memory.trim()
        after = self._rss()
        self._keep({"after_trim": after}, {}, "after_trim_at")
        return {"pid": os.getpid(), "rss_before": before, "rss_after": after, "trimmed": was_trimmed}

    def scan(self) -> dict[str, Any]:
        """Count UTF-8 copies under what is watched, and private and proportional memory: all that takes long."""
        started = time.perf_counter()
        roots = watched_roots()
        problems: dict[str, str] = {}
        measured: dict[str, int | None] = {"cache_bytes": None, "cache_strings": None}
        report: CacheReport | None = None
        if roots:
            report = scan_utf8_cache(*roots)
            measured |= {"cache_bytes": report["bytes"], "cache_strings": report["cached_strings"]}
        else:
            reason = "nothing is watched: call ssrjson_web.monitor.watch(...) with what holds text"
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
