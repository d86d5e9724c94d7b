"""Items of an iterator, encoded while they are drawn, a batch at a time."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

__all__ = [
    "ARRAY",
    "CHUNK_SIZE",
    "FLUSH_INTERVAL_S",
    "LINES",
    "AsyncBatches",
    "Batches",
    "Framing",
    "are_async",
    "line_encoding",
]

CHUNK_SIZE = 65536
FLUSH_INTERVAL_S = 0.05


class Framing(NamedTuple):
    """What stands around encoded items, so that they are one document."""

    opening: bytes = b""
    separator: bytes = b""
    closing: bytes = b""


ARRAY = Framing(opening=b"[", separator=b",", closing=b"]")
LINES = Framing()


def are_async(items: object) -> bool:
    """Whether items are drawn by `async for`.

    Raises TypeError for what cannot be iterated over, or is one JSON value: text, bytes or a mapping.
    """
    is_sync = isinstance(items, Iterable)
    if isinstance(items, (str, bytes, bytearray, Mapping)) or not (is_sync or isinstance(items, AsyncIterable)):
        raise TypeError(f"a stream is made of an iterable of items, sync or async, not of {type(items).__name__}")
    return not is_sync


def line_encoding(encode: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """What encodes an item as a line of JSON Lines. Raises ValueError where `encode` writes line breaks itself."""
    sample = encode([{"a": 0, "b": 0}, 0])
    if b"\n" in sample or b"\r" in sample:
        raise ValueError("JSON Lines must not have line breaks in a line, by indent or separators")
    return lambda item: encode(item) + b"\n"


class _Batch:
    """Encoded items that wait to be sent, and the chunks that they become."""

    def __init__(self, framing: Framing, chunk_size: int, flush_interval: float) -> None:
        if chunk_size < 1:
            raise ValueError(f"chunk_size must be 1 or more, not {chunk_size}")
        if not flush_interval >= 0:
            raise ValueError(f"flush_interval must be 0 or more, not {flush_interval}")
        self._framing = framing
        self._chunk_size = chunk_size
        self._flush_interval = flush_interval
        self._pieces: list[bytes] = []
        self._n_bytes = 0
        self._is_begun = False
        self._flush_at = time.monotonic() + flush_interval

    def keep(self, piece: bytes) -> bool:
        """Keep an encoded item; whether it is time to send what is there."""
        self._pieces.append(piece)
        self._n_bytes += len(piece)
        return self._n_bytes >= self._chunk_size or time.monotonic() >= self._flush_at

    def take(self, *, is_last: bool = False) -> bytes:
        """A chunk of what is there, empty for nothing."""
        framing = self._framing
        chunk = b""
        if self._pieces:
            chunk = (framing.separator if self._is_begun else framing.opening) + framing.separator.join(self._pieces)
            self._is_begun = True
            self._pieces.clear()
            self._n_bytes = 0
        if is_last:
            chunk += framing.closing if self._is_begun else framing.opening + framing.closing
        self._flush_at = time.monotonic() + self._flush_interval
        return chunk


class Batches(Iterator[bytes]):
    """The chunks of an iterable's items.

    The items before an error come out before it is raised; nothing comes after it.
    """

    def __init__(
        self,
        items: Iterable[Any],
        encode: Callable[[Any], bytes],
        *,
        framing: Framing,
        chunk_size: int,
        flush_interval: float,
    ) -> None:
        self._batch = _Batch(framing, chunk_size, flush_interval)
        self._items = items
        self._iterator: Iterator[Any] | None = None
        self._encode = encode
        self._failure: Exception | None = None
        self.is_over = False
        """Whether the items' iterator was closed, at its end or before."""

    def __next__(self) -> bytes:
        if self.is_over:
            raise StopIteration
        if self._failure is None:
            try:
                return self._draw()
            except Exception as error:
                self._failure = error
            chunk = self._batch.take()
            if chunk:
                return chunk
        failure, self._failure = self._failure, None
        with contextlib.suppress(Exception):  # what ended it goes before what went wrong in closing
            self.close()
        raise failure

    def _draw(self) -> bytes:
        if self._iterator is None:
            self._iterator = iter(self._items)
        batch, encode = self._batch, self._encode
        for item in self._iterator:
            if batch.keep(encode(item)):
                return batch.take()
        self.close()
        return batch.take(is_last=True)

    def close(self) -> None:
        """Close the items' iterator, once; nothing comes after that."""
        if self.is_over:
            return
        self.is_over = True
        close = getattr(self._items if self._iterator is None else self._iterator, "close", None)
        if close is not None:
            close()


class AsyncBatches(AsyncIterator[bytes]):
    """The chunks of an async iterable's items; else as `Batches`."""

    def __init__(
        self,
        items: AsyncIterable[Any],
        encode: Callable[[Any], bytes],
        *,
        framing: Framing,
        chunk_size: int,
        flush_interval: float,
    ) -> None:
        self._batch = _Batch(framing, chunk_size, flush_interval)
        self._items = items
        self._iterator: AsyncIterator[Any] | None = None
        self._encode = encode
        self._failure: Exception | None = None
        self.is_over = False
        """Whether the items' iterator was closed, at its end or before."""

    async def __anext__(self) -> bytes:
        if self.is_over:
            raise StopAsyncIteration
        await asyncio.sleep(0)  # a source that always has an item ready lets others run between two chunks
        if self._failure is None:
            try:
                return await self._draw()
            except Exception as error:
                self._failure = error
            chunk = self._batch.take()
            if chunk:
                return chunk
        failure, self._failure = self._failure, None
        with contextlib.suppress(Exception):  # what ended it goes before what went wrong in closing
            await self.aclose()
        raise failure

    async def _draw(self) -> bytes:
        if self._iterator is None:
            self._iterator = aiter(self._items)
        batch, encode = self._batch, self._encode
        async for item in self._iterator:
            if batch.keep(encode(item)):
                return batch.take()
        await self.aclose()
        return batch.take(is_last=True)

    async def aclose(self) -> None:
        """Close the items' iterator, once; nothing comes after that."""
        if self.is_over:
            return
        self.is_over = True
        close = getattr(self._items if self._iterator is None else self._iterator, "aclose", None)
        if close is not None:
            await close()
