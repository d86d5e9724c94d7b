"""Streamed responses in this process: what they send, when, and how they close their source."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import decimal
import gzip
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.http import HttpRequest
from django.test import AsyncClient, Client, override_settings
from helpers.django_bookshop.urls import views
from helpers.streams import Watched

from ssrjson_web.django import SSRJSONLinesResponse, SSRJSONStreamingResponse

KINDS = ["sync", "async"]
CLASSES = [SSRJSONStreamingResponse, SSRJSONLinesResponse]


async def all_chunks(response: Any) -> list[bytes]:
    async with ThreadSensitiveContext(), contextlib.aclosing(aiter(response)) as content:
        return [chunk async for chunk in content]


def chunks_of(response: Any, way: str) -> list[bytes]:
    """The chunks that a server of that kind would send."""
    try:
        return list(response) if way == "wsgi" else asyncio.run(all_chunks(response))
    finally:
        response.close()


def array_of(values: list[Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()


def test_stream_that_is_never_iterated_closes_its_source() -> None:
    closed = []

    class Source:
        def __iter__(self) -> Iterator[int]:
            return iter(())

        def close(self) -> None:
            closed.append(1)

    for cls in CLASSES:
        response = cls(Source())
        response.close()
        assert list(response) == []
    assert closed == [1, 1]


def test_sync_stream_under_asgi_is_iterated_in_one_thread_that_is_not_the_loop() -> None:
    source = Watched(2000, n_chars=100)
    chunks_of(SSRJSONStreamingResponse(source.items(), chunk_size=1000), "asgi")
    assert len(source.threads) == 1
    assert source.threads != {threading.get_ident()}


@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous iterators")
def test_async_stream_under_wsgi_is_sent_as_a_whole() -> None:
    source = Watched(300)
    assert b"".join(chunks_of(SSRJSONStreamingResponse(source.async_items()), "wsgi")) == array_of(source.values)
    assert source.closed == 1


@override_settings(MIDDLEWARE=["django.middleware.gzip.GZipMiddleware"])
@pytest.mark.parametrize(("client", "kind"), [(Client, "sync"), (AsyncClient, "sync"), (AsyncClient, "async")])
def test_stream_that_a_middleware_wraps_is_whole(client: Any, kind: str) -> None:
    source = Watched(3000)
    views["stream"] = lambda request: SSRJSONStreamingResponse(source.of(kind))
    if client is Client:
        response = client().get("/named/stream", HTTP_ACCEPT_ENCODING="gzip")
        body = b"".join(response)
        response.close()
    else:

        async def ask() -> bytes:
            response = await client().get("/named_async/stream", **{"HTTP_ACCEPT_ENCODING": "gzip"})
            if response.headers.get("Content-Encoding") != "gzip":  # older clients use other names of headers
                response = await client().get("/named_async/stream", **{"Accept-Encoding": "gzip"})
            return b"".join([chunk async for chunk in response])

        body = asyncio.run(ask())
    assert json.loads(gzip.decompress(body)) == source.values
    assert source.closed == 1


def test_stream_writes_as_the_response_does() -> None:
    items = [{"名": decimal.Decimal("1.0"), "at": datetime.datetime(2024, 1, 1, 0, 0, 0, 5)}, "\ud800", {1: "é"}]
    assert b"".join(SSRJSONStreamingResponse(items)) == (
        '[{"名":"1.0","at":"2024-01-01T00:00:00.000"},'.encode() + b'"\\ud800",' + '{"1":"é"}]'.encode()
    )
    with override_settings(SSRJSON={"ASCII": True, "COMPACT": False, "NAN": "null"}):
        assert b"".join(SSRJSONLinesResponse(["é", [1, float("nan")]])) == b'"\\u00e9"\n[1, null]\n'
    assert (
        b"".join(SSRJSONLinesResponse([{"b": 1, "a": 2}], json_dumps_params={"sort_keys": True})) == b'{"a":2,"b":1}\n'
    )
    assert b"".join(SSRJSONStreamingResponse(["é"], json.JSONEncoder, {"ensure_ascii": True})) == b'["\\u00e9"]'


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"charset": "latin-1"}, "a JSON stream must be in UTF-8, not in latin-1"),
        ({"content_type": "application/json; charset=gbk"}, "a JSON stream must be in UTF-8, not in gbk"),
    ],
)
def test_stream_in_another_charset_is_a_value_error(arguments: dict[str, Any], what: str) -> None:
    for cls in CLASSES:
        with pytest.raises(ValueError, match=what):
            cls([], **arguments)


def test_stream_takes_the_arguments_of_stock() -> None:
    response = SSRJSONStreamingResponse([1], status=202, headers={"X-A": "b"}, content_type="text/x; charset=UTF8")
    assert (response.status_code, response.headers["X-A"], response.headers["Content-Type"]) == (
        202,
        "b",
        "text/x; charset=UTF8",
    )
    with override_settings(DEFAULT_CHARSET="latin-1"):
        assert b"".join(SSRJSONStreamingResponse(["中"])) == '["中"]'.encode()
    assert response.getvalue() == b"[1]"
    assert response.streaming


@pytest.mark.parametrize(
    "params", [{"indent": 2}, {"indent": 0}, {"separators": (",\n", ":")}, {"separators": (",", ":\r")}]
)
def test_lines_of_an_encoder_that_breaks_them_are_a_value_error(params: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="line breaks"):
        SSRJSONLinesResponse([1], json_dumps_params=params)


def test_stream_is_iterated_in_the_thread_of_the_view_under_asgi() -> None:
    """Items can use objects that are bound to a thread, such as database connections."""
    seen: dict[str, int] = {}

    def items() -> Iterator[int]:
        seen["items"] = threading.get_ident()
        yield 1

    def view(request: HttpRequest) -> Any:
        seen["view"] = threading.get_ident()
        return SSRJSONStreamingResponse(items())

    views["stream"] = view

    async def ask() -> bytes:
        async with ThreadSensitiveContext():
            response = await AsyncClient().get("/named/stream")
            await sync_to_async(lambda: None)()
            return b"".join([chunk async for chunk in response])

    assert asyncio.run(ask()) == b"[1]"
    assert seen["items"] == seen["view"]
