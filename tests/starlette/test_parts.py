"""request.json(only=): the parts of a body, with the errors of json(); nothing is kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from helpers.call_outcome import assert_same
from starlette.exceptions import HTTPException

from ssrjson_web.starlette import SSRJSONRequest

BODY = '{"user": {"id": 5, "name": "名"}, "items": [{"price": 1, "n": 2}, null]}'.encode()
PARTS = {"user": {"id": 5}, "items": [{"price": 1}, None]}
ONLY = ("/user/id", "/items/*/price")


def request_of(body: bytes, cls: type[SSRJSONRequest] = SSRJSONRequest) -> SSRJSONRequest:
    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    return cls({"type": "http", "method": "POST", "headers": [], "path": "/", "query_string": b""}, receive)


async def outcome_of(awaitable: Any) -> tuple[Any, ...]:
    try:
        return "value", await awaitable
    except Exception as error:
        return type(error).__name__, str(error), getattr(error, "pos", None)


@pytest.mark.asyncio
async def test_parts_and_the_whole_value_in_any_order() -> None:
    for is_first in (True, False):
        request = request_of(BODY)
        if is_first:
            assert await request.json() == json.loads(BODY)
        assert await request.json(only=ONLY) == PARTS
        assert await request.json(only=iter(ONLY)) == PARTS
        assert await request.json(only="/user/id") == {"user": {"id": 5}}
        assert await request.json() == await request.json(only=None) == json.loads(BODY)
        assert await request.json(only=["/none"]) == {}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "body", [b"", b"{", b"[1,]", b"\xff", b'{"a": "\xc3"}', b"[" * 300 + b"]" * 299, b"[" * 300 + b"]" * 300]
)
async def test_errors_are_those_of_json(body: bytes) -> None:
    expected = await outcome_of(request_of(body).json())
    got = await outcome_of(request_of(body).json(only="/0/0"))
    if expected[0] == "value":
        expected = ("value", await request_of(body).json())
    assert_same(got, expected, body)


@pytest.mark.asyncio
async def test_limits_hold_for_parts() -> None:
    limited = SSRJSONRequest.limited(max_body_size=10, max_depth=2)
    with pytest.raises(HTTPException, match="413"):
        await request_of(BODY, limited).json(only=ONLY)
    with pytest.raises(HTTPException, match="nested deeper than 2 levels"):
        await request_of(b"[[[1]]]", limited).json(only="/5")


@pytest.mark.asyncio
async def test_wrong_pointers_are_errors_of_the_call() -> None:
    with pytest.raises(ValueError, match="a JSON Pointer has a"):
        await request_of(BODY).json(only="user")
    with pytest.raises(TypeError, match="a str or an iterable of str"):
        await request_of(BODY).json(only=[1])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="a str or an iterable of str, not bytes"):
        await request_of(BODY).json(only=b"/user")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a str or an iterable of str, not int"):
        await request_of(BODY).json(only=5)  # type: ignore[arg-type]
