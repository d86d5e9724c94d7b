"""CPython's own tests of json, where this Python carries them: results with ours equal those with stdlib's module."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from helpers.builds import IS_FREE_THREADED
from helpers.processes import run_python

PROGRAM = Path(__file__).with_name("cpython_suite.py")

# They hold that documents nested 100,000 deep are refused, which stdlib must and ours need not.
BETTER = {
    "test.test_json.test_recursion.TestCRecursion.test_highly_nested_objects_decoding",
    "test.test_json.test_recursion.TestCRecursion.test_highly_nested_objects_encoding",
}


def run_suite(subject: str, folder: Path) -> dict[str, Any]:
    snippet = f"""
        import runpy, sys
        sys.argv[1:] = [{subject!r}]
        runpy.run_path({str(PROGRAM)!r}, run_name="__main__")
    """
    done = run_python(snippet, folder)
    assert done.returncode == 0, done
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


def test_cpythons_own_tests_go_as_with_stdlibs_json(tmp_path: Path) -> None:
    try:
        importlib.import_module("test.test_json")
    except ImportError as error:
        pytest.skip(f"this Python came without its own tests: {error}")
    stock, ours = run_suite("stock", tmp_path), run_suite("ours", tmp_path)
    assert ours["calls"]["_core_dumps"] > 50
    assert ours["calls"]["_core_loads"] > 50
    assert len(ours["outcomes"]) > 50
    assert ours["outcomes"].keys() == stock["outcomes"].keys()
    changed = {test: said for test, said in ours["outcomes"].items() if said != stock["outcomes"][test]}
    if IS_FREE_THREADED:  # a list that a hook changes is written as it was when it was reached
        changed.pop("test.test_json.test_dump.TestCDump.test_encode_mutated", None)
    assert changed == dict.fromkeys(BETTER & changed.keys(), "AssertionError: RecursionError not raised")
