"""A live page that is open, or a stream of events, holds up no server that shuts down."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers import browser
from helpers.processes import serving
from monitor.calls import BEARER, GUNICORN, GUNICORN_UVICORN, HYPERCORN, TOKEN, UVICORN

from ssrjson_web import asgi
from ssrjson_web.monitor.page import page_html

TESTS = Path(__file__).parent.parent
ASGI_SERVERS = {"uvicorn": UVICORN, "hypercorn": HYPERCORN, "gunicorn of uvicorn": GUNICORN_UVICORN}
SERVERS = {**ASGI_SERVERS, "gunicorn": GUNICORN, "gunicorn of threads": [*GUNICORN, "-k", "gthread", "--threads", "2"]}
WAIT_S = 60  # a guard: no test expects this long

needs_browser = pytest.mark.skipif(browser.chromium() is None, reason="no Chromium: apt install chromium")


@contextmanager
def started(command: Sequence[str]) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A server that the test itself ends, and its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    words = [word.format(port=address.rpartition(":")[2]) for word in command]
    with subprocess.Popen(words, cwd=TESTS, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            deadline = time.monotonic() + WAIT_S
            while True:
                try:
                    httpx.get(f"http://{address}/nowhere", timeout=WAIT_S)
                    break
                except httpx.TransportError:
                    assert server.poll() is None
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
            yield server, address
        finally:
            server.kill()


def events_in(body: bytes) -> list[Any]:
    return [json.loads(event.removeprefix(b"data: ")) for event in body.split(b"\n\n") if event]


@pytest.mark.parametrize("name", ASGI_SERVERS)
def test_stream_of_events_ends_by_itself_after_a_few(name: str) -> None:
    with serving(ASGI_SERVERS[name], folder=TESTS) as address:
        answer = httpx.get(f"http://{address}/ssrjson/events", headers=BEARER, timeout=WAIT_S)  # read to its end
    first, second = events_in(answer.content)
    assert answer.headers["content-type"] == "text/event-stream"
    assert asgi.EVENTS_A_STREAM == 2
    assert first["pid"] == second["pid"]
    assert first["versions"] == second["versions"]


@pytest.mark.parametrize(
    ("name", "stop"),
    [
        ("uvicorn", signal.SIGINT),
        ("uvicorn", signal.SIGTERM),
        ("hypercorn", signal.SIGINT),
        ("gunicorn of uvicorn", signal.SIGTERM),
    ],
)
def test_stream_that_is_open_when_the_server_is_told_to_stop_ends_whole(name: str, stop: signal.Signals) -> None:
    with started(ASGI_SERVERS[name]) as (server, address):
        body = b""
        with httpx.stream("GET", f"http://{address}/ssrjson/events", headers=BEARER, timeout=WAIT_S) as response:
            for n, chunk in enumerate(response.iter_raw()):
                body += chunk
                if n == 0:
                    server.send_signal(stop)
        # httpx raises where the last chunk of the encoding is missing: the response was not cut off
        server.wait(WAIT_S)
    assert 1 <= len(events_in(body)) <= asgi.EVENTS_A_STREAM


@pytest.mark.parametrize("name", SERVERS)
def test_connection_that_a_page_keeps_open_between_its_requests_is_closed(name: str) -> None:
    with (
        started(SERVERS[name]) as (server, address),
        httpx.Client(base_url=f"http://{address}", timeout=WAIT_S) as page,
    ):
        assert page.get("/ssrjson/").status_code == 200
        for _ in range(3):
            assert page.get("/ssrjson/stats", headers=BEARER).json()["responses"]["4xx"] >= 1
        # after SIGINT gunicorn waits 30 s for any idle worker of uvicorn's, without a middleware too
        server.send_signal(signal.SIGTERM if name == "gunicorn of uvicorn" else signal.SIGINT)
        server.wait(WAIT_S)
        with pytest.raises(httpx.TransportError):
            page.get("/ssrjson/stats", headers=BEARER)


def test_page_asks_for_nothing_that_stays_open() -> None:
    script = page_html().decode()
    assert re.findall(r"EventSource|WebSocket|getReader|\bevents\b(?!\))", script) == []
    assert sorted(set(re.findall(r"""(?:ask|act)\("(\w+)"[,)]""", script))) == ["scan", "stats", "trim"]


@needs_browser
@pytest.mark.parametrize("name", ["uvicorn", "hypercorn", "gunicorn of threads"])
def test_server_stops_while_a_browser_shows_the_page(name: str, tmp_path: Path) -> None:
    async def watch() -> list[str]:
        async with browser.opened(f"http://{address}/ssrjson/", tmp_path / "profile") as tab:
            await tab.until("!document.getElementById('entry').hidden")
            enter = (
                f"document.getElementById('token').value = '{TOKEN}'; document.querySelector('#form button').click()"
            )
            await tab.evaluate(enter)
            await tab.until("!document.getElementById('main').hidden")
            await tab.until("performance.getEntriesByType('resource').filter((r) => /stats$/.test(r.name)).length > 2")
            server.send_signal(signal.SIGINT)
            stopped_at = time.monotonic()
            await asyncio.to_thread(server.wait, WAIT_S)
            if folder := os.environ.get("SSRJSON_TEST_SCREENSHOTS"):
                print(f"{name}: stopped within {time.monotonic() - stopped_at:.2f} s; {folder}")
            await tab.until("document.getElementById('state').textContent.startsWith('no answer')")
            return [url.rpartition("/")[2] for url in tab.requested]

    with started(SERVERS[name]) as (server, address):
        requested = asyncio.run(watch())
    assert {url for url in requested if "," not in url} == {"", "stats", "scan"}  # and an icon within the page
