"""A limit for expensive work: one call at a time, and not too often."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Gate", "TooSoon"]

_PAUSE_PER_DURATION = 10
"""Minimum pause as a multiple of the work's duration: the work takes a tenth of the time at most."""


class TooSoon(Exception):
    """The gate is closed for another `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"try again in {seconds:.1f} s")
        self.seconds = seconds


class Gate:
    """Lets one caller pass at a time, and the next one after `every_seconds` at the earliest."""

    def __init__(self, every_seconds: float) -> None:
        self._every_seconds = every_seconds
        self._lock = threading.Lock()
        self._opens_at = 0.0

    @contextmanager
    def passing(self) -> Iterator[None]:
        """A context for the work. Raises TooSoon if the gate is closed."""
        if not self._lock.acquire(blocking=False):
            raise TooSoon(max(1.0, self._every_seconds))
        try:
            started = time.monotonic()
            if started < self._opens_at:
                raise TooSoon(self._opens_at - started)
            try:
                yield
            finally:
                ended = time.monotonic()
                self._opens_at = max(started + self._every_seconds, ended + _PAUSE_PER_DURATION * (ended - started))
        finally:
            self._lock.release()
