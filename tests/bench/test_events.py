"""The benchmark of events: what it compares is equal, and it prints a line for each case."""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed")
pytest.importorskip("starlette", reason="Starlette is not installed")

from bench import events_command
from bench.__main__ import main


@pytest.mark.parametrize("language", events_command.TOKENS)
def test_events_of_both_rivals_are_equal(language: str) -> None:
    events_command.check(language)
    assert {len(chunk.choices) for chunk in events_command.chunks_of(language, 20)} == {1}


def test_events_that_differ_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_command, "ours", lambda chunk: b"data: {}\n\n")
    with pytest.raises(AssertionError):
        events_command.check("English")


def test_events_command_prints_a_line_for_each_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["events", "--rounds", "2", "--chunks", "20"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3 * len(events_command.TOKENS)
    assert all(" us, " in line and "x" in line for line in lines)
