"""Responses of many items, streamed in chunks with back-pressure and bounded memory."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from typing import Any, ClassVar

import anyio
from starlette.background import BackgroundTask
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from ssrjson_web._core import Encoder
from ssrjson_web._shared.streaming import ARRAY, CHUNK_SIZE, FLUSH_INTERVAL_S, LINES, Framing, line_encoder
from ssrjson_web.starlette._chunks import ClockedChunks
from ssrjson_web.starlette._responses import STOCK_ENCODER

__all__ = ["ChunkedResponse", "SSRJSONLinesResponse", "SSRJSONStreamingResponse"]


class ChunkedResponse(StreamingResponse):
    """A `StreamingResponse` that always closes the source of its chunks."""

    def __init__(
        self,
        chunks: ClockedChunks,
        status_code: int,
        headers: Mapping[str, str] | None,
        media_type: str | None,
        background: BackgroundTask | None,
    ) -> None:
        super().__init__(chunks, status_code, headers, media_type, background)
        self._chunks = chunks
        self._send_chunks = chunks.send_to

    async def stream_response(self, send: Send) -> None:
        if self.body_iterator is not self._chunks:  # middleware or the endpoint replaced it
            await super().stream_response(send)
            return

        async def send_chunk(chunk: bytes) -> None:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})

        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await self._send_chunks(send_chunk)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raised: BaseException | None = None
        try:
            if scope["type"] == "http" and scope["method"] == "HEAD":
                await self._send_no_body(send)
            else:
                await super().__call__(scope, receive, send)
        except Exception as error:
            raised = error
        finally:
            with anyio.CancelScope(shield=True):
                await self._chunks.aclose()
        # older Starlettes wrap the source's error in a group; an error of closing is raised only here
        failure = self._chunks.pop_failure()
        if isinstance(failure, Exception):
            raised = failure
        if raised is not None:
            raise raised

    async def _send_no_body(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        if self.background is not None:
            await self.background()


class SSRJSONStreamingResponse(ChunkedResponse):
    """A JSON array of the items of a sync or async iterable, streamed with back-pressure.

    A chunk is sent when it has `chunk_size` bytes, or when its first item has waited for `flush_interval` seconds. No
    further item is iterated while a chunk is being sent. Memory holds one chunk and at most one item. Sync iterables
    are iterated in the threadpool, one chunk at a time.

    Items are encoded by `encoder`, by default as `SSRJSONResponse` does. The iterator is closed (`aclose`, or `close`)
    at the end, when the client leaves, and after an error. An error ends the connection without the closing bracket,
    so that no client takes the text for complete, and is raised. HEAD iterates nothing.

    Raises TypeError for content that cannot be iterated, and for text, bytes and mappings. Raises ValueError for a
    chunk size below 1 and a negative interval.
    """

    media_type = "application/json"
    _framing: ClassVar[Framing] = ARRAY

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
        flush_interval: float = FLUSH_INTERVAL_S,
    ) -> None:
        chunks = ClockedChunks(
            content,
            self._encoding(encoder),
            framing=self._framing,
            chunk_size=chunk_size,
            flush_interval=flush_interval,
        )
        super().__init__(chunks, status_code, headers, media_type, background)

    @staticmethod
    def _encoding(encoder: Encoder) -> Callable[[Any], bytes]:
        return encoder._with_escaped_surrogates().encode


class SSRJSONLinesResponse(SSRJSONStreamingResponse):
    """JSON Lines of the items of a sync or async iterable. Each item is a line, and a line feed follows it.

    U+0085, U+2028 and U+2029 are escaped: clients that use `str.splitlines` take them for ends of a line.
    All else is as in `SSRJSONStreamingResponse`. After an error the text ends with the last item before it.
    Raises ValueError for an encoder that writes line breaks.
    """

    media_type = "application/jsonl"
    _framing = LINES

    @staticmethod
    def _encoding(encoder: Encoder) -> Callable[[Any], bytes]:
        return line_encoder(encoder._with_escaped_surrogates())
