"""The soak test itself: faults of a bad server, verdicts on counts and logs, and short runs."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers.processes import serving

from soak import clients
from soak.__main__ import main, table
from soak.census import Census, census, complaints, family
from soak.clients import MALFORMED, ServerFault, Target, post_malformed
from soak.run import leftovers, soak
from soak.servers import SERVERS, Server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")


def counted(*, rss: float = 50, threads: int = 4, descriptors: int = 10, processes: int = 1, tasks: int = 3) -> Census:
    return Census(rss_bytes=int(rss * 1e6), threads=threads, descriptors=descriptors, processes=processes, tasks=tasks)


@pytest.mark.parametrize(
    ("last", "found"),
    [
        (counted(), []),
        (counted(rss=57, threads=6, descriptors=12, tasks=5), []),
        (counted(rss=59), ["RSS grows: 50.0 to 50.0 to 59.0 MB"]),
        (counted(threads=7), ["threads left over: 4 to 7"]),
        (counted(descriptors=13), ["descriptors left over: 10 to 13"]),
        (counted(processes=2), ["processes left over: 1 to 2"]),
        (counted(tasks=6), ["tasks left over: 3 to 6"]),
    ],
)
def test_what_is_left_over_is_told(last: Census, found: list[str]) -> None:
    assert leftovers([counted(), counted(), last], 2) == found


def test_memory_that_grew_once_and_is_level_since_is_no_growth() -> None:
    assert leftovers([counted(rss=50), counted(rss=70), counted(rss=71)], 2) == []
    assert leftovers([counted(rss=50), counted(rss=60), counted(rss=70)], 2) != []


def test_log_is_searched_for_tracebacks_that_no_client_explains() -> None:
    log = textwrap.dedent("""\
        [1] [WARNING] Invalid HTTP request received.
        Traceback (most recent call last):
          File "a.py", line 1, in f
            g()
        starlette.requests.ClientDisconnect
        ERROR: Exception in ASGI application
          + Exception Group Traceback (most recent call last):
        Traceback (most recent call last):
          File "a.py", line 1, in f
        KeyError: 'a'
    """)
    assert complaints(log) == ["KeyError: 'a'"]
    assert complaints(log, ("KeyError",)) == []
    assert complaints("Traceback (most recent call last):\n  File") == ["a traceback without an end"]


def test_census_counts_a_process_and_its_children() -> None:
    before = census(os.getpid())
    with (
        Path("/dev/null").open("rb"),
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, text=True) as child,
    ):
        assert child.pid in family(os.getpid())
        after = census(os.getpid())
        assert (after.processes, after.descriptors > before.descriptors + 1) == (before.processes + 1, True)
        assert after.rss_bytes > before.rss_bytes
        child.communicate("\n")


BAD_SERVER = """
    import http.server, json, sys, threading, time

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send(200, b'{"tasks": 1}' if self.path == "/tasks" else b"{}")

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send(500 if b"NaN" in body else 400, b"[]")

        def send(self, status, body):
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words):
            pass

    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture
def bad_server(tmp_path: Path) -> list[str]:
    """The command line of a server with a wrong page, which answers NaN with a 500."""
    path = tmp_path / "bad.py"
    path.write_text(textwrap.dedent(BAD_SERVER))
    return [str(path), "{port}"]


class Loaded:
    """Dice with given results."""

    def __init__(self, name: str) -> None:
        self.name = name

    def choice(self, names: Sequence[str]) -> str:
        assert self.name in names
        return self.name


def test_every_malformed_body_is_sent_and_a_500_is_a_fault(bad_server: list[str]) -> None:
    with serving([sys.executable, *bad_server]) as address:
        target = Target(address=address)
        for name in MALFORMED:
            dice: random.Random = Loaded(name)  # type: ignore[assignment]
            if name == "NaN":
                with pytest.raises(ServerFault, match="NaN: status 500"):
                    post_malformed(target, dice)
            else:
                came = post_malformed(target, dice)
                assert (came.kind, came.name, came.status) == ("malformed", name, 400)


@pytest.mark.parametrize("wrong", ["status", "answer", ""])
def test_answer_that_depends_on_the_pieces_is_a_fault(wrong: str) -> None:
    def answer(listening: socket.socket) -> None:
        for is_divided in (False, True):
            connection, _ = listening.accept()
            with connection:
                request = b""
                while not request.endswith(b"\r\n0\r\n\r\n"):
                    request += connection.recv(65536)
                status = 500 if is_divided and wrong == "status" else 200
                body = b"other" if is_divided and wrong == "answer" else b"whole"
                connection.sendall(b"HTTP/1.1 %d OK\r\nContent-Length: 5\r\n\r\n%b" % (status, body))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = threading.Thread(target=answer, args=(listening,))
        server.start()
        target = Target(address=f"127.0.0.1:{listening.getsockname()[1]}", parts=("/items",))
        if wrong:
            with pytest.raises(ServerFault, match="for /items: status"):
                clients.post_divided(target, random.Random(1))
        else:
            assert clients.post_divided(target, random.Random(1)).status == 200
        server.join()


def test_server_with_wrong_answers_is_found_out(bad_server: list[str], tmp_path: Path) -> None:
    server = Server(name="bad", words=bad_server, has_streams=False)
    outcome = soak(server, seconds=20, n_clients=2, seed=1, folder=tmp_path, stop=threading.Event())
    assert not outcome.is_good
    assert any(fault.startswith("page: status 200, b'{}'") for fault in outcome.faults), outcome.faults
    assert "FOUND" in table([outcome])


def test_connection_closed_while_in_use_is_a_fault_and_an_idle_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    body = b'{"got": {"a": ["\xc3\xa9"]}}'
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)

    def answer_once_each(listening: socket.socket) -> None:
        for _ in range(2):
            connection, _ = listening.accept()
            with connection:
                request = b""
                while not request.endswith(b"]}"):  # data that is not read would turn the close into a reset
                    request += connection.recv(65536)
                connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = threading.Thread(target=answer_once_each, args=(listening,))
        server.start()
        target = Target(address=f"127.0.0.1:{listening.getsockname()[1]}")
        monkeypatch.setattr(clients, "SHORTEST_IDLE_S", 60)
        with pytest.raises(ConnectionError):
            clients.keep_alive(target, random.Random(1))
        monkeypatch.setattr(clients, "SHORTEST_IDLE_S", 0)
        assert clients.keep_alive(target, random.Random(1)).status == 200
        server.join()


def test_server_that_does_not_start_is_a_fault(tmp_path: Path) -> None:
    server = Server(name="none", words=("-c", "raise SystemExit('no such thing')"))
    outcome = soak(server, seconds=1, n_clients=1, seed=1, folder=tmp_path, stop=threading.Event())
    assert any("no such thing" in fault for fault in outcome.faults)


def test_word_that_names_no_server_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pyramid"]) == 2
    assert "no server is called 'pyramid'" in capsys.readouterr().err
    assert main(["--list"]) == 0
    assert capsys.readouterr().out.split() == [server.name for server in SERVERS]


@pytest.mark.parametrize("name", ["starlette", "django-asgi", "litestar"])
def test_server_stands_a_few_seconds_of_all_clients(name: str, tmp_path: Path) -> None:
    pytest.importorskip(name.partition("-")[0])
    pytest.importorskip("uvicorn")
    server = next(server for server in SERVERS if server.name == name)
    outcome = soak(server, seconds=6, n_clients=2, seed=1, folder=tmp_path, stop=threading.Event())
    assert outcome.is_good, (outcome.faults, (tmp_path / f"{name}.log").read_text())
    assert len(outcome.counts) == 3
    assert outcome.visits["ordinary"] > 0
    assert outcome.answers["2xx"] > 0
