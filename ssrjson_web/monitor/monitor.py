"""The figures of a memory middleware, for any protocol."""

from __future__ import annotations

import atexit
import contextlib
import functools
import logging
import os
import platform
import sys
import time
import weakref
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ssrjson_web._compare.record import RECORD
from ssrjson_web._core import get_current_features
from ssrjson_web.monitor.gate import Gate, TooSoon
from ssrjson_web.monitor.observation import LIBRARIES, Library, Observation, import_error, observe
from ssrjson_web.monitor.options import NAME, Options
from ssrjson_web.monitor.process import ProcessMemory
from ssrjson_web.monitor.routes import RouteCounts
from ssrjson_web.monitor.sampler import Sampler
from ssrjson_web.monitor.shapes import is_report
from ssrjson_web.monitor.total_memory import TotalMemory
from ssrjson_web.monitor.totals import Totals, summed
from ssrjson_web.monitor.workers import Workers

__all__ = ["Monitor"]

_LOG = logging.getLogger("ssrjson_web.monitor")

_PAUSE_PER_DURATION = 10
"""For each second of `scan_every`: how many times as long as a scan the pause to the next automatic scan is."""


class Monitor:
    """Figures of the requests and the memory of this process, and of the other workers."""

    def __init__(self, options: Options) -> None:
        self.options: Options = options
        self.observation: Observation = observe(*_importable(options.observe))
        self.totals: Totals = Totals()
        self.routes: RouteCounts = RouteCounts()
        self._total_memory = TotalMemory()
        self._started_at = time.time()
        reference = weakref.ref(self)

        def sync() -> None:
            monitor = reference()
            if monitor is not None:
                monitor.sync_workers()

        self.sampler: Sampler = Sampler(every_seconds=options.sample_every, on_tick=sync)
        self.memory: ProcessMemory = ProcessMemory(self.sampler)
        self._workers = Workers(share=options.share, prefix=options.prefix)
        self._make_gates()
        weakref.finalize(self, self.sampler.stop).atexit = False
        _monitors.add(self)

    def leave(self) -> None:
        """Write the last counts of this process for the other workers; called when it exits."""
        self.sampler.stop()
        self._workers.leave(self.own_figures())

    def reset_after_fork(self) -> None:
        """Start all counts at zero, in the child of a fork: the parent keeps its own."""
        self._workers.reset_after_fork()
        self.sampler.reset_after_fork()
        self.memory.reset_after_fork()
        self.totals = Totals()
        self.routes = RouteCounts()
        self._total_memory = TotalMemory()
        self._started_at = time.time()
        self._make_gates()

    def _make_gates(self) -> None:
        self._trim_gate = Gate(self.options.trim_every)
        self._scan_gate = Gate(self.options.scan_every)
        self._followed_ns = dict.fromkeys(("trim", "scan"), time.time_ns())

    def own_figures(self) -> dict[str, Any]:
        """What this process writes for the other workers: plain numbers, which can be added up."""
        figures, problems = self.memory.figures()
        return {
            "pid": os.getpid(),
            "started_at": self._started_at,
            "updated_at": time.time(),
            **self.totals.figures(),
            **self.routes.figures(),
            "compared": RECORD.figures(),
            "memory": figures,
            "unavailable": problems,
        }

    def sync_workers(self) -> None:
        """Trim or scan if another worker was asked to since the last call, and write this process's figures."""
        for action, work in (("trim", self._trim), ("scan", self._scan)):
            asked_ns = self._workers.asked_ns(action)
            if asked_ns > self._followed_ns[action]:
                self._followed_ns[action] = asked_ns
                with contextlib.suppress(TooSoon):  # this process was asked itself
                    work()
        self._workers.write(self.own_figures())

    def stats(self, *, with_samples: bool = False) -> dict[str, Any]:
        """All figures, ready for JSON: what /ssrjson/stats answers. `with_samples` adds the sampled RSS."""
        self.routes.forget_reasons()  # a change in the process may have changed them
        own = self.own_figures()
        others = [figures for figures in self._workers.others() if is_report(figures, own)]
        workers = sorted([own, *others], key=lambda figures: figures["pid"])
        ended = self._workers.ended()
        unavailable = dict(own["unavailable"])
        total, problem = self._total_memory.figures({worker["pid"]: worker["memory"]["rss"] for worker in workers})
        if problem is not None:
            unavailable["workers_memory"] = problem
        if self._workers.problem is not None:
            unavailable["workers"] = self._workers.problem
        stats = {
            "pid": own["pid"],
            **summed(workers if ended is None else [*workers, ended]),
            "ended_workers": 0 if ended is None else ended["workers"],
            "memory": own["memory"],
            "workers_memory": total,
            "workers": [_worker(figures) for figures in workers],
            "versions": _versions(),
            "unavailable": unavailable,
        }
        if with_samples:
            stats["rss_samples"] = self.sampler.samples()
        return stats

    def trim(self) -> dict[str, Any]:
        """Return free memory of this process to the system; the other workers follow soon. Raises TooSoon."""
        result = self._trim()
        self._workers.ask("trim")
        return result

    def scan(self) -> dict[str, Any]:
        """Count cached UTF-8 copies and measure USS and PSS; the other workers follow soon. Raises TooSoon.

        `pause` is the seconds to wait before a scan that nobody asked for: with the usual `scan_every` such scans take
        1 % of the time at most.
        """
        result = self._scan()
        every = self.options.scan_every
        result["pause"] = max(1.0, every, _PAUSE_PER_DURATION * every * result["seconds"])
        self._workers.ask("scan")
        return result

    def _trim(self) -> dict[str, Any]:
        with self._trim_gate.passing():
            return self.memory.trim()

    def _scan(self) -> dict[str, Any]:
        with self._scan_gate.passing():
            return self.memory.scan()


def _worker(figures: dict[str, Any]) -> dict[str, Any]:
    names = ("pid", "started_at", "updated_at", "memory", "unavailable")
    shown = {name: figures.get(name) for name in names}
    return {**shown, **summed([figures])}


@functools.cache
def _versions() -> dict[str, str | None]:
    features = get_current_features()
    found: dict[str, str | None] = {
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "ssrjson_web": features["version"],
        "level": features["level"],
    }
    for library in LIBRARIES[1:]:  # all but stdlib's
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            found[library] = None
    return found


def _importable(libraries: Sequence[Library]) -> list[Library]:
    """The libraries that can be observed. A warning is logged for each other one: what measures breaks nothing."""
    found = []
    for library in dict.fromkeys(libraries):
        error = import_error(library)
        if error is None:
            found.append(library)
        else:
            _LOG.warning(
                "%s: observe: %s cannot be imported (%s), so its calls are not timed: install it in this environment,"
                " or take its name out of observe",
                NAME,
                library,
                error,
            )
    return found


_monitors: weakref.WeakSet[Monitor] = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for monitor in list(_monitors):
        monitor.reset_after_fork()


@atexit.register
def _at_exit() -> None:
    for monitor in list(_monitors):
        monitor.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
