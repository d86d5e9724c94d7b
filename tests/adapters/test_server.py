"""Streams of every adapter under a real server: clients that leave or read slowly, sources that break or are silent."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers.served_streams import DOCUMENT, SERVERS, STREAMS, WAYS, watched
from helpers.streams import Watched, asked, body_of, events_of, read_all, wait_until

N_CHARS = 2000
BUFFERED_BYTES = 8 << 20
"""What the kernel and a transport may buffer."""

of_every_way = pytest.mark.parametrize("way", WAYS)
of_every_server = pytest.mark.parametrize("way", [way for way in WAYS if "async view" not in way])
of_every_stream = pytest.mark.parametrize("stream", STREAMS)


@pytest.fixture(scope="module")
def port_of() -> Iterator[Callable[[str], int]]:
    """Starts each server once."""
    ports: dict[str, int] = {}
    with contextlib.ExitStack() as servers:

        def port_of(name: str) -> int:
            if "flask" not in name and "WSGI" not in name:
                pytest.importorskip("uvicorn", reason="uvicorn is not installed")
            if name not in ports:
                ports[name] = servers.enter_context(SERVERS[name]())
            return ports[name]

        yield port_of


@pytest.fixture
def ask(way: str, port_of: Callable[[str], int]) -> Any:
    """A connection on which a stream was asked for in this way, or the document."""
    return lambda stream: asked(port_of(WAYS[way].server), WAYS[way].path.format(stream))


def values_of(stream: str, body: bytes) -> Any:
    if stream == "events":
        return [event.data for event in events_of(body)]
    return json.loads(body) if stream == "array" else [json.loads(line) for line in body.splitlines()]


def wait_until_closed(source: Watched) -> None:
    wait_until(lambda: source.closed == 1, "the source was not closed")


@of_every_way
@of_every_stream
def test_server_sends_the_whole_of_a_stream(ask: Any, way: str, stream: str) -> None:
    watched["now"] = source = Watched(5000, n_chars=100)
    with ask(stream) as client:
        reply = read_all(client)
    body, is_whole = body_of(reply)
    assert is_whole
    assert values_of(stream, body) == source.values
    wait_until_closed(source)
    if WAYS[way].server == "flask":
        assert len(source.threads) == 1
    if stream == "events":  # proxies must not hold them back
        head = reply.partition(b"\r\n\r\n")[0].lower()
        assert b"content-type: text/event-stream" in head
        assert b"cache-control: no-cache" in head
        assert b"x-accel-buffering: no" in head


@of_every_server
def test_server_sends_one_document(ask: Any) -> None:
    with ask("document") as client:
        assert json.loads(body_of(read_all(client))[0]) == DOCUMENT


@of_every_server
@of_every_stream
def test_server_waits_for_a_client_that_reads_slowly(ask: Any, stream: str) -> None:
    watched["now"] = source = Watched(2500, n_chars=N_CHARS)  # 10 MB
    with ask(stream) as client:
        before = -1
        while source.pulled != before or not before:
            before = source.pulled
            time.sleep(0.3)
        assert source.pulled * 2 * N_CHARS < BUFFERED_BYTES
        assert values_of(stream, body_of(read_all(client))[0]) == source.values


@of_every_server
@of_every_stream
@pytest.mark.parametrize("pause_seconds", [0.0, 0.01])
def test_client_that_leaves_ends_the_iteration(ask: Any, way: str, stream: str, pause_seconds: float) -> None:
    if "ASGI" in way and pytest.importorskip("django").VERSION < (5, 0):
        pytest.skip("Django 4.2 does not notice under ASGI that a client has left")
    watched["now"] = source = Watched(10**9, pause_seconds=pause_seconds, n_chars=N_CHARS)
    with ask(stream) as client:
        while b'"i"' not in client.recv(1000):
            pass
    wait_until_closed(source)
    pulled = source.pulled
    time.sleep(0.1)
    assert source.pulled == pulled
    watched["now"] = source = Watched(2)
    with ask(stream) as client:
        assert values_of(stream, body_of(read_all(client))[0]) == source.values


@of_every_server
@of_every_stream
def test_error_of_a_source_leaves_nothing_that_looks_whole(ask: Any, way: str, stream: str) -> None:
    watched["now"] = source = Watched(3000, n_chars=100, error_at=2500)
    with ask(stream) as client:
        reply = read_all(client)
    assert reply.startswith((b"HTTP/1.1 200", b"HTTP/1.0 200"))
    body, is_whole = body_of(reply)
    assert body.count(b'"i":') == 2500
    if stream == "array":
        with pytest.raises(ValueError, match="Expecting"):
            json.loads(body)
    # nothing says to WSGI servers that a body is not whole; BaseHTTPMiddleware ends it, and that of stock, too
    if not any(name in way for name in ("flask", "WSGI", "wrapped")):
        assert not is_whole
    wait_until_closed(source)


@pytest.mark.parametrize("way", [name for name, way in WAYS.items() if way.is_kept_alive])
def test_client_of_a_silent_source_gets_comments_and_is_noticed_when_it_leaves(ask: Any, way: str) -> None:
    if "ASGI" in way and pytest.importorskip("django").VERSION < (5, 0):
        pytest.skip("Django 4.2 does not notice under ASGI that a client has left")
    watched["now"] = source = Watched(10**9, pause_seconds=1.5)
    with ask("events") as client:
        got = b""
        while got.count(b": ping\n\n") < 3:
            more = client.recv(1000)
            assert more, got
            assert b"data: " not in more, "an item came before the comments"
            got += more
    assert source.pulled == 0
    wait_until_closed(source)
    assert source.pulled <= 2
