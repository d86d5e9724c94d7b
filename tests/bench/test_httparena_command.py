"""The command `httparena`: its options, its table, and a short run where wrk is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from helpers.bench_command import interrupted
from helpers.processes import all_gone, wait_until

from bench.__main__ import main
from bench.httparena import httparena_command, wrk
from bench.httparena.httparena_command import Measured, table_of
from bench.httparena.profiles import PROFILES
from bench.kit.process_tree import tree_of

needs_wrk = pytest.mark.skipif(
    sys.platform != "linux" or wrk.program() is None, reason="wrk is not installed: apt install wrk"
)


def measured(name: str, requests_per_s: float, mean_bytes: float) -> Measured:
    return Measured(
        framework="fastapi",
        contender=name,
        profile="json-comp",
        requests_per_s=requests_per_s,
        cpu_us=1e6 / requests_per_s,
        p50_us=1500,
        p99_us=20_000,
        mean_bytes=mean_bytes,
        rss_bytes=50_000_000,
        note="",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--profiles", "crud"], "unknown profile crud"),
        (["--frameworks", "django"], "unknown framework django"),
        (["--rivals", "ujson"], "unknown rival ujson"),
        (["--rounds", "0"], "--rounds and --seconds are at least 1"),
        (["--clone", "no-such-folder"], "no-such-folder is no clone of HttpArena"),
    ],
)
def test_arguments_that_cannot_be_used_are_named(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["httparena", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_machine_without_wrk_is_told_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(wrk, "program", lambda: None)
    assert main(["httparena"]) == 2
    assert "wrk is not installed: apt install wrk" in capsys.readouterr().err


def test_table_has_ratios_to_stock_and_the_score_of_httparena() -> None:
    profile = next(one for one in PROFILES if one.name == "json-comp")
    table = table_of(profile, [measured("stock", 1000, 2000), measured("ssrjson_web", 1500, 1000)])
    ratio, score = table.headers.index("x stock"), table.headers.index("score")
    assert [row[ratio] for row in table.rows] == ["1.00", "1.50"]
    assert [row[score] for row in table.rows] == ["250", "1500"]


@needs_wrk
def test_short_run_measures_each_contender(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "figures.json"
    arguments = ["--quick", "--profiles", "json", "--frameworks", "flask", "--json", str(written)]
    assert main(["httparena", *arguments]) == 0
    rows = json.loads(written.read_text(encoding="utf-8"))["rows"]
    assert [row["contender"] for row in rows] == ["stock", "orjson", "ssrjson_web"]
    assert all(row["requests_per_s"] > 0 and row["cpu_us"] > 0 and row["rss_bytes"] > 10_000_000 for row in rows)
    assert "json: 64 connections" in capsys.readouterr().out
    assert httparena_command.table_of(PROFILES[0], [Measured(**row) for row in rows]).rows


@needs_wrk
def test_interrupt_ends_the_servers_and_is_told() -> None:
    servers: list[int] = []

    def until_loading(child: subprocess.Popen[str]) -> None:
        assert wait_until(lambda: any(name_of(pid) == "wrk" for pid in tree_of(child.pid)), seconds=60)
        servers.extend(tree_of(child.pid)[1:])

    words = ("httparena", "--profiles", "json", "--frameworks", "flask", "--rounds", "99")
    output, _ = interrupted(*words, until=until_loading)
    assert "INCOMPLETE" in output
    assert all_gone(servers)  # they end after their parent


def name_of(pid: int) -> str:
    """The name of a process; empty where it has ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""
