"""The load test's parts that need no locust: options, the figures of workers, the report."""

from __future__ import annotations

import http.server
import importlib.util
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench.__main__ import main
from bench.command_output import UsageError
from bench.load.curves import as_html, line_chart, worker_charts
from bench.load.engines_page import as_page as engines_as_page
from bench.load.engines_page import engines_table, growth_charts
from bench.load.load_page import as_page, headline, worker_table
from bench.load.load_results import Results, percentile, read_results
from bench.load.plan import ENGINES, SERVERS, Plan, Setting
from bench.load.samples import Sample, WorkerOutcome, WorkerSample, lines_of
from bench.load.shelf import FRESH, MOST_RECORDS, POSTED, RESIDENT, Product, Shelf, made, receipt
from bench.load.stats import MiddlewareStats, ProcessStats, StatsError, WorkerFigures, open_stats, shares
from bench.load.steps import users_at
from ssrjson_web import scan_utf8_cache

TOKEN = "a-token-of-the-tests"


def worker(pid: int, **figures: Any) -> dict[str, Any]:
    """A worker in the middleware's format."""
    memory = {"rss": 1000, "after_trim": None, "after_trim_at": None, "cache_bytes": None, "scanned_at": None}
    return {
        "pid": pid,
        "updated_at": 1.0,
        "memory": {**memory, **figures},
        "requests": {"count": 4, "total_ns": 1000, "json_ns": 250, "encodes": 4, "decodes": 1},
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"app": "bottle"}, "no APP 'bottle': choose from fastapi, django, flask"),
        ({"engine": "ujson"}, "no ENGINE 'ujson': choose from stock, orjson, msgspec, ssrjson_web"),
        (
            {"engine": "ssrjson"},
            "no ENGINE 'ssrjson': choose from stock, orjson, msgspec, ssrjson_web (ssrjson is another",
        ),
        ({"script": "klingon"}, "no SCRIPT 'klingon': choose from mix, "),
        ({"server": "apache"}, "no SERVER 'apache': choose from gunicorn, hypercorn, uvicorn"),
        ({"app": "flask", "server": "uvicorn"}, "uvicorn does not serve flask here: choose from gunicorn, hypercorn"),
        ({"workers": 0}, "WORKERS is 0: from 1 to 64"),
        ({"users": 0}, "USERS is 0: from 1 to 1000"),
        ({"seconds": 3601}, "SECONDS is 3601: from 1 to 3600"),
        ({"megabytes": float("nan")}, "MEGABYTES is nan: from 0.1 to 10000"),
        ({"processes": 65}, "PROCESSES is 65: from 0 to 64"),
    ],
)
def test_plan_of_what_there_is_not_names_the_choices(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Plan(**{"app": "fastapi", "engine": "orjson", **options})
    assert str(caught.value).startswith(message)


def test_plan_of_every_application_engine_and_server_has_a_setting_that_survives_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for app, servers in SERVERS.items():
        for engine in ENGINES:
            assert Plan(app=app, engine=engine).served_by == next(iter(servers))
            for server, interface in servers.items():
                setting = Plan(app=app, engine=engine, server=server).setting
                assert setting.interface == interface
                for name, value in setting.as_environment(token=TOKEN).items():
                    monkeypatch.setenv(name, value)
                assert Setting.from_environment() == setting


def test_command_with_a_wrong_name_says_so_and_starts_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["load", "flask", "orjson", "--server", "uvicorn", "--out", str(tmp_path)]) == 2
    assert "error: uvicorn does not serve flask here: choose from gunicorn, hypercorn" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_command_without_locust_names_the_extra(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "locust" else find(name))
    assert main(["load"]) == 2
    assert "locust is not installed; what the load test needs: pip install '.[load]'" in capsys.readouterr().err


def test_command_without_what_its_server_needs_names_the_extra(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = ("msgspec", "gunicorn")
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in gone else find(name))
    assert main(["load", "flask", "msgspec"]) == 2
    expected = "error: msgspec and gunicorn are not installed; what the load test needs: pip install '.[load]'\n"
    assert capsys.readouterr().err == expected


def test_users_come_in_four_steps_and_go_at_the_end() -> None:
    found = [users_at(second / 2, users=10, seconds=4) for second in range(10)]
    assert found == [2, 2, 5, 5, 8, 8, 10, 10, None, None]
    assert users_at(0, users=1, seconds=4) == 1


def test_shelf_gives_what_the_client_expects() -> None:
    shelf = Shelf(script="mix", megabytes=0.5)
    assert list(shelf.about()["records"]) == ["chinese", "japanese", "russian", "french", "ascii"]
    page = shelf.resident("russian", 3, 4)
    assert page == made("russian", seed=RESIDENT, first=3, count=4)
    assert page[0] is shelf.resident("russian", 3, 1)[0]
    assert shelf.fresh("french", 1, 2) == made("french", seed=FRESH, first=1, count=2)
    assert len(shelf.fresh("french", 0, 10 * MOST_RECORDS)) == MOST_RECORDS
    assert Product.of(page[0]).reviews[0].text is page[0]["reviews"][0]["text"]
    with pytest.raises(KeyError):
        shelf.fresh("klingon", 0, 1)
    assert scan_utf8_cache(shelf.catalogues)["bytes"] == 0


def test_receipt_counts_the_characters_of_strings() -> None:
    records = made("chinese", seed=POSTED, first=0, count=1)
    before = receipt(records)
    records[0]["tags"].append("四个字符")
    assert before["records"] == 1
    assert receipt(records)["characters"] == before["characters"] + 4


def test_middleware_stats_are_read_by_pid_with_the_token() -> None:
    workers = [worker(7, cache_bytes=5, scanned_at=1.0), worker(8, rss=None)]
    with answering({"GET /ssrjson/stats": (200, {"workers": workers})}) as (host, asked):
        found = MiddlewareStats(host, token=TOKEN).read()
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
        stats = MiddlewareStats(host, token=TOKEN)
        assert len(stats.measure(n_workers=2, seconds=0)) == 2  # the time is over, and one worker has not answered
        assert [key for key, _ in asked] == ["GET /ssrjson/stats"]
        assert stats.measure(n_workers=1, seconds=60)[0].scanned_at == later
        assert [key for key, _ in asked] == 2 * ["GET /ssrjson/stats"]
        stats.scan()  # too soon: this is not an error
    assert asked[-1][0] == "POST /ssrjson/scan"


@pytest.mark.parametrize("answer", [(404, None), (500, None), (200, b"no JSON")])
def test_stats_that_cannot_be_read_are_an_error_that_names_the_address(answer: tuple[int, Any]) -> None:
    with answering({"GET /ssrjson/stats": answer}) as (host, _), pytest.raises(StatsError) as caught:
        MiddlewareStats(host, token=TOKEN).read()
    assert str(caught.value).startswith(f"GET {host}/ssrjson/stats: ")
    assert TOKEN not in str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_server_without_the_middleware_is_seen_by_its_processes() -> None:
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1, flush=True); input()'])"
    with (
        answering({}) as (host, _),
        subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent,
    ):
        assert parent.stdout is not None
        parent.stdout.readline()
        stats = open_stats(host, token=TOKEN, prefix="/ssrjson", pid=parent.pid)
        found = stats.measure(n_workers=1, seconds=1)
        stats.scan()
        parent.communicate(b"\n")
    assert isinstance(stats, ProcessStats)
    assert [each.pid for each in found] != [parent.pid]
    assert len(found) == 1
    assert (found[0].rss_bytes or 0) > 1_000_000
    assert found[0].cache_bytes is None


def test_stats_from_nowhere_are_an_error() -> None:
    with answering({}) as (host, _):
        with pytest.raises(StatsError, match="404"):
            open_stats(host, token=TOKEN, prefix="/ssrjson", pid=None)
        with pytest.raises(StatsError, match=r"^no token"):
            open_stats(host, token=None, prefix="/ssrjson", pid=None)


def test_share_is_of_the_requests_between_two_moments() -> None:
    def figures(pid: int, request_ns: int | None, json_ns: int | None) -> WorkerFigures:
        return WorkerFigures(pid=pid, rss_bytes=1, request_ns=request_ns, json_ns=json_ns)

    before = [figures(1, 1000, 500), figures(2, 1000, 500), figures(3, None, None)]
    now = [figures(1, 2000, 600), figures(2, 1000, 500), figures(3, None, None), figures(4, 100, 30)]
    assert shares(before, now) == {1: 0.1, 4: 0.3}


def sample(seconds: float, *workers: WorkerSample) -> Sample:
    """A sample with these workers."""
    return Sample(seconds=seconds, users=2, n_requests=3, n_failures=0, workers=workers)


def test_samples_survive_their_file_and_an_unfinished_line_waits(tmp_path: Path) -> None:
    first = sample(0.5, WorkerSample(pid=1, rss_bytes=2, cache_bytes=None, json_share=0.25))
    file = tmp_path / "samples"
    assert list(lines_of(file)) == []
    file.write_text(first.as_line() + first.as_line()[:20])
    assert [Sample.from_line(line).as_text() for line in lines_of(file)] == [first.as_text()]
    assert "1: RSS 0.0 MB, copies - MB, JSON 25 %" in first.as_text()


def test_curves_are_drawn_for_each_worker_and_skip_what_is_not_known() -> None:
    charts = worker_charts(
        [
            sample(0, WorkerSample(pid=1, rss_bytes=50_000_000, cache_bytes=None, json_share=None)),
            sample(1, WorkerSample(pid=1, rss_bytes=60_000_000, cache_bytes=None, json_share=0.5)),
        ]
    )
    assert worker_charts([sample(0, WorkerSample(pid=1, rss_bytes=1, cache_bytes=1, json_share=None))])[2:] == []
    assert [{curve.name: curve.points for curve in chart.curves} for chart in charts] == [
        {"pid 1": [(0, 50.0), (1, 60.0)]},
        {},
        {"pid 1": [(1, 50.0)]},
    ]
    html = as_html([*charts, line_chart("<a>", {'"b"&': [(0, 0)]})])
    assert html.count("<polyline") == 3
    assert html.count("no figures") == 1
    assert "<h2>&lt;a&gt;</h2>" in html
    assert "&quot;b&quot;&amp;: 0.0" in html


def test_engines_are_overlaid_on_one_page_and_side_by_side_in_one_table(tmp_path: Path) -> None:
    first = made_results(tmp_path, outcome(), app="flask")
    second = replace(
        first, plan=replace(first.plan, engine="ssrjson_web"), workers=[outcome(after_trim_bytes=101_000_000)]
    )
    table = engines_table([first, second])
    assert [row[:4] for row in table.rows] == [
        ["orjson", "100.0", "120.0", "+20.0"],
        ["ssrjson_web", "100.0", "101.0", "+1.0"],
    ]
    charts = growth_charts([first, second])
    assert [[curve.name for curve in chart.curves] for chart in charts] == 2 * [["orjson", "ssrjson_web"]]
    page = engines_as_page([first, second], ["../a/report.html", "../b/report.html"])
    assert page.count("<polyline") == 4
    assert 'href="../b/report.html"' in page


def test_command_with_several_engines_and_a_page_that_stays_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["load", "flask", "orjson,ssrjson_web", "--web"]) == 2
    assert "--web keeps one server running until Ctrl-C: name one engine" in capsys.readouterr().err


def test_report_of_a_folder_without_figures_says_so(tmp_path: Path) -> None:
    plan = Plan(app="django", engine="stock", out=tmp_path)
    results = read_results(plan, is_complete=True)
    assert not results.is_complete
    what = "django under gunicorn, engine stock (INCOMPLETE: 0 of 20 s of load)"
    assert headline(results) == f"{what}: no figures of the workers"
    page = as_page(results)
    assert "INCOMPLETE" in page
    assert "a plateau, not a leak" in page.lower()


def outcome(pid: int = 9, **figures: Any) -> WorkerOutcome:
    """A worker that answered 1,234 requests, 200 of them orders."""
    whole: dict[str, Any] = {
        "rss_before_bytes": 100_000_000,
        "rss_after_bytes": 150_000_000,
        "after_trim_bytes": 120_000_000,
        "cache_before_bytes": 0,
        "cache_after_bytes": 20_000_000,
        "json_share": 0.25,
        "n_requests": 1234,
        "n_encodes": 1234,
        "n_decodes": 200,
    }
    return WorkerOutcome(pid=pid, **{**whole, **figures})


def made_results(folder: Path, *outcomes: WorkerOutcome, app: str = "flask", **locust: int) -> Results:
    """The results of a folder with these workers, and requests as locust counted them."""
    plan = Plan(app=app, engine="orjson", out=folder)
    plan.folder.mkdir()
    (plan.folder / "outcome.json").write_text(json.dumps([vars(each) for each in outcomes]))
    entries = [
        {
            "method": method,
            "name": "/x",
            "num_requests": locust.get(method, number),
            "num_failures": locust.get("failed", 0),
            "response_times": {"10": locust.get(method, number) - 1, "500": 1},
        }
        for method, number in (("GET", 1034), ("POST", 200), ("MEM", 7))
    ]
    (plan.folder / "locust.json").write_text(json.dumps(entries))
    samples = [sample(1, WorkerSample(pid=9, rss_bytes=150_000_000, cache_bytes=0, json_share=0.5))]
    samples += [replace(samples[0], seconds=2 + n, phase=phase) for n, phase in enumerate(("after", "trimmed"))]
    (plan.folder / "samples.jsonl").write_text("".join(each.as_line() for each in samples))
    return read_results(plan, is_complete=True)


def test_report_tells_growth_by_what_trim_leaves(tmp_path: Path) -> None:
    results = made_results(tmp_path, outcome())
    what = "flask under gunicorn, engine orjson"
    assert headline(results) == f"{what}: RSS 100.0 to 120.0 MB, 20.0 MB in cached UTF-8 copies"
    page = as_page(results)
    for cell in ("150.0", "+20.0", "1,234", "25.0 %"):
        assert f"<td>{cell}</td>" in page
    assert json.loads(results.as_json())["workers"] == [vars(outcome())]
    assert "The last point of each RSS curve is after that trim." in page
    assert ">after the load</text>" in page
    assert ">after malloc_trim</text>" in page
    assert results.is_measured


def test_report_of_a_worker_that_was_not_measured_after_the_load_has_no_figure_of_then(tmp_path: Path) -> None:
    late = outcome(10, after_trim_bytes=None, cache_after_bytes=None, n_requests=None, n_encodes=None, n_decodes=None)
    results = made_results(tmp_path, outcome(), late)
    what = "flask under gunicorn, engine orjson"
    assert headline(results) == f"{what}: RSS 200.0 to - MB in 2 workers, - MB in cached UTF-8 copies"
    table = worker_table(results)
    assert table.rows[1] == ["pid 10", "100.0", "150.0", "-", "-", "-", "-", "-"]
    assert any(note.startswith("pid 10 was not measured after it") for note in table.notes)
    assert "The last point of each RSS curve" not in as_page(results)
    assert not results.is_measured


def test_report_says_that_it_is_incomplete_in_its_headline(tmp_path: Path) -> None:
    results = replace(made_results(tmp_path, outcome()), is_complete=False)
    assert "(INCOMPLETE: 1 of 20 s of load)" in headline(results)
    assert "INCOMPLETE: stopped before the end" in as_page(results)
    (last,) = (replace(each, seconds=19.0) for each in results.samples[:1])
    assert "(INCOMPLETE):" in headline(replace(results, samples=[last]))
    assert "INCOMPLETE: the last figures of the workers are missing" in as_page(replace(results, workers=[]))


@pytest.mark.parametrize(
    ("locust", "said"),
    [
        ({}, "requests: 1,234 by the workers' own count and by locust's"),
        (
            {"GET": 1036},
            "requests: 1,234 that the workers finished from the measurement before the load to the one after",
        ),
        ({"GET": 1036, "failed": 1}, "1,236 by locust's count (2 failed)"),
    ],
)
def test_report_says_what_each_count_of_requests_is_of(locust: dict[str, int], said: str, tmp_path: Path) -> None:
    results = made_results(tmp_path, outcome(), **locust)
    assert said in " ".join(worker_table(results).notes)


def test_report_says_that_a_masters_processes_stop_after_the_last_measurement(tmp_path: Path) -> None:
    results = made_results(tmp_path, outcome(), GET=1100)
    results = replace(results, plan=replace(results.plan, processes=2))
    assert "a master of locust stops its processes after that measurement" in " ".join(worker_table(results).notes)


@pytest.mark.parametrize(
    ("app", "figures", "reason"),
    [
        ("fastapi", {}, "not shown for fastapi: ours converts and encodes in one call"),
        ("flask", {"n_encodes": 1233}, "not shown: 1,233 encodings and 200 decodings were seen"),
        ("django", {"n_decodes": 0}, "not shown: 1,234 encodings and 0 decodings were seen"),
    ],
)
def test_report_shows_no_share_that_is_not_of_the_same_calls_with_every_engine(
    app: str, figures: dict[str, int], reason: str, tmp_path: Path
) -> None:
    results = made_results(tmp_path, outcome(**figures), app=app)
    assert worker_table(results).rows[0][6] == "-"
    page = as_page(results)
    assert reason in page.replace("&#x27;", "'")
    assert "JSON&#x27;s share of request time, %" not in page
    assert "25.0 %" not in page


def test_requests_are_those_at_the_end_with_locusts_percentiles(tmp_path: Path) -> None:
    rows = made_results(tmp_path, outcome()).requests
    assert [(row.name, row.n_requests) for row in rows] == [("GET /x", 1034), ("POST /x", 200), ("Aggregated", 1234)]
    assert rows[-1].percentiles_ms == [10.0, 10.0, 10.0]
    times = {1.0: 50, 2.0: 45, 30.0: 4, 400.0: 1}
    assert [percentile(times, share) for share in (0.5, 0.95, 0.98, 0.99, 1.0)] == [2.0, 30.0, 30.0, 400.0, 400.0]
    assert percentile({}, 0.5) == 0


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
        counts = {"n_requests": n, "n_encodes": n, "n_decodes": 0, "request_ns": 10 * n, "json_ns": n}
        every: dict[str, Any] = {**measured, **counts, "cache_bytes": 5, "rss_bytes": 2000 * pid, "updated_at": later}
        return WorkerFigures(pid=pid, **{**every, **more})

    stats = FakeStats(
        [figures(1, 100)],
        [figures(1, 300), figures(2, 200)],
        [figures(1, 300), figures(2, 200, scanned_at=1.0, updated_at=1.0)],
    )
    monkeypatch.setattr("bench.load.poller._CSV_SECONDS", 0.0)
    total = SimpleNamespace(num_requests=400, num_failures=0)
    entry = SimpleNamespace(log=lambda number, n_bytes: None)
    environment: Any = SimpleNamespace(stats=SimpleNamespace(total=total, get=lambda name, method: entry), runner=None)
    poller = Poller(environment, lambda: stats, n_workers=2, outcome_file=tmp_path / "outcome")
    poller.prepare()
    poller.start()
    poller.stop()
    first, second = (WorkerOutcome(**each) for each in json.loads((tmp_path / "outcome").read_text()))
    assert (first.n_requests, first.n_encodes, first.json_share) == (200, 200, 0.1)
    assert (first.rss_before_bytes, first.rss_after_bytes, first.after_trim_bytes) == (1000, 2000, 1000)
    assert second == WorkerOutcome(
        pid=2,
        rss_before_bytes=None,
        rss_after_bytes=4000,
        after_trim_bytes=None,
        cache_before_bytes=None,
        cache_after_bytes=None,
        json_share=None,
        n_requests=None,
        n_encodes=None,
        n_decodes=None,
    )
    assert [each.phase for each in poller.samples] == ["load", "after", "trimmed"]
    assert [each.rss_bytes for each in poller.samples[-1].workers] == [1000, 4000]
