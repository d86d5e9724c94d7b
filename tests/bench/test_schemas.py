"""The benchmark of schemas: what it compares is equal, and it prints a line for each case."""

from __future__ import annotations

import pytest

pytest.importorskip("flask", reason="Flask is not installed")
pytest.importorskip("marshmallow", reason="marshmallow is not installed")

from marshmallow import Schema

from bench import schemas_cases
from bench.__main__ import main
from ssrjson_web.marshmallow import disabled


def test_command_prints_a_line_for_each_case_and_takes_setup_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schemas", "--rounds", "1"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("  ")[0] for line in lines[1:]] == list(schemas_cases.cases())
    assert all(line.endswith(" x") for line in lines[1:])
    assert not hasattr(Schema._serialize, "__wrapped__")


def test_results_that_differ_are_an_error() -> None:
    calls: list[int] = []

    def differing() -> int:
        calls.append(1)
        return len(calls)

    with pytest.raises(SystemExit, match="different values"):
        schemas_cases.check(differing)
    with disabled():
        schemas_cases.check(lambda: 1)
