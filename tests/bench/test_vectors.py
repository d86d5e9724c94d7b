"""The benchmark of vectors: what it compares is equal, and it prints a line for each document."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy", reason="numpy is not installed")

import numpy as np

from bench import vectors_command
from bench.__main__ import main


def test_vectors_command_prints_a_line_for_each_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", "--rounds", "1", "--vectors", "3"]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "not installed" not in line]
    assert [line.partition(", 0.")[0] for line in lines] == [*vectors_command.documents(1)]
    assert all("number_arrays" in line and "(x" in line for line in lines)


def test_arrays_that_differ_are_an_error() -> None:
    text, parts = vectors_command.documents(2)["a matrix of ints"]
    right = [np.array(part) for part in parts(vectors_command.json.loads(text))]
    vectors_command.check(text, parts, {"right": right})
    for wrong in ([right[0] + 1], [right[0].astype(float)], [right[0][:1]], [], [right[0].tolist()]):
        with pytest.raises(AssertionError):
            vectors_command.check(text, parts, {"wrong": wrong})
