"""What the commands of all checks promise: small runs pass, faults are found, Ctrl-C and wrong arguments end them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from helpers.processes import assert_stops_by_ctrl_c

from ssrjson_web import _core
from ssrjson_web import orjson as ours

FOLDER = Path(__file__).parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(FOLDER)}
LEVEL = _core.get_current_features()["levels"][-1]
CHECKS = {
    "floats": ("ssrjson_web", f"--count 3000 --seed 9 --levels {LEVEL}", f"(seed 9) at {LEVEL} in"),
    "orjson": ("orjson", "--count 20", "240 trees with 12 options (seed 1): written as orjson"),
    "models": ("pydantic", "--minutes 0.05 --values 5 --seed 7", ": as pydantic does\n"),
    "marshmallow": ("marshmallow", "--minutes 0.03 --values 5 --seed 7", ": as marshmallow does\n"),
    "serializers": ("rest_framework", "--cases 1500 --seed 7", "no difference so far, seeds 7 to "),
}
"""The library of each check, the arguments of a small run, and what that says."""
WRONG = {
    "floats": "--levels abacus, --count 0, --processes none, extra",
    "orjson": "--count 0, extra",
    "models": "--minutes 0, --minutes x, --values a, extra",
    "marshmallow": "--minutes 0, --minutes x, --values a, extra",
    "serializers": "--minutes 0, --minutes x, --steps a, extra",
}


def marked(name: str, *arguments: str, is_quick: bool) -> Any:
    """A case; `make test` runs those that are quick."""
    return pytest.param(name, *arguments, marks=() if is_quick else pytest.mark.full)


@pytest.fixture
def command(name: str) -> list[str]:
    if find_spec(CHECKS[name][0]) is None:
        pytest.skip(f"{CHECKS[name][0]} is not installed")
    if name == "orjson" and version("orjson") != ours.__version__:
        pytest.skip("another orjson than the one that is followed")
    return [sys.executable, *((f"{FOLDER}/check_floats.py",) if name == "floats" else ("-m", f"check_{name}"))]


def run(command: list[str], arguments: str) -> subprocess.CompletedProcess[str]:
    words = [*command, *arguments.split()]
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, env=ENVIRONMENT)


@pytest.mark.parametrize("name", [marked(name, is_quick=name in ("marshmallow", "serializers")) for name in CHECKS])
def test_small_run_passes_and_counts(command: list[str], name: str) -> None:
    done = run(command, CHECKS[name][1])
    assert done.returncode == 0, done.stdout + done.stderr
    assert name == "serializers" or done.stderr == ""  # which says there how far it is
    assert CHECKS[name][2] in done.stdout


@pytest.mark.parametrize(
    ("name", "arguments"),
    [marked(name, one, is_quick=name == "marshmallow") for name, all in WRONG.items() for one in all.split(", ")],
)
def test_wrong_arguments_are_refused(command: list[str], name: str, arguments: str) -> None:
    done = run(command, arguments)
    assert done.returncode == 2
    program = "tests/check_floats.py" if name == "floats" else f"-m check_{name}"
    assert done.stderr.startswith(f"python {program}: error: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", [marked(name, is_quick=name == "marshmallow") for name in CHECKS])
def test_interrupted_run_says_so(command: list[str], name: str) -> None:
    assert_stops_by_ctrl_c([*command, *(["--stock"] if name == "serializers" else [])], ENVIRONMENT)


def spaced(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Writes a space too many."""

    def changed(*arguments: Any) -> Any:
        body = stock(*arguments)
        return None if body is None else body + b" "

    return changed


def reversed_keys(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Makes dicts with their keys in another order."""

    def changed(*arguments: Any) -> Any:
        made = stock(*arguments)
        return dict(reversed(made.items())) if isinstance(made, dict) else made

    return changed


@pytest.mark.parametrize(
    ("name", "place", "change"),
    [
        marked("models", "_models.adapter.AdapterEncoder.encode_unvalidated", spaced, is_quick=False),
        marked("marshmallow", "marshmallow._reading.ReadPlan.read", reversed_keys, is_quick=True),
        marked("marshmallow", "marshmallow._loading.LoadPlan.load", reversed_keys, is_quick=True),
    ],
)
def test_planted_fault_is_found(
    name: str, place: str, change: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """That of random serializers is in test_check_serializers.py: it needs a process of its own."""
    run = pytest.importorskip(f"check_{name}.run", reason="the library is not installed")
    plans = pytest.importorskip("ssrjson_web.marshmallow._plans") if name == "marshmallow" else None
    if plans:
        monkeypatch.setattr(plans, "FEW_ITEMS", plans.FEW_ITEMS)  # the check changes it
    module, cls, method = place.rsplit(".", 2)
    owner = getattr(import_module(f"ssrjson_web.{module}"), cls)
    monkeypatch.setattr(owner, method, change(getattr(owner, method)))
    try:
        assert run.main(["--minutes", "1", "--seed", "3"]) == 1
    finally:
        if plans:
            import_module("ssrjson_web.marshmallow").teardown()
    output = capsys.readouterr()
    assert output.out.startswith("differs: --seed ")
    assert "AssertionError" in output.err


@pytest.mark.full
def test_case_ends_before_ctrl_c_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    """pydantic makes an error of a KeyboardInterrupt in Python code that it calls: no difference from our text."""
    run = pytest.importorskip("check_models.run", reason="pydantic is not installed")
    ended: list[int] = []

    def interrupted_seed(seed: int, n_values: int, counts: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        ended.append(seed)

    monkeypatch.setattr(run, "check_seed", interrupted_seed)
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run.main(["--minutes", "1", "--seed", "3"])
    assert ended == [3]
    assert signal.getsignal(signal.SIGINT) is handler
