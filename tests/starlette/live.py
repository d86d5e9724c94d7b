"""An application under a real uvicorn, and clients that read as slowly as they like."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def serve(app: Any) -> Iterator[int]:
    """The port of the application, served from a thread of this process."""
    import uvicorn

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=5))
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


def wait_until(condition: Callable[[], object], what: str, *, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


@contextlib.contextmanager
def asked(port: int, path: str) -> Iterator[socket.socket]:
    """A connection with a small buffer on which a GET was sent and nothing read."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(20)
        client.connect(("127.0.0.1", port))
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n".encode())
        yield client


def read_all(client: socket.socket) -> bytes:
    """All that comes until the server closes."""
    return b"".join(iter(lambda: client.recv(65536), b""))
