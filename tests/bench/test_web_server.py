"""`web --server`: the client that makes the load, and the run from end to end."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.web import overserver
from bench.web.load import LoadError, Request, Throughput, body_of_answer, load, read_wrk, throughput
from bench.web.measure import all_cases
from bench.web.rivals import RIVALS

ROOT = Path(__file__).parents[2]
WRK_OUTPUT = """Running 1s test @ http://127.0.0.1:8000/direct/small
  1 threads and 16 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.22ms  500.00us   5.00ms   80.00%
    Req/Sec    10.00k     1.00k   12.00k    70.00%
  Latency Distribution
     50%  950.00us
     75%    1.30ms
     90%    1.60ms
     99%    3.10ms
  12345 requests in 1.00s, 20.00MB read
Requests/sec:  12345.67
Transfer/sec:     20.00MB
"""


@contextmanager
def answering(head: bytes, body: bytes) -> Iterator[int]:
    """The port of a server that gives this answer, in two pieces, to whatever it gets."""

    def serve(connection: socket.socket) -> None:
        with connection:
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
        assert body_of_answer(port, Request(path="/")) == b"abcde"


def test_load_counts_answers_and_orders_latencies() -> None:
    with answering(b"HTTP/1.1 200 OK\r\ncontent-length: 3", b"abc") as port:
        found = load(port, Request(path="/", body=b"{}"), seconds=0.2)
    assert found.n_requests > 16
    assert 0 < found.p50_ns <= found.p99_ns
    assert found.requests_per_s > 16


@pytest.mark.parametrize(
    "head",
    [b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 3", b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked"],
)
def test_answer_that_is_no_200_of_known_length_is_an_error(head: bytes) -> None:
    with answering(head, b"abc") as port, pytest.raises(LoadError, match=r"^answered http/1.1 "):
        body_of_answer(port, Request(path="/"))


def test_port_that_nobody_listens_on_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(LoadError, match="ConnectionRefusedError"):
        body_of_answer(port, Request(path="/"))


def test_request_goes_over_the_wire_with_its_length() -> None:
    assert Request(path="/a").as_bytes(80) == b"GET /a HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n"
    posted = Request(path="/a", body="é".encode()).as_bytes(80)
    assert posted.startswith(b"POST /a HTTP/1.1\r\n")
    assert b"\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n" in posted
    assert posted.endswith("é".encode())


def test_throughput_has_rate_and_percentiles() -> None:
    found = throughput([*range(1, 101)], 0.5)
    assert (found.n_requests, found.requests_per_s) == (100, 200.0)
    assert 50 <= found.p50_ns <= 51
    assert 99 <= found.p99_ns <= 100


@pytest.mark.parametrize("latencies", [[], [1]])
def test_throughput_of_too_few_answers_is_an_error(latencies: list[int]) -> None:
    with pytest.raises(LoadError, match=f"{len(latencies)} answers in 0.5 s"):
        throughput(latencies, 0.5)


def test_rival_that_stops_answering_has_no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    answered: dict[int, int] = {}

    def load(port: int, request: Request, *, seconds: float) -> Throughput:
        answered[port] = answered.get(port, 0) + 1
        if port == 2 and answered[port] > 2:
            raise LoadError("closed the connection")
        return Throughput(n_requests=10, requests_per_s=10.0, p50_ns=1.0, p99_ns=2.0)

    case = next(case for case in all_cases() if case.name == "dict/small")
    monkeypatch.setattr(overserver, "load", load)
    monkeypatch.setattr(overserver, "body_of_answer", lambda port, request: case.document.body)
    rivals = [rival for rival in RIVALS if rival.name in ("stock", "setup(app)")]
    servers = {rival.name: overserver.Server(port=number, pid=os.getpid()) for number, rival in enumerate(rivals, 1)}
    found = overserver.serve_case(case, rivals, servers, n_rounds=3, seconds=0.1)
    assert [len(each.rounds) for each in found] == [3, 0]
    assert [each.reason for each in found] == ["", "UNFINISHED, 1 of 3 rounds: closed the connection"]
    table = overserver.server_table(found)
    assert [cells[1] for cells in table.rows] == ["stock"]
    assert "setup(app) in dict/small: UNFINISHED, 1 of 3 rounds: closed the connection" in table.notes


def test_wrk_is_read_in_its_units() -> None:
    found = read_wrk(WRK_OUTPUT)
    assert (found.n_requests, found.requests_per_s) == (12345, 12345.67)
    assert (found.p50_ns, found.p99_ns) == (950_000, 3_100_000)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (WRK_OUTPUT + "  Non-2xx or 3xx responses: 5\n", "Non-2xx or 3xx responses: 5"),
        ("unable to connect", "wrk printed no figures: unable to connect"),
    ],
)
def test_wrk_that_failed_is_an_error(output: str, message: str) -> None:
    with pytest.raises(LoadError, match=message):
        read_wrk(output)


def test_run_over_servers_shows_every_rival_side_by_side(tmp_path: Path) -> None:
    for needed in ("uvloop", "httptools"):
        pytest.importorskip(needed, reason=f"{needed}, which the servers run on, is not installed")
    path = tmp_path / "report.json"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "bench", "web", "--server", "--quick", "--rounds", "1"),
            *("--cases", "dict/small,post-models/small", "--json", str(path)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    served = json.loads(path.read_text("utf-8"))["served"]
    of_case = {case: [each["rival"] for each in served if each["case"] == case] for case in ("dict/small", "empty")}
    assert of_case["dict/small"] == ["stock", "ORJSONResponse", "SSRJSONResponse", "setup(app)"]
    assert of_case["empty"] == ["stock", "setup(app)"]
    assert all(each["rounds"][0]["requests_per_s"] > 0 for each in served)
    assert "requests/s" in done.stdout


def test_run_in_one_process_prints_tables_and_writes_figures(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    done = subprocess.run(
        [sys.executable, "-m", "bench", "web", "--quick", "--cases", "dict/chinese", "--json", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(path.read_text("utf-8"))["rows"]
    assert [row["case"] for row in rows] == ["empty", "dict/chinese"]
    for title in ("µs, median", "UTF-8 copies that one request leaves", "where a request's time goes", "goals"):
        assert title in done.stdout
