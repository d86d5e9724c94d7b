"""The load test from end to end: real servers and real locust, in seconds, only on this machine."""

from __future__ import annotations

import csv
import http.client
import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from helpers.bench_command import ROOT, interrupted, said, started

from bench.kit.processes import Process
from bench.load.load_run import server_of
from bench.load.plan import Plan

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the load test runs on Linux")

LOCUST = [sys.executable, "-m", "locust", "-f", str(ROOT / "bench/load/locustfile.py")]
TOKEN = "a-token-of-the-tests"


def rows_of(path: Path) -> Mapping[str, Mapping[str, str]]:
    """locust's statistics by type and name."""
    with path.open(encoding="utf-8", newline="") as file:
        return {f"{row['Type']} {row['Name']}".strip(): row for row in csv.DictReader(file)}


def pids_in(rows: Mapping[str, object], name: str) -> set[int]:
    """The workers that have a row of that name."""
    return {int(pid) for row in rows for pid in re.findall(rf"^{re.escape(name)} pid (\d+)$", row)}


def get(address: str, path: str) -> tuple[int, str]:
    """Status and body."""
    connection = http.client.HTTPConnection(address, timeout=30)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, body


def until_under_load(run: subprocess.Popen[str]) -> str:
    """The address of locust's pages, after the second sample."""
    told = said(run, " requests  ", times=2)
    found = re.search(r"http://([\d.:]+)/ssrjson", told)
    assert found, told
    return found[1]


def assert_is_gone(address: str) -> None:
    """Fails if the address still answers after a while."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            get(address, "/")
        except OSError:
            return
        time.sleep(0.1)
    raise AssertionError(f"{address} still answers")


def requests_in(rows: Mapping[str, Mapping[str, str]]) -> int:
    """All requests, from the rows of each kind."""
    return sum(int(row["Request Count"]) for name, row in rows.items() if name.startswith(("GET ", "POST ")))


@pytest.mark.parametrize("engine", ["orjson", "ssrjson_web"])
def test_load_on_two_workers_shows_memory_of_each(engine: str, tmp_path: Path) -> None:
    run = started(
        "load",
        *("fastapi", engine, "--server", "uvicorn", "--workers", "2", "--users", "6", "--seconds", "3"),
        *("--megabytes", "4", "--script", "chinese", "--out", str(tmp_path)),
    )
    output, errors = run.communicate(timeout=120)
    assert run.returncode == 0, errors
    folder = tmp_path / f"fastapi-{engine}-uvicorn-2-chinese"
    rows = rows_of(folder / "locust_stats.csv")
    pids = pids_in(rows, "MEM RSS MB")
    assert len(pids) == 2
    assert pids_in(rows, "MEM UTF-8 copies MB") == pids
    assert all(float(rows[f"MEM RSS MB pid {pid}"]["Min Response Time"]) > 10 for pid in pids)
    copies = [rows[f"MEM UTF-8 copies MB pid {pid}"] for pid in pids]
    assert all(float(row["Min Response Time"]) == 0 for row in copies)
    most = [float(row["Max Response Time"]) for row in copies]
    assert max(most) > 0.1 if engine == "orjson" else most == [0, 0]
    assert int(rows["Aggregated"]["Request Count"]) == requests_in(rows) > 20
    assert rows["Aggregated"]["Failure Count"] == "0"
    report = json.loads((folder / "report.json").read_text())
    assert report["is_complete"] is True
    assert {each["pid"] for each in report["workers"]} == pids
    assert sum(each["n_requests"] for each in report["workers"]) == report["requests"][-1]["n_requests"]
    assert [each["phase"] for each in report["samples"][-2:]] == ["after", "trimmed"]
    assert {each["pid"]: each["rss_bytes"] for each in report["samples"][-1]["workers"]} == {
        each["pid"]: each["after_trim_bytes"] for each in report["workers"]
    }
    assert (sum(each["cache_after_bytes"] for each in report["workers"]) > 0) is (engine == "orjson")
    page = (folder / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 1
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page)
    assert str(folder / "report.html") in output
    assert TOKEN not in errors
    assert (folder / "locust.html").exists()


def test_load_by_master_and_worker_is_polled_by_the_master_alone(tmp_path: Path) -> None:
    plan = Plan(app="django", engine="msgspec", server="gunicorn", megabytes=4, script="japanese", out=tmp_path)
    plan.folder.mkdir()
    environment = plan.setting.as_environment(token=TOKEN)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    with server_of(plan, environment) as server:
        common = [*LOCUST, "-H", f"http://127.0.0.1:{server.port}"]
        master = [
            *(*common, "--master", "--master-bind-host", "127.0.0.1", "--master-bind-port", port, "--headless"),
            *("--stop-timeout", "15"),  # only the server counts a request that is cut off
            *("--expect-workers", "1", "--expect-workers-max-wait", "30", "-u", "4", "-t", "6s"),
            *("--csv", str(tmp_path / "master"), "--only-summary"),
            *("--samples", str(tmp_path / "samples"), "--outcome", str(tmp_path / "outcome")),
        ]
        worker = [*common, "--worker", "--master-host", "127.0.0.1", "--master-port", port]
        with (
            Process(master, log=tmp_path / "master.log", environment=environment) as of_master,
            Process(worker, log=tmp_path / "worker.log", environment=environment) as of_worker,
        ):
            assert of_master.wait(60), of_master.last_lines()
            assert of_worker.wait(30), of_worker.last_lines()
            assert (of_master.exit_status(), of_worker.exit_status()) == (0, 0), of_master.last_lines()
    rows = rows_of(tmp_path / "master_stats.csv")
    pids = pids_in(rows, "MEM RSS MB")
    assert pids_in(rows, "MEM UTF-8 copies MB") == pids
    assert len(pids) == 1
    assert int(rows["Aggregated"]["Request Count"]) == requests_in(rows) > 10
    assert rows["Aggregated"]["Failure Count"] == "0"
    outcome = json.loads((tmp_path / "outcome").read_text())
    assert {each["pid"] for each in outcome} == pids
    assert outcome[0]["cache_after_bytes"] > 0
    assert outcome[0]["n_requests"] > 0
    assert "figures" not in (tmp_path / "worker.log").read_text()


def test_load_ends_with_whoever_started_it(tmp_path: Path) -> None:
    run = started("load", "flask", "orjson", "--web", "--megabytes", "1", "--out", str(tmp_path))
    try:
        address = until_under_load(run)
    finally:
        run.kill()
        run.communicate(timeout=30)
    folder = tmp_path / "flask-orjson-gunicorn-1"
    worker = json.loads((folder / "samples.jsonl").read_text().splitlines()[0])["workers"][0]["pid"]
    assert_is_gone(address)
    deadline = time.monotonic() + 30
    while Path(f"/proc/{worker}").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not Path(f"/proc/{worker}").exists()


def test_load_stopped_by_ctrl_c_says_that_it_is_incomplete(tmp_path: Path) -> None:
    words = ("load", "flask", "stock", "--seconds", "120", "--megabytes", "1", "--out", tmp_path)
    output, errors = interrupted(*words, until=lambda child: said(child, " requests  ", times=3))
    assert errors.splitlines().count("stopped by Ctrl-C") == 1
    assert re.match(r"flask under gunicorn, engine stock \(INCOMPLETE: \d+ of 120 s of load\): RSS ", output)
    assert "INCOMPLETE: stopped before the end" in (tmp_path / "flask-stock-gunicorn-1" / "report.html").read_text()
