"""Events of Flask, in this process and under a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask, g, request, stream_with_context
from helpers.streams import (
    N_CHARS,
    Watched,
    check_client_that_leaves,
    check_silent_source,
    check_slow_client,
    check_whole_stream,
    serve_wsgi,
    wait_until,
)

from ssrjson_web.flask import SSRJSON, SSRJSONEvent, stream_events

KEEP_ALIVES = {"alone": None, "kept": 0.05}

watched: dict[str, Watched] = {}
app = Flask("events")
SSRJSON(app, ensure_ascii=False)


@app.get("/<way>")
def events(way: str) -> Any:
    return stream_events(watched["now"].items(), keep_alive=KEEP_ALIVES[way])


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serve_wsgi(app) as port:
        yield port


@pytest.mark.parametrize("keep_alive", [None, 15])
def test_events_are_written_by_the_provider_with_their_fields(keep_alive: float | None) -> None:
    items = [{"名": "\u2028"}, SSRJSONEvent([1], event="x", id="7", retry=5), b"id: 9\n\n", SSRJSONEvent(comment="c")]
    with app.app_context():
        response = stream_events(items, keep_alive=keep_alive)
    text = b"".join(response.response)  # type: ignore[arg-type]
    response.close()
    assert text.decode() == 'data: {"名":"\\u2028"}\n\nevent: x\ndata: [1]\nid: 7\nretry: 5\n\nid: 9\n\n: c\n\n'
    assert response.mimetype == "text/event-stream"
    assert (response.headers["Cache-Control"], response.headers["X-Accel-Buffering"]) == ("no-cache", "no")


def test_events_have_the_request_with_its_context() -> None:
    own = Flask("own")
    SSRJSON(own)

    @own.get("/")
    def view() -> Any:
        g.name = "n"

        @stream_with_context
        def items() -> Iterator[Any]:
            for i in range(3):
                yield SSRJSONEvent([request.args["q"], g.name], id=str(i))

        return stream_events(items())

    assert own.test_client().get("/?q=e").data == b"".join(b'data: ["e","n"]\nid: %d\n\n' % i for i in range(3))


def test_events_of_wrong_arguments_are_an_error_at_once() -> None:
    async def items() -> Any:
        yield 1

    with app.app_context():
        with pytest.raises(TypeError, match="a stream is made of an iterable of items"):
            stream_events("text")
        with pytest.raises(TypeError, match="Flask streams the items of a sync iterable"):
            stream_events(items())  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="chunk_size must be 1 or more"):
            stream_events([], chunk_size=0)
        with pytest.raises(ValueError, match="keep_alive must be more than 0"):
            stream_events([], keep_alive=-1)
    with Flask("stock").app_context(), pytest.raises(RuntimeError, match=r"DefaultJSONProvider: call SSRJSON\(app\)"):
        stream_events([])


@pytest.mark.parametrize("way", KEEP_ALIVES)
def test_server_sends_all_events(port: int, way: str) -> None:
    watched["now"] = source = Watched(3000, n_chars=100)
    check_whole_stream(port, f"/{way}", source)
    assert len(source.threads) == 1


@pytest.mark.parametrize("way", KEEP_ALIVES)
def test_server_waits_for_a_client_that_reads_slowly(port: int, way: str) -> None:
    watched["now"] = source = Watched(5000, n_chars=N_CHARS)
    check_slow_client(port, f"/{way}", source)


@pytest.mark.parametrize("way", KEEP_ALIVES)
@pytest.mark.parametrize("pause_seconds", [0.0, 0.01])
def test_client_that_leaves_ends_the_iteration(port: int, way: str, pause_seconds: float) -> None:
    watched["now"] = source = Watched(10**9, pause_seconds=pause_seconds)
    check_client_that_leaves(port, f"/{way}", source)


def test_client_of_a_silent_source_gets_comments_and_is_noticed_when_it_leaves(port: int) -> None:
    watched["now"] = source = Watched(10**9, pause_seconds=1)
    check_silent_source(port, "/kept", source)
    wait_until(lambda: source.closed == 1, "the source was not closed")
    assert source.pulled <= 2
