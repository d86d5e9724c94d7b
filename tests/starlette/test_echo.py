"""Every value that a client may send, echoed: by responses, routes, streams, events and WebSockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from helpers.asgi_exchange import call, sent
from helpers.client_bodies import (
    BODIES,
    NON_FINITE,
    SURROGATES,
    VALUES,
    Answer,
    assert_as_stock_or_better,
    assert_echoed,
    failures,
)
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from ssrjson_web import Encoder
from ssrjson_web.starlette import (
    SSRJSONEventResponse,
    SSRJSONLinesResponse,
    SSRJSONRequest,
    SSRJSONResponse,
    SSRJSONRoute,
    SSRJSONStreamingResponse,
    SSRJSONWebSocketRoute,
    json_event,
)


class OwnResponse(SSRJSONResponse):
    encoder = Encoder(natives=True, allow_nan=False)


async def stock(request: Request) -> Any:
    return JSONResponse(await request.json())


async def ours(request: Request) -> Any:
    return SSRJSONResponse(await SSRJSONRequest(request.scope, request.receive).json())


async def own(request: Request) -> Any:
    return OwnResponse(await request.json())


async def plain(request: Request) -> Any:
    return await request.json()


app = Starlette(
    routes=[
        Route("/stock", stock, methods=["POST"]),
        Route("/ours", ours, methods=["POST"]),
        Route("/own", own, methods=["POST"]),
        SSRJSONRoute("/route", plain, methods=["POST"]),
    ]
)


def answer(path: str, body: bytes) -> Answer:
    reply = call(app, path, "POST", content=body, headers={"Content-Type": "application/json"})
    return Answer(reply.status_code, reply.headers["content-type"], reply.content)


STOCK = {name: answer("/stock", body) for name, body in BODIES.items()}


@pytest.mark.parametrize("path", ["/ours", "/own", "/route"])
def test_response_echoes_as_stock_or_better(path: str) -> None:
    for name, body in BODIES.items():
        assert_as_stock_or_better(name, STOCK[name], answer(path, body))
    assert failures(STOCK.items()) >= SURROGATES.keys() | NON_FINITE.keys()


def without_non_finite() -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in VALUES.items() if name not in NON_FINITE)


@pytest.mark.parametrize("encoder", [None, Encoder(natives=True)], ids=["stock encoder", "own encoder"])
@pytest.mark.parametrize("is_async", [False, True])
def test_streams_and_events_echo_every_value(encoder: Encoder | None, is_async: bool) -> None:
    options: dict[str, Any] = {} if encoder is None else {"encoder": encoder}

    def items(value: Any) -> Any:
        async def items() -> AsyncIterator[Any]:
            yield value

        return items() if is_async else iter([value])

    def text(response: Any) -> bytes:
        return b"".join(message.get("body", b"") for message in sent(response))

    for name, value in without_non_finite():
        array = text(SSRJSONStreamingResponse(items(value), **options))
        assert (array[:1], array[-1:]) == (b"[", b"]")
        assert_echoed(name, array[1:-1], "array")
        line = text(SSRJSONLinesResponse(items(value), **options))
        assert line.count(b"\n") == 1
        assert_echoed(name, line, "line")
        for event in (text(SSRJSONEventResponse(items(value), **options)), json_event(value, **options)):
            assert (event[:6], event[-2:], event.count(b"\n")) == (b"data: ", b"\n\n", 2)
            assert_echoed(name, event[6:], "event")


async def converse(app: Any, path: str, body: str) -> dict[str, Any]:
    """The message that a WebSocket sends for the text."""
    received = iter([{"type": "websocket.connect"}, {"type": "websocket.receive", "text": body}])
    messages: list[Any] = []

    async def receive() -> Any:
        return next(received)

    async def send(message: Any) -> None:
        messages.append(message)

    scope = {"type": "websocket", "path": path, "query_string": b"", "headers": [], "subprotocols": []}
    await app(scope, receive, send)
    return dict(messages[1])


@pytest.mark.parametrize("mode", ["text", "binary"])
def test_websocket_echoes_every_value_as_stock_or_better(mode: str) -> None:
    async def echo(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.send_json(await websocket.receive_json(), mode=mode)

    app = Starlette(routes=[WebSocketRoute("/stock", echo), SSRJSONWebSocketRoute("/ours", echo)])
    n_better = 0

    def message(path: str, name: str) -> bytes | None:
        """The bytes that a server sends; None where it fails."""
        try:
            sent = asyncio.run(converse(app, path, BODIES[name].decode()))
            return sent["text"].encode("utf-8") if mode == "text" else sent["bytes"]  # type: ignore[no-any-return]
        except (UnicodeEncodeError, RecursionError):
            return None

    for name in BODIES:
        expected, got = message("/stock", name), message("/ours", name)
        if expected is None:
            n_better += 1
            assert got is not None, name
            assert_echoed(name, got)
        else:
            assert got == expected, name
    assert n_better >= len(SURROGATES)


def test_answer_of_a_surrogate_escapes_nothing_else() -> None:
    render: Callable[[Any], bytes] = SSRJSONResponse(None).render
    assert render({"é\ud800": "中"}) == '{"é\\ud800":"中"}'.encode()
    assert json.loads(render("\ud83d\ude00")) == "😀"
