"""Streams in this process: what they send, when, and how they close their source."""

from __future__ import annotations

import datetime
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


@pytest.mark.parametrize("stream", STREAMS)
def test_stream_that_is_never_iterated_closes_its_source(stream: Any) -> None:
    never_iterated: list[int] = []
    response = made(stream, type("Source", (list,), {"close": lambda self: never_iterated.append(1)})([1]))
    response.close()
    assert never_iterated == [1]


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


@pytest.mark.parametrize("stream", STREAMS)
def test_stream_of_an_async_source_or_without_the_provider_is_an_error_at_once(stream: Any) -> None:
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
