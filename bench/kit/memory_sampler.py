"""Watching the memory of a server from outside, through /proc."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from types import TracebackType

from ssrjson_web import memory

__all__ = ["Sample", "Sampler"]

RSS_EVERY_SECONDS = 0.1


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Memory of one process at one moment."""

    seconds: float
    """Seconds since the sampler's start."""
    rss_bytes: int


class Sampler:
    """A thread that samples `pid` from entering the `with` block to leaving it, or until the process ends."""

    def __init__(self, pid: int, *, every_seconds: float = RSS_EVERY_SECONDS) -> None:
        self.samples: list[Sample] = []
        self._pid = pid
        self._every_seconds = every_seconds
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memory-sampler", daemon=True)

    def __enter__(self) -> Sampler:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        started = time.monotonic()
        is_last = False
        while True:
            try:
                rss_bytes = memory.rss_bytes(self._pid)
            except OSError:
                return
            self.samples.append(Sample(seconds=time.monotonic() - started, rss_bytes=rss_bytes))
            if is_last:
                return
            is_last = self._stopping.wait(self._every_seconds)
