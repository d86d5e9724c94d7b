"""aiohttp with our response and serializers compared with stock, on a real server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from helpers.call_outcome import lasting_repr

pytest.importorskip("aiohttp", reason="aiohttp is not installed")

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from helpers.bodies import BODIES, DEEP
from helpers.call_outcome import assert_same, outcome
from other_frameworks import aiohttp_twins as twins

from ssrjson_web import Encoder, JSONDepthError, JSONEncodeError, scan_utf8_cache
from ssrjson_web.aiohttp import dumps, dumps_to_bytes, json_response, loads

VALUES: list[Any] = [
    twins.PAGE,
    [0, -1, 10**30, 1.0, -0.0, 1e16, 1e-7, float("nan"), -float("inf")],
    {1: "int", 2.5: "float", None: "none", "s": (True, None)},
    '"\\/\b\f\n\r\t\0\x1f\x7f\u2028',
    ["\ud800"],
    None,
    [object()],
    {(1, 2): 3},
]
TEXTS = [each.decode("utf-8", "replace") for each in BODIES.values()]


@pytest_asyncio.fixture
async def client() -> AsyncIterator[TestClient[Any, Any]]:
    async with TestClient(TestServer(twins.build())) as made:
        yield made


async def answer_of(reply: aiohttp.ClientResponse) -> tuple[Any, ...]:
    return reply.status, {name: each for name, each in reply.headers.items() if name != "Date"}, await reply.read()


@pytest.mark.parametrize("value", VALUES, ids=lasting_repr)
def test_response_is_that_of_stock(value: Any) -> None:
    def of(make: Any) -> tuple[Any, ...]:
        made = make(value, status=201, reason="Well", headers={"X-A": "1"}, content_type="application/a+json")
        return made.status, made.reason, sorted(made.headers.items()), made.body, made.charset

    assert_same(outcome(of, json_response), outcome(of, web.json_response), value)


@pytest.mark.parametrize("value", VALUES, ids=lasting_repr)
def test_serializers_write_what_json_writes(value: Any) -> None:
    assert_same(outcome(dumps, value), outcome(json.dumps, value), value)
    assert_same(outcome(lambda: dumps_to_bytes(value).decode()), outcome(json.dumps, value), value)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text[:20]))
def test_loads_reads_what_json_reads(text: str) -> None:
    expected = outcome(json.loads, text)
    if expected[0] == "RecursionError":
        with pytest.raises(JSONDepthError, match="deeper"):
            loads(text)
    else:
        assert_same(outcome(loads, text), expected, text)


def test_loads_of_a_malformed_text_raises_stdlibs_error() -> None:
    with pytest.raises(json.JSONDecodeError, match=r"Expecting value: line 1 column 5 \(char 4\)"):
        loads("[1, ")


def test_response_writes_what_another_encoder_says_and_refuses_what_is_no_json() -> None:
    assert json_response({"é": 1}, encoder=Encoder()).body == '{"é":1}'.encode()
    with pytest.raises(JSONEncodeError, match="not JSON serializable"):
        json_response(object())


@pytest.mark.asyncio
async def test_server_answers_as_stock(client: TestClient[Any, Any]) -> None:
    assert await answer_of(await client.get("/page")) == await answer_of(await client.get("/stock/page"))
    for name, body in {**BODIES, "deep": DEEP}.items():
        replies = [
            await answer_of(
                await client.post(path, data=body, headers={"Content-Type": f"application/json; charset={way}"})
            )
            for way in ("utf-8", "latin-1")
            for path in ("/stock/echo", "/echo")
        ]
        for stock, ours in (replies[:2], replies[2:]):
            assert ours[0] == 400 if stock[0] == 500 else ours == stock, name
    assert scan_utf8_cache(twins.PAGE)["cached_strings"] == 0


@pytest.mark.asyncio
async def test_websocket_frames_are_those_of_stock(client: TestClient[Any, Any]) -> None:
    async with client.ws_connect("/frames") as websocket:
        await websocket.send_json({"é": [1.0]}, dumps=dumps)
        assert await websocket.receive_str() == json.dumps([{"é": [1.0]}])


@pytest.mark.asyncio
async def test_session_sends_and_reads_as_stock(client: TestClient[Any, Any]) -> None:
    options: list[dict[str, Any]] = [{}, {"json_serialize": dumps}]
    if "json_serialize_bytes" in aiohttp.ClientSession.__init__.__annotations__:
        options.append({"json_serialize_bytes": dumps_to_bytes})
    sent = []
    for each in options:
        async with (
            aiohttp.ClientSession(**each) as session,
            session.post(client.make_url("/raw"), json=twins.PAGE) as reply,
        ):
            sent.append((await reply.read(), reply.headers["X-Content-Type"]))
            assert await reply.json(content_type=None, loads=loads) == twins.PAGE
    assert sent == [(json.dumps(twins.PAGE).encode(), "application/json")] * len(options)
    assert scan_utf8_cache(twins.PAGE)["cached_strings"] == 0
