"""Responses whose text is made in slices of time, between which the event loop runs other tasks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, ClassVar

from starlette.background import BackgroundTask
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from ssrjson_web._core import Encoder
from ssrjson_web._known.functions import Seams
from ssrjson_web._shared.slices import CHUNK_SIZE, PIECE_BYTES, LongText, Slices, collect, release

__all__ = ["SLICE_FROM", "SLICE_MS", "LateText", "Sliced"]

SLICE_MS = 2.0
SLICE_FROM = 1 << 18
USED_UP = "a response whose body is sent in slices can be sent once: make one for each request"


class LateText:
    """A text of which the first part is made."""

    def __init__(
        self, content: Any, chunks: Iterator[bytes], instead: Callable[[Any, Exception], bytes] | None = None
    ) -> None:
        self._held = [content]
        self._chunks = chunks
        self._instead = instead
        """Makes the whole text, or raises, where an exception ended the chunks."""
        self._parts: list[bytes] = []
        self._is_finished = False

    def begin(self, n_bytes: int) -> bytes | None:
        """The text, if it has no more than about n_bytes; None where there is more."""
        failure: Exception | None = None
        try:
            for chunk in self._chunks:
                self._parts.append(chunk)
                n_bytes -= len(chunk)
                if n_bytes < 0:
                    return None
        except Exception as error:
            failure = error
        return self._whole(failure)

    def finish(self) -> bytes:
        """The whole text, at once."""
        self._finish_once()
        failure: Exception | None = None
        try:
            self._parts.extend(self._chunks)
        except Exception as error:
            failure = error
        return self._whole(failure)

    async def finish_in_slices(self, slices: Slices) -> LongText:
        """The whole text. What it was made of is released."""
        self._finish_once()
        text = LongText()
        failure: Exception | None = None
        try:
            await collect(itertools.chain(self._parts, self._chunks), slices, text)
        except Exception as error:
            failure = error
        self._chunks = iter(())
        if failure is not None:
            text = LongText()
            text.add(self._whole(failure))
        await release(self._held, slices)
        return text

    def _finish_once(self) -> None:
        """Raises RuntimeError the second time, as for a copy of a response: the parts are used up."""
        if self._is_finished:
            raise RuntimeError(USED_UP)
        self._is_finished = True

    def _whole(self, failure: Exception | None) -> bytes:
        if failure is None:
            return b"".join(self._parts)
        if self._instead is None:
            raise failure
        return self._instead(self._held[0], failure)


_SEAMS = Seams(
    lambda: (JSONResponse.render, JSONResponse.__init__, Response.__init__, Response.__call__),
    *("starlette.responses.JSONResponse.render", "starlette.responses.JSONResponse.__init__"),
    *("starlette.responses.Response.__init__", "starlette.responses.Response.__call__"),
    left="answers in slices, which are made at once",
)


class Sliced(JSONResponse):
    """What `SSRJSONResponse.sliced` adds to a response class.

    A text of up to `slice_from` bytes is made by the constructor, like any other. The rest of a longer one is made when
    the response is sent, in slices of `slice_ms` milliseconds. The client sees no difference.
    """

    encoder: ClassVar[Encoder]
    slice_ms: ClassVar[float]
    slice_from: ClassVar[int]
    sliced_render: ClassVar[Any]
    """The method `render` that makes the text that is made in slices."""

    _late: LateText | None = None
    _length_index = 0

    def __init__(
        self,
        content: Any,
        status_code: int = 200,
        headers: Any = None,
        media_type: str | None = None,
        background: BackgroundTask | None = None,
    ) -> None:
        is_changed = type(self).render is not type(self).sliced_render  # by a subclass
        if is_changed or not _SEAMS.are_known():
            super().__init__(content, status_code, headers, media_type, background)
            return
        late = self._text_of(content)
        body = late if isinstance(late, bytes) else late.begin(self.slice_from)
        own_render = vars(self).get("render")
        self.render = lambda _content: body  # type: ignore[method-assign, assignment, return-value]
        try:
            super().__init__(None, status_code, headers, media_type, background)
        finally:
            del self.render
            if own_render is not None:
                self.render = own_render  # type: ignore[method-assign]
        if body is None:
            assert isinstance(late, LateText)
            del self.body
            self._late = late
            self._length_index = len(headers or ())  # where the stock class has it

    def _text_of(self, content: Any) -> LateText | bytes:
        """The text of the content, whole or to be made."""
        return LateText(content, self.encoder._with_escaped_surrogates().iterencode(content, CHUNK_SIZE))

    @cached_property
    def body(self) -> bytes:  # type: ignore[override]
        """The text. It is made at once where it is read before the response is sent."""
        late = self._late
        if late is None:
            raise AttributeError("the body was sent in slices and is not kept: read it before the response is sent")
        body = late.finish()
        self._late = None
        self._add_length(len(body))
        return body

    def _add_length(self, n_bytes: int) -> None:
        has_length = any(name == b"content-length" for name, _ in self.raw_headers)
        if not has_length and self.status_code >= 200 and self.status_code not in (204, 304):
            self.raw_headers.insert(self._length_index, (b"content-length", b"%d" % n_bytes))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if "body" in vars(self) or scope["type"] != "http":
            self.body  # noqa: B018  # adds its length to the headers, which are sent first
            await super().__call__(scope, receive, send)
            return
        late, self._late = self._late, None
        if late is None:
            raise RuntimeError(USED_UP)
        slices = Slices(self.slice_ms)
        await slices.pause()  # after the constructor's part
        text = await late.finish_in_slices(slices)
        self._add_length(text.n_bytes)
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        n_left = text.n_bytes
        for piece in text.pieces(PIECE_BYTES):
            if slices.are_due:
                await slices.pause()
            n_left -= len(piece)
            await send({"type": "http.response.body", "body": piece, "more_body": n_left > 0})
        if self.background is not None:
            await self.background()
