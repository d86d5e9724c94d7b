"""Work that is dear: one at a time, and not too often."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Gate", "TooSoon"]

_PAUSE_PER_DURATION = 10
"""How much longer than the work itself the pause after it is at least: it takes a tenth of the time at most."""


class TooSoon(Exception):
    """The gate is shut for `seconds` more."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"to be tried again in {seconds:.1f} s")
        self.seconds = seconds


class Gate:
    """Lets one through at a time, and the next not before `every_seconds`."""

    def __init__(self, every_seconds: float) -> None:
        self._every_seconds = every_seconds
        self._lock = threading.Lock()
        self._opens_at = 0.0

    @contextmanager
    def passing(self) -> Iterator[None]:
        """The block within runs behind the gate. Raises TooSoon."""
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
