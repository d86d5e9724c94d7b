"""The body of a streamed response: chunks that are sent when they are full, or by the clock."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import starlette

from ssrjson_web._shared.event_chunks import AsyncEventChunks
from ssrjson_web._shared.events import KEEP_ALIVE_CHUNK, check_keep_alive
from ssrjson_web._shared.streaming import AsyncChunks, Batch, Chunks, Framing, chunks_of

__all__ = ["ClockedChunks"]

# Starlette before 0.42 listens for a client that leaves in a task beside the one that sends. That task must run before
# the next message: a server of ASGI 2.4 raises OSError for it, which such a Starlette does not expect.
_LISTENS_BESIDE = tuple(int(part) for part in starlette.__version__.split(".")[:2]) < (0, 42)


class ClockedChunks(AsyncIterator[bytes]):
    """An async iterator of a body's chunks, which can also send them by the clock.

    Raises TypeError for items that cannot be iterated, and for text, bytes and mappings. Raises ValueError for a
    chunk size below 1, a negative flush interval, and a keep-alive of 0 or less.
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
    ) -> None:
        check_keep_alive(keep_alive)
        self._batch = Batch(framing, chunk_size, flush_interval)
        chunks = chunks_of(items, encode, self._batch, prefers_async=True, checkpoint=anyio.lowlevel.checkpoint)
        self._source = chunks if isinstance(chunks, AsyncChunks) else _ThreadChunks(chunks, flush_interval)
        self._keep_alive = keep_alive
        self._failure: BaseException | None = None
        self._events: AsyncEventChunks | None = None

    async def send_events_to(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send all chunks of events. Under asyncio items are iterated while a chunk is being sent, until one is full.

        Raises as `send_to` does.
        """
        if not _is_in_asyncio():
            await self.send_to(send)
            return
        source = self._source if isinstance(self._source, AsyncChunks) else self._source.in_threads
        self._events = events = AsyncEventChunks(
            source, self._batch, keep_alive=self._keep_alive, run=anyio.to_thread.run_sync
        )
        while True:
            try:
                chunk = await anext(events)
            except StopAsyncIteration:
                return
            except Exception as error:
                self._failure = error
                raise
            await send(chunk)
            if _LISTENS_BESIDE:
                await asyncio.sleep(0)

    async def send_to(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send all chunks. At most one item is iterated while a chunk is being sent.

        Raises what the items' iterator, the encoder and `send` raise.
        """
        batch = self._batch
        filler = _Filler(self._source, batch)
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
                batch.is_held = True
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
                await (self._events or self._source).aclose()
        except Exception as error:
            if not isinstance(self._failure, Exception):
                self._failure = error

    def pop_failure(self) -> BaseException | None:
        """What ended the items early, or went wrong in closing them. A second call returns None."""
        failure, self._failure = self._failure, None
        return failure


def _is_in_asyncio() -> bool:
    try:
        return asyncio.current_task() is not None
    except RuntimeError:  # no loop of asyncio is running
        return False


class _ThreadChunks(AsyncIterator[bytes]):
    """The chunks of a sync iterable. Its items are iterated and encoded in the threadpool."""

    def __init__(self, chunks: Chunks, flush_interval: float) -> None:
        self.in_threads = chunks
        self._flush_interval = flush_interval

    async def __anext__(self) -> bytes:
        chunk = await anyio.to_thread.run_sync(lambda: next(self.in_threads, None))
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    async def fill(self, _: float) -> bool:
        return await anyio.to_thread.run_sync(self._fill)

    def _fill(self) -> bool:
        is_last = self.in_threads.fill(self._flush_interval)
        if is_last:
            self.in_threads.close()  # here, because a thread for it alone would take as long as a small stream
        return is_last

    async def aclose(self) -> None:
        if not self.in_threads.is_closed:
            await anyio.to_thread.run_sync(self.in_threads.close)


class _Filler:
    """The task that fills a batch, and what a sending task waits for.

    The task stops when the batch is full, until the sender waits for the next one.
    """

    def __init__(self, source: AsyncChunks | _ThreadChunks, batch: Batch) -> None:
        self._source = source
        self._batch = batch
        self.is_over = False
        self.failure: BaseException | None = None
        """What ended the items early, or went wrong in closing them."""
        self._first = anyio.Event()
        self._full = anyio.Event()
        self._wanted = anyio.Event()

    async def run(self) -> None:
        """Fill batches until the items end or fail, then close them."""
        if isinstance(self._source, AsyncChunks):
            self._source.on_first_item = lambda: self._first.set()
        try:
            while not await self._source.fill(math.inf):  # the sender has the clock
                self._full.set()
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
            self._full = anyio.Event()
            wanted, self._wanted = self._wanted, anyio.Event()
            wanted.set()
        if isinstance(self._source, AsyncChunks):
            await self._wait_for_task()
        else:
            await self._wait_for_thread()

    async def _wait_for_task(self) -> None:
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
