"""The module as a replacement of json: its names and signatures; stdlib's own module is unchanged."""

from __future__ import annotations

import inspect
import json as theirs
from pathlib import Path

import pytest
from helpers.child_interpreter import run_python

from ssrjson_web import json as ours


def test_public_names_are_stdlibs() -> None:
    assert ours.__all__ == theirs.__all__
    assert [name for name in theirs.__all__ if not hasattr(ours, name)] == []
    for name in ("JSONDecodeError", "detect_encoding", "decoder", "encoder", "scanner"):
        assert getattr(ours, name) is getattr(theirs, name)


@pytest.mark.parametrize("name", ["dump", "dumps", "load", "loads", "JSONEncoder", "JSONDecoder"])
def test_signatures_are_stdlibs(name: str) -> None:
    got, expected = inspect.signature(getattr(ours, name)), inspect.signature(getattr(theirs, name))
    assert list(got.parameters.items()) == list(expected.parameters.items())
    assert inspect.getdoc(getattr(ours, name)) != inspect.getdoc(getattr(theirs, name))


def test_star_import_gives_stdlibs_names(tmp_path: Path) -> None:
    snippet = """
        import json
        expected = set(json.__all__)
        from ssrjson_web.json import *
        print(sorted(expected - set(dir())), dumps([1, "é"]), isinstance(JSONEncoder(), json.JSONEncoder))
    """
    assert run_python(snippet, tmp_path).stdout == '[] [1, "\\u00e9"] True\n'


def test_package_alone_does_not_import_it_and_stdlibs_json_stays_stdlibs(tmp_path: Path) -> None:
    snippet = """
        import sys
        import ssrjson_web
        print("ssrjson_web.json" in sys.modules)
        from ssrjson_web import json as ours
        import json
        print(json is ours, json.__name__, ours.__name__, json.dumps.__module__, ours.dumps.__module__)
    """
    assert run_python(snippet, tmp_path).stdout == "False\nFalse json ssrjson_web.json json ssrjson_web.json\n"
