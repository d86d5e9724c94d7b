"""ssrjson_web.orjson.loads: what it takes, its values and its errors, without orjson itself."""

from __future__ import annotations

import array
import json
import math
from typing import Any

import pytest

from ssrjson_web import JSONDecodeError, orjson

END = "unexpected end of data"
VALUE = "unexpected character, expected a JSON value"
LITERAL = "invalid literal, expected "
EMPTY = "Input is a zero-length, empty document"
NO_INPUT = "Input must be bytes, bytearray, memoryview, or str"
NO_TEXT = "str is not valid UTF-8: surrogates not allowed"
ESCAPE = "invalid escaped sequence in string"
IN_ARRAY = "unexpected character, expected ',' or ']'"
IN_OBJECT = "unexpected character, expected ',' or '}'"
KEY = "unexpected character, expected a string key"
COLON = "unexpected character, expected ':' after key"
EXTRA = "unexpected content after document"
INFINITE = "number is infinity when parsed as double"
NO_SIGN = "no digit after sign"
NO_POINT = "no digit after decimal point"
NO_EXPONENT = "no digit after exponent sign"
ZERO = "number with leading zero is not allowed"
TRAILING = "trailing comma is not allowed"

ERRORS: list[tuple[str, str, int]] = [
    (" ", "input data is empty", 0),
    ("[", END, 1),
    ("[1", END, 2),
    ("[1,", END, 3),
    ('{"a', END, 3),
    ('{"a"', END, 4),
    ('{"a":', END, 5),
    ('{"a":1,', END, 7),
    ("[1,]", TRAILING, 2),
    ("[1 ,  ]", TRAILING, 3),
    ('{"a":1,  }', TRAILING, 6),
    ("[1 2]", IN_ARRAY, 3),
    ("[1}", IN_ARRAY, 2),
    ('{"a":[1,2}', IN_ARRAY, 9),
    ('{"a":1 "b":2}', IN_OBJECT, 7),
    ('{"a":1]', IN_OBJECT, 6),
    ("{1:2}", KEY, 1),
    ('{"a":1,,}', KEY, 7),
    ('{"a" 1}', COLON, 5),
    ('{"a"}', COLON, 4),
    ("[,]", VALUE, 1),
    ("[1,,2]", VALUE, 3),
    ('{"a":}', VALUE, 5),
    ("[é]", VALUE, 1),
    ("NaN", VALUE, 0),
    ("[Infinity]", VALUE, 1),
    ("[-Infinity]", NO_SIGN, 2),
    ("\x00", VALUE, 0),
    ("tru", END, 3),
    ("[fals", END, 5),
    ("[tru]", LITERAL + "'true'", 1),
    ("nan", LITERAL + "'null'", 0),
    ("[falsx]", LITERAL + "'false'", 1),
    ("1 2", EXTRA, 2),
    ("truex", EXTRA, 4),
    ("[1]]", EXTRA, 3),
    ('"😀" x', EXTRA, 4),
    ("-", END, 1),
    ("--1", NO_SIGN, 1),
    ("+1", NO_SIGN, 0),
    (".5", NO_SIGN, 0),
    ("01", ZERO, 0),
    ("[-01]", ZERO, 2),
    ("1.", END, 2),
    ("[1.]", NO_POINT, 3),
    ("[1.e5]", NO_POINT, 3),
    ("1e", END, 2),
    ("[1e+]", NO_EXPONENT, 4),
    ("[1.5ex]", NO_EXPONENT, 5),
    ("1.5.5", EXTRA, 3),
    ("[1e5e5]", IN_ARRAY, 4),
    ("[0x1]", IN_ARRAY, 2),
    ("1e400", INFINITE, 0),
    ("[-1e999]", INFINITE, 1),
    ("9" * 400, INFINITE, 0),
    ("[" + "9" * 400 + ".]", NO_POINT, 402),
    ('"a', END, 2),
    ('"a\n"', "unexpected control character in string", 2),
    ('"é\\x"', ESCAPE, 2),
    ('"\\', END, 2),
    ('"\\u12', END, 5),
    ('"\\u12g4"', ESCAPE, 1),
    ('"\\ud800"', "no low surrogate in string", 1),
    ('"\\ud800\\n"', "no low surrogate in string", 1),
    ('"\\ud800\\u0041"', "invalid low surrogate in string", 1),
    ('"\\ud800\\u12x4"', "invalid escape in string", 1),
    ('"\\ud800\\u1', "invalid escape in string", 1),
    ('"\\ud83d\\ude', END, 11),
    ('"\\\\ud83d\\u12x4"', ESCAPE, 8),
    ('"\\udc00"', "invalid high surrogate in string", 1),
    ("\ufeff[]", "UTF-8 byte order mark (BOM) is not supported", 0),
]


def refusal(document: Any) -> JSONDecodeError:
    with pytest.raises(JSONDecodeError) as caught:
        orjson.loads(document)
    assert isinstance(caught.value, json.JSONDecodeError)
    return caught.value


@pytest.mark.parametrize(("document", "message", "position"), ERRORS, ids=lambda value: repr(value)[:40])
def test_error_has_orjsons_message_and_place(isa: str, document: str, message: str, position: int) -> None:
    for form in (document, document.encode(), bytearray(document.encode()), memoryview(document.encode())):
        error = refusal(form)
        assert (error.msg, error.pos, error.doc) == (message, position, document)
        expected = json.JSONDecodeError(message, document, position)
        assert (error.lineno, error.colno, str(error)) == (expected.lineno, expected.colno, str(expected))


def test_line_and_column_are_those_of_characters(isa: str) -> None:
    error = refusal('[\n\n"你", x]'.encode())
    assert (error.pos, error.lineno, error.colno) == (8, 3, 6)


@pytest.mark.parametrize("document", ["", b"", bytearray(), memoryview(b"")], ids=lambda value: type(value).__name__)
def test_empty_document_is_refused(isa: str, document: Any) -> None:
    error = refusal(document)
    assert (error.msg, error.pos, error.doc) == (EMPTY, 0, "")


class Text(str):
    __slots__ = ()


class Bytes(bytes):
    pass


class Buffer(bytearray):
    pass


@pytest.mark.parametrize(
    "document",
    [None, 1, [], Text("1"), Bytes(b"1"), Buffer(b"1"), array.array("b", b"1"), memoryview(b"12")[::-1]],
    ids=lambda value: type(value).__name__,
)
def test_other_input_is_refused(isa: str, document: Any) -> None:
    error = refusal(document)
    assert (error.msg, error.pos, error.doc) == (NO_INPUT, 0, "")


def test_memoryview_of_any_format_is_read_as_bytes(isa: str) -> None:
    assert orjson.loads(memoryview(b"[1, 2]").cast("H")) == [1, 2]
    assert orjson.loads(memoryview(array.array("b", b"[1]"))) == [1]


@pytest.mark.parametrize(
    "document",
    ['"\ud800"', '["é", "中\udfff"]', "\ud800", b"\xff", b'["\xff"]', b'"\xed\xa0\x80"', "[]".encode("utf-16")],
    ids=ascii,
)
def test_text_that_is_no_unicode_is_refused(isa: str, document: Any) -> None:
    error = refusal(document)
    assert (error.msg, error.pos, error.doc) == (NO_TEXT, 0, "")


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ("18446744073709551615", 2**64 - 1),
        ("18446744073709551616", 18446744073709551616.0),
        ("-9223372036854775808", -(2**63)),
        ("-9223372036854775809", -9223372036854775808.0),
        ("-9999999999999999999", -1e19),
        ("-18446744073709551615", -18446744073709551616.0),
        ("9223372036854775808", 2**63),
        ("123456789012345678901234567890", 1.2345678901234568e29),
        ("-" + "1" * 300, -float("1" * 300)),
        ("-0", 0),
        ("-0.0", -0.0),
        ("1e-400", 0.0),
    ],
)
def test_int_beyond_64_bits_is_a_float(isa: str, document: str, value: object) -> None:
    filler = ", 1" * 20
    for text in (document, f"[{document}]", f"[{document}{filler}]", f'{{"a": {document}, "b": [1{filler}]}}'):
        for form in (text, text.encode(), '["é中"' + text.join([",", "]"])):
            got = orjson.loads(form)
            while isinstance(got, (list, dict)):
                got = got["a"] if isinstance(got, dict) else got[1] if got[0] == "é中" else got[0]
            assert (got, type(got)) == (value, type(value))
    assert math.copysign(1, orjson.loads("-0.0")) == -1


@pytest.mark.parametrize("text", ["한글\ue000\uffff", "中" * 100, "😀퟿" * 30, "ａ" * 17, "é" * 40])
def test_text_that_looks_like_surrogates_is_read(isa: str, text: str) -> None:
    document = json.dumps({text: [text]}, ensure_ascii=False)
    assert orjson.loads(document) == orjson.loads(document.encode()) == {text: [text]}
    assert orjson.loads(json.dumps([text])) == [text]


@pytest.mark.parametrize(("begin", "end"), [("[", "]"), ('{"a":', "}")])
def test_depth_is_limited(isa: str, begin: str, end: str) -> None:
    inner = "1" if begin != "[" else ""
    assert orjson.loads(begin * 1024 + inner + end * 1024)
    error = refusal(begin * 1025 + inner + end * 1025)
    assert (error.msg, error.pos) == ("depth limit exceeded", 1024 * len(begin) + 1)
    for tail in ("[", "{"):
        error = refusal(begin * 1024 + tail)
        assert (error.msg, error.pos) == ("unexpected end of data", 1024 * len(begin) + 1)
        error = refusal(begin * 1024 + tail + " ")
        assert (error.msg, error.pos) == ("depth limit exceeded", 1024 * len(begin) + 1)


def test_arguments_are_checked(isa: str) -> None:
    call: Any = orjson.loads
    for arguments, options in [((), {}), (("1", "2"), {}), (("1",), {"x": 1}), ((), {"obj": "1"})]:
        with pytest.raises(TypeError):
            call(*arguments, **options)
