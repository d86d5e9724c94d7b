"""The guard for speed: counts, verdicts, and a run where valgrind is installed."""

from __future__ import annotations

import json
import platform
import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers.bench_command import ROOT, bench

from bench.guard import guard_command
from bench.guard.callgrind import CPU
from bench.guard.calls import all_calls
from bench.guard.figures import Figures, Makings, judge, read, write
from bench.guard.guarded import GuardedCall

MAKINGS = Makings(
    python="3.11.7",
    python_build="GCC 12.2.0",
    clang="clang 19.1.7 (3~deb12u1)",
    libc="glibc 2.36",
    libraries={"msgspec": "0.22.0", "pydantic": "2.14.3"},
)


def named(*names: str, library: Any = "") -> list[GuardedCall]:
    return [GuardedCall(name=name, make=lambda: (len, []), rounds=1, library=library) for name in names]


def states(before: dict[str, int], now: dict[str, int]) -> dict[str, str]:
    kept = Figures(made_with=MAKINGS, instructions=before)
    return {each.call: each.state for each in judge(named(*now), now, kept, MAKINGS.libraries)}


def test_there_are_forty_calls_of_the_core_and_seven_requests_that_work() -> None:
    calls = all_calls()
    assert len({call.name for call in calls}) == len(calls) == 40 + 2 * 7
    for each in calls:
        call, argument = each.make()
        assert call(argument), each.name


def test_encoding_calls_write_what_stdlib_reads_back() -> None:
    for each in all_calls():
        call, argument = each.make()
        if each.name.startswith(("dumps", "Encoder.encode ", "json.dumps")) and "natives" not in each.name:
            assert json.loads(call(argument)) == argument, each.name
        elif each.name.startswith(("loads", "Decoder")):
            assert call(argument) == json.loads(argument), each.name


def test_two_percent_more_is_worse_and_two_percent_less_is_better() -> None:
    before = dict.fromkeys("abcd", 1000)
    assert states(before, {"a": 1020, "b": 1021, "c": 980, "d": 979}) == {
        "a": "as before",
        "b": "worse",
        "c": "as before",
        "d": "better",
    }


def test_call_is_counted_once_more_and_the_lower_count_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = {"a": 1000, "b": 1100, "c": 1100}
    asked: list[tuple[list[str], int]] = []

    def count(calls: Any, *, n_before: int) -> dict[str, int]:
        asked.append(([call.name for call in calls], n_before))
        return {"b": 1001, "c": 1200}

    monkeypatch.setattr(guard_command, "count", count)
    assert guard_command._lower_counts(named("b", "c"), counted, 2) == {"b": 1001, "c": 1100}
    assert asked == [(["b", "c"], 2)]
    assert guard_command._lower_counts([], counted, 3) == {}
    assert len(asked) == 1


def test_only_calls_that_seem_worse_are_counted_again() -> None:
    calls = named("a", "b")
    kept = Figures(made_with=MAKINGS, instructions={"a": 1000, "b": 1000})
    found = judge(calls, {"a": 1001, "b": 1100}, kept, MAKINGS.libraries)
    assert [call.name for call in calls if guard_command._is_worse(call, found)] == ["b"]


def test_call_of_a_model_library_is_judged_with_the_same_release_only() -> None:
    kept = Figures(made_with=MAKINGS, instructions={"a": 1000})
    (found,) = judge(named("a", library="pydantic"), {"a": 2000}, kept, {**MAKINGS.libraries, "pydantic": "2.15.0"})
    assert (found.state, found.change, found.is_good) == ("other library", "+100.00 %", True)
    (found,) = judge(named("a", library="pydantic"), {"a": 2000}, kept, MAKINGS.libraries)
    assert found.state == "worse"


def test_committed_figures_are_of_these_calls() -> None:
    figures = read(ROOT / "bench" / "guard" / "figures.json")
    assert figures
    for key, each in figures.items():
        assert key == each.made_with.key
        assert each.instructions.keys() == {call.name for call in all_calls()}
        assert min(each.instructions.values()) > 20


def test_python_calls_of_a_call_are_counted_without_those_before() -> None:
    def inner() -> None:
        pass

    def call(n: int) -> None:
        for _ in range(n):
            inner()

    counted = GuardedCall(name="a", make=lambda: (call, 3), rounds=1, counts_python_calls=True)
    assert guard_command.count([counted]) == {"a": 4}


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.skipif(platform.machine() != CPU, reason=f"the figures are for {CPU}")
def test_count_repeats_and_a_call_that_got_worse_is_status_1(tmp_path: Path) -> None:
    from ssrjson_web import get_current_features

    if "avx2" not in get_current_features()["levels"]:
        pytest.skip("this CPU lacks the level")
    name, path = "dumps_to_bytes small/tiny", tmp_path / "figures.json"
    makings = Makings.of_this_process(get_current_features()["compiler"])
    write(path, {makings.key: Figures(made_with=makings, instructions={name: 1})})
    words = ("--figures", str(path), "--calls", name)
    worse = bench("guard", *words)
    assert worse.returncode == 1
    assert f"{name}  worse" in worse.stdout
    assert bench("guard", *words, "--update").returncode == 0
    again = bench("guard", *words)
    assert again.returncode == 0, again.stdout
    assert "no call takes over 2% more than committed" in again.stdout
