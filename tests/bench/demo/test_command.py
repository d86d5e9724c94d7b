"""`python -m bench demo`: a whole run, how it stops, what can be missing, and its command line."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")


from helpers.processes import all_gone, children, wait_until

from bench.__main__ import main
from bench.demo.measure import measure as real_measure

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


def test_run_says_on_stderr_where_it_is_in_plain_lines(
    whole_run: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    lines = whole_run[0].stderr.splitlines()
    steps = [
        "1 of 5  json (sweep)",
        "2 of 5  ssrjson_web (sweep)",
        "3 of 5  ssrjson_web (ascii control)",
        "4 of 5  json (preload)",
        "5 of 5  ssrjson_web (preload)",
    ]
    assert [line.partition(")")[0] + ")" for line in lines] == steps
    assert "\r" not in whole_run[0].stderr


def test_run_data_is_complete_and_sane(whole_run: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    data: dict[str, Any] = json.loads((whole_run[1] / "results.json").read_text(encoding="utf-8"))
    assert [run["engine"] for run in data["runs"]] == ["json", "ssrjson_web"]
    assert [run["engine"] for run in data["control"]] == ["ssrjson_web"]
    assert [run["engine"] for run in data["preload"]] == ["json", "ssrjson_web"]
    assert data["failures"] == []
    for run in data["runs"] + data["control"]:
        assert run["catalogue_bytes"] == pytest.approx(1_000_000, rel=0.05)
        assert run["sweep"]["faults"] == []
        assert run["sweep"]["first_pass_pages"] == run["sweep"]["pages"]
        assert run["caches"]["bytes"] == run["caches"]["cached_strings"] == 0
        assert run["caches"]["strings"] > 10 * run["records"]
        assert 20_000_000 < run["rss_base_bytes"] < 500_000_000
        assert abs(run["rss_trimmed_bytes"] - run["rss_base_bytes"]) < 20_000_000
        assert len(run["samples"]) >= 3
        assert run["encode_first_us"] > 0
    for run in data["preload"]:
        assert len(run["workers"]) == 2
        assert all(0 < worker["uss_base_bytes"] < 200_000_000 for worker in run["workers"])


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


def test_demo_stopped_in_the_middle_of_the_load_leaves_no_server(tmp_path: Path) -> None:
    command = [*COMMAND, "--mb=0.3", "--seconds=120", "--engines=json", f"--out={tmp_path}"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True) as demo:
        try:
            assert wait_until(lambda: bool(children(demo.pid)))
            (server,) = children(demo.pid)
            # established connections: the load has begun
            assert wait_until(lambda: len(list_sockets(demo.pid)) >= 4)
            demo.send_signal(signal.SIGINT)
            _, said = demo.communicate(timeout=60)
        finally:
            demo.kill()
    assert demo.returncode == 130
    assert said.splitlines()[-1] == "Stopped: no server is left running."
    assert "Traceback" not in said
    assert all_gone([server])


def list_sockets(pid: int) -> list[str]:
    """The sockets that a process holds open."""
    try:
        targets = [str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:  # one was closed meanwhile
        return []
    return [target for target in targets if target.startswith("socket:")]


# ---- what can be missing ----------------------------------------------------------------------


@pytest.mark.usefixtures("unpaced", "without_picture")
def test_missing_engine_is_a_line_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "orjson", None)
    assert main(["demo", *BRIEF, "--engines=orjson,json", f"--out={tmp_path}"]) == 0
    said = capsys.readouterr()
    assert "orjson is left out: it is not installed (pip install 'ssrjson_web[demo]')\n" in said.err
    assert "orjson (all): orjson is not installed: pip install 'ssrjson_web[demo]'" in said.out
    assert "json left no cached UTF-8 copies" in said.out
    assert (tmp_path / "index.html").exists()


@pytest.mark.usefixtures("unpaced", "without_picture")
def test_broken_engine_is_a_line_with_its_last_words_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "msgspec.py").write_text("raise RuntimeError('broken on purpose')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "msgspec", raising=False)
    assert main(["demo", *BRIEF, "--engines=msgspec,json", f"--out={tmp_path}"]) == 1
    said = capsys.readouterr()
    assert "msgspec (sweep)          FAILED, going on without it: ended before it was ready, with status 1" in said.err
    assert "RuntimeError: broken on purpose" in said.err
    assert "json (sweep)            " in said.err
    assert "RuntimeError: broken on purpose" in (tmp_path / "index.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("unpaced", "without_picture")
def test_port_in_use_is_a_line_and_a_free_one_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["demo", *BRIEF, "--engines=json", f"--port={port}", f"--out={tmp_path}"]) == 0
    assert f"127.0.0.1:{port} cannot be used (Address already in use): taking a free port" in capsys.readouterr().err


@pytest.mark.usefixtures("unpaced", "without_picture")
def test_free_port_is_used(
    unused_port: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ports: list[int] = []

    def measure(server: Any, **options: Any) -> Any:
        ports.append(server.port)
        return real_measure(server, **options)

    monkeypatch.setattr("bench.demo.run.measure", measure)
    assert main(["demo", *BRIEF, "--engines=json,ssrjson_web", f"--port={unused_port}", f"--out={tmp_path}"]) == 0
    assert ports == [unused_port, unused_port]
    assert "cannot be used" not in capsys.readouterr().err


@pytest.mark.usefixtures("unpaced", "without_picture")
def test_live_page_keeps_its_address_and_its_token(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = ""
    pids: list[tuple[int, int]] = []
    described: list[tuple[str, str]] = []

    def measure(server: Any, **options: Any) -> Any:
        nonlocal said
        said += capsys.readouterr().err
        (url, token), *others = re.findall(r"live page: (http://127.0.0.1:\d+/ssrjson/)#token=(\S+)", said)
        assert others == []
        stats = httpx.get(f"{url}stats", headers={"authorization": f"Bearer {token}"}).json()
        pids.append((stats["pid"], server.pid))
        described.append((stats["name"], stats["activity"]))
        assert httpx.get(f"{url}stats").status_code == 404
        measured = real_measure(server, **options)
        stats = httpx.get(f"{url}stats", headers={"authorization": f"Bearer {token}"}).json()
        described.append((stats["name"], stats["activity"]))
        return measured

    monkeypatch.setattr("bench.demo.run.measure", measure)
    assert main(["demo", *BRIEF, "--live", "--engines=json,orjson,ssrjson_web", f"--out={tmp_path}"]) == 0
    assert len(pids) == 3
    assert all(of_page == of_server for of_page, of_server in pids)
    assert [name for name, _ in described] == ["json", "json", "orjson", "orjson", "ssrjson_web", "ssrjson_web"]
    assert all(activity.startswith("ready for the first pass, ") for _, activity in described[::2])
    assert all(re.match(r"pass \d+ is complete, |.*page [\d,]+ of ", activity) for _, activity in described[1::2])


def test_missing_framework_is_a_line_that_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["demo", f"--out={tmp_path / 'out'}"]) == 2
    assert capsys.readouterr().err == "bench demo: the demo needs uvicorn: pip install 'ssrjson_web[demo]'\n"
    assert not (tmp_path / "out").exists()


def test_missing_proc_is_a_line_that_names_linux(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bench.demo.command._STATM", tmp_path / "statm")
    assert main(["demo"]) == 2
    assert "exists only on Linux" in capsys.readouterr().err


def test_unwritable_out_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["demo", f"--out={tmp_path / 'file' / 'out'}"]) == 2
    assert "the reports cannot be written to" in capsys.readouterr().err


@pytest.mark.usefixtures("unpaced", "without_picture")
def test_full_disk_is_a_line_beside_the_table_and_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill_the_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("bench.demo.files.write_json", fill_the_disk)
    assert main(["demo", *BRIEF, "--engines=json", f"--out={tmp_path}"]) == 1
    said = capsys.readouterr()
    last = said.err.splitlines()[-1]
    assert last == f"bench demo: the reports cannot be written to {tmp_path}: No space left on device"
    assert "json left no cached UTF-8 copies" in said.out
    assert f"page:    {tmp_path / 'index.html'}" in said.out
    assert "results.json" not in said.out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_without_permission_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.chmod(0o500)
    assert main(["demo", f"--out={tmp_path}"]) == 2
    assert "the reports cannot be written to" in capsys.readouterr().err


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
        (["demo", "--port=70000"], "not between 0 and 65535"),
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


def test_help_names_every_option_and_the_statuses(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["demo", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert caught.value.code == 0
    for option in ("--mb", "--seconds", "--engines", "--script", "--processes", "--out", "--port", "--quick"):
        assert option in text
    for words in (
        "malloc_trim",
        "exit status",
        "mixed, chinese, japanese, russian, french, emoji, ascii",
        "The demo needs Linux",
    ):
        assert words in text


def test_help_of_the_program_lists_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "demo" in capsys.readouterr().out
