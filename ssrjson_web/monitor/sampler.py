"""The resident set of this process, sampled by a thread; it works across forks."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable

from ssrjson_web import memory

__all__ = ["Sampler", "peak_bytes"]

N_SAMPLES = 480  # two minutes at the usual interval
_STATM = "/proc/self/statm"


class Sampler:
    """A daemon thread that samples after `start`. Each process has its own: a child calls `reset_after_fork`.

    The thread calls `on_tick` about once a second. Without /proc, or if no thread can be started, `problem` says so and
    there are no samples.
    """

    def __init__(self, *, every_seconds: float, on_tick: Callable[[], None] | None = None) -> None:
        self.is_running: bool = False
        self.problem: str | None = None
        self._every_seconds = every_seconds
        self._on_tick = on_tick
        self._statm: int | None = None
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Forget samples and thread, in the child of a fork: an open file of /proc/self still shows the parent."""
        self._close()
        self.is_running = False
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._samples: deque[tuple[float, int]] = deque(maxlen=N_SAMPLES)

    def _close(self) -> None:
        statm, self._statm = self._statm, None
        if statm is not None:
            os.close(statm)

    def start(self) -> None:
        """Start the thread, unless it runs."""
        with self._lock:
            if self.is_running or self._stopping.is_set():
                return
            self.is_running = True  # even if it fails: it must not be tried again at each request
            thread = threading.Thread(target=self._run, args=(self._stopping,), name="ssrjson-sampler", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:  # no threads on this system, or too many
                self.problem = f"no sampler thread: {error}"

    def stop(self) -> None:
        """End the thread at its next sample; it cannot be started again in this process."""
        self._stopping.set()

    def samples(self) -> list[tuple[float, int]]:
        """(Unix time in seconds, resident bytes) of the last samples, the oldest first."""
        return list(self._samples)

    def rss_bytes(self) -> int:
        """The current resident set, in bytes. Raises OSError if the system does not report it."""
        if sys.platform in ("darwin", "win32"):
            return memory.rss_bytes()
        with self._lock:
            if self._statm is None:
                self._statm = os.open(_STATM, os.O_RDONLY)
            resident_pages = int(os.pread(self._statm, 256, 0).split()[1])
        return resident_pages * _PAGE_BYTES

    def _run(self, stopping: threading.Event) -> None:
        samples = self._samples
        next_tick = 0.0
        while True:
            try:
                samples.append((time.time(), self.rss_bytes()))
            except OSError as error:
                self.problem = str(error)
            now = time.monotonic()
            if self._on_tick is not None and now >= next_tick:
                next_tick = now + 1
                self._on_tick()
            if stopping.wait(self._every_seconds):
                return

    def __del__(self) -> None:
        self._close()


_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def peak_bytes() -> int:
    """Largest resident set so far, in bytes. Raises OSError if the system does not have it, as on Windows."""
    try:
        return memory.peak_rss_bytes()
    except OSError:
        try:
            import resource
        except ImportError:
            raise OSError("this system has neither /proc nor getrusage") from None
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
