"""What `make test-allocations` notices; tests/core/test_memory_error.py makes its calls."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("_testcapi", reason="this interpreter was built without the hook that makes allocation fail")

from allocations.__main__ import LOST, Check, CPythonsOwn, run_apart
from allocations.calls import calls
from ssrjson_web import _core

NAMES = list(calls())
LEVELS = _core.get_current_features()["levels"]


def test_calls_are_three_hundred_at_least() -> None:
    assert len(NAMES) >= 300


def test_wrong_outcome_after_a_failure_is_noticed() -> None:
    def call() -> Any:
        try:
            return [object() for _ in range(3)] and "right"
        except MemoryError:
            return "wrong"

    with pytest.raises(AssertionError, match=r"allocation .*wrong"):
        Check(call, CPythonsOwn()).run()


def test_block_that_is_left_after_a_failure_is_noticed() -> None:
    kept: list[Any] = [None] * 100_000
    n_kept = 0

    def call() -> Any:
        nonlocal n_kept
        held = [object() for _ in range(20)]
        try:
            return len(bytearray(300))
        except MemoryError:
            kept[n_kept] = held
            n_kept += 1
            raise

    with pytest.raises(AssertionError, match="blocks are left"):
        Check(call, CPythonsOwn()).run()


def test_error_that_an_extension_forgets_is_noticed() -> None:
    def call() -> Any:
        try:
            return bytearray(300)
        except MemoryError:
            raise SystemError("returned NULL without setting an exception") from None

    for what in ("<built-in function dumps>", "<method 'encode' of 'Encoder' objects>"):
        assert LOST.fullmatch(f"{what} returned NULL without setting an exception") is None
    with pytest.raises(SystemError, match="returned NULL"):
        Check(call, CPythonsOwn()).run()


def test_call_that_fails_by_itself_is_named_and_the_others_run() -> None:
    results = run_apart(["no such call", NAMES[0]], LEVELS[0], None)
    assert isinstance(results[NAMES[0]], int)
    assert "KeyError" in results["no such call"]
