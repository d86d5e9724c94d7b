"""Sources of items that tell what became of them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Watched:
    """Items 0, 1, 2 ..., each after a pause, with an error in place of one; `drawn` and `closed` count."""

    n: int
    pause_seconds: float = 0.0
    n_chars: int = 10
    error_at: int | None = None
    error: BaseException = field(default_factory=lambda: RuntimeError("the source broke"))
    drawn: int = 0
    closed: int = 0
    threads: set[str] = field(default_factory=set)

    def _item(self, i: int) -> Any:
        self.threads.add(threading.current_thread().name)
        if i == self.error_at:
            raise self.error
        self.drawn += 1
        return {"i": i, "text": "é" * self.n_chars}

    def items(self) -> Iterator[Any]:
        try:
            for i in range(self.n):
                if self.pause_seconds:
                    time.sleep(self.pause_seconds)
                yield self._item(i)
        finally:
            self.closed += 1

    async def async_items(self) -> AsyncIterator[Any]:
        try:
            for i in range(self.n):
                if self.pause_seconds:
                    await asyncio.sleep(self.pause_seconds)
                yield self._item(i)
        finally:
            self.closed += 1

    def of(self, kind: str) -> Any:
        return self.items() if kind == "sync" else self.async_items()

    @staticmethod
    def values(n: int) -> list[Any]:
        return [{"i": i, "text": "é" * 10} for i in range(n)]
