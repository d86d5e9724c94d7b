"""What loads gives with number_arrays, made slowly of the value that it gives without."""

from __future__ import annotations

import array
import struct
from typing import Any

MAX_DIMS = 8


def shape_of(value: Any, dims: int) -> tuple[int, ...] | None:
    """The shape of numbers in lists of equal lengths, of at most that many levels."""
    if type(value) in (int, float):
        return ()
    if not isinstance(value, list) or not value or dims == 0:
        return None
    shapes = {shape_of(item, dims - 1) for item in value}
    (shape, *others) = shapes
    return None if others or shape is None else (len(value), *shape)


def flat(value: Any) -> list[Any]:
    return [number for item in value for number in flat(item)] if isinstance(value, list) else [value]


def code_of(numbers: list[Any]) -> str | None:
    """'d' or 'q', as struct and array name them; None where neither holds all numbers exactly."""
    ints = [number for number in numbers if isinstance(number, int)]
    if any(not -(2**63) <= number < 2**63 for number in ints):
        return None
    if len(ints) == len(numbers):
        return "q"
    return "d" if all(int(float(number)) == number for number in ints) else None


def expected(value: Any, kind: str, n_min: int) -> Any:
    """What loads of the same text gives with number_arrays=kind, arrays as tuples."""
    if isinstance(value, dict):
        return {key: expected(item, kind, n_min) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    shape = shape_of(value, MAX_DIMS if kind == "numpy" else 1)
    numbers = flat(value) if shape is not None else []
    code = code_of(numbers)
    if shape is None or code is None or len(numbers) < n_min:
        return [expected(item, kind, n_min) for item in value]
    return "array", code, shape, struct.pack(f"{len(numbers)}{code}", *numbers)


def described(value: Any) -> Any:
    """The value with arrays as tuples, checked for what is promised of each."""
    if isinstance(value, dict):
        return {key: described(item) for key, item in value.items()}
    if isinstance(value, list):
        return [described(item) for item in value]
    if isinstance(value, array.array):
        return "array", value.typecode, (len(value),), value.tobytes()
    if type(value).__module__ == "numpy":
        assert type(value).__name__ == "ndarray"
        assert value.flags.c_contiguous
        assert value.flags.writeable
        assert value.flags.owndata
        assert value.flags.aligned
        assert value.dtype.isnative
        return "array", {"float64": "d", "int64": "q"}[value.dtype.name], value.shape, value.tobytes()
    return value
