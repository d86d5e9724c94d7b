"""What real servers answer, counted by hand: statuses, bytes, clients that leave, workers that end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.processes import run_python, serving
from monitor.calls import BEARER, GUNICORN, HYPERCORN, TOKEN, UVICORN

TESTS = Path(__file__).parent.parent
SERVERS = {
    "uvicorn": UVICORN,
    "uvicorn, 2 workers": [*UVICORN, "--workers", "2"],
    "hypercorn": HYPERCORN,
    "gunicorn": GUNICORN,
    "gunicorn, 2 workers of threads": [*GUNICORN, "-w", "2", "-k", "gthread", "--threads", "3"],
}
PLAN = [
    *3 * [("GET", "/books", "2xx")],
    *2 * [("HEAD", "/json", "2xx")],
    ("OPTIONS", "/status/204", "2xx"),
    ("GET", "/status/301", "3xx"),
    ("GET", "/status/304", "3xx"),
    *2 * [("GET", "/nowhere", "4xx")],
    ("POST", "/status/422", "4xx"),
    *2 * [("GET", "/status/500", "5xx")],
    ("GET", "/status/503", "5xx"),
    *2 * [("GET", "/raise", "raised")],
]

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")


def stats_of(address: str) -> Any:
    return httpx.get(f"http://{address}/ssrjson/stats", headers=BEARER, timeout=60).json()


def until_counted(address: str, expected: dict[str, int]) -> Any:
    """Figures in which the outcomes are those; other workers tell theirs once a second."""
    deadline = time.monotonic() + 30
    while True:
        stats = stats_of(address)
        found = {how: number for how, number in stats["responses"].items() if number}
        if found == expected:
            return stats
        assert time.monotonic() < deadline, found
        time.sleep(0.1)


def hand_count(plan: list[tuple[str, str, str]]) -> dict[str, int]:
    return {how: sum(how == other for _, _, other in plan) for how in sorted({how for _, _, how in plan})}


def ask(address: str, method: str, path: str) -> int:
    """The bytes of the response's body as they arrive."""
    try:
        return len(httpx.request(method, f"http://{address}{path}", timeout=60).content)
    except httpx.RemoteProtocolError:  # hypercorn closes the connection where an application raised
        return 0


def leave_half_way(address: str) -> None:
    """A client that reads a little of a response without end and closes its connection."""
    host, _, port = address.partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as client:
        client.sendall(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("name", SERVERS)
def test_responses_are_counted_as_by_hand(name: str) -> None:
    with serving(SERVERS[name], folder=TESTS) as address:
        n_bytes = sum(
            ask(address, method, path) for method, path, how in PLAN if how != "raised"
        )  # servers answer those
        for method, path, how in PLAN:
            if how == "raised":
                ask(address, method, path)
        expected = hand_count(PLAN)
        stats = until_counted(address, expected)
        requests = stats["requests"]
        assert (requests["count"], requests["failed"]) == (len(PLAN), 5)
        assert requests["body_bytes_out"] == n_bytes > 3 * 10_000
        assert (requests["encodes"], stats["libraries"]["json"]["encodes"]) == (5, 2)
        assert stats["latency"]["le"]["+Inf"] == len(PLAN)
        for _ in range(3):
            leave_half_way(address)
        stats = until_counted(address, {**expected, "aborted": 3})
        assert stats["requests"]["failed"] == 5
        time.sleep(2)  # whichever worker answers knows the last figures of the others by now
        metrics = httpx.get(f"http://{address}/ssrjson/metrics", headers=BEARER, timeout=60).text
        for how, number in {**expected, "aborted": 3}.items():
            lines = re.findall(rf'^ssrjson_requests_total\{{.*status="{how}".*\}} (.*)$', metrics, re.MULTILINE)
            assert sum(map(float, lines)) == number
        assert len(re.findall(r"^ssrjson_cgroup_current_bytes", metrics, re.MULTILINE)) <= 1


def restarted(address: str, pid: int, condition: Callable[[Any], bool]) -> Any:
    """Figures in which a worker that ended is no more; requests for them may sync it as it ends."""
    deadline = time.monotonic() + 30
    while True:
        with contextlib.suppress(httpx.TransportError):
            stats = stats_of(address)
            if pid not in [worker["pid"] for worker in stats["workers"]] and condition(stats):
                return stats
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_counts_of_a_worker_that_is_killed_stay() -> None:
    with serving([*GUNICORN, "-w", "2"], folder=TESTS) as address:
        for method, path, _ in PLAN:
            ask(address, method, path)
        expected = hand_count(PLAN)
        stats = until_counted(address, expected)
        time.sleep(2)  # every worker has shown its last figures by now
        pid = max(stats["workers"], key=lambda worker: worker["requests"]["count"])["pid"]
        os.kill(pid, signal.SIGKILL)
        stats = restarted(address, pid, lambda stats: stats["ended_workers"] == 1)
        assert {how: number for how, number in stats["responses"].items() if number} == expected
        assert stats["requests"]["count"] == len(PLAN) == stats["latency"]["le"]["+Inf"]
        ask(address, "GET", "/status/503")
        until_counted(address, {**expected, "5xx": expected["5xx"] + 1})


@pytest.mark.parametrize("options", [["-w", "1"], ["-w", "2"], ["-w", "2", "--preload"]], ids=" ".join)
def test_counts_of_workers_that_gunicorn_replaces_stay(options: list[str]) -> None:
    with serving([*GUNICORN, *options, "--max-requests", "5"], folder=TESTS) as address:
        for _ in range(23):
            for attempt in range(50):
                try:
                    assert httpx.get(f"http://{address}/status/404", timeout=60).status_code == 404
                    break
                except httpx.TransportError:  # its worker ended as it connected
                    assert attempt < 49
                    time.sleep(0.1)
        deadline = time.monotonic() + 30
        while True:
            with contextlib.suppress(httpx.TransportError):
                stats = stats_of(address)
                if stats["requests"]["count"] == 23 and stats["ended_workers"] >= 1:
                    break
            assert time.monotonic() < deadline, stats["requests"]["count"]
            time.sleep(0.1)
        assert stats["responses"]["4xx"] == 23


def test_child_of_a_fork_begins_at_zero_though_locks_were_held(tmp_path: Path) -> None:
    snippet = f"""
    import json, os
    from ssrjson_web.wsgi import MemoryMiddleware

    def app(environ, start_response):
        start_response(environ["PATH_INFO"][1:] + " x", [])
        return [b"12"]

    middleware = MemoryMiddleware(app, enabled=True, token="{TOKEN}", share={str(tmp_path / "s")!r})
    monitor = middleware.monitor

    def serve(*statuses):
        for status in statuses:
            middleware({{"PATH_INFO": f"/{{status}}", "REQUEST_METHOD": "GET"}}, lambda *_: None)

    def tell():
        stats = monitor.stats()
        counted = {{how: number for how, number in stats["responses"].items() if number}}
        print(json.dumps([counted, stats["requests"]["body_bytes_out"], stats["ended_workers"]]), flush=True)

    serve(200, 200, 500)
    monitor.sync_workers()
    tell()
    with monitor.totals._lock, monitor._total_memory._lock, monitor._workers._lock:
        pid = os.fork()
        if pid == 0:
            serve(404)
            monitor.sync_workers()
            own = monitor.own_figures()
            print(json.dumps([own["requests"]["count"], own["responses"]["4xx"]]), flush=True)
            os._exit(0)
        os.waitpid(pid, 0)
    serve(304)
    tell()
    """
    result = run_python(snippet, tmp_path)
    assert result.returncode == 0, result.stderr
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        [{"2xx": 2, "5xx": 1}, 6, 0],
        [1, 1],
        [{"2xx": 2, "3xx": 1, "4xx": 1, "5xx": 1}, 10, 1],
    ]
    assert list((tmp_path / "s").iterdir()) == []  # the last one to end leaves nothing
