"""The benchmark of pauses: it compares the bodies, and prints a line for each class."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from bench import pauses_command
from bench.__main__ import main


def test_pauses_command_prints_a_line_for_each_class(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pauses", "--rounds", "1", "--megabytes", "1"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines[1:]] == [*pauses_command.response_classes(2)]
    assert all("longest pause" in line for line in lines[1:])


def test_answers_that_differ_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong_classes(slice_ms: float) -> dict[str, Any]:
        from starlette.responses import JSONResponse

        return {"JSONResponse": lambda rows: JSONResponse(rows[1:])}

    monkeypatch.setattr(pauses_command, "response_classes", wrong_classes)
    with pytest.raises(AssertionError):
        main(["pauses", "--rounds", "1", "--megabytes", "0.01"])
