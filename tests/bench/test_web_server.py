"""`web --server`: the client that sends the requests, and the run from end to end."""

from __future__ import annotations

import contextlib
import itertools
import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from helpers.bench_command import bench

from bench.kit.http_client import ConnectionLost, ask, send
from bench.subject import UnableError
from bench.timing import Settings
from bench.web import server_cases
from bench.web.fastapi_cases import all_cases
from bench.web.fastapi_rivals import WebRival
from bench.web.web_measure import PROCESS_CLOCK, WebPlan, measure


@contextmanager
def served(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """The port of a server with a thread for each connection."""

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def answering(head: bytes, body: bytes) -> AbstractContextManager[int]:
    """The port of a server that gives this answer, in two pieces, to every request."""

    def serve(connection: socket.socket) -> None:
        with connection, contextlib.suppress(ConnectionError):  # the client has seen enough
            while connection.recv(65536):
                connection.sendall(head[:20])
                connection.sendall(head[20:] + b"\r\n\r\n" + body)

    return served(serve)


def test_each_body_is_sent_once_over_the_connections() -> None:
    got: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        with connection:
            while head := connection.recv(65536):
                got.append(head.rpartition(b"\r\n")[2])
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")

    with served(serve) as port:
        send(port, "/", [b"%d" % n for n in range(10)], n_connections=4)
    assert sorted(got) == [b"%d" % n for n in range(10)]


def test_answer_with_another_status_is_an_error() -> None:
    with (
        answering(b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 3", b"abc") as port,
        pytest.raises(ConnectionLost, match=r"^/x: status 500$"),
    ):
        send(port, "/x", [None, None], n_connections=2)


def test_body_is_posted_with_its_length() -> None:
    got = bytearray()

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            while not got.endswith("é".encode()):
                got.extend(connection.recv(65536))
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        assert ask(listener.getsockname()[1], "/a", "é".encode()) == (200, b"")
        thread.join()
    assert got.startswith(b"POST /a HTTP/1.1\r\n")
    assert b"\r\nContent-Length: 2\r\n" in got
    assert b"\r\nContent-Type: application/json\r\n" in got


def test_row_has_no_figures_where_a_rival_has_stopped_answering(monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(each for each in server_cases.framework().cases if each.name == "dict/small")
    body = next(each.document.body for each in all_cases() if each.name == "dict/small")
    cpu_ns = itertools.count(step=1000)
    sent: list[str] = []

    def ask(self: server_cases.Servers, rival: WebRival, path: str, body_sent: bytes | None = None) -> bytes:
        return b"%d" % next(cpu_ns) if path == "/cpu" else body

    def send(self: server_cases.Servers, rival: WebRival, path: str, bodies: Sequence[object]) -> None:
        sent.append(rival.name)
        if rival.name != "stock" and sent.count(rival.name) > 2:
            raise UnableError("closed the connection")

    monkeypatch.setattr(server_cases.Servers, "ask", ask)
    monkeypatch.setattr(server_cases.Servers, "send", send)
    settings = Settings(rounds=3, min_rounds=3, loop_ns=1)
    row = measure(case, WebPlan(cases=[], rivals=["stock", "setup(app)"], settings=settings, clock=PROCESS_CLOCK))
    assert [(each.rival, each.request) for each in row.measured] == [("stock", None), ("setup(app)", None)]
    assert {each.reason for each in row.measured} == {"not timed, closed the connection"}


def test_run_over_servers_shows_every_rival_side_by_side(tmp_path: Path) -> None:
    for needed in ("uvloop", "httptools"):
        pytest.importorskip(needed, reason=f"{needed}, which the servers run on, is not installed")
    path = tmp_path / "report.json"
    words = ["--server", "--quick", "--rounds", "1", "--cases", "dict/small,post-models/small"]
    done = bench("web", *words, "--json", path)
    assert done.returncode == 0, done.stderr
    rows = {row["case"]: row["measured"] for row in json.loads(path.read_text("utf-8"))["rows"]}
    assert [each["rival"] for each in rows["dict/small"]] == [
        "stock",
        "ORJSONResponse",
        "SSRJSONResponse",
        "setup(app)",
    ]
    assert [each["rival"] for each in rows["empty"]] == ["stock", "setup(app)"]
    assert all(each["request"]["median_ns"] > 0 for measured in rows.values() for each in measured)
    assert "FastAPI over uvicorn, the server's CPU time: a request" in done.stdout
