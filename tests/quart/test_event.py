"""Events of Quart: their format, their context and errors of arguments."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from quart import Quart, request, stream_with_context

from ssrjson_web.quart import SSRJSON, SSRJSONEvent, stream_events

app = Quart("events")
SSRJSON(app, ensure_ascii=False)


def test_events_have_the_request_with_its_context() -> None:
    own = Quart("own")
    SSRJSON(own)

    @own.get("/")
    async def view() -> Any:
        @stream_with_context
        async def items() -> AsyncIterator[Any]:
            for i in range(3):
                await asyncio.sleep(0.001)
                yield SSRJSONEvent(request.args["q"], id=str(i))

        return stream_events(items())

    async def run() -> bytes:
        reply = await own.test_client().get("/?q=e")
        return await reply.get_data()  # type: ignore[no-any-return]

    assert asyncio.run(run()) == b"".join(b'data: "e"\nid: %d\n\n' % i for i in range(3))


def test_events_without_the_provider_are_an_error_at_once() -> None:
    async def check() -> None:
        async with Quart("stock").app_context():
            with pytest.raises(RuntimeError, match=r"DefaultJSONProvider: call SSRJSON\(app\)"):
                stream_events([])

    asyncio.run(check())
