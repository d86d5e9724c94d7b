"""`make demo` installs the packages of its own extra only: the command line of the benchmarks needs no others."""

from __future__ import annotations

import re
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


def test_make_takes_an_installed_package_only_with_all_of_the_extra() -> None:
    makefile, pyproject = ((ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "pyproject.toml"))
    asked = makefile.partition("\nDEMO_IS_INSTALLED = ")[2].partition("\n\n")[0]
    extra = re.findall(
        r'^    "([\w-]+)(?:\[.*\])?(?:>=([\d.]+))?"', pyproject.partition("\ndemo = [")[2].partition("\n]")[0], re.M
    )
    assert {name for name, _ in extra} == set(re.findall(r"\w+", asked.partition("import ")[2].partition(";")[0]))
    (oldest,) = (version for _, version in extra if version)
    assert f">= ({oldest.replace('.', ', ')})" in asked
