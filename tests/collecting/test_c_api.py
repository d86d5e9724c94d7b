"""Whether the table of CPython's API names what the core calls, with a kind for each function."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from collecting.hook import API, kinds_of_functions
from ssrjson_web import _core

NO_FUNCTION = re.compile(r"\w+_Type|PyExc_\w+|_Py_\w+Struct|_Py_ascii_whitespace|_PyByteArray_empty_string")
"""Objects of the API that are no functions."""


def called_functions() -> set[str]:
    nm = shutil.which("nm") or shutil.which("llvm-nm-19") or shutil.which("llvm-nm")
    if nm is None:
        pytest.skip("neither nm nor llvm-nm is installed")
    listed = subprocess.run([nm, "-D", "-u", _core.__file__], capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1].partition("@")[0] for line in listed.splitlines()}
    return {name for name in names if re.match("_?Py", name) and not NO_FUNCTION.fullmatch(name)}


def test_table_has_each_function_that_the_core_calls() -> None:
    missing = called_functions() - kinds_of_functions().keys()
    assert not missing, f"say in {API.name} what these may run: {sorted(missing)}"


def test_table_names_each_function_once() -> None:
    names = [name for line in API.read_text("utf-8").splitlines() if line[:1] != "#" for name in line.split()[1:]]
    assert [name for name, n in Counter(names).items() if n > 1] == []


def test_kinds_are_those_that_the_table_and_the_readme_explain() -> None:
    explained = set(re.findall(r"^# (\w+)  +", API.read_text("utf-8"), re.MULTILINE))
    assert set(kinds_of_functions().values()) == explained
    readme = (Path(API).parents[1] / "README.md").read_text("utf-8")
    assert [kind for kind in explained if f"`{kind}`" not in readme] == []
