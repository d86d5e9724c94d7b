"""`python -m bench`, end to end."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from helpers.bench_command import bench, interrupted, said


@pytest.mark.parametrize(
    ("operation", "modes"),
    [
        ("encode", ["encode bytes cold", "encode bytes warm", "encode str cold"]),
        ("decode", ["decode bytes", "decode str cold"]),
    ],
)
def test_quick_run_prints_tables_and_writes_files(operation: str, modes: list[str], tmp_path: Path) -> None:
    json_path, markdown_path = tmp_path / "report.json", tmp_path / "report.md"
    done = bench(
        operation,
        "--quick",
        "--cases",
        "small,rows/chinese",
        "--json",
        str(json_path),
        "--markdown",
        str(markdown_path),
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(json_path.read_text("utf-8"))
    assert list(dict.fromkeys(row["mode"] for row in document["rows"])) == modes
    assert document["is_complete"] is True
    assert document["machine"]["level"]
    ours = [each for row in document["rows"] for each in row["measurements"] if each["is_ours"]]
    assert len(ours) == len(document["rows"])
    assert all(each["sample"]["median_ns"] > 0 and each["cache_bytes"] == 0 for each in ours)
    for mode in modes:
        assert f"{mode}: µs a call, median" in done.stdout
        assert f"### {mode}: µs a call, median" in markdown_path.read_text("utf-8")
    assert "groups and goals" in done.stdout
    assert "rows/chinese" in done.stderr


def test_level_of_the_environment_is_named_and_its_goals_are_lower(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    words = (
        "decode",
        "--quick",
        "--cases",
        "small/tiny",
        "--rivals",
        "json",
        "--modes",
        "decode bytes",
        "--json",
        str(path),
    )
    done = bench(*words, level="portable")
    assert done.returncode == 0, done.stderr
    assert json.loads(path.read_text("utf-8"))["machine"]["level"] == "portable"
    assert "goals x 0.8: the peers run at their own best level" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["encode", "--cases", "nothing"], "no case matches 'nothing'"),
        (["encode", "--cases", "small", "--rivals", "nobody"], "unknown rival nobody"),
        (["encode", "--cases", "small", "--rounds", "0"], "--rounds is 0"),
        (["decode", "--cases", "small", "--modes", "* evicted"], "no mode matches '* evicted'"),
        (["decode", "--corpus", "no-such-folder"], "no-such-folder"),
    ],
)
def test_arguments_that_cannot_be_used_get_one_line_and_status_2(arguments: list[str], message: str) -> None:
    done = bench(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_interrupt_prints_what_was_measured() -> None:
    words = ("encode", "--cases", "rows", "--rivals", "json", "--modes", "encode str cold")
    output, _ = interrupted(*words, until=lambda child: said(child, "rows/ascii"))
    assert "INCOMPLETE" in output
    assert "rows/ascii" in output


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_memory_measures_each_rival_in_processes_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    done = bench("memory", "--quick", "--rivals", "json", "--json", str(path))
    assert done.returncode == 0, done.stderr
    for title in (
        "dumps: fresh",
        "loads: fresh",
        "encode bytes by size",
        "decode from str: peak",
        "a forked child encodes",
    ):
        assert title in done.stdout
    found = json.loads(path.read_text("utf-8"))
    assert "ssrjson_web" in found["encode to bytes: peak memory for one string of 8 MB of UTF-8"]["ascii"]
    article = found["dumps: fresh objects, encoded to bytes once each (100 of them)"]
    assert {name: len(answers) for name, answers in article.items()} == {"ssrjson_web": 1, "json": 1}
    assert all(answer["elapsed_ns"] > 0 for (answer,) in article.values())


def test_django_run_prints_times_and_goals_and_names_its_cases(tmp_path: Path) -> None:
    file = tmp_path / "django.json"
    done = bench(
        "web", "--django", "--quick", "--rounds", "2", "--cases", "drf-serializer,drf-parse", "--json", str(file)
    )
    assert done.returncode == 0, done.stderr
    assert "50 rows of 11 fields" in done.stdout
    rows = json.loads(file.read_text("utf-8"))["rows"]
    assert [row["kind"] for row in rows] == ["drf-serializer", "drf-parse"]
    ours = {row["kind"]: {each["rival"]: each for each in row["measured"]}["ssrjson_web"] for row in rows}
    assert all(40_000 < each["n_bytes"] < 46_000 for each in ours.values())
    assert all(each["cache_bytes"] == 0 and not each["note"] for each in ours.values())
    names = bench("web", "--django", "--list").stdout.split()
    assert names[:5] == ["drf-serializer", "drf-values", "response", "ninja", "drf-parse"]
    assert names[5:] == [name for name in names if name.startswith("serializer-")] != []


def test_serializers_are_timed_in_processes_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "serializers.json"
    done = bench(
        *("web", "--django", "--quick", "--rounds", "2", "--json", str(file)),
        *("--cases", "serializer-list,serializer-400,serializer-is-valid", "--rivals", "stock"),
    )
    assert done.returncode == 0, done.stderr
    assert "100 rows of 12 fields" in done.stdout
    rows = json.loads(file.read_text("utf-8"))["rows"]
    assert [row["kind"] for row in rows] == ["serializer-list", "serializer-400", "serializer-is-valid"]
    for row in rows:
        stock, ours = row["measured"]
        assert (stock["rival"], ours["rival"]) == ("stock", "ssrjson_web")
        assert ours["n_bytes"] == stock["n_bytes"]
        assert ours["cache_bytes"] == 0
        assert not ours["note"]
