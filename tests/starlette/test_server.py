"""Streams and limits under a real uvicorn: clients that leave, read slowly, or send too much."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

import httpx
from helpers.streams import Watched, asked, read_all, serve_asgi, wait_until
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount

from ssrjson_web.starlette import (
    SSRJSONEventResponse,
    SSRJSONLinesResponse,
    SSRJSONRequest,
    SSRJSONRoute,
    SSRJSONStreamingResponse,
)

KINDS = ["sync", "async"]
STREAMS = {"array": SSRJSONStreamingResponse, "lines": SSRJSONLinesResponse, "events": SSRJSONEventResponse}
# what the kernel and a transport may buffer
BUFFERED_BYTES = 8 << 20
N_CHARS = 2000
ITEM_BYTES = 2 * N_CHARS

watched: dict[str, Watched] = {}


async def stream(request: Request) -> Any:
    """The stream of the source that the test named."""
    parameters = request.path_params
    return STREAMS[parameters["stream"]](watched[parameters["name"]].of(parameters["kind"]))


async def echo(request: Request) -> Any:
    return {"got": await request.json()}


taken: dict[str, list[Any]] = {}


async def take_items(request: SSRJSONRequest) -> Any:
    """Note the items of the body as they come. A slow one waits after each."""
    noted = taken.setdefault(request.path_params["name"], [])
    async for item in request.json_items():
        noted.append(item)
        await asyncio.sleep(float(request.query_params.get("pause", 0)))
    return {"n": len(noted)}


async def pass_on(request: Request, call_next: Any) -> Any:
    return await call_next(request)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    routes = [
        SSRJSONRoute("/{stream}/{kind}/{name}", stream),
        SSRJSONRoute("/echo", echo, methods=["POST"], request_class=SSRJSONRequest.limited(max_body_size=100_000)),
        SSRJSONRoute("/items/{name}", take_items, methods=["POST"], request_class=SSRJSONRequest),
    ]
    wrapped = Starlette(routes=routes, middleware=[Middleware(BaseHTTPMiddleware, dispatch=pass_on)])
    with serve_asgi(Starlette(routes=[Mount("/wrapped", wrapped), *routes])) as port:
        yield port


_names = itertools.count()


def watch(*args: Any, **options: Any) -> tuple[str, Watched]:
    """A name for the URL, and the source of its items."""
    name = str(next(_names))
    watched[name] = Watched(*args, **options)
    return name, watched[name]


@pytest.mark.parametrize("prefix", ["", "/wrapped"])
@pytest.mark.parametrize("kind", KINDS)
def test_server_streams_the_whole_document(port: int, kind: str, prefix: str) -> None:
    name, source = watch(20_000)
    reply = httpx.get(f"http://127.0.0.1:{port}{prefix}/array/{kind}/{name}")
    assert reply.content == JSONResponse(Watched(20_000).values).body
    assert source.closed == 1


@pytest.mark.parametrize("prefix", ["", "/wrapped"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stream", STREAMS)
def test_server_iterates_no_further_than_a_client_reads(port: int, stream: str, kind: str, prefix: str) -> None:
    name, source = watch(10**9, n_chars=N_CHARS)
    with asked(port, f"{prefix}/{stream}/{kind}/{name}") as client:
        seen = -1

        def is_at_rest() -> bool:
            nonlocal seen
            before, seen = seen, source.pulled
            time.sleep(0.3)
            return before == source.pulled > 0

        wait_until(is_at_rest, "items are iterated although nobody reads")
        at_rest = source.pulled
        assert at_rest * ITEM_BYTES < BUFFERED_BYTES
        n_read = 0
        while source.pulled == at_rest and n_read < BUFFERED_BYTES:
            n_read += len(client.recv(1 << 16))
        assert source.pulled > at_rest, "a client that reads again gets nothing"
        assert source.closed == 0
    wait_until(lambda: source.closed == 1, "the source was not closed when the client left")


@pytest.mark.parametrize("prefix", ["", "/wrapped"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stream", STREAMS)
def test_server_closes_the_source_of_a_client_that_leaves(port: int, stream: str, kind: str, prefix: str) -> None:
    name, source = watch(10**9, pause_seconds=0.01)
    with asked(port, f"{prefix}/{stream}/{kind}/{name}") as client:
        while b'"i"' not in client.recv(1000):
            pass
    wait_until(lambda: source.closed == 1, "the source was not closed")
    pulled = source.pulled
    time.sleep(0.1)
    assert source.pulled == pulled


@pytest.mark.parametrize("kind", KINDS)
def test_server_ends_the_connection_where_a_source_breaks(port: int, kind: str) -> None:
    name, source = watch(5000, error_at=4000)
    with asked(port, f"/array/{kind}/{name}") as client:
        head, _, body = read_all(client).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert b'"i":3999' in body
    assert not body.endswith(b"0\r\n\r\n")  # the last chunk of a complete body
    assert source.closed == 1
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(f"http://127.0.0.1:{port}/array/{kind}/{name}")


def test_server_keeps_serving_while_sync_sources_are_iterated(port: int) -> None:
    names = [watch(10**9, pause_seconds=0.05)[0] for _ in range(5)]
    clients = [asked(port, f"/events/sync/{name}") for name in names]
    for client in clients:
        client.__enter__()
    try:
        start = time.monotonic()
        for _ in range(20):
            assert httpx.post(f"http://127.0.0.1:{port}/echo", json=[1]).json() == {"got": [1]}
        assert time.monotonic() - start < 10
    finally:
        for client in clients:
            client.__exit__(None, None, None)
    wait_until(lambda: all(watched[name].closed for name in names), "sources were not closed")


# Limits


def test_server_answers_413_to_a_body_that_says_it_is_too_long_before_it_comes(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000000\r\n\r\n[")
        assert client.recv(65536).startswith(b"HTTP/1.1 413")


def test_server_answers_413_to_chunks_that_never_end(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(b"POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n")
        reply: list[bytes] = []
        reading = threading.Thread(target=lambda: reply.append(client.recv(65536)))
        reading.start()
        n_sent = 0
        try:
            while not reply and n_sent < 50_000_000:
                client.sendall(b"2710\r\n" + b" " * 10_000 + b"\r\n")
                n_sent += 10_000
                time.sleep(0.001)
        except OSError:
            pass  # the server has closed
        reading.join(20)
        assert reply[0].startswith(b"HTTP/1.1 413")
        assert n_sent < 20_000_000


def test_server_takes_a_body_of_the_size_that_is_allowed(port: int) -> None:
    body = json.dumps("a" * 99_998)
    assert httpx.post(f"http://127.0.0.1:{port}/echo", content=body).json() == {"got": "a" * 99_998}


def upload(port: int, name: str, *headers: str, query: str = "") -> socket.socket:
    """A connection whose request has a body in chunks to come."""
    client = socket.create_connection(("127.0.0.1", port), timeout=10)
    lines = [
        f"POST /items/{name}{query} HTTP/1.1",
        "host: test",
        "connection: close",
        "transfer-encoding: chunked",
        *headers,
    ]
    client.sendall("".join(f"{line}\r\n" for line in lines).encode() + b"\r\n")
    return client


def send_chunk(client: socket.socket, chunk: bytes) -> None:
    client.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))


@pytest.mark.parametrize(
    ("content_type", "chunks"),
    [("json", [b'[{"a": 1}, {"b', b'": 2},', b"3]"]), ("jsonl", [b'{"a": 1}\n{"b', b'": 2}\n', b"3"])],
)
def test_server_gives_items_while_the_body_arrives(port: int, content_type: str, chunks: list[bytes]) -> None:
    name = str(next(_names))
    with upload(port, name, f"content-type: application/{content_type}") as client:
        for chunk, n in zip(chunks, (1, 2, 3 if content_type == "json" else 2), strict=True):
            send_chunk(client, chunk)
            wait_until(lambda n=n: len(taken.get(name, [])) == n, "the items did not come")  # type: ignore[misc]
        send_chunk(client, b"")
        assert read_all(client).endswith(b'{"n":3}')
    assert taken[name] == [{"a": 1}, {"b": 2}, 3]


def test_server_receives_no_more_than_the_items_that_are_taken(port: int) -> None:
    name = str(next(_names))
    chunk = b"[" + b",".join([b'"' + b"x" * 990 + b'"'] * 64)
    n_sent = 0
    with upload(port, name, query="?pause=0.05") as client:
        client.settimeout(1)
        with contextlib.suppress(TimeoutError):
            while n_sent < 4 * BUFFERED_BYTES:
                send_chunk(client, chunk if n_sent == 0 else b"," + chunk[1:])
                n_sent += len(chunk)
        assert n_sent < 2 * BUFFERED_BYTES
        assert 0 < len(taken[name]) < 100
    # the client has left: the iteration ends with ClientDisconnect after the items that were received
    wait_until(lambda: len(taken[name]) > 0, "no items")


def test_server_answers_a_malformed_upload_before_its_end(port: int) -> None:
    with upload(port, str(next(_names))) as client:
        send_chunk(client, b"[1, 2}")
        assert read_all(client).startswith(b"HTTP/1.1 400")
