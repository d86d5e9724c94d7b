"""Decoding numbers: ints of any size, floats rounded as float() rounds them, text that is no number."""

from __future__ import annotations

import math
import mmap
import random
import struct
import sys
from array import array
from collections.abc import Iterable, Iterator
from decimal import Context, Decimal
from typing import Any

import pytest
from helpers import stdlib_json
from helpers.call_outcome import assert_same, outcome
from helpers.stdlib_json import assert_decoded
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

SAMPLE = 200_000
EXACT = Context(prec=2000, Emin=-(10**6), Emax=10**6)


@pytest.fixture
def digit_limit() -> Iterator[None]:
    """Puts the interpreter's limit on digits back as it was."""
    limit = sys.get_int_max_str_digits()
    yield
    sys.set_int_max_str_digits(limit)


def assert_all_decoded(texts: Iterable[str]) -> None:
    """Decode a number in every context and kind of document: value or error equal stdlib's."""
    n_texts = 0
    for number in texts:
        n_texts += 1
        for text in (number, f"{number} ", f"[{number}]", f'{{"a":{number},"b":[{number},{number}]}}'):
            assert_decoded(text)
        for wide in ("é", "中", "😀"):
            assert_decoded(f'["{wide}",{number}]')
            assert_decoded(f'{number}"{wide}"')
    assert n_texts


def assert_floats(texts: Iterable[str]) -> None:
    """Many floats in one list, to the bit; where one differs, that one."""
    texts = list(texts)
    expected = array("d", map(float, texts))
    document = f"[{','.join(texts)}]"
    sources: list[Any] = [document, document.encode(), *(f'["{wide}",{document}]' for wide in "é中😀")]
    for source in sources:
        got = _core.loads(source)
        got = got[1] if isinstance(got[0], str) else got
        assert len(got) == len(texts)
        if array("d", got).tobytes() != expected.tobytes() or not all(type(number) is float for number in got):
            i = next(
                i
                for i, n in enumerate(got)
                if type(n) is not float or struct.pack("d", n) != expected[i : i + 1].tobytes()
            )
            assert_same(repr(got[i]), repr(expected[i]), texts[i])


def test_decode_int_of_every_number_of_digits() -> None:
    edges = {10**n + d for n in range(50) for d in (-1, 0, 1)} | {int("7" * n) for n in range(1, 60)}
    assert_all_decoded(str(sign * number) for number in edges for sign in (1, -1))


def test_decode_int_around_every_power_of_two() -> None:
    numbers = [sign * (2**n + d) for n in range(140) for d in (-1, 0, 1) for sign in (1, -1)]
    for source in (str(numbers), str(numbers).encode()):
        got = _core.loads(source)
        assert got == numbers
        assert {type(number) for number in got} == {int}


def test_decode_ints_up_to_100_000() -> None:
    numbers = list(range(-100_000, 100_001))
    assert _core.loads(str(numbers)) == numbers
    assert _core.loads(str(numbers).encode()) == numbers


def test_decode_minus_zero() -> None:
    for text, expected in (("-0", "0"), ("-0.0", "-0.0"), ("-0e5", "-0.0"), ("-0E-0", "-0.0"), ("0e0", "0.0")):
        for source in (text, text.encode()):
            assert repr(_core.loads(source)) == expected == repr(stdlib_json.loads(text))


def test_decode_int_of_thousands_of_digits() -> None:
    for n_digits in (19, 20, 21, 100, 1000, 4299, 4300):
        assert_all_decoded(("9" * n_digits, "-" + "1" * n_digits, "1" + "0" * (n_digits - 1)))


@pytest.mark.usefixtures("digit_limit")
def test_decode_int_past_the_limit_on_digits_raises_as_stdlib() -> None:
    for limit in (sys.get_int_max_str_digits(), 640, 2000):
        sys.set_int_max_str_digits(limit)
        for n_digits in (limit - 1, limit, limit + 1, 2 * limit):
            for number in ("9" * n_digits, "-" + "9" * n_digits):
                expected = outcome(stdlib_json.loads, number)[0]
                assert expected == ("value" if n_digits <= limit else "ValueError")
                for text in (number, f"[1, {number}]", f'{{"é": {number}}}', f"[{number}, x"):
                    case = f"limit {limit}, {n_digits} digits, {text[:8]}"
                    assert_same(outcome(_core.loads, text), outcome(stdlib_json.loads, text), case)
                    assert_same(outcome(_core.loads, text.encode()), outcome(stdlib_json.loads, text), case)


@pytest.mark.usefixtures("digit_limit")
def test_decode_int_without_a_limit_on_digits() -> None:
    sys.set_int_max_str_digits(0)
    for n_digits in (5000, 20_000):
        assert _core.loads(f"[-{'9' * n_digits}]") == [1 - 10**n_digits]


def test_decode_float_special_values() -> None:
    assert_all_decoded(
        (
            *("0.0", "0.1", "1.0", "1e0", "1E0", "1e+0", "1e-0", "1.5e00000000001", "100e-2", "0.000001", "0e400"),
            *("1e308", "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1e309", "-1e309"),
            *("1e400", "-1e400", "1e99999", "1e-99999", "1e18446744073709551617", "1e-18446744073709551617", "0e99999"),
            *("2.2250738585072014e-308", "2.2250738585072011e-308", "2.2250738585072012e-308", "5e-324", "4.9e-324"),
            *("2.4703282292062327e-324", "2.4703282292062328e-324", "2e-324", "3e-324", "-2e-324", "1e-400", "-1e-400"),
            *(
                "9007199254740992.0",
                "9007199254740993.0",
                "9007199254740993.00000000000000000001",
                "9007199254740991.5",
            ),
            *("0.500000000000000166533453693773481063544750213623046875", "8.41e21", "9.5e22", "6.02214076e23"),
            *("123456789012345678901234567890.5", "1" * 400 + ".5", "0." + "0" * 400 + "1", "1" * 308 + "e1"),
            *("0." + "3" * 1000, "3" * 20 + "e-10", "1.00000000000000011102230246251565404236316680908203125"),
            *("1.00000000000000011102230246251565404236316680908203124", "1e23", "1e22", "4.35", "0.3", "2.5"),
        )
    )


def test_decode_float_of_each_exponent() -> None:
    digits = ("1", "9", "123", "1.5", "9.999999999999999", "1.2345678901234567", "12345678901234567890", "0.00001")
    assert_floats(f"{significand}e{exponent}" for significand in digits for exponent in range(-360, 330))
    assert_floats(f"-{significand}E+{exponent}" for significand in digits for exponent in range(0, 330))


def test_decode_float_of_each_number_of_digits() -> None:
    draw = random.Random(19)
    for n_digits in range(1, 45):
        numbers = ["".join(draw.choices("0123456789", k=n_digits)).lstrip("0") or "1" for _ in range(60)]
        assert_floats(f"{number[:1]}.{number}" for number in numbers)
        assert_floats(f"{number}.0" for number in numbers)
        assert_floats(f"0.{number}" for number in numbers)
        assert_floats(f"{number}e{draw.randint(-340, 310)}" for number in numbers)
        assert_floats(f"0.{'0' * n_digits}{number}" for number in numbers)


def test_decode_float_halfway_between_neighbours_rounds_to_even() -> None:
    draw = random.Random(1985)
    texts: list[str] = []
    while len(texts) < 9000:
        low = struct.unpack("<d", struct.pack("<Q", draw.getrandbits(63)))[0]
        high = math.nextafter(low, math.inf)
        if not math.isfinite(high):
            continue
        halfway = EXACT.divide(EXACT.add(Decimal(low), Decimal(high)), Decimal(2))
        digits = "".join(map(str, halfway.as_tuple().digits))
        exponent = halfway.as_tuple().exponent
        assert isinstance(exponent, int)
        just_below = str(int(digits) * 10**30 - 1)
        texts += [f"{halfway:e}", f"{digits}e{exponent}", f"{digits}{'0' * 29}1e{exponent - 30}"]
        texts += [f"{just_below}e{exponent - 30}", f"0.{just_below}e{exponent - 30 + len(just_below)}"]
    assert_floats(texts)


def test_decode_float_halfway_among_subnormals_and_at_the_largest() -> None:
    ulp = Decimal.from_float(5e-324)
    texts = [f"{EXACT.multiply(ulp, Decimal(n) / 2):e}" for n in range(1, 200)]
    largest = Decimal(sys.float_info.max)
    half_ulp = Decimal(2) ** 970
    texts += [f"{EXACT.add(largest, EXACT.multiply(half_ulp, Decimal(n) / 8)):e}" for n in range(0, 17)]
    smallest = Decimal(sys.float_info.min)
    texts += [f"{EXACT.subtract(smallest, EXACT.multiply(ulp, Decimal(n) / 4)):e}" for n in range(0, 17)]
    assert_floats(text.replace("E", "e") for text in texts)


def test_decode_float_shortest_digits_of_random_bit_patterns() -> None:
    draw = random.Random(754)
    numbers = (struct.unpack("<d", struct.pack("<Q", draw.getrandbits(64)))[0] for _ in range(SAMPLE // 2))
    assert_floats(repr(number) for number in numbers if math.isfinite(number))


def test_decode_float_random_decimal_strings() -> None:
    draw = random.Random(2024)
    texts = []
    for _ in range(SAMPLE):
        whole = str(draw.getrandbits(draw.randint(1, 80)))
        fraction = str(draw.getrandbits(draw.randint(1, 90)))
        form = draw.randrange(4)
        exponent = f"{draw.choice('eE')}{draw.choice(('', '+', '-'))}{draw.randint(0, 330)}"
        sign = draw.choice(("", "-"))
        text = (
            f"{whole}.{fraction}"
            if form == 0
            else f"{whole}{exponent}"
            if form == 1
            else f"{whole}.{fraction}{exponent}"
        )
        texts.append(sign + (text if form < 3 else f"0.{fraction}"))
    assert_floats(texts)


def test_decode_not_a_number_and_infinities_as_stdlib() -> None:
    assert_all_decoded(("NaN", "Infinity", "-Infinity"))
    assert_all_decoded(("nan", "NAN", "-NaN", "+Infinity", "infinity", "-infinity", "Inf", "-Inf", "NaNN", "Infinityy"))
    for word in ("NaN", "Infinity", "-Infinity"):
        assert_all_decoded(word[:end] for end in range(len(word)))


@pytest.mark.parametrize("text", ['[NaN, {"a": NaN}, NaN]', '["é", NaN]', '["中", NaN]', '["😀", NaN]'])
def test_every_nan_is_one_float_as_in_stdlib(text: str) -> None:
    value = _core.loads(text)
    assert math.isnan(value[-1])
    assert _core.loads(text) == value == _core.loads(text.encode())
    assert len({_core.Decoder().decode(text)[-1], value[-1], *(one for one in value if isinstance(one, float))}) == 1


def test_decode_what_is_no_number_raises_as_stdlib() -> None:
    starts = (
        "",
        "-",
        "+",
        "--",
        "-+",
        "0",
        "00",
        "01",
        "-01",
        "-00",
        "1",
        "12",
        ".",
        "-.",
        ".5",
        "1.",
        "1..2",
        "1.2.3",
    )
    ends = (
        "",
        "e",
        "E",
        "e+",
        "e-",
        "e5",
        "E+5",
        "e--5",
        "e5.",
        "e5.5",
        "e5e5",
        ".",
        ".e5",
        "a",
        "_0",
        "x10",
        "٣",
        "5-5",
    )
    assert_all_decoded(start + end for start in starts for end in ends)


def test_decode_number_cut_at_each_index_of_each_length() -> None:
    for number in ("-123456789012345678901234567890.123456789e-123", "0.00000000000000001E+15", "-0.5"):
        assert_all_decoded(number[:end] for end in range(len(number) + 1))


def test_decode_number_at_the_very_end_of_each_length() -> None:
    for n_digits in range(1, 70):
        for text in ("1" * n_digits, f"{'1' * n_digits}.5", f"0.{'1' * n_digits}", f"-{'1' * n_digits}e-7"):
            assert_all_decoded([text])


def test_decode_number_of_every_number_of_digits_on_each_side_of_the_point() -> None:
    dice = random.Random(5)
    for n_whole in range(1, 24):
        for n_fraction in range(24):
            digits = str(dice.randrange(10 ** (n_whole - 1), 10**n_whole))
            fraction = f".{dice.randrange(10**n_fraction):0{n_fraction}}" if n_fraction else ""
            zeros = "." + "0" * n_fraction if n_fraction else ""
            exponent = dice.choice(("", f"e{dice.randrange(-330, 310)}", f"E+{dice.randrange(30):03}"))
            texts = (digits + fraction, digits + zeros, f"0{fraction}{exponent}", f"-{digits}{fraction}{exponent}")
            assert_all_decoded(texts)
            assert_decoded(f"[{','.join(texts)}]")


def test_decode_number_at_each_distance_from_the_end() -> None:
    for number in ("7", "-255", "257", "123456789", "-1234567890123456789", "0.5", "-12.25", "1.7976931348623157e+308"):
        for n_after in range(64):
            for wide in ("", "é", "中", "😀"):
                assert_decoded(f'["{wide}",{number}{" " * n_after}]')
                assert_decoded(f'["{wide}",{number},{"1" * n_after}]' if n_after else f'["{wide}",{number}]')


def test_decode_number_that_ends_its_page_reads_nothing_after_it() -> None:
    with mmap.mmap(-1, 2 * mmap.PAGESIZE) as memory:
        # what follows in the memory are digits, which do not belong to the text
        memory[mmap.PAGESIZE :] = b"7" * mmap.PAGESIZE
        for number in ("1", "-1", "12345678", "-12345678901234567", "0.25", "1.0000000000000002", "-5e-324", "1e5"):
            for n_in_front in (*range(48), mmap.PAGESIZE - len(number)):
                text = b" " * n_in_front + number.encode()
                start = mmap.PAGESIZE - len(text)
                memory[start : mmap.PAGESIZE] = text
                with memoryview(memory) as view, view[start : mmap.PAGESIZE] as source:
                    assert_same(repr(_core.loads(source)), repr(stdlib_json.loads(number)), number)


def test_decode_number_at_the_end_of_the_readable_memory() -> None:
    with mmap.mmap(-1, mmap.PAGESIZE) as memory:
        for number in ("1", "-1", "12345678", "-12345678901234567", "0.25", "1.0000000000000002", "-5e-324", "1e5"):
            memory[-len(number) :] = number.encode()
            with memoryview(memory) as view, view[-len(number) :] as source:
                assert_same(repr(_core.loads(source)), repr(stdlib_json.loads(number)), number)


def test_decode_float_halfway_between_two_doubles() -> None:
    dice = random.Random(6)
    texts = []
    for _ in range(3000):
        halfway = Decimal(2 * dice.randrange(1 << 52, 1 << 53) + 1)
        for text in (
            f"{EXACT.multiply(halfway, EXACT.power(2, dice.randrange(-60, 20))):f}",
            f"{EXACT.multiply(halfway, EXACT.power(2, dice.randrange(-1100, 900)))}",
        ):
            texts += [text, *(text[:end] for end in (15, 16, 17, 18, 19, 20, 21) if text[end - 1 : end].isdigit())]
    for digits in range(1, 20):
        texts += [f"{dice.randrange(1, 10**digits)}e{dice.randrange(-30, 30)}" for _ in range(500)]
        texts += [f"{dice.randrange(1, 10**digits) / 2**10!r}" for _ in range(200)]
    assert_floats(text if set(text) & set(".eE") else f"{text}e0" for text in texts)


def test_decode_ints_shared_and_new_ones_mixed() -> None:
    # Python has one object for each int up to 256, from 3.15 on up to 1024. This is the next int.
    first_new = next(number for number in range(10_000) if int(str(number)) is not int(str(number)))
    dice = random.Random(7)
    for n in (1, 2, 3, 10, 100, 3000):
        numbers = [dice.randrange(-20, first_new + 150) for _ in range(n)]
        for source in (str(numbers), str(numbers).encode(), *(f'["{wide}",{numbers}]' for wide in "é中😀")):
            got = _core.loads(source)
            got = got[1] if type(got[0]) is str else got
            assert got == numbers
            shared = {number: number + 0 for number in range(-5, first_new)}
            assert all(number is shared.get(number, number) for number in got)
            others = [id(number) for number in got if not -5 <= number < first_new]
            assert len(set(others)) == len(others)


@given(st.lists(st.one_of(st.integers(), st.floats())))
def test_decode_any_numbers_equal_stdlib(numbers: list[int | float]) -> None:
    text = stdlib_json.dumps(numbers)
    assert_same(outcome(_core.loads, text), outcome(stdlib_json.loads, text), text)
    assert_same(outcome(_core.loads, text.encode()), outcome(stdlib_json.loads, text), text)


@given(st.from_regex(r"-?[0-9]{1,30}(\.[0-9]{0,30})?([eE][+-]?[0-9]{0,4})?", fullmatch=True))
def test_decode_any_text_shaped_like_a_number_equals_stdlib(text: str) -> None:
    assert_all_decoded([text])
