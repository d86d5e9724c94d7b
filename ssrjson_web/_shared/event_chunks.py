"""Chunks of events with a comment for each silent interval: one task or thread pulls items while another sends."""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextvars import copy_context
from typing import Any

from ssrjson_web._shared.events import KEEP_ALIVE_CHUNK
from ssrjson_web._shared.streaming import AsyncChunks, Batch, Chunks

__all__ = ["AsyncEventChunks", "RunInThread", "ThreadEventChunks"]

RunInThread = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Calls a function in a thread, and returns its result."""


class AsyncEventChunks(AsyncIterator[bytes]):
    """The chunks of a source of events under asyncio, async or sync.

    A task pulls items until a chunk is full, also while another chunk is being sent. The first chunk may be taken when
    it has one event. After `keep_alive` seconds without an event the chunk is a comment. After an error the events
    before it are returned first, then it is raised. `run` is needed for a sync source, whose items are pulled in a
    thread. Everything that runs the code of an async source runs in one task.
    """

    def __init__(
        self, source: AsyncChunks | Chunks, batch: Batch, *, keep_alive: float | None, run: RunInThread | None = None
    ) -> None:
        self._source = source
        self._batch = batch
        self._keep_alive = keep_alive
        self._run_in_thread = run
        self._task: asyncio.Task[None] | None = None
        self._waiter: asyncio.Future[None] | None = None
        """What `__anext__` waits for: an event, the end, or the clock."""
        self._waits_since = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._is_silent = False
        self._taken = asyncio.Event()
        self._failure: BaseException | None = None
        self._is_over = False
        self._is_closing = False

    async def __anext__(self) -> bytes:
        loop = asyncio.get_running_loop()
        if self._task is None and not self._is_closing:
            self._start(loop)
        batch = self._batch
        while not (batch.n_items or self._is_over):
            self._waits_since = loop.time()
            self._waiter = waiter = loop.create_future()
            await waiter
            is_silent, self._is_silent = self._is_silent, False
            if is_silent and not (batch.n_items or self._is_over):
                return KEEP_ALIVE_CHUNK
        if batch.n_items:
            chunk = batch.take()
            self._taken.set()
            return chunk
        failure, self._failure = self._failure, None
        if failure is None:
            raise StopAsyncIteration
        raise failure

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        if isinstance(self._source, AsyncChunks):
            self._source.on_first_item = self._wake
        else:
            self._source.on_first_item = lambda: loop.call_soon_threadsafe(self._wake)
        self._task = asyncio.ensure_future(self._pull())
        if self._keep_alive is not None:
            self._timer = loop.call_later(self._keep_alive, self._tick, loop, self._keep_alive)

    def _wake(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def _tick(self, loop: asyncio.AbstractEventLoop, interval: float) -> None:
        """Tell of silence. One timer for the stream takes less time than one for each event."""
        now = loop.time()
        next_at = now + interval
        if self._waiter is not None and now < self._waits_since + interval:
            next_at = self._waits_since + interval
        elif self._waiter is not None:
            self._is_silent = True
            self._wake()
        self._timer = loop.call_at(next_at, self._tick, loop, interval)

    async def _pull(self) -> None:
        try:
            while not (self._is_closing or await self._fill()):
                while self._batch.n_items and not self._is_closing:
                    self._taken.clear()
                    self._wake()
                    await self._taken.wait()
        except Exception as error:
            self._failure = error
        except BaseException as error:
            self._failure = error
            raise
        finally:
            await self._close_source()

    async def _fill(self) -> bool:
        source, run = self._source, self._run_in_thread
        if isinstance(source, AsyncChunks):
            return await source.fill(math.inf)
        assert run is not None
        # a thread cannot be stopped: a task that is cancelled waits for its next item
        filling = asyncio.ensure_future(run(lambda: source.fill(math.inf)))
        try:
            return bool(await asyncio.shield(filling))
        except asyncio.CancelledError:
            await asyncio.wait([filling])
            if not filling.cancelled():
                filling.exception()  # nobody is there to whom it could be told
            raise

    async def _close_source(self) -> None:
        source, run = self._source, self._run_in_thread
        try:
            if isinstance(source, AsyncChunks):
                await source.aclose()
            elif run is not None and not source.is_closed:
                await run(source.close)
        except Exception as error:
            if self._failure is None or isinstance(self._failure, asyncio.CancelledError):
                self._failure = error
        finally:
            self._is_over = True
            if self._timer is not None:
                self._timer.cancel()
            self._wake()

    async def aclose(self) -> None:
        """Close the source, once, and end the iteration. Raises what closing the source raises."""
        self._is_closing = True
        self._batch.is_held = True
        self._taken.set()
        task = self._task
        if task is None:
            self._task = task = asyncio.ensure_future(self._close_source())
        elif not task.done():
            task.cancel()
        await asyncio.wait([task])
        if not self._is_over:  # it was cancelled before its first step
            await self._close_source()
        failure, self._failure = self._failure, None
        self._batch.take()
        if isinstance(failure, Exception):
            raise failure


class ThreadEventChunks(Iterator[bytes]):
    """The chunks of a sync source of events, whose items are pulled in a thread of its own.

    The thread pulls items until a chunk is full, also while another chunk is being sent. After `keep_alive` seconds
    without an event the chunk is a comment. `on_end` is called in the thread, after the source was closed there.

    `close` does not wait: a source that is waiting is closed after its next item. The thread does not keep the process
    alive. An error in closing the source after `close` goes to `threading.excepthook`.
    """

    def __init__(
        self, source: Chunks, batch: Batch, *, keep_alive: float, on_end: Callable[[], object] = lambda: None
    ) -> None:
        self._source = source
        self._batch = batch
        self._keep_alive = keep_alive
        self._on_end = on_end
        self._thread: threading.Thread | None = None
        self._changed = threading.Condition()
        self._failure: BaseException | None = None
        self._is_over = False
        self._is_closing = False

    def __next__(self) -> bytes:
        if self._is_closing:
            raise StopIteration
        if self._thread is None:
            self._source.on_first_item = self._tell
            work = copy_context().run
            self._thread = threading.Thread(target=work, args=(self._pull,), name="ssrjson events", daemon=True)
            self._thread.start()
        with self._changed:
            self._changed.wait_for(lambda: self._batch.n_items or self._is_over, self._keep_alive)
            is_over = self._is_over
            chunk = self._batch.take()
            self._changed.notify_all()
        if chunk:
            return chunk
        if not is_over:
            return KEEP_ALIVE_CHUNK
        failure, self._failure = self._failure, None
        if failure is None:
            raise StopIteration
        raise failure

    def _tell(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _pull(self) -> None:
        failure: BaseException | None = None
        try:
            while not (self._is_closing or self._source.fill(math.inf)):
                with self._changed:
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: self._is_closing or not self._batch.n_items)
        except BaseException as error:
            failure = error
        try:
            self._source.close()
        except BaseException as error:
            failure = failure or error
        with contextlib.suppress(Exception):
            self._on_end()
        with self._changed:
            self._failure = failure
            self._is_over = True
            self._changed.notify_all()
        if self._is_closing and failure is not None:
            raise failure

    def close(self) -> None:
        """End the iteration, and have the source closed by its thread. Raises what closing it raises if none runs."""
        with self._changed:
            is_first = not self._is_closing
            self._is_closing = True
            self._batch.is_held = True
            self._changed.notify_all()
        if self._thread is None and is_first:
            self._source.close()
