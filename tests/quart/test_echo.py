"""Every value that a client may send, echoed by views, streams and WebSockets, and kept in sessions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from helpers.client_bodies import BODIES, SURROGATES, VALUES, assert_echoed
from quart import Quart, jsonify, request, session, websocket

from ssrjson_web.quart import SSRJSON, stream_array, stream_lines

WAYS: dict[str, dict[str, Any]] = {
    "fast": {"mode": "fast"},
    "fast, indented": {"mode": "fast", "compact": False},
    "compatible, unsorted, in UTF-8": {"ensure_ascii": False, "sort_keys": False},
}


def build(options: dict[str, Any]) -> Quart:
    app = Quart("echo")
    app.secret_key = "of the test"
    SSRJSON(app, **options)

    @app.post("/echo")
    async def echo() -> Any:
        return jsonify(await request.get_json())

    @app.post("/kept")
    async def keep() -> Any:
        session["kept"] = await request.get_json()
        return {}

    @app.get("/kept")
    async def kept() -> Any:
        return jsonify(session["kept"])

    @app.post("/lines")
    async def lines() -> Any:
        return stream_lines([await request.get_json()])

    @app.post("/array")
    async def array() -> Any:
        value = await request.get_json()

        async def items() -> AsyncIterator[Any]:
            yield value

        return stream_array(items())

    @app.websocket("/socket")
    async def socket() -> None:
        await websocket.send_json(await websocket.receive_json())

    return app


@pytest.mark.parametrize("way", WAYS)
def test_view_session_and_streams_take_every_value(way: str) -> None:
    app = build(WAYS[way])

    async def ask() -> None:
        for name, body in BODIES.items():
            client = app.test_client()
            options: dict[str, Any] = {"data": body, "headers": {"Content-Type": "application/json"}}
            for path in ("/echo", "/lines", "/array"):
                reply = await client.post(path, **options)
                text = await reply.get_data(as_text=False)
                assert reply.status_code == 200, (name, path)
                assert_echoed(name, text[1:-1] if path == "/array" else text, path)
            if name in SURROGATES and len(body) < 3000:
                assert (await client.post("/kept", **options)).status_code == 200, name
                assert json.loads(await (await client.get("/kept")).get_data()) == VALUES[name]

    asyncio.run(ask())


@pytest.mark.parametrize("way", WAYS)
def test_websocket_echoes_every_value_as_text_that_utf8_can_hold(way: str) -> None:
    app = build(WAYS[way])

    async def converse() -> None:
        for name, body in BODIES.items():
            async with app.test_client().websocket("/socket") as socket:
                await socket.send(body.decode())
                assert_echoed(name, await socket.receive(), "WebSocket")

    asyncio.run(converse())
