"""The module as a replacement of orjson: its names, values and signatures."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from typing import Any

import pytest

from ssrjson_web import orjson as ours

theirs: Any = pytest.importorskip("orjson", reason="orjson is not installed: nothing to compare with")
NAMES = sorted(theirs.__all__)


def test_names_are_orjsons() -> None:
    assert sorted(ours.__all__) == NAMES
    assert all(hasattr(ours, name) for name in NAMES)


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("OPT_")])
def test_flag_has_orjsons_value(name: str) -> None:
    assert getattr(ours, name) == getattr(theirs, name)


@pytest.mark.parametrize("name", ["dumps", "loads"])
def test_function_has_orjsons_signature_and_name(name: str) -> None:
    own, their = getattr(ours, name), getattr(theirs, name)
    assert inspect.signature(own) == inspect.signature(their)
    assert (own.__name__, own.__module__) == (name, "ssrjson_web.orjson")
    assert type(own) is type(their)


def test_errors_are_of_the_classes_that_users_catch() -> None:
    assert ours.JSONEncodeError is theirs.JSONEncodeError is TypeError
    assert issubclass(ours.JSONDecodeError, json.JSONDecodeError)
    assert issubclass(ours.JSONDecodeError, ValueError)


def test_module_may_stand_in_for_orjson() -> None:
    code = (
        "import sys; from ssrjson_web import orjson; sys.modules['orjson'] = orjson\n"
        "import orjson as taken; from orjson import dumps, OPT_INDENT_2\n"
        "print(taken.loads(dumps({'a': 1}, option=OPT_INDENT_2)), 'ssrjson_web.json' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "{'a': 1} False\n"
