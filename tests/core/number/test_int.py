"""Encoding ints: every number of digits, the edges of CPython's 30-bit digits, the limit on digits."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator

import pytest
from helpers import stdlib_json
from helpers.call_outcome import assert_same, outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")


@pytest.fixture
def digit_limit() -> Iterator[None]:
    """Puts the interpreter's limit on digits back as it was."""
    limit = sys.get_int_max_str_digits()
    yield
    sys.set_int_max_str_digits(limit)


def assert_encoded(numbers: Iterable[int]) -> None:
    numbers = list(numbers)
    assert numbers
    for number in numbers:
        text = int.__repr__(number)
        assert_same(_core.dumps(number), text, number)
        assert_same(_core.dumps_to_bytes(number), text.encode(), number)
    assert_same(_core.dumps(numbers), f"[{','.join(map(int.__repr__, numbers))}]", "all in one list")


def test_encode_int_of_every_number_of_digits() -> None:
    edges = {10**n + d for n in range(60) for d in (-1, 0, 1)}
    sevens = {int("7" * n) for n in range(1, 60)}
    assert_encoded(sign * number for number in edges | sevens for sign in (1, -1))


def test_encode_int_around_every_power_of_two() -> None:
    numbers = (sign * (2**n + d) for n in range(200) for d in (-2, -1, 0, 1, 2) for sign in (1, -1))
    assert_encoded(numbers)


def test_encode_int_up_to_100_000() -> None:
    numbers = list(range(-100_000, 100_001))
    assert_same(_core.dumps_to_bytes(numbers), f"[{','.join(map(str, numbers))}]".encode(), "-100000..100000")


def test_encode_int_random_of_each_number_of_bits() -> None:
    draw = random.Random(30)
    numbers = [draw.getrandbits(n_bits) * draw.choice((1, -1)) for n_bits in range(1, 140) for _ in range(200)]
    assert_same(_core.dumps_to_bytes(numbers), f"[{','.join(map(str, numbers))}]".encode(), "random")


def test_encode_int_runs_of_every_length() -> None:
    draw = random.Random(8)
    powers = (10, 100, 10_000, 1_000_000, 10**8, 10**9, 2**30, 2**64)
    edges = [0, *(sign * (power + d) for power in powers for sign in (1, -1) for d in (-1, 0))]
    for n_numbers in range(70):
        six_digits, ten_digits = (
            [draw.randrange(10 ** draw.randint(1, n_most)) * draw.choice((1, -1)) for _ in range(n_numbers)]
            for n_most in (6, 10)
        )
        mixed = [draw.choice(edges) for _ in range(n_numbers)]
        for numbers in (six_digits, ten_digits, mixed):
            for value in (
                numbers,
                tuple(numbers),
                [*numbers, "text", *numbers, 1.5],
                [*numbers, True, *numbers, None],
                [*numbers, "é", *numbers],
                [*numbers, "文", numbers],
                {"a": numbers, "b": [[number, number] for number in numbers]},
            ):
                assert_same(_core.dumps_to_bytes(value), stdlib_json.dumps_to_bytes(value), value)
                assert_same(_core.dumps(value), stdlib_json.dumps(value), value)


def test_encode_int_runs_with_each_number_of_digits_at_each_place() -> None:
    for number in [sign * 10**n for n in range(11) for sign in (1, -1)] + [1, 0]:
        for n_numbers in range(4, 20):
            for place in range(n_numbers):
                numbers = [7] * n_numbers
                numbers[place] = number
                assert_same(_core.dumps_to_bytes(numbers), stdlib_json.dumps_to_bytes(numbers), numbers)


def test_encode_int_runs_around_multiples_of_eight_digits() -> None:
    assert_encoded(sign * (k * 10**8 + d) for k in range(11) for d in range(-9, 10) for sign in (1, -1))


def test_encode_int_subclasses_and_booleans_in_a_run() -> None:
    class Named(int):
        def __repr__(self) -> str:
            return "named"

    for place in range(20):
        for odd in (Named(5), True, False):
            numbers: list[object] = [*range(20)]
            numbers[place] = odd
            assert_same(_core.dumps_to_bytes(numbers), stdlib_json.dumps_to_bytes(numbers), numbers)


def test_encode_int_with_zeros_inside() -> None:
    assert_encoded(10**high + 10**low + d for high in range(1, 45) for low in range(high) for d in (0, 1))


def test_encode_int_of_thousands_of_digits() -> None:
    for n_digits in (100, 500, 1000, 4299, 4300):
        assert_encoded([10 ** (n_digits - 1), 10**n_digits - 1, -(10**n_digits) + 1, int("12345" * (n_digits // 5))])


@pytest.mark.usefixtures("digit_limit")
def test_encode_int_past_the_limit_on_digits_raises_as_stdlib() -> None:
    for limit in (sys.get_int_max_str_digits(), 640, 2000):
        sys.set_int_max_str_digits(limit)
        for number in (10**limit, -(10**limit), 10 ** (limit - 1), 10**limit - 1, 2 ** (limit * 4)):
            for value in (number, [number], {"a": number}, {number: 1}):
                expected = outcome(stdlib_json.dumps, value)
                case = f"limit {limit}, {number.bit_length()} bits in a {type(value).__name__}"
                assert_same(outcome(_core.dumps, value), expected, case)
                if expected[0] == "ValueError":
                    assert_same(outcome(_core.dumps_to_bytes, value), expected, case)


@pytest.mark.usefixtures("digit_limit")
def test_encode_int_without_a_limit_on_digits() -> None:
    sys.set_int_max_str_digits(0)
    number = 10**9000 - 7
    assert_same(_core.dumps_to_bytes([number]), f"[{number}]".encode(), "10**9000 - 7")


@given(st.lists(st.integers()))
def test_encode_any_ints_equal_stdlib(numbers: list[int]) -> None:
    assert_same(_core.dumps(numbers), stdlib_json.dumps(numbers), numbers)
    assert_same(_core.dumps_to_bytes(numbers), stdlib_json.dumps_to_bytes(numbers), numbers)
