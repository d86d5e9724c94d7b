"""The check of random schemas itself: it passes, and finds what another core would do wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("marshmallow", reason="marshmallow is not installed")

from check_marshmallow import run
from helpers.processes import assert_stops_by_ctrl_c

from ssrjson_web.marshmallow import _plans, teardown
from ssrjson_web.marshmallow._loading import LoadPlan
from ssrjson_web.marshmallow._reading import ReadPlan

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(run.__file__).parents[1])}
COMMAND = [sys.executable, "-m", "check_marshmallow"]


@pytest.fixture
def _taken_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(_plans, "FEW_ITEMS", _plans.FEW_ITEMS)
    yield
    teardown()


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=120, env=ENVIRONMENT)


def test_small_run_passes_and_counts() -> None:
    done = run_command("--minutes", "0.03", "--values", "5", "--seed", "7")
    assert (done.returncode, done.stderr) == (0, "")
    assert "dumps and" in done.stdout
    assert done.stdout.endswith(": as marshmallow does\n")


@pytest.mark.usefixtures("_taken_back")
@pytest.mark.parametrize(("cls", "method"), [(ReadPlan, "read"), (LoadPlan, "load")])
def test_other_result_is_found(
    cls: type, method: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stock = getattr(cls, method)

    def changed(self: Any, *arguments: Any) -> Any:
        made = stock(self, *arguments)
        return dict(reversed(made.items())) if isinstance(made, dict) else made

    monkeypatch.setattr(cls, method, changed)
    assert run.main(["--minutes", "1", "--seed", "3"]) == 1
    output = capsys.readouterr()
    assert output.out.startswith("differs: --seed ")
    assert "AssertionError" in output.err


@pytest.mark.parametrize("arguments", [["--minutes", "0"], ["--minutes", "x"], ["--values", "a"], ["extra"]])
def test_wrong_arguments_are_refused(arguments: list[str]) -> None:
    done = run_command(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("python -m check_marshmallow: error: ")
    assert len(done.stderr.splitlines()) == 1


def test_interrupted_run_says_so() -> None:
    assert_stops_by_ctrl_c(COMMAND, ENVIRONMENT)
