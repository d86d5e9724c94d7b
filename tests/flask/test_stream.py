"""Streams in this process: what they send, when, and how they close their source."""

from __future__ import annotations

import datetime
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask, g, request, stream_with_context
from helpers.streams import Watched
from werkzeug.test import run_wsgi_app

from ssrjson_web.flask import SSRJSON, SSRJSONProvider, stream_array, stream_lines

app = Flask("stream")
SSRJSON(app, ensure_ascii=False)
STREAMS = [stream_array, stream_lines]


def made(stream: Any, items: Any, **arguments: Any) -> Any:
    with app.app_context():
        return stream(items, **arguments)


def chunks_of(response: Any) -> list[bytes]:
    try:
        return list(response.response)
    finally:
        response.close()


def array_of(values: list[Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()


def lines_of(values: list[Any]) -> bytes:
    return b"".join(array_of(value) + b"\n" for value in values)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 100])
@pytest.mark.parametrize("chunk_size", [1, 70, 65536])
def test_stream_sends_each_item_once_in_order(n: int, chunk_size: int) -> None:
    for stream, text_of, mimetype in (
        (stream_array, array_of, "application/json"),
        (stream_lines, lines_of, "application/jsonl"),
    ):
        source = Watched(n)
        response = made(stream, source.items(), chunk_size=chunk_size)
        assert (response.mimetype, response.is_streamed, response.content_length) == (mimetype, True, None)
        chunks = chunks_of(response)
        assert b"".join(chunks) == text_of(source.values)
        assert source.closed == 1
        if chunk_size == 1:
            assert len(chunks) >= n


def test_stream_chunks_hold_what_was_asked_and_a_little_more() -> None:
    source = Watched(5000, n_chars=50)
    chunks = chunks_of(made(stream_array, source.items(), chunk_size=10_000, flush_interval=60))
    assert all(10_000 <= len(chunk) < 10_300 for chunk in chunks[:-1])
    assert json.loads(b"".join(chunks)) == source.values


def test_stream_sends_an_item_that_comes_late_at_once() -> None:
    for source, interval in ((Watched(4, pause_seconds=0.02), 0.01), (Watched(4), 0)):
        chunks = chunks_of(made(stream_lines, source.items(), flush_interval=interval))
        assert [len(chunk.splitlines()) for chunk in chunks if chunk] == [1, 1, 1, 1]


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("error_at", [0, 1, 50])
def test_stream_error_is_raised_after_the_items_before_it(stream: Any, error_at: int) -> None:
    source = Watched(100, error_at=error_at)
    sent: list[bytes] = []
    with pytest.raises(RuntimeError, match="the source broke"):
        sent.extend(made(stream, source.items()).response)
    assert source.closed == 1
    text = b"".join(sent)
    assert text == (lines_of if stream is stream_lines else lambda v: array_of(v)[:-1] if v else b"")(
        source.values[:error_at]
    )


def test_stream_of_what_has_no_json_closes_its_source() -> None:
    source = Watched(3)
    response = made(stream_array, ({"of": each, "set": {1}} for each in source.items()))
    with pytest.raises(TypeError, match="Object of type set is not JSON serializable"):
        list(response.response)
    assert (source.pulled, source.closed) == (1, 1)


@pytest.mark.parametrize("stream", STREAMS)
def test_stream_that_is_left_closes_its_source(stream: Any) -> None:
    source = Watched(10**9)
    response = made(stream, source.items(), chunk_size=100)
    next(iter(response.response))
    response.close()
    assert source.closed == 1
    assert source.pulled < 10
    never_iterated: list[int] = []
    response = made(stream, type("Source", (list,), {"close": lambda self: never_iterated.append(1)})([1]))
    response.close()
    assert never_iterated == [1]


def test_stream_takes_a_chunk_of_memory() -> None:
    response = made(stream_array, Watched(20_000, n_chars=500).items())  # 20 MB
    tracemalloc.start()
    try:
        n_bytes = sum(len(chunk) for chunk in response.response)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n_bytes > 20_000_000
    assert peak < 2_000_000


def test_stream_writes_as_the_provider_does() -> None:
    items = [{"b": datetime.date(2020, 1, 1), "a": "é"}, {2: 1, 10: 0}]
    text = '{"a":"é","b":"Wed, 01 Jan 2020 00:00:00 GMT"}'
    assert b"".join(made(stream_array, items).response) == f'[{text},{{"2":1,"10":0}}]'.encode()
    own = Flask("own")
    SSRJSON(own, mode="fast", compact=False)
    own.json.mimetype = "application/x"  # type: ignore[attr-defined]
    with own.app_context():
        lines, array = stream_lines(items), stream_array(items)
    assert b"".join(lines.response).decode() == '{"b":"2020-01-01","a":"é"}\n{"2":1,"10":0}\n'  # type: ignore[arg-type]
    assert array.mimetype == "application/x"


def test_stream_honours_a_dumps_of_ones_own() -> None:
    class Own(SSRJSONProvider):
        def dumps(self, obj: Any, **kwargs: Any) -> str:
            return f"<{super().dumps(obj, **kwargs)}>"

    class Indented(SSRJSONProvider):
        def dumps(self, obj: Any, **kwargs: Any) -> str:
            return super().dumps(obj, indent=1)

    own = Flask("own")
    own.json = Own(own)
    with own.app_context():
        assert b"".join(stream_lines([1, [2]]).response) == b"<1>\n<[2]>\n"  # type: ignore[arg-type]
    own.json = Indented(own)
    with own.app_context():
        assert b"".join(stream_array([[1]]).response) == b"[[\n 1\n]]"  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="line breaks"):
            stream_lines([1])


@pytest.mark.parametrize("items", ["text", b"bytes", bytearray(b"a"), {"a": 1}, 5, None])
@pytest.mark.parametrize("stream", STREAMS)
def test_stream_of_what_is_no_iterable_of_items_is_a_type_error(stream: Any, items: Any) -> None:
    with pytest.raises(TypeError, match="a stream is made of an iterable of items"):
        made(stream, items)


@pytest.mark.parametrize("stream", STREAMS)
def test_stream_of_wrong_arguments_is_an_error_at_once(stream: Any) -> None:
    with pytest.raises(ValueError, match="chunk_size must be 1 or more"):
        made(stream, [], chunk_size=0)
    with pytest.raises(ValueError, match="flush_interval must be 0 or more"):
        made(stream, [], flush_interval=-1)
    with pytest.raises(TypeError, match="Flask streams the items of a sync iterable, not of async_generator"):
        made(stream, Watched(1).async_items())
    with Flask("stock").app_context(), pytest.raises(RuntimeError, match=r"DefaultJSONProvider: call SSRJSON\(app\)"):
        stream([])


def test_stream_with_context_has_the_request_while_it_is_iterated() -> None:
    own = Flask("own")
    SSRJSON(own, ensure_ascii=False)

    @own.get("/rows")
    def rows() -> Any:
        g.rows = 3

        def items() -> Iterator[Any]:
            for i in range(g.rows):
                yield {"i": i, "q": request.args["q"]}

        return stream_array(stream_with_context(items()), flush_interval=0), 202, {"X-A": "b"}

    reply = own.test_client().get("/rows?q=é", buffered=True)
    assert (reply.status_code, reply.headers["X-A"]) == (202, "b")
    assert reply.json == [{"i": i, "q": "é"} for i in range(3)]


def test_head_iterates_nothing_and_closes_the_source() -> None:
    own = Flask("own")
    SSRJSON(own)
    source = Watched(5)

    class Source:
        closed = 0

        def __iter__(self) -> Iterator[Any]:
            return source.items()

        def close(self) -> None:
            self.closed += 1

    items = Source()
    own.add_url_rule("/", view_func=lambda: stream_array(items))
    chunks, status, _ = run_wsgi_app(own, {"REQUEST_METHOD": "HEAD", "PATH_INFO": "/", "wsgi.url_scheme": "http",
                                           "SERVER_NAME": "test", "SERVER_PORT": "80"})  # fmt: skip
    assert (b"".join(chunks), status) == (b"", "200 OK")
    chunks.close()  # type: ignore[attr-defined]
    assert (source.pulled, items.closed) == (0, 1)
