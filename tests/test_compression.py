"""The lines of docs/compression.md under real servers: answers, streams and events, in each coding."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import threading
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from helpers.markdown_pages import PAGES, blocks_of
from helpers.streams import events_of, serve_asgi, serve_wsgi

brotli = pytest.importorskip("brotli", reason="brotli is not installed")
ROWS = [{"id": i, "name": f"商品 {i}", "tags": ["新", "fast"]} for i in range(500)]
N_EVENTS = 5
WAIT_SECONDS = 20


@dataclass
class Gate:
    """A source of events that sends the next one when the client has the one before."""

    arrived: list[threading.Event] = field(default_factory=lambda: [threading.Event() for _ in range(N_EVENTS)])

    def items(self) -> Iterator[Any]:
        for i in range(N_EVENTS):
            if i and not self.arrived[i - 1].wait(WAIT_SECONDS):
                return  # the client would never get the next one either
            yield {"i": i, "text": "事件"}

    async def async_items(self) -> AsyncIterator[Any]:
        loop = asyncio.get_running_loop()
        for i in range(N_EVENTS):
            if i and not await loop.run_in_executor(None, self.arrived[i - 1].wait, WAIT_SECONDS):
                return
            yield {"i": i, "text": "事件"}


gate = Gate()


def line_of(word: str) -> str:
    """The block of the page that has the word."""
    (text,) = [
        block.text
        for block in blocks_of(PAGES["docs/compression.md"].read_text(encoding="utf-8"))
        if block.language == "python" and word in block.text
    ]
    return text


def names_of(word: str, **given: Any) -> dict[str, Any]:
    """What the block of the page defines."""
    names = {"__name__": "application", **given}
    exec(line_of(word), names)
    return names


@contextlib.contextmanager
def fastapi() -> Iterator[int]:
    pytest.importorskip("starlette_compress", reason="starlette-compress is not installed")
    from ssrjson_web.starlette import SSRJSONEventResponse, SSRJSONLinesResponse, SSRJSONStreamingResponse

    app = names_of("FastAPI(")["app"]
    app.get("/rows")(lambda: ROWS)
    app.get("/array")(lambda: SSRJSONStreamingResponse(ROWS))
    app.get("/lines")(lambda: SSRJSONLinesResponse(ROWS))
    app.get("/events")(lambda: SSRJSONEventResponse(gate.async_items()))
    with serve_asgi(app) as port:
        yield port


@contextlib.contextmanager
def flask() -> Iterator[int]:
    pytest.importorskip("flask_compress", reason="flask-compress is not installed")
    from ssrjson_web.flask import stream_array, stream_events, stream_lines

    app = names_of("Flask(")["app"]
    app.add_url_rule("/rows", "rows", lambda: ROWS)
    app.add_url_rule("/array", "array", lambda: stream_array(ROWS))
    app.add_url_rule("/lines", "lines", lambda: stream_lines(ROWS))
    app.add_url_rule("/events", "events", lambda: stream_events(gate.items()))
    with serve_wsgi(app) as port:
        yield port


@contextlib.contextmanager
def quart() -> Iterator[int]:
    for package in ("quart", "starlette_compress"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    from ssrjson_web.quart import stream_array, stream_events, stream_lines

    app = names_of("Quart(")["app"]

    def route(name: str, answer: Callable[[], Any]) -> None:
        async def view() -> Any:
            return answer()

        app.add_url_rule(f"/{name}", name, view)

    route("rows", lambda: ROWS)
    route("array", lambda: stream_array(ROWS))
    route("lines", lambda: stream_lines(ROWS))
    route("events", lambda: stream_events(gate.async_items()))
    with serve_asgi(app) as port:
        yield port


def django_views(*, is_async: bool) -> list[Any]:
    from django.urls import path

    from ssrjson_web.django import (
        SSRJSONEventResponse,
        SSRJSONLinesResponse,
        SSRJSONResponse,
        SSRJSONStreamingResponse,
    )

    answers: dict[str, Callable[[], Any]] = {
        "rows": lambda: SSRJSONResponse(ROWS, safe=False),
        "array": lambda: SSRJSONStreamingResponse(ROWS),
        "lines": lambda: SSRJSONLinesResponse(ROWS),
        "events": lambda: SSRJSONEventResponse(gate.async_items() if is_async else gate.items()),
    }
    return [path(name, lambda request, answer=answer: answer()) for name, answer in answers.items()]


@contextlib.contextmanager
def django(*, is_async: bool) -> Iterator[int]:
    pytest.importorskip("django_http_compression", reason="django-http-compression is not installed")
    from types import ModuleType

    from django.core.asgi import get_asgi_application
    from django.core.wsgi import get_wsgi_application
    from django.test import override_settings
    from helpers.django_project import project_settings

    urls: Any = ModuleType("urls")
    urls.urlpatterns = django_views(is_async=is_async)
    middleware = names_of("# settings.py", MIDDLEWARE=[])["MIDDLEWARE"]
    with project_settings(INSTALLED_APPS=[], ROOT_URLCONF=urls), override_settings(MIDDLEWARE=middleware):
        if is_async:
            with serve_asgi(get_asgi_application()) as port:
                yield port
        else:
            with serve_wsgi(get_wsgi_application()) as port:
                yield port


SERVERS: dict[str, Callable[[], contextlib.AbstractContextManager[int]]] = {
    "fastapi": fastapi,
    "django": lambda: django(is_async=False),
    "django_asgi": lambda: django(is_async=True),
    "flask": flask,
    "quart": quart,
}


@pytest.fixture(scope="module", params=SERVERS)
def served(request: pytest.FixtureRequest) -> Iterator[tuple[str, int]]:
    with SERVERS[request.param]() as port:
        yield request.param, port


def unpacker(coding: str | None) -> Callable[[bytes], bytes]:
    """Unpacks a body while it arrives."""
    if coding == "br":
        return brotli.Decompressor().process  # type: ignore[no-any-return]
    if coding == "zstd":
        try:
            from compression import zstd  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            from backports import zstd
        return zstd.ZstdDecompressor().decompress  # type: ignore[no-any-return,unused-ignore]
    return bytes if coding is None else zlib.decompressobj(wbits=31).decompress


@contextlib.contextmanager
def answer(port: int, name: str, coding: str) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2 * WAIT_SECONDS)
    try:
        connection.request("GET", f"/{name}", headers={"Accept-Encoding": coding})
        yield connection.getresponse()
    finally:
        connection.close()


CODINGS = ["zstd", "br", "gzip"]


@pytest.mark.parametrize("coding", CODINGS)
def test_answer_is_compressed_and_unpacks_to_the_body(served: tuple[str, int], coding: str) -> None:
    with answer(served[1], "rows", coding) as reply:
        packed = reply.read()
    assert (reply.status, reply.headers["Content-Encoding"]) == (200, coding)
    assert "accept-encoding" in reply.headers["Vary"].lower()
    assert json.loads(unpacker(coding)(packed)) == ROWS
    assert len(packed) < len(json.dumps(ROWS, ensure_ascii=False).encode()) / 4


def test_answer_to_a_client_that_accepts_nothing_is_not_compressed(served: tuple[str, int]) -> None:
    with answer(served[1], "rows", "identity") as reply:
        assert json.loads(reply.read()) == ROWS
    assert reply.headers["Content-Encoding"] is None


def test_client_that_accepts_all_gets_zstd(served: tuple[str, int]) -> None:
    with answer(served[1], "rows", "gzip, deflate, br, zstd") as reply:
        assert reply.headers["Content-Encoding"] == "zstd"


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("name", ["array", "lines"])
def test_stream_is_whole(served: tuple[str, int], name: str, coding: str) -> None:
    with answer(served[1], name, coding) as reply:
        text = unpacker(reply.headers["Content-Encoding"])(reply.read())
    left_alone = {("flask", "array", "gzip")} | {(one, "lines", coding) for one in ("fastapi", "flask", "quart")}
    is_compressed = (served[0], name, coding) not in left_alone
    assert reply.headers["Content-Encoding"] == (coding if is_compressed else None)
    assert (json.loads(text) if name == "array" else [json.loads(line) for line in text.splitlines()]) == ROWS


@pytest.mark.parametrize("coding", CODINGS)
def test_each_event_arrives_when_it_is_sent(served: tuple[str, int], coding: str) -> None:
    global gate
    gate = Gate()
    text = b""
    with answer(served[1], "events", coding) as reply:
        unpack = unpacker(reply.headers["Content-Encoding"])
        while piece := reply.read1(65536):
            text += unpack(piece)
            for i in range(text.count(b"\n\n")):
                gate.arrived[i].set()
    assert reply.headers["Content-Encoding"] == (None if served[0] == "flask" else coding)
    assert [event.data["i"] for event in events_of(text)] == list(range(N_EVENTS))


def test_lines_that_are_added_to_the_types_are_compressed_one_by_one() -> None:
    starlette_compress = pytest.importorskip("starlette_compress", reason="starlette-compress is not installed")
    from helpers.asgi_exchange import Exchange
    from starlette.responses import StreamingResponse

    lines = [b'{"i": 0}\n', b'{"i": 1}\n', b'{"i": 2}\n']
    app = starlette_compress.CompressMiddleware(StreamingResponse(iter(lines), media_type="application/jsonl"))
    starlette_compress.add_compress_type("application/jsonl", streaming=True)
    try:
        exchange = asyncio.run(Exchange(headers=[(b"accept-encoding", b"zstd")]).run(app))
    finally:
        starlette_compress.remove_compress_type("application/jsonl")
    unpack = unpacker("zstd")
    assert [text for text in map(unpack, exchange.chunks) if text] == lines


def test_djangos_gzip_holds_events_back_under_wsgi_before_6_1() -> None:
    django = pytest.importorskip("django", reason="Django is not installed")
    from django.http import HttpRequest
    from django.middleware.gzip import GZipMiddleware
    from helpers.django_project import project_settings

    from ssrjson_web.django import SSRJSONEventResponse

    with project_settings(INSTALLED_APPS=[]):
        request = HttpRequest()
        request.META["HTTP_ACCEPT_ENCODING"] = "gzip"
        response = GZipMiddleware(lambda _: SSRJSONEventResponse([{"i": 0}, {"i": 1}]))(request)  # type: ignore[arg-type]
        chunks = list(response)  # type: ignore[call-overload]
    unpack = unpacker("gzip")
    n_events = [n for chunk in chunks if (n := unpack(chunk).count(b"\n\n"))]
    assert n_events == ([2] if django.VERSION < (6, 1) else [1, 1])


def test_aiohttp_compresses_with_the_zlib_it_is_given() -> None:
    aiohttp = pytest.importorskip("aiohttp", reason="aiohttp is not installed")
    isal_zlib = pytest.importorskip("isal.isal_zlib", reason="isal is not installed")
    if not hasattr(aiohttp, "set_zlib_backend"):
        pytest.skip("this aiohttp has no set_zlib_backend")
    from aiohttp import web
    from aiohttp.compression_utils import ZLibBackend
    from aiohttp.test_utils import TestClient, TestServer

    async def rows(request: web.Request) -> web.Response:
        response = web.json_response(ROWS)
        response.enable_compression()
        return response

    async def asked() -> tuple[str | None, Any]:
        app = web.Application()
        app.router.add_get("/rows", rows)
        async with TestClient(TestServer(app)) as client:
            reply = await client.get("/rows", headers={"Accept-Encoding": "gzip"})
            return reply.headers.get("Content-Encoding"), await reply.json()

    try:
        names_of("set_zlib_backend")
        assert ZLibBackend.name == isal_zlib.__name__
        assert asyncio.run(asked()) == ("gzip", ROWS)
    finally:
        aiohttp.set_zlib_backend(zlib)
