"""Tensors by DLPack, with arrays=True: the text of tolist(); exports that contradict themselves are refused."""

from __future__ import annotations

import gc
import json
import math
import random
import struct
import weakref
from collections.abc import Callable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

import pytest
from helpers.all_outputs import assert_encoded_as, in_chunks
from helpers.builds import IS_FREE_THREADED
from helpers.exports import BFLOAT, BOOL, COMPLEX, FLOAT, HANDLE, INT, UINT, Tensor

from ssrjson_web import JSONEncodeTypeError, JSONEncodeValueError, dumps, dumps_to_bytes

pytestmark = pytest.mark.usefixtures("isa")

HOOKS: tuple[dict[str, Any], ...] = ({}, {"default": str})  # what is wrong never goes to default

TYPES = {
    (INT, 8): "b",
    (INT, 16): "h",
    (INT, 32): "i",
    (INT, 64): "q",
    (UINT, 8): "B",
    (UINT, 16): "H",
    (UINT, 32): "I",
    (UINT, 64): "Q",
    (FLOAT, 16): "e",
    (FLOAT, 32): "f",
    (FLOAT, 64): "d",
    (BOOL, 8): "?",
}


def packed(letter: str, values: list[Any]) -> bytes:
    return struct.pack(f"={len(values)}{letter}", *values)


def values_of(letter: str, n: int) -> list[Any]:
    chosen = random.Random(n)
    if letter == "?":
        return [chosen.random() < 0.5 for _ in range(n)]
    if letter in "efd":
        return list(struct.unpack(f"={n}{letter}", packed(letter, [chosen.uniform(-9, 9) for _ in range(n)])))
    n_bits = 8 * struct.calcsize(f"={letter}")
    low, high = (-(1 << n_bits - 1), (1 << n_bits - 1) - 1) if letter.islower() else (0, (1 << n_bits) - 1)
    return [low, high, *(chosen.randint(low, high) for _ in range(n))][:n]


def nested(values: list[Any], shape: tuple[int, ...], strides: tuple[int, ...], first: int = 0) -> Any:
    if not shape:
        return values[first]
    return [nested(values, shape[1:], strides[1:], first + i * strides[0]) for i in range(shape[0])]


@pytest.mark.parametrize(("code", "bits"), TYPES)
@pytest.mark.parametrize("version", [None, 1])
def test_tensor_of_each_type_is_written_as_its_list(code: int, bits: int, version: int | None) -> None:
    letter = TYPES[code, bits]
    for n in (1, 2, 7, 8, 9, 31, 32, 33, 100):
        values = values_of(letter, n)
        tensor = Tensor(packed(letter, values), code, bits, [n], version=version)
        assert dumps(tensor, arrays=True) == dumps(values)
    assert_encoded_as(values, tensor, arrays=True)


LAYOUTS: list[tuple[tuple[int, ...], tuple[int, ...] | None, int]] = [
    ((), None, 5),
    ((24,), None, 0),
    ((2, 3, 4), None, 0),
    ((4, 3, 2), (1, 4, 12), 0),
    ((3, 4), (4, 2), 1),
    ((3, 4), (-4, -1), 23),
    ((3, 4), (0, 1), 2),
    ((0,), None, 0),
    ((3, 0), None, 0),
    ((0, 3), (1, 1), 0),
    ((1,) * 64, None, 7),
]


@pytest.mark.parametrize(("shape", "strides", "first"), LAYOUTS, ids=str)
def test_tensor_of_each_layout_is_written_as_its_list(
    shape: tuple[int, ...], strides: tuple[int, ...] | None, first: int
) -> None:
    values = values_of("h", 24)
    in_items = strides
    if in_items is None:
        in_items = tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))
    expected = nested(values, shape, in_items, first)
    tensor = Tensor(packed("h", values), INT, 16, shape, strides, byte_offset=2 * first)
    assert_encoded_as(expected, tensor, arrays=True)
    assert in_chunks([tensor, 1], 3, arrays=True) == dumps_to_bytes([expected, 1])


def bfloats() -> list[float]:
    """All finite values of bfloat16."""
    patterns = (n for n in range(1 << 16) if n >> 7 & 0xFF != 0xFF)
    return [struct.unpack("=f", struct.pack("=I", n << 16))[0] for n in patterns]


def test_bfloat16_is_written_as_the_double_that_it_equals() -> None:
    values = bfloats()
    data = b"".join(struct.pack("=f", value)[2:] for value in values)
    tensor = Tensor(data, BFLOAT, 16, [len(values)])
    assert dumps(tensor, arrays=True) == dumps(values)


def rounds_to_bfloat(value: Decimal) -> float:
    if abs(value) > Decimal("3.4e38"):
        return math.inf
    bits = struct.unpack("=I", struct.pack("=f", value))[0]  # a decimal of few digits is far from a tie of both steps
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16
    return float(struct.unpack("=f", struct.pack("=I", rounded))[0])


def shortest_bfloat(value: float) -> float:
    """The decimal of fewest digits that rounds to a bfloat16; the nearest of them, and the even one of two."""
    exact = Decimal(value)
    for n_digits in range(1, 9):
        step = Decimal((0, (1,), exact.adjusted() - n_digits + 1))
        near = [(exact / step).to_integral_value(mode) * step for mode in (ROUND_FLOOR, ROUND_CEILING)]
        good = [decimal for decimal in near if rounds_to_bfloat(decimal) == value]
        if good:
            return float(min(good, key=lambda decimal: (abs(decimal - exact), decimal.as_tuple().digits[-1] % 2)))
    raise AssertionError(value)


def test_bfloat16_is_written_with_its_own_digits_where_asked() -> None:
    values = [*bfloats()[:32640:3], 3.3895313892515355e38, -0.0, 0.1005859375]
    data = b"".join(struct.pack("=f", value)[2:] for value in values)
    written = json.loads(dumps(Tensor(data, BFLOAT, 16, [len(values)]), arrays=True, float32="shortest"))
    for value, digits in zip(values, written, strict=True):
        assert digits == (value and shortest_bfloat(value)), value


def test_floats_that_are_not_finite_follow_the_options() -> None:
    tensor = Tensor(packed("f", [1.5, math.nan, -math.inf]), FLOAT, 32, [3])
    assert dumps(tensor, arrays=True) == "[1.5,NaN,-Infinity]"
    assert dumps(tensor, arrays=True, nan_as_null=True) == "[1.5,null,null]"
    with pytest.raises(JSONEncodeValueError, match="not JSON compliant"):
        dumps(tensor, arrays=True, allow_nan=False)
    bfloat = Tensor(b"\x80\x7f\xc0\x7f", BFLOAT, 16, [2])
    assert dumps(bfloat, arrays=True) == "[Infinity,NaN]"


def test_ints_follow_the_options() -> None:
    tensor = Tensor(packed("q", [1 << 53, 1]), INT, 64, [2])
    assert dumps(tensor, arrays=True, int53="str") == '["9007199254740992",1]'
    with pytest.raises(JSONEncodeValueError, match="53 bits"):
        dumps(tensor, arrays=True, int53="error")
    assert dumps(Tensor(packed("d", [1e21, 1.0]), FLOAT, 64, [2]), arrays=True, canonical=True) == "[1e+21,1]"


def test_without_the_option_a_tensor_goes_to_default_or_is_refused_with_a_hint() -> None:
    tensor = Tensor(packed("b", [1]), INT, 8, [1])
    with pytest.raises(JSONEncodeTypeError, match="Tensor is not JSON serializable") as raised:
        dumps([tensor])
    assert raised.value.__notes__ == ["at $[0]; arrays=True, or natives=True, writes it"]
    assert dumps(tensor, default=lambda value: "hook") == '"hook"'
    assert dumps(tensor, natives=True, default=lambda value: "hook") == "[1]"
    assert dumps(tensor, natives=True, arrays=False, default=lambda value: "hook") == '"hook"'
    assert dumps(tensor, exact_types=True, arrays=True, default=lambda value: "hook") == "[1]"


REFUSED = {
    "CUDA": (Tensor(b"1", INT, 8, [1], device=(2, 0)), r"Tensor is in the memory of CUDA \(DLPack's device type 2\)"),
    "CUDA, says the struct": (Tensor(b"1", INT, 8, [1], device=(1, 0)), "memory of Metal"),
    "unknown device": (Tensor(b"1", INT, 8, [1], device=(-(1 << 62), 0)), "unknown device"),
    "complex": (Tensor(bytes(8), COMPLEX, 64, [1]), "complex of 64 bits"),
    "handle": (Tensor(bytes(8), HANDLE, 64, [1]), "handle of 64 bits"),
    "float8": (Tensor(bytes(8), 10, 8, [1]), "narrow floats of 8 bits"),
    "unknown code": (Tensor(bytes(8), 200, 8, [1]), "an unknown type of 8 bits"),
    "int4": (Tensor(bytes(8), INT, 4, [1]), "int of 4 bits"),
    "int128": (Tensor(bytes(16), INT, 128, [1]), "int of 128 bits"),
    "bfloat of 8 bits": (Tensor(bytes(8), BFLOAT, 8, [1]), "bfloat of 8 bits"),
    "lanes": (Tensor(bytes(8), FLOAT, 32, [1], lanes=2), "in groups"),
}
REFUSED["CUDA, says the struct"][0].managed.tensor.device = 8


@pytest.mark.parametrize("name", REFUSED)
def test_tensor_without_a_form_goes_to_default_or_is_refused(name: str) -> None:
    tensor, message = REFUSED[name]
    assert dumps([tensor], arrays=True, default=lambda value: value.device[1]) == "[0]"
    with pytest.raises(JSONEncodeValueError, match=message) as raised:
        dumps([tensor], arrays=True)
    assert raised.value.__notes__ == ["at $[0]"]


WRONG = {
    "negative shape": (Tensor(b"1", INT, 8, [-1]), "a negative shape"),
    "stride beyond addresses": (Tensor(b"1", INT, 64, [2], [1 << 61]), "strides beyond memory"),
    "size beyond addresses": (Tensor(b"1", INT, 8, [1 << 32, 1 << 32]), "strides beyond memory"),
    "sum beyond addresses": (Tensor(b"1", INT, 8, [2, 2], [1 << 62, 1 << 62]), "strides beyond memory"),
    "sum below addresses": (Tensor(b"1", INT, 8, [2, 2, 2], [-(1 << 62)] * 3), "strides beyond memory"),
    "no data": (Tensor(b"1", INT, 8, [1], data=None), "no data"),
    "offset beyond addresses": (Tensor(b"1", INT, 8, [1], byte_offset=(1 << 64) - 1), "no data"),
    "no shape": (Tensor(b"1", INT, 8, [1], shape=None), "no shape"),
    "negative dimensions": (Tensor(b"1", INT, 8, [], n_dims=-1), "number of dimensions"),
    "too many dimensions": (Tensor(b"1", INT, 8, [1] * 65), "number of dimensions"),
    "newer struct": (Tensor(b"1", INT, 8, [1], version=2), "version 2 of DLPack"),
}


@pytest.mark.parametrize("name", WRONG)
def test_tensor_that_contradicts_itself_is_refused(name: str) -> None:
    tensor, message = WRONG[name]
    for options in HOOKS:
        with pytest.raises(JSONEncodeValueError, match=message):
            dumps(tensor, arrays=True, **options)


def test_empty_tensor_needs_no_data() -> None:
    assert dumps(Tensor(b"", INT, 8, [0], data=None), arrays=True) == "[]"
    assert dumps(Tensor(b"", INT, 64, [3, 0, 1 << 62], data=None), arrays=True) == "[[],[],[]]"


@pytest.mark.parametrize(
    "name", [b"used_dltensor", b"used_dltensor_versioned", b"dltensor2", b"", b"arrow_array", None]
)
def test_capsule_of_another_name_is_refused(name: bytes | None) -> None:
    tensor = Tensor(b"1", INT, 8, [1])
    tensor.name = name
    with pytest.raises(JSONEncodeTypeError, match='must return a new capsule "dltensor"'):
        dumps(tensor, arrays=True)


def with_methods(dlpack: Any, device: Any = lambda self: (1, 0)) -> Any:
    return type("Hostile", (), {"__dlpack__": dlpack, "__dlpack_device__": device})()


def raises(error: BaseException) -> Callable[..., Any]:
    def method(self: Any, **options: Any) -> Any:
        raise error

    return method


def wrong_methods() -> Iterator[tuple[Any, type[BaseException], str]]:
    yield with_methods(lambda self, **options: None), JSONEncodeTypeError, "must return a capsule, not NoneType"
    yield with_methods(lambda self, **options: 7), JSONEncodeTypeError, "must return a capsule, not int"
    yield with_methods(None, lambda self: (1, 0)), JSONEncodeTypeError, "not JSON serializable"
    yield with_methods(7), TypeError, "not callable"
    yield with_methods(raises(KeyError("own"))), KeyError, "own"
    yield with_methods(raises(BufferError("no"))), BufferError, "no"
    for device in (None, 1, (), (1,), (1, 2, 3), ("a", 0), [1, 0]):
        yield with_methods(None if device is None else 1, lambda self, device=device: device), TypeError, ""
    yield with_methods(1, lambda self: (1 << 99, 0)), OverflowError, ""
    yield with_methods(1, raises(ZeroDivisionError("d"))), ZeroDivisionError, "d"
    yield with_methods(1, None), TypeError, "not callable"
    yield type("NoDevice", (), {"__dlpack__": lambda self: None})(), AttributeError, "__dlpack_device__"


def test_methods_that_do_something_else_raise() -> None:
    for value, error, message in wrong_methods():
        with pytest.raises(error, match=message or None):
            dumps([value], arrays=True)


def test_only_what_cannot_be_exported_goes_to_default() -> None:
    assert dumps(with_methods(raises(BufferError("no"))), arrays=True, default=lambda value: 1) == "1"
    with pytest.raises(KeyError):
        dumps(with_methods(raises(KeyError("own"))), arrays=True, default=lambda value: 1)


def test_older_export_without_the_version_argument_is_called_without() -> None:
    tensor = Tensor(packed("b", [1, 2]), INT, 8, [2], version=None)
    calls = []

    def dlpack(self: Any, stream: Any = None) -> Any:
        calls.append(stream)
        return tensor.__dlpack__()

    assert dumps(with_methods(dlpack), arrays=True) == "[1,2]"
    assert calls == [None]


def test_method_of_an_instance_does_not_count() -> None:
    class Plain:
        pass

    plain = Plain()
    plain.__dlpack__ = lambda: None  # type: ignore[attr-defined]
    with pytest.raises(JSONEncodeTypeError, match="not JSON serializable"):
        dumps(plain, arrays=True)
    with pytest.raises(JSONEncodeTypeError, match="not JSON serializable"):
        dumps(Tensor, arrays=True)


def test_class_with_all_attributes_is_no_tensor() -> None:
    class Everything:
        def __getattr__(self, name: str) -> Any:
            return lambda *args, **options: 1

    assert dumps(Everything(), arrays=True, default=lambda value: "hook") == '"hook"'


def test_method_that_changes_what_is_being_written() -> None:
    data: dict[str, Any] = {}

    class Changing(Tensor):
        def __dlpack__(self, *, max_version: Any = None) -> Any:
            data.clear()
            outer.clear()
            gc.collect()
            assert dumps(["within", Tensor(b"\1", BOOL, 8, [])], arrays=True) == '["within",true]'
            return super().__dlpack__(max_version=max_version)

    outer = [data, "after"]
    data["tensor"] = Changing(packed("b", [1, 2]), INT, 8, [2])
    data["last"] = 3
    after = ',"after"' if IS_FREE_THREADED else ""  # without the GIL, a list is written as it was when it was reached
    assert dumps(outer, arrays=True) == f'[{{"tensor":[1,2],"last":3}}{after}]'


def test_capsule_is_held_while_it_is_written_and_not_longer() -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    memory = numpy.arange(1000.0)
    alive = weakref.ref(memory)

    class Once:
        """Gives away the only reference to its memory."""

        def __init__(self, array: Any) -> None:
            self.array = array

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

        def __dlpack__(self, **options: Any) -> Any:
            array, self.array = self.array, None
            return array.__dlpack__(**options)

    once = Once(memory)
    del memory
    assert dumps(once, arrays=True) == json.dumps([float(n) for n in range(1000)], separators=(",", ":"))
    assert alive() is None


def test_arrays_of_numpy_are_for_their_own_option() -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    masked = numpy.ma.masked_array([1, 2], mask=[True, False])
    for array in (numpy.arange(3), masked):
        assert dumps(array, arrays=True, default=lambda value: "hook") == '"hook"'
    assert dumps(numpy.arange(3), arrays=True, numpy=True) == "[0,1,2]"
    assert dumps(masked, natives=True, default=lambda value: "hook") == '"hook"'
    with pytest.raises(JSONEncodeTypeError) as raised:
        dumps(numpy.arange(3), arrays=True)
    assert "numpy=True" in raised.value.__notes__[0]


def test_tensor_is_no_key() -> None:
    tensor = Tensor(packed("b", [1]), INT, 8, [])
    with pytest.raises(JSONEncodeTypeError, match="keys must be"):
        dumps({tensor: 1}, arrays=True)
    assert dumps({tensor: 1}, arrays=True, key_default=lambda key: "k") == '{"k":1}'
