"""The body of a streamed response: chunks that come as a source's items do."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Iterable
from typing import Any

import anyio

from ssrjson_web._shared.streaming import Framing
from ssrjson_web.starlette.sources import AsyncSource, Source, ThreadSource

__all__ = ["Chunks"]


class Chunks:
    """An async iterator of a body's chunks, that can also send them itself, by the clock.

    Raises TypeError for items that cannot be iterated over, or are one JSON value: text, bytes or a mapping.
    Raises ValueError for a chunk size below 1, a negative interval, a keep-alive of 0 or less.
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
        keep_alive_chunk: bytes = b"",
    ) -> None:
        if isinstance(items, (str, bytes, bytearray, dict)) or not isinstance(items, (AsyncIterable, Iterable)):
            raise TypeError(f"a stream is made of an iterable of items, sync or async, not of {type(items).__name__}")
        if chunk_size < 1:
            raise ValueError(f"chunk_size must be 1 or more, not {chunk_size}")
        if not flush_interval >= 0:
            raise ValueError(f"flush_interval must be 0 or more, not {flush_interval}")
        if keep_alive is not None and not keep_alive > 0:
            raise ValueError(f"keep_alive must be more than 0, or None, not {keep_alive}")
        self._items = items
        self._encode = encode
        self._framing = framing
        self._chunk_size = chunk_size
        self._flush_interval = flush_interval
        self._keep_alive = keep_alive
        self._keep_alive_chunk = keep_alive_chunk
        self._known_source: Source | None = None
        self._is_begun = False
        self._is_over = False

    @property
    def _source(self) -> Source:
        if self._known_source is None:  # not before there is an event loop
            kind = AsyncSource if isinstance(self._items, AsyncIterable) else ThreadSource
            self._known_source = kind(
                self._items,  # type: ignore[arg-type]
                self._encode,
                chunk_size=self._chunk_size,
                flush_interval=self._flush_interval,
            )
        return self._known_source

    async def send_to(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send all chunks, drawing on only while none is being sent. Raises what the source raises, or the sending."""
        source = self._source
        failure: BaseException | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(source.run)
            try:
                while not self._is_over:
                    chunk = await self._wait_for_chunk(source)
                    if chunk:
                        source.is_held = True
                        await send(chunk)
                        source.is_held = False
            except Exception as error:  # outside of the group, which would wrap it
                failure = error
            finally:
                source.is_held = True
            tasks.cancel_scope.cancel()
        failure = failure or source.failure
        if failure is not None:
            raise failure

    async def _wait_for_chunk(self, source: Source) -> bytes:
        if self._keep_alive is None:
            await source.wait()
        else:
            with anyio.move_on_after(self._keep_alive) as scope:
                await source.wait()
            if scope.cancelled_caught and not source.is_closed:
                return self._framed(source) or self._keep_alive_chunk
        return self._framed(source)

    def _framed(self, source: Source) -> bytes:
        """A chunk of what is there, empty for nothing."""
        is_last = source.is_closed
        pieces = source.take()
        framing = self._framing
        chunk = b""
        if pieces:
            chunk = (framing.separator if self._is_begun else framing.opening) + framing.separator.join(pieces)
        if is_last:
            self._is_over = True
            if source.failure is None:
                chunk += framing.closing if pieces or self._is_begun else framing.opening + framing.closing
        self._is_begun = self._is_begun or bool(pieces)
        return chunk

    def __aiter__(self) -> Chunks:
        return self

    async def __anext__(self) -> bytes:
        """The next chunk, drawn in the task that asks: whoever iterates does without the clock."""
        source = self._source
        while not self._is_over:
            if not (source.is_exhausted or source.failure is not None):
                await source.fill()
            if source.is_exhausted or source.failure is not None:
                await source.aclose()
            chunk = self._framed(source)
            if chunk:
                return chunk
        if source.failure is not None:
            raise source.failure
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Close the source; nothing comes after that."""
        self._is_over = True
        await self._source.aclose()

    def pop_failure(self) -> BaseException | None:
        """What ended the source before its time, or went wrong in closing it; once, so that it can be freed."""
        source = self._source
        failure, source.failure = source.failure, None
        return failure
