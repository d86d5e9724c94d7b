"""Events of Django: their format, headers and middleware, their thread and errors of arguments."""

from __future__ import annotations

import asyncio
import gzip
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from django.http import HttpRequest
from django.middleware.gzip import GZipMiddleware
from helpers.streams import Watched, events_of

from ssrjson_web.django import SSRJSONEventResponse


async def read_async(response: Any) -> bytes:
    return b"".join([chunk async for chunk in response])


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


def test_events_of_a_wrong_time_for_threads_are_an_error_at_once() -> None:
    with pytest.raises(ValueError, match="keep_alive must be more than 0"):
        SSRJSONEventResponse([], wsgi_keep_alive=0)
