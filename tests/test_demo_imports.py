"""`make demo` installs the packages of its own extra only: the command line of the benchmarks needs no others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
WITHOUT_OTHERS = """
import runpy, sys

OTHERS = {"aiohttp", "django", "falcon", "flask", "locust", "marshmallow", "quart", "rest_framework", "sanic"}

class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name in OTHERS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refusing())
sys.argv = ["bench", "demo", "--help"]
runpy.run_module("bench", run_name="__main__")
"""


def test_command_line_of_the_demo_needs_no_other_framework() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_OTHERS], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "demo" in done.stdout
