"""Arrays and scalars of ml_dtypes (bfloat16, float8, int4, ...) with numpy=True: the text of tolist()."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from helpers.all_outputs import in_chunks

from ssrjson_web import JSONEncodeTypeError, dumps, dumps_to_bytes

pytest.importorskip("numpy", reason="numpy is not installed")
pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")

import ml_dtypes
import numpy as np

pytestmark = pytest.mark.usefixtures("isa")

NAMES = sorted(
    name
    for name, value in vars(ml_dtypes).items()
    if isinstance(value, type) and issubclass(value, np.generic) and "complex" not in name
)


def bits_of(name: str) -> Any:
    """An array of all values of a type of 8 bits or less, or of many of one of 16."""
    dtype = np.dtype(getattr(ml_dtypes, name))
    (n_bits,) = map(int, re.findall(r"(?:int|float)(\d+)", name))
    raw = np.arange(1 << n_bits, dtype="u2" if dtype.itemsize == 2 else "u1")
    return (raw[::7] if dtype.itemsize == 2 else raw).view(dtype)


def test_there_are_types_to_test() -> None:
    assert {"bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "uint4"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_array_of_each_type_is_written_as_its_list(name: str) -> None:
    array = bits_of(name)
    assert dumps(array, numpy=True) == json.dumps(array.tolist(), separators=(",", ":"))
    assert dumps(array, numpy=True, indent=1) == json.dumps(array.tolist(), indent=1)
    assert (
        dumps_to_bytes({"a": [array[:3]]}, natives=True)
        == json.dumps({"a": [array[:3].tolist()]}, separators=(",", ":")).encode()
    )
    assert in_chunks([array, 1], 10, numpy=True) == dumps_to_bytes([array, 1], numpy=True)


@pytest.mark.parametrize("name", NAMES)
def test_scalar_of_each_type_is_written_as_its_python_value(name: str) -> None:
    for scalar in bits_of(name)[:40]:
        expected = json.dumps(scalar.tolist())
        assert dumps(scalar, numpy=True) == expected
        assert dumps(scalar, numpy=True, float32="shortest") == expected
        assert dumps(np.array(scalar), numpy=True) == expected


@pytest.mark.parametrize("shape", [(0,), (3, 0), (1, 1), (2, 3, 4)])
def test_array_of_each_shape_and_layout_is_written_as_its_list(shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape)).reshape(shape).astype(ml_dtypes.bfloat16)
    for view in (array, array.T, array[::-1]):
        assert dumps(view, numpy=True) == json.dumps(view.tolist(), separators=(",", ":"))


def test_not_finite_values_follow_the_options() -> None:
    array = np.array([1, np.nan, np.inf, -np.inf], ml_dtypes.bfloat16)
    assert dumps(array, numpy=True, nan_as_null=True) == "[1.0,null,null,null]"
    with pytest.raises(ValueError, match="Out of range float values"):
        dumps(array, numpy=True, allow_nan=False)


def test_large_bfloat16_has_all_digits_with_float32_shortest() -> None:
    large = ml_dtypes.bfloat16(1e30)  # beyond every half
    assert dumps(large, numpy=True, float32="shortest") == json.dumps(float(large))


def test_structures_and_raw_memory_are_refused_as_before() -> None:
    for value in (np.zeros(2, "V4"), np.zeros(2, [("a", "i4")]), np.zeros(2, [("a", ml_dtypes.bfloat16)])):
        with pytest.raises(JSONEncodeTypeError):
            dumps(value, numpy=True)


def test_array_without_the_option_goes_to_the_hook() -> None:
    array = np.ones(2, ml_dtypes.bfloat16)
    assert dumps(array, default=lambda value: value.tolist()) == "[1.0,1.0]"
