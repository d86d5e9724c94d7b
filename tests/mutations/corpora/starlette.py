"""Requests and WebSockets of a Starlette application."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.endpoints import WebSocketEndpoint
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from ssrjson_web.starlette import SSRJSONRequest, SSRJSONResponse, SSRJSONRoute, SSRJSONWebSocketRoute

LIBRARIES = ("starlette",)
PRELOADED = ("anyio", "typing_extensions", "python_multipart")

VALUE = {"é": [1, 2.5, True, None, "中", {"a": "b"}]}


async def get_value(request: Request) -> Any:
    return VALUE


async def echo(request: Request) -> Any:
    return {"got": await request.json(), "again": await request.json(), "n": len(await request.body())}


async def talk(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_json(VALUE)
    await websocket.send_json([await websocket.receive_json()], mode="binary")
    await websocket.close()


class Talk(WebSocketEndpoint):
    encoding = "json"

    async def on_receive(self, websocket: WebSocket, data: Any) -> None:
        await websocket.send_json({"got": data})


def _plain(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    async def answer(request: Request) -> Any:
        return JSONResponse(await endpoint(request), headers={"x-a": "1"})

    return answer


def _ours(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    async def answer(request: Request) -> Any:
        return SSRJSONResponse(await endpoint(request), headers={"x-a": "1"})

    return answer


def build(is_ours: bool) -> Starlette:
    wrap, route, socket = (_ours, SSRJSONRoute, SSRJSONWebSocketRoute) if is_ours else (_plain, Route, WebSocketRoute)
    return Starlette(
        routes=[
            route("/value", wrap(get_value)),
            route("/echo", wrap(echo), methods=["POST"]),
            socket("/talk", talk),
            socket("/class", Talk),
        ]
    )


def _http(method: str, path: str, body: bytes = b"") -> tuple[dict[str, Any], list[dict[str, Any]]]:
    scope = {"type": "http", "method": method, "headers": [(b"content-type", b"application/json")]}
    return {**scope, "path": path}, [{"type": "http.request", "body": body, "more_body": False}]


def _socket(path: str, *texts: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    scope = {"type": "websocket", "path": path, "headers": [], "subprotocols": []}
    texts_in = [{"type": "websocket.receive", "text": text} for text in texts]
    return scope, [{"type": "websocket.connect"}, *texts_in, {"type": "websocket.disconnect", "code": 1000}]


EXCHANGES = {
    "value": _http("GET", "/value"),
    "missing": _http("GET", "/missing"),
    "echo": _http("POST", "/echo", '{"a": [1, "é"]}'.encode()),
    "malformed": _http("POST", "/echo", b'{"a'),
    "talk": _socket("/talk", '{"a": 1}'),
    "malformed talk": _socket("/talk", '{"a'),
    "class": _socket("/class", '{"a": 1}', "[]"),
    "malformed class": _socket("/class", '{"a'),
}


def _sent(app: Any, scope: dict[str, Any], received: list[dict[str, Any]]) -> Any:
    sent: list[Any] = []

    async def exchange() -> None:
        waiting = [dict(message) for message in received]

        async def receive() -> Any:
            return waiting.pop(0) if waiting else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(dict(message))

        common = {"query_string": b"", "root_path": "", "client": ("a", 1), "server": ("b", 2), "asgi": {}}
        await app({"scheme": "http", "http_version": "1.1", **common, **scope}, receive, send)

    try:
        asyncio.run(exchange())
    except Exception as error:
        sent.append(f"{type(error).__name__}: {error}")
    return sent


def _of_classes(request_class: type[Request], response_class: type[JSONResponse]) -> Any:
    async def receive() -> Any:
        return {"type": "http.request", "body": b'{"a": 1}', "more_body": False}

    request = request_class({"type": "http", "method": "POST", "headers": []}, receive)
    response = response_class(VALUE, status_code=201)
    return asyncio.run(request.json()), response.status_code, response.body, response.raw_headers


def calls() -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Each exchange, and the classes alone."""
    theirs, ours = build(is_ours=False), build(is_ours=True)
    pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "classes": (lambda: _of_classes(Request, JSONResponse), lambda: _of_classes(SSRJSONRequest, SSRJSONResponse))
    }
    for name, parts in EXCHANGES.items():
        pairs[name] = (lambda parts=parts: _sent(theirs, *parts)), (lambda parts=parts: _sent(ours, *parts))  # type: ignore[misc]
    return pairs
