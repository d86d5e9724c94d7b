"""int64: ints that no integer type of 64 bits holds become floats, or are refused at their place."""

from __future__ import annotations

import math
from typing import Any

import pytest
from helpers.call_outcome import outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

FITTING = (0, -1, 10**18, 2**63 - 1, 2**63, -(2**63), 2**64 - 1)
LARGE = (2**64, -(2**63) - 1, -(2**64) + 1, -(2**64), 10**19 * 2, -(10**19), 10**30, -(10**300))


def sources(number: int) -> list[str | bytes]:
    """The number alone, near the end and far from it, as bytes and as each kind of str."""
    rest = f"[{number}, {number}{',0' * 40}"
    return [f"{number}", f"{number}".encode(), f"{rest}]", f"{rest}]".encode(), *(f'{rest},"{c}"]' for c in "é中😀")]


def first(value: Any) -> Any:
    return value[1] if isinstance(value, list) else value


def test_ints_of_64_bits_stay() -> None:
    for number in FITTING:
        for source in sources(number):
            for option in ("float", "error"):
                got = first(_core.loads(source, int64=option))
                assert (type(got), got) == (int, number)


def test_larger_ints_become_the_nearest_floats() -> None:
    for number in LARGE:
        for source in sources(number):
            got = first(_core.loads(source, int64="float"))
            assert (type(got), got) == (float, float(number))


def test_larger_ints_are_refused_at_their_place() -> None:
    for number in LARGE:
        for source in sources(number):
            is_alone = len(source) == len(str(number))
            with pytest.raises(_core.JSONDecodeError) as raised:
                _core.loads(source, int64="error")
            assert (raised.value.msg, raised.value.pos) == ("Integer beyond 64 bits", 0 if is_alone else 1)


def test_int_beyond_every_float_is_infinite_or_refused() -> None:
    digits = "9" * 5000
    assert _core.loads(f"[-{digits}]", int64="float") == [-math.inf]
    with pytest.raises(_core.JSONDecodeError, match="Number out of range"):
        _core.loads(digits, int64="float", allow_nan=False)
    with pytest.raises(_core.JSONDecodeError, match="Integer beyond 64 bits"):
        _core.loads(digits, int64="error")


def test_beside_parse_int_it_has_no_effect() -> None:
    with pytest.raises(TypeError, match=r"^int64 has no effect with parse_int$"):
        _core.loads("1", int64="float", parse_int=float)


def test_option_of_another_name_raises() -> None:
    options: list[Any] = ["str", "", "Float", 64, True, b"float"]
    for option in options:
        assert outcome(_core.loads, "1", int64=option)[0] in ("TypeError", "ValueError")


@given(st.integers(-(2**66), 2**66))
def test_any_int(number: int) -> None:
    fits = -(2**63) <= number < 2**64
    got = _core.loads(f"[{number}, 1]", int64="float")[0]
    assert (type(got), got) == ((int, number) if fits else (float, float(number)))
