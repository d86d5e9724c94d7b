"""What loads takes: str and its subclasses, bytes-likes, byte order marks, UTF-16 and UTF-32; and what it refuses."""

from __future__ import annotations

import array
import codecs
import pathlib
from typing import Any

import documents
import pytest
import stdlib
from hypothesis import given
from hypothesis import strategies as st
from outcome import assert_same, outcome
from parity import assert_decoded_bytes

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")
MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


class Text(str):
    def __str__(self) -> str:
        return "wrong"

    def __len__(self) -> int:
        return 1

    def startswith(self, *args: Any) -> bool:
        return False


class Data(bytes):
    pass


def test_decode_str_subclass_is_read_by_its_characters() -> None:
    for text in documents.VALID:
        assert outcome(_core.loads, Text(text)) == outcome(stdlib.loads, text), text


def test_decode_str_subclass_that_is_malformed_raises_as_stdlib() -> None:
    plain = type("Plain", (str,), {})
    for text in documents.MALFORMED:
        assert_same(outcome(_core.loads, plain(text)), outcome(stdlib.loads, text), text)


def test_decode_bytes_likes_equal_bytes() -> None:
    for text in documents.VALID + documents.MALFORMED:
        data = text.encode()
        assert_decoded_bytes(data)
        assert_same(outcome(_core.loads, Data(data)), outcome(stdlib.loads, data), data)


def test_decode_memoryview_of_each_origin() -> None:
    data = '["é", 1, {"中": [2.5]}]'.encode()
    expected = stdlib.loads(data)
    padded = b"xx" + data + b"yyy"
    views: list[Any] = [
        memoryview(data),
        memoryview(bytearray(data)),
        memoryview(padded)[2:-3],
        memoryview(array.array("B", data)),
        memoryview(array.array("b", [c - 256 if c > 127 else c for c in data])),
        memoryview(data).cast("c"),
    ]
    for view in views:
        assert _core.loads(view) == expected


def test_decode_memoryview_that_is_not_contiguous_is_refused() -> None:
    view = memoryview(b"[ 1 , 2 ]")[::2]
    with pytest.raises((TypeError, BufferError, ValueError)) as raised:
        _core.loads(view)
    assert not isinstance(raised.value, _core.JSONDecodeError)


def test_decode_slice_of_a_buffer_reads_nothing_beyond_it() -> None:
    for text in ('[1,"é"]', '"abc"', "123", "12.5", "true", "-1e5", "[]", '{"a":1}'):
        data = text.encode()
        for beyond in (b"", b"9" * 100, b"]" * 100, b'"' * 100, b" " * 100, b"\xff" * 100):
            view = memoryview(data + beyond)[: len(data)]
            assert_same(outcome(_core.loads, view), outcome(stdlib.loads, text), (text, beyond[:1]))
            for end in range(len(data)):
                case = (data[:end], beyond[:1])
                assert_same(outcome(_core.loads, view[:end]), outcome(stdlib.loads, data[:end]), case)


def test_decode_releases_its_buffers() -> None:
    for content in (b"[1, 2]", b"[1, 2", b'["\xff"]'):
        data = bytearray(content)
        outcome(_core.loads, data)
        data.extend(b"grown")
        view = memoryview(data)
        outcome(_core.loads, view)
        view.release()
        data.clear()
        assert data == b""


def test_decode_bytes_in_each_encoding_equals_stdlib() -> None:
    for text in (*documents.VALID, *documents.MALFORMED, '"é"', "1", "12", "[]", "{}", '"中文😀"', '["\\ud83d"]'):
        for encoding in ENCODINGS:
            assert_decoded_bytes(text.encode(encoding))


def test_decode_bytes_in_each_encoding_cut_at_each_byte_equals_stdlib() -> None:
    for text in ("12", '["é"]', '{"中": "😀"}'):
        for encoding in ENCODINGS:
            data = text.encode(encoding)
            for end in range(len(data) + 1):
                assert_decoded_bytes(data[:end])


def test_decode_byte_order_marks_equal_stdlib() -> None:
    for first in (b"", *MARKS):
        for second in (b"", *MARKS):
            for rest in (b"", b"1", b"[1]", b"\x00", b"1\x00", b"\x001", b"1\x00\x00\x00", b"\x00\x00\x001", b"\xff"):
                assert_decoded_bytes(first + second + rest)


def test_decode_byte_order_mark_in_str_raises_as_stdlib() -> None:
    for text in ("\ufeff", "\ufeff1", "\ufeff[", "\ufffe1", " \ufeff1", "1\ufeff", '"\ufeff"', '\ufeff"é中😀"'):
        assert_same(outcome(_core.loads, text), outcome(stdlib.loads, text), text)


def test_decode_empty_input_raises_as_stdlib() -> None:
    assert_same(outcome(_core.loads, ""), outcome(stdlib.loads, ""), "empty str")
    assert_decoded_bytes(b"")


def test_decode_nul_bytes_in_each_place_equal_stdlib() -> None:
    for n_bytes in range(1, 7):
        for mask in range(2**n_bytes):
            assert_decoded_bytes(bytes(0 if mask >> i & 1 else ord("1") for i in range(n_bytes)))


def test_decode_other_types_raise_type_error_with_stdlibs_text() -> None:
    import json

    sources: tuple[Any, ...] = (None, 1, 1.5, [], {}, object(), object, pathlib.Path(), ["1"], ("1",), range(3), {1})
    for source in sources:
        expected = outcome(json.loads, source)
        assert expected[0] == "TypeError"
        assert_same(outcome(_core.loads, source), expected, source)


@given(st.binary(max_size=40))
def test_decode_any_bytes_equal_stdlib(data: bytes) -> None:
    assert_decoded_bytes(data)


@given(documents.decoded_values, st.sampled_from(ENCODINGS))
def test_decode_any_document_in_each_encoding_equals_stdlib(value: Any, encoding: str) -> None:
    assert_decoded_bytes(stdlib.dumps(value).encode(encoding))
