"""type=: random types and documents, beside what msgspec makes of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from helpers.processes import run_python
from helpers.structs import HAS_MSGSPEC

from ssrjson_web import _core

SNIPPET = """
from helpers.typed_beside_msgspec import compare
from ssrjson_web import _core

_core._use_level({level!r})
n_types, n_documents, n_values, differences = compare({seed}, {n_types})
assert not differences, "\\n".join(differences)
assert n_types > {n_types} / 2
assert n_documents / 8 < n_values < n_documents
"""
TYPES_OF_A_PROCESS = 100
"""msgspec 0.22 crashes by itself after some thousands."""
N_SEEDS = 40 if os.environ.get("SSRJSON_TEST_PROFILE") == "thorough" else 2


@pytest.mark.skipif(not HAS_MSGSPEC, reason="msgspec is not installed")
@pytest.mark.parametrize("seed", range(N_SEEDS))
def test_random_types_make_what_msgspec_makes(seed: int, tmp_path: Path) -> None:
    levels = _core.get_current_features()["levels"]
    snippet = SNIPPET.format(level=levels[seed % len(levels)], seed=seed, n_types=TYPES_OF_A_PROCESS)
    done = run_python(snippet, tmp_path, PYTHONPATH=str(Path(__file__).parents[2]))
    assert done.returncode == 0, done.stderr[-4000:]
