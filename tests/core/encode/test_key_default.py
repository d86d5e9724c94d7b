"""key_default: a hook for keys that have no form, and what it may do."""

from __future__ import annotations

import datetime
import gc
import sys
import uuid
import weakref
from collections import OrderedDict, UserDict
from fractions import Fraction
from typing import Any

import pytest
from helpers.all_outputs import assert_all_give, assert_refused, in_chunks

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

WAYS = (_core.dumps, _core.dumps_to_bytes, in_chunks)


def text(value: object) -> tuple[str, str]:
    return "value", repr(value)


@pytest.mark.parametrize("neighbour", ["a", "é", "中", "😀"])
@pytest.mark.parametrize("options", [{}, {"ensure_ascii": True}, {"indent": 1}, {"separators": ("，", ": ")}])
def test_result_is_written_instead_of_the_key(neighbour: str, options: dict[str, Any]) -> None:
    value = {neighbour: 1, (1, 2): {Fraction(1, 3): [neighbour]}, neighbour + "b": 3}
    plain = {neighbour: 1, "(1, 2)": {"1/3": [neighbour]}, neighbour + "b": 3}
    expected = text(_core.dumps(plain, **options))
    assert_all_give(expected, value, key_default=str, **options)
    assert_all_give(expected, OrderedDict(value), key_default=str, **options)
    assert_all_give(expected, UserDict(value), key_default=str, mapping=True, **options)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("é", '"é"'),
        (7, '"7"'),
        (2**70, f'"{2**70}"'),
        (1.5, '"1.5"'),
        (True, '"true"'),
        (None, '"null"'),
        (uuid.UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
    ],
)
def test_result_of_each_type_that_has_a_form(result: Any, expected: str) -> None:
    assert_all_give(text(f"[{{{expected}:1}}]"), [{(1,): 1}], key_default=lambda key: result, uuid="hyphenated")


def test_only_keys_without_a_form_are_asked_about() -> None:
    asked = []

    def hook(key: Any) -> str:
        asked.append(key)
        return "hook"

    value = {"a": 1, 2: 2, None: 3, 1.5: 4, datetime.date(2026, 1, 1): 5, (6,): 6, b"7": 7}
    expected = '{"a":1,"2":2,"null":3,"1.5":4,"2026-01-01":5,"hook":6,"7":7}'
    assert _core.dumps(value, key_default=hook, natives=True) == expected
    assert asked == [(6,)]


def test_result_without_a_form_is_refused_or_skipped() -> None:
    for result in ((3,), object(), uuid.UUID(int=1)):
        assert_refused({(1,): 2}, key_default=lambda key, result=result: result)
        assert_all_give(text('{"a":1}'), {"a": 1, (1,): 2}, key_default=lambda key, r=result: r, skipkeys=True)
    with pytest.raises(_core.JSONEncodeTypeError, match="not complex") as caught:
        _core.dumps({"k": {"a": 1, (1,): 2}}, key_default=lambda key: 1j)
    assert caught.value.__notes__ == ["at key 1 of $.k; key_default returned it"]


def test_what_the_hook_raises_passes_through() -> None:
    def fail(key: Any) -> Any:
        raise KeyError(key)

    for encode in WAYS:
        with pytest.raises(KeyError):
            encode({"a": [{(1,): 2}]}, key_default=fail)
        with pytest.raises(KeyError):
            encode({"a": [{(1,): 2}]}, key_default=fail, skipkeys=True)


def test_sort_keys_sorts_the_keys_of_the_dict() -> None:
    assert_all_give(
        text('{"z":1,"a":2}'), {(1,): 1, (2,): 2}, sort_keys=True, key_default=lambda k: {1: "z", 2: "a"}[k[0]]
    )
    assert_refused({(1,): 1, "a": 2}, sort_keys=True, key_default=str)


def test_values_of_the_option() -> None:
    assert _core.dumps({"a": 1}, key_default=None) == '{"a":1}'
    with pytest.raises(TypeError, match="key_default must be callable or None, not str"):
        _core.dumps({}, key_default="str")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"key_default=.* has no effect without exact_types=False"):
        _core.dumps({}, key_default=str, exact_types=True)


def test_hook_that_changes_the_dict_does_no_harm() -> None:
    for encode in WAYS:
        for n in (1, 5, 70):
            value: dict[Any, Any] = {f"key {k}" * 2: [f"value {k}" * 2] for k in range(n)}

            def hook(key: Any, value: dict[Any, Any] = value) -> str:
                value.clear()
                value.update(dict.fromkeys(range(100), "new"))
                gc.collect()
                return "hook"

            value[(1,)] = {"inner": ["x" * n]}
            value.update({f"more {k}" * 2: {"a": k} for k in range(n)})
            rows = [value, "last"]
            if encode is in_chunks:
                with pytest.raises(_core.JSONEncodeRuntimeError, match="changed size"):
                    encode(rows, key_default=hook)
                continue
            got = _core.loads(encode(rows, key_default=hook))
            assert got[0]["hook"] == {"inner": ["x" * n]}
            assert len(got[0]) == 2 * n + 1


def test_hook_that_encodes_within_the_call() -> None:
    def hook(key: Any) -> str:
        return _core.dumps({key[:-1]: 1} if key else "end", key_default=hook)

    text_of_five = _core.dumps({(1, 2, 3): 4}, key_default=hook)
    for _ in range(4):
        (inner,) = _core.loads(text_of_five)
        text_of_five = inner
    assert inner == '"end"'


def test_hook_that_never_comes_to_an_end_is_a_recursion_error() -> None:
    def hook(key: Any) -> Any:
        return _core.dumps({key: 1}, key_default=hook)

    with pytest.raises(RecursionError):
        _core.dumps({(1,): 1}, key_default=hook)
    assert _core.dumps({(1,): 1}, key_default=str) == '{"(1,)":1}'


def test_keys_and_results_are_released() -> None:
    class Key:
        pass

    class Text(str):
        pass

    results = []

    def hook(key: Any) -> str:
        made = Text("made")
        results.append(weakref.ref(made))
        return made

    for encode in WAYS:
        key = Key()
        alive = weakref.ref(key)
        n_before = sys.getrefcount(None)
        assert encode([{key: 1, "a": 2}] * 3, key_default=hook) in (
            '[{"made":1,"a":2}' + ',{"made":1,"a":2}' * 2 + "]",
            b'[{"made":1,"a":2}' + b',{"made":1,"a":2}' * 2 + b"]",
        )
        assert abs(sys.getrefcount(None) - n_before) < 50
        del key
        gc.collect()
        assert alive() is None
    assert [one() for one in results] == [None] * 9
