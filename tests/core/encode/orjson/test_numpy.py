"""numpy's arrays and scalars in ssrjson_web.orjson."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import pytest

from ssrjson_web import orjson

np: Any = pytest.importorskip("numpy", reason="numpy is not installed")

NUMPY = orjson.OPT_SERIALIZE_NUMPY
NOT_CONTIGUOUS = "numpy array is not C contiguous; use ndarray.tolist() in default"
UNKNOWN = "unsupported datatype in numpy array"


def error_of(value: Any, option: int = NUMPY) -> str:
    with pytest.raises(TypeError) as caught:
        orjson.dumps(value, option=option)
    return str(caught.value)


@pytest.mark.parametrize("value", [np.array([1]), np.int64(1), np.float64(1.5), np.datetime64("2020-01-01")], ids=repr)
def test_numpy_needs_its_flag(isa: str, value: Any) -> None:
    assert error_of(value, 0).startswith("Type is not JSON serializable: numpy.")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.arange(6).reshape(2, 3), b"[[0,1,2],[3,4,5]]"),
        (np.zeros((2, 0)), b"[[],[]]"),
        (np.array([1.5, np.nan, np.inf, 1e-6, 1e16]), b"[1.5,null,null,1e-6,1e+16]"),
        (np.array([True, False]), b"[true,false]"),
        (np.array([2**64 - 1], np.uint64), b"[18446744073709551615]"),
        (np.array([-1, 5], np.int8), b"[-1,5]"),
        (
            np.array([0.1, 1e10, 1e13, 1e-6, 1e-7, 3.4028235e38], np.float32),
            b"[0.1,10000000000.0,1e+13,0.000001,1e-7,3.4028235e+38]",
        ),
        (np.array([0.1, 65504, 6e-8, np.inf], np.float16), b"[0.099975586,65504.0,5.9604645e-8,null]"),
        (np.array(["2020-01-01T01:02:03.5"], "M8[us]"), b'["2020-01-01T01:02:03.500000"]'),
        (np.array(["2020-01-01"], "M8[D]"), b'["2020-01-01T00:00:00"]'),
        (np.array(["2020"], "M8[Y]"), b'["2020-01-01T00:00:00"]'),
        (np.array([1], "M8[10s]"), b'["1970-01-01T00:00:10"]'),
        (np.float32(0.1), b"0.1"),
        (np.float64(0.1), b"0.1"),
        (np.int64(-5), b"-5"),
        (np.bool_(True), b"true"),
        (np.str_("a"), b'"a"'),
        (np.datetime64("2020-01-01T01:02:03"), b'"2020-01-01T01:02:03"'),
    ],
    ids=repr,
)
def test_array_or_scalar_is_written(isa: str, value: Any, text: bytes) -> None:
    assert orjson.dumps(value, option=NUMPY) == text
    assert orjson.dumps({"a": [value]}, option=NUMPY) == b'{"a":[%b]}' % text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.arange(10)[::2], NOT_CONTIGUOUS),
        (np.arange(3)[::-1], NOT_CONTIGUOUS),
        (np.asfortranarray(np.arange(6).reshape(2, 3)), NOT_CONTIGUOUS),
        (np.broadcast_to(np.array([1]), (3,)), NOT_CONTIGUOUS),
        (np.array(5), UNKNOWN),
        (np.array(["a"]), UNKNOWN),
        (np.array([1, "a"], object), UNKNOWN),
        (np.array([1j]), UNKNOWN),
        (np.array([1], "m8[s]"), UNKNOWN),
        (np.array([1], np.longdouble), UNKNOWN),
        (np.ma.array([1]), "Type is not JSON serializable: MaskedArray"),
        (np.longdouble(1), "Type is not JSON serializable: numpy.longdouble"),
        (np.timedelta64(1), "Type is not JSON serializable: numpy.timedelta64"),
        (np.complex128(1), "Type is not JSON serializable: numpy.complex128"),
    ],
    ids=repr,
)
def test_what_is_not_written_goes_to_default(isa: str, value: Any, text: str) -> None:
    assert error_of([value]) == text
    assert orjson.dumps([value], default=lambda one: "d", option=NUMPY) == b'["d"]'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.array([1], ">i4"), "numpy array is not native-endianness"),
        (np.array(["NaT"], "M8[s]"), f"unrepresentable numpy.datetime64: {-(2**63)} seconds"),
        (np.array([8030], "M8[Y]"), "unrepresentable numpy.datetime64: 8030 years"),
        (np.array([1], "M8[ps]"), "unsupported numpy.datetime64 unit: picoseconds"),
        (np.datetime64("NaT"), "unsupported numpy.datetime64 unit: NaT"),
    ],
    ids=repr,
)
def test_what_is_refused_is_not_given_to_default(isa: str, value: Any, text: str) -> None:
    with pytest.raises(TypeError) as caught:
        orjson.dumps([value], default=lambda one: "d", option=NUMPY)
    assert str(caught.value) == text


def test_flags_for_datetimes_hold_for_datetime64(isa: str) -> None:
    value = np.array(["2020-01-01T01:02:03.5"], "M8[ms]")
    flags = NUMPY | orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z | orjson.OPT_PASSTHROUGH_DATETIME
    assert orjson.dumps(value, option=flags) == b'["2020-01-01T01:02:03.500000Z"]'
    assert orjson.dumps(value, option=NUMPY | orjson.OPT_OMIT_MICROSECONDS) == b'["2020-01-01T01:02:03"]'


def test_strict_integer_does_not_hold_for_arrays(isa: str) -> None:
    flags = NUMPY | orjson.OPT_STRICT_INTEGER
    assert orjson.dumps([np.array([2**60]), np.int64(2**60)], option=flags) == b"[[%d],%d]" % (2**60, 2**60)


def test_key_of_numpy_is_refused(isa: str) -> None:
    for key in (np.int64(1), np.float64(1.5), np.datetime64("2020-01-01")):
        flags = NUMPY | orjson.OPT_NON_STR_KEYS
        with pytest.raises(TypeError, match="Dict key must a type"):
            orjson.dumps({key: 1}, option=flags)


def shortest(value: Any) -> Decimal:
    """numpy's shortest digits of a float32."""
    return Decimal(np.format_float_scientific(value, unique=True, trim="-"))


def test_float32_has_its_own_shortest_digits(isa: str) -> None:
    random_bits = random.Random(7)
    bits = [random_bits.getrandbits(32) for _ in range(3000)]
    bits += [exponent << 23 for exponent in range(1, 255)]  # where the neighbour below is nearer
    bits += [(exponent << 23) - 1 for exponent in range(1, 255)]
    bits += list(range(1, 300))  # subnormals
    array = np.array(bits, np.uint32).view(np.float32)
    array = array[np.isfinite(array)]
    texts = orjson.dumps(array, option=NUMPY)[1:-1].decode().split(",")
    for value, text in zip(array, texts, strict=True):
        assert Decimal(text) == shortest(value), value
        exponent = Decimal(text).adjusted()
        assert ("e" in text) == (not -6 <= exponent <= 12) or Decimal(text) == 0, text
    assert len(texts) > 3000
