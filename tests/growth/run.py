"""Counts under callgrind, and what of them grows faster than the input."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.guard.callgrind import CPU, totals

ROOT = Path(__file__).parents[2]
LIMIT = 2.5
"""How many times more instructions twice the input may take: hash tables and arrays that grow are no smooth line."""

__all__ = ["CPU", "LIMIT", "counts_of", "too_fast"]


def counts_of(*patterns: str) -> dict[str, dict[int, int]]:
    """Name to instructions by how many times the smallest document. Raises RuntimeError where nothing was counted."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise RuntimeError("valgrind is not installed (apt install valgrind)")
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *(valgrind, "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/counts.%p"),
            *(sys.executable, "-m", "growth.counted", *patterns),
        ]
        variables = os.environ | {
            "SSRJSON_ISA": "avx2",
            "PYTHONPATH": f"{ROOT / 'tests'}:{ROOT}",
            "PYTHONHASHSEED": "0",
        }
        done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr[-2000:])
        found: dict[str, dict[int, int]] = {}
        for label, (count, *_) in totals(Path(folder)).items():
            name, _, times = label.rpartition("|")
            found.setdefault(name, {})[int(times)] = count
        return found


def too_fast(counts: dict[str, dict[int, int]]) -> Iterator[str]:
    """A line for each call that takes more than LIMIT times as many instructions for twice the input."""
    for name, by_times in counts.items():
        if by_times[4] > LIMIT * by_times[2] and by_times[4] > LIMIT**2 * by_times[1] * 0.8:
            yield f"{name}: {by_times[1]:,}, {by_times[2]:,} and {by_times[4]:,} instructions"
