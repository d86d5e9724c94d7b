"""exclude_none: items of dicts and mappings, and fields of dataclasses, that are None are left out at every depth."""

from __future__ import annotations

import collections
import dataclasses
import enum
import json
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers.all_outputs import LAYOUTS, assert_all_give, assert_encoded_as, in_chunks
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", "é", "中", "😀"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3) | st.integers(), inner), max_leaves=20
)


def without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_none(item) for key, item in value.items() if item is not None}
    return [without_none(item) for item in value] if isinstance(value, (list, tuple)) else value


class OwnItems(dict[str, Any]):
    def items(self) -> Any:
        return [("own", None), ("kept", 1), ("last", None)]


class Titled(dict[str, Any]):
    pass


class Nothing(enum.Enum):
    NOTHING = None


@dataclasses.dataclass
class Book:
    title: Any = None
    price: Any = None


@dataclasses.dataclass
class Slotted:
    __slots__ = ("a", "b")
    a: Any
    b: Any


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"a": None}, {}),
        ({"a": None, "b": 1}, {"b": 1}),
        ({"a": 1, "b": None, "c": 2}, {"a": 1, "c": 2}),
        ({"a": {"b": {"c": None}}}, {"a": {"b": {}}}),
        ([None, {"a": None}, (None,)], [None, {}, [None]]),
        ({"a": [None, None]}, {"a": [None, None]}),
        ({1: None, 2: 3, None: None, 2.5: 4}, {2: 3, 2.5: 4}),
        (collections.OrderedDict(a=None, b=1), {"b": 1}),
        (Titled(a=None, b=[{"c": None}]), {"b": [{}]}),
        (OwnItems(real=1), {"kept": 1}),
        ({str(i): None if i % 3 else i for i in range(300)}, {str(i): i for i in range(0, 300, 3)}),
        ({"a": float("nan") and False, "é": None, "中": 0}, {"a": False, "中": 0}),
    ],
    ids=[f"case {i}" for i in range(12)],
)
def test_items_that_are_none_are_left_out(value: Any, plain: Any) -> None:
    for layout in LAYOUTS:
        if layout.get("sort_keys") and len({type(key) for key in value}) > 1:
            continue
        options = {"separators": (",", ":"), "ensure_ascii": False} | layout
        if "indent" in layout:
            options["separators"] = (",", ": ")
        text = json.dumps(plain, **options)
        assert_all_give(("value", repr(text)), value, exclude_none=True, **layout)


@given(VALUES)
def test_any_value_is_written_as_a_copy_without_none(value: Any) -> None:
    for options in ({}, {"indent": 1}, {"ensure_ascii": True}, {"separators": (", ", ": ")}):
        expected = _core.dumps(without_none(value), **options)
        assert _core.dumps(value, exclude_none=True, **options) == expected
        assert _core.dumps_to_bytes(value, exclude_none=True, **options) == expected.encode()
        assert in_chunks(value, 1, exclude_none=True, **options) == expected.encode()


def test_dict_without_none_is_written_as_without_the_option() -> None:
    rows = [{"id": i, "name": f"é{i}", "tags": ["a", None]} for i in range(50)]
    assert _core.dumps_to_bytes(rows, exclude_none=True) == _core.dumps_to_bytes(rows)


def test_fields_of_dataclasses_are_left_out() -> None:
    assert_encoded_as({"title": 1}, Book(title=1), dataclass=True, exclude_none=True)
    assert_encoded_as({}, Book(), natives=True, exclude_none=True)
    assert_encoded_as({"b": {}}, Slotted(None, {"c": None}), models=True, exclude_none=True)
    assert_encoded_as({"title": {}}, Book(title=Book()), dataclass=True, exclude_none=True)


def test_mapping_loses_its_none() -> None:
    proxy = types.MappingProxyType({"a": None, "b": 1})
    assert_encoded_as({"b": 1}, proxy, mapping=True, exclude_none=True)
    assert_encoded_as({}, collections.UserDict(a=None), mapping=True, exclude_none=True)


def test_key_that_would_be_refused_is_left_out_with_its_none() -> None:
    assert _core.dumps({(1, 2): None, "a": 1}, exclude_none=True) == '{"a":1}'
    assert _core.dumps({(1, 2): None, "a": 1}, exclude_none=True, sort_keys=True) == '{"a":1}'
    assert _core.dumps({(1, 2): None, "a": 1}, exclude_none=True, skipkeys=True, indent=1) == '{\n "a": 1\n}'
    with pytest.raises(TypeError, match="keys must be"):
        _core.dumps({(1, 2): 1, "a": None}, exclude_none=True)


def test_value_that_only_becomes_null_is_written() -> None:
    null = {"a": float("nan"), "b": Nothing.NOTHING, "c": object(), "d": _core.Fragment("null"), "e": None}
    text = _core.dumps(null, exclude_none=True, enum="value", nan_as_null=True, default=lambda value: None)
    assert text == '{"a":null,"b":null,"c":null,"d":null}'


def test_hook_gives_dicts_that_lose_their_none() -> None:
    assert _core.dumps([object()], default=lambda value: {"a": None, "b": 1}, exclude_none=True) == '[{"b":1}]'


def test_exact_types_looks_at_all_keys_first() -> None:
    value = {"a": None, "b": {1: None}}
    assert _core.dumps(value, exact_types=True, exclude_none=True, default=lambda value: "asked") == '{"b":"asked"}'
    assert _core.dumps({"a": None, "b": 1}, exact_types=True, exclude_none=True) == '{"b":1}'


@pytest.mark.parametrize("options", [{}, {"indent": 1}, {"sort_keys": True}], ids=str)
def test_hook_that_changes_the_dicts_under_way_does_no_harm(options: Any) -> None:
    def change(value: Any) -> Any:
        inner.clear()
        outer["c"] = None
        outer["z"] = 1
        return "changed"

    inner = {"a": None, "b": object(), "y": [1]}
    outer: dict[str, Any] = {"a": inner, "b": None, "c": [2]}
    expected = {"a": {"b": "changed", "y": [1]}, "c": [2]}
    assert json.loads(_core.dumps(outer, default=change, exclude_none=True, **options)) == expected


def test_none_stored_between_two_chunks_is_left_out() -> None:
    value: dict[str, Any] = {"a": "x" * 50, "b": 1, "c": 2, "d": None}
    chunks = _core.Encoder(exclude_none=True).iterencode(value, 1)
    text = next(chunks)
    value["b"] = None
    text += b"".join(chunks)
    assert json.loads(text) == {"a": "x" * 50, "c": 2}


def test_references_are_balanced() -> None:
    key = "a key of its own"
    value = {key: None, "b": [object()], "c": None}
    before = sys.getrefcount(None) if sys.version_info < (3, 12) else 0
    keys = sys.getrefcount(key)
    for options in ({}, {"sort_keys": True}, {"indent": 1}):
        for _ in range(200):
            _core.dumps(value, exclude_none=True, default=lambda value: {key: None}, **options)
    assert sys.getrefcount(key) == keys
    assert before == 0 or abs(sys.getrefcount(None) - before) < 50


def takers() -> Iterator[Callable[..., Any]]:
    yield _core.dumps
    yield _core.dumps_to_bytes
    yield lambda value, **options: _core.Encoder(**options).encode(value)


def test_argument_of_another_kind_is_refused() -> None:
    for encode in takers():
        for wrong in (1, "none", "models", [], 0.0):
            with pytest.raises(TypeError) as raised:
                encode(1, exclude_none=wrong)
            assert str(raised.value) == f"exclude_none must be True, False or 'pydantic', not {wrong!r}"
        assert encode({"a": None}, exclude_none=None) == encode({"a": None}, exclude_none=False) == encode({"a": None})
        with pytest.raises(TypeError, match="exclude_none='pydantic' has no effect without models=True or 'pydantic'"):
            encode(1, exclude_none="pydantic")
        assert encode({"a": None}, models=True, exclude_none="pydantic") == encode({"a": None})
