"""Responses of many items, streamed in chunks with back-pressure and bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from flask import Response, current_app

from ssrjson_web._shared.event_chunks import ThreadEventChunks
from ssrjson_web._shared.events import MEDIA_TYPE, check_keep_alive, event_encoding, set_event_headers
from ssrjson_web._shared.streaming import (
    ARRAY,
    CHUNK_SIZE,
    FLUSH_INTERVAL_S,
    LINES,
    Batch,
    Chunks,
    Framing,
    chunks_of,
    line_encoding,
)
from ssrjson_web.flask._provider import SSRJSONProvider

__all__ = ["item_encoder_of", "stream_array", "stream_events", "stream_lines"]


def stream_array(
    items: Iterable[Any], *, chunk_size: int = CHUNK_SIZE, flush_interval: float = FLUSH_INTERVAL_S
) -> Response:
    """A response with a JSON array of the items of an iterable, streamed with back-pressure.

    Items are written compact and as the application's provider writes them. A chunk is sent when it has `chunk_size`
    bytes, or with the first item that comes `flush_interval` seconds or more after the server asked for the chunk. 0
    sends each item at once. No item is iterated while a chunk is being sent. Items are iterated after the view has
    returned: wrap them in `stream_with_context` if they need the request.

    The iterator is closed (`close`) at the end, when the client leaves, and after an error. An error ends the response
    without the closing bracket and is raised to the server, which ends the connection.

    Raises TypeError for items that cannot be iterated by `for`, and for text, bytes and mappings. Raises ValueError for
    a chunk size below 1 and a negative interval. Raises RuntimeError where the application has another provider.
    """
    encode = item_encoder_of(current_app.json)
    return _response(items, encode, ARRAY, current_app.json.mimetype, chunk_size, flush_interval)  # type: ignore[attr-defined]


def stream_lines(
    items: Iterable[Any], *, chunk_size: int = CHUNK_SIZE, flush_interval: float = FLUSH_INTERVAL_S
) -> Response:
    """A response with JSON Lines. Each item is a line, and a line feed follows it. All else is as in `stream_array`.

    After an error the text ends with the last item before it. Raises ValueError for a provider whose `dumps` is
    overridden and writes line breaks.
    """
    encode = line_encoding(item_encoder_of(current_app.json))
    return _response(items, encode, LINES, "application/jsonl", chunk_size, flush_interval)


def stream_events(items: Iterable[Any], *, chunk_size: int = CHUNK_SIZE, keep_alive: float | None = None) -> Response:
    """A response with server-sent events of the items of an iterable.

    An item of type `bytes` is a whole event. An `SSRJSONEvent` has an id, a name and more beside its data. Any other
    item is the data of an event. Data is written compact and as the application's provider writes it.

    Each event is sent at once, and a client that left is noticed when an event is sent. With `keep_alive`, in seconds,
    a comment is sent whenever the source was silent for that time. This keeps proxies from closing the connection and
    detects a client that left. The items are then iterated in a thread of their own, with a copy of the context but
    without `stream_with_context`. Events that come while a chunk is being sent are sent together, up to `chunk_size`
    bytes.

    The iterator is closed at the end, when the client leaves, and after an error; with `keep_alive` after its next
    item, in its thread. `Cache-Control: no-cache` and `X-Accel-Buffering: no` are set. Raises as `stream_array` does,
    and ValueError for a `keep_alive` of 0 or less.
    """
    check_keep_alive(keep_alive)
    encode = event_encoding(item_encoder_of(current_app.json))
    batch = Batch(LINES, chunk_size, 0)
    chunks: Any = _sync_chunks(items, encode, batch)
    if keep_alive is not None:
        chunks = ThreadEventChunks(chunks, batch, keep_alive=keep_alive)
    response = current_app.response_class(chunks, mimetype=MEDIA_TYPE)
    set_event_headers(response.headers)
    return response


def item_encoder_of(provider: object) -> Callable[[Any], bytes]:
    """The function that encodes an item. Raises RuntimeError for another provider than ours."""
    if not isinstance(provider, SSRJSONProvider):
        raise RuntimeError(f"the application's JSON provider is {type(provider).__name__}: call SSRJSON(app) first")
    return provider.item_encoder()


def _response(
    items: Iterable[Any],
    encode: Callable[[Any], bytes],
    framing: Framing,
    mimetype: str,
    chunk_size: int,
    flush_interval: float,
) -> Response:
    chunks = _sync_chunks(items, encode, Batch(framing, chunk_size, flush_interval))
    return current_app.response_class(chunks, mimetype=mimetype)


def _sync_chunks(items: Iterable[Any], encode: Callable[[Any], bytes], batch: Batch) -> Chunks:
    chunks = chunks_of(items, encode, batch)
    if not isinstance(chunks, Chunks):
        raise TypeError(f"Flask streams the items of a sync iterable, not of {type(items).__name__}")
    return chunks
