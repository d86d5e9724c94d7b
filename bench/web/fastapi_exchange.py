"""Requests to an application in this process, by a minimal ASGI server without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI

from bench.kit.asgi import Answer, exchange, receiver, scope_of
from bench.timing import Clock
from bench.web.documents import Document
from bench.web.fastapi_rivals import Kind, WebRival
from bench.web.fastapi_routes import add_route

PATH = "/page"


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
        self._desk.outgoing[:] = [] if self._is_post else [value]
        return await exchange(self._app, self._scope(value), self._receiver(value))

    def _scope(self, value: Any) -> dict[str, Any]:
        headers = [(b"host", b"127.0.0.1:8000"), (b"accept", b"*/*"), (b"user-agent", b"bench")]
        if self._is_post:
            headers += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(value))]
        return scope_of("POST" if self._is_post else "GET", PATH, headers=headers)

    def _receiver(self, value: Any) -> Callable[[], Any]:
        return receiver(value if self._is_post else b"")


async def _drop(message: Any) -> None:
    """A `send` that sends nothing."""
