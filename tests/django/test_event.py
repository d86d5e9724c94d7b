"""Events of Django, in this process and under real servers, WSGI and ASGI."""

from __future__ import annotations

import asyncio
import gzip
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="uvicorn is not installed")

import django
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest
from django.middleware.gzip import GZipMiddleware
from django.urls import path
from helpers.django_bookshop.urls import urlpatterns
from helpers.streams import (
    N_CHARS,
    Watched,
    check_client_that_leaves,
    check_silent_source,
    check_slow_client,
    check_whole_stream,
    events_of,
    serve_asgi,
    serve_wsgi,
    wait_until,
)

from ssrjson_web.django import SSRJSONEvent, SSRJSONEventResponse

WAYS = [("wsgi", "sync", False), ("wsgi", "sync", True), ("asgi", "sync", False), ("asgi", "async", False)]
"""The server, the kind of source, and whether WSGI gets comments by a thread."""

watched: dict[str, Watched] = {}


def events(request: HttpRequest, kind: str, kept: int) -> Any:
    return SSRJSONEventResponse(
        watched["now"].of(kind), keep_alive=0.05, wsgi_keep_alive=0.05 if kept else None, headers={"X-A": "b"}
    )


urlpatterns += [path("events/<kind>/<int:kept>", events)]


@pytest.fixture(scope="module")
def ports(project: None) -> Iterator[dict[str, int]]:
    with serve_wsgi(get_wsgi_application()) as wsgi, serve_asgi(get_asgi_application()) as asgi:
        yield {"wsgi": wsgi, "asgi": asgi}


async def read_async(response: Any) -> bytes:
    return b"".join([chunk async for chunk in response])


@pytest.mark.parametrize("way", ["wsgi", "wsgi with a thread", "asgi"])
def test_events_are_written_as_the_response_of_json_with_their_fields(way: str) -> None:
    items = [{"名": "\u2028"}, SSRJSONEvent([1], event="x", id="7", retry=5), b"id: 9\n\n", SSRJSONEvent(comment="c")]
    response = SSRJSONEventResponse(
        items,
        json_dumps_params={"ensure_ascii": False, "separators": (",", ":")},
        wsgi_keep_alive=15 if way == "wsgi with a thread" else None,
    )
    text = asyncio.run(read_async(response)) if way == "asgi" else b"".join(response)
    assert text.decode() == 'data: {"名":"\\u2028"}\n\nevent: x\ndata: [1]\nid: 7\nretry: 5\n\nid: 9\n\n: c\n\n'
    assert response.headers["Content-Type"] == "text/event-stream"
    assert (response.headers["Cache-Control"], response.headers["X-Accel-Buffering"]) == ("no-cache", "no")


def test_events_leave_headers_that_were_given() -> None:
    response = SSRJSONEventResponse([], headers={"cache-control": "no-store", "X-Accel-Buffering": "yes"})
    assert (response.headers["Cache-Control"], response.headers["X-Accel-Buffering"]) == ("no-store", "yes")


@pytest.mark.parametrize("kept", [False, True])
def test_events_of_indented_data_are_in_lines_of_data(kept: bool) -> None:
    response = SSRJSONEventResponse([[1]], json_dumps_params={"indent": 1}, wsgi_keep_alive=5 if kept else None)
    assert b"".join(response) == b"data: [\ndata:  1\ndata: ]\n\n"


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_events_that_a_middleware_compresses_are_whole(kind: str) -> None:
    source = Watched(500)
    request = HttpRequest()
    request.META["HTTP_ACCEPT_ENCODING"] = "gzip"
    response = GZipMiddleware(lambda _: None).process_response(request, SSRJSONEventResponse(source.of(kind)))  # type: ignore[arg-type]
    text = asyncio.run(read_async(response))
    if response.headers.get("Content-Encoding") == "gzip":
        text = gzip.decompress(text)
    assert [event.data for event in events_of(text)] == source.values
    assert source.closed == 1


def test_events_of_a_thread_close_its_database_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[int] = []
    connections = SimpleNamespace(close_all=lambda: closed.append(threading.get_ident()))
    monkeypatch.setattr("ssrjson_web.django._events.connections", connections)
    source = Watched(3)
    assert b"".join(SSRJSONEventResponse(source.items())).count(b"data: ") == 3
    assert closed == []
    source = Watched(3)
    assert b"".join(SSRJSONEventResponse(source.items(), wsgi_keep_alive=5)).count(b"data: ") == 3
    assert set(closed) == source.threads != {threading.get_ident()}


def test_events_of_wrong_arguments_are_an_error_at_once() -> None:
    with pytest.raises(TypeError, match="a stream is made of an iterable of items"):
        SSRJSONEventResponse("text")
    with pytest.raises(ValueError, match="chunk_size must be 1 or more"):
        SSRJSONEventResponse([], chunk_size=0)
    for name in ("keep_alive", "wsgi_keep_alive"):
        with pytest.raises(ValueError, match="keep_alive must be more than 0"):
            SSRJSONEventResponse([], **{name: 0})  # type: ignore[arg-type]


@pytest.mark.parametrize(("server", "kind", "kept"), WAYS)
def test_server_sends_all_events(ports: dict[str, int], server: str, kind: str, kept: bool) -> None:
    watched["now"] = source = Watched(3000, n_chars=100)
    check_whole_stream(ports[server], f"/events/{kind}/{kept:d}", source)


@pytest.mark.parametrize(("server", "kind", "kept"), WAYS)
def test_server_waits_for_a_client_that_reads_slowly(ports: dict[str, int], server: str, kind: str, kept: bool) -> None:
    watched["now"] = source = Watched(5000, n_chars=N_CHARS)
    check_slow_client(ports[server], f"/events/{kind}/{kept:d}", source)


@pytest.mark.parametrize(("server", "kind", "kept"), WAYS)
@pytest.mark.parametrize("pause_seconds", [0.0, 0.01])
def test_client_that_leaves_ends_the_iteration(
    ports: dict[str, int], server: str, kind: str, kept: bool, pause_seconds: float
) -> None:
    if server == "asgi" and django.VERSION < (5, 0):
        pytest.skip("Django 4.2 does not notice under ASGI that a client has left")
    watched["now"] = source = Watched(10**9, pause_seconds=pause_seconds)
    check_client_that_leaves(ports[server], f"/events/{kind}/{kept:d}", source)


@pytest.mark.parametrize(("server", "kind", "kept"), WAYS[1:])
def test_client_of_a_silent_source_gets_comments(ports: dict[str, int], server: str, kind: str, kept: bool) -> None:
    watched["now"] = source = Watched(1, pause_seconds=1.5)
    check_silent_source(ports[server], f"/events/{kind}/{kept:d}", source)
    wait_until(lambda: source.closed == 1, "the source was not closed")
