"""Requests to an application in this process, by a minimal ASGI server without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI

from bench.timing import Clock
from bench.web.documents import Document
from bench.web.fastapi_rivals import Kind, WebRival
from bench.web.fastapi_routes import add_route

PATH = "/page"
Message = MutableMapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer of the application."""

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes

    def header(self, name: bytes) -> bytes | None:
        """The first header of that name, in lower case."""
        return next((value for key, value in self.headers if key == name), None)


@dataclass(kw_only=True)
class Desk:
    """The values that the endpoints of an application return and receive."""

    outgoing: list[Any] = field(default_factory=list)
    """Values for the next requests; the last one is used first."""
    incoming: list[Any] = field(default_factory=list)
    """The argument that the endpoint of the last POST got."""
    keeps_incoming: bool = False


def application(rival: WebRival, kind: Kind, document: Document, desk: Desk) -> FastAPI:
    """The rival's application with one route, which uses `desk`."""

    def accept(body: Any) -> None:
        if desk.keeps_incoming:
            desk.incoming.append(body)

    app = rival.application()
    add_route(app, rival, kind, document, path=PATH, supply=lambda: desk.outgoing.pop(), accept=accept)
    return app


class Exchange:
    """An application and the server's side of its requests, on one event loop.

    The values of a GET are its endpoint's results, those of a POST are bodies.
    """

    def __init__(self, app: Any, desk: Desk, loop: asyncio.AbstractEventLoop, *, is_post: bool) -> None:
        self._app, self._desk, self._loop, self._is_post = app, desk, loop, is_post

    def timed(self, values: Sequence[Any], clock: Clock) -> int:
        """Nanoseconds for a request with each of `values`, one after the other."""
        return self._loop.run_until_complete(self._drive(values, clock))

    def ask(self, value: Any) -> Answer:
        """The answer to a single request."""
        return self._loop.run_until_complete(self._ask(value))

    async def _drive(self, values: Sequence[Any], clock: Clock) -> int:
        app, scopes = self._app, [self._scope(value) for value in values]
        receives = [self._receiver(value) for value in values]
        self._desk.outgoing[:] = [] if self._is_post else reversed(values)
        start = clock()
        for scope, receive in zip(scopes, receives, strict=True):
            await app(scope, receive, _drop)
        return clock() - start

    async def _ask(self, value: Any) -> Answer:
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        self._desk.outgoing[:] = [] if self._is_post else [value]
        await self._app(self._scope(value), self._receiver(value), keep)
        start = messages[0]
        return Answer(
            status=start["status"],
            headers=[*start["headers"]],
            body=b"".join(message.get("body", b"") for message in messages[1:]),
        )

    def _scope(self, value: Any) -> dict[str, Any]:
        headers = [(b"host", b"127.0.0.1:8000"), (b"accept", b"*/*"), (b"user-agent", b"bench")]
        if self._is_post:
            headers += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(value))]
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "POST" if self._is_post else "GET",
            "scheme": "http",
            "path": PATH,
            "raw_path": PATH.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": headers,
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 8000),
            "state": {},
        }

    def _receiver(self, value: Any) -> Callable[[], Any]:
        message = {"type": "http.request", "body": value if self._is_post else b"", "more_body": False}

        async def receive() -> Message:
            return message

        return receive


async def _drop(message: Message) -> None:
    """A `send` that sends nothing."""
