"""get_current_features, and the choice of the instruction-set level."""

from __future__ import annotations

import platform
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

import pytest
from helpers.processes import run_python

from ssrjson_web import _core

NAMES = ("portable", "sse4.2", "avx2", "avx512", "neon")  # from the lowest up on each architecture
IN_A_SUBINTERPRETER = """
import collections, dataclasses, datetime, enum, gc, pathlib, types, uuid
import ssrjson_web
assert ssrjson_web.loads(ssrjson_web.dumps_to_bytes(["中"])) == ["中"]
Colour = enum.Enum("Colour", {"RED": 5})
Model = dataclasses.make_dataclass("Model", ["x", "y"])
moment = datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
value = [Colour.RED, Model(1, {2}), moment, moment.date(), datetime.timedelta(1), uuid.UUID(int=1), b"a",
         pathlib.PurePosixPath("p"), collections.deque([3]), types.MappingProxyType({"k": moment.timetz()})]
expected = '[5,{"x":1,"y":[2]},"2026-01-02T00:00:00+01:00","2026-01-02","P1D","' + str(uuid.UUID(int=1))
expected += '","a","p",[3],{"k":"00:00:00+01:00"}]'
for _ in range(3):
    encoder = ssrjson_web.Encoder(natives=True)
    assert encoder.encode_str(value) == expected, encoder.encode_str(value)
    assert b"".join(encoder.iterencode(value, 1)).decode() == expected
    half = encoder.iterencode([value, [value]], 1)
    next(half), next(half)
    gc.collect()
for wrong in {1: {(): 2}}, [object()]:
    try:
        encoder.encode(wrong)
    except ssrjson_web.JSONEncodeTypeError:
        pass
    else:
        raise AssertionError(wrong)
"""
LEVELS = _core.get_current_features()["levels"]
REPORT = "from ssrjson_web import get_current_features, dumps; print(get_current_features()['level'], dumps(['é']))"


def test_features_have_their_names_and_types() -> None:
    types = {
        "version": str,
        "compiler": str,
        "level": str,
        "levels": list,
        "write_utf8_cache": bool,
        "free_threading": bool,
        "known_layouts": bool,
    }
    features = _core.get_current_features()
    assert {name: type(value) for name, value in features.items()} == types


def test_features_tell_the_version_of_the_distribution() -> None:
    assert _core.get_current_features()["version"] == _core.__version__ == metadata.version("ssrjson_web")


def test_features_tell_the_compiler() -> None:
    assert "clang" in _core.get_current_features()["compiler"].lower()


def test_layouts_of_this_interpreter_are_known() -> None:
    assert _core.get_current_features()["known_layouts"] is True


def test_unknown_layouts_leave_the_portable_level(tmp_path: Path) -> None:
    script = """
import dataclasses, decimal, sys
from types import SimpleNamespace
from ssrjson_web import dumps_to_bytes, get_current_features, loads, scan_utf8_cache

class Holder:
    def __init__(self, text):
        self.text = text

@dataclasses.dataclass
class Row:
    name: str

features = get_current_features()
print(features["levels"], features["level"], features["known_layouts"])
print(dumps_to_bytes([{"a": 1, "b": [2**64, -2**63]}, decimal.Decimal("1.50"), Row("x")], natives=True).decode())
print(loads('[{"a": 1, "b": 2}, {"a": 3, "b": 12345678901}]'))
text = "\u00e9" * 10
text.encode()
print(scan_utf8_cache([Holder(text), {"k": text}])["strings"] > 0)
"""
    ran = run_python(script, tmp_path, SSRJSON_LAYOUTS="unknown")
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == [
        "['portable'] portable False",
        '[{"a":1,"b":[18446744073709551616,-9223372036854775808]},1.50,{"name":"x"}]',
        "[{'a': 1, 'b': 2}, {'a': 3, 'b': 12345678901}]",
        "True",
    ]
    refused = run_python("import ssrjson_web", tmp_path, SSRJSON_LAYOUTS="unknown", SSRJSON_ISA=LEVELS[-1])
    if LEVELS[-1] != "portable":
        assert "is not usable in this interpreter, whose object layouts" in refused.stderr


def test_features_tell_whether_the_interpreter_is_free_threaded() -> None:
    expected = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    assert _core.get_current_features()["free_threading"] is expected


def test_features_are_a_new_dict_each_time() -> None:
    features = _core.get_current_features()
    features["levels"].clear()
    features["level"] = "none"
    assert _core.get_current_features()["levels"] == LEVELS
    assert _core.get_current_features()["level"] in LEVELS


def test_levels_of_this_cpu_are_known_and_end_in_the_best() -> None:
    assert set(LEVELS) <= set(NAMES)
    assert sorted(LEVELS, key=NAMES.index) == LEVELS
    assert "portable" in LEVELS
    assert ("neon" in LEVELS) == (platform.machine().lower() in ("aarch64", "arm64"))


def test_level_of_a_new_process_is_the_best_one(tmp_path: Path) -> None:
    done = run_python(REPORT, tmp_path)
    assert done.stdout.split() == [LEVELS[-1], '["é"]'], done


@pytest.mark.parametrize("level", LEVELS)
def test_level_is_the_one_that_the_environment_names(level: str, tmp_path: Path) -> None:
    done = run_python(REPORT, tmp_path, SSRJSON_ISA=level)
    assert done.stdout.split() == [level, '["é"]'], done


def test_level_by_an_empty_environment_variable_is_the_best_one(tmp_path: Path) -> None:
    done = run_python(REPORT, tmp_path, SSRJSON_ISA="")
    assert done.stdout.split() == [LEVELS[-1], '["é"]'], done


@pytest.mark.parametrize("name", ["avx3", "AVX2", "portable ", "sse", "é"])
def test_level_of_an_unknown_name_is_an_import_error_that_lists_the_names(name: str, tmp_path: Path) -> None:
    done = run_python("import ssrjson_web", tmp_path, SSRJSON_ISA=name)
    last_line = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1
    assert last_line.startswith("ImportError: "), done.stderr
    assert "SSRJSON_ISA" in last_line
    assert all(level in last_line for level in LEVELS), last_line


@pytest.mark.parametrize("name", [name for name in NAMES if name not in LEVELS])
def test_level_that_this_cpu_lacks_is_an_import_error_that_names_it(name: str, tmp_path: Path) -> None:
    done = run_python("import ssrjson_web", tmp_path, SSRJSON_ISA=name)
    last_line = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1
    assert last_line.startswith("ImportError: "), done.stderr
    assert name in last_line
    assert "SSRJSON_ISA" in last_line


def test_use_level_returns_the_previous_one() -> None:
    before = _core.get_current_features()["level"]
    for level in LEVELS:
        previous = _core._use_level(level)
        assert _core.get_current_features()["level"] == level
        assert _core._use_level(previous) == level
    assert _core.get_current_features()["level"] == before


def test_use_level_of_an_unknown_name_raises_and_changes_nothing() -> None:
    before = _core.get_current_features()["level"]
    for name in ("avx3", "", "AVX2", *(name for name in NAMES if name not in LEVELS)):
        with pytest.raises(ValueError, match="usable"):
            _core._use_level(name)
    for odd in (None, 2, b"avx2"):
        with pytest.raises(TypeError):
            _core._use_level(odd)  # type: ignore[arg-type]
    assert _core.get_current_features()["level"] == before


def test_module_is_imported_twice_as_one(tmp_path: Path) -> None:
    snippet = """
        import sys, importlib
        import ssrjson_web
        first = ssrjson_web._core
        del sys.modules["ssrjson_web._core"], sys.modules["ssrjson_web"]
        import ssrjson_web
        second = importlib.import_module("ssrjson_web._core")
        print(first.dumps(["é"]), second.dumps(["é"]), issubclass(second.JSONDecodeError, ValueError))
        for core in first, second:
            try:
                core.loads("[")
            except core.JSONDecodeError as error:
                print(error)
    """
    done = run_python(snippet, tmp_path)
    message = "Expecting value: line 1 column 2 (char 1)"
    assert done.stdout.splitlines() == ['["é"] ["é"] True', message, message], done


@pytest.mark.skipif(sys.version_info < (3, 12), reason="subinterpreters with their own GIL begin with Python 3.12")
def test_module_in_a_subinterpreter_with_its_own_gil(tmp_path: Path) -> None:
    create = "concurrent.interpreters" if sys.version_info >= (3, 14) else "_interpreters"
    if sys.version_info < (3, 13):
        create = "_xxsubinterpreters"
    # one after the other, and once on 3.12: without us too, CPython 3.12.1 and 3.13.0 may not import datetime again
    n_interpreters = 3 if sys.version_info >= (3, 13) else 1
    snippet = f"""
        import importlib
        interpreters = importlib.import_module({create!r})
        code = {IN_A_SUBINTERPRETER!r}
        for _ in range({n_interpreters}):
            one = interpreters.create()
            run = getattr(one, "exec", None) or (
                lambda code: (getattr(interpreters, "exec", None) or interpreters.run_string)(one, code))
            print("result", run(code))
            one.close() if hasattr(one, "close") else interpreters.destroy(one)
    """
    done = run_python(snippet, tmp_path)
    assert done.stdout.splitlines() == ["result None"] * n_interpreters, done
    assert done.returncode == 0, done
