"""float32="shortest": numpy's floats of 16 and 32 bits with their own shortest digits."""

from __future__ import annotations

import importlib
import json
import math
from typing import Any

import pytest
from helpers.all_outputs import encodings
from helpers.call_outcome import assert_same

from ssrjson_web import _core

np = pytest.importorskip("numpy", reason="numpy is not installed")
pytest.importorskip("orjson", reason="orjson is not installed")

check_singles = importlib.import_module("check_singles")  # needs orjson
pytestmark = pytest.mark.usefixtures("isa")


def shortest(value: Any, **options: Any) -> str:
    return _core.dumps(value, numpy=True, float32="shortest", **options)


def test_each_half_has_its_shortest_digits() -> None:
    assert check_singles.wrong_halves() == []


@pytest.mark.parametrize("batch", range(0, check_singles.N_BATCHES, 1201))
def test_singles_of_every_size_have_their_shortest_digits(batch: int) -> None:
    assert check_singles.wrong_singles(batch) == []


def test_limits_and_special_numbers() -> None:
    numbers = np.array([0.1, -0.1, 1e-45, 3.4028235e38, 2.0**24, 1e10, 1e16, 1e-5, 0.0, -0.0, math.inf], dtype="f4")
    text = "[0.1,-0.1,1e-45,3.4028235e+38,16777216.0,10000000000.0,1e+16,1e-05,0.0,-0.0,Infinity]"
    for way, got in encodings(numbers, numpy=True, float32="shortest"):
        assert_same(got, ("value", repr(text)), way)
    assert shortest(numbers[5:8], floats="e16") == "[10000000000.0,1e16,0.00001]"
    assert shortest(numbers[-1:], nan_as_null=True) == "[null]"


def test_any_layout_of_an_array() -> None:
    numbers = np.arange(60, dtype="f4").reshape(3, 4, 5) / 10
    expected = [[[float(str(x)) for x in row] for row in rows] for rows in numbers]
    for array in (numbers, np.asfortranarray(numbers), numbers.astype(">f4"), numbers[::-1][::-1]):
        assert json.loads(shortest(array)) == expected
    assert json.loads(shortest(numbers[:, ::2, 1])) == [[row[1] for row in rows[::2]] for rows in expected]
    assert shortest(np.array(0.1, dtype="f4")) == "0.1"
    assert shortest(np.array([[0.1]], dtype="f2"), indent=1) == "[\n [\n  0.1\n ]\n]"


def test_scalars_keys_and_arrays_of_objects() -> None:
    assert shortest([np.float32(0.1), np.float16(0.1), np.float64(0.1), 0.1]) == "[0.1,0.1,0.1,0.1]"
    assert shortest({np.float32(0.3): np.float32("nan")}) == '{"0.3":NaN}'
    assert shortest(np.array([np.float32(0.1), np.float16(2.5)], dtype=object)) == "[0.1,2.5]"


def test_wider_floats_and_the_default_stay() -> None:
    wide = np.array([0.1, 1 / 3])
    assert shortest(wide) == _core.dumps(wide, numpy=True) == "[0.1,0.3333333333333333]"
    assert _core.dumps(np.float32(0.1), numpy=True, float32=None) == "0.10000000149011612"


def test_without_numpy_it_has_no_effect() -> None:
    with pytest.raises(
        TypeError, match=r"^float32='shortest' has no effect without numpy=True, arrays=True or natives=True$"
    ):
        _core.dumps(1, float32="shortest")
    with pytest.raises(ValueError, match="float32 must be None or 'shortest'"):
        _core.dumps(1, numpy=True, float32="short")
