"""Streams of Quart, in this process and under a real server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
import tracemalloc
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from helpers.streams import Watched, asked, body_of, read_all, serve_asgi, wait_until
from quart import Quart, request, stream_with_context

from ssrjson_web.quart import SSRJSON, SSRJSONProvider, stream_array, stream_lines

KINDS = ["sync", "async"]
STREAMS = [stream_array, stream_lines]
BUFFERED_BYTES = 8 << 20
N_CHARS = 2000

watched: dict[str, Watched] = {}
app = Quart("stream")
SSRJSON(app, ensure_ascii=False)


@app.get("/<stream>/<kind>")
async def stream(stream: str, kind: str) -> Any:
    return {"array": stream_array, "lines": stream_lines}[stream](watched["now"].of(kind))


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    with serve_asgi(app) as port:
        yield port


async def chunks_of(stream: Any, items: Any, **arguments: Any) -> list[bytes]:
    """The chunks that a server would send."""
    async with app.app_context():
        response = stream(items, **arguments)
    assert response.timeout is None
    async with response.response as body:
        return [chunk async for chunk in body]


def array_of(values: list[Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()


def lines_of(values: list[Any]) -> bytes:
    return b"".join(array_of(value) + b"\n" for value in values)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [0, 1, 2, 100])
@pytest.mark.parametrize("chunk_size", [1, 70, 65536])
def test_stream_sends_each_item_once_in_order(kind: str, n: int, chunk_size: int) -> None:
    for stream, text_of in ((stream_array, array_of), (stream_lines, lines_of)):
        source = Watched(n)
        chunks = asyncio.run(chunks_of(stream, source.of(kind), chunk_size=chunk_size))
        assert b"".join(chunks) == text_of(source.values)
        assert source.closed == 1
        if chunk_size == 1:
            assert len(chunks) >= n


@pytest.mark.parametrize("kind", KINDS)
def test_stream_sends_an_item_that_comes_late_at_once(kind: str) -> None:
    for source, interval in ((Watched(4, pause_seconds=0.02), 0.01), (Watched(4), 0)):
        chunks = asyncio.run(chunks_of(stream_lines, source.of(kind), flush_interval=interval))
        assert [len(chunk.splitlines()) for chunk in chunks if chunk] == [1, 1, 1, 1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("error_at", [0, 1, 50])
def test_stream_error_is_raised_after_the_items_before_it(kind: str, stream: Any, error_at: int) -> None:
    source = Watched(100, error_at=error_at)
    sent: list[bytes] = []

    async def send_all() -> None:
        async with app.app_context():
            response = stream(source.of(kind))
        async with response.response as body:
            async for chunk in body:
                sent.append(chunk)

    with pytest.raises(RuntimeError, match="the source broke"):
        asyncio.run(send_all())
    assert source.closed == 1
    values = source.values[:error_at]
    assert b"".join(sent) == (lines_of(values) if stream is stream_lines else array_of(values)[:-1] if values else b"")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pause_seconds", [0.0, 0.01])
def test_stream_whose_task_is_cancelled_closes_its_source(kind: str, pause_seconds: float) -> None:
    source = Watched(10**9, pause_seconds=pause_seconds)

    async def run() -> None:
        task = asyncio.ensure_future(chunks_of(stream_array, source.of(kind)))
        while source.pulled < 3:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert source.closed == 1

    asyncio.run(asyncio.wait_for(run(), 30))


def test_sync_stream_is_iterated_outside_of_the_loop_and_lets_others_run() -> None:
    source = Watched(10, pause_seconds=0.02)

    async def run() -> int:
        task = asyncio.ensure_future(chunks_of(stream_array, source.items()))
        n_turns = 0
        while not task.done():
            n_turns += 1
            await asyncio.sleep(0.005)
        return n_turns

    assert asyncio.run(run()) >= 10
    assert threading.get_ident() not in source.threads


def test_async_stream_that_never_waits_lets_others_run_between_chunks() -> None:
    async def endless() -> AsyncIterator[int]:
        while True:
            yield 1

    async def run() -> None:
        task = asyncio.ensure_future(chunks_of(stream_array, endless(), chunk_size=1000))
        for _ in range(20):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(run(), 20))


@pytest.mark.parametrize("kind", KINDS)
def test_stream_takes_a_chunk_of_memory(kind: str) -> None:
    async def count_bytes() -> int:
        async with app.app_context():
            response = stream_array(Watched(20_000, n_chars=500).of(kind))  # 20 MB
        async with response.response as body:
            return sum([len(chunk) async for chunk in body])

    tracemalloc.start()
    try:
        n_bytes = asyncio.run(count_bytes())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n_bytes > 20_000_000
    assert peak < 2_500_000


def test_stream_with_context_has_the_request_while_it_is_iterated() -> None:
    own = Quart("own")
    SSRJSON(own)

    @own.get("/async")
    async def rows() -> Any:
        @stream_with_context
        async def items() -> AsyncIterator[Any]:
            for i in range(3):
                yield {"i": i, "q": request.args["q"]}

        return stream_array(items()), 202

    async def run() -> Any:
        reply = await own.test_client().get("/async?q=e")
        return reply.status_code, await reply.get_json()

    assert asyncio.run(run()) == (202, [{"i": i, "q": "e"} for i in range(3)])


@pytest.mark.parametrize("stream", STREAMS)
def test_stream_of_wrong_arguments_is_an_error_at_once(stream: Any) -> None:
    async def check() -> None:
        async with app.app_context():
            for items in ("text", b"bytes", {"a": 1}, 5, None):
                with pytest.raises(TypeError, match="a stream is made of an iterable of items"):
                    stream(items)
            with pytest.raises(ValueError, match="chunk_size must be 1 or more"):
                stream([], chunk_size=0)
            with pytest.raises(ValueError, match="flush_interval must be 0 or more"):
                stream([], flush_interval=float("nan"))
        async with Quart("stock").app_context():
            with pytest.raises(RuntimeError, match=r"DefaultJSONProvider: call SSRJSON\(app\)"):
                stream([])

    asyncio.run(check())


def test_lines_of_a_dumps_that_breaks_them_are_a_value_error() -> None:
    class Indented(SSRJSONProvider):
        def dumps(self, obj: Any, **kwargs: Any) -> str:
            return super().dumps(obj, indent=1)

    async def check() -> None:
        own = Quart("own")
        own.json = Indented(own)
        async with own.app_context():
            with pytest.raises(ValueError, match="line breaks"):
                stream_lines([1])

    asyncio.run(check())


@pytest.mark.parametrize("kind", KINDS)
def test_server_sends_the_whole_of_a_stream(port: int, kind: str) -> None:
    watched["now"] = source = Watched(5000, n_chars=100)
    for stream in ("array", "lines"):
        with asked(port, f"/{stream}/{kind}") as client:
            body, is_whole = body_of(read_all(client))
        assert is_whole
        values = json.loads(body) if stream == "array" else [json.loads(line) for line in body.splitlines()]
        assert values == source.values
    wait_until(lambda: source.closed == 2, "the sources were not closed")


@pytest.mark.parametrize("kind", KINDS)
def test_server_waits_for_a_client_that_reads_slowly(port: int, kind: str) -> None:
    watched["now"] = source = Watched(5000, n_chars=N_CHARS)  # 20 MB
    with asked(port, f"/array/{kind}") as client:
        before = -1
        while source.pulled != before:
            before = source.pulled
            time.sleep(0.3)
        assert 0 < source.pulled * 2 * N_CHARS < BUFFERED_BYTES
        assert json.loads(body_of(read_all(client))[0]) == source.values


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pause_seconds", [0.0, 0.01])
def test_client_that_leaves_ends_the_iteration(port: int, kind: str, pause_seconds: float) -> None:
    watched["now"] = source = Watched(10**9, pause_seconds=pause_seconds, n_chars=N_CHARS)
    with asked(port, f"/array/{kind}"):
        wait_until(lambda: source.pulled, "no item was iterated")
    wait_until(lambda: source.closed == 1, "the source was not closed")
    pulled = source.pulled
    time.sleep(0.1)
    assert source.pulled == pulled


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stream", ["array", "lines"])
def test_error_of_a_source_leaves_nothing_that_looks_whole(port: int, kind: str, stream: str) -> None:
    watched["now"] = source = Watched(3000, n_chars=100, error_at=2500)
    with asked(port, f"/{stream}/{kind}") as client:
        body, is_whole = body_of(read_all(client))
    assert body.count(b'"i":') == 2500
    assert not is_whole
    wait_until(lambda: source.closed == 1, "the source was not closed")


def test_source_that_breaks_in_closing_raises() -> None:
    class Source:
        def __aiter__(self) -> Source:
            return self

        async def __anext__(self) -> int:
            raise StopAsyncIteration

        async def aclose(self) -> None:
            raise RuntimeError("could not be closed")

    async def run() -> None:
        with contextlib.suppress(StopAsyncIteration):
            await chunks_of(stream_array, Source())

    with pytest.raises(RuntimeError, match="could not be closed"):
        asyncio.run(run())
