"""Many streams, limits and uploads under a real uvicorn."""

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
from starlette.requests import Request

from ssrjson_web.starlette import SSRJSONEventResponse, SSRJSONRequest, SSRJSONRoute

# what the kernel and a transport may buffer
BUFFERED_BYTES = 8 << 20

watched: list[Watched] = []


async def events(request: Request) -> Any:
    """The items of one more source."""
    watched.append(Watched(10**9, pause_seconds=0.05))
    return SSRJSONEventResponse(watched[-1].items())


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


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    routes = [
        SSRJSONRoute("/events", events),
        SSRJSONRoute("/echo", echo, methods=["POST"], request_class=SSRJSONRequest.limited(max_body_size=100_000)),
        SSRJSONRoute("/items/{name}", take_items, methods=["POST"], request_class=SSRJSONRequest),
    ]
    with serve_asgi(Starlette(routes=routes)) as port:
        yield port


_names = itertools.count()


def test_server_keeps_serving_while_sync_sources_are_iterated(port: int) -> None:
    with contextlib.ExitStack() as clients:
        for _ in range(5):
            clients.enter_context(asked(port, "/events"))
        start = time.monotonic()
        for _ in range(20):
            assert httpx.post(f"http://127.0.0.1:{port}/echo", json=[1]).json() == {"got": [1]}
        assert time.monotonic() - start < 10
    wait_until(lambda: len(watched) == sum(source.closed for source in watched) == 5, "sources were not closed")


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
