"""What an ASGI application does with one request, without a server between."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import httpx

Headers = Iterable[tuple[bytes, bytes]]


@dataclass
class Exchange:
    """A request and a client, for an application to be called with."""

    method: str = "GET"
    headers: Headers = ()
    body: tuple[bytes, ...] = (b"",)
    spec_version: str = "2.3"
    """From 2.4 on a server tells of a client that left by an OSError of `send` only."""
    send_seconds: float = 0.0
    leaves_after: int | None = None
    """How many messages the client takes before it leaves."""
    messages: list[dict[str, Any]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    n_received: int = 0

    def __post_init__(self) -> None:
        self._left = asyncio.Event()

    @property
    def scope(self) -> dict[str, Any]:
        return {
            "type": "http",
            "method": self.method,
            "path": "/",
            "raw_path": b"/",
            "root_path": "",
            "query_string": b"",
            "headers": list(self.headers),
            "asgi": {"version": "3.0", "spec_version": self.spec_version},
        }

    async def receive(self) -> dict[str, Any]:
        if self.n_received < len(self.body):
            self.n_received += 1
            is_last = self.n_received == len(self.body)
            return {"type": "http.request", "body": self.body[self.n_received - 1], "more_body": not is_last}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if self._left.is_set():
            if self.spec_version >= "2.4":
                raise OSError("the client left")
            return
        if self.send_seconds:
            await asyncio.sleep(self.send_seconds)
        self.messages.append(dict(message))
        self.times.append(time.monotonic())
        if self.leaves_after is not None and len(self.messages) >= self.leaves_after:
            self._left.set()

    async def run(self, app: Any) -> Exchange:
        await app(self.scope, self.receive, self.send)
        return self

    @property
    def chunks(self) -> list[bytes]:
        return [m["body"] for m in self.messages if m["type"] == "http.response.body" and m["body"]]

    @property
    def text(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def is_complete(self) -> bool:
        return bool(self.messages) and self.messages[-1].get("more_body") is False


def sent(response: Any, method: str = "GET") -> list[dict[str, Any]]:
    """The ASGI messages that the response sends."""

    async def run() -> list[dict[str, Any]]:
        return (await Exchange(method).run(response)).messages

    return asyncio.run(run())


def call(app: Any, path: str, method: str = "GET", **options: Any) -> httpx.Response:
    """What a client of the application gets. Errors of the application become 500s."""

    async def request() -> httpx.Response:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, path, **options)

    return asyncio.run(request())
