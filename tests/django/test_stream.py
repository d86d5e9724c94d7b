"""Streamed responses in this process: what they send, when, and how they close their source."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import decimal
import gzip
import itertools
import json
import threading
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.http import HttpRequest
from django.test import AsyncClient, Client, override_settings
from helpers.django_bookshop.urls import views
from helpers.streams import Watched

from ssrjson_web.django import SSRJSONLinesResponse, SSRJSONStreamingResponse

KINDS = ["sync", "async"]
WAYS = [("sync", "wsgi"), ("sync", "asgi"), ("async", "asgi")]
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


def lines_of(values: list[Any]) -> bytes:
    return b"".join(json.dumps(v, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for v in values)


def array_of(values: list[Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.mark.parametrize(("kind", "way"), WAYS)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 100])
@pytest.mark.parametrize("chunk_size", [1, 70, 65536])
def test_stream_sends_each_item_once_in_order(kind: str, way: str, n: int, chunk_size: int) -> None:
    for cls, text_of, media_type in (
        (SSRJSONStreamingResponse, array_of, "application/json"),
        (SSRJSONLinesResponse, lines_of, "application/jsonl"),
    ):
        source = Watched(n)
        response = cls(source.of(kind), chunk_size=chunk_size)
        assert response.headers["Content-Type"] == media_type
        chunks = chunks_of(response, way)
        assert b"".join(chunks) == text_of(source.values)
        assert source.closed == 1
        if chunk_size == 1:
            assert len(chunks) >= n


@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_stream_chunks_hold_what_was_asked_and_a_little_more(kind: str, way: str) -> None:
    source = Watched(5000, n_chars=50)
    chunks = chunks_of(SSRJSONStreamingResponse(source.of(kind), chunk_size=10_000, flush_interval=60), way)
    assert all(10_000 <= len(chunk) < 10_300 for chunk in chunks[:-1])
    assert json.loads(b"".join(chunks)) == source.values


@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_stream_sends_an_item_that_comes_late_at_once(kind: str, way: str) -> None:
    source = Watched(4, pause_seconds=0.02)
    chunks = chunks_of(SSRJSONLinesResponse(source.of(kind), flush_interval=0.01), way)
    assert [len(chunk.splitlines()) for chunk in chunks if chunk] == [1, 1, 1, 1]
    source = Watched(4)
    chunks = chunks_of(SSRJSONLinesResponse(source.of(kind), flush_interval=0), way)
    assert [len(chunk.splitlines()) for chunk in chunks if chunk] == [1, 1, 1, 1]


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(("kind", "way"), WAYS)
@pytest.mark.parametrize("error_at", [0, 1, 50])
def test_stream_error_is_raised_after_the_items_before_it(cls: Any, kind: str, way: str, error_at: int) -> None:
    source = Watched(100, error_at=error_at)
    response = cls(source.of(kind))
    sent: list[bytes] = []

    async def send_all() -> None:
        async with ThreadSensitiveContext(), contextlib.aclosing(aiter(response)) as content:
            async for chunk in content:
                sent.append(chunk)

    with pytest.raises(RuntimeError, match="the source broke"):
        sent.extend(response) if way == "wsgi" else asyncio.run(send_all())
    assert source.closed == 1
    text = b"".join(sent)
    if cls is SSRJSONLinesResponse:
        assert text == lines_of(source.values[:error_at])
    else:
        assert text == array_of(source.values[:error_at])[:-1] if error_at else text == b""


@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_stream_item_that_cannot_be_encoded_ends_it_and_closes_the_source(kind: str, way: str) -> None:
    class Odd(Watched):
        def _item(self, i: int) -> Any:
            return {1} if i == 3 else super()._item(i)

    source = Odd(100)
    with pytest.raises(TypeError, match="Object of type set is not JSON serializable"):
        chunks_of(SSRJSONStreamingResponse(source.of(kind)), way)
    assert source.closed == 1
    assert source.pulled == 3


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


@pytest.mark.parametrize("way", ["wsgi", "asgi"])
def test_stream_that_is_left_closes_its_source(way: str) -> None:
    source = Watched(10**9)
    response = SSRJSONStreamingResponse(source.items(), chunk_size=100)
    if way == "wsgi":
        next(iter(response))
        response.close()
    else:

        async def leave() -> None:
            async with ThreadSensitiveContext(), contextlib.aclosing(aiter(response)) as content:
                await anext(content)

        asyncio.run(leave())
    assert source.closed == 1
    assert source.pulled < 10


def test_async_stream_that_is_left_closes_its_source() -> None:
    source = Watched(10**9)

    async def leave() -> None:
        async with contextlib.aclosing(
            aiter(SSRJSONStreamingResponse(source.async_items(), chunk_size=100))
        ) as content:
            await anext(content)
        assert source.closed == 1

    asyncio.run(leave())


@pytest.mark.parametrize("kind", KINDS)
def test_stream_whose_task_is_cancelled_closes_its_source(kind: str) -> None:
    source = Watched(10**9, pause_seconds=0.01)

    async def run() -> None:
        async with ThreadSensitiveContext():
            task = asyncio.ensure_future(all_chunks(SSRJSONStreamingResponse(source.of(kind))))
            while source.pulled < 3:
                await asyncio.sleep(0.005)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            for _ in range(200):
                if source.closed:
                    break
                await asyncio.sleep(0.01)
            assert source.closed == 1

    asyncio.run(run())


def test_sync_stream_under_asgi_is_iterated_in_one_thread_that_is_not_the_loop() -> None:
    source = Watched(2000, n_chars=100)
    chunks_of(SSRJSONStreamingResponse(source.items(), chunk_size=1000), "asgi")
    assert len(source.threads) == 1
    assert source.threads != {threading.get_ident()}


def test_sync_stream_under_asgi_lets_others_run() -> None:
    source = Watched(10, pause_seconds=0.02)

    async def run() -> int:
        task = asyncio.ensure_future(all_chunks(SSRJSONStreamingResponse(source.items())))
        n_turns = 0
        while not task.done():
            n_turns += 1
            await asyncio.sleep(0.005)
        return n_turns

    assert asyncio.run(run()) >= 10


def test_async_stream_that_never_waits_lets_others_run_between_chunks() -> None:
    async def endless() -> AsyncIterator[int]:
        for i in itertools.count():
            yield i

    async def run() -> None:
        task = asyncio.ensure_future(all_chunks(SSRJSONStreamingResponse(endless(), chunk_size=1000)))
        for _ in range(20):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(run(), 20))


@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous iterators")
def test_async_stream_under_wsgi_is_sent_as_a_whole() -> None:
    source = Watched(300)
    assert b"".join(chunks_of(SSRJSONStreamingResponse(source.async_items()), "wsgi")) == array_of(source.values)
    assert source.closed == 1


@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_stream_takes_a_chunk_of_memory(kind: str, way: str) -> None:
    source = Watched(20_000, n_chars=500)  # 20 MB
    response = SSRJSONStreamingResponse(source.of(kind))
    n_bytes = 0

    async def count_bytes() -> int:
        n = 0
        async with ThreadSensitiveContext():
            async for chunk in response:
                n += len(chunk)
        return n

    tracemalloc.start()
    try:
        n_bytes = sum(len(chunk) for chunk in response) if way == "wsgi" else asyncio.run(count_bytes())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n_bytes > 20_000_000
    assert peak < 2_000_000


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


@pytest.mark.parametrize("items", ["text", b"bytes", bytearray(b"a"), {"a": 1}, 5, None])
def test_stream_of_what_is_no_iterable_of_items_is_a_type_error(items: Any) -> None:
    for cls in CLASSES:
        with pytest.raises(TypeError, match="a stream is made of an iterable of items"):
            cls(items)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"chunk_size": 0}, "chunk_size must be 1 or more"),
        ({"flush_interval": -1}, "flush_interval must be 0 or more"),
        ({"flush_interval": float("nan")}, "flush_interval must be 0 or more"),
        ({"charset": "latin-1"}, "a JSON stream must be in UTF-8, not in latin-1"),
        ({"content_type": "application/json; charset=gbk"}, "a JSON stream must be in UTF-8, not in gbk"),
    ],
)
def test_stream_of_wrong_arguments_is_a_value_error(arguments: dict[str, Any], what: str) -> None:
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
