"""`SSRJSONParser` compared with the stock parser: every body in every charset, the same value or ParseError."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest
from helpers.call_outcome import assert_same
from helpers.encoder_hook_values import error_of
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from ssrjson_web.rest_framework import SSRJSONParser, SSRJSONRenderer

GOOD = [
    '{"a": [1, 2.5, null, true], "é": "中文😀"}',
    '"\\ud800"',
    "1e400",
    "[]",
    " \t\r\n 1 ",
    '{"a":1,"a":2}',
    "-0",
    "12345" * 20,
]
BAD = [
    "",
    " ",
    "{",
    "[1,]",
    "[1 2]",
    '{"a"}',
    '{"a":}',
    "{1:2}",
    "'a'",
    "nul",
    "01",
    "1.",
    "+1",
    '"\n"',
    '"\\x"',
    '"a',
    "]",
    "1 2",
    "\ufeff1",
    "\ufeff",
    "NaN",
    "[Infinity]",
    "-Infinity",
    '{"a": NaN}',
    "é",
    "\x00",
    "[\x00]",
    "\x0b1",
    '"\\ud8"',
    "9" * 5000,
    "[" * 250,
    "[" * 250 + "NaN" + "]" * 250,
]
BODIES: list[bytes] = [
    *(text.encode() for text in GOOD + BAD),
    *(text.encode("utf-16") for text in GOOD),
    *(text.encode("utf-16-le") for text in GOOD),
    *(text.encode("utf-32-be") for text in GOOD),
    *(text.encode("utf-8-sig") for text in GOOD),
    *(
        b'["' + broken + b'"]'
        for broken in (
            b"\xff",
            b"\xc0\x80",
            b"\xe4\xb8",
            b"\xed\xa0\x80",
            b"\xf4\x90\x80\x80",
            b"\x80",
            b"\xed\x9f\xbf",
        )
    ),
    b'"whole"\xe4\xb8',
    b'"whole"\xed\xa0',
    b"\xff\xfe",
    b"\xfe\xff1",
    b"\x001",
    b"1\x00\x00\x00",
    '"한국어"'.encode(),
    b'{"k": "' + "汉字".encode() * 5000 + b'"}',
    b'{"k": "' + "汉字".encode() * 5000 + b'",}',
]
CHARSETS = [
    "utf-8",
    "UTF8",
    "utf_8",
    "latin-1",
    "ascii",
    "utf-16",
    "utf-8-sig",
    "utf-7",
    "bz2_codec",
    "rot13",
    "nothing",
    "idna",
    "",
]


def parsed(parser: JSONParser, body: bytes, context: Any) -> tuple[Any, ...]:
    found = error_of(lambda: repr(parser.parse(io.BytesIO(body), "application/json", context)))
    return found


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("charset", [None, *CHARSETS])
def test_body_is_parsed_as_stock(strict: bool, charset: str | None) -> None:
    theirs, ours = JSONParser(), SSRJSONParser()
    theirs.strict = ours.strict = strict
    context = None if charset is None else {"encoding": charset}
    for body in BODIES:
        assert_same(parsed(ours, body, context), parsed(theirs, body, context), (body, charset, strict))


def test_table_holds_values_and_errors() -> None:
    kinds = [parsed(JSONParser(), body, None)[0] for body in BODIES]
    assert kinds.count("value") >= 10
    assert kinds.count(ParseError) >= 40


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":['])
@pytest.mark.parametrize("is_closed", [True, False])
@pytest.mark.parametrize("charset", ["utf-8", "latin-1"])
def test_nesting_beyond_pythons_stack_is_a_parse_error(opening: str, is_closed: bool, charset: str) -> None:
    closing = "".join({"[": "]", "{": "}"}.get(char, "") for char in reversed(opening))
    body = (opening * 200_000 + "1" + (closing * 200_000 if is_closed else "")).encode()
    context = {"encoding": charset}
    with pytest.raises(RecursionError):
        JSONParser().parse(io.BytesIO(body), None, context)
    with pytest.raises(ParseError, match="JSON parse error - nested too deeply") as caught:
        SSRJSONParser().parse(io.BytesIO(body), None, context)
    assert caught.value.status_code == 400


def test_nesting_that_stock_takes_is_taken() -> None:
    body = b"[" * 300 + b"]" * 300
    assert json.loads(body) == SSRJSONParser().parse(io.BytesIO(body))


def test_error_is_as_if_stdlib_had_been_alone() -> None:
    with pytest.raises(ParseError) as caught:
        SSRJSONParser().parse(io.BytesIO(b"[1,x]"))
    context = caught.value.__context__
    assert type(context) is json.JSONDecodeError
    assert type(context.__context__) is StopIteration  # stdlib's own


class Broken(io.BytesIO):
    def __init__(self, error: Exception) -> None:
        self.error = error

    def read(self, *args: Any) -> bytes:
        raise self.error


@pytest.mark.parametrize("error", [OSError("gone"), ValueError("closed"), UnicodeError("odd"), KeyError("x")], ids=repr)
def test_error_of_the_stream_is_stocks(error: Exception) -> None:
    theirs = error_of(lambda: JSONParser().parse(Broken(error)))
    assert error_of(lambda: SSRJSONParser().parse(Broken(error))) == theirs


@pytest.mark.parametrize(
    "body",
    [bytearray(b"[1]"), bytearray(b"[1"), bytearray("é\udcff".encode("utf-8", "surrogatepass")), "[1]"],
    ids=repr,
)
def test_body_that_is_not_bytes_is_parsed_as_stock(body: Any) -> None:
    class Stream:
        def __init__(self) -> None:
            self.parts = [body, b""]

        def read(self, *args: Any) -> Any:
            return self.parts.pop(0)

    theirs = error_of(lambda: JSONParser().parse(Stream()))
    ours = error_of(lambda: SSRJSONParser().parse(Stream()))
    assert ours[0] == theirs[0]


def test_parser_renders_by_our_renderer() -> None:
    assert SSRJSONParser.renderer_class is SSRJSONRenderer
    assert SSRJSONParser.strict is JSONParser.strict
    assert issubclass(SSRJSONParser, JSONParser)


def test_stack_is_as_deep_as_these_tests_take_it_to_be() -> None:
    assert sys.getrecursionlimit() >= 500
