"""Requests to ASGI applications in this process, without a socket."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Answer", "exchange", "receiver", "scope_of"]

Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer of an application."""

    status: int
    headers: Headers
    body: bytes

    def header(self, name: bytes) -> bytes | None:
        """The first header of that name, in lower case."""
        return next((value for key, value in self.headers if key == name), None)


def scope_of(method: str, path: str, *, query: bytes = b"", headers: Headers = ()) -> dict[str, Any]:
    """The scope of a request, as servers make it."""
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query,
        "headers": [*headers],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }


def receiver(body: bytes = b"") -> Callable[[], Any]:
    """A `receive` that gives a body."""
    message = {"type": "http.request", "body": body, "more_body": False}

    async def receive() -> Mapping[str, Any]:
        return message

    return receive


async def exchange(app: Any, scope: Mapping[str, Any], receive: Callable[[], Any]) -> Answer:
    """The answer to one request."""
    messages: list[Mapping[str, Any]] = []

    async def send(message: Mapping[str, Any]) -> None:
        messages.append(message)

    await app(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in messages[1:])
    return Answer(status=messages[0]["status"], headers=[*messages[0]["headers"]], body=body)
