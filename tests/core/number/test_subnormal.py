"""Subnormal floats where the CPU takes them for zero: a library that was built with -ffast-math has been loaded."""

from __future__ import annotations

import ctypes
import mmap
import platform
import random
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest
from helpers.all_outputs import in_chunks

from ssrjson_web import _core, orjson

pytestmark = [
    pytest.mark.usefixtures("isa"),
    pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="sets a register of x86-64"),
]

FLUSH_TO_ZERO_AND_DENORMALS_ARE_ZERO = 0x8040
STORE_AND_LOAD = b"\x0f\xae\x1f\xc3" + b"\x0f\xae\x17\xc3"  # stmxcsr [rdi]; ret; ldmxcsr [rdi]; ret

SUBNORMALS = [
    struct.unpack("<d", struct.pack("<Q", bits))[0]
    for bits in [1, 2, 3, 9, 2**51, 2**52 - 1, *(random.Random(1).getrandbits(52) for _ in range(30))]
]
SUBNORMALS += [-number for number in SUBNORMALS]
EDGES = [0.0, -0.0, 2.2250738585072014e-308, 1e-307, 1e-5, 1e-4, 0.5, 12.25, 1e16]
TEXTS = [repr(number) for number in SUBNORMALS]  # made before the mode is set: repr computes with them, too


@contextmanager
def subnormals_taken_for_zero() -> Iterator[None]:
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(STORE_AND_LOAD)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    function = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_uint32))
    store, load = function(begin), function(begin + 4)
    before = ctypes.c_uint32()
    store(ctypes.byref(before))
    load(ctypes.byref(ctypes.c_uint32(before.value | FLUSH_TO_ZERO_AND_DENORMALS_ARE_ZERO)))
    try:
        assert SUBNORMALS[0] * 1.0 == 0.0
        yield
    finally:
        load(ctypes.byref(before))
    assert SUBNORMALS[0] != 0.0


def bits_of(number: float) -> bytes:
    return struct.pack("<d", number)


def placed(numbers: list[float]) -> list[Any]:
    """Numbers alone, in lists of each length, mixed with others, as keys and values, in lists of lists."""
    values: list[Any] = [
        numbers[0],
        [numbers[0]],
        numbers,
        numbers * 9,
        [*numbers, "é", "中", "😀"],
        [[one] for one in numbers],
    ]
    for n in range(1, 20):
        values += [numbers[:n], (EDGES + numbers)[-n:], [0.5] * n + numbers[:1] + [0.5], [0.0] * n + numbers[:2]]
    return [*values, {"a": numbers[0], "é": numbers[1]}, dict.fromkeys(numbers, 1), {"中": [numbers, {"b": numbers}]}]


def test_subnormal_floats_keep_their_digits() -> None:
    encoders: list[Callable[[Any], Any]] = [
        lambda value, encode=encode, option=option: encode(value, **option)
        for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks)
        for option in ({}, {"indent": 1}, {"separators": (", ", ": ")}, {"ensure_ascii": True})
    ]
    encoders.append(lambda value: orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS))
    encoders.append(lambda value: orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_INDENT_2))
    for value in placed(SUBNORMALS):
        for encode in encoders:
            expected = encode(value)
            with subnormals_taken_for_zero():
                got = encode(value)
            assert got == expected


def test_subnormal_texts_keep_their_bits() -> None:
    long = [f"{text.replace('e', '0' * 25 + 'e') if '.' in text else text}" for text in TEXTS]
    halves = [f"{Decimal(number) / 2:.1100f}" for number in SUBNORMALS[:10]]
    exact = [f"{Decimal(number):.1100f}" for number in SUBNORMALS[:10]]
    for text in [
        *TEXTS,
        *long,
        *halves,
        *exact,
        "2.4703282292062327208e-324",
        "2.4703282292062328e-324",
        "1e-400",
        "-1e-330",
    ]:
        expected = float(text)
        for source in (text, text.encode(), f"[{text}]", f'{{"é": [1, {text}, 0.5]}}'.encode()):
            with subnormals_taken_for_zero():
                found = _core.loads(source), orjson.loads(source)
            for value in found:
                while not isinstance(value, float):
                    value = value["é"][1] if isinstance(value, dict) else value[0]
                assert bits_of(value) == bits_of(expected), text


def test_subnormal_numpy_floats_keep_their_digits() -> None:
    np = pytest.importorskip("numpy", reason="numpy is not installed for this Python")
    ways: list[Callable[[Any], Any]] = [
        lambda value: _core.dumps(value, natives=True),
        lambda value: _core.dumps_to_bytes(value, natives=True, float32="shortest"),
        lambda value: orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY),
    ]
    arrays = [np.array(SUBNORMALS)]
    for width, bits in ((np.float32, 23), (np.float16, 10)):
        unsigned = np.uint32 if bits == 23 else np.uint16
        fractions = [1, 2, 3, (1 << bits) - 1, 1 << bits, *(random.Random(bits).getrandbits(bits) for _ in range(20))]
        arrays += [np.array(fractions, unsigned).view(width), -np.array(fractions, unsigned).view(width)]
    for array in arrays:
        for value in (
            array,
            array[:1],
            array[1:9].reshape(2, 4),
            [array[0], {"a": array[3]}],
            [array.astype(array.dtype)],
        ):
            for encode in ways:
                expected = encode(value)
                with subnormals_taken_for_zero():
                    got = encode(value)
                assert got == expected
        swapped = array.astype(array.dtype.newbyteorder())
        expected = ways[0](swapped)
        with subnormals_taken_for_zero():
            assert ways[0](swapped) == expected
    single = np.uint32(1).view(np.float32)
    with subnormals_taken_for_zero():
        text = _core.dumps({single: single}, natives=True)
    assert text == '{"1.401298464324817e-45":1.401298464324817e-45}'
