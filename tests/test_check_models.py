"""The check of random models itself: it passes on this core, and finds what another core would do wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed")

from check_models import run
from helpers.processes import assert_stops_by_ctrl_c

from ssrjson_web._models.adapter import AdapterEncoder

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(run.__file__).parents[1])}
COMMAND = [sys.executable, "-m", "check_models"]


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=120, env=ENVIRONMENT)


def test_small_run_passes_and_counts() -> None:
    done = run_command("--minutes", "0.05", "--values", "5", "--seed", "7")
    assert (done.returncode, done.stderr) == (0, "")
    assert "texts and" in done.stdout
    assert done.stdout.endswith(": as pydantic does\n")


def test_other_text_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    stock = AdapterEncoder.encode_unvalidated

    def spaced(self: AdapterEncoder, value: object) -> bytes | None:
        body = stock(self, value)
        return None if body is None else body + b" "

    monkeypatch.setattr(AdapterEncoder, "encode_unvalidated", spaced)
    assert run.main(["--minutes", "1", "--seed", "3"]) == 1
    output = capsys.readouterr()
    assert output.out.startswith("differs: --seed ")
    assert "AssertionError" in output.err


@pytest.mark.parametrize("arguments", [["--minutes", "0"], ["--minutes", "x"], ["--values", "a"], ["extra"]])
def test_wrong_arguments_are_refused(arguments: list[str]) -> None:
    done = run_command(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("python -m check_models: error: ")
    assert len(done.stderr.splitlines()) == 1


def test_interrupted_run_says_so() -> None:
    assert_stops_by_ctrl_c(COMMAND, ENVIRONMENT)


def test_case_ends_before_ctrl_c_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    """pydantic makes an error of a KeyboardInterrupt in Python code that it calls: no difference from our text."""
    ended: list[int] = []

    def interrupted_seed(seed: int, n_values: int, counts: run.Counts) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        ended.append(seed)

    monkeypatch.setattr(run, "check_seed", interrupted_seed)
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run.main(["--minutes", "1", "--seed", "3"])
    assert ended == [3]
    assert signal.getsignal(signal.SIGINT) is handler
