"""`parse_json` and the middleware."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from django.core.exceptions import BadRequest, RequestDataTooBig
from django.http import HttpRequest
from django.http.request import RawPostDataException
from django.test import AsyncClient, AsyncRequestFactory, Client, RequestFactory, override_settings
from helpers.call_outcome import assert_same, outcome

from ssrjson_web.django import SSRJSONMiddleware, json_items, parse_json

MIDDLEWARE = ["ssrjson_web.django.SSRJSONMiddleware"]
BODIES = (
    b"null", b' {"a": [1, 2.5, -0.0, 1e400, NaN]} ', '{"名": "值\\ud83d\\ude00"}'.encode(), b'\xef\xbb\xbf{"a": 1}',
    '{"a": "é"}'.encode("utf-16"), '{"a": "é"}'.encode("utf-32-le"), b'{"a": 1, "a": 2}', b"[" * 900 + b"]" * 900,
    b"", b" ", b"{", b"[1,]", b"{'a': 1}", b"[1] 2", b'"\xff"', b'"\xed\xa0\x80"', b"nul", b'"\n"', b"1" * 4301,
)  # fmt: skip


def request_of(body: bytes, content_type: str = "application/json") -> HttpRequest:
    return RequestFactory().generic("POST", "/", body, content_type=content_type)


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8", "text/plain", ""])
def test_parse_gives_the_value_or_the_words_of_stdlib(content_type: str) -> None:
    def expected(body: bytes) -> Any:
        try:
            return json.loads(body)
        except ValueError as error:
            raise BadRequest(f"JSON parse error - {error}") from error

    for body in BODIES:
        assert_same(outcome(parse_json, request_of(body, content_type)), outcome(expected, body), body[:50])


def test_parts_that_pointers_name() -> None:
    body = '{"user": {"id": 5, "name": "名"}, "items": [{"price": 1}, null]}'
    request = request_of(body.encode())
    parts = {"user": {"id": 5}, "items": [{"price": 1}, None]}
    assert parse_json(request, only=("/user/id", "/items/*/price")) == parts
    assert parse_json(request, only="/none") == {}
    assert parse_json(request) == parse_json(request, only=None) == json.loads(body)
    latin = request_of('{"é": 1, "b": 2}'.encode("latin-1"), "application/json; charset=latin-1")
    assert parse_json(latin, only="/é") == {"é": 1}
    for broken in BODIES[8:]:
        assert_same(outcome(parse_json, request_of(broken), only="/x"), outcome(parse_json, request_of(broken)), broken)
    with pytest.raises(ValueError, match="a JSON Pointer has a"):
        parse_json(request, only="user")


def test_parse_error_is_a_400_that_names_the_cause() -> None:
    with pytest.raises(BadRequest, match=r"^JSON parse error - Expecting value: line 1 column 2") as raised:
        parse_json(request_of(b"["))
    assert isinstance(raised.value.__cause__, json.JSONDecodeError)
    assert Client().post("/echo", b"[", "application/json").status_code == 400


@pytest.mark.parametrize("charset", ["latin-1", "ISO-8859-15", '"gb18030"', "utf-16-le", "shift_jis"])
def test_parse_reads_the_charset_that_the_content_type_names(charset: str) -> None:
    text = "é" if "8859" in charset or charset == "latin-1" else "中"
    body = json.dumps({"a": text}, ensure_ascii=False).encode(charset.strip('"'))
    assert parse_json(request_of(body, f"application/json; charset={charset}")) == {"a": text}


@pytest.mark.parametrize("charset", ["none", "zlib", "hex", "idna", "punycode", "unicode_escape", "rot13", "utf-7"])
def test_parse_of_a_charset_that_is_none_is_a_bad_request(charset: str) -> None:
    with pytest.raises(BadRequest, match="JSON parse error - "):
        parse_json(request_of(b'"a"', f"application/json; charset={charset}"))


def test_parse_of_text_that_is_not_in_its_charset_is_a_bad_request() -> None:
    with pytest.raises(BadRequest, match="codec can't decode"):
        parse_json(request_of(b'"\x81"', "application/json; charset=euc-jp"))


def test_parse_of_a_request_without_content_type_reads_its_body() -> None:
    request = HttpRequest()
    request._body = b"[1]"
    assert parse_json(request) == [1]


@pytest.mark.parametrize("max_depth", [1, 3, 1000, 5000])
def test_parse_of_what_is_nested_deeper_than_the_setting_is_a_bad_request(max_depth: int) -> None:
    with override_settings(SSRJSON={"MAX_DEPTH": max_depth}):
        fits = parse_json(request_of(b"[" * max_depth + b"]" * max_depth))
        with pytest.raises(BadRequest, match=str(max_depth)):
            parse_json(request_of(b"[" * (max_depth + 1) + b"]" * (max_depth + 1)))
    for _ in range(max_depth - 1):
        (fits,) = fits
    assert fits == []


def test_parse_of_what_is_nested_absurdly_is_a_bad_request_from_the_start() -> None:
    assert Client().post("/echo", b"[" * 100_000, "application/json").status_code == 400
    with override_settings(SSRJSON={"MAX_DEPTH": None}), pytest.raises(BadRequest, match="Expecting value"):
        parse_json(request_of(b"[" * 100_000))


def test_parse_of_what_django_finds_too_big_is_its_exception() -> None:
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=10):
        assert parse_json(request_of(b"[" + b"1" * 8 + b"]")) == [11111111]
        with pytest.raises(RequestDataTooBig):
            parse_json(request_of(b"[" + b"1" * 9 + b"]"))


def test_parse_of_a_body_that_was_read_otherwise_is_the_exception_of_django() -> None:
    request = request_of(b"[1]")
    request.read(1)
    with pytest.raises(RawPostDataException):
        parse_json(request)


@override_settings(MIDDLEWARE=MIDDLEWARE)
@pytest.mark.parametrize("path", ["/lazy_echo", "/lazy_echo_async"])
def test_middleware_gives_requests_their_json(path: str) -> None:
    expected = {"got": {"a": [1]}, "again": {"a": [1]}}
    assert Client().post(path, b'{"a": [1]}', "application/json").json() == expected
    assert Client().post(path, b"{", "application/json").status_code == 400

    async def ask(body: bytes) -> Any:
        return await AsyncClient().post(path, body, "application/json")

    assert asyncio.run(ask(b'{"a": [1]}')).json() == expected
    assert asyncio.run(ask(b"{")).status_code == 400


def test_middleware_decodes_once_and_not_before_it_is_asked() -> None:
    request = request_of(b'{"a": 1}')
    SSRJSONMiddleware(lambda request: None)(request)
    assert not hasattr(request, "_body")
    value = request.json
    assert request.json is value
    assert value == {"a": 1}
    broken = request_of(b"{")
    SSRJSONMiddleware(lambda request: None)(broken)
    for _ in range(2):
        with pytest.raises(BadRequest):
            broken.json  # noqa: B018


def test_middleware_leaves_the_class_of_a_request_what_it_was() -> None:
    for request in (request_of(b"1"), AsyncRequestFactory().post("/", b"1", "application/json")):
        before = type(request)
        for _ in range(2):  # listed twice
            SSRJSONMiddleware(lambda request: None)(request)
        assert isinstance(request, before)
        assert (type(request).__name__, type(request).__module__) == (before.__name__, before.__module__)
        assert type(request).__bases__ == (before,)
        assert not hasattr(before, "json")


def test_middleware_is_async_where_what_follows_is() -> None:
    async def get_response(request: HttpRequest) -> Any:
        return request.json

    from asgiref.sync import iscoroutinefunction

    middleware = SSRJSONMiddleware(get_response)
    assert iscoroutinefunction(middleware)
    assert not iscoroutinefunction(SSRJSONMiddleware(lambda request: None))
    assert asyncio.run(middleware(request_of(b"[1]"))) == [1]


def items_both_ways(make: Any, **options: Any) -> list[Any]:
    """The items by `for`, which are those by `async for`."""
    got = outcome(lambda: list(json_items(make(), **options)))

    async def run() -> list[Any]:
        return [item async for item in json_items(make(), **options)]

    assert_same(outcome(lambda: asyncio.run(run())), got, options)
    return list(json_items(make(), **options))


def test_items_of_an_array_and_of_lines() -> None:
    rows = [{"名": "值" * 100, "n": i} for i in range(2000)]
    array = json.dumps(rows, ensure_ascii=False).encode()
    lines = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    assert items_both_ways(lambda: request_of(array)) == rows
    assert items_both_ways(lambda: request_of(lines, "application/x-ndjson")) == rows
    assert items_both_ways(lambda: request_of(lines, "text/plain"), lines=True) == rows


@pytest.mark.parametrize("charset", ["latin-1", "gb18030", "utf-16-le", "shift_jis", "utf-8"])
def test_items_in_a_charset(charset: str) -> None:
    rows = [["é" if charset == "latin-1" else "中"] for _ in range(30_000)]
    body = json.dumps(rows, ensure_ascii=False).encode(charset)
    assert items_both_ways(lambda: request_of(body, f"application/json; charset={charset}")) == rows


@pytest.mark.parametrize("body", [body for body in BODIES if body not in (BODIES[7], BODIES[-1])])
def test_items_or_the_words_of_stdlib(body: bytes) -> None:
    expected = outcome(parse_json, request_of(body))
    got = outcome(items_both_ways, lambda: request_of(body))
    if "Expecting an array" not in got[1]:
        assert_same(got, expected, body)


@override_settings(SSRJSON={"MAX_DEPTH": 2})
def test_items_have_limits() -> None:
    with pytest.raises(BadRequest, match="max_depth"):
        items_both_ways(lambda: request_of(b"[[[1]]]"))
    with pytest.raises(RequestDataTooBig, match="longer than 100 bytes"):
        items_both_ways(lambda: request_of(b'["' + b"x" * 70_000 + b'"'), max_item_size=100)
    with pytest.raises(BadRequest, match="zlib"):
        items_both_ways(lambda: request_of(b"[]", "application/json; charset=zlib"))
    with pytest.raises(ValueError, match="max_item_size"):
        json_items(request_of(b"[]"), max_item_size=0)


def test_comma_at_the_end_of_a_chunk_before_the_bracket_is_malformed() -> None:
    body = b"[" + b"1," * 32_767 + b" ]"  # the bracket begins the second chunk of 64 KB
    with pytest.raises(json.JSONDecodeError) as expected:
        json.loads(body)
    with pytest.raises(BadRequest, match=re.escape(str(expected.value))):
        items_both_ways(lambda: request_of(body))


def test_items_leave_the_body_in_the_stream() -> None:
    request = request_of(b"[" + b"1," * 100_000 + b"1]")
    assert next(iter(json_items(request))) == 1
    assert len(request.read()) > 100_000
