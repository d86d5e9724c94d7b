"""The body of a streamed response: chunks that are sent when they are full, or by the clock."""

from __future__ import annotations

import math
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread

from ssrjson_web._shared.events import KEEP_ALIVE_CHUNK, check_keep_alive
from ssrjson_web._shared.streaming import AsyncChunks, Batch, Chunks, Framing, chunks_of

__all__ = ["ClockedChunks"]


class ClockedChunks(AsyncIterator[bytes]):
    """An async iterator of a body's chunks, which can also send them by the clock.

    With `is_ahead` items are iterated while a chunk is being sent, until the next chunk is full. Without it at most one
    item is. Raises TypeError for items that cannot be iterated, and for text, bytes and mappings. Raises ValueError for
    a chunk size below 1, a negative flush interval, and a keep-alive of 0 or less.
    """

    def __init__(
        self,
        items: AsyncIterable[Any] | Iterable[Any],
        encode: Callable[[Any], bytes],
        *,
        framing: Framing,
        chunk_size: int,
        flush_interval: float,
        keep_alive: float | None = None,
        is_ahead: bool = False,
    ) -> None:
        check_keep_alive(keep_alive)
        self._batch = Batch(framing, chunk_size, flush_interval)
        chunks = chunks_of(items, encode, self._batch, prefers_async=True, checkpoint=anyio.lowlevel.checkpoint)
        self._source = chunks if isinstance(chunks, AsyncChunks) else _ThreadChunks(chunks, is_ahead=is_ahead)
        self._keep_alive = keep_alive
        self._is_ahead = is_ahead
        self._failure: BaseException | None = None

    async def send_to(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send all chunks. Raises what the items' iterator, the encoder and `send` raise."""
        batch = self._batch
        filler = _Filler(self._source, batch, is_ahead=self._is_ahead)
        raised: BaseException | None = None
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(filler.run)
                try:
                    await self._send_batches(filler, send)
                except Exception as error:  # the task group would wrap it in a group of exceptions
                    raised = error
                finally:
                    batch.is_held = True
                tasks.cancel_scope.cancel()
        finally:
            self._failure = filler.failure
        raised = raised or filler.failure
        if raised is not None:
            raise raised

    async def _send_batches(self, filler: _Filler, send: Callable[[bytes], Awaitable[None]]) -> None:
        batch = self._batch
        is_over = False
        while not is_over:
            is_silent = await self._wait(filler)
            is_over = filler.is_over
            chunk = batch.take(is_last=is_over and filler.failure is None)
            if is_silent and not is_over:
                chunk = chunk or KEEP_ALIVE_CHUNK
            if chunk:
                batch.is_held = not self._is_ahead
                await send(chunk)
                batch.is_held = False

    async def _wait(self, filler: _Filler) -> bool:
        """Wait for something to send. Returns whether the keep-alive time passed without it."""
        if self._keep_alive is None:
            await filler.wait()
            return False
        with anyio.move_on_after(self._keep_alive) as scope:
            await filler.wait()
        return scope.cancelled_caught

    async def __anext__(self) -> bytes:
        """The next chunk. There is no clock here: items that are ready wait while the source is silent."""
        try:
            return await anext(self._source)
        except StopAsyncIteration:
            raise
        except Exception as error:
            self._failure = error
            raise

    async def aclose(self) -> None:
        """Close the items' iterator, once, even in a cancelled task. An error in this is left to `pop_failure`."""
        try:
            with anyio.CancelScope(shield=True):
                await self._source.aclose()
        except Exception as error:
            if not isinstance(self._failure, Exception):
                self._failure = error

    def pop_failure(self) -> BaseException | None:
        """What ended the items early, or went wrong in closing them. A second call returns None."""
        failure, self._failure = self._failure, None
        return failure


class _ThreadChunks(AsyncIterator[bytes]):
    """The chunks of a sync iterable. Its items are iterated and encoded in the threadpool.

    With `is_ahead` a thread fills a batch until it is full, and tells of its first item.
    """

    def __init__(self, chunks: Chunks, *, is_ahead: bool) -> None:
        self._chunks = chunks
        self._is_ahead = is_ahead
        self.on_first_item: Callable[[], object] | None = None

    async def __anext__(self) -> bytes:
        chunk = await anyio.to_thread.run_sync(lambda: next(self._chunks, None))
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    async def fill(self, flush_interval: float) -> bool:
        on_first_item = self.on_first_item
        if self._is_ahead and on_first_item is not None:
            self._chunks.on_first_item = lambda: anyio.from_thread.run_sync(on_first_item)
        return await anyio.to_thread.run_sync(self._fill, flush_interval)

    def _fill(self, flush_interval: float) -> bool:
        is_last = self._chunks.fill(flush_interval)
        if is_last:
            self._chunks.close()  # here, because a thread for it alone would take as long as a small stream
        return is_last

    async def aclose(self) -> None:
        if not self._chunks.is_closed:
            await anyio.to_thread.run_sync(self._chunks.close)


class _Filler:
    """The task that fills a batch, and what a sending task waits for.

    The task stops when the batch is full, until the sender waits for the next one.
    """

    def __init__(self, source: AsyncChunks | _ThreadChunks, batch: Batch, *, is_ahead: bool) -> None:
        self._source = source
        self._batch = batch
        self._is_ahead = is_ahead
        self._tells_of_first = is_ahead or isinstance(source, AsyncChunks)
        """Whether the source tells of the first item of a batch. A thread takes some time for it."""
        self.is_over = False
        self.failure: BaseException | None = None
        """What ended the items early, or went wrong in closing them."""
        self._first = anyio.Event()
        self._full = anyio.Event()
        self._wanted = anyio.Event()

    async def run(self) -> None:
        """Fill batches until the items end or fail, then close them."""
        # the sender has the clock, but a thread that does not tell of its first item needs one
        interval = math.inf if self._tells_of_first else self._batch.flush_interval
        if self._tells_of_first:
            self._source.on_first_item = lambda: self._first.set()
        try:
            while not await self._source.fill(interval):
                self._full.set()
                if self._is_ahead:
                    self._first.set()  # the sender may have taken the batch already
                await self._wanted.wait()
        except Exception as error:
            self.failure = error
        except BaseException as error:
            self.failure = error
            raise
        finally:
            await self._close()

    async def _close(self) -> None:
        try:
            with anyio.CancelScope(shield=True):
                await self._source.aclose()
        except Exception as error:
            if not isinstance(self.failure, Exception):
                self.failure = error
        finally:
            self.is_over = True
            self._full.set()
            self._first.set()

    async def wait(self) -> None:
        """Wait for a batch that is full, or whose first item waited for the flush interval, or that is the last."""
        if self._full.is_set() and not self.is_over:
            if self._is_ahead and self._batch.n_items:
                return  # it was filled while another chunk was sent
            self._full = anyio.Event()
            wanted, self._wanted = self._wanted, anyio.Event()
            wanted.set()
        if self._tells_of_first:
            await self._wait_for_first()
        else:
            await self._wait_for_thread()

    async def _wait_for_first(self) -> None:
        if not (self._batch.n_items or self.is_over):
            if self._first.is_set():  # by the first item of an earlier batch
                self._first = anyio.Event()
            await self._first.wait()
        await self._wait_until_full()

    async def _wait_for_thread(self) -> None:
        if not self._batch.flush_interval:  # the thread stops after each item
            await self._full.wait()
        # the thread has no fast way to tell that its first item is there, and may wait long for its second
        while not self._full.is_set():
            await self._wait_until_full()
            if self._batch.n_items:
                return

    async def _wait_until_full(self) -> None:
        if self._batch.flush_interval and not self._full.is_set():
            with anyio.move_on_after(self._batch.flush_interval):
                await self._full.wait()
