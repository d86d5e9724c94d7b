"""The items of a request's body, decoded while it arrives: an array, or JSON Lines."""

from __future__ import annotations

import codecs
import io
import json
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable
from typing import Any

from ssrjson_web._core import Decoder, JSONDecodeError

__all__ = ["MAX_ITEM_SIZE", "ItemTooLongError", "async_items", "check_max_item_size", "is_lines_type", "items"]

MAX_ITEM_SIZE = 1 << 20

_LINES_TYPES = frozenset(
    f"application/{name}"
    for name in ("jsonl", "x-jsonl", "jsonlines", "x-jsonlines", "json-lines", "ndjson", "x-ndjson", "x-json-stream")
)


_OTHERS = '{"-0123456789tfnNI'
"""What values other than arrays begin with."""


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
        self._has_begun = False

    def feed(self, chunk: bytes | str) -> list[Any]:
        self._decoder.feed(chunk if self._has_begun else self._after_begin(chunk))
        found = self._decoder.take_items()
        self._n_pending = 0 if found else self._n_pending + len(chunk)
        if self._max_item_size is not None and self._n_pending > self._max_item_size:
            raise ItemTooLongError(self._max_item_size)
        return found

    def _after_begin(self, chunk: bytes | str) -> bytes | str:
        """Decode the first character alone: what is no array is told as such, however the chunk goes on."""
        # a byte order mark is no character of the text
        blank, others = (" \t\n\r", _OTHERS) if isinstance(chunk, str) else (b" \t\n\r\xef\xbb\xbf", _OTHERS.encode())
        text = chunk.lstrip(blank)  # type: ignore[arg-type]
        if not text:
            return chunk
        self._has_begun = True
        if text[:1] in others:  # type: ignore[operator]
            raise JSONDecodeError("Expecting an array", "", 0)
        n_begin = len(chunk) - len(text) + 1
        self._decoder.feed(chunk[:n_begin])
        return chunk[n_begin:]

    def close(self) -> list[Any]:
        rest = self._decoder.close()
        if not isinstance(rest, list):  # of UTF-16, which is decoded as a whole
            raise JSONDecodeError("Expecting an array", "", 0)
        return rest


class LineItems:
    """The values of lines, which are those of `decode_lines` for the whole body. Blank lines are skipped."""

    def __init__(self, max_item_size: int | None, max_depth: int | None) -> None:
        self._decoder = Decoder(max_depth=max_depth)
        self._max_item_size = max_item_size
        self._source = _Source()
        self._pending: io.BytesIO | io.StringIO | None = None  # the last line
        self._n_lines = 0
        self._n_characters = 0
        self._n_units = 0  # bytes, or characters of a str

    def feed(self, chunk: bytes | str) -> list[Any]:
        return self._added(self._source.feed(chunk))

    def close(self) -> list[Any]:
        items = self._added(self._source.close())
        return items + self._decoded()

    def _added(self, text: bytes | str) -> list[Any]:
        if not text:
            return []
        feed: Any = "\n" if isinstance(text, str) else b"\n"
        lines, found, rest = text.rpartition(feed)
        if self._pending is None:
            self._pending = io.StringIO() if isinstance(text, str) else io.BytesIO()
        pending: Any = self._pending
        items = []
        if found:
            pending.write(lines)
            pending.write(found)
            items = self._decoded()
        pending.write(rest)
        if self._max_item_size is not None and pending.tell() > self._max_item_size:
            raise ItemTooLongError(self._max_item_size)
        return items

    def _decoded(self) -> list[Any]:
        """The items of the pending lines, which are pending no more."""
        if self._pending is None:
            return []
        text = self._pending.getvalue()
        self._pending.seek(0)
        self._pending.truncate()
        items = self._items_of(text)
        characters = text if isinstance(text, str) else text.decode(errors="surrogatepass")
        self._n_lines += characters.count("\n")
        self._n_characters += len(characters)
        self._n_units += len(text)
        return items

    def _items_of(self, text: bytes | str) -> list[Any]:
        # only the begin of a body tells its encoding, and has a byte order mark: this text begins with blank lines
        blank: Any = self._source.blank(self._n_characters == 0)
        try:
            return self._decoder.decode_lines(blank + text)
        except json.JSONDecodeError as error:
            error.doc = error.doc[len(blank) :]
            raise _moved(error, self._n_characters - len(blank), self._n_lines - len(blank)) from None
        except UnicodeDecodeError as error:
            raise _moved_bytes(error, self._n_units - len(blank)) from None


class _Source:
    """The text of a body in chunks: str, or bytes of UTF-8 without a mark. UTF-16 and UTF-32 become str."""

    def __init__(self) -> None:
        self._first = b""  # bytes that are too few to tell the encoding
        self._read: Callable[[bytes], bytes | str] | None = None
        self._decoder: codecs.IncrementalDecoder | None = None
        self._n_decoded = 0  # bytes that were given to it
        self._is_str = False

    def feed(self, chunk: bytes | str) -> bytes | str:
        if isinstance(chunk, str):
            self._is_str = True
            return chunk
        if self._read is not None:
            return self._read(chunk)
        self._first += chunk
        if len(self._first) < 4 and (len(self._first) < 2 or not self._first[:2].isascii() or 0 in self._first[:2]):
            return b""
        return self._begin()

    def close(self) -> bytes | str:
        text = self._begin() if self._first else b""
        return text if self._decoder is None else str(text or "") + self._decode(b"", final=True)

    def blank(self, is_first: bool) -> bytes | str:
        """Blank lines before a text that keep a decoder from looking for an encoding and a mark.

        A mark at the begin of a str is stdlib's error.
        """
        if self._decoder is not None:
            return "\n"
        if self._is_str:
            return "" if is_first else "\n"
        return b"\n\n"

    def _begin(self) -> bytes | str:
        first, self._first = self._first, b""
        encoding = json.detect_encoding(first)
        if encoding == "utf-8-sig":
            first = first[3:]
        if encoding.startswith("utf-8"):
            self._read = bytes
        else:
            self._decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
            self._read = self._decode
        return self._read(first)

    def _decode(self, chunk: bytes, *, final: bool = False) -> str:
        assert self._decoder is not None
        n_waiting = len(self._decoder.getstate()[0])
        try:
            text = self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            raise _moved_bytes(error, self._n_decoded - n_waiting) from None
        self._n_decoded += len(chunk)
        return text


def _moved(error: json.JSONDecodeError, n_characters: int, n_lines: int) -> json.JSONDecodeError:
    """The error with the position in the whole body; `doc` is the part of it that was decoded."""
    error.pos += n_characters
    error.lineno += n_lines
    error.args = (f"{error.msg}: line {error.lineno} column {error.colno} (char {error.pos})",)
    return error


def _moved_bytes(error: UnicodeDecodeError, n_bytes: int) -> UnicodeDecodeError:
    """The error with the position in the whole body; `object` is the part of it that was decoded."""
    start, end = error.start + n_bytes, error.end + n_bytes
    return UnicodeDecodeError(error.encoding, error.object, start, end, error.reason)


def check_max_item_size(max_item_size: int | None) -> None:
    """Raises ValueError for a limit below 1."""
    if max_item_size is not None and max_item_size < 1:
        raise ValueError(f"max_item_size must be 1 or more, or None, not {max_item_size}")


def _machine(*, lines: bool, max_item_size: int | None, max_depth: int | None) -> ArrayItems | LineItems:
    check_max_item_size(max_item_size)
    return LineItems(max_item_size, max_depth) if lines else ArrayItems(max_item_size, max_depth)


def items(
    chunks: Iterable[bytes | str], *, lines: bool, max_item_size: int | None, max_depth: int | None
) -> Generator[Any, None, None]:
    """The items of the chunks, each chunk read when the items before it were taken.

    Items of the chunk with an error are not given. Raises JSONDecodeError with the position in the whole body,
    UnicodeDecodeError, ItemTooLongError, and ValueError for an integer with too many digits and for a limit below 1.
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
