"""Server-sent events whose data is JSON."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping
from typing import Any

from starlette.background import BackgroundTask

from ssrjson_web._core import Encoder
from ssrjson_web._shared.streaming import CHUNK_SIZE, LINES, escape_line_ends
from ssrjson_web.starlette._chunks import ClockedChunks
from ssrjson_web.starlette._responses import STOCK_ENCODER
from ssrjson_web.starlette._streaming import ChunkedResponse

__all__ = ["SSRJSONEventResponse", "json_event"]

_NOTHING: Any = object()
_KEEP_ALIVE = b": ping\n\n"


def json_event(
    data: Any = _NOTHING,
    *,
    event: str | None = None,
    id: str | None = None,
    retry: int | None = None,
    comment: str | None = None,
    encoder: Encoder = STOCK_ENCODER,
) -> bytes:
    """One event of a `text/event-stream` with its data encoded as JSON. Wrap text that is already JSON in `Fragment`.

    U+0085, U+2028 and U+2029 in the data are escaped: some clients take them for ends of a line.
    `retry` is in milliseconds. The bytes are those of `fastapi.sse.format_sse_event` for that data text.
    Raises ValueError for an `event` or `id` with a line break or NUL in it and for a negative `retry`, TypeError for
    arguments of another type, and what the encoder raises. Source: WHATWG HTML, 9.2.5 and 9.2.6.
    """
    lines: list[bytes] = []
    if comment is not None:
        lines += [b": " + line for line in _lines_of(_checked("comment", comment).encode())]
    if event is not None:
        lines.append(b"event: " + _single_line("event", event))
    if data is not _NOTHING:
        text = escape_line_ends(encoder._with_escaped_surrogates().encode(data))
        if b"\n" in text or b"\r" in text:
            lines += [b"data: " + line for line in _lines_of(text)]
        else:
            lines.append(b"data: " + text)
    if id is not None:
        lines.append(b"id: " + _single_line("id", id))
    if retry is not None:
        lines.append(b"retry: %d" % _milliseconds(retry))
    lines += (b"", b"")
    return b"\n".join(lines)


def _lines_of(text: bytes) -> list[bytes]:
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def _checked(name: str, text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, not {type(text).__name__}")
    return text


def _single_line(name: str, text: str) -> bytes:
    line = _checked(name, text).encode()
    if b"\n" in line or b"\r" in line or b"\0" in line:
        raise ValueError(f"{name} must not contain line breaks or NUL: {text!r}")
    return line


def _milliseconds(retry: int) -> int:
    if not isinstance(retry, int) or isinstance(retry, bool):
        raise TypeError(f"retry must be an int, not {type(retry).__name__}")
    if retry < 0:
        raise ValueError(f"retry must be 0 or more, not {retry}")
    return retry


class SSRJSONEventResponse(ChunkedResponse):
    """Server-sent events of the items that an iterable gives, sync or async.

    An item of type `bytes` is a whole event, made by `json_event`. Any other item is the data of an event.
    Events are sent at once. Events that the source gives without waiting are sent together, up to `chunk_size` bytes.
    While the source is silent, a comment is sent every `keep_alive` seconds. It keeps proxies from closing the
    connection and detects a client that left. `None` switches it off.
    All else is as in `SSRJSONStreamingResponse`.

    `Cache-Control: no-cache` and `X-Accel-Buffering: no` are added where `headers` does not have these names.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        content: AsyncIterable[Any] | Iterable[Any],
        status_code: int = 200,
        headers: Mapping[str, str] | None = None,
        media_type: str | None = None,
        background: BackgroundTask | None = None,
        *,
        encoder: Encoder = STOCK_ENCODER,
        chunk_size: int = CHUNK_SIZE,
        keep_alive: float | None = 15.0,
    ) -> None:
        def encode(item: Any) -> bytes:
            return item if type(item) is bytes else json_event(item, encoder=encoder)

        chunks = ClockedChunks(
            content,
            encode,
            framing=LINES,
            chunk_size=chunk_size,
            flush_interval=0,
            keep_alive=keep_alive,
            keep_alive_chunk=_KEEP_ALIVE,
        )
        super().__init__(chunks, status_code, headers, media_type, background)
        self.headers.setdefault("Cache-Control", "no-cache")
        self.headers.setdefault("X-Accel-Buffering", "no")
