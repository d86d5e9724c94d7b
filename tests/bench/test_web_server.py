"""`web --server`: the client that makes the load, and the run from end to end."""

from __future__ import annotations

import contextlib
import itertools
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench.kit.http_client import ConnectionLost, Throughput, ask, load
from bench.web import over_server
from bench.web.fastapi_cases import all_cases
from bench.web.fastapi_rivals import RIVALS

ROOT = Path(__file__).parents[2]


def bench_web(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench", "web", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


@contextmanager
def answering(head: bytes, body: bytes) -> Iterator[int]:
    """The port of a server that gives this answer, in two pieces, to every request."""

    def serve(connection: socket.socket) -> None:
        with connection, contextlib.suppress(ConnectionError):  # the client has seen enough
            while connection.recv(65536):
                connection.sendall(head[:20])
                connection.sendall(head[20:] + b"\r\n\r\n" + body)

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


def test_load_counts_answers_and_orders_latencies() -> None:
    with answering(b"HTTP/1.1 200 OK\r\ncontent-length: 3", b"abc") as port:
        found = load(port, "/", b"{}", seconds=0.2, n_connections=16)
    assert found.n_requests >= 16
    assert 0 < found.p50_ns <= found.p99_ns
    assert found.requests_per_s > 16


def test_load_of_a_server_that_answers_another_status_is_an_error() -> None:
    with (
        answering(b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 3", b"abc") as port,
        pytest.raises(ConnectionLost, match=r"^/x: status 500$"),
    ):
        load(port, "/x", seconds=1, n_connections=2)


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


def test_rival_that_stops_answering_has_no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    answered: dict[int, int] = {}

    def load(port: int, *_: object, **__: object) -> Throughput:
        answered[port] = answered.get(port, 0) + 1
        if port == 2 and answered[port] > 2:
            raise ConnectionLost("closed the connection")
        return Throughput(n_requests=10, requests_per_s=10.0, p50_ns=1.0, p99_ns=2.0)

    case = next(case for case in all_cases() if case.name == "dict/small")
    monkeypatch.setattr(over_server, "load", load)
    cpu_ns = itertools.count(step=1000)

    def ask(port: int, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        return 200, b"%d" % next(cpu_ns) if path == "/cpu" else case.document.body

    monkeypatch.setattr(over_server, "ask", ask)
    rivals = [rival for rival in RIVALS if rival.name in ("stock", "setup(app)")]
    servers: Any = {rival.name: SimpleNamespace(port=number) for number, rival in enumerate(rivals, 1)}
    found = over_server.serve_case(case, rivals, servers, over_server.Rounds(number=3, seconds=0.1))
    assert [len(each.rounds) for each in found] == [3, 0]
    assert found[0].cpu_ns == 100
    assert [each.reason for each in found] == ["", "UNFINISHED, 1 of 3 rounds: closed the connection"]
    table = over_server.server_table(found)
    assert [cells[1] for cells in table.rows] == ["stock"]
    assert "setup(app) in dict/small: UNFINISHED, 1 of 3 rounds: closed the connection" in table.notes


def test_run_over_servers_shows_every_rival_side_by_side(tmp_path: Path) -> None:
    for needed in ("uvloop", "httptools"):
        pytest.importorskip(needed, reason=f"{needed}, which the servers run on, is not installed")
    path = tmp_path / "report.json"
    words = ["--server", "--quick", "--rounds", "1", "--cases", "dict/small,post-models/small"]
    done = bench_web(*words, "--json", str(path))
    assert done.returncode == 0, done.stderr
    served = json.loads(path.read_text("utf-8"))["served"]
    of_case = {case: [each["rival"] for each in served if each["case"] == case] for case in ("dict/small", "empty")}
    assert of_case["dict/small"] == ["stock", "ORJSONResponse", "SSRJSONResponse", "setup(app)"]
    assert of_case["empty"] == ["stock", "setup(app)"]
    assert all(each["rounds"][0]["throughput"]["requests_per_s"] > 0 for each in served)
    assert all(each["rounds"][0]["cpu_ns"] > 0 for each in served)
    assert "requests/s" in done.stdout
