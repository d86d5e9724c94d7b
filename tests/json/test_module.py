"""The module as a replacement of json: its names and signatures; stdlib's own module is unchanged."""

from __future__ import annotations

import importlib
import inspect
import json as theirs
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.processes import run_python

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


# Names of stdlib's modules about which has been decided: the core looks at none of them, and the module's docstring
# says so. A name that a Python adds is to be looked at before it goes here.
KNOWN_NAMES = {
    "json": {"codecs", "_default_decoder", "_default_encoder", "__version__", "__author__", "__path__", "__getattr__"}
    | {"decoder", "detect_encoding", "encoder", "scanner", "tool", *theirs.__all__},
    "json.encoder": {"ESCAPE", "ESCAPE_ASCII", "ESCAPE_DCT", "HAS_UTF8", "INFINITY", "JSONEncoder", "_make_iterencode"}
    | {"c_encode_basestring", "c_encode_basestring_ascii", "c_make_encoder", "encode_basestring", "i", "re"}
    | {"encode_basestring_ascii", "py_encode_basestring", "py_encode_basestring_ascii"},
    "json.decoder": {"BACKSLASH", "FLAGS", "JSONArray", "JSONDecodeError", "JSONDecoder", "JSONObject", "NaN", "NegInf"}
    | {"PosInf", "STRINGCHUNK", "WHITESPACE", "WHITESPACE_STR", "HEXDIGITS", "_CONSTANTS", "_decode_uXXXX", "re"}
    | {"c_scanstring", "py_scanstring", "scanner", "scanstring"},
    "json.scanner": {"NUMBER_RE", "c_make_scanner", "make_scanner", "py_make_scanner", "re"},
}
KNOWN_ATTRIBUTES = {
    "JSONEncoder": {"default", "encode", "item_separator", "iterencode", "key_separator"}
    | {"allow_nan", "check_circular", "ensure_ascii", "indent", "skipkeys", "sort_keys"},
    "JSONDecoder": {"decode", "raw_decode", "memo", "object_hook", "object_pairs_hook", "parse_array", "parse_constant"}
    | {"parse_float", "parse_int", "parse_object", "parse_string", "scan_once", "strict", "array_hook"},
}


@pytest.mark.parametrize("name", KNOWN_NAMES)
def test_no_name_of_stdlibs_modules_is_undecided(name: str) -> None:
    module = importlib.import_module(name)
    of_all_modules = set(dir(importlib.import_module("csv"))) & {name for name in dir(module) if name[:2] == "__"}
    of_all_modules.add("__warningregistry__")  # Python makes it at the first warning
    assert set(dir(module)) - of_all_modules - KNOWN_NAMES[name] == set()


@pytest.mark.parametrize("name", KNOWN_ATTRIBUTES)
def test_no_attribute_of_stdlibs_classes_is_undecided(name: str) -> None:
    got = dir(getattr(theirs, name)()) + dir(getattr(ours, name)())
    assert {each for each in got if each[:2] != "__"} - KNOWN_ATTRIBUTES[name] == set()


def test_parameters_of_stdlibs_encoder_in_python_are_those_that_are_given() -> None:
    names = list(inspect.signature(theirs.encoder._make_iterencode).parameters)  # type: ignore[attr-defined]
    assert names[:5] == ["markers", "_default", "_encoder", "_indent", "_floatstr"]
    assert names[5:10] == ["_key_separator", "_item_separator", "_sort_keys", "_skipkeys", "_one_shot"]


def test_each_name_of_stdlibs_module_can_be_read() -> None:
    for name in {*dir(theirs), "__version__"}:
        assert hasattr(ours, name) == (
            hasattr(theirs, name) and name not in {"__path__", "__getattr__"}
        ) or name in dir(ours)
    assert ours._default_decoder is theirs._default_decoder  # type: ignore[attr-defined]
    assert ours.codecs is theirs.codecs  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"module 'ssrjson_web.json' has no attribute 'dumpz'"):
        ours.dumpz  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes before Python 3.11")
def test_option_of_the_core_alone_is_named_in_a_note() -> None:
    def notes(call: Callable[[], Any]) -> list[str]:
        with pytest.raises(TypeError) as raised:
            call()
        return getattr(raised.value, "__notes__", [])

    class Other(theirs.JSONDecoder):
        pass

    tail = "ssrjson_web.json has those of json alone"
    loads: Any = ours.loads
    dumps: Any = ours.dumps
    assert notes(lambda: loads("1", type=int)) == [f"ssrjson_web.loads has the option type; {tail}"]
    assert notes(lambda: dumps(1, canonical=True, indent=2)) == [f"ssrjson_web.dumps has the option canonical; {tail}"]
    for call in (
        lambda: loads("1", wrong=1, strict=False),
        lambda: loads("1", cls=Other, type=int),
        lambda: loads(5, object_hook=dict),
        lambda: dumps(1, wrong=1, indent=2),
        lambda: dumps({1}, sort_keys=True),
    ):
        assert all(tail not in note for note in notes(call))
