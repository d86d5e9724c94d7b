"""Every value that a client may send, echoed by Falcon, aiohttp, Sanic and Litestar, and sent on by clients."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
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

from ssrjson_web import Encoder
from ssrjson_web.clients import json_body

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize("encoder", [None, Encoder(natives=True, separators=(", ", ": "))], ids=["stock", "own"])
@pytest.mark.parametrize("kind", ["App", "asgi.App"])
def test_falcon_echoes_as_stock_or_better(kind: str, encoder: Encoder | None) -> None:
    falcon = pytest.importorskip("falcon", reason="Falcon is not installed")
    pytest.importorskip("falcon.asgi")
    from falcon import testing

    from ssrjson_web.falcon import setup

    class Echo:
        def on_post(self, request: Any, response: Any) -> None:
            response.media = request.media

    class AsyncEcho:
        async def on_post(self, request: Any, response: Any) -> None:
            response.media = await request.get_media()

        async def on_put(self, request: Any, response: Any) -> None:
            raise falcon.HTTPBadRequest(title=str(await request.get_media())[:50])

    def build() -> Any:
        app = falcon.asgi.App() if kind == "asgi.App" else falcon.App()
        app.add_route("/", AsyncEcho() if kind == "asgi.App" else Echo())
        return app

    def answer(app: Any, method: str, body: bytes) -> Answer:
        try:
            reply = testing.TestClient(app).simulate_request(method, "/", body=body, headers=JSON)
        except Exception as error:
            return Answer(500, "", repr(error).encode())
        return Answer(reply.status_code, reply.headers.get("content-type", ""), reply.content)

    stock, ours = build(), build()
    setup(ours, **({} if encoder is None else {"encoder": encoder}))
    answers = []
    for name, body in BODIES.items():
        answers.append((name, answer(stock, "POST", body)))
        assert_as_stock_or_better(name, answers[-1][1], answer(ours, "POST", body))
    assert failures(answers) >= SURROGATES.keys()
    if kind == "asgi.App":  # an error that names the value
        for body in SURROGATES.values():
            assert answer(ours, "PUT", body).status == 400
            json.loads(answer(ours, "PUT", body).body.decode("utf-8"))


def test_falcon_writes_text_for_websockets_that_utf8_can_hold() -> None:
    falcon = pytest.importorskip("falcon", reason="Falcon is not installed")
    pytest.importorskip("falcon.asgi")
    from falcon.constants import WebSocketPayloadType

    from ssrjson_web.falcon import setup

    for options in ({}, {"encoder": Encoder()}):
        app = falcon.asgi.App()
        setup(app, **options)
        handler = app.ws_options.media_handlers[WebSocketPayloadType.TEXT]
        for name, body in BODIES.items():
            assert_echoed(name, handler.serialize(handler.deserialize(body.decode())), "WebSocket")


def test_aiohttp_echoes_as_stock_or_better() -> None:
    web = pytest.importorskip("aiohttp.web", reason="aiohttp is not installed")
    from ssrjson_web.aiohttp import dumps, dumps_to_bytes, json_response, loads

    for name, body in BODIES.items():
        value = loads(body.decode())
        stock = web.json_response(json.loads(body)) if not name.startswith("nested") else None
        got = json_response(value)
        if stock is not None:
            assert got.body == stock.body, name
            assert dumps(value).encode() == dumps_to_bytes(value) == stock.body, name
        assert_echoed(name, got.body)
        assert_echoed(name, json_response(value, encoder=Encoder(natives=True)).body, "own encoder")


def test_sanic_functions_write_every_value() -> None:
    from ssrjson_web.sanic import dumps, loads

    options: tuple[dict[str, Any], ...] = ({}, {"ensure_ascii": False}, {"natives": True}, {"indent": 1})
    for name, body in BODIES.items():
        for each in options:
            assert_echoed(name, dumps(loads(body), **each), str(each))


def test_litestar_refuses_what_stock_refuses_and_echoes_the_rest() -> None:
    litestar = pytest.importorskip("litestar", reason="Litestar is not installed")
    from litestar.testing import TestClient

    from ssrjson_web.litestar import SSRJSONRequest, SSRJSONResponse

    @litestar.post("/data", sync_to_thread=False)
    def data(data: Any) -> Any:
        return {"got": data}

    @litestar.post("/request")
    async def by_request(request: Any) -> Any:
        return {"got": await request.json()}

    def answerer(**options: Any) -> Callable[[str, bytes], Answer]:
        app = litestar.Litestar([data, by_request], openapi_config=None, **options)
        client = TestClient(app, raise_server_exceptions=False)

        def answer(path: str, body: bytes) -> Answer:
            reply = client.post(path, content=body, headers=JSON)
            return Answer(reply.status_code, reply.headers["content-type"], reply.content)

        return answer

    data.__module__ = by_request.__module__ = __name__
    stock = answerer()
    ours = answerer(response_class=SSRJSONResponse, request_class=SSRJSONRequest)
    for name, body in BODIES.items():
        for path in ("/data", "/request"):
            expected, got = stock(path, body), ours(path, body)
            if expected.is_failure and path == "/data":
                assert got.status in (201, 400), (name, expected.body[:200], got.body[:200])
            elif name != "int of 4300 digits":  # msgspec refuses it with a sign, and ours accepts it
                assert got == expected, (name, path)
    assert {stock("/data", body).status for body in SURROGATES.values()} == {400}


def test_client_sends_on_every_value() -> None:
    for name, value in VALUES.items():
        if name not in NON_FINITE:  # a ValueError, as documented
            assert_echoed(name, json_body(value)["content"])
            assert_echoed(name, json_body(value, natives=True)["content"])
