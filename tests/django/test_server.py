"""Streams under real servers, WSGI and ASGI: clients that leave or read slowly, sources that raise."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="uvicorn is not installed")

import django
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest
from django.urls import path
from helpers.django_bookshop.urls import urlpatterns, views
from helpers.streams import Watched, asked, body_of, read_all, serve_asgi, serve_wsgi, wait_until

from ssrjson_web.django import SSRJSONLinesResponse, SSRJSONResponse, SSRJSONStreamingResponse

WAYS = [("wsgi", "sync"), ("asgi", "sync"), ("asgi", "async")]
# what the kernel and a transport may buffer
BUFFERED_BYTES = 8 << 20
N_CHARS = 2000
ITEM_BYTES = 2 * N_CHARS

watched: dict[str, Watched] = {}


def stream(request: HttpRequest, kind: str, cls: str) -> Any:
    response_class = {"array": SSRJSONStreamingResponse, "lines": SSRJSONLinesResponse}[cls]
    return response_class(watched["now"].of(kind))


async def stream_async(request: HttpRequest, kind: str, cls: str) -> Any:
    return stream(request, kind, cls)


urlpatterns += [path("stream/<kind>/<cls>", stream), path("stream_async/<kind>/<cls>", stream_async)]


@pytest.fixture(scope="module")
def ports(project: None) -> Iterator[dict[str, int]]:
    with serve_wsgi(get_wsgi_application()) as wsgi, serve_asgi(get_asgi_application()) as asgi:
        yield {"wsgi": wsgi, "asgi": asgi}


@pytest.mark.parametrize(("server", "kind"), WAYS)
@pytest.mark.parametrize("view", ["stream", "stream_async"])
def test_server_sends_the_whole_of_a_stream(ports: dict[str, int], server: str, kind: str, view: str) -> None:
    watched["now"] = source = Watched(5000, n_chars=100)
    for cls in ("array", "lines"):
        with asked(ports[server], f"/{view}/{kind}/{cls}") as client:
            body, is_whole = body_of(read_all(client))
        assert is_whole
        values = json.loads(body) if cls == "array" else [json.loads(line) for line in body.splitlines()]
        assert values == source.values
    wait_until(lambda: source.closed == 2, "the sources were not closed")


@pytest.mark.parametrize(("server", "kind"), WAYS)
def test_server_waits_for_a_client_that_reads_slowly(ports: dict[str, int], server: str, kind: str) -> None:
    watched["now"] = source = Watched(5000, n_chars=N_CHARS)  # 20 MB
    with asked(ports[server], f"/stream/{kind}/array") as client:
        before = -1
        while source.pulled != before:
            before = source.pulled
            time.sleep(0.3)
        assert 0 < source.pulled * ITEM_BYTES < BUFFERED_BYTES
        assert json.loads(body_of(read_all(client))[0]) == source.values


@pytest.mark.parametrize(("server", "kind"), WAYS)
@pytest.mark.parametrize("pause_seconds", [0.0, 0.01])
def test_client_that_leaves_ends_the_iteration(
    ports: dict[str, int], server: str, kind: str, pause_seconds: float
) -> None:
    if server == "asgi" and django.VERSION < (5, 0):
        pytest.skip("Django 4.2 does not notice under ASGI that a client has left")
    watched["now"] = source = Watched(10**9, pause_seconds=pause_seconds, n_chars=N_CHARS)
    with asked(ports[server], f"/stream/{kind}/array"):
        wait_until(lambda: source.pulled, "no item was iterated")
    wait_until(lambda: source.closed == 1, "the source was not closed")
    pulled = source.pulled
    time.sleep(0.1)
    assert source.pulled == pulled
    watched["now"] = Watched(2)
    with asked(ports[server], f"/stream/{kind}/array") as client:
        assert json.loads(body_of(read_all(client))[0]) == watched["now"].values


@pytest.mark.parametrize(("server", "kind"), WAYS)
@pytest.mark.parametrize("cls", ["array", "lines"])
def test_error_of_a_source_leaves_nothing_that_looks_whole(
    ports: dict[str, int], server: str, kind: str, cls: str
) -> None:
    watched["now"] = source = Watched(3000, n_chars=100, error_at=2500)
    with asked(ports[server], f"/stream/{kind}/{cls}") as client:
        body, is_whole = body_of(read_all(client))
    assert body.count(b'"i":') == 2500
    if cls == "array":
        with pytest.raises(ValueError, match="Expecting"):
            json.loads(body)
    if server == "asgi":
        assert not is_whole
    wait_until(lambda: source.closed == 1, "the source was not closed")


def test_server_sends_one_document_by_both_protocols(ports: dict[str, int]) -> None:
    views["document"] = lambda request: SSRJSONResponse({"名": "值" * 100_000})
    for server in ("wsgi", "asgi"):
        with asked(ports[server], "/named/document") as client:
            assert json.loads(body_of(read_all(client))[0]) == {"名": "值" * 100_000}
