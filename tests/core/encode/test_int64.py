"""int64: ints that no integer type of 64 bits holds are refused or quoted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.all_outputs import assert_encoded_as, assert_refused
from helpers.call_outcome import outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

FITTING = (0, -1, 2**53, -(2**53), 2**63 - 1, 2**63, -(2**63), 2**64 - 1)
LARGE = (2**64, -(2**63) - 1, -(2**64) + 1, -(2**64), 2**70, 10**30, -(10**300))


def test_ints_of_64_bits_are_numbers() -> None:
    for number in FITTING:
        for option in ("error", "str"):
            assert_encoded_as({number: [number]}, {number: [number]}, int64=option)


def test_larger_ints_are_texts_where_asked() -> None:
    for number in LARGE:
        assert_encoded_as([str(number)], [number], int64="str")
        assert_encoded_as({str(number): 1}, {number: 1}, int64="str")


def test_larger_ints_are_refused_where_asked() -> None:
    for number in LARGE:
        for value in (number, {number: 1}):
            assert_refused(value, _core.JSONEncodeValueError, int64="error")
        with pytest.raises(_core.JSONEncodeValueError, match=f"(?m)^Integer beyond 64 bits: {number}$"):
            _core.dumps([number], int64="error")


def test_subclasses_are_ints() -> None:
    class Own(int):
        def __repr__(self) -> str:
            return "own"

    assert _core.dumps([Own(2**64), Own(5)], int64="str") == f'["{2**64}",5]'
    assert_refused(Own(2**64), _core.JSONEncodeValueError, int64="error")


def test_arrays_of_ints() -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed")
    numbers = np.array([2**64 - 1, 2**53, 1], dtype="u8")
    assert _core.dumps(numbers, numpy=True, int64="error") == f"[{2**64 - 1},{2**53},1]"


def test_beside_int53_it_has_no_effect() -> None:
    with pytest.raises(TypeError, match=r"^int64='str' has no effect without int53=None$"):
        _core.dumps(1, int64="str", int53="error")
    assert _core.dumps(2**60, int53="str", int64=None) == f'"{2**60}"'


def test_option_of_another_name_raises() -> None:
    options: list[Any] = ["float", "", "Error", 64, True, b"str"]
    for option in options:
        assert outcome(_core.dumps, 1, int64=option)[0] in ("TypeError", "ValueError")


@given(st.integers())
def test_any_int_reads_back_exactly(number: int) -> None:
    read = json.loads(_core.dumps([number], int64="str"))[0]
    assert int(read) == number
    assert isinstance(read, str) == (not -(2**63) <= number < 2**64)
