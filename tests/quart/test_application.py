"""Quart applications with our provider and with the stock one: the same exchanges, byte for byte."""

from __future__ import annotations

import asyncio
import datetime
import decimal
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from markupsafe import Markup
from quart import Quart, flash, get_flashed_messages, jsonify, render_template_string, request, session, websocket

from ssrjson_web import scan_utf8_cache
from ssrjson_web.quart import SSRJSON, SSRJSONFastProvider, SSRJSONProvider

VALUE = {
    "名": [1, 2.5, None, {"z": datetime.datetime(2026, 1, 2, 3, 4, 5), "a": decimal.Decimal("1.10")}],
    "html": Markup("<b>é</b></script>"),
    "n": {10: "ten", 9: "nine"},
}


def made(*, with_ours: bool, is_late: bool = False, **arguments: Any) -> Quart:
    app = Quart("application")
    app.secret_key = "of the tests"
    if is_late:
        assert app.jinja_env
    if with_ours:
        SSRJSON(app, **arguments)

    @app.get("/jsonify")
    async def by_jsonify() -> Any:
        return jsonify(VALUE)

    @app.get("/dict")
    async def by_dict() -> Any:
        return VALUE, 201, {"X-A": "b"}

    @app.get("/sync")
    def by_list() -> Any:
        return [VALUE, []]

    @app.post("/echo")
    async def echo() -> Any:
        return jsonify(got=await request.get_json())

    @app.post("/remember")
    async def remember() -> Any:
        session.update(await request.get_json())
        await flash("héé", "warning")
        return ""

    @app.get("/remembered")
    async def remembered() -> Any:
        return {**session, "flashed": get_flashed_messages(with_categories=True)}

    @app.get("/page")
    async def page() -> str:
        return await render_template_string("<script>let v = {{ v|tojson }}, w = {{ v|tojson(2) }}</script>", v=VALUE)

    @app.websocket("/ws")
    async def ws() -> None:
        await websocket.send_json({"got": await websocket.receive_json(), "value": VALUE})

    return app


def exchange(app: Quart, call: Callable[[Any], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        reply = await call(app.test_client())
        return reply.status, reply.headers.to_wsgi_list(), await reply.get_data()

    return asyncio.run(run())


@pytest.mark.parametrize("path", ["/jsonify", "/dict", "/sync", "/page"])
@pytest.mark.parametrize("is_late", [True, False])
def test_answer_is_stocks_byte_for_byte(path: str, is_late: bool) -> None:
    ours, stock = (made(with_ours=with_ours, is_late=is_late) for with_ours in (True, False))
    assert exchange(ours, lambda c: c.get(path)) == exchange(stock, lambda c: c.get(path))
    ours.debug = stock.debug = True
    assert exchange(ours, lambda c: c.get(path)) == exchange(stock, lambda c: c.get(path))


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[1,]", b'{"a":NaN}', b'"\\ud800"', "[1]".encode("utf-16"), '{"名":"値"}'.encode()]
)
def test_body_is_read_or_refused_as_stock_does(body: bytes) -> None:
    ours, stock = (made(with_ours=with_ours) for with_ours in (True, False))
    for content_type in ("application/json", "text/plain"):

        async def ask(client: Any, content_type: str = content_type) -> Any:
            return await client.post("/echo", data=body, headers={"Content-Type": content_type})

        assert exchange(ours, ask) == exchange(stock, ask)


def test_deep_nesting_is_400_where_stock_breaks() -> None:
    for body in (b"[" * 1001 + b"]" * 1001, b"[" * 100_000, b"[" * 999 + b","):

        async def ask(client: Any, body: bytes = body) -> Any:
            return await client.post("/echo", data=body, headers={"Content-Type": "application/json"})

        assert exchange(made(with_ours=True), ask)[0].startswith("400")


def test_session_is_what_stock_remembers() -> None:
    answers = []
    for with_ours in (True, False):

        async def run(app: Quart = made(with_ours=with_ours)) -> tuple[str, bytes]:  # noqa: B008
            client = app.test_client()
            reply = await client.post("/remember", json={"名": "値", "list": [1, {"a": None}]})
            cookie = reply.headers["Set-Cookie"].split(";")[0].rpartition(".")[0].rpartition(".")[0]
            remembered: bytes = await (await client.get("/remembered")).get_data()
            return cookie, remembered

        answers.append(asyncio.run(run()))
    assert answers[0] == answers[1]
    assert json.loads(answers[0][1])["flashed"] == [["warning", "héé"]]


def test_websocket_frames_are_stocks() -> None:
    frames = []
    for with_ours in (True, False):

        async def run(app: Quart = made(with_ours=with_ours)) -> Any:  # noqa: B008
            async with app.test_client().websocket("/ws") as socket:
                await socket.send('{"名": ["é", 1.5]}')
                return await socket.receive()

        frames.append(asyncio.run(run()))
    assert frames[0] == frames[1]
    assert json.loads(frames[0])["got"] == {"名": ["é", 1.5]}


def test_fast_mode_is_utf8_in_order_with_iso_dates() -> None:
    app = made(with_ours=True, mode="fast", is_late=True)
    assert type(app.json) is SSRJSONFastProvider
    text = '{"名":[1,2.5,null,{"z":"2026-01-02T03:04:05","a":"1.10"}],"html":"<b>é</b></script>",'
    assert exchange(app, lambda c: c.get("/jsonify"))[2].decode() == text + '"n":{"10":"ten","9":"nine"}}\n'
    assert b'"2026-01-02T03:04:05"' in exchange(app, lambda c: c.get("/page"))[2]
    assert scan_utf8_cache(VALUE)["bytes"] == 0


def test_provider_class_of_an_application_is_taken() -> None:
    class OwnQuart(Quart):
        json_provider_class = SSRJSONProvider

    app = OwnQuart("own")
    app.add_url_rule("/", view_func=lambda: {"b": "é", "a": 1})
    assert exchange(app, lambda c: c.get("/"))[2] == b'{"a":1,"b":"\\u00e9"}\n'
