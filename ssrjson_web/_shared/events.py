"""Server-sent events: the bytes of one event, and a function that makes events of a stream's items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ssrjson_web._shared.streaming import escape_line_ends

__all__ = [
    "KEEP_ALIVE_CHUNK",
    "KEEP_ALIVE_S",
    "MEDIA_TYPE",
    "NOTHING",
    "SSRJSONEvent",
    "check_keep_alive",
    "event_bytes",
    "event_encoding",
    "set_event_headers",
]

MEDIA_TYPE = "text/event-stream"
KEEP_ALIVE_S = 15.0
KEEP_ALIVE_CHUNK = b": ping\n\n"
_LF = 10  # bytes are searched for a number in a tenth of the time of a search for b"\n"
_CR = 13


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
    already JSON in `Fragment`. The response raises ValueError for an `event` or `id` with a line break or NUL in it and
    for a negative `retry`, and TypeError for fields of another type.
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

    `encode` writes the data; it escapes U+0085, U+2028 and U+2029, which some clients take for ends of a line.
    Raises ValueError for an `event` or `id` with a line break or NUL in it and for a negative `retry`, TypeError for
    arguments of another type, and what `encode` raises. Source: WHATWG HTML, 9.2.5 and 9.2.6.
    """
    head = b""
    if comment is not None:
        lines = _lines_of(_checked("comment", comment).encode())
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


def event_encoding(encode: Callable[[Any], bytes], *, is_line_safe: bool = False) -> Callable[[Any], bytes]:
    """A function that makes an event of an item: of `bytes` as they are, of an `SSRJSONEvent`, and of other data.

    `is_line_safe` says that `encode` escapes U+0085, U+2028 and U+2029 itself.
    """
    encode_data = encode if is_line_safe else lambda data: escape_line_ends(encode(data))

    def encode_item(item: Any) -> bytes:
        cls = type(item)
        if cls is bytes:
            whole: bytes = item
            return whole
        if cls is SSRJSONEvent:
            return event_bytes(
                encode_data, item.data, event=item.event, id=item.id, retry=item.retry, comment=item.comment
            )
        text = encode_data(item)
        if _LF in text or _CR in text:
            text = b"\ndata: ".join(_lines_of(text))
        return b"data: %b\n\n" % text

    return encode_item


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


def _checked(name: str, text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, not {type(text).__name__}")
    return text


def _single_line(name: str, text: str) -> bytes:
    line = _checked(name, text).encode()
    if _LF in line or _CR in line or 0 in line:
        raise ValueError(f"{name} must not contain line breaks or NUL: {text!r}")
    return line


def _milliseconds(retry: int) -> int:
    if not isinstance(retry, int) or isinstance(retry, bool):
        raise TypeError(f"retry must be an int, not {type(retry).__name__}")
    if retry < 0:
        raise ValueError(f"retry must be 0 or more, not {retry}")
    return retry
