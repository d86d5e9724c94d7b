"""stdlib's notes on errors of encoding, from Python 3.14 on: on those of the stdlib drop-in, and on what hooks raise.

The notes of JSONEncodeError are in test_encode_path.py.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers import stdlib_json

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

CYCLE: list[Any] = [1]
CYCLE.append({"a": CYCLE})


NOTES_PLACES = sys.version_info >= (3, 14)


@dataclasses.dataclass
class Slotted:
    __slots__ = ("x", "y")
    x: int
    y: int


class Items(list[Any]):
    pass


def notes_of(encode: Callable[..., Any], value: Any, **options: Any) -> list[str]:
    with pytest.raises((TypeError, ValueError)) as raised:
        encode(value, **options)
    return list(getattr(raised.value, "__notes__", []))


def raising(thing: object) -> Any:
    raise ValueError("hook")


def assert_noted(value: Any, **options: Any) -> None:
    expected = notes_of(stdlib_json.dumps, value, **options)
    assert notes_of(_core._stdlib_dumps, value, **options) == expected, (value, options)
    if options.get("default") is raising:
        for encode in (_core.dumps, _core.dumps_to_bytes):
            assert notes_of(encode, value, **options) == expected, (value, options)


def test_note_on_a_value_that_is_not_native_names_its_place() -> None:
    for value in ({1}, [{1}], [0, {1}], {"é": {1}}, {"a": [0, {"b": ({1},)}]}, [[], {}, [1, [{1}]]], {5: {None: {1}}}):
        for options in ({}, {"indent": 1}, {"sort_keys": True}, {"ensure_ascii": True}):
            if not (options.get("sort_keys") and 5 in value):
                assert_noted(value, **options)


def test_note_names_the_class_of_the_container() -> None:
    assert_noted(OrderedDict(a=Items([(0, {1})])))
    assert_noted([Items([{1}])])


def test_note_on_other_errors_names_their_place() -> None:
    assert_noted([1, {"a": math.nan}], allow_nan=False)
    assert_noted([{"a": {(): 1}}])
    assert_noted([{"a": 10**5000}])
    assert_noted([CYCLE])


def test_note_on_an_error_of_the_hook_names_its_place() -> None:
    assert_noted(["é", {"a": {1}}], default=raising)
    assert_noted(
        [{1}, {"a": [b""]}], default=lambda thing: [{"x": thing}] if isinstance(thing, set) else raising(thing)
    )


def test_note_on_an_error_before_the_first_item_has_no_place() -> None:
    # from Python 3.14 on this asked for the item before the first one
    for value in (object.__new__(Slotted), [object.__new__(Slotted)], {"a": [1, object.__new__(Slotted)]}):
        for encode in (_core._stdlib_dumps, _core.dumps, _core.dumps_to_bytes):
            with pytest.raises(AttributeError, match="x"):
                encode(value, dataclass=True)


def failing_iterator(n_good: int) -> Iterator[int]:
    yield from range(n_good)
    raise ValueError("iterator")


def test_note_on_an_iterator_that_raises_names_the_item_that_it_failed_to_give() -> None:
    for n_good in (0, 1, 5):
        for encode in (_core._stdlib_dumps, _core.dumps):
            notes = notes_of(encode, [failing_iterator(n_good)], iterables=True)
            expected = [f"when serializing generator item {n_good}", "when serializing list item 0"]
            assert notes == (expected if NOTES_PLACES else [])


class Odd:
    """Its repr, which a note asks for, empties the list that the pairs are in."""

    def __repr__(self) -> str:
        PAIRS.clear()
        return "odd"


class Pairs(dict[Any, Any]):
    def items(self) -> Any:
        return PAIRS


PAIRS: list[Any] = []


def test_note_whose_repr_empties_the_items_under_way_is_left_out() -> None:
    for _ in range(2):
        PAIRS[:] = [(1, 2), ("a", {Odd(): 1})]
        for encode in (_core._stdlib_dumps, _core.dumps):
            with pytest.raises(TypeError):
                encode(Pairs(a=1))
        PAIRS[:] = [("b", [Pairs(a=1), {1}])]
        with pytest.raises((TypeError, ValueError, RecursionError)):
            _core._stdlib_dumps(Pairs(a=1), check_circular=False)
