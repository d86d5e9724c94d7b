"""Quart's JSON, encoded and decoded by the core: Flask's provider and extension, which Quart takes, and streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from contextvars import copy_context
from typing import Any

try:
    from quart import Quart, Response, current_app
    from quart.wrappers.response import ResponseBody
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] != "quart":
        raise
    raise ImportError("ssrjson_web.quart needs Quart: pip install 'ssrjson_web[quart]'") from _error

from ssrjson_web._shared.batches import (
    ARRAY,
    CHUNK_SIZE,
    FLUSH_INTERVAL_S,
    LINES,
    AsyncBatches,
    Batches,
    Framing,
    are_async,
    line_encoding,
)
from ssrjson_web.flask.extension import SSRJSON as FlaskExtension
from ssrjson_web.flask.provider import FastSSRJSONProvider, SSRJSONProvider
from ssrjson_web.flask.report import route_report
from ssrjson_web.flask.streaming import item_encoder_of

__all__ = ["SSRJSON", "FastSSRJSONProvider", "SSRJSONProvider", "route_report", "stream_array", "stream_lines"]


class SSRJSON(FlaskExtension):
    """Flask's extension for Quart's applications: `SSRJSON(app)`, or `init_app(app)` of one without.

    Arguments and errors are those of `ssrjson_web.flask.SSRJSON`.
    """

    _application_class = Quart


def stream_array(
    items: AsyncIterable[Any] | Iterable[Any],
    *,
    chunk_size: int = CHUNK_SIZE,
    flush_interval: float = FLUSH_INTERVAL_S,
) -> Response:
    """A response of a JSON array of the items that an iterable gives, async or sync, sent while they are drawn.

    Items are written compact and as the application's provider writes them. A chunk is sent when `chunk_size` bytes
    are there, or with the first item that comes `flush_interval` seconds or more after the last chunk; 0 sends each
    item at once. Nothing is drawn while a chunk is being sent. Sync iterables are drawn from in threads of the event
    loop's executor, a chunk at a time. Items are drawn when the handler has returned: wrap what makes them in
    `stream_with_context` where they need the request.

    The iterator is closed (`aclose`, or `close`) at the end, when the client leaves, and after an error. An error ends
    the response without the closing bracket and is raised to the server, which ends the connection. The response's
    `timeout` is None: Quart would cut it off after `RESPONSE_TIMEOUT`, 60 seconds.

    Raises TypeError for items that cannot be iterated over, or are one JSON value: text, bytes or a mapping. Raises
    ValueError for a chunk size below 1, a negative interval. Raises RuntimeError where the application's provider is
    none of ours.
    """
    encode = item_encoder_of(current_app.json)
    return _response(items, encode, ARRAY, current_app.json.mimetype, chunk_size, flush_interval)  # type: ignore[attr-defined]


def stream_lines(
    items: AsyncIterable[Any] | Iterable[Any],
    *,
    chunk_size: int = CHUNK_SIZE,
    flush_interval: float = FLUSH_INTERVAL_S,
) -> Response:
    """A response of JSON Lines: each item is a line, with a line feed behind it. All else is as in `stream_array`.

    After an error the text ends with the last item before it. Raises ValueError for a provider whose `dumps` is
    overridden and writes line breaks.
    """
    encode = line_encoding(item_encoder_of(current_app.json))
    return _response(items, encode, LINES, "application/jsonl", chunk_size, flush_interval)


def _response(
    items: Any,
    encode: Callable[[Any], bytes],
    framing: Framing,
    mimetype: str,
    chunk_size: int,
    flush_interval: float,
) -> Response:
    kind: Any = AsyncBatches if are_async(items) else Batches
    batches = kind(items, encode, framing=framing, chunk_size=chunk_size, flush_interval=flush_interval)
    body = _Body(batches if kind is AsyncBatches else _ThreadBatches(batches))
    response: Response = current_app.response_class(body, mimetype=mimetype)
    response.timeout = None
    return response


class _ThreadBatches(AsyncIterator[bytes]):
    """The chunks of `Batches`, each drawn in a thread."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._drawing: asyncio.Future[bytes | None] | None = None

    async def __anext__(self) -> bytes:
        self._drawing = self._in_thread(lambda: next(self._batches, None))
        # a thread cannot be stopped: one whose chunk nobody waits for any more is waited for in closing
        chunk = await asyncio.shield(self._drawing)
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    async def aclose(self) -> None:
        """Close the items' iterator, once; nothing comes after that."""
        if self._drawing is not None:
            await asyncio.wait([self._drawing])
            self._drawing.exception()  # raised by the drawing already, or for nobody
        if not self._batches.is_over:
            await self._in_thread(self._batches.close)

    def _in_thread(self, function: Callable[[], Any]) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().run_in_executor(None, copy_context().run, function)


class _Body(ResponseBody):
    """A body of batches, which are closed however it ends."""

    def __init__(self, batches: AsyncBatches | _ThreadBatches) -> None:
        self._batches = batches

    async def __aenter__(self) -> _Body:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._batches.aclose()

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._batches
