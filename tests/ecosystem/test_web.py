"""Sockets, events, APIs and templates of other libraries, with the core's JSON."""

from __future__ import annotations

import asyncio
import datetime
import json
from collections.abc import AsyncIterator
from io import BytesIO
from typing import Any

import pytest
from ecosystem.page import TEXT, VALUE, fresh_value, has_no_copy, recorded, run_section

COMPACT = json.dumps(VALUE, ensure_ascii=False, separators=(",", ":"))


def test_socketio() -> None:
    socketio = pytest.importorskip("socketio", reason="python-socketio is not installed")
    packet = socketio.packet.Packet
    stock = packet.json
    try:
        server = run_section("python-socketio")["server"]
        value = fresh_value()
        with recorded() as recorder:
            text = server.packet_class(data=["book", value]).encode()
            assert server.packet_class(encoded_packet=text).data == ["book", VALUE]
        assert (recorder.encodes, recorder.decodes) == (1, 1)
        assert text == f'2["book",{COMPACT}]'
        assert has_no_copy(value)
    finally:
        packet.json = stock


def test_channels_redis(redis_port: int) -> None:
    core = pytest.importorskip("channels_redis.core", reason="channels_redis is not installed")
    layer = run_section("channels_redis", hosts=[("127.0.0.1", redis_port)])["layer"]
    value = {"type": "book.sold", **fresh_value()}

    async def run() -> None:
        channels = core.RedisChannelLayer(**layer["CONFIG"])
        with recorded() as recorder:
            await channels.send("books", value)
            assert await channels.receive("books") == {"type": "book.sold", **VALUE}
            await channels.group_add("all", "one")
            await channels.group_send("all", value)
            assert await channels.receive("one") == {"type": "book.sold", **VALUE}
        assert recorder.encodes >= 2
        assert recorder.decodes >= 2
        await channels.flush()
        await channels.close_pools()

    asyncio.run(run())
    assert has_no_copy(value)


def test_sse_starlette() -> None:
    pytest.importorskip("sse_starlette", reason="sse-starlette is not installed")
    pytest.importorskip("httpx", reason="httpx is not installed")
    from helpers.asgi_exchange import call
    from starlette.applications import Starlette
    from starlette.routing import Route

    answer = run_section("sse-starlette")["answer"]
    value = fresh_value()
    value["lines"] = "a\u2028b\x85c"

    async def items() -> AsyncIterator[Any]:
        yield value
        yield [1]

    async def endpoint(request: Any) -> Any:
        return answer(items())

    reply = call(Starlette(routes=[Route("/", endpoint)]), "/")
    events = [line.removeprefix("data: ") for line in reply.text.splitlines() if line.startswith("data: ")]
    assert [json.loads(event) for event in events] == [value, [1]]
    assert has_no_copy(value)


def test_strawberry() -> None:
    strawberry = pytest.importorskip("strawberry", reason="strawberry is not installed")
    pytest.importorskip("httpx", reason="httpx is not installed")
    from fastapi import FastAPI
    from helpers.asgi_exchange import call

    class Query:
        @strawberry.field  # type: ignore[untyped-decorator]
        def title(self, n: int) -> str:
            return TEXT * n

    schema = strawberry.Schema(query=strawberry.type(Query))
    router = run_section("strawberry", schema=schema)["router"]
    app = FastAPI()
    app.include_router(router, prefix="/graphql")
    with recorded() as recorder:
        reply = call(app, "/graphql", "POST", json={"query": "query($n: Int!) { title(n: $n) }", "variables": {"n": 2}})
    assert reply.json() == {"data": {"title": TEXT * 2}}
    assert TEXT.encode() in reply.content
    assert (recorder.encodes, recorder.decodes) == (1, 1)


def test_graphql_core() -> None:
    graphql = pytest.importorskip("graphql", reason="graphql-core is not installed")
    schema = graphql.build_schema("type Query { title: String }")
    schema.query_type.fields["title"].resolve = lambda *_: TEXT
    body = run_section("graphql-core, graphene, ariadne", schema=schema, query="{ title wrong: title }")["body"]
    assert json.loads(body) == {"data": {"title": TEXT, "wrong": TEXT}}
    body = run_section("graphql-core, graphene, ariadne", schema=schema, query="{ none }")["body"]
    assert json.loads(body)["errors"][0]["locations"] == [{"line": 1, "column": 3}]


def test_jsonrpcserver() -> None:
    jsonrpcserver = pytest.importorskip("jsonrpcserver", reason="jsonrpcserver is not installed")
    value = fresh_value()

    def echo(value: Any) -> Any:
        return jsonrpcserver.Success(value)

    jsonrpcserver.method(echo, name="echo")
    request = json.dumps({"jsonrpc": "2.0", "method": "echo", "params": [value], "id": 1})
    with recorded() as recorder:
        answer = run_section("jsonrpcserver", request=request)["answer"]
    assert json.loads(answer) == {"jsonrpc": "2.0", "result": VALUE, "id": 1}
    assert (recorder.encodes, recorder.decodes) == (1, 1)
    wrong = run_section("jsonrpcserver", request="{")["answer"]
    assert json.loads(wrong)["error"]["message"] == "Parse error"


def test_jinja2() -> None:
    pytest.importorskip("jinja2", reason="Jinja2 is not installed")
    environment = run_section("Jinja2")["environment"]
    value = {**fresh_value(), "html": "</script>'&"}
    with recorded() as recorder:
        text = environment.from_string("{{ value | tojson }}").render(value=value)
        indented = environment.from_string("{{ [1] | tojson(indent=2) }}").render()
    assert recorder.encodes == 2
    assert "<" not in text
    assert json.loads(text) == value
    assert indented == "[\n  1\n]"
    assert has_no_copy(value)


def test_djangorestframework_camel_case() -> None:
    pytest.importorskip("django", reason="Django is not installed")
    import helpers.django_project  # noqa: F401  (settings)

    pytest.importorskip("djangorestframework_camel_case", reason="djangorestframework-camel-case is not installed")
    from djangorestframework_camel_case.parser import CamelCaseJSONParser
    from djangorestframework_camel_case.render import CamelCaseJSONRenderer
    from rest_framework.exceptions import ParseError

    names = run_section("djangorestframework-camel-case")
    renderer, parser = names["CamelRenderer"](), names["CamelParser"]()
    data = {"first_name": TEXT, "inner_rows": [{"sold_at": datetime.date(2026, 1, 2), "n_1": 1.5}]}
    with recorded() as recorder:
        body = renderer.render(data)
    assert recorder.encodes == 1
    assert body == CamelCaseJSONRenderer().render(data)
    for text in (body, b'{"aB":NaN}', b"[1]", b'"aB"'):
        assert repr(parser.parse(BytesIO(text))) == repr(CamelCaseJSONParser().parse(BytesIO(text)))
    for parse in (parser.parse, CamelCaseJSONParser().parse):
        with pytest.raises(ParseError, match="JSON parse error - Expecting value"):
            parse(BytesIO(b"[1,"))
