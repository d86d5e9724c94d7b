"""Whatever the code of REST framework's fields reads may be replaced, at any moment: ours does then as stock."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "helpers" / "rest_patches.py"
MOMENTS = ("before our import", "before the first use", "after the first use", "after three uses")
N_PARTS = 48
"""Of all patches, of which `make test` tries one."""
PARTS = range(12) if os.environ.get("SSRJSON_TEST_PROFILE") == "thorough" else range(2)
"""Of twelve, for `make test-full`; all of them take a quarter of an hour, with SSRJSON_TEST_PROFILE=thorough."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="each patch is made in a process that is forked")


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize(
    ("part", "n_parts"), [(0, N_PARTS), *(pytest.param(part, 12, marks=pytest.mark.full) for part in PARTS)]
)
def test_ours_does_as_stock_with_a_patch(moment: str, part: int, n_parts: int, tmp_path: Path) -> None:
    program = [sys.executable, str(PROGRAM), moment, str(part), str(n_parts)]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    *differences, numbers = done.stdout.splitlines() or [""]
    assert (differences, done.stderr, done.returncode) == ([], "", 0)
    n_tried, n_with_effect = map(int, numbers.split())
    assert n_with_effect > n_tried / 20, "the patches have hardly any effect"
