"""The check of ssrjson_web.orjson itself: it passes, and finds what another module would do wrong."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("orjson", reason="orjson is not installed: nothing to compare with")

import orjson as theirs
from check_orjson import run
from check_orjson.parity import assert_dumps_alike
from helpers.processes import assert_stops_by_ctrl_c

pytestmark = pytest.mark.skipif(
    theirs.__version__ != run.ours.__version__, reason="another orjson than the one that is followed"
)


@pytest.mark.parametrize("option", run.ALL_MASKS)
def test_random_trees_are_written_as_orjson_does(isa: str, option: int) -> None:
    assert run.check(option, 400, 20261123) == 400


def test_trees_depend_on_the_seed_alone() -> None:
    ours, again, other = (run.trees_for(0, seed) for seed in ("1", "1", "2"))
    assert [repr(ours.tree()) for _ in range(50)] == [repr(again.tree()) for _ in range(50)]
    assert [repr(other.tree()) for _ in range(50)] != [repr(ours.tree()) for _ in range(50)]


def test_difference_is_found() -> None:
    class Wrong:
        @staticmethod
        def dumps(value: Any, **options: Any) -> bytes:
            written: bytes = theirs.dumps(value, **options)
            return written.replace(b"1.5", b"1.50")

    with pytest.raises(AssertionError):
        assert_dumps_alike(Wrong, [1.5], 0)


def test_command_counts_and_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--count", "20"]) == 0
    assert "240 trees with 12 options (seed 1): written as orjson" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        run.main(["--count", "0"])


def test_command_stops_by_ctrl_c() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(run.__file__).parents[1])}
    assert_stops_by_ctrl_c([sys.executable, "-m", "check_orjson"], environment)
