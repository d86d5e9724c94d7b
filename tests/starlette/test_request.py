"""SSRJSONRequest against Request: the same values and exceptions, and limits."""

from __future__ import annotations

import asyncio
import contextlib
import json
import pickle
import sys
from typing import Any

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")

from helpers import asgi_exchange
from helpers.asgi_exchange import Exchange
from helpers.bodies import BODIES as OTHER_BODIES
from helpers.bodies import DEEP
from helpers.call_outcome import Outcome, assert_same, error_outcome
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse

from ssrjson_web.starlette import SSRJSONRequest, SSRJSONRoute

BODIES = {**OTHER_BODIES, "too deep": DEEP, "too deep and cut": b'{"a":' * 100_000}


def request_of(cls: type[Request], *chunks: bytes, declared: bytes | None = None) -> tuple[Request, Exchange]:
    """A request and its exchange, which counts the received messages. The request begins as a stock one."""
    headers = [(b"content-type", b"application/json")]
    if declared is not None:
        headers.append((b"content-length", declared))
    exchange = Exchange("POST", headers, chunks or (b"",))
    request = Request(exchange.scope, exchange.receive, exchange.send)
    request.__class__ = cls
    return request, exchange


async def json_outcome(cls: type[Request], *chunks: bytes) -> Outcome:
    try:
        value = await request_of(cls, *chunks)[0].json()
    except RecursionError:
        return ("RecursionError",)  # its text depends on the depth of the stack
    except Exception as error:
        return (type(error), type(error.__context__), *error_outcome(error))
    return ("value", repr(value))


@pytest.mark.parametrize("name", BODIES)
def test_request_json_or_error_equals_stock(name: str) -> None:
    body = BODIES[name]
    for chunks in ((body,), (body[:3], body[3:])):
        got, expected = asyncio.run(json_outcome(SSRJSONRequest, *chunks)), asyncio.run(json_outcome(Request, *chunks))
        assert_same(got, expected, name)


def test_request_bodies_are_of_every_kind() -> None:
    kinds = {asyncio.run(json_outcome(Request, body))[0] for body in BODIES.values()}
    assert kinds == {"value", json.JSONDecodeError, UnicodeDecodeError, ValueError, "RecursionError"}


@pytest.mark.asyncio
async def test_request_json_is_decoded_once() -> None:
    request, _ = request_of(SSRJSONRequest, b'{"a": [1]}')
    assert await request.json() is await request.json()
    assert await request.body() == b'{"a": [1]}'


@pytest.mark.asyncio
async def test_request_that_became_ours_keeps_what_stock_had_read() -> None:
    request, exchange = request_of(Request, b"[1,", b"2]")
    await request.body()
    request.__class__ = SSRJSONRequest.limited(max_body_size=5)
    assert await request.json() == [1, 2]
    assert exchange.n_received == 2
    stock, _ = request_of(Request, b"[1]")
    value = await stock.json()
    stock.__class__ = SSRJSONRequest
    assert await stock.json() is value


@pytest.mark.asyncio
@pytest.mark.parametrize("max_body_size", [None, 100])
async def test_request_whose_client_leaves_raises_as_stock(max_body_size: int | None) -> None:
    exchange = Exchange("POST", body=())
    exchange._left.set()
    request = SSRJSONRequest.limited(max_body_size=max_body_size)(exchange.scope, exchange.receive)
    with pytest.raises(ClientDisconnect):
        await request.json()


# Limits


@pytest.mark.asyncio
@pytest.mark.parametrize("read", ["body", "json"])
@pytest.mark.parametrize("chunks", [(b"[1234567]",), (b"[12", b"345", b"67]"), (b"", b"[1234567]", b"")], ids=len)
async def test_request_of_the_size_that_is_allowed_is_read(chunks: tuple[bytes, ...], read: str) -> None:
    request, _ = request_of(SSRJSONRequest.limited(max_body_size=9), *chunks, declared=b"9")
    assert await getattr(request, read)() == (b"[1234567]" if read == "body" else [1234567])


@pytest.mark.asyncio
@pytest.mark.parametrize("read", ["body", "json", "form"])
async def test_request_that_says_it_is_too_long_is_413_before_anything_is_read(read: str) -> None:
    request, exchange = request_of(SSRJSONRequest.limited(max_body_size=9), b"0123456789", declared=b"10")
    request.scope["headers"][0] = (b"content-type", b"application/x-www-form-urlencoded")
    with pytest.raises(HTTPException) as caught:
        await getattr(request, read)()
    assert (caught.value.status_code, caught.value.detail) == (413, "The request body is longer than 9 bytes")
    assert exchange.n_received == 0


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "declared", [None, b"3", b"", b"-5", b"nine", b"\xb2", b"1" * 5000], ids=lambda text: str(text)[:9]
)
async def test_request_that_proves_too_long_is_413_at_the_chunk_that_exceeds(declared: bytes | None) -> None:
    request, exchange = request_of(SSRJSONRequest.limited(max_body_size=9), *[b"1234"] * 100, declared=declared)
    for _ in range(2):  # a second time too: the rest is no body
        with pytest.raises(HTTPException) as caught:
            await request.body()
        assert caught.value.status_code == 413
    assert exchange.n_received == (0 if declared == b"1" * 5000 else 3)


@pytest.mark.asyncio
async def test_request_stream_hands_on_no_more_than_the_limit() -> None:
    request, _ = request_of(SSRJSONRequest.limited(max_body_size=9), *[b"1234"] * 100)
    seen: list[bytes] = []
    with contextlib.suppress(HTTPException):
        async for chunk in request.stream():
            seen.append(chunk)
    assert seen == [b"1234", b"1234"]


@pytest.mark.asyncio
async def test_request_body_that_stock_had_read_is_measured_too() -> None:
    request, _ = request_of(Request, b"0123456789")
    await request.body()
    request.__class__ = SSRJSONRequest.limited(max_body_size=9)
    with pytest.raises(HTTPException):
        [_ async for _ in request.stream()]


@pytest.mark.asyncio
@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=b"])
async def test_request_form_holds_to_the_limit(content_type: str) -> None:
    pytest.importorskip("multipart", reason="python-multipart is not installed")
    if content_type.startswith("multipart"):
        part = b'--b\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n\r\n'
        chunks = [part + b"1" * 1000, b"2" * 1000, b"\r\n--b--\r\n"]
    else:
        chunks = [b"a=" + b"1" * 1000, b"2" * 1000, b""]
    size = sum(map(len, chunks))
    for limit, is_read in ((size, True), (size - 1, False), (500, False)):
        request, _ = request_of(SSRJSONRequest.limited(max_body_size=limit), *chunks)
        request.scope["headers"][0] = (b"content-type", content_type.encode())
        if is_read:
            async with request.form() as form:
                assert list(form) == ["a"]
        else:
            with pytest.raises(HTTPException) as caught:
                await request.form()
            assert caught.value.status_code == 413


@pytest.mark.asyncio
@pytest.mark.parametrize(("depth", "is_decoded"), [(1, True), (5, True), (6, False), (1000, False), (100_000, False)])
async def test_request_nested_deeper_than_the_limit_is_400(depth: int, is_decoded: bool) -> None:
    request, _ = request_of(SSRJSONRequest.limited(max_depth=5), b"[" * depth + b"]" * depth)
    if is_decoded:
        assert json.dumps(await request.json()) == "[" * depth + "]" * depth
        return
    with pytest.raises(HTTPException) as caught:
        await request.json()
    assert caught.value.status_code == 400
    assert caught.value.detail == "The JSON of the request is nested deeper than 5 levels"


@pytest.mark.asyncio
async def test_request_with_a_high_limit_is_decoded_where_stock_gives_up() -> None:
    depth = 20_000
    request, _ = request_of(SSRJSONRequest.limited(max_depth=depth), b"[" * depth + b"]" * depth)
    value, levels = await request.json(), 0
    while value:
        value, levels = value[0], levels + 1
    assert levels == depth - 1


@pytest.mark.parametrize("name", [name for name in BODIES if "deep" not in name and name != "open brackets"])
def test_request_with_a_depth_limit_fails_on_malformed_bodies_as_stock(name: str) -> None:
    limited = SSRJSONRequest.limited(max_depth=5)
    got, expected = (asyncio.run(json_outcome(cls, BODIES[name])) for cls in (limited, Request))
    assert_same(got, expected, name)


def test_request_limits_are_of_the_class_that_was_made() -> None:
    small = SSRJSONRequest.limited(max_body_size=10)
    assert issubclass(small, SSRJSONRequest)
    assert (small.max_body_size, small.max_depth) == (10, None)
    assert (SSRJSONRequest.max_body_size, SSRJSONRequest.max_depth) == (None, None)


def test_depth_limit_that_equals_an_earlier_one_is_refused() -> None:
    SSRJSONRequest.limited(max_depth=7)
    with pytest.raises(TypeError):
        SSRJSONRequest.limited(max_depth=7.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{"max_body_size": -1}, {"max_depth": 0}], ids=str)
def test_request_limit_out_of_range_is_a_value_error(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        SSRJSONRequest.limited(**options)


async def items_of(request: Request, **options: Any) -> list[Any]:
    return [item async for item in request.json_items(**options)]  # type: ignore[attr-defined]


@pytest.mark.asyncio
async def test_items_of_an_array_come_while_it_arrives() -> None:
    request, exchange = request_of(SSRJSONRequest, b'[{"a": 1}, {"b', b'": 2}', b", 3", b"]")
    received = []
    async for item in request.json_items():  # type: ignore[attr-defined]
        received.append((item, exchange.n_received))
    assert received == [({"a": 1}, 1), ({"b": 2}, 2), (3, 4)]


@pytest.mark.asyncio
@pytest.mark.parametrize("content_type", [b"application/x-ndjson", b"application/jsonl; charset=utf-8", b"text/plain"])
async def test_items_of_lines(content_type: bytes) -> None:
    exchange = Exchange("POST", [(b"content-type", content_type)], (b'{"a"', b": 1}\n\n[2]", b"\n3"))
    request = SSRJSONRequest(exchange.scope, exchange.receive)
    lines = True if content_type == b"text/plain" else None
    assert await items_of(request, lines=lines) == [{"a": 1}, [2], 3]


@pytest.mark.asyncio
@pytest.mark.parametrize("name", BODIES)
async def test_items_of_a_body_that_is_refused_raise_as_json(name: str) -> None:
    body = BODIES[name]
    expected = await json_outcome(Request, body)
    if expected[0] not in (json.JSONDecodeError, UnicodeDecodeError):
        return
    request, _ = request_of(SSRJSONRequest, body)
    with pytest.raises((json.JSONDecodeError, UnicodeDecodeError)) as raised:
        await items_of(request)
    if isinstance(raised.value, json.JSONDecodeError) and raised.value.msg != "Expecting an array":
        assert (raised.value.msg, raised.value.pos, raised.value.lineno, raised.value.colno) == expected[3:7]


@pytest.mark.asyncio
async def test_items_have_limits() -> None:
    limited = SSRJSONRequest.limited(max_depth=2, max_body_size=1000)
    with pytest.raises(HTTPException, match="nested deeper than 2 levels") as depth:
        await items_of(request_of(limited, b"[[", b"[1]]]")[0])
    assert depth.value.status_code == 400
    with pytest.raises(HTTPException, match="longer than 1000 bytes") as size:
        await items_of(request_of(limited, b"[1", *[b",1" * 100] * 9)[0])
    assert size.value.status_code == 413
    for lines in (False, True):
        with pytest.raises(HTTPException, match="longer than 20 bytes") as item:
            await items_of(
                request_of(SSRJSONRequest, b'["a' if not lines else b'"a', *[b"a" * 10] * 3)[0],
                lines=lines,
                max_item_size=20,
            )
        assert item.value.status_code == 413
    with pytest.raises(ValueError, match="max_item_size"):
        await items_of(request_of(SSRJSONRequest, b"[]")[0], max_item_size=0)


@pytest.mark.asyncio
@pytest.mark.skipif(not hasattr(sys, "get_int_max_str_digits"), reason="this Python takes integers of any length")
@pytest.mark.parametrize("lines", [False, True])
async def test_items_with_a_number_of_too_many_digits_are_the_error_of_the_client(lines: bool) -> None:
    body = b"[" + b"9" * 5000 + b"]\n"
    with pytest.raises(ValueError, match="digits") as expected:
        json.loads(body)
    with pytest.raises(HTTPException) as raised:
        await items_of(request_of(SSRJSONRequest, b" ", body)[0], lines=lines)
    error: Any = raised.value
    assert isinstance(error, ValueError)
    assert (error.status_code, error.args) == (400, expected.value.args)
    assert (str(error), error.detail) == (str(expected.value), f"The JSON of the request is malformed: {error}")
    copied = pickle.loads(pickle.dumps(error))
    assert (type(copied), copied.args) == (ValueError, error.args)


@pytest.mark.asyncio
async def test_items_of_a_client_that_leaves() -> None:
    exchange = Exchange("POST", body=())
    exchange._left.set()
    with pytest.raises(ClientDisconnect):
        await items_of(SSRJSONRequest(exchange.scope, exchange.receive))


@pytest.mark.asyncio
async def test_items_that_are_not_all_taken_close_the_stream() -> None:
    request, exchange = request_of(SSRJSONRequest, b"[1,", b"2,", b"3]")
    items = request.json_items()  # type: ignore[attr-defined]
    assert await anext(items) == 1
    await items.aclose()
    assert exchange.n_received == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("segments", [(b"[" + b"1," * 5000 + b" ", b"]"), (b"[" + b"1," * 5000, b"\n", b" ]")])
async def test_comma_before_the_end_in_segments_is_the_error_of_the_whole(segments: tuple[bytes, ...]) -> None:
    with pytest.raises(json.JSONDecodeError) as expected:
        json.loads(b"".join(segments))
    request, _ = request_of(SSRJSONRequest, *segments)
    with pytest.raises(json.JSONDecodeError) as raised:
        await items_of(request)
    assert (raised.value.msg, raised.value.pos) == (expected.value.msg, expected.value.pos)


@pytest.mark.parametrize("body", [b"[1,2", b"", b'{"a":1}', b"[1,]", b'["\xff"]', b"\xef\xbb\xbf[1"])
def test_malformed_items_are_answered_with_400(body: bytes) -> None:
    async def take(request: Any) -> Any:
        return [item async for item in request.json_items()]

    async def refuse(request: Any, error: Exception) -> Any:
        return PlainTextResponse(f"own {type(error).__mro__[1].__name__}", 418)

    routes = [SSRJSONRoute("/", take, methods=["POST"])]
    reply = asgi_exchange.call(Starlette(routes=routes), "/", "POST", content=body)
    assert reply.status_code == 400
    assert reply.text.startswith("The JSON of the request is malformed: ")
    app = Starlette(routes=routes, exception_handlers={ValueError: refuse})
    assert asgi_exchange.call(app, "/", "POST", content=body).text in ("own JSONDecodeError", "own UnicodeDecodeError")
