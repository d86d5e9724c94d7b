"""Server-sent events whose data is JSON."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Mapping
from typing import Any

from asgiref.sync import sync_to_async
from django.db import connections
from django.http import StreamingHttpResponse

from ssrjson_web._shared.event_chunks import AsyncEventChunks, ThreadEventChunks
from ssrjson_web._shared.events import (
    KEEP_ALIVE_S,
    MEDIA_TYPE,
    check_keep_alive,
    event_encoding,
    set_event_headers,
)
from ssrjson_web._shared.streaming import CHUNK_SIZE, LINES, Batch, Chunks, chunks_of
from ssrjson_web.django._encoders import DjangoJSONEncoder
from ssrjson_web.django._rendering import rendering_for

__all__ = ["SSRJSONEventResponse"]


class SSRJSONEventResponse(StreamingHttpResponse):
    """Server-sent events of the items of a sync or async iterable.

    An item of type `bytes` is a whole event. An `SSRJSONEvent` has an id, a name and more beside its data. Any other
    item is the data of an event. Data is written as `SSRJSONResponse` writes it.

    Events are sent at once. Under ASGI, events that come while a chunk is being sent are sent together, up to
    `chunk_size` bytes. While the source is silent, a comment is sent every `keep_alive` seconds. It keeps proxies from
    closing the connection and detects a client that left. `None` switches it off. Sync items are iterated in the thread
    of the request's sync code.

    Under WSGI items are iterated in the request's thread, without comments. With `wsgi_keep_alive`, in seconds, they
    are iterated in a thread of their own, with database connections of its own, and all is as under ASGI.

    The iterator is closed at the end, when the client leaves, and after an error: a sync one after its next item.
    `Cache-Control: no-cache` and `X-Accel-Buffering: no` are added where `headers` does not have these names.

    Raises TypeError for items that cannot be iterated, and for text, bytes and mappings. Raises ValueError for a chunk
    size below 1, and a keep-alive of 0 or less.
    """

    def __init__(
        self,
        items: Iterable[Any] | AsyncIterable[Any],
        encoder: Any = DjangoJSONEncoder,
        json_dumps_params: Mapping[str, Any] | None = None,
        *,
        chunk_size: int = CHUNK_SIZE,
        keep_alive: float | None = KEEP_ALIVE_S,
        wsgi_keep_alive: float | None = None,
        **kwargs: Any,
    ) -> None:
        check_keep_alive(keep_alive)
        check_keep_alive(wsgi_keep_alive)
        kwargs.setdefault("content_type", MEDIA_TYPE)
        rendering: Callable[[Any], Any] = rendering_for(encoder, json_dumps_params, "utf-8")
        self._batch = Batch(LINES, chunk_size, 0)
        self._chunks = chunks_of(items, event_encoding(rendering), self._batch)
        self._keep_alive = keep_alive
        self._sent: Any = self._chunks
        if not isinstance(self._chunks, Chunks):
            self._sent = AsyncEventChunks(self._chunks, self._batch, keep_alive=keep_alive)
        elif wsgi_keep_alive is not None:
            self._sent = ThreadEventChunks(
                self._chunks, self._batch, keep_alive=wsgi_keep_alive, on_end=connections.close_all
            )
        super().__init__(self._sent, **kwargs)
        set_event_headers(self.headers)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The chunks, for ASGI."""
        content: Any = self.streaming_content
        if not self.is_async:
            is_replaced = getattr(self, "_iterator", None) is not self._sent  # a middleware has wrapped the content
            content = _in_thread(content) if is_replaced else self._sync_events()
        try:
            async for chunk in content:
                yield chunk
        finally:
            if isinstance(self._sent, AsyncEventChunks):
                await self._sent.aclose()
            elif isinstance(self._sent, ThreadEventChunks):
                self._sent.close()
            elif isinstance(self._chunks, Chunks) and not self._chunks.is_closed:
                await sync_to_async(self._chunks.close)()

    def _sync_events(self) -> AsyncEventChunks:
        events = AsyncEventChunks(
            self._chunks, self._batch, keep_alive=self._keep_alive, run=lambda function: sync_to_async(function)()
        )
        self._sent = events
        return events


async def _in_thread(content: Any) -> AsyncIterator[bytes]:
    next_chunk = sync_to_async(lambda: next(content, None))
    while (chunk := await next_chunk()) is not None:
        yield chunk
