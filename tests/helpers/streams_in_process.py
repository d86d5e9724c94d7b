"""What each adapter's streams would send, without a server: a way for each kind of source and of server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import pytest

__all__ = ["IN_A_LOOP", "IN_PROCESS", "InProcess"]


class InProcess:
    """The streams of an adapter. `kind` is that of the sources: "sync" or "async"."""

    array: Any
    lines: Any
    events: Any
    event: Any
    """The class of an event with fields."""
    event_options: tuple[dict[str, Any], ...] = ({},)
    sends_together = False
    """Whether items that are ready go out in one chunk, whatever the interval is."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def make(self, stream: Any, items: Any, **options: Any) -> Any:
        """The response that streams items."""
        return stream(items, **options)

    def content_type(self, response: Any) -> str:
        """The type that a response tells."""
        return str(response.headers["Content-Type"])

    def send(self, response: Any, sent: list[bytes]) -> None:
        """Add to a list what a server would send."""
        asyncio.run(self.serve(response, sent))

    async def serve(self, response: Any, sent: list[bytes]) -> None:
        """The same in an event loop, where the server has one."""
        raise NotImplementedError

    def chunks(self, stream: Any, items: Any, **options: Any) -> list[bytes]:
        """What is sent of a stream of items."""
        sent: list[bytes] = []
        self.send(self.make(stream, items, **options), sent)
        return sent


class _Flask(InProcess):
    event_options = ({"keep_alive": None}, {"keep_alive": 15})

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        flask = pytest.importorskip("flask", reason="Flask is not installed")
        from ssrjson_web.flask import SSRJSON, SSRJSONEvent, stream_array, stream_events, stream_lines

        self.array, self.lines, self.events, self.event = stream_array, stream_lines, stream_events, SSRJSONEvent
        self._app = flask.Flask("stream")
        SSRJSON(self._app, ensure_ascii=False)

    def make(self, stream: Any, items: Any, **options: Any) -> Any:
        with self._app.app_context():
            response = stream(items, **options)
        assert (response.is_streamed, response.content_length) == (True, None)
        return response

    def send(self, response: Any, sent: list[bytes]) -> None:
        with contextlib.closing(response):
            sent.extend(response.response)


class _Quart(InProcess):
    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        quart = pytest.importorskip("quart", reason="Quart is not installed")
        from ssrjson_web.quart import SSRJSON, SSRJSONEvent, stream_array, stream_events, stream_lines

        self.array, self.lines, self.events, self.event = stream_array, stream_lines, stream_events, SSRJSONEvent
        self._app = quart.Quart("stream")
        SSRJSON(self._app, ensure_ascii=False)

    def make(self, stream: Any, items: Any, **options: Any) -> Any:
        async def make() -> Any:
            async with self._app.app_context():
                return stream(items, **options)

        response = asyncio.run(make())
        assert response.timeout is None
        return response

    async def serve(self, response: Any, sent: list[bytes]) -> None:
        async with response.response as body:
            async for chunk in body:
                sent.append(chunk)


class _Django(InProcess):
    def __init__(self, kind: str, *, by_asgi: bool) -> None:
        super().__init__(kind)
        pytest.importorskip("django", reason="Django is not installed")
        import helpers.django_project  # noqa: F401
        from ssrjson_web.django import (
            SSRJSONEvent,
            SSRJSONEventResponse,
            SSRJSONLinesResponse,
            SSRJSONStreamingResponse,
        )

        self.array, self.lines, self.events = SSRJSONStreamingResponse, SSRJSONLinesResponse, SSRJSONEventResponse
        self.event, self._by_asgi = SSRJSONEvent, by_asgi
        self.event_options = ({},) if by_asgi else ({}, {"wsgi_keep_alive": 15})

    def send(self, response: Any, sent: list[bytes]) -> None:
        with contextlib.closing(response):
            if self._by_asgi:
                super().send(response, sent)
            else:
                sent.extend(response)

    async def serve(self, response: Any, sent: list[bytes]) -> None:
        from asgiref.sync import ThreadSensitiveContext

        async with ThreadSensitiveContext(), contextlib.aclosing(aiter(response)) as content:
            async for chunk in content:
                sent.append(chunk)


class _Starlette(InProcess):
    sends_together = True

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        pytest.importorskip("starlette", reason="Starlette is not installed")
        from ssrjson_web.starlette import (
            SSRJSONEvent,
            SSRJSONEventResponse,
            SSRJSONLinesResponse,
            SSRJSONStreamingResponse,
        )

        self.array, self.lines, self.events = SSRJSONStreamingResponse, SSRJSONLinesResponse, SSRJSONEventResponse
        from helpers.asgi_exchange import Exchange

        self.event, self._exchange = SSRJSONEvent, Exchange

    async def serve(self, response: Any, sent: list[bytes]) -> None:
        exchange = self._exchange()

        async def send(message: Any) -> None:
            exchange.messages[:] = [message]
            if message.get("body"):
                sent.append(message["body"])

        await response(exchange.scope, exchange.receive, send)
        assert exchange.is_complete


IN_PROCESS: dict[str, Callable[[], InProcess]] = {
    "flask": lambda: _Flask("sync"),
    "quart, sync": lambda: _Quart("sync"),
    "quart, async": lambda: _Quart("async"),
    "django by WSGI": lambda: _Django("sync", by_asgi=False),
    "django by ASGI, sync": lambda: _Django("sync", by_asgi=True),
    "django by ASGI, async": lambda: _Django("async", by_asgi=True),
    "starlette, sync": lambda: _Starlette("sync"),
    "starlette, async": lambda: _Starlette("async"),
}
"""Each skips the test where its framework is not installed."""
IN_A_LOOP = [name for name in IN_PROCESS if name not in ("flask", "django by WSGI")]
"""Those whose server has an event loop."""
