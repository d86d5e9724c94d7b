"""Encoding floats: the shortest digits, in repr's layout."""

from __future__ import annotations

import math
import random
import struct
import sys
from collections.abc import Iterable, Iterator

import check_floats
import pytest
from helpers import stdlib_json
from helpers.call_outcome import assert_same, outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

SAMPLE = 200_000


def neighbours(number: float) -> Iterator[float]:
    for near in (number, math.nextafter(number, math.inf), math.nextafter(number, -math.inf)):
        if math.isfinite(near):
            yield near
            yield -near


def from_bits(bits: int) -> float:
    number: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return number


def assert_encoded(numbers: Iterable[float]) -> None:
    """All in one list of each output, in runs and alone; where that differs, the first that differs by itself."""
    numbers = list(numbers)
    assert numbers
    expected = [float.__repr__(number) for number in numbers]
    line = f"[{','.join(expected)}]"
    alone = [item for number in numbers for item in (number, "")]
    line_of_alone = "[" + "".join(f'{text},"",' for text in expected)[:-1] + "]"
    if (
        _core.dumps(numbers) == line
        and _core.dumps_to_bytes(numbers) == line.encode()
        and _core.dumps(alone) == line_of_alone
        and _core.dumps_to_bytes(alone) == line_of_alone.encode()
    ):
        return
    for number, text in zip(numbers, expected, strict=True):
        assert_same(_core.dumps(number), text, number.hex())
        assert_same(_core.dumps_to_bytes(number), text.encode(), number.hex())
    raise AssertionError(f"each of {len(numbers)} numbers is right alone, but not in one list")


def test_encode_float_special_values() -> None:
    names = {
        0.0: "0.0",
        1.0: "1.0",
        1e15: "1000000000000000.0",
        1e16: "1e+16",
        0.0001: "0.0001",
        1e-5: "1e-05",
        1.5e300: "1.5e+300",
        5e-324: "5e-324",
        sys.float_info.max: "1.7976931348623157e+308",
        sys.float_info.min: "2.2250738585072014e-308",
        0.1 + 0.2: "0.30000000000000004",
        123456789012345680.0: "1.2345678901234568e+17",
    }
    for number, text in names.items():
        assert_same(_core.dumps(number), text, number)
        assert_same(_core.dumps_to_bytes(-number), b"-" + text.encode(), -number)
    assert _core.dumps_to_bytes(-0.0) == b"-0.0"


def test_encode_float_not_finite() -> None:
    assert _core.dumps_to_bytes([math.nan, math.inf, -math.inf]) == b"[NaN,Infinity,-Infinity]"
    assert _core.dumps(from_bits(0xFFF8_0000_0000_0001)) == "NaN"
    for number in (math.nan, math.inf, -math.inf):
        for value in (number, [number], {"a": number}, {number: 1}):
            expected = outcome(stdlib_json.dumps, value, allow_nan=False)
            assert expected[0] == "ValueError"
            assert_same(outcome(_core.dumps, value, allow_nan=False), expected, value)
            assert_same(outcome(_core.dumps_to_bytes, value, allow_nan=False), expected, value)


def test_encode_float_every_power_of_two_and_its_neighbours() -> None:
    assert_encoded(near for exponent in range(-1074, 1024) for near in neighbours(math.ldexp(1.0, exponent)))


def test_encode_float_every_power_of_ten_and_its_neighbours() -> None:
    assert_encoded(near for exponent in range(-324, 309) for near in neighbours(float(f"1e{exponent}")))


def test_encode_float_few_digits_at_every_exponent() -> None:
    digits = ("1", "2", "5", "9", "12", "99", "123", "999999", "1234567890123456", "9999999999999999")
    assert_encoded(
        near
        for exponent in range(-324, 309)
        for significand in digits
        for near in (float(f"{significand}e{exponent}"), -float(f"{significand[0]}.{significand}e{exponent}"))
        if math.isfinite(near)
    )


def test_encode_float_subnormals() -> None:
    draw = random.Random(1074)
    assert_encoded(from_bits(bits) for bits in range(1, 2000))
    assert_encoded(from_bits(draw.getrandbits(draw.randint(1, 52))) for _ in range(5000))


def test_encode_float_integers_around_two_to_the_53() -> None:
    assert_encoded(float(2**53 + d) for d in range(-1000, 1000))
    assert_encoded(float(10**n + d) for n in range(23) for d in range(-20, 20))
    assert_encoded(float(n) for n in range(-10_000, 10_000))


def test_encode_float_halves_and_short_fractions() -> None:
    assert_encoded(n / divisor for n in range(-3000, 3000) for divisor in (2, 4, 8, 10, 100, 1000, 1e7, 3))
    assert_encoded(n + 0.5 for n in (2**51 - 1, 2**52 - 1, 2**52 - 2, 2**51 + 1))


def test_encode_float_of_each_number_of_digits() -> None:
    draw = random.Random(17)
    assert_encoded(
        float(f"{draw.randrange(10 ** (n_digits - 1), 10**n_digits)}e{draw.randint(-30, 20)}")
        for n_digits in range(1, 20)
        for _ in range(500)
    )


def test_encode_float_trailing_zeros_of_each_count() -> None:
    assert_encoded(
        float(f"{significand}{'0' * n_zeros}e{-shift}")
        for significand in ("1", "25", "1234567", "123456789", "12345678901")
        for n_zeros in range(12)
        for shift in range(30)
    )


def test_encode_float_random_bit_patterns() -> None:
    draw = random.Random(754)
    numbers = [from_bits(draw.getrandbits(64)) for _ in range(SAMPLE)]
    assert_encoded(number for number in numbers if math.isfinite(number))


def test_encode_float_random_everyday_numbers() -> None:
    draw = random.Random(2)
    assert_encoded(round(draw.uniform(-1000, 1000), draw.randint(0, 15)) for _ in range(SAMPLE // 4))
    assert_encoded(draw.random() for _ in range(SAMPLE // 4))


@pytest.mark.parametrize("kind", check_floats.KINDS)
def test_encode_and_decode_float_sample_of_each_kind(isa: str, kind: check_floats.Kind) -> None:
    numbers = kind(random.Random(2024), 25_000 // len(check_floats.KINDS))
    assert len(numbers) > 2000
    assert list(check_floats.differences(numbers, [isa])) == []


def test_encode_float_runs_of_every_length() -> None:
    draw = random.Random(16)
    for n_numbers in range(70):
        numbers = [draw.choice((draw.random(), -5e-324, 0.0, 1e16, 12.5, -1e-5)) for _ in range(n_numbers)]
        for value in (
            numbers,
            tuple(numbers),
            [*numbers, "text", *numbers],
            [*numbers, 1, *numbers, None, *numbers],
            [numbers, numbers],
            {"a": numbers, "b": [[number] for number in numbers], "c": list(zip(numbers, numbers[::-1], strict=True))},
            [[number, -number] for number in numbers],
            [[], *([number] * 3 for number in numbers), numbers],
        ):
            assert_same(_core.dumps_to_bytes(value), stdlib_json.dumps_to_bytes(value), value)
            assert_same(_core.dumps(value), stdlib_json.dumps(value), value)


def test_encode_float_runs_of_few_digits_with_another_number_at_each_place() -> None:
    others = (0.0, -0.0, 0.0001, 0.000099, 0.000001, 1e-05, 9_999_999.999999, 9_999_999.9999999, 1e7, 1e16, 1e300)
    others += (0.1234567, 0.123456, 0.1 + 0.2, 5e-324, 123456.5, -1234567.25, 1 / 3, 0.000001 + 5e-22)
    for other in others:
        for n_numbers in (1, 2, 3, 4, 7, 8, 9, 16, 17, 23, 24, 25, 30):
            for place in range(n_numbers):
                for sign in (1, -1):
                    numbers = [12.5] * n_numbers
                    numbers[place] = sign * other
                    assert_same(_core.dumps_to_bytes(numbers), stdlib_json.dumps_to_bytes(numbers), numbers)


def test_encode_float_not_finite_at_every_place_of_a_run() -> None:
    for n_numbers in range(1, 36):
        for place in range(n_numbers):
            for odd in (math.nan, math.inf, -math.inf):
                numbers = [1.5] * n_numbers
                numbers[place] = odd
                assert_same(_core.dumps(numbers), stdlib_json.dumps(numbers), numbers)
                for value in (numbers, [numbers, numbers], [[number, 0.25] for number in numbers]):
                    assert_same(_core.dumps_to_bytes(value), stdlib_json.dumps_to_bytes(value), value)


def test_encode_float_wide_text_around_runs() -> None:
    numbers = [0.1, -2.5e-7, 1e22, 123456.789, 5e-324, 0.0] * 5
    for text in ("é", "文", "😀"):
        value = [text, *numbers, text, {text: numbers, "n": numbers[0]}, [[number, number] for number in numbers]]
        assert_same(_core.dumps(value), stdlib_json.dumps(value), text)
        assert_same(_core.dumps_to_bytes(value), stdlib_json.dumps_to_bytes(value), text)


@given(st.lists(st.floats()))
def test_encode_any_floats_equal_stdlib(numbers: list[float]) -> None:
    assert_same(_core.dumps(numbers), stdlib_json.dumps(numbers), numbers)
    assert_same(_core.dumps_to_bytes(numbers), stdlib_json.dumps_to_bytes(numbers), numbers)


@given(st.integers(0, 2**64 - 1).map(from_bits))
def test_encode_any_bit_pattern_equals_stdlib(number: float) -> None:
    assert_same(_core.dumps(number), stdlib_json.dumps(number), number.hex())
