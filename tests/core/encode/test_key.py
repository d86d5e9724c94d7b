"""Keys of dicts: texts of each kind, numbers, constants, and values that cannot be keys."""

from __future__ import annotations

import datetime
import enum
import json
import math
from typing import Any

import pytest
from helpers import json_documents, stdlib_json
from helpers.call_outcome import outcome
from helpers.stdlib_json import assert_encoded

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

ODD_KEYS: tuple[Any, ...] = ((), (1, 2), b"a", frozenset(), object, 1j, datetime.date(2024, 1, 1), range(3))


def test_text_key_of_each_kind_and_length() -> None:
    for fill in json_documents.CLASSES.values():
        for length in json_documents.LENGTHS:
            assert_encoded({fill * length: 1, f'{fill * length}"': 2})
            assert_encoded({f"{fill * length}\n": {"\x00": fill}}, ensure_ascii=True)


def test_text_key_with_each_escape() -> None:
    assert_encoded({f"a{escaped}b": escaped for escaped in json_documents.ESCAPED})


def test_text_key_with_lone_surrogate_raises_in_bytes_as_stdlib() -> None:
    for fill in json_documents.CLASSES.values():
        assert_encoded({f"{fill}\ud800": 1})
        assert_encoded([fill, {"a": {f"{fill}\udfff{fill}": 1}}])
        assert_encoded({f"{fill}\ud800": 1}, ensure_ascii=True)


def test_number_and_constant_keys_become_texts() -> None:
    keys: tuple[Any, ...] = (0, -1, 2**30, 2**64, -(10**40), 1.5, -0.0, 1e16, 1e-7, True, False, None)
    for key in keys:
        assert_encoded({key: key})
        assert_encoded({key: key}, indent=2, sort_keys=True)
    assert _core.dumps({1: 1, 2.0: 2, None: 3, False: 4}) == '{"1":1,"2.0":2,"null":3,"false":4}'
    assert _core.dumps({math.nan: 1, math.inf: 2, -math.inf: 3}) == '{"NaN":1,"Infinity":2,"-Infinity":3}'


def test_keys_of_subclasses_become_texts_as_in_stdlib() -> None:
    class Text(str):
        def __str__(self) -> str:
            return "wrong"

    class Number(int):
        def __repr__(self) -> str:
            return "wrong"

    class Real(float):
        def __repr__(self) -> str:
            return "wrong"

    class Colour(enum.IntEnum):
        RED = 7

    class Name(str, enum.Enum):
        ANNA = "анна"

    for key in (Text("é"), Number(5), Real(2.5), Real("nan"), Colour.RED, Name.ANNA):
        assert_encoded({key: 1})
        assert_encoded({key: 1}, indent=1)
    assert _core.dumps({Colour.RED: 1, Name.ANNA: 2}) == '{"7":1,"анна":2}'


def test_odd_key_raises_type_error_as_stdlib() -> None:
    for key in ODD_KEYS:
        for value in ({key: 1}, {"a": 1, key: 2}, [{"a": {key: object()}}]):
            assert outcome(stdlib_json.dumps, value)[0] == "TypeError"
            assert_encoded(value)
            assert_encoded(value, default=repr)
            assert_encoded(value, indent=2)


def test_odd_key_is_skipped_with_its_value_when_asked() -> None:
    for key in ODD_KEYS:
        assert_encoded({key: object(), "a": 1, 2: {key: 3}}, skipkeys=True)
        assert_encoded({"a": 1, key: object()}, skipkeys=True)
        assert_encoded({"a": 1, key: object(), "b": 2}, skipkeys=True, indent=2)
        assert_encoded({key: object()}, skipkeys=True)


def test_only_odd_keys_skipped_with_indent_leave_what_stdlib_leaves() -> None:
    # braces alone, or an empty line between them: that differs between versions of stdlib
    for value in ({(): 1}, {"x": {(): 1, (1,): 2}}, [{(): 1}, 2]):
        for indent in (0, 2, "\t"):
            for encode in (_core.dumps, _core.dumps_to_bytes):
                text = encode(value, skipkeys=True, indent=indent)
                expected = json.dumps(value, skipkeys=True, indent=indent)
                assert (text if isinstance(text, str) else text.decode()) == expected, (value, indent)


def test_skipkeys_keeps_number_and_constant_keys() -> None:
    assert _core.dumps({1: 1, None: 2, False: 3, 2.5: 4, (): 5}, skipkeys=True) == '{"1":1,"null":2,"false":3,"2.5":4}'


def test_number_key_past_the_limit_on_digits_raises_as_stdlib() -> None:
    assert_encoded({10**5000: 1})
