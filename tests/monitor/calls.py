"""Commands that serve `apps` and `shop`, calls of an `asgi.MemoryMiddleware` without a server, and what one counted."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from ssrjson_web import wsgi
from ssrjson_web.asgi import MemoryMiddleware

TOKEN = "a-token-of-the-tests"
BEARER = {"authorization": f"Bearer {TOKEN}"}
RAW_BEARER = [(b"authorization", b"Bearer " + TOKEN.encode())]
UVICORN = [sys.executable, "-m", "uvicorn", "monitor.apps:asgi", "--port", "{port}", "--log-level", "warning"]
HYPERCORN = [sys.executable, "-m", "hypercorn", "monitor.apps:asgi", "-b", "127.0.0.1:{port}"]
GUNICORN_UVICORN = [
    sys.executable,
    "-m",
    "gunicorn",
    "-b",
    "127.0.0.1:{port}",
    "monitor.apps:asgi",
    "--no-control-socket",
]
GUNICORN_UVICORN += ["-k", "uvicorn_worker.UvicornWorker"]
GUNICORN = [
    sys.executable,
    "-m",
    "gunicorn",
    "-b",
    "127.0.0.1:{port}",
    "monitor.apps:wsgi",
    "--no-control-socket",
]


def serving_shop(command: list[str], name: str) -> list[str]:
    """The command, with an application of `shop`."""
    return [word.replace("apps:asgi", f"shop:{name}") for word in command]


def made(app: Any, **options: Any) -> MemoryMiddleware:
    return MemoryMiddleware(app, **{"enabled": True, "token": TOKEN, "share": False, **options})


def http(path: str = "/", method: str = "GET", headers: Any = (), **more: Any) -> dict[str, Any]:
    return {"type": "http", "path": path, "method": method, "headers": list(headers), **more}


async def exchange(app: Any, scope: dict[str, Any], *received: dict[str, Any]) -> list[dict[str, Any]]:
    """What the application sends; it receives the messages, and then that the client has gone."""
    waiting = [*received, {"type": "http.disconnect"}]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return waiting.pop(0)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent


def run(app: Any, scope: dict[str, Any], *received: dict[str, Any]) -> list[dict[str, Any]]:
    return asyncio.run(exchange(app, scope, *received))


def requests_of(middleware: MemoryMiddleware | wsgi.MemoryMiddleware) -> dict[str, Any]:
    assert middleware.monitor is not None
    figures: dict[str, Any] = middleware.monitor.stats()["requests"]
    return figures


def responses_of(middleware: MemoryMiddleware | wsgi.MemoryMiddleware) -> dict[str, int]:
    """The outcomes that were counted at all; the number of requests and of failed ones agrees with them."""
    assert middleware.monitor is not None
    stats = middleware.monitor.stats()
    responses: dict[str, int] = stats["responses"]
    assert list(responses) == ["1xx", "2xx", "3xx", "4xx", "5xx", "other", "raised", "aborted"]
    assert stats["requests"]["count"] == sum(responses.values()) == stats["latency"]["le"]["+Inf"]
    assert stats["requests"]["failed"] == responses["5xx"] + responses["raised"]
    return {how: number for how, number in responses.items() if number}


def answer(app: Any, *arguments: Any, **more: Any) -> tuple[int, dict[bytes, bytes], bytes]:
    start, *bodies = run(app, http(*arguments, **more), {"type": "http.request"})
    return start["status"], dict(start["headers"]), b"".join(message.get("body", b"") for message in bodies)


async def not_found(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 404, "headers": [(b"x-own", b"1")]})
    await send({"type": "http.response.body", "body": b"nothing here"})
