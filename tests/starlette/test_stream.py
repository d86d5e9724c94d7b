"""Streams of items: what is sent, when, how far ahead of the client the source is iterated, and how it ends."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import datetime
import json
import math
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from helpers.call_outcome import lasting_repr

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("pytest_asyncio", reason="pytest-asyncio is not installed")

from helpers.asgi_exchange import Exchange
from helpers.streams import Watched
from starlette.background import BackgroundTask
from starlette.responses import JSONResponse, StreamingResponse

from ssrjson_web import Encoder, Fragment, utf8_cache_size
from ssrjson_web.starlette import SSRJSONEventResponse, SSRJSONLinesResponse, SSRJSONStreamingResponse

KINDS = ["sync", "async"]
CLASSES = [SSRJSONStreamingResponse, SSRJSONLinesResponse, SSRJSONEventResponse]
SPECS = ["2.3", "2.4"]
ITEM_BYTES = len(JSONResponse(Watched(1).values[0]).body)


async def each_of(items: Any) -> AsyncIterator[Any]:
    for item in items:
        yield item


def lines(values: Any) -> bytes:
    return b"".join(JSONResponse(value).body + b"\n" for value in values)


@pytest.mark.asyncio
@pytest.mark.parametrize("make", [list, tuple, set, iter, collections.deque, each_of])
async def test_stream_takes_every_kind_of_iterable(make: Any) -> None:
    assert (await Exchange().run(SSRJSONStreamingResponse(make([3, 1])))).text in (b"[3,1]", b"[1,3]")


@pytest.mark.parametrize(
    ("cls", "options"),
    [
        (SSRJSONLinesResponse, {"encoder": Encoder(indent=1)}),
        (SSRJSONLinesResponse, {"encoder": Encoder(append_newline=True)}),
        (SSRJSONLinesResponse, {"encoder": Encoder(separators=(",\n", ":"))}),
        (SSRJSONLinesResponse, {"encoder": Encoder(separators=(",", ":\r"))}),
    ],
    ids=lasting_repr,
)
def test_stream_with_a_wrong_option_is_a_value_error(cls: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        cls([], **options)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"status_code": 201},
        {"headers": {"x-a": "b", "Content-Type": "application/problem+json"}},
        {"headers": {"content-length": "2"}},
        {"media_type": "text/plain"},
        {"media_type": "application/x-ndjson", "headers": {"x-é": "é"}},
    ],
    ids=lasting_repr,
)
async def test_stream_head_and_background_equal_streaming_response(arguments: dict[str, Any]) -> None:
    done: list[str] = []

    async def messages(cls: Any, name: str, **more: Any) -> list[dict[str, Any]]:
        response = cls(iter([]), **arguments | more, background=BackgroundTask(done.append, name))
        response.set_cookie("a", "b")
        return (await Exchange().run(response)).messages

    ours = await messages(SSRJSONLinesResponse, "ours")
    media_type = {"media_type": "application/jsonl"} if "media_type" not in arguments else {}
    assert ours == await messages(StreamingResponse, "theirs", **media_type)
    assert done == ["ours", "theirs"]


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cls", CLASSES)
async def test_stream_of_a_head_request_iterates_nothing_and_closes(cls: Any, kind: str) -> None:
    done: list[int] = []
    items = Watched(3).of(kind)
    response = cls(items, headers={"x-a": "b"}, background=BackgroundTask(done.append, 1))
    exchange = await Exchange("HEAD").run(response)
    assert exchange.messages[0]["headers"] == response.raw_headers
    assert (exchange.text, exchange.is_complete, done) == (b"", True, [1])
    with pytest.raises((StopIteration, StopAsyncIteration)):
        next(items) if kind == "sync" else await anext(items)


# Chunks


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
async def test_stream_of_a_fast_source_is_sent_in_chunks_of_the_size(kind: str) -> None:
    n = 5000
    # a long interval, because a loaded machine may take long for a chunk
    response = SSRJSONStreamingResponse(Watched(n).of(kind), flush_interval=30)
    exchange = await Exchange().run(response)
    sizes = [len(chunk) for chunk in exchange.chunks]
    assert len(sizes) == math.ceil(len(exchange.text) / 66000)
    assert all(65536 <= size <= 65536 * 1.1 + ITEM_BYTES for size in sizes[:-1])


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cls", CLASSES)
async def test_stream_of_a_source_that_falls_silent_sends_what_is_there(cls: Any, kind: str) -> None:
    silent = threading.Event()

    def items() -> Iterator[int]:
        yield from range(3)
        silent.wait(30)
        yield 3

    async def async_items() -> AsyncIterator[int]:
        for i in range(3):
            yield i
        while not silent.is_set():
            await asyncio.sleep(0.01)
        yield 3

    exchange = Exchange()
    running = asyncio.create_task(exchange.run(cls(items() if kind == "sync" else async_items())))
    try:
        deadline = time.monotonic() + 20
        while exchange.text.count(b"2") < 1 and time.monotonic() < deadline:
            await asyncio.sleep(0.01)
        assert b"2" in exchange.text, "items are held back"
        assert b"3" not in exchange.text
    finally:
        silent.set()
        await running
    assert b"3" in exchange.text


@pytest.mark.asyncio
async def test_stream_of_steady_items_is_sent_by_the_interval_not_by_the_item() -> None:
    exchange = await Exchange().run(SSRJSONStreamingResponse(Watched(100, pause_seconds=0.002).async_items()))
    assert json.loads(exchange.text) == Watched(100).values
    assert 2 <= len(exchange.chunks) <= 20


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
async def test_stream_of_a_busy_source_lets_other_tasks_run(kind: str) -> None:
    def items() -> Iterator[int]:
        for i in range(100):
            end = time.monotonic() + 0.003
            while time.monotonic() < end:
                pass
            yield i

    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counting = asyncio.create_task(count_turns())
    source = items() if kind == "sync" else each_of(items())
    await Exchange().run(SSRJSONStreamingResponse(source, flush_interval=10))
    counting.cancel()
    assert turns >= 15


@pytest.mark.asyncio
async def test_stream_of_an_async_source_is_iterated_in_one_task_that_closes_it() -> None:
    tasks: set[Any] = set()

    async def items() -> AsyncIterator[int]:
        try:
            for i in range(20):
                tasks.add(asyncio.current_task())
                await asyncio.sleep(0.01)
                yield i
        finally:
            tasks.add(asyncio.current_task())

    await Exchange(leaves_after=3).run(SSRJSONStreamingResponse(items()))
    assert len(tasks) == 1


# Back-pressure


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cls", CLASSES)
async def test_stream_to_a_slow_client_is_iterated_at_most_a_chunk_of_events_ahead(cls: Any, kind: str) -> None:
    watched = Watched(100_000)
    exchange = Exchange(leaves_after=5)
    ahead: list[int] = []
    take = exchange.send

    async def slow_send(message: Any) -> None:
        pulled = watched.pulled
        await asyncio.sleep(0.05)
        ahead.append(watched.pulled - pulled)
        await take(message)

    await cls(watched.of(kind))(exchange.scope, exchange.receive, slow_send)
    a_chunk = 65536 // ITEM_BYTES + 1
    assert ahead[0] == watched.pulled or ahead[0] <= a_chunk  # while the head was sent
    assert max(ahead[1:]) <= (a_chunk if cls is SSRJSONEventResponse else 1)
    assert watched.pulled <= len(exchange.text) // ITEM_BYTES + 2 * 65536 // ITEM_BYTES + 2
    assert watched.closed == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
async def test_stream_with_a_pending_item_iterates_no_further_while_sending(kind: str) -> None:
    watched = Watched(1000, pause_seconds=0.01)
    exchange = Exchange(leaves_after=4)
    ahead: list[int] = []

    async def slow_send(message: Any) -> None:
        if message["type"] == "http.response.body":
            pulled = watched.pulled
            await asyncio.sleep(0.15)
            ahead.append(watched.pulled - pulled)
        await exchange.send(message)

    await SSRJSONStreamingResponse(watched.of(kind))(exchange.scope, exchange.receive, slow_send)
    assert max(ahead) <= 1


# How it ends


@pytest.mark.asyncio
@pytest.mark.parametrize("spec_version", SPECS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("error_at", [0, 3, 4000])
async def test_stream_of_a_source_that_breaks_raises_without_an_end(
    cls: Any, kind: str, spec_version: str, error_at: int
) -> None:
    watched = Watched(5000, error_at=error_at)
    done: list[int] = []
    exchange = Exchange(spec_version=spec_version)
    with pytest.raises(RuntimeError, match="the source broke") as caught:
        await exchange.run(cls(watched.of(kind), background=BackgroundTask(done.append, 1)))
    assert caught.value is watched.error
    assert (exchange.is_complete, watched.closed, done) == (False, 1, [])
    assert exchange.text.count(b'"i"') == error_at  # what came before it was sent
    if cls is SSRJSONStreamingResponse:
        with pytest.raises(ValueError, match="Expecting"):
            json.loads(exchange.text)


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("item", [math.nan, {1}, object()], ids=lasting_repr)
async def test_stream_of_an_item_that_json_response_refuses_raises_the_same(kind: str, item: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as expected:
        JSONResponse(item)
    closed: list[int] = []

    def items() -> Iterator[Any]:
        try:
            yield from [1, item, 2]
        finally:
            closed.append(1)

    async def async_items() -> AsyncIterator[Any]:
        with contextlib.closing(items()) as source:
            for each in source:
                yield each

    exchange = Exchange()
    with pytest.raises((TypeError, ValueError)) as caught:
        await exchange.run(SSRJSONStreamingResponse(items() if kind == "sync" else async_items()))
    assert isinstance(caught.value, type(expected.value))
    assert str(caught.value) == str(expected.value)
    assert (exchange.text, exchange.is_complete, closed) == (b"[1", False, [1])


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("pause_seconds", [0.0, 0.01])
async def test_stream_whose_client_leaves_closes_the_source_and_runs_the_background(
    cls: Any, kind: str, pause_seconds: float
) -> None:
    watched = Watched(10**6, pause_seconds=pause_seconds)
    done: list[int] = []
    response = cls(watched.of(kind), background=BackgroundTask(done.append, 1))
    exchange = await Exchange(leaves_after=3).run(response)
    assert (exchange.is_complete, watched.closed, done) == (False, 1, [1])
    assert watched.pulled < 10_000


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cls", CLASSES)
async def test_stream_whose_sending_fails_closes_the_source_and_ends_as_stock(cls: Any, kind: str) -> None:
    async def raised_by(response: Any) -> type[BaseException] | None:
        exchange = Exchange(spec_version="2.4", leaves_after=3)
        try:
            await exchange.run(response)
        except Exception as error:
            return type(error)
        finally:
            assert not exchange.is_complete
        return None

    async def stock() -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(0)
            yield b"a"

    watched = Watched(10**6)
    assert await raised_by(cls(watched.of(kind))) is await raised_by(StreamingResponse(stock()))
    assert watched.closed == 1


@pytest.mark.asyncio
async def test_stream_that_is_cancelled_between_items_lets_the_source_finish_its_cleanup() -> None:
    closed: list[str] = []

    async def items() -> AsyncIterator[str]:
        try:
            while True:
                yield "é" * 10_000
        finally:
            await asyncio.sleep(0.05)
            closed.append("after a wait")

    await Exchange(leaves_after=3, send_seconds=0.01).run(SSRJSONStreamingResponse(items()))
    assert closed == ["after a wait"]


@pytest.mark.asyncio
async def test_stream_of_a_source_that_is_cancelled_is_no_whole_document() -> None:
    async def items() -> AsyncIterator[int]:
        yield 1
        raise asyncio.CancelledError

    exchange = Exchange()
    with contextlib.suppress(asyncio.CancelledError):
        await exchange.run(SSRJSONStreamingResponse(items()))
    assert b"]" not in exchange.text


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
async def test_stream_whose_source_fails_to_close_raises_that_when_the_client_left(kind: str) -> None:
    class Source:
        def __iter__(self) -> Source:
            return self

        def __next__(self) -> int:
            time.sleep(0.001)
            return 1

        def __aiter__(self) -> Source:
            return self

        async def __anext__(self) -> int:
            await asyncio.sleep(0.001)
            return 1

        def close(self) -> None:
            raise RuntimeError("not closed")

        async def aclose(self) -> None:
            raise RuntimeError("not closed")

    source = Source()
    if kind == "sync":
        del Source.__aiter__
    with pytest.raises(RuntimeError, match="not closed"):
        await Exchange(leaves_after=3).run(SSRJSONStreamingResponse(source))  # type: ignore[arg-type]


@pytest.mark.asyncio
async def test_stream_of_a_source_that_was_never_begun_is_closed_with_the_response() -> None:
    closed: list[str] = []

    class Rows:
        def __iter__(self) -> Iterator[int]:
            return iter([1])

        def close(self) -> None:
            closed.append("rows")

    await Exchange("HEAD").run(SSRJSONStreamingResponse(Rows()))
    assert closed == ["rows"]


# Encoders, and other readers of the chunks


@pytest.mark.asyncio
async def test_stream_encodes_by_the_given_encoder() -> None:
    items = [datetime.date(2026, 1, 2), math.nan, Fragment(b'{"a":1}')]
    encoder = Encoder(natives=True, nan_as_null=True)
    assert (await Exchange().run(SSRJSONLinesResponse(items, encoder=encoder))).text == b'"2026-01-02"\nnull\n{"a":1}\n'
    indented = await Exchange().run(SSRJSONStreamingResponse([[1]], encoder=Encoder(indent=1)))
    assert json.loads(indented.text) == [[1]]


@pytest.mark.asyncio
async def test_stream_leaves_no_utf8_cache_in_its_items() -> None:
    texts = ["".join([char] * 100) for char in "éя中😀"]
    await Exchange().run(SSRJSONStreamingResponse(texts))
    assert [utf8_cache_size(text) for text in texts] == [0] * 4


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
async def test_stream_body_iterator_gives_the_chunks(kind: str) -> None:
    watched = Watched(5000)
    chunks = [chunk async for chunk in SSRJSONStreamingResponse(watched.of(kind)).body_iterator]
    assert len(chunks) > 1
    assert b"".join(chunks) == JSONResponse(Watched(5000).values).body  # type: ignore[arg-type]
    assert watched.closed == 1
    with pytest.raises(RuntimeError, match="the source broke"):
        [_ async for _ in SSRJSONStreamingResponse(Watched(5, error_at=2).of(kind)).body_iterator]


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
async def test_stream_body_iterator_gives_each_item_of_a_source_slower_than_the_interval(kind: str) -> None:
    response = SSRJSONLinesResponse(Watched(3).of(kind), flush_interval=0)
    assert [chunk async for chunk in response.body_iterator] == [lines([value]) for value in Watched(3).values]


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
async def test_stream_body_iterator_was_read_and_failed_raises_the_error_itself(kind: str) -> None:
    watched = Watched(3, error_at=2)
    response = SSRJSONStreamingResponse(watched.of(kind))
    body = response.body_iterator

    async def upper() -> AsyncIterator[bytes]:
        async for chunk in body:
            yield chunk.upper()  # type: ignore[union-attr]

    response.body_iterator = upper()
    exchange = Exchange()
    with pytest.raises(RuntimeError, match="the source broke") as caught:
        await exchange.run(response)
    assert caught.value is watched.error
    assert (exchange.text.count(b'"I"'), exchange.is_complete, watched.closed) == (2, False, 1)


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
async def test_stream_whose_body_iterator_was_replaced_sends_the_other_and_closes(kind: str) -> None:
    watched = Watched(10**5)
    response = SSRJSONStreamingResponse(watched.of(kind))
    body = response.body_iterator

    async def upper() -> AsyncIterator[bytes]:
        async for chunk in body:
            yield chunk.upper()  # type: ignore[union-attr]
            return

    response.body_iterator = upper()
    exchange = await Exchange().run(response)
    assert exchange.text.startswith(b'[{"I":0')
    assert (watched.closed, exchange.is_complete) == (1, True)
