"""Work on large objects in slices of time, between which an event loop runs other tasks."""

from __future__ import annotations

import mmap
import sys
import types
from collections.abc import Generator, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ssrjson_web._core import Encoder, _FilledBytes, _release_part

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ssrjson_web._core import EncodeBytesOptions

__all__ = [
    "CHUNK_SIZE",
    "PIECE_BYTES",
    "LongText",
    "Slices",
    "check_slice_ms",
    "collect",
    "encode_async",
    "join",
    "release",
]

CHUNK_SIZE = 1 << 14
"""Bytes of text between two looks at the clock."""
PIECE_BYTES = 1 << 17
"""Bytes that are copied or sent between two looks at the clock."""
_PART_BYTES = 1 << 20
_RELEASED_AT_ONCE = 50


async def encode_async(
    obj: object,
    /,
    *,
    slice_ms: float = 2.0,
    encoder: Encoder | None = None,
    **options: Unpack[EncodeBytesOptions],
) -> bytes:
    """The JSON text of an object as UTF-8 bytes, made while other tasks of the event loop run.

    The encoding pauses after each `slice_ms` milliseconds. Options are those of `dumps_to_bytes`, or the ones of an
    `encoder`. It runs under asyncio and trio.

    The object may be changed in a pause as during a Python loop over it: a dict that grows or shrinks while it is
    written raises RuntimeError, and a list is written up to the end that it has when it is reached. The text is valid
    JSON in any case. Raises what `dumps_to_bytes` raises.
    """
    if encoder is None:
        encoder = Encoder(**options)
    elif options:
        raise TypeError("encode_async() takes an encoder or options, not both")
    check_slice_ms(slice_ms)
    slices = Slices(slice_ms)
    chunks = encoder.iterencode(obj, CHUNK_SIZE)
    first = next(chunks)
    second = next(chunks, None)
    if second is None:
        return first
    text = LongText()
    text.add(first)
    text.add(second)
    await collect(chunks, slices, text)
    return await join(text, slices)


def check_slice_ms(slice_ms: object) -> None:
    if not isinstance(slice_ms, (int, float)) or isinstance(slice_ms, bool):
        raise TypeError(f"slice_ms must be a number of milliseconds, not {slice_ms!r}")
    if not slice_ms > 0:
        raise ValueError(f"slice_ms must be more than 0, not {slice_ms!r}")


class Slices:
    """The clock of work that pauses: `await pause()` after each small part of it."""

    def __init__(self, slice_ms: float) -> None:
        self._seconds = min(slice_ms, 1e9) / 1000
        self._end = perf_counter() + self._seconds

    @property
    def are_due(self) -> bool:
        """Whether the slice is over."""
        return perf_counter() >= self._end

    async def pause(self) -> None:
        """Let other tasks run, and begin the next slice."""
        await _let_others_run()
        self._end = perf_counter() + self._seconds


async def _let_others_run() -> None:
    trio: Any = sys.modules.get("trio")
    if trio is not None:
        try:
            trio.lowlevel.current_task()
        except RuntimeError:  # this is a task of asyncio
            pass
        else:
            await trio.lowlevel.checkpoint()
            return
    await _one_turn()


@types.coroutine
def _one_turn() -> Generator[None, None, None]:
    """What `asyncio.sleep(0)` is."""
    yield


class LongText:
    """A text that grows chunk by chunk.

    Its parts are mapped memory: malloc would keep what it got for them, or give 64 MB back at once, in 3 ms or more.
    """

    def __init__(self) -> None:
        self._parts: list[mmap.mmap] = []
        self._n_free = 0
        """Bytes at the end of the last part."""
        self.n_bytes = 0

    def add(self, chunk: bytes) -> None:
        begin = 0
        while begin < len(chunk):
            if self._n_free == 0:
                self._parts.append(mmap.mmap(-1, _PART_BYTES))
                self._n_free = _PART_BYTES
            piece = memoryview(chunk)[begin : begin + self._n_free]
            offset = _PART_BYTES - self._n_free
            self._parts[-1][offset : offset + len(piece)] = piece
            self._n_free -= len(piece)
            begin += len(piece)
        self.n_bytes += len(chunk)

    def pieces(self, n_bytes: int) -> Iterator[bytes]:
        """The text in pieces of n_bytes; a part whose pieces were all taken is released."""
        self._parts.reverse()
        while self._parts:
            part = self._parts.pop()
            n_used = _PART_BYTES if self._parts else _PART_BYTES - self._n_free
            for begin in range(0, n_used, n_bytes):
                yield part[begin : min(begin + n_bytes, n_used)]
            part.close()


async def collect(chunks: Iterator[bytes], slices: Slices, text: LongText) -> None:
    """Add all chunks of an iterator to a text."""
    for chunk in chunks:
        text.add(chunk)
        if slices.are_due:
            await slices.pause()


async def join(text: LongText, slices: Slices) -> bytes:
    """The bytes of a text. To copy 50 MB at once would stop the loop for 30 ms."""
    joined = _FilledBytes(text.n_bytes)
    for piece in text.pieces(PIECE_BYTES):
        joined.put(piece)
        if slices.are_due:
            await slices.pause()
    return joined.take()


async def release(held: list[Any], slices: Slices) -> None:
    """Empty a list. To release what 50 MB of JSON were made of at once would stop the loop for 60 ms.

    What others have references to is left to them.
    """
    while not _release_part(held, _RELEASED_AT_ONCE):
        if slices.are_due:
            await slices.pause()
