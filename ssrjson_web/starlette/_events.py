"""Server-sent events whose data is JSON."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from typing import Any

from starlette.background import BackgroundTask

from ssrjson_web._core import Encoder
from ssrjson_web._shared.events import (
    KEEP_ALIVE_S,
    MEDIA_TYPE,
    NOTHING,
    SSRJSONEvent,
    data_encoding,
    event_bytes,
    event_encoding,
    set_event_headers,
)
from ssrjson_web._shared.streaming import CHUNK_SIZE, LINES, line_safe
from ssrjson_web.starlette._chunks import ClockedChunks
from ssrjson_web.starlette._responses import STOCK_ENCODER
from ssrjson_web.starlette._streaming import ChunkedResponse

__all__ = ["SSRJSONEvent", "SSRJSONEventResponse", "json_event"]

_STOCK_LINE_SAFE = line_safe(STOCK_ENCODER) or STOCK_ENCODER
_encode_stock = data_encoding(STOCK_ENCODER.encode, _STOCK_LINE_SAFE.encode)


def json_event(
    data: Any = NOTHING,
    *,
    event: str | None = None,
    id: str | None = None,
    retry: int | None = None,
    comment: str | None = None,
    encoder: Encoder = STOCK_ENCODER,
) -> bytes:
    """One event of a `text/event-stream` with its data encoded as JSON. Wrap text that is already JSON in `Fragment`.

    U+0085, U+2028 and U+2029 in the data are escaped, and end a line of a comment: some clients take them for ends of a
    line. `retry` is in milliseconds. The bytes are those of `fastapi.sse.format_sse_event` for that data text.
    Raises ValueError for an `event` or `id` with NUL or one of the line breaks of `str.splitlines` in it and for a
    negative `retry`, TypeError for arguments of another type, and what the encoder raises. Source: WHATWG HTML, 9.2.5
    and 9.2.6.
    """

    is_stock = encoder is STOCK_ENCODER
    encode = _encode_stock if is_stock else data_encoding(encoder._with_escaped_surrogates().encode)
    return event_bytes(encode, data, event=event, id=id, retry=retry, comment=comment)


class SSRJSONEventResponse(ChunkedResponse):
    """Server-sent events of the items that an iterable gives, sync or async.

    An item of type `bytes` is a whole event, made by `json_event`. An `SSRJSONEvent` has an id, a name and more beside
    its data. Any other item is the data of an event. Data is encoded by `encoder`: `Encoder(models=True)` takes models.

    Events are sent at once. Events that the source gives without waiting, or while a chunk is being sent, are sent
    together, up to `chunk_size` bytes. While the source is silent, a comment is sent every `keep_alive` seconds. It
    keeps proxies from closing the connection and detects a client that left. `None` switches it off.
    All else is as in `SSRJSONStreamingResponse`.

    `Cache-Control: no-cache` and `X-Accel-Buffering: no` are added where `headers` does not have these names.
    """

    media_type = MEDIA_TYPE

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
        keep_alive: float | None = KEEP_ALIVE_S,
    ) -> None:
        chunks = ClockedChunks(
            content,
            _encoding(encoder),
            framing=LINES,
            chunk_size=chunk_size,
            flush_interval=0,
            keep_alive=keep_alive,
        )
        super().__init__(chunks, status_code, headers, media_type, background)
        self._send_chunks = chunks.send_events_to
        set_event_headers(self.headers)


def _encoding(encoder: Encoder) -> Callable[[Any], bytes]:
    if encoder is STOCK_ENCODER:
        return event_encoding(STOCK_ENCODER.encode, _STOCK_LINE_SAFE.encode)
    escaping = encoder._with_escaped_surrogates()
    safe = line_safe(escaping)
    return event_encoding(escaping.encode, None if safe is None else safe.encode)
