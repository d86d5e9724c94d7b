"""The benchmark of typed decoding: what it compares is equal, and it prints a line for each case."""

from __future__ import annotations

import pytest

pytest.importorskip("msgspec", reason="msgspec is not installed")

from bench import types_cases
from bench.__main__ import main


def test_command_prints_a_line_for_each_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["types", "--rounds", "1"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("  ")[0] for line in lines[1:]] == list(types_cases.cases())
    assert all(line.endswith(" x") for line in lines[1:])


def test_results_that_differ_are_an_error() -> None:
    with pytest.raises(SystemExit, match="different values"):
        types_cases.check(types_cases.Case(lambda _: 1, lambda _: 2, b""))
    types_cases.check(types_cases.Case(lambda _: 1, lambda _: 1, b""))
