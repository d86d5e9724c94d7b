"""The items of a request's body, decoded while it arrives: an array, or JSON Lines."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable
from typing import Any

from ssrjson_web._core import Decoder, JSONDecodeError

__all__ = ["MAX_ITEM_SIZE", "ItemTooLongError", "async_items", "is_lines_type", "items"]

MAX_ITEM_SIZE = 1 << 20

_LINES_TYPES = frozenset(
    f"application/{name}"
    for name in ("jsonl", "x-jsonl", "jsonlines", "x-jsonlines", "json-lines", "ndjson", "x-ndjson", "x-json-stream")
)


class ItemTooLongError(ValueError):
    """An item of a body is longer than the limit."""

    def __init__(self, max_item_size: int) -> None:
        super().__init__(f"An item of the body is longer than {max_item_size} bytes")


def is_lines_type(content_type: str) -> bool:
    """Whether a content-type, with or without parameters, is one of JSON Lines."""
    return content_type.partition(";")[0].strip().lower() in _LINES_TYPES


class ArrayItems:
    """The items of one array."""

    def __init__(self, max_item_size: int | None, max_depth: int | None) -> None:
        self._decoder = Decoder(partial="on", max_depth=max_depth)
        self._max_item_size = max_item_size
        self._n_pending = 0  # bytes or characters since the last chunk with the end of an item

    def feed(self, chunk: bytes | str) -> list[Any]:
        self._decoder.feed(chunk)
        found = self._decoder.take_items()
        self._n_pending = 0 if found else self._n_pending + len(chunk)
        if self._max_item_size is not None and self._n_pending > self._max_item_size:
            raise ItemTooLongError(self._max_item_size)
        return found

    def close(self) -> list[Any]:
        rest = self._decoder.close()
        if not isinstance(rest, list):  # of UTF-16, which is decoded as a whole
            raise JSONDecodeError("Expecting an array", "", 0)
        return rest


class LineItems:
    """The values of lines. Blank lines are skipped."""

    def __init__(self, max_item_size: int | None, max_depth: int | None) -> None:
        self._decoder = Decoder(max_depth=max_depth)
        self._max_item_size = max_item_size
        self._pending: list[Any] = []  # the pieces of the last line
        self._n_pending = 0
        self._n_lines = 0
        self._n_characters = 0

    def feed(self, chunk: bytes | str) -> list[Any]:
        feed: Any = "\n" if isinstance(chunk, str) else b"\n"
        lines, found, rest = chunk.rpartition(feed)
        items = self._decoded([*self._pending, lines, found]) if found else []
        self._pending = [rest] if found else [*self._pending, rest]
        self._n_pending = len(rest) if found else self._n_pending + len(rest)
        if self._max_item_size is not None and self._n_pending > self._max_item_size:
            raise ItemTooLongError(self._max_item_size)
        return items

    def close(self) -> list[Any]:
        pending, self._pending = self._pending, []
        return self._decoded(pending)

    def _decoded(self, pieces: list[Any]) -> list[Any]:
        text = type(pieces[0])().join(pieces) if pieces else b""
        try:
            items = self._decoder.decode_lines(text)
        except json.JSONDecodeError as error:
            raise _moved(error, self._n_characters, self._n_lines) from None
        characters = text if isinstance(text, str) else text.decode(errors="surrogatepass")
        self._n_lines += characters.count("\n")
        self._n_characters += len(characters)
        return items


def _moved(error: json.JSONDecodeError, n_characters: int, n_lines: int) -> json.JSONDecodeError:
    """The error with the position in the whole body; `doc` is the part of it that was decoded."""
    error.pos += n_characters
    error.lineno += n_lines
    error.args = (f"{error.msg}: line {error.lineno} column {error.colno} (char {error.pos})",)
    return error


def _machine(*, lines: bool, max_item_size: int | None, max_depth: int | None) -> ArrayItems | LineItems:
    if max_item_size is not None and max_item_size < 1:
        raise ValueError(f"max_item_size must be 1 or more, or None, not {max_item_size}")
    return LineItems(max_item_size, max_depth) if lines else ArrayItems(max_item_size, max_depth)


def items(
    chunks: Iterable[bytes | str], *, lines: bool, max_item_size: int | None, max_depth: int | None
) -> Generator[Any, None, None]:
    """The items of the chunks, each chunk read when the items before it were taken.

    Items of the chunk with an error are not given. Raises JSONDecodeError with the position in the whole body,
    UnicodeDecodeError, ItemTooLongError, and ValueError for a limit below 1.
    """
    machine = _machine(lines=lines, max_item_size=max_item_size, max_depth=max_depth)
    for chunk in chunks:
        yield from machine.feed(chunk)
    yield from machine.close()


async def async_items(
    chunks: AsyncIterable[bytes | str], *, lines: bool, max_item_size: int | None, max_depth: int | None
) -> AsyncGenerator[Any, None]:
    """`items` of chunks that come asynchronously."""
    machine = _machine(lines=lines, max_item_size=max_item_size, max_depth=max_depth)
    async for chunk in chunks:
        for item in machine.feed(chunk):
            yield item
    for item in machine.close():
        yield item
