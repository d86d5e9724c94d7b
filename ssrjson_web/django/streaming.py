"""Responses of many items: sent while they are drawn, in chunks, with bounded memory."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Mapping
from typing import Any, ClassVar

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse

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
from ssrjson_web.django.encoders import DjangoJSONEncoder
from ssrjson_web.django.rendering import is_utf8, rendering_for

__all__ = ["JSONLinesResponse", "StreamingJSONResponse"]


class StreamingJSONResponse(StreamingHttpResponse):
    """A JSON array of the items that an iterable gives, sync or async, sent while they are drawn.

    Items are written as `SSRJSONResponse` writes data. A chunk is sent when `chunk_size` bytes are there, or with the
    first item that comes `flush_interval` seconds or more after the last chunk; 0 sends each item at once. Nothing is
    drawn while a chunk is being sent. Under ASGI a sync iterable is drawn from in a thread, a chunk at a time, the same
    thread each time; under WSGI an async one is drawn as a whole by Django, which warns.

    The iterator is closed (`close`, or `aclose`) at the end, when the client leaves, and after an error. An error ends
    the response without the closing bracket and is raised to the server, which ends the connection.

    Raises TypeError for items that cannot be iterated over, or are one JSON value: text, bytes or a mapping. Raises
    ValueError for a charset other than UTF-8, a chunk size below 1, a negative interval.
    """

    _media_type: ClassVar[str] = "application/json"
    _framing: ClassVar[Framing] = ARRAY

    def __init__(
        self,
        items: Iterable[Any] | AsyncIterable[Any],
        encoder: Any = DjangoJSONEncoder,
        json_dumps_params: Mapping[str, Any] | None = None,
        *,
        chunk_size: int = CHUNK_SIZE,
        flush_interval: float = FLUSH_INTERVAL_S,
        **kwargs: Any,
    ) -> None:
        kind: Any = AsyncBatches if are_async(items) else Batches
        kwargs.setdefault("content_type", self._media_type)
        super().__init__((), **kwargs)
        is_charset_named = kwargs.get("charset") is not None or "charset=" in self.headers["Content-Type"].lower()
        if is_charset_named and not is_utf8(self.charset):
            raise ValueError(f"a stream of JSON is in UTF-8, not in {self.charset}")
        self._batches = kind(
            items,
            self._encoding(rendering_for(encoder, json_dumps_params, "utf-8")),
            framing=self._framing,
            chunk_size=chunk_size,
            flush_interval=flush_interval,
        )
        self.streaming_content: Any = self._batches

    @staticmethod
    def _encoding(rendering: Callable[[Any], Any]) -> Callable[[Any], bytes]:
        return rendering

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The chunks, for ASGI."""
        batches = self._batches
        try:
            # not necessarily the batches: a middleware may have put its own around them
            if self.is_async:
                async for chunk in self.streaming_content:
                    yield chunk
            else:
                content = self.streaming_content
                draw = sync_to_async(lambda: next(content, None))
                while (chunk := await draw()) is not None:
                    yield chunk
        finally:
            if isinstance(batches, AsyncBatches):
                await batches.aclose()
            elif not batches.is_over:
                await sync_to_async(batches.close)()


class JSONLinesResponse(StreamingJSONResponse):
    """JSON Lines of the items that an iterable gives, sync or async: each is a line, with a line feed behind it.

    All else is as in `StreamingJSONResponse`; after an error the text ends with the last item before it.
    Raises ValueError for an encoder or parameters that write line breaks.
    """

    _media_type = "application/jsonl"
    _framing = LINES

    @staticmethod
    def _encoding(rendering: Callable[[Any], Any]) -> Callable[[Any], bytes]:
        return line_encoding(rendering)
