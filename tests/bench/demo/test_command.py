"""`python -m bench demo`: a whole run, how it stops, what can be missing, and its command line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")


from helpers.processes import all_gone, children, wait_until

from bench.__main__ import main

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-m", "bench", "demo"]
BRIEF = ["--mb=0.3", "--seconds=60", "--no-control", "--no-preload"]
"""With the `unpaced` and `without_picture` fixtures: a run of a few seconds."""


# ---- a whole run ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """A small run of all parts in a process of its own."""
    directory = tmp_path_factory.mktemp("demo")
    command = [*COMMAND, "--mb=1", "--seconds=1", "--engines=json,ssrjson_web", f"--out={directory / 'reports'}"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    return ran, directory / "reports"


def test_run_succeeds_and_writes_its_reports(whole_run: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    ran, out = whole_run
    assert ran.returncode == 0, ran.stderr
    assert {"index.html", "results.json"} <= {path.name for path in out.iterdir()}
    assert f"page:    {out / 'index.html'}" in ran.stdout
    assert "json and ssrjson_web left no cached UTF-8 copies" in ran.stdout


def test_run_data_is_complete_and_sane(whole_run: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    data: dict[str, Any] = json.loads((whole_run[1] / "results.json").read_text(encoding="utf-8"))
    assert [run["engine"] for run in data["runs"]] == ["json", "ssrjson_web"]
    assert [run["engine"] for run in data["control"]] == ["ssrjson_web"]
    assert [run["engine"] for run in data["preload"]] == ["json", "ssrjson_web"]
    assert data["failures"] == []
    for run in data["runs"] + data["control"]:
        assert run["catalogue_bytes"] == pytest.approx(1_000_000, rel=0.05)
        (server,), (sweep,) = run["processes"], run["sweeps"]
        assert sweep["faults"] == []
        assert sweep["first_pass_pages"] == sweep["pages"]
        assert server["caches"]["bytes"] == server["caches"]["cached_strings"] == 0
        assert server["caches"]["strings"] > 10 * run["records"]
        assert 20_000_000 < server["rss_base_bytes"] < 500_000_000
        assert abs(server["rss_trimmed_bytes"] - server["rss_base_bytes"]) < 20_000_000
        assert len(run["samples"]) >= 3
        assert run["encode_first_us"] > 0
    for run in data["preload"]:
        assert len(run["processes"]) == 3
        assert all(0 < process["uss_base_bytes"] < 200_000_000 for process in run["processes"])


@pytest.mark.usefixtures("unpaced", "without_picture")
def test_run_that_is_cut_off_says_so_in_its_status_and_reports(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bench.demo.sweep.patience_seconds", lambda seconds: 0.0)
    assert main(["demo", "--mb=0.3", "--seconds=1", "--engines=json,ssrjson_web", f"--out={tmp_path}"]) == 1
    said = capsys.readouterr()
    unfinished = [line for line in said.err.splitlines() if "UNFINISHED, cut off after 0 s: " in line]
    assert [line.partition(")")[0] + ")" for line in unfinished] == [
        "1 of 5  json (sweep)",
        "2 of 5  ssrjson_web (sweep)",
        "3 of 5  ssrjson_web (ascii control)",
        "4 of 5  json (preload)",
        "5 of 5  ssrjson_web (preload)",
    ]
    assert said.out.strip().startswith("No engine completed its load.")
    assert "served each record" not in said.out
    data = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert not any(run["is_complete"] for part in ("runs", "control", "preload") for run in data[part])


# ---- stopping it ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_stopped_demo_leaves_no_server(number: signal.Signals, status: int, tmp_path: Path) -> None:
    command = [*COMMAND, "--mb=0.3", "--seconds=120", "--engines=json", f"--out={tmp_path}"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True) as demo:
        try:
            assert wait_until(lambda: bool(children(demo.pid)))
            servers = children(demo.pid)
            demo.send_signal(number)
            _, said = demo.communicate(timeout=60)
        finally:
            demo.kill()
    assert demo.returncode == status
    assert all_gone(servers)
    assert ("Stopped: no server is left running" in said) is (number != signal.SIGKILL)
    assert list(tmp_path.iterdir()) == []


# ---- what can be missing ----------------------------------------------------------------------


@pytest.mark.usefixtures("unpaced", "without_picture")
def test_missing_engine_is_a_line_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "orjson", None)
    assert main(["demo", *BRIEF, "--engines=orjson,json", f"--out={tmp_path}"]) == 0
    said = capsys.readouterr()
    assert "orjson is left out: it is not installed (pip install 'ssrjson_web[demo]')\n" in said.err
    assert "orjson (all)  orjson is not installed: pip install 'ssrjson_web[demo]'" in said.out
    assert "json left no cached UTF-8 copies" in said.out
    assert (tmp_path / "index.html").exists()


# ---- the command line -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "--engines=json,simplejson"], "simplejson: choose from json, orjson, msgspec, pydantic, ssrjson_web"),
        (
            ["demo", "--engines=json,ssrjson"],
            "ssrjson is another library, which the demo does not run: ours is ssrjson_web",
        ),
        (["demo", "--engines=,"], "none given"),
        (["demo", "--script=klingon"], "invalid choice: 'klingon'"),
        (["demo", "--mb=many"], "many: not a number"),
        (["demo", "--mb=-1"], "-1: not between 0.1 and 10000"),
        (["demo", "--seconds=1e9"], "not between"),
        (["demo", "--processes=0"], "not between 1 and 64"),
        (["demos"], "invalid choice: 'demos'"),
    ],
)
def test_wrong_usage_is_refused_with_a_reason(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err
