"""Streams of Quart in this process: what they send, when, and how they close their source."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from helpers.streams import Watched
from quart import Quart, request, stream_with_context

from ssrjson_web.quart import SSRJSON, SSRJSONProvider, stream_array, stream_lines

KINDS = ["sync", "async"]
STREAMS = [stream_array, stream_lines]
app = Quart("stream")
SSRJSON(app, ensure_ascii=False)


async def chunks_of(stream: Any, items: Any, **arguments: Any) -> list[bytes]:
    """The chunks that a server would send."""
    async with app.app_context():
        response = stream(items, **arguments)
    assert response.timeout is None
    async with response.response as body:
        return [chunk async for chunk in body]


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
def test_stream_without_the_provider_is_an_error_at_once(stream: Any) -> None:
    async def check() -> None:
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
