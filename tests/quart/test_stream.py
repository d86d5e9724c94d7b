"""Streams of Quart in this process: what they send, when, and how they close their source."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
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
