"""Sources of items that tell what became of them, servers to stream them from, and events as a browser reads them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import socketserver
import threading
import time
import wsgiref.simple_server
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Watched:
    """Items 0, 1, 2 ..., each after a pause; an error may replace one. `pulled` and `closed` are counted."""

    n: int
    pause_seconds: float = 0.0
    n_chars: int = 10
    error_at: int | None = None
    error: BaseException = field(default_factory=lambda: RuntimeError("the source broke"))
    pulled: int = 0
    closed: int = 0
    threads: set[int] = field(default_factory=set)

    def _item(self, i: int) -> Any:
        self.threads.add(threading.get_ident())
        if i == self.error_at:
            raise self.error
        self.pulled += 1
        return {"i": i, "text": "é" * self.n_chars}

    def items(self) -> Iterator[Any]:
        try:
            for i in range(self.n):
                if self.pause_seconds:
                    time.sleep(self.pause_seconds)
                yield self._item(i)
        finally:
            self.threads.add(threading.get_ident())
            self.closed += 1

    async def async_items(self) -> AsyncIterator[Any]:
        try:
            for i in range(self.n):
                if self.pause_seconds:
                    await asyncio.sleep(self.pause_seconds)
                yield self._item(i)
        finally:
            self.closed += 1

    def of(self, kind: str) -> Any:
        return self.items() if kind == "sync" else self.async_items()

    @property
    def values(self) -> list[Any]:
        return [{"i": i, "text": "é" * self.n_chars} for i in range(self.n)]


def wait_until(condition: Callable[[], object], what: str, *, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


@contextlib.contextmanager
def serve_asgi(app: Any) -> Iterator[int]:
    """The port of an application under uvicorn, served from a thread of this process."""
    import uvicorn

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=5)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        wait_until(lambda: server.started, "uvicorn did not start")
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()
        assert not thread.is_alive(), "uvicorn did not stop"


class _Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass

    def get_stderr(self) -> Any:
        import io

        return io.StringIO()


class _Threaded(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


@contextlib.contextmanager
def serve_wsgi(app: Any) -> Iterator[int]:
    """The port of an application under wsgiref, served from threads of this process."""
    server = wsgiref.simple_server.make_server("127.0.0.1", 0, app, _Threaded, _Quiet)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join(30)
        server.server_close()


@contextlib.contextmanager
def asked(port: int, path: str) -> Iterator[socket.socket]:
    """A connection with a small buffer on which a GET was sent and nothing read."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        client.settimeout(20)
        client.connect(("127.0.0.1", port))
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n".encode())
        yield client


def read_all(client: socket.socket) -> bytes:
    """All that comes until the server closes."""
    return b"".join(iter(lambda: client.recv(65536), b""))


def body_of(reply: bytes) -> tuple[bytes, bool]:
    """The body of a reply, and whether the server said that it is whole."""
    head, _, rest = reply.partition(b"\r\n\r\n")
    if b"transfer-encoding: chunked" not in head.lower():
        return rest, True
    body = b""
    while True:
        size, _, rest = rest.partition(b"\r\n")
        if not size:
            return body, False
        n_bytes = int(size, 16)
        if n_bytes == 0:
            return body, True
        body, rest = body + rest[:n_bytes], rest[n_bytes + 2 :]


@dataclass(frozen=True)
class Event:
    """What a client gets of one event."""

    data: Any
    event: str = "message"
    id: str = ""


def events_of(text: bytes) -> list[Event]:
    """The events of a stream with their data decoded, by the rules of WHATWG HTML, 9.2.6."""
    events: list[Event] = []
    data: list[str] = []
    name, last_id = "message", ""
    for line in text.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                events.append(Event(json.loads("\n".join(data)), name, last_id))
            data, name = [], "message"
        elif field == "data":
            data.append(value)
        elif field == "event":
            name = value
        elif field == "id":
            last_id = value
    return events
