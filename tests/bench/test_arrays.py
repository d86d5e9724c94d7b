"""The benchmark of arrays: what it compares is equal, and it prints a line for each array."""

from __future__ import annotations

import pytest

pytest.importorskip("nanoarrow", reason="nanoarrow is not installed")

from bench import arrays_command
from bench.__main__ import main


def test_arrays_command_prints_a_line_for_each_array(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arrays", "--rounds", "1", "--rows", "200"]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "not installed" not in line]
    assert [line.partition(", 0.")[0] for line in lines] == [name for name, _, _ in arrays_command.documents(200)]
    assert all("arrays" in line and "(x" in line for line in lines)


def test_values_that_differ_are_an_error() -> None:
    arrays_command.check(lambda: [1, None, "\u00e9"], {"right": '[1,null,"\u00e9"]'.encode()})
    for wrong in (b"[1,null]", b'[1,0,"\\u00e9"]', b"[]"):
        with pytest.raises(AssertionError, match="wrong"):
            arrays_command.check(lambda: [1, None, "\u00e9"], {"wrong": wrong})
