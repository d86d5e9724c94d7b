"""The load test's parts that need no locust: options, the figures of workers, the report."""

from __future__ import annotations

import http.server
import importlib.util
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench.__main__ import main
from bench.load.samples import WorkerOutcome
from bench.load.shelf import FRESH, MAX_RECORDS, RESIDENT, Product, Shelf, made
from bench.load.stats import Stats, WorkerFigures
from ssrjson_web import scan_utf8_cache

TOKEN = "a-token-of-the-tests"


def worker(pid: int, **figures: Any) -> dict[str, Any]:
    """A worker in the middleware's format."""
    memory = {"rss": 1000, "after_trim": None, "after_trim_at": None, "cache_bytes": None, "scanned_at": None}
    return {
        "pid": pid,
        "updated_at": 1.0,
        "memory": {**memory, **figures},
        "requests": {"count": 4},
    }


@contextmanager
def answering(answers: Mapping[str, tuple[int, Any]]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """A server's address, and its requests with their authorization; paths without an answer get a 404."""
    asked: list[tuple[str, str]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            key = f"{self.command} {self.path}"
            asked.append((key, self.headers["Authorization"]))
            status, value = answers.get(key, (404, None))
            body = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def test_command_without_what_its_server_needs_names_the_extra(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = ("msgspec", "gunicorn")
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in gone else find(name))
    assert main(["load", "flask", "msgspec"]) == 2
    expected = "error: msgspec and gunicorn are not installed; what the load test needs: pip install '.[load]'\n"
    assert capsys.readouterr().err == expected


def test_shelf_gives_what_the_client_expects() -> None:
    shelf = Shelf(script="mix", megabytes=0.5)
    assert list(shelf.about()["records"]) == ["chinese", "japanese", "russian", "french", "ascii"]
    page = shelf.resident("russian", 3, 4)
    assert page == made("russian", seed=RESIDENT, first=3, count=4)
    assert page[0] is shelf.resident("russian", 3, 1)[0]
    assert shelf.fresh("french", 1, 2) == made("french", seed=FRESH, first=1, count=2)
    assert len(shelf.fresh("french", 0, 10 * MAX_RECORDS)) == MAX_RECORDS
    assert Product.of(page[0]).reviews[0].text is page[0]["reviews"][0]["text"]
    with pytest.raises(KeyError):
        shelf.fresh("klingon", 0, 1)
    assert scan_utf8_cache(shelf.catalogues)["bytes"] == 0


def test_middleware_stats_are_read_by_pid_with_the_token() -> None:
    workers = [worker(7, cache_bytes=5, scanned_at=1.0), worker(8, rss=None)]
    with answering({"GET /ssrjson/stats": (200, {"workers": workers})}) as (host, asked):
        found = Stats(host, token=TOKEN).read()
    assert [each.pid for each in found] == [7, 8]
    assert (found[0].rss_bytes, found[0].cache_bytes, found[0].n_requests) == (1000, 5, 4)
    assert found[1].rss_bytes is None
    assert asked == [("GET /ssrjson/stats", f"Bearer {TOKEN}")]


def test_middleware_stats_measure_until_all_workers_have() -> None:
    later = 1e12
    done = worker(7, scanned_at=later, after_trim_at=later)
    answers: dict[str, tuple[int, Any]] = {
        "GET /ssrjson/stats": (200, {"workers": [done, worker(8)]}),
        "POST /ssrjson/scan": (429, {"retry_after": 1}),
        "POST /ssrjson/trim": (200, {"pid": 7}),
    }
    with answering(answers) as (host, asked):
        stats = Stats(host, token=TOKEN)
        assert len(stats.measure(n_workers=2, seconds=0)) == 2  # the time is over, and one worker has not answered
        assert [key for key, _ in asked] == ["GET /ssrjson/stats"]
        assert stats.measure(n_workers=1, seconds=60)[0].scanned_at == later
        assert [key for key, _ in asked] == 2 * ["GET /ssrjson/stats"]
        stats.scan()  # too soon: this is not an error
    assert asked[-1][0] == "POST /ssrjson/scan"


class FakeStats:
    """Figures of workers from a list, one item for each call."""

    def __init__(self, *figures: list[WorkerFigures]) -> None:
        self._figures = iter(figures)

    def read(self) -> list[WorkerFigures]:
        return next(self._figures)

    def measure(self, *, n_workers: int, seconds: float) -> list[WorkerFigures]:
        return next(self._figures)

    def scan(self) -> None:
        pass


def test_poller_counts_a_worker_that_is_first_seen_under_load_from_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gevent", reason="gevent, locust's loop, is not installed")
    from bench.load.poller import Poller

    later = time.time() + 1000

    def figures(pid: int, n: int, **more: Any) -> WorkerFigures:
        measured: dict[str, Any] = {"trimmed_at": later, "scanned_at": later, "after_trim_bytes": 1000 * pid}
        every: dict[str, Any] = {**measured, "cache_bytes": 5, "rss_bytes": 2000 * pid, "updated_at": later}
        return WorkerFigures(pid=pid, n_requests=n, **{**every, **more})

    stats: Any = FakeStats(
        [figures(1, 100)],
        [figures(1, 300), figures(2, 200)],
        [figures(1, 300), figures(2, 200, scanned_at=1.0, updated_at=1.0)],
    )
    monkeypatch.setattr("bench.load.poller._CSV_SECONDS", 0.0)
    total = SimpleNamespace(num_requests=400, num_failures=0)
    entry = SimpleNamespace(log=lambda number, n_bytes: None)
    environment: Any = SimpleNamespace(stats=SimpleNamespace(total=total, get=lambda name, method: entry), runner=None)
    poller = Poller(environment, stats, n_workers=2, outcome_file=tmp_path / "outcome")
    poller.prepare()
    poller.start()
    poller.stop()
    first, second = (WorkerOutcome(**each) for each in json.loads((tmp_path / "outcome").read_text()))
    assert first.n_requests == 200
    assert (first.rss_before_bytes, first.rss_after_bytes, first.after_trim_bytes) == (1000, 2000, 1000)
    assert second == WorkerOutcome(
        pid=2,
        rss_before_bytes=None,
        rss_after_bytes=4000,
        after_trim_bytes=None,
        cache_before_bytes=None,
        cache_after_bytes=None,
        n_requests=None,
    )
    assert [each.phase for each in poller.samples] == ["load", "after", "trimmed"]
    assert [each.rss_bytes for each in poller.samples[-1].workers] == [1000, 4000]
