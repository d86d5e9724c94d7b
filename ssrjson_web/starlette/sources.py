"""Items of an iterator, encoded while they are drawn, a batch at a time."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread

__all__ = ["AsyncSource", "Source", "ThreadSource"]

# a source that always has an item ready lets others run this often
_MAX_BUSY_S = 0.01


class Source(ABC):
    """Encoded items on their way from a task that draws them, `run`, to one that sends them.

    A fill draws until a batch is full. The next one begins when the sender asks for it, and none goes on
    while the sender `is_held` up: what waits here is a batch at most and one item that was being drawn.
    """

    def __init__(self, encode: Callable[[Any], bytes], *, chunk_size: int, flush_interval: float) -> None:
        self.is_held = False
        self.is_exhausted = False
        self.is_closed: bool = False
        self.failure: BaseException | None = None
        """What ended the drawing before its time, or went wrong in closing."""
        self._encode = encode
        self._chunk_size = chunk_size
        self._flush_interval = flush_interval
        self._pieces: deque[bytes] = deque()
        self._n_bytes = 0
        self._filled = anyio.Event()
        self._resumed = anyio.Event()

    # what the drawing task does

    async def run(self) -> None:
        """Draw until the source is exhausted or fails, then close it."""
        try:
            while True:
                await self.fill()
                if self.is_exhausted or self.failure is not None:
                    break
                self._filled.set()
                await self._resumed.wait()
        except BaseException as error:
            self.failure = error
            raise
        finally:
            await self.aclose()

    async def fill(self) -> None:
        """Draw a batch. What the source or the encoder raises becomes its `failure`."""
        try:
            await self._draw()
        except Exception as error:
            self.failure = error

    async def aclose(self) -> None:
        """Close the source, once, even in a task that is cancelled. What that raises becomes its `failure`."""
        if self.is_closed:
            return
        try:
            with anyio.CancelScope(shield=True):
                await self._close()
        except Exception as error:
            if not isinstance(self.failure, Exception):
                self.failure = error
        finally:
            self.is_closed = True
            self._filled.set()

    def _keep(self, piece: bytes) -> bool:
        """Keep an encoded item; whether the batch is to end with it."""
        self._pieces.append(piece)
        self._n_bytes += len(piece)
        return self.is_held or self._n_bytes >= self._chunk_size

    @abstractmethod
    async def _draw(self) -> None: ...

    @abstractmethod
    async def _close(self) -> None: ...

    # what the sending task does

    async def wait(self) -> None:
        """Wait for a batch that is full, or has been waiting for the flush interval, or is the last."""
        if self._filled.is_set() and not self.is_closed:
            self._filled = anyio.Event()
            resumed, self._resumed = self._resumed, anyio.Event()
            resumed.set()
        await self._wait()

    def take(self) -> list[bytes]:
        """The encoded items that are there."""
        pieces = self._pieces
        self._n_bytes = 0
        return [pieces.popleft() for _ in range(len(pieces))]

    @abstractmethod
    async def _wait(self) -> None: ...


class AsyncSource(Source):
    """Items of an async iterable, all drawn in one task."""

    def __init__(
        self, items: AsyncIterable[Any], encode: Callable[[Any], bytes], *, chunk_size: int, flush_interval: float
    ) -> None:
        super().__init__(encode, chunk_size=chunk_size, flush_interval=flush_interval)
        self._items = items
        self._iterator: AsyncIterator[Any] | None = None
        self._stirred = anyio.Event()

    async def _draw(self) -> None:
        if self._iterator is None:
            self._iterator = aiter(self._items)
        draw = self._iterator.__anext__
        yield_at = time.monotonic() + _MAX_BUSY_S
        is_full = False
        while not is_full:
            try:
                item = await draw()
            except StopAsyncIteration:
                self.is_exhausted = True
                return
            is_full = self._keep(self._encode(item))
            if len(self._pieces) == 1:
                self._stirred.set()
            if time.monotonic() >= yield_at:
                await anyio.lowlevel.checkpoint()
                yield_at = time.monotonic() + _MAX_BUSY_S

    async def _close(self) -> None:
        close = getattr(self._items if self._iterator is None else self._iterator, "aclose", None)
        try:
            if close is not None:
                await close()
        finally:
            self._stirred.set()

    async def _wait(self) -> None:
        if not self._pieces:
            await self._stirred.wait()
        if self._flush_interval and not self._filled.is_set():
            with anyio.move_on_after(self._flush_interval):
                await self._filled.wait()

    def take(self) -> list[bytes]:
        if not self.is_closed:
            self._stirred = anyio.Event()
        return super().take()


class ThreadSource(Source):
    """Items of an iterable, drawn and encoded in the threadpool."""

    def __init__(
        self, items: Iterable[Any], encode: Callable[[Any], bytes], *, chunk_size: int, flush_interval: float
    ) -> None:
        super().__init__(encode, chunk_size=chunk_size, flush_interval=flush_interval)
        self._items = items
        self._iterator: Iterator[Any] | None = None

    async def _draw(self) -> None:
        await anyio.to_thread.run_sync(self._draw_in_thread)

    def _draw_in_thread(self) -> None:
        if self._iterator is None:
            self._iterator = iter(self._items)
        flush_at = time.monotonic() + self._flush_interval
        is_full = False
        while not is_full:
            try:
                item = next(self._iterator)
            except StopIteration:
                self.is_exhausted = True
                return
            is_full = self._keep(self._encode(item)) or time.monotonic() >= flush_at

    async def _close(self) -> None:
        close = getattr(self._items if self._iterator is None else self._iterator, "close", None)
        if close is not None:
            await anyio.to_thread.run_sync(close)

    async def _wait(self) -> None:
        if not self._flush_interval:  # every fill ends with its first item
            await self._filled.wait()
        # The thread has no cheap way to tell of its first item, and may wait long for its second.
        while not self._filled.is_set():
            with anyio.move_on_after(self._flush_interval):
                await self._filled.wait()
            if self._pieces:
                return
