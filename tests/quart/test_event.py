"""Events of Quart, in this process and under a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from helpers.streams import (
    N_CHARS,
    Watched,
    check_client_that_leaves,
    check_silent_source,
    check_slow_client,
    check_whole_stream,
    serve_asgi,
    wait_until,
)
from quart import Quart, request, stream_with_context

from ssrjson_web.quart import SSRJSON, SSRJSONEvent, stream_events

KINDS = ["sync", "async"]

watched: dict[str, Watched] = {}
app = Quart("events")
SSRJSON(app, ensure_ascii=False)


@app.get("/<kind>")
async def events(kind: str) -> Any:
    return stream_events(watched["now"].of(kind), keep_alive=0.05)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    with serve_asgi(app) as port:
        yield port


async def response_to(items: Any, **options: Any) -> tuple[Any, bytes]:
    async with app.app_context():
        response = stream_events(items, **options)
    async with response.response as body:
        return response, b"".join([chunk async for chunk in body])


def test_events_are_written_by_the_provider_with_their_fields() -> None:
    items = [{"名": "\u2028"}, SSRJSONEvent([1], event="x", id="7", retry=5), b"id: 9\n\n", SSRJSONEvent(comment="c")]
    response, text = asyncio.run(response_to(items))
    assert text.decode() == 'data: {"名":"\\u2028"}\n\nevent: x\ndata: [1]\nid: 7\nretry: 5\n\nid: 9\n\n: c\n\n'
    assert response.timeout is None
    assert response.mimetype == "text/event-stream"
    assert (response.headers["Cache-Control"], response.headers["X-Accel-Buffering"]) == ("no-cache", "no")


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


def test_events_of_wrong_arguments_are_an_error_at_once() -> None:
    async def check() -> None:
        async with app.app_context():
            with pytest.raises(TypeError, match="a stream is made of an iterable of items"):
                stream_events("text")
            with pytest.raises(ValueError, match="chunk_size must be 1 or more"):
                stream_events([], chunk_size=0)
            with pytest.raises(ValueError, match="keep_alive must be more than 0"):
                stream_events([], keep_alive=0)
        async with Quart("stock").app_context():
            with pytest.raises(RuntimeError, match=r"DefaultJSONProvider: call SSRJSON\(app\)"):
                stream_events([])

    asyncio.run(check())


@pytest.mark.parametrize("kind", KINDS)
def test_server_sends_all_events(port: int, kind: str) -> None:
    watched["now"] = source = Watched(3000, n_chars=100)
    check_whole_stream(port, f"/{kind}", source)


@pytest.mark.parametrize("kind", KINDS)
def test_server_waits_for_a_client_that_reads_slowly(port: int, kind: str) -> None:
    watched["now"] = source = Watched(5000, n_chars=N_CHARS)
    check_slow_client(port, f"/{kind}", source)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pause_seconds", [0.0, 0.01])
def test_client_that_leaves_ends_the_iteration(port: int, kind: str, pause_seconds: float) -> None:
    watched["now"] = source = Watched(10**9, pause_seconds=pause_seconds)
    check_client_that_leaves(port, f"/{kind}", source)


@pytest.mark.parametrize("kind", KINDS)
def test_client_of_a_silent_source_gets_comments(port: int, kind: str) -> None:
    watched["now"] = source = Watched(1, pause_seconds=2)
    check_silent_source(port, f"/{kind}", source)
    wait_until(lambda: source.closed == 1 or (kind == "sync" and source.pulled == 1), "the source was not closed")
