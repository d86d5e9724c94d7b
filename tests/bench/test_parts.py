"""The benchmark of parts: what it compares is equal, and it prints a line for each question."""

from __future__ import annotations

import json

import pytest

from bench import parts_command
from bench.__main__ import main


def test_parts_command_prints_a_line_for_each_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parts", "--rounds", "1"]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "not installed" not in line]
    assert lines
    questions = [(name, "nothing") for name in parts_command.documents()]
    questions += [(name, "two fields") for name in parts_command.documents() if name in parts_command.FIELDS]
    assert sorted((line.split(", ")[0], line.split(", ")[2].split(":")[0]) for line in lines) == sorted(questions)
    assert all(" GB/s; loads x" in line for line in lines)


def test_parts_that_differ_are_an_error() -> None:
    text = parts_command.documents()["rows"]
    only, parts_of = parts_command.FIELDS["rows"]
    parts = parts_of(json.loads(text))
    parts_command.check(text, only, parts)
    for wrong in ({}, {**parts, "total": 2}, {"rows": parts["rows"][:-1], "total": 1}):
        with pytest.raises(AssertionError):
            parts_command.check(text, only, wrong)
