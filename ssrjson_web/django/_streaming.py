"""Responses of many items, streamed in chunks with back-pressure and bounded memory."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Mapping
from typing import Any, ClassVar

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse

from ssrjson_web._shared.streaming import (
    ARRAY,
    CHUNK_SIZE,
    FLUSH_INTERVAL_S,
    LINES,
    AsyncChunks,
    Batch,
    Framing,
    chunks_of,
    line_encoding,
)
from ssrjson_web.django._encoders import DjangoJSONEncoder
from ssrjson_web.django._rendering import is_utf8, rendering_for

__all__ = ["SSRJSONLinesResponse", "SSRJSONStreamingResponse"]


class SSRJSONStreamingResponse(StreamingHttpResponse):
    """A JSON array of the items of a sync or async iterable, streamed with back-pressure.

    Items are written as `SSRJSONResponse` writes data. A chunk is sent when it has `chunk_size` bytes, or with the
    first item that comes `flush_interval` seconds or more after the server asked for the chunk. 0 sends each item at
    once. No item is iterated while a chunk is being sent. Under ASGI a sync iterable is iterated in a thread, always
    the same one, a chunk at a time. Under WSGI Django reads an async iterable as a whole, with a warning.

    The iterator is closed (`close`, or `aclose`) at the end, when the client leaves, and after an error. An error ends
    the response without the closing bracket and is raised to the server, which ends the connection.

    Raises TypeError for items that cannot be iterated, and for text, bytes and mappings. Raises ValueError for a
    charset other than UTF-8, a chunk size below 1, and a negative interval.
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
        kwargs.setdefault("content_type", self._media_type)
        encode = self._encoding(rendering_for(encoder, json_dumps_params, "utf-8"))
        self._chunks = chunks_of(items, encode, Batch(self._framing, chunk_size, flush_interval))
        super().__init__(self._chunks, **kwargs)
        is_charset_named = kwargs.get("charset") is not None or "charset=" in self.headers["Content-Type"].lower()
        if is_charset_named and not is_utf8(self.charset):
            raise ValueError(f"a JSON stream must be in UTF-8, not in {self.charset}")

    @staticmethod
    def _encoding(rendering: Callable[[Any], Any]) -> Callable[[Any], bytes]:
        return rendering

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The chunks, for ASGI."""
        chunks = self._chunks
        try:
            # not necessarily the chunks: a middleware may have wrapped them
            content: Any = self.streaming_content
            if self.is_async:
                async for chunk in content:
                    yield chunk
            else:
                next_chunk = sync_to_async(lambda: next(content, None))
                while (chunk := await next_chunk()) is not None:
                    yield chunk
        finally:
            if isinstance(chunks, AsyncChunks):
                await chunks.aclose()
            elif not chunks.is_closed:
                await sync_to_async(chunks.close)()


class SSRJSONLinesResponse(SSRJSONStreamingResponse):
    """JSON Lines of the items of a sync or async iterable. Each item is a line, and a line feed follows it.

    All else is as in `SSRJSONStreamingResponse`. After an error the text ends with the last item before it.
    Raises ValueError for an encoder or parameters that write line breaks.
    """

    _media_type = "application/jsonl"
    _framing = LINES

    @staticmethod
    def _encoding(rendering: Callable[[Any], Any]) -> Callable[[Any], bytes]:
        return line_encoding(rendering)
