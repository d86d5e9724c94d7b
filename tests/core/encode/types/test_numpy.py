"""numpy's arrays and scalars: written as their Python objects are, in every memory layout."""

from __future__ import annotations

import datetime
import json
import sys
from fractions import Fraction
from typing import Any

import pytest

from ssrjson_web import Encoder, _core

np = pytest.importorskip("numpy", reason="numpy is not installed for this Python")

pytestmark = pytest.mark.usefixtures("isa")

NUMBER_TYPES = ["b", "B", "h", "H", "i", "I", "q", "Q", "?", "e", "f", "d", ">i2", ">i4", ">u8", ">f2", ">f4", ">f8"]
SHAPES = [(), (0,), (1,), (7,), (8,), (9,), (17,), (3, 4), (0, 3), (3, 0), (2, 3, 4), (1, 1, 1, 1), (2, 0, 3), (600,)]
# text around that widens the output, and how much of it stands before the array
AROUND = ["", "a", "é", "中", "😀"]


def array_of(dtype: str, shape: tuple[int, ...], seed: int = 1) -> Any:
    """Random bits: floats of every size, NaN and infinities among them."""
    n_items = int(np.prod(shape))
    bits = np.random.default_rng(seed).integers(0, 256, size=n_items * np.dtype(dtype).itemsize, dtype=np.uint8)
    if dtype == "?":
        bits &= 1
    return bits.view(dtype).reshape(shape)


def assert_as_list(array: Any, **options: Any) -> None:
    expected = json.dumps(array.tolist(), **({} if "indent" in options else {"separators": (",", ":")}), **options)
    assert _core.dumps(array, numpy=True, **options) == expected
    assert _core.dumps_to_bytes(array, numpy=True, **options) == expected.encode()


@pytest.mark.parametrize("dtype", NUMBER_TYPES)
def test_array_of_each_type_and_shape_is_written_as_its_list(dtype: str) -> None:
    for shape in SHAPES:
        assert_as_list(array_of(dtype, shape))


@pytest.mark.parametrize("dtype", ["i", "d", "?", ">f4"])
def test_array_of_each_layout_is_written_as_its_list(dtype: str) -> None:
    array = array_of(dtype, (5, 6, 7))
    for view in (array[::-1], array[::2], array[:, 1:4], array.T, np.asfortranarray(array), array[..., ::-3]):
        assert_as_list(view)
    assert_as_list(np.broadcast_to(array[0], (3, 6, 7)))
    assert_as_list(np.broadcast_to(array[0, 0, 0], (2, 2)))
    unaligned = np.frombuffer(b"x" + array.tobytes(), dtype=np.uint8)[1:].view(dtype)
    assert_as_list(unaligned)
    assert_as_list(np.lib.stride_tricks.as_strided(array, shape=(4,), strides=(0,)))


@pytest.mark.parametrize("indent", [0, 2, "é"])
def test_array_with_indent_is_laid_out_as_its_list(indent: int | str) -> None:
    for shape in SHAPES:
        array = array_of("h", shape)
        for value in (array, [array, 1], {"a": array}):
            expected = json.dumps(value, indent=indent, default=lambda a: a.tolist(), ensure_ascii=False)
            assert _core.dumps(value, numpy=True, indent=indent) == expected
            assert _core.dumps_to_bytes(value, numpy=True, indent=indent) == expected.encode()


def test_array_in_text_of_each_width_is_written_in_place() -> None:
    array = array_of("d", (3, 9))
    for text in AROUND:
        value = {"t": text, "a": array, "z": [text, array]}
        expected = json.dumps(value, default=lambda a: a.tolist(), ensure_ascii=False, separators=(",", ":"))
        assert _core.dumps(value, numpy=True) == expected
        assert _core.dumps_to_bytes(value, numpy=True) == expected.encode()
        assert b"".join(Encoder(numpy=True).iterencode(value, chunk_size=50)) == expected.encode()


def test_array_of_many_dimensions_is_written() -> None:
    array = np.arange(3).reshape((1,) * 31 + (3,))
    assert_as_list(array)


def test_half_of_each_value_is_written_exactly() -> None:
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    assert_as_list(halves)
    finite = halves[np.isfinite(halves)]
    assert (np.array(json.loads(_core.dumps(finite, numpy=True)), dtype=np.float16) == finite).all()


def test_scalar_is_written_as_its_python_value() -> None:
    for value in (np.int8(-5), np.uint64(2**64 - 1), np.float16(0.1), np.float32(0.1), np.float64(0.1), np.bool_(True)):
        assert _core.dumps(value, numpy=True) == json.dumps(value.item())
    assert _core.dumps(np.longdouble(1.5), numpy=True) == "1.5"
    assert _core.dumps(np.str_("é"), numpy=True) == '"é"'
    assert _core.dumps(np.bytes_(b"x"), numpy=True, bytes="utf-8") == '"x"'


def test_float_that_is_not_finite_follows_the_options() -> None:
    array = np.array([1.0, np.nan, np.inf, -np.inf])
    assert _core.dumps(array, numpy=True) == "[1.0,NaN,Infinity,-Infinity]"
    assert _core.dumps(array, numpy=True, nan_as_null=True) == "[1.0,null,null,null]"
    with pytest.raises(ValueError, match="Out of range float values are not JSON compliant"):
        _core.dumps(array, numpy=True, allow_nan=False)


def test_int_beyond_53_bits_follows_the_option() -> None:
    array = np.array([2**53 - 1, 2**53, -(2**53), -(2**63)])
    assert _core.dumps(array, numpy=True, int53="str") == (
        '[9007199254740991,"9007199254740992","-9007199254740992","-9223372036854775808"]'
    )
    with pytest.raises(ValueError, match="9007199254740992"):
        _core.dumps(array, numpy=True, int53="error")
    assert _core.dumps(np.array([2**64 - 1], dtype="u8"), numpy=True, int53="str") == '["18446744073709551615"]'


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us"])
def test_datetime64_of_each_unit_is_iso_text(unit: str) -> None:
    values = [np.datetime64(v, unit) for v in (0, 1, -1, 59, 60, 100, -700, 1234)]
    expected = [value.item().isoformat() for value in values]
    assert json.loads(_core.dumps(np.array(values), numpy=True)) == expected
    assert [json.loads(_core.dumps(value, numpy=True)) for value in values] == expected
    assert _core.dumps({values[0]: 1}, numpy=True) == f'{{"{expected[0]}":1}}'


def test_datetime64_of_every_day_range_is_python_s() -> None:
    days = np.arange("0001-01-01", "9999-12-31", 97, dtype="M8[D]")
    assert json.loads(_core.dumps(days, numpy=True)) == [day.isoformat() for day in days.tolist()]


def test_datetime64_precision_and_zone_follow_the_options() -> None:
    moment = np.datetime64("2021-01-02T03:04:05.123456789")
    assert _core.dumps(moment, numpy=True) == '"2021-01-02T03:04:05.123456789"'
    assert _core.dumps(moment, numpy=True, timespec="milliseconds") == '"2021-01-02T03:04:05.123"'
    assert _core.dumps(moment, numpy=True, timespec="seconds", naive="utc", utc="Z") == '"2021-01-02T03:04:05Z"'
    assert _core.dumps(np.array([5], "M8[25s]"), numpy=True) == '["1970-01-01T00:02:05"]'
    assert _core.dumps(np.array(["NaT", "2021"], "M8[ns]"), numpy=True) == '[null,"2021-01-01T00:00:00"]'
    assert _core.dumps(np.datetime64("NaT"), numpy=True) == "null"


@pytest.mark.parametrize("value", [np.datetime64(10**18, "s"), np.datetime64(-(10**9), "Y"), np.datetime64(10**5, "M")])
def test_datetime64_outside_of_four_digit_years_is_a_value_error(value: Any) -> None:
    for each in (value, np.array([value])):
        with pytest.raises(ValueError, match="years 0 to 9999"):
            _core.dumps(each, numpy=True)


def test_datetime64_of_the_first_and_last_day_of_its_years_is_written() -> None:
    days = ["0000-01-01", "0000-02-29", "0000-12-31", "0001-01-01", "9999-12-31"]
    for unit in ("D", "h", "s", "us"):
        ending = "" if unit == "D" else "T00:00:00"
        expected = [day + ending for day in days]
        array = np.array(days, f"M8[{unit}]")
        assert json.loads(_core.dumps(array, numpy=True)) == expected
        assert [json.loads(_core.dumps(day, numpy=True)) for day in array] == expected
        for beyond in (array[0] - np.timedelta64(1, unit), array[-1] + np.timedelta64(1, "D")):
            with pytest.raises(ValueError, match="years 0 to 9999"):
                _core.dumps(beyond, numpy=True)


@pytest.mark.parametrize(("unit", "n_digits"), [("ns", 9), ("ps", 12), ("fs", 15), ("as", 18)])
def test_datetime64_below_the_microsecond_has_the_digits_that_are_not_zero(unit: str, n_digits: int) -> None:
    for steps in (0, 1, -1, 999, 1000, -1000, 10**6, 10**9 + 1, 10 ** (n_digits - 6), 2**63 - 1, -(2**63) + 1):
        value = np.datetime64(steps, unit)
        seconds, rest = divmod(steps, 10**n_digits)
        digits = f"{rest:0{n_digits}}".ljust(18, "0")
        while digits[-3:] == "000" and len(digits) > 6:
            digits = digits[:-3]
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
        expected = moment.isoformat() + (f".{digits}" if rest else "")
        assert _core.dumps(value, numpy=True) == f'"{expected}"'
        assert _core.dumps({value: np.array([value])}, numpy=True) == f'{{"{expected}":["{expected}"]}}'
        cut = moment.isoformat() + "." + digits[:6]
        assert _core.dumps(value, numpy=True, timespec="microseconds") == f'"{cut}"'


UNITS = {
    "W": 604800,
    "D": 86400,
    "h": 3600,
    "m": 60,
    "s": 1,
    "ms": -3,
    "us": -6,
    "ns": -9,
    "ps": -12,
    "fs": -15,
    "as": -18,
}


def duration_text(seconds: Fraction, has_years: bool = False) -> str:
    """A duration as ISO 8601, digit by digit."""
    n_attoseconds = abs(seconds) * 10**18
    assert n_attoseconds.denominator == 1
    whole, rest = divmod(n_attoseconds.numerator, 10**18)
    days, in_day = divmod(whole, 86400)
    years, days = divmod(days, 365) if has_years else (0, days)
    digits = f".{rest:018}".rstrip("0") if rest else ""
    parts = [(in_day // 3600, "", "H"), (in_day // 60 % 60, "", "M"), (in_day % 60, digits, "S")]
    clock = "".join(f"{n}{more}{letter}" for n, more, letter in parts if n or more)
    date = (f"{years}Y" if years else "") + (f"{days}D" if days else "")
    return ("-" if seconds < 0 else "") + "P" + date + (f"T{clock}" if clock else "" if date else "T0S")


@pytest.mark.parametrize("unit", UNITS)
def test_timedelta64_of_each_unit_is_exact(unit: str) -> None:
    step = Fraction(UNITS[unit]) if UNITS[unit] > 0 else Fraction(1, 10 ** -UNITS[unit])
    numbers = [0, 1, -1, 5, 999, -1000, 86399, 10**6, -(10**9) - 1, 2**53 + 1, 10**15 + 1, 10**18, 2**63 - 1, 1 - 2**63]
    for n_units in (1, 7, 25):
        dtype = f"m8[{n_units}{unit}]"
        values = np.array([n for n in numbers if abs(n) * n_units < 2**63], "i8").view(dtype)
        exact = [int(n) * n_units * step for n in values.view("i8")]
        small = [abs(seconds) < 86400 * 2**63 for seconds in exact]
        for choice, expected in (
            ("iso", [json.dumps(duration_text(s)) for s in exact]),
            ("iso-years", [json.dumps(duration_text(s, True)) for s in exact]),
            ("seconds", [repr(s.numerator / s.denominator) for s in exact]),
        ):
            options: Any = {"numpy": True, "timedelta": choice}
            for value, text, is_small in zip(values, expected, small, strict=True):
                if choice != "seconds" and not is_small:
                    with pytest.raises(ValueError, match="days"):
                        _core.dumps(value, **options)
                    continue
                key = text.strip('"')
                assert _core.dumps(value, **options) == text
                assert _core.dumps({value: value}, **options) == f'{{"{key}":{text}}}'
                for array in (np.array([value]), np.array([value]).astype(">" + dtype)):
                    assert _core.dumps_to_bytes(array, **options) == f"[{text}]".encode()
            if choice == "seconds" or all(small):
                assert _core.dumps(values, **options) == f"[{','.join(expected)}]"
                assert _core.dumps(values[::-2], **options) == f"[{','.join(expected[::-2])}]"


def test_timedelta64_equals_timedelta_where_both_have_a_form() -> None:
    for unit in ("W", "D", "h", "m", "s", "ms", "us"):
        for steps in (0, 1, -1, 59, 3600, -86401, 10**6 + 1):
            value = np.timedelta64(steps, unit)
            for choice in ("iso", "iso-years", "seconds"):
                expected = _core.dumps(value.item(), timedelta=choice)  # type: ignore[arg-type]
                assert _core.dumps(value, numpy=True, timedelta=choice) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("unit", ["Y", "M", "generic"])
def test_timedelta64_without_a_fixed_length_is_refused_or_left_to_the_hook(unit: str) -> None:
    value = np.timedelta64(5) if unit == "generic" else np.timedelta64(5, unit)
    for document in (value, [value], {"a": value}, np.array([value]), np.array([[value]]), np.array(value)):
        for choice in ("iso", "seconds"):
            with pytest.raises(ValueError, match="fixed length"):
                _core.dumps(document, numpy=True, timedelta=choice)  # type: ignore[arg-type]
    if unit != "generic":  # which newer releases of numpy cannot hash
        with pytest.raises(ValueError, match="fixed length"):
            _core.dumps({value: 1}, numpy=True, timedelta="iso", default=str)
        assert _core.dumps({value: 1, "a": 2}, numpy=True, timedelta="iso", skipkeys=True) == '{"a":2}'
    seen: list[Any] = []
    array = np.array([[value, "NaT"]], value.dtype)
    assert (
        _core.dumps(array, numpy=True, timedelta="iso", default=lambda v: seen.append(v) or "hook") == '[["hook",null]]'
    )
    assert seen == [value]
    assert type(seen[0]) is np.timedelta64


def test_timedelta64_that_is_not_a_time_is_null() -> None:
    for unit in ("Y", "M", *UNITS, None):
        value = np.timedelta64("NaT") if unit is None else np.timedelta64("NaT", unit)
        for options in ({"timedelta": "iso"}, {"timedelta": "seconds"}, {}):
            assert _core.dumps([value, np.array([value, value])], numpy=True, **options) == "[null,[null,null]]"
            if unit is not None:
                assert _core.dumps({value: 1}, numpy=True, **options) == '{"null":1}'


def test_timedelta64_needs_the_option_of_durations() -> None:
    assert _core.dumps(np.array([90, 5], "m8[s]"), numpy=True, timedelta="iso") == '["PT1M30S","PT5S"]'
    for value in (np.array([90, 5], "m8[s]"), np.timedelta64(90, "s"), np.array(np.timedelta64(90, "s"))):
        with pytest.raises(TypeError, match="Object of type timedelta64 is not JSON serializable"):
            _core.dumps(value, numpy=True)
    assert _core.dumps(np.array([90], "m8[s]"), numpy=True, default=str) == '["90 seconds"]'


LONG = [
    "0.1",
    "1",
    "-1.5",
    "0",
    "-0.0",
    "123456789012345678.5",
    "9007199254740993",
    "1e4000",
    "-1e-4900",
    "1e16",
    "1e-5",
]


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="longdouble is double here")
def test_longdouble_that_no_double_equals_keeps_all_its_digits() -> None:
    before = np.get_printoptions()
    for legacy in (False, "1.13"):
        np.set_printoptions(precision=3, legacy=legacy)
        try:
            for digits in LONG:
                value = np.longdouble(digits)
                text = _core.dumps(value, numpy=True)
                assert np.longdouble(text) == value
                assert json.loads(text) == float(value)
                if np.longdouble(float(value)) == value:
                    assert text == json.dumps(float(value))
                assert (
                    _core.dumps({value: [np.array([value]), np.array(value)]}, numpy=True)
                    == f'{{"{text}":[[{text}],{text}]}}'
                )
        finally:
            np.set_printoptions(precision=before["precision"], legacy=before["legacy"])
    assert _core.dumps(np.longdouble("1e4000"), numpy=True, allow_nan=False, nan_as_null=True) == "1e+4000"


def test_longdouble_that_is_not_finite_follows_the_options() -> None:
    values = np.array([np.nan, np.inf, -np.inf], np.longdouble)
    assert _core.dumps(values, numpy=True) == "[NaN,Infinity,-Infinity]"
    assert _core.dumps(values, numpy=True, nan_as_null=True) == "[null,null,null]"
    for value in values:
        with pytest.raises(ValueError, match="Out of range float values"):
            _core.dumps(value, numpy=True, allow_nan=False)
    assert _core.dumps(np.arange(6, dtype=np.longdouble).reshape(2, 3), numpy=True) == "[[0.0,1.0,2.0],[3.0,4.0,5.0]]"


def test_format_of_floats_is_respected_in_arrays() -> None:
    numbers = [1e16, 1e-5, 1e-6, 1.5, -1e300, 0.1, 1e22, 5e-324, 2.0]
    for choice in ("e16", "e+16", "repr"):
        expected = _core.dumps(numbers, floats=choice)  # type: ignore[arg-type]
        for layout in ({}, {"indent": 1}):
            plain = _core.dumps(numbers, floats=choice, **layout)  # type: ignore[call-overload]
            assert _core.dumps(np.array(numbers), numpy=True, floats=choice, **layout) == plain  # type: ignore[call-overload]
        assert _core.dumps_to_bytes(np.array(numbers), numpy=True, floats=choice) == expected.encode()  # type: ignore[arg-type]


def test_array_without_dimensions_that_holds_a_scalar_is_written_as_that() -> None:
    for scalar in (np.float32(0.5), np.int8(3), np.datetime64("2020-01-02"), np.bool_(True)):
        array = np.empty((), dtype=object)
        array[()] = scalar
        assert _core.dumps(array, numpy=True) == _core.dumps(scalar, numpy=True)


def test_array_of_objects_and_texts_is_written_by_its_items() -> None:
    array = np.array(["a", "é", None, [1, {"b": datetime.date(2020, 1, 2)}]], dtype=object)
    assert _core.dumps(array, numpy=True, date="iso") == '["a","é",null,[1,{"b":"2020-01-02"}]]'
    assert _core.dumps(np.array([["a", "é中"]]), numpy=True) == '[["a","é中"]]'


@pytest.mark.parametrize(
    "value",
    [
        np.ma.array([1, 2], mask=[0, 1]),
        np.ma.masked,
        np.array([1j]),
        np.complex64(1),
        np.array([(1, 2)], dtype="i,i"),
        np.array([(1, 2)], dtype="i,i")[0],
        np.clongdouble(1),
    ],
)
def test_masked_complex_and_structured_values_are_refused(value: Any) -> None:
    for each in (value, [value], {"a": value}):
        with pytest.raises(TypeError, match="is not JSON serializable"):
            _core.dumps(each, numpy=True)
    assert _core.dumps([value], numpy=True, default=lambda v: "hook") == '["hook"]'


@pytest.mark.parametrize("floats", ["repr", "e+16", "e16"])
def test_floats_of_an_array_are_spelled_as_those_of_a_list(floats: Any) -> None:
    numbers = [1e16, -1e-5, 1.25e-6, 1e22, 1.5, 0.0, 5e-324, -1.7e308, 1e-5, 2.5e-7, 1e17, 3.0]
    for n in range(len(numbers) + 1):
        array = np.array([*numbers[:n], *([np.nan] if n % 2 else [])])
        for around in AROUND:
            for options in ({}, {"indent": 1}, {"ensure_ascii": True}):
                expected = _core.dumps([around, array.tolist()], floats=floats, **options)
                assert _core.dumps([around, array], floats=floats, numpy=True, **options) == expected
                assert _core.dumps_to_bytes([around, array], floats=floats, numpy=True, **options) == expected.encode()


def test_array_without_the_option_goes_to_the_hook() -> None:
    array = np.arange(3)
    with pytest.raises(TypeError, match="Object of type ndarray is not JSON serializable"):
        _core.dumps(array)
    assert _core.dumps(array, default=lambda a: a.tolist()) == "[0,1,2]"


def test_array_that_holds_itself_is_a_circular_reference() -> None:
    array = np.empty(1, dtype=object)
    array[0] = array
    with pytest.raises(ValueError, match="Circular reference detected"):
        _core.dumps(array, numpy=True)


def test_array_as_a_key_is_refused_and_a_scalar_taken() -> None:
    assert _core.dumps({np.int64(3): 1, np.float32(0.5): 2, np.bool_(False): 3}, numpy=True) == (
        '{"3":1,"0.5":2,"false":3}'
    )


def test_array_is_not_held_after_the_call() -> None:
    array = np.arange(10.0)
    before = sys.getrefcount(array)
    for _ in range(50):
        _core.dumps([array, array[::2]], numpy=True)
        with pytest.raises(ValueError, match="not JSON compliant"):
            _core.dumps(np.array([np.nan]), numpy=True, allow_nan=False)
    assert sys.getrefcount(array) == before


@pytest.mark.parametrize("kind", ["M8[s]", "m8[s]", "f8", "i4"])
def test_array_whose_class_resizes_it_when_asked_is_written_as_it_was(kind: str) -> None:
    class Shrinking(np.ndarray):  # type: ignore[misc]
        def __getattribute__(self, name: str) -> Any:
            if name in ("dtype", "__array_struct__"):
                np.ndarray.resize(self, (0,), refcheck=False)
            return np.ndarray.__getattribute__(self, name)

    for encode in (_core.dumps, _core.dumps_to_bytes):
        plain = np.arange(3000).astype(kind)
        array = Shrinking((3000,), kind)
        array[:] = plain
        assert encode([array, {"a": 1}], natives=True) == encode([plain, {"a": 1}], natives=True)
