"""int53: ints that a double cannot tell from their neighbours are refused or quoted."""

from __future__ import annotations

import enum
import json
from typing import Any

import pytest
from helpers.all_outputs import assert_encoded_as, assert_refused
from helpers.call_outcome import outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

MOST = 2**53 - 1
SAFE = (0, 1, -1, 2**32, MOST, -MOST)
UNSAFE = (MOST + 1, -MOST - 1, 2**63, -(2**63), 2**64 - 1, 2**64, -(2**64), 10**30, -(10**300))


def test_safe_ints_are_numbers() -> None:
    for number in SAFE:
        assert_encoded_as(number, number, int53="error")
        assert_encoded_as({number: number}, {number: number}, int53="str")


def test_unsafe_ints_are_texts_where_asked() -> None:
    for number in UNSAFE:
        assert_encoded_as(str(number), number, int53="str")
        assert_encoded_as({str(number): 1}, {number: 1}, int53="str")


def test_unsafe_ints_are_refused_where_asked() -> None:
    for number in UNSAFE:
        assert_refused(number, _core.JSONEncodeValueError, int53="error")
        assert_refused({number: 1}, _core.JSONEncodeValueError, int53="error")
        with pytest.raises(_core.JSONEncodeValueError, match=f"(?m)53 bits.*: {number}$"):
            _core.dumps([number], int53="error")


def test_int_past_the_limit_on_digits_raises_value_error() -> None:
    for option in ("error", "str"):
        assert outcome(_core.dumps, [10**5000], int53=option)[0] == "ValueError"


def test_subclasses_and_bools_are_ints() -> None:
    class Own(int):
        def __repr__(self) -> str:
            return "own"

    class Number(enum.IntEnum):
        LARGE = 2**60

    assert _core.dumps([Own(2**60), Number.LARGE, True], int53="str") == f'["{2**60}","{2**60}",true]'
    assert _core.dumps({True: Own(1)}, int53="error") == '{"true":1}'
    assert_refused(Own(2**60), _core.JSONEncodeValueError, int53="error")


@given(st.integers())
def test_any_int_reads_back_exactly(number: int) -> None:
    read = json.loads(_core.dumps([number], int53="str"))[0]
    assert int(read) == number
    assert isinstance(read, str) == (abs(number) > MOST)


def test_option_of_another_name_raises() -> None:
    options: list[Any] = ["string", "", "Error", 5, True, b"str"]
    for option in options:
        with pytest.raises((TypeError, ValueError), match="int53"):
            _core.dumps(1, int53=option)
    assert _core.dumps(2**60, int53=None) == str(2**60)
