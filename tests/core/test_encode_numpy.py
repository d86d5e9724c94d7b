"""numpy's arrays and scalars: as their Python objects are written, whatever their layout."""

from __future__ import annotations

import datetime
import json
import sys
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


def test_timedelta64_needs_the_option_of_durations() -> None:
    assert _core.dumps(np.array([90, 5], "m8[s]"), numpy=True, timedelta="iso") == '["PT1M30S","PT5S"]'
    with pytest.raises(TypeError, match="timedelta"):
        _core.dumps(np.array([90, 5], "m8[s]"), numpy=True)


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
    ],
)
def test_masked_complex_and_structured_values_are_refused(value: Any) -> None:
    for each in (value, [value], {"a": value}):
        with pytest.raises(TypeError, match="is not JSON serializable"):
            _core.dumps(each, numpy=True)
    assert _core.dumps([value], numpy=True, default=lambda v: "hook") == '["hook"]'


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
