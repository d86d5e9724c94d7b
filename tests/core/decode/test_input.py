"""Inputs of loads: str and its subclasses, bytes-likes, byte order marks, UTF-16 and UTF-32; and refused ones."""

from __future__ import annotations

import array
import codecs
import ctypes
import mmap
import pathlib
from typing import Any

import pytest
from helpers import json_documents, stdlib_json
from helpers.call_outcome import assert_same, outcome
from helpers.stdlib_json import assert_decoded_bytes
from hypothesis import given
from hypothesis import strategies as st

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
    for text in json_documents.VALID:
        assert outcome(_core.loads, Text(text)) == outcome(stdlib_json.loads, text), text


def test_decode_str_subclass_that_is_malformed_raises_as_stdlib() -> None:
    plain = type("Plain", (str,), {})
    for text in json_documents.MALFORMED:
        assert_same(outcome(_core.loads, plain(text)), outcome(stdlib_json.loads, text), text)


def test_decode_bytes_likes_equal_bytes() -> None:
    for text in json_documents.VALID + json_documents.MALFORMED:
        data = text.encode()
        assert_decoded_bytes(data)
        assert_same(outcome(_core.loads, Data(data)), outcome(stdlib_json.loads, data), data)


def test_decode_memoryview_of_each_origin() -> None:
    data = '["é", 1, {"中": [2.5]}]'.encode()
    expected = stdlib_json.loads(data)
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
    for view in (memoryview(b"[ 1 , 2 ]")[::2], memoryview(b"[1]")[::-1]):
        for call in ALL_CALLS:
            with pytest.raises(BufferError, match="contiguous"):
                call(view)


def test_decode_every_buffer_of_bytes_equals_bytes(tmp_path: pathlib.Path) -> None:
    for text in ('["é", 1, {"中": [2.5]}]', "[1", '"\\x"', " 5 "):
        data = text.encode()
        expected = outcome(stdlib_json.loads, data)
        (tmp_path / "document").write_bytes(data)
        with (tmp_path / "document").open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            sources: list[Any] = [
                array.array("B", data),
                array.array("b", [c - 256 if c > 127 else c for c in data]),
                (ctypes.c_char * len(data)).from_buffer_copy(data),
                (ctypes.c_ubyte * len(data)).from_buffer_copy(data),
                memoryview(data).cast("c"),
                memoryview(data * 2).cast("B", (2, len(data)))[0:1],
                type("Data", (bytearray,), {})(data),
                mapped,
            ]
            for source in sources:
                for call in ALL_CALLS[:2]:
                    assert_same(outcome(call, source), expected, type(source))


def test_decode_buffer_of_other_items_raises_type_error_that_names_them() -> None:
    views: list[Any] = [array.array(code, [1, 2]) for code in "hHiIlLqQfd"]
    views += [memoryview(b"12345678").cast("I"), memoryview(b"12").cast("?"), (ctypes.c_bool * 2)()]
    for view in views:
        for call in ALL_CALLS:
            with pytest.raises(TypeError, match=r"must hold bytes \(format B, b or c\), not items of format"):
                call(view)


def test_decode_empty_buffers_raise_as_empty_bytes() -> None:
    for source in (array.array("B"), memoryview(b""), bytearray(), memoryview(b"1")[1:], (ctypes.c_char * 0)()):
        assert_same(outcome(_core.loads, source), outcome(stdlib_json.loads, b""), source)
        assert _core.Decoder().decode_lines(source) == []


def test_decode_holds_an_mmap_open_while_hooks_run() -> None:
    with mmap.mmap(-1, 4096) as mapped:
        mapped[:16] = b'[{"a": 1}, {}]  '
        mapped[16:] = b" " * 4080

        def close(value: Any) -> Any:
            with pytest.raises(BufferError):
                mapped.close()
            return value

        assert _core.loads(mapped, object_hook=close) == [{"a": 1}, {}]


def feed(source: Any) -> Any:
    decoder = _core.Decoder()
    decoder.feed(source)
    return decoder.close()


ALL_CALLS = (_core.loads, feed, _core.Decoder().decode, _core.Decoder().decode_lines)


def test_decode_slice_of_a_buffer_reads_nothing_beyond_it() -> None:
    for text in ('[1,"é"]', '"abc"', "123", "12.5", "true", "-1e5", "[]", '{"a":1}'):
        data = text.encode()
        for beyond in (b"", b"9" * 100, b"]" * 100, b'"' * 100, b" " * 100, b"\xff" * 100):
            view = memoryview(data + beyond)[: len(data)]
            assert_same(outcome(_core.loads, view), outcome(stdlib_json.loads, text), (text, beyond[:1]))
            for end in range(len(data)):
                case = (data[:end], beyond[:1])
                assert_same(outcome(_core.loads, view[:end]), outcome(stdlib_json.loads, data[:end]), case)


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
    for text in (
        *json_documents.VALID,
        *json_documents.MALFORMED,
        '"é"',
        "1",
        "12",
        "[]",
        "{}",
        '"中文😀"',
        '["\\ud83d"]',
    ):
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
        assert_same(outcome(_core.loads, text), outcome(stdlib_json.loads, text), text)


def test_decode_empty_input_raises_as_stdlib() -> None:
    assert_same(outcome(_core.loads, ""), outcome(stdlib_json.loads, ""), "empty str")
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
        for call in ALL_CALLS:
            assert_same(outcome(call, source), expected, source)


@given(st.binary(max_size=40))
def test_decode_any_bytes_equal_stdlib(data: bytes) -> None:
    assert_decoded_bytes(data)


@given(json_documents.decoded_values, st.sampled_from(ENCODINGS))
def test_decode_any_document_in_each_encoding_equals_stdlib(value: Any, encoding: str) -> None:
    assert_decoded_bytes(stdlib_json.dumps(value).encode(encoding))
