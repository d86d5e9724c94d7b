"""Server-sent events: the bytes of one event, and a function that makes events of a stream's items."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ssrjson_web._core import Fragment
from ssrjson_web._shared.streaming import escape_line_ends

__all__ = [
    "KEEP_ALIVE_CHUNK",
    "KEEP_ALIVE_S",
    "MEDIA_TYPE",
    "NOTHING",
    "SSRJSONEvent",
    "check_keep_alive",
    "data_encoding",
    "event_bytes",
    "event_encoding",
    "set_event_headers",
]

MEDIA_TYPE = "text/event-stream"
KEEP_ALIVE_S = 15.0
KEEP_ALIVE_CHUNK = b": ping\n\n"
_LF = 10  # bytes are searched for a number in a tenth of the time of a search for b"\n"
_CR = 13
_LINE_END = re.compile(rb"\r\n|[\n-\r\x1c-\x1e]|\xc2\x85|\xe2\x80[\xa8\xa9]")
"""Where clients that use `str.splitlines` end a line, in UTF-8."""


class _Nothing:
    """The data of an event without data."""

    def __repr__(self) -> str:
        return "NOTHING"

    def __reduce__(self) -> str:
        return "NOTHING"  # copies are this object


NOTHING: Any = _Nothing()


@dataclass(frozen=True)
class SSRJSONEvent:
    """An event of a stream, whose data is encoded as JSON when it is sent, by the encoder of its response.

    `retry` is in milliseconds. Without `data` there is no line of data, and browsers report no event. Wrap text that is
    already JSON in `Fragment`. The response raises ValueError for an `event` or `id` with NUL or one of the line breaks
    of `str.splitlines` in it and for a negative `retry`, and TypeError for fields of another type.
    """

    data: Any = NOTHING
    event: str | None = field(default=None, kw_only=True)
    id: str | None = field(default=None, kw_only=True)
    retry: int | None = field(default=None, kw_only=True)
    comment: str | None = field(default=None, kw_only=True)


def event_bytes(
    encode: Callable[[Any], bytes],
    data: Any = NOTHING,
    *,
    event: str | None = None,
    id: str | None = None,
    retry: int | None = None,
    comment: str | None = None,
) -> bytes:
    """One event of a `text/event-stream` whose data is JSON.

    Clients may end lines where `str.splitlines` does: at U+2028, for instance. A comment becomes several lines there.
    Data does at line feeds and carriage returns; `encode` leaves none of the other ends of lines in it.
    Raises ValueError for an `event` or `id` with NUL or an end of line in it and for a negative `retry`, TypeError for
    arguments of another type, and what `encode` raises. Source: WHATWG HTML, 9.2.5 and 9.2.6.
    """
    head = b""
    if comment is not None:
        lines = _LINE_END.split(_utf8("comment", comment))
        head = b": " + b"\n: ".join(lines) + b"\n"
    if event is not None:
        head += b"event: " + _single_line("event", event) + b"\n"
    if data is not NOTHING:
        text = encode(data)
        if _LF in text or _CR in text:
            text = b"\ndata: ".join(_lines_of(text))
        head += b"data: " + text + b"\n"
    if id is not None:
        head += b"id: " + _single_line("id", id) + b"\n"
    if retry is not None:
        head += b"retry: %d\n" % _milliseconds(retry)
    return head + b"\n"


def event_encoding(
    encode: Callable[[Any], bytes], encode_line: Callable[[Any], bytes] | None = None
) -> Callable[[Any], bytes]:
    """A function that makes an event of an item: of `bytes` as they are, of an `SSRJSONEvent`, and of other data.

    The parameters are those of `data_encoding`.
    """
    encode_data = data_encoding(encode, encode_line)

    def encode_item(item: Any) -> bytes:
        if type(item) is bytes:
            whole: bytes = item
            return whole
        if isinstance(item, SSRJSONEvent):
            return event_bytes(
                encode_data, item.data, event=item.event, id=item.id, retry=item.retry, comment=item.comment
            )
        text = encode_data(item)
        if _LF in text or _CR in text:
            text = b"\ndata: ".join(_lines_of(text))
        return b"data: %b\n\n" % text

    return encode_item


def data_encoding(
    encode: Callable[[Any], bytes], encode_line: Callable[[Any], bytes] | None = None
) -> Callable[[Any], bytes]:
    """A function that encodes as `encode` does, and leaves no ends of lines but line feeds and carriage returns.

    `encode_line` writes the same JSON on one line that `str.splitlines` leaves whole. It is faster, and is used for all
    but a `Fragment`, whose lines are kept.
    """

    def encode_lines(data: Any) -> bytes:
        text = encode(data)
        if _LF in text or _CR in text:
            return b"\n".join(map(escape_line_ends, _lines_of(text)))
        return escape_line_ends(text)

    if encode_line is None:
        return encode_lines
    return lambda data: encode_lines(data) if type(data) is Fragment else encode_line(data)


def set_event_headers(headers: Any) -> None:
    """Keep caches and nginx from holding events back, where the headers do not name these fields."""
    headers.setdefault("Cache-Control", "no-cache")
    headers.setdefault("X-Accel-Buffering", "no")


def check_keep_alive(keep_alive: float | None) -> None:
    """Raises ValueError for an interval of 0 or less."""
    if keep_alive is not None and not keep_alive > 0:
        raise ValueError(f"keep_alive must be more than 0, or None, not {keep_alive}")


def _lines_of(text: bytes) -> list[bytes]:
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def _utf8(name: str, text: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, not {type(text).__name__}")
    return str.encode(text)


def _single_line(name: str, text: str) -> bytes:
    line = _utf8(name, text)
    if 0 in line or _LINE_END.search(line):
        raise ValueError(f"{name} must not contain line breaks or NUL: {text!r}")
    return line


def _milliseconds(retry: int) -> int:
    if not isinstance(retry, int) or isinstance(retry, bool):
        raise TypeError(f"retry must be an int, not {type(retry).__name__}")
    if int.__lt__(retry, 0):
        raise ValueError(f"retry must be 0 or more, not {retry}")
    return retry
