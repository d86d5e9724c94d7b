"""The middlewares under uvicorn and gunicorn, with several workers, forked and spawned, over real sockets."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets.asyncio.client
from helpers.processes import serving
from monitor.calls import BEARER, GUNICORN, UVICORN

TESTS = Path(__file__).parent.parent
SERVERS = {
    "uvicorn": UVICORN,
    "uvicorn, 2 workers": [*UVICORN, "--workers", "2"],
    "gunicorn --preload, 2 workers": [*GUNICORN, "--preload", "-w", "2"],
    "gunicorn, 2 workers of threads": [*GUNICORN, "-w", "2", "-k", "gthread", "--threads", "3"],
}

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")


@pytest.fixture(scope="module", params=list(SERVERS))
def server(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    with serving(SERVERS[request.param], folder=TESTS) as address:
        yield request.param, f"http://{address}"


def stats_of(url: str) -> Any:
    return httpx.get(f"{url}/ssrjson/stats", headers=BEARER).json()


def until(probe: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 30
    while True:
        found = probe()
        if found:
            return found
        assert time.monotonic() < deadline, "it does not come true"
        time.sleep(0.1)


def served_by_all(url: str, n_workers: int) -> Any:
    """Figures of a moment at which each worker has answered something, and all know of each other."""

    def probe() -> Any:
        for _ in range(4):
            with httpx.Client() as client:  # a connection each: the kernel hands them out among workers
                assert client.get(f"{url}/books").status_code == 200
        stats = stats_of(url)
        counts = [worker["requests"]["count"] for worker in stats["workers"]]
        return stats if len(counts) == n_workers and all(counts) else None

    return until(probe)


def test_workers_are_shown_together_by_pid(server: tuple[str, str]) -> None:
    name, url = server
    n_workers = 2 if "2 workers" in name else 1
    stats = served_by_all(url, n_workers)
    pids = [worker["pid"] for worker in stats["workers"]]
    assert len(set(pids)) == n_workers
    assert stats["pid"] in pids
    for figure in ("count", "encodes", "body_bytes_out"):
        assert stats["requests"][figure] == sum(worker["requests"][figure] for worker in stats["workers"])
    assert stats["requests"]["encodes"] == stats["requests"]["count"]
    for worker in stats["workers"]:
        assert worker["requests"]["count"] > 0
        assert worker["memory"]["rss"] > 5_000_000
        assert "workers" not in stats["unavailable"]
    assert len({worker["memory"]["rss"] for worker in stats["workers"]}) == n_workers


def test_bodies_streams_and_errors_are_those_of_the_application(server: tuple[str, str]) -> None:
    _, url = server
    with httpx.Client(base_url=url) as client:
        posted = client.post("/books", content='[1, "é"]')
        assert posted.content == '[1,"é"]'.encode()
        assert "json;dur=" in posted.headers["server-timing"]
        assert client.get("/stream").content == client.get("/books").content
        assert client.get("/json").json() == client.get("/books").json()
        missing = client.get("/ssrjson/stats")
        assert (missing.status_code, missing.content) == (404, b"no such book")
        assert client.get("/ssrjson/stats", headers={"authorization": "Bearer x"}).content == b"no such book"
    libraries = until(lambda: stats_of(url)["libraries"].get("json"))
    assert libraries["encodes"] >= 1


def test_scan_and_trim_reach_every_worker(server: tuple[str, str]) -> None:
    name, url = server
    served_by_all(url, 2 if "2 workers" in name else 1)
    assert httpx.post(f"{url}/ssrjson/scan", headers=BEARER).json()["cache"]["strings"] == 102
    assert httpx.post(f"{url}/ssrjson/trim", headers=BEARER).status_code == 200

    def measured() -> bool:
        return all(
            worker["memory"]["cache_bytes"] == 0 and worker["memory"]["uss"] and worker["memory"]["after_trim"]
            for worker in stats_of(url)["workers"]
        )

    until(measured)


def test_server_stops_and_leaves_no_figures_of_dead_workers_behind(tmp_path: Path) -> None:
    with serving([*GUNICORN, "--preload", "-w", "2"], folder=TESTS) as address:
        pid = served_by_all(f"http://{address}", 2)["pid"]
    until(lambda: not Path(f"/proc/{pid}").exists())
    with serving(UVICORN, folder=TESTS) as address:
        assert pid not in [worker["pid"] for worker in served_by_all(f"http://{address}", 1)["workers"]]


def test_servers_of_one_application_beside_each_other_do_not_mix() -> None:
    with serving(UVICORN, folder=TESTS) as one, serving(UVICORN, folder=TESTS) as two:
        stats = [served_by_all(f"http://{address}", 1) for address in (one, two)]
        time.sleep(1.5)
        again = [stats_of(f"http://{address}") for address in (one, two)]
    assert [len(found["workers"]) for found in again] == [1, 1]
    assert stats[0]["pid"] != stats[1]["pid"]


def test_websocket_and_events_over_uvicorn() -> None:
    async def shout(address: str) -> Any:
        async with websockets.asyncio.client.connect(f"ws://{address}/ws") as socket:
            await socket.send("hé")
            return await socket.recv()

    with serving(UVICORN, folder=TESTS) as address:
        assert asyncio.run(shout(address)) == "HÉ"
        with httpx.stream("GET", f"http://{address}/ssrjson/events", headers=BEARER) as response:
            assert response.headers["content-type"] == "text/event-stream"
            lines = (line for line in response.iter_lines() if line)
            events = [json.loads(next(lines).removeprefix("data: ")) for _ in range(2)]
        assert events[1]["workers"][0]["updated_at"] > events[0]["workers"][0]["updated_at"]
        assert httpx.get(f"http://{address}/books").status_code == 200
        assert stats_of(f"http://{address}")["requests"]["count"] == 1  # neither the socket nor the events
