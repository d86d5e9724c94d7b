"""Notes on the encoder's errors: where in the value it went wrong, as stdlib says it from Python 3.14 on."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest
import stdlib

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

CYCLE: list[Any] = [1]
CYCLE.append({"a": CYCLE})


class Items(list[Any]):
    pass


def notes_of(encode: Callable[..., Any], value: Any, **options: Any) -> list[str]:
    with pytest.raises((TypeError, ValueError)) as raised:
        encode(value, **options)
    return list(getattr(raised.value, "__notes__", []))


def raising(thing: object) -> Any:
    raise ValueError("hook")


def assert_noted(value: Any, **options: Any) -> None:
    expected = notes_of(stdlib.dumps, value, **options)
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
