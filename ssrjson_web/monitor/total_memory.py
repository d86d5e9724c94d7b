"""The memory of all workers together. A shared page counts once, if the kernel reports PSS."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ssrjson_web import memory

__all__ = ["TotalMemory"]

_LEAST_PAUSE_SECONDS = 1.0
_PAUSE_PER_DURATION = 10
"""Minimum age of a result as a multiple of the measurement's duration: the kernel walks the page tables."""


class TotalMemory:
    """A sum over workers, measured at most once a second while the workers stay the same."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pids: tuple[int, ...] = ()
        self._opens_at = 0.0
        self._last: int | None = None
        self._problem = ""

    def figures(self, rss_by_pid: Mapping[int, int | None]) -> tuple[dict[str, Any], str | None]:
        """`bytes`, `source` and `is_upper_bound`; and the reason if the sum is not one of PSS."""
        pss = self._pss(tuple(sorted(rss_by_pid)))
        if pss is not None:
            return {"bytes": pss, "source": "pss", "is_upper_bound": False}, None
        known = [rss for rss in rss_by_pid.values() if rss is not None]
        total = sum(known) if known else None
        return {"bytes": total, "source": "rss", "is_upper_bound": True}, self._problem

    def _pss(self, pids: tuple[int, ...]) -> int | None:
        with self._lock:
            started = time.monotonic()
            if pids == self._pids and started < self._opens_at:
                return self._last
            self._pids = pids
            try:
                self._last = sum(_pss_if_alive(pid) for pid in pids)
            except OSError as error:
                self._last, self._problem = (
                    None,
                    f"the sum is one of resident sets, so a shared page counts in each worker: {error}",
                )
            ended = time.monotonic()
            self._opens_at = ended + max(_LEAST_PAUSE_SECONDS, _PAUSE_PER_DURATION * (ended - started))
            return self._last


def _pss_if_alive(pid: int) -> int:
    """The PSS of a process in bytes; 0 if it has ended since it was listed."""
    try:
        return memory.pss_bytes(pid)
    except ProcessLookupError:
        return 0
    except FileNotFoundError:  # the process has ended, or the kernel has no such file
        if Path("/proc/self").exists() and not Path(f"/proc/{pid}").exists():
            return 0
        raise
