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

import pytest

from bench.kit.http_client import ConnectionLost, Throughput, ask, load, throughput
from bench.web import over_server
from bench.web.fastapi_cases import all_cases
from bench.web.fastapi_rivals import RIVALS
from bench.web.fastapi_server import Supply

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


def test_answer_in_pieces_is_put_together() -> None:
    with answering(b"HTTP/1.1 200 OK\r\nContent-Length: 5", b"abcde") as port:
        assert ask(port, "/") == (200, b"abcde")


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


def test_answer_of_unknown_length_is_an_error() -> None:
    with (
        answering(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked", b"abc") as port,
        pytest.raises(ConnectionLost, match=r"^GET /: http/1.1 200 ok, without a length$"),
    ):
        load(port, "/", seconds=1, n_connections=1)


def test_port_that_nobody_listens_on_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ConnectionLost, match=f"/ on port {port}: .*refused"):
        ask(port, "/")


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


def test_throughput_has_rate_and_percentiles() -> None:
    found = throughput([*range(1, 101)], 0.5)
    assert (found.n_requests, found.requests_per_s) == (100, 200.0)
    assert 50 <= found.p50_ns <= 51
    assert 99 <= found.p99_ns <= 100


@pytest.mark.parametrize("latencies", [[], [1]])
def test_throughput_of_too_few_answers_is_an_error(latencies: list[int]) -> None:
    with pytest.raises(ConnectionLost, match=f"{len(latencies)} answers in 0.5 s"):
        throughput(latencies, 0.5)


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
    servers = {rival.name: over_server.Server(port=number) for number, rival in enumerate(rivals, 1)}
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


def test_values_are_prepared_before_the_requests_that_get_them() -> None:
    made = iter(range(100))
    supply = Supply(lambda: next(made))
    assert supply() == 0
    supply.prepare(3)
    assert [supply(), supply(), supply(), supply()] == [3, 2, 1, 4]
    supply.prepare(1)
    assert supply() == 5
    supply.prepare(1)
    supply.free()
    assert supply() == 7


def test_load_of_a_number_of_requests_ends_after_them() -> None:
    with answering(b"HTTP/1.1 200 OK\r\ncontent-length: 3", b"abc") as port:
        assert load(port, "/", n_requests=40, n_connections=16).n_requests == 40


def test_run_on_prepared_values_sends_that_many_requests(tmp_path: Path) -> None:
    for needed in ("uvloop", "httptools"):
        pytest.importorskip(needed, reason=f"{needed}, which the servers run on, is not installed")
    path = tmp_path / "report.json"
    words = ["--server", "--requests", "32", "--rounds", "2", "--rivals", "stock,setup(app)"]
    done = bench_web(*words, "--cases", "objects/small", "--json", str(path))
    assert done.returncode == 0, done.stderr
    served = json.loads(path.read_text("utf-8"))["served"]
    of_case = [each for each in served if each["case"] == "objects/small"]
    assert {each["rival"] for each in of_case} == {"stock", "setup(app)"}
    for each in of_case:
        assert [done_round["throughput"]["n_requests"] for done_round in each["rounds"]] == [32, 32]
    assert "the data of an answer is made before the round" in done.stdout


@pytest.mark.parametrize("words", ["--requests 20", "--server --requests 15", "--server --rounds 0"])
def test_wrong_numbers_are_named(words: str) -> None:
    done = bench_web(*words.split())
    assert done.returncode == 2
    assert f"{words.split()[-2]} " in done.stderr


def test_run_in_one_process_prints_tables_and_writes_figures(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    done = bench_web("--quick", "--cases", "dict/chinese", "--json", str(path))
    assert done.returncode == 0, done.stderr
    rows = json.loads(path.read_text("utf-8"))["rows"]
    assert [row["case"] for row in rows] == ["empty", "dict/chinese"]
    for title in ("a request, µs", "copies: bytes of cached UTF-8 copies", "where a request's time goes", "goals"):
        assert title in done.stdout
