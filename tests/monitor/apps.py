"""Small applications with a memory middleware, for real servers: `monitor.apps:asgi` and `:wsgi`."""

from __future__ import annotations

import asyncio
import http
import itertools
import json
import os
from collections.abc import Iterator
from typing import Any

import ssrjson_web
from ssrjson_web import asgi as _asgi
from ssrjson_web import wsgi as _wsgi
from ssrjson_web.monitor import watch

TOKEN = os.environ.get("MONITOR_TOKEN", "a-token-of-the-tests")
PREFIX = "/ssrjson"
BOOKS = [{"id": n, "title": "红楼梦" * 20 + str(n)} for n in range(100)]
OPTIONS: dict[str, Any] = {"enabled": True, "token": TOKEN, "observe": ["json"], "server_timing": True}
watch(BOOKS)


async def _asgi_books(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        while (message := await receive())["type"] != "lifespan.shutdown":
            await send({"type": message["type"] + ".complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        text = (await receive())["text"]
        await send({"type": "websocket.send", "text": text.upper()})
        await send({"type": "websocket.close"})
        return
    body = b""
    while (message := await receive())["type"] == "http.request":
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    status, headers, chunks = _answer(scope["path"], scope["method"], body)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    leaving = asyncio.ensure_future(receive())
    for chunk in chunks:
        if scope["path"] == "/endless":
            await asyncio.sleep(0.01)
            if leaving.done():
                return
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
    leaving.cancel()


def _answer(path: str, method: str, body: bytes) -> tuple[int, list[tuple[bytes, bytes]], Iterator[bytes]]:
    headers = [(b"content-type", b"application/json")]
    if path == "/books" and method == "GET":
        return 200, headers, iter([ssrjson_web.dumps_to_bytes(BOOKS)])
    if path == "/json":
        return 200, headers, iter([json.dumps(BOOKS).encode()])
    if path == "/books":
        return 200, headers, iter([ssrjson_web.dumps_to_bytes(ssrjson_web.loads(body))])
    if path == "/stream":
        return 200, headers, ssrjson_web.Encoder().iterencode(BOOKS, 1000)
    if path.startswith("/status/"):
        return int(path[8:]), headers, iter([])
    if path == "/raise":
        raise RuntimeError("as an application raises")
    if path == "/endless":
        return 200, headers, itertools.repeat(b"x" * 1000)
    return 404, [(b"content-type", b"text/plain")], iter([b"no such book"])


def _wsgi_books(environ: Any, start_response: Any) -> Iterator[bytes]:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(length) if length else b""
    status, headers, chunks = _answer(environ["PATH_INFO"], environ["REQUEST_METHOD"], body)
    start_response(
        f"{status} {http.HTTPStatus(status).phrase}", [(name.decode(), value.decode()) for name, value in headers]
    )
    return chunks


asgi = _asgi.MemoryMiddleware(_asgi_books, **OPTIONS)
wsgi = _wsgi.MemoryMiddleware(_wsgi_books, **OPTIONS)
