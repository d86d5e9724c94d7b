"""One request to an ASGI application, without a server between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

__all__ = ["asker"]

_LOOP = asyncio.new_event_loop()


def asker(app: Any) -> Callable[[str, str, bytes], Callable[[], Any]]:
    """A function that makes a call of a method, a path and a body: it returns status, headers and body."""

    async def exchange(method: str, path: str, body: bytes) -> Any:
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
            "server": ("localhost", 80),
            "client": ("127.0.0.1", 1),
            "asgi": {"version": "3.0", "spec_version": "2.3"},
        }
        await app(scope, receive, send)
        start, *rest = sent
        return start["status"], start["headers"], b"".join(message.get("body", b"") for message in rest)

    return lambda method, path, body: lambda: _LOOP.run_until_complete(exchange(method, path, body))
