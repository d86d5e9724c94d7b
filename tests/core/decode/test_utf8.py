"""Decoding UTF-8: every fault at every lane raises as in stdlib; encoded surrogates are accepted as in stdlib."""

from __future__ import annotations

import ctypes
import itertools
import mmap
import random

import pytest
from helpers import json_documents, stdlib_json
from helpers.call_outcome import assert_same, outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

# RFC 3629: what must not be. Each is followed by more text, so the cut ones are truly cut.
FAULTS = {
    "lone continuation": [b"\x80", b"\xbf", b"\xc2\x80\x80", b"\xe4\xb8\xad\x80", b"\xf0\x9f\x98\x80\xbf"],
    "overlong two bytes": [b"\xc0\x80", b"\xc0\xaf", b"\xc1\xbf"],
    "overlong three bytes": [b"\xe0\x80\x80", b"\xe0\x9f\xbf"],
    "overlong four bytes": [b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf"],
    "beyond U+10FFFF": [b"\xf4\x90\x80\x80", b"\xf4\xbf\xbf\xbf", b"\xf5\x80\x80\x80", b"\xf7\xbf\xbf\xbf"],
    "never a byte of UTF-8": [b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80", b"\xfe", b"\xff"],
    "cut two bytes": [b"\xc2", b"\xdf"],
    "cut three bytes": [b"\xe0\xa0", b"\xe4", b"\xe4\xb8", b"\xef\xbf", b"\xed\x9f"],
    "cut four bytes": [b"\xf0", b"\xf0\x9f", b"\xf0\x9f\x98", b"\xf4\x8f\xbf"],
    "cut surrogate": [b"\xed", b"\xed\xa0", b"\xed\xbf"],
}
SURROGATES = [b"\xed\xa0\x80", b"\xed\xaf\xbf", b"\xed\xb0\x80", b"\xed\xbf\xbf", b"\xed\xa0\xbd\xed\xb8\x80"]


def assert_decoded(data: bytes) -> None:
    assert_same(outcome(_core.loads, data), outcome(stdlib_json.loads, data), data)


@pytest.mark.parametrize("fault", FAULTS)
def test_decode_fault_at_every_lane_raises_at_its_byte(fault: str) -> None:
    for bad in FAULTS[fault]:
        for fill in json_documents.CLASSES.values():
            char = fill.encode()
            for length in json_documents.LENGTHS:
                for index in {*range(0, min(length, 70)), *range(max(0, length - 4), length + 1)}:
                    assert_decoded(b'"' + char * index + bad + char * (length - index) + b'"')


def test_decode_fault_in_long_text_raises_at_its_byte() -> None:
    # the first 256 bytes are decoded as they are scanned, longer text by whole vectors and a rest
    for bad in (
        b"\x80",
        b"\xc1\xbf",
        b"\xe0\x9f\xbf",
        b"\xf0\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xe4\xb8",
        b"\xf0\x9f\x98",
    ):
        for fill in json_documents.CLASSES.values():
            char = fill.encode()
            length = 640 // len(char)
            for n_bytes in (*range(188, 196), *range(248, 262), *range(316, 324), *range(380, 388), *range(508, 516)):
                index = n_bytes // len(char)
                for shift in (b"", b"a", b"aa"):
                    assert_decoded(b'"' + shift + char * index + bad + char * (length - index) + b'"')


def test_decode_sequence_across_each_border_of_blocks() -> None:
    for sequence in ("é", "я", "中", "😀", "\ud800"):
        data = sequence.encode("utf-8", "surrogatepass")
        for fill in json_documents.CLASSES.values():
            for n in range(270):
                assert_decoded(b'"' + b"a" * n + data + fill.encode() * 100 + b'"')
                assert_decoded(b'"' + b"a" * n + data + b'"')


def test_decode_text_that_ends_where_memory_ends() -> None:
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 2 * page)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    assert protect(ctypes.c_void_p(base + page), ctypes.c_size_t(page), 0) == 0  # no access
    try:
        for fill in (*json_documents.CLASSES.values(), "\\n", "\\u4e2d"):
            for n in (*range(70), 96, 127, 128, 129, 160, 192, 256, 257, 300):
                for first, last in itertools.product(
                    ("", "\\u4e2d"), ('"', "", "\\", "\\u4e", '中"', '\\ud83d\\ude00"')
                ):
                    data = f'"{first}{fill * n}{last}'.encode()
                    memory[page - len(data) : page] = data
                    with memoryview(memory)[page - len(data) : page] as view:
                        assert_same(outcome(_core.loads, view), outcome(stdlib_json.loads, data), data)
    finally:
        assert protect(ctypes.c_void_p(base + page), ctypes.c_size_t(page), mmap.PROT_READ | mmap.PROT_WRITE) == 0


def test_decode_fault_at_the_end_of_the_input_raises_at_its_byte() -> None:
    for bad in itertools.chain(*FAULTS.values(), SURROGATES):
        for fill in json_documents.CLASSES.values():
            for n in (*range(36), 63, 64, 65):
                assert_decoded(b'"' + fill.encode() * n + bad)
                assert_decoded(b"1" + b" " * n + bad)


def test_decode_fault_outside_strings_raises_as_stdlib() -> None:
    for bad in itertools.chain(*FAULTS.values(), SURROGATES, ["é".encode(), "中".encode(), "😀".encode()]):
        for before, after in (
            (b"", b"[1]"),
            (b"[1]", b""),
            (b"[1] ", b" "),
            (b"[", b"]"),
            (b"[1", b",2]"),
            (b"[1,", b"]"),
            (b'{"a"', b":1}"),
            (b"tr", b"ue"),
            (b"1", b"2"),
            (b'{"', b'":1}'),
            (b'["\\', b'"]'),
            (b'["\\u00', b'"]'),
            (b'["\\u12', b'34"]'),
        ):
            assert_decoded(before + bad + after)


def test_decode_fault_wins_over_malformed_json_before_it() -> None:
    # stdlib decodes the whole input first
    for text in (b"[1,}", b"[", b"nul", b"", b'"a" "b"', b'["\\x"]', b'["\n"]', b"[1] x", b"\xed\xa0\x80"):
        for gap in (b"", b" " * 100, b"[" * 100):
            assert outcome(_core.loads, text + gap + b"\xff")[0] == "UnicodeDecodeError"
            assert_decoded(text + gap + b"\xff")


def test_decode_two_faults_raises_at_the_first() -> None:
    faults = [bad[0] for bad in FAULTS.values()]
    for first, second in itertools.product(faults, faults):
        for gap in (0, 1, 15, 16, 31, 63, 64, 65):
            assert_decoded(b'["' + first + b"a" * gap + second + b'"]')
            assert_decoded('["中'.encode() + first + "中".encode() * gap + second + b'"]')


def test_decode_encoded_surrogate_at_every_lane_is_a_lone_surrogate() -> None:
    assert _core.loads(b'"\xed\xa0\x80"') == "\ud800"
    assert _core.loads(b'"\xed\xa0\xbd\xed\xb8\x80"') == "\ud83d\ude00"
    for surrogate in SURROGATES:
        for fill in json_documents.CLASSES.values():
            char = fill.encode()
            for length in json_documents.LENGTHS:
                for index in {*range(0, min(length, 70)), length}:
                    assert_decoded(b'["' + char * index + surrogate + char * (length - index) + b'"]')
        assert_decoded(b'{"' + surrogate + b'": "\\ud83d' + surrogate + b'"}')


def test_decode_every_two_bytes_equal_stdlib() -> None:
    for first in range(0x80, 0x100):
        for second in range(0x100):
            assert_decoded(b'"' + bytes((first, second)) + b'"')


def test_decode_every_second_byte_of_longer_sequences_equals_stdlib() -> None:
    for first in range(0xE0, 0xF8):
        for second in range(0x80, 0xC0):
            for rest in (b"\x80", b"\xbf\xbf", b"\x80\x80", b"\xbf\xbf\x80", b"a", b""):
                assert_decoded(b'"' + "中".encode() * 10 + bytes((first, second)) + rest + b'"')


def test_decode_every_byte_at_every_lane_of_text_equals_stdlib() -> None:
    base = 'aé中😀"'.encode() * 16
    base = b'"' + base.replace(b'"', b"b") + b'"'
    for index in range(len(base)):
        for byte in (
            0x00,
            0x1F,
            0x41,
            0x7F,
            0x80,
            0x9F,
            0xA0,
            0xBF,
            0xC0,
            0xC2,
            0xE0,
            0xE4,
            0xED,
            0xF0,
            0xF4,
            0xF5,
            0xFF,
        ):
            assert_decoded(base[:index] + bytes((byte,)) + base[index + 1 :])
            assert_decoded(base[:index] + bytes((byte,)) + base[index:])
        assert_decoded(base[:index] + base[index + 1 :])
        assert_decoded(base[: index + 1])


def test_decode_random_damage_to_valid_text_equals_stdlib() -> None:
    draw = random.Random(3629)
    for text in json_documents.mixed("aéя中😀\x7f\u07ff\u0800\uffff\U0010ffff", 4000, seed=3629):
        data = bytearray(f'"{text}"'.encode())
        for _ in range(draw.randint(1, 3)):
            data[draw.randrange(1, max(2, len(data) - 1))] = draw.randrange(256)
        assert_decoded(bytes(data))


@given(st.binary(max_size=100))
def test_decode_any_bytes_in_a_string_equal_stdlib(data: bytes) -> None:
    assert_decoded(b'"' + data + b'"')


@given(
    st.lists(
        st.sampled_from([*(char.encode() for char in json_documents.EDGES), *SURROGATES, *FAULTS["cut four bytes"]])
    )
)
def test_decode_any_sequence_of_edges_equals_stdlib(pieces: list[bytes]) -> None:
    assert_decoded(b'["' + b"".join(pieces) + b'"]')
