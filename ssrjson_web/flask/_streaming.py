"""Responses of many items, streamed in chunks with back-pressure and bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from flask import Response, current_app

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

__all__ = ["item_encoder_of", "stream_array", "stream_lines"]


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
    chunks = chunks_of(items, encode, Batch(framing, chunk_size, flush_interval))
    if not isinstance(chunks, Chunks):
        raise TypeError(f"Flask streams the items of a sync iterable, not of {type(items).__name__}")
    return current_app.response_class(chunks, mimetype=mimetype)
