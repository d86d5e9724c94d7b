"""Chunks of a response's body, made of items that are encoded while they are iterated."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from time import monotonic
from typing import Any, NamedTuple

from ssrjson_web._core import Encoder, Fragment

__all__ = [
    "ARRAY",
    "CHUNK_SIZE",
    "FLUSH_INTERVAL_S",
    "LINES",
    "AsyncChunks",
    "Batch",
    "Chunks",
    "Framing",
    "chunks_of",
    "escape_line_ends",
    "line_encoder",
    "line_encoding",
    "line_safe",
]

CHUNK_SIZE = 65536
FLUSH_INTERVAL_S = 0.05
_MAX_BUSY_S = 0.01
"""An async iterable that always has an item ready lets other tasks run after this time."""


class Framing(NamedTuple):
    """The bytes around encoded items that make them one document."""

    opening: bytes = b""
    separator: bytes = b""
    closing: bytes = b""


ARRAY = Framing(opening=b"[", separator=b",", closing=b"]")
LINES = Framing()


_encode_line = Encoder(line_safe=True).encode


def escape_line_ends(text: bytes) -> bytes:
    """JSON text that `str.splitlines`, which some clients use, leaves whole.

    Ends of lines in strings are escaped, those between tokens are replaced by spaces.
    """
    return _encode_line(Fragment(bytes(text)))


def line_encoding(encode: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """A function that encodes an item as a line of JSON Lines, which `str.splitlines` leaves whole.

    Raises ValueError where `encode` writes line breaks.
    """
    sample = encode([{"a": 0, "b": 0}, 0])
    if escape_line_ends(sample) != sample:
        raise ValueError(
            "JSON Lines must have each item on one line: indent, separators and append_newline must add no line breaks"
        )
    return lambda item: escape_line_ends(encode(item)) + b"\n"


def line_safe(encoder: Encoder, **changes: Any) -> Encoder | None:
    """An encoder with the same options, changes and `line_safe`; None where its other options rule that out."""
    reduced: Any = encoder.__reduce__()
    try:
        return Encoder(**{**reduced[1][2], **changes, "line_safe": True})
    except (TypeError, ValueError):  # canonical, or an indent or separators that end lines
        return None


def line_encoder(encoder: Encoder) -> Callable[[Any], bytes]:
    """What `line_encoding` returns for an encoder, with no Python code for an item. Raises ValueError as it does."""
    encode = line_encoding(encoder.encode)
    of_lines = line_safe(encoder, append_newline=True)
    return encode if of_lines is None else of_lines.encode


class Batch:
    """Encoded items that wait to be sent. One thread may add items while another takes chunks.

    `flush_interval` is in seconds. Raises ValueError for a chunk size below 1 byte and for a negative interval.
    """

    def __init__(self, framing: Framing, chunk_size: int, flush_interval: float) -> None:
        if chunk_size < 1:
            raise ValueError(f"chunk_size must be 1 or more, not {chunk_size}")
        if not flush_interval >= 0:
            raise ValueError(f"flush_interval must be 0 or more, not {flush_interval}")
        self.flush_interval = flush_interval
        self.is_held = False
        """Whether the next item makes the batch full, however small it is."""
        self._framing = framing
        self._chunk_size = chunk_size
        self._pieces: list[bytes] = []
        self._n_bytes = 0
        self._has_begun = False

    @property
    def n_items(self) -> int:
        """The number of items that wait."""
        return len(self._pieces)

    def add(self, piece: bytes) -> bool:
        """Add an encoded item. Returns whether the batch is full."""
        self._pieces.append(piece)
        self._n_bytes += len(piece)
        return self._n_bytes >= self._chunk_size or self.is_held

    def take(self, *, is_last: bool = False) -> bytes:
        """Remove all items and return them as a chunk, which is empty where there are none."""
        framing = self._framing
        chunk = b""
        pieces = self._pieces[:]
        if pieces:
            del self._pieces[: len(pieces)]
            self._n_bytes = 0
            chunk = (framing.separator if self._has_begun else framing.opening) + framing.separator.join(pieces)
            self._has_begun = True
        if is_last:
            chunk += framing.closing if self._has_begun else framing.opening + framing.closing
        return chunk


class Chunks(Iterator[bytes]):
    """The chunks of an iterable's items.

    After an error the items before it are returned first, then it is raised. Then the iteration is over.
    """

    def __init__(self, items: Iterable[Any], encode: Callable[[Any], bytes], batch: Batch) -> None:
        self._items = items
        self._iterator: Iterator[Any] | None = None
        self._encode = encode
        self._batch = batch
        self._failure: Exception | None = None
        self.is_closed: bool = False
        """Whether the items' iterator was closed, at its end or earlier."""
        self.on_first_item: Callable[[], object] | None = None
        """Called after an item is added to an empty batch."""

    def __next__(self) -> bytes:
        while self._failure is None and not self.is_closed:
            try:
                is_last = self.fill(self._batch.flush_interval)
                if is_last:
                    self.close()
                chunk = self._batch.take(is_last=is_last)
            except Exception as error:
                self._failure = error
                chunk = self._batch.take()
            if chunk:
                return chunk
        failure, self._failure = self._failure, None
        if failure is None:
            raise StopIteration
        with contextlib.suppress(Exception):  # the first error is the one to report
            self.close()
        raise failure

    def fill(self, flush_interval: float) -> bool:
        """Encode items until the batch is full or the time, in seconds, has passed. Returns whether the items ended.

        Raises what the iterator and the encoder raise.
        """
        if self._iterator is None:
            self._iterator = iter(self._items)
        batch, encode, on_first_item = self._batch, self._encode, self.on_first_item
        flush_at = monotonic() + flush_interval
        for item in self._iterator:
            is_full = batch.add(encode(item))
            if on_first_item is not None and batch.n_items == 1:
                on_first_item()
            if is_full or monotonic() >= flush_at:
                return False
        return True

    def close(self) -> None:
        """Close the items' iterator, once, and end the iteration. Raises what the iterator raises."""
        self._failure = None
        if self.is_closed:
            return
        self.is_closed = True
        close = getattr(self._items if self._iterator is None else self._iterator, "close", None)
        if close is not None:
            close()


async def _let_others_run() -> None:
    await asyncio.sleep(0)


class AsyncChunks(AsyncIterator[bytes]):
    """The chunks of an async iterable's items, with the errors and the end of `Chunks`.

    `checkpoint` lets other tasks run; without one, the event loop must be asyncio's.
    """

    def __init__(
        self,
        items: AsyncIterable[Any],
        encode: Callable[[Any], bytes],
        batch: Batch,
        checkpoint: Callable[[], Awaitable[None]] = _let_others_run,
    ) -> None:
        self._items = items
        self._iterator: AsyncIterator[Any] | None = None
        self._encode = encode
        self._batch = batch
        self._checkpoint = checkpoint
        self._failure: Exception | None = None
        self.is_closed: bool = False
        """Whether the items' iterator was closed, at its end or earlier."""
        self.on_first_item: Callable[[], object] | None = None
        """Called after an item is added to an empty batch."""

    async def __anext__(self) -> bytes:
        while self._failure is None and not self.is_closed:
            await self._checkpoint()
            try:
                is_last = await self.fill(self._batch.flush_interval)
                if is_last:
                    await self.aclose()
                chunk = self._batch.take(is_last=is_last)
            except Exception as error:
                self._failure = error
                chunk = self._batch.take()
            if chunk:
                return chunk
        failure, self._failure = self._failure, None
        if failure is None:
            raise StopAsyncIteration
        with contextlib.suppress(Exception):  # the first error is the one to report
            await self.aclose()
        raise failure

    async def fill(self, flush_interval: float) -> bool:
        """Encode items until the batch is full or the time, in seconds, has passed. Returns whether the items ended.

        Raises what the iterator and the encoder raise.
        """
        if self._iterator is None:
            self._iterator = aiter(self._items)
        batch, encode, on_first_item = self._batch, self._encode, self.on_first_item
        now = monotonic()
        flush_at = now + flush_interval
        yield_at = now + _MAX_BUSY_S
        async for item in self._iterator:
            is_full = batch.add(encode(item))
            if on_first_item is not None and batch.n_items == 1:
                on_first_item()
            now = monotonic()
            if is_full or now >= flush_at:
                return False
            if now >= yield_at:
                await self._checkpoint()
                yield_at = monotonic() + _MAX_BUSY_S
        return True

    async def aclose(self) -> None:
        """Close the items' iterator, once, and end the iteration. Raises what the iterator raises."""
        self._failure = None
        if self.is_closed:
            return
        self.is_closed = True
        close = getattr(self._items if self._iterator is None else self._iterator, "aclose", None)
        if close is not None:
            await close()


def chunks_of(
    items: Iterable[Any] | AsyncIterable[Any],
    encode: Callable[[Any], bytes],
    batch: Batch,
    *,
    prefers_async: bool = False,
    checkpoint: Callable[[], Awaitable[None]] = _let_others_run,
) -> Chunks | AsyncChunks:
    """The chunks of items, sync or async. `prefers_async` decides about items that are both.

    Raises TypeError for items that cannot be iterated, and for a value that is one JSON value or none: text, bytes
    and mappings.
    """
    is_async = isinstance(items, AsyncIterable)
    is_sync = isinstance(items, Iterable)
    is_one_value = isinstance(items, (str, bytes, bytearray, memoryview, Mapping))
    if is_one_value or not (is_sync or is_async):
        raise TypeError(f"a stream is made of an iterable of items, sync or async, not of {type(items).__name__}")
    if isinstance(items, AsyncIterable) and (prefers_async or not is_sync):
        return AsyncChunks(items, encode, batch, checkpoint)
    return Chunks(items, encode, batch)  # type: ignore[arg-type]
