"""Quart's JSON, encoded and decoded by the core: the providers and extension of Flask, and async streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Iterable
from contextvars import copy_context
from typing import Any

try:
    from quart import Quart, Request, Response, current_app, has_request_context, request, websocket
    from quart.wrappers.response import ResponseBody
    from werkzeug.exceptions import RequestEntityTooLarge
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] != "quart":
        raise
    raise ImportError("ssrjson_web.quart needs Quart: pip install 'ssrjson_web[quart]'") from _error

from ssrjson_web._shared.body_items import (
    MAX_ITEM_SIZE,
    ItemTooLongError,
    async_items,
    check_max_item_size,
    is_lines_type,
)
from ssrjson_web._shared.event_chunks import AsyncEventChunks
from ssrjson_web._shared.events import (
    KEEP_ALIVE_S,
    MEDIA_TYPE,
    SSRJSONEvent,
    check_keep_alive,
    event_encoding,
    set_event_headers,
)
from ssrjson_web._shared.streaming import (
    ARRAY,
    CHUNK_SIZE,
    FLUSH_INTERVAL_S,
    LINES,
    AsyncChunks,
    Batch,
    Chunks,
    Framing,
    chunks_of,
    line_encoding,
)
from ssrjson_web.flask._extension import SSRJSON as FlaskExtension
from ssrjson_web.flask._provider import SSRJSONFastProvider, SSRJSONProvider
from ssrjson_web.flask._report import route_report
from ssrjson_web.flask._streaming import item_encoder_of

__all__ = [
    "SSRJSON",
    "SSRJSONEvent",
    "SSRJSONFastProvider",
    "SSRJSONProvider",
    "json_items",
    "receive_message",
    "route_report",
    "send_message",
    "stream_array",
    "stream_events",
    "stream_lines",
]


class SSRJSON(FlaskExtension):
    """Flask's extension for Quart applications: `SSRJSON(app)`, or `SSRJSON().init_app(app)`.

    Arguments and errors are those of `ssrjson_web.flask.SSRJSON`.
    """

    _application_class = Quart

    @staticmethod
    def _route_of_request() -> str:
        return f"{request.method} {request.url_rule or 'without a route'}" if has_request_context() else ""


def stream_array(
    items: AsyncIterable[Any] | Iterable[Any],
    *,
    chunk_size: int = CHUNK_SIZE,
    flush_interval: float = FLUSH_INTERVAL_S,
) -> Response:
    """A response with a JSON array of the items of a sync or async iterable, streamed with back-pressure.

    Items are written compact and as the application's provider writes them. A chunk is sent when it has `chunk_size`
    bytes, or with the first item that comes `flush_interval` seconds or more after the server asked for the chunk. 0
    sends each item at once. No item is iterated while a chunk is being sent. Sync iterables are iterated in threads of
    the event loop's executor, a chunk at a time. Items are iterated after the handler has returned: wrap the generator
    in `stream_with_context` if it needs the request.

    The iterator is closed (`aclose`, or `close`) at the end, when the client leaves, and after an error. An error ends
    the response without the closing bracket and is raised to the server, which ends the connection. The response's
    `timeout` is None, because Quart would end it after `RESPONSE_TIMEOUT`, which is 60 seconds.

    Raises TypeError for items that cannot be iterated, and for text, bytes and mappings. Raises ValueError for a chunk
    size below 1 and a negative interval. Raises RuntimeError where the application has another provider.
    """
    encode = item_encoder_of(current_app.json)
    return _response(items, encode, ARRAY, current_app.json.mimetype, chunk_size, flush_interval)  # type: ignore[attr-defined]


def stream_lines(
    items: AsyncIterable[Any] | Iterable[Any],
    *,
    chunk_size: int = CHUNK_SIZE,
    flush_interval: float = FLUSH_INTERVAL_S,
) -> Response:
    """A response with JSON Lines. Each item is a line, and a line feed follows it. All else is as in `stream_array`.

    After an error the text ends with the last item before it. Raises ValueError for a provider whose `dumps` is
    overridden and writes line breaks.
    """
    encode = line_encoding(item_encoder_of(current_app.json))
    return _response(items, encode, LINES, "application/jsonl", chunk_size, flush_interval)


def stream_events(
    items: AsyncIterable[Any] | Iterable[Any],
    *,
    chunk_size: int = CHUNK_SIZE,
    keep_alive: float | None = KEEP_ALIVE_S,
) -> Response:
    """A response with server-sent events of the items of a sync or async iterable.

    An item of type `bytes` is a whole event. An `SSRJSONEvent` has an id, a name and more beside its data. Any other
    item is the data of an event. Data is written compact and as the application's provider writes it.

    Events are sent at once. Events that come while a chunk is being sent are sent together, up to `chunk_size` bytes.
    While the source is silent, a comment is sent every `keep_alive` seconds. It keeps proxies from closing the
    connection and detects a client that left. `None` switches it off. A sync iterable holds a thread of the event
    loop's executor until its end.

    The iterator is closed at the end, when the client leaves, and after an error: a sync one after its next item.
    `Cache-Control: no-cache` and `X-Accel-Buffering: no` are set. Raises as `stream_array` does, and ValueError for a
    `keep_alive` of 0 or less.
    """
    check_keep_alive(keep_alive)
    batch = Batch(LINES, chunk_size, 0)
    chunks = chunks_of(items, event_encoding(item_encoder_of(current_app.json)), batch, prefers_async=True)
    body = _Body(AsyncEventChunks(chunks, batch, keep_alive=keep_alive, run=_in_thread))
    response: Response = current_app.response_class(body, mimetype=MEDIA_TYPE)
    response.timeout = None
    set_event_headers(response.headers)
    return response


async def receive_message(message_type: Any) -> Any:
    """The next message of the WebSocket, as a value of a type that pydantic knows.

    `websocket.receive_json()` goes through the application's provider; this does not. What is malformed or of another
    type raises pydantic's ValidationError; the connection stays open.
    """
    from ssrjson_web.models import _decode_message  # it needs pydantic

    return _decode_message(await websocket.receive(), message_type)


async def send_message(value: Any, message_type: Any) -> None:
    """Send a value of a type that pydantic knows, written as a `TypeAdapter` writes it. Raises pydantic's errors."""
    from ssrjson_web.models import _encode_message

    await websocket.send(_encode_message(value, message_type).decode())


async def json_items(
    request: Request, *, lines: bool | None = None, max_item_size: int | None = MAX_ITEM_SIZE
) -> AsyncGenerator[Any, None]:
    """The items of a request's body, an array or JSON Lines, one by one while it arrives.

    `lines` says which; None: as the content-type says (`application/jsonl`, `application/x-ndjson` and the like are
    JSON Lines). Quart receives a body whether it is read or not: what waits is at most `MAX_CONTENT_LENGTH` bytes, and
    more is Quart's RequestEntityTooLarge.

    Malformed JSON, and a body that is no array, go to `request.on_json_loading_failed`, as in `get_json`: a BadRequest.
    The items of the chunks before the error have been given by then. Raises RequestEntityTooLarge for an item longer
    than `max_item_size` bytes, as far as can be told from the ends of chunks; None is no limit. Raises ValueError for a
    limit below 1.
    """
    check_max_item_size(max_item_size)
    is_lines = is_lines_type(request.content_type or "") if lines is None else lines
    try:
        async for item in async_items(request.body, lines=is_lines, max_item_size=max_item_size, max_depth=None):
            yield item
    except ItemTooLongError as error:
        raise RequestEntityTooLarge(str(error)) from None
    except ValueError as error:
        request.on_json_loading_failed(error)


def _response(
    items: Any,
    encode: Callable[[Any], bytes],
    framing: Framing,
    mimetype: str,
    chunk_size: int,
    flush_interval: float,
) -> Response:
    chunks = chunks_of(items, encode, Batch(framing, chunk_size, flush_interval))
    body = _Body(chunks if isinstance(chunks, AsyncChunks) else _ThreadChunks(chunks))
    response: Response = current_app.response_class(body, mimetype=mimetype)
    response.timeout = None
    return response


def _in_thread(function: Callable[[], Any]) -> asyncio.Future[Any]:
    return asyncio.get_running_loop().run_in_executor(None, copy_context().run, function)


class _ThreadChunks(AsyncIterator[bytes]):
    """The chunks of a sync iterable. Its items are iterated and encoded in threads, one thread at a time."""

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        self._pending: asyncio.Future[bytes | None] | None = None

    async def __anext__(self) -> bytes:
        self._pending = _in_thread(lambda: next(self._chunks, None))
        # a thread cannot be stopped: after a cancellation `aclose` waits for it
        chunk = await asyncio.shield(self._pending)
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    async def aclose(self) -> None:
        """Close the items' iterator, once, and end the iteration. Raises what the iterator raises."""
        if self._pending is not None:
            await asyncio.wait([self._pending])
            self._pending.exception()  # `__anext__` raised it already, or was cancelled
        if not self._chunks.is_closed:
            await _in_thread(self._chunks.close)


class _Body(ResponseBody):
    """A body of chunks. Its source is closed however the response ends."""

    def __init__(self, chunks: AsyncChunks | AsyncEventChunks | _ThreadChunks) -> None:
        self._chunks = chunks

    async def __aenter__(self) -> _Body:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._chunks.aclose()

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._chunks
