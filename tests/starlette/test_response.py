"""SSRJSONResponse against JSONResponse: the same bytes, headers and exceptions."""

from __future__ import annotations

import datetime
import inspect
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from helpers.asgi_exchange import call, sent
from helpers.bodies import CONTENTS
from helpers.call_outcome import assert_same, outcome
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ssrjson_web import Encoder, utf8_cache_size
from ssrjson_web.starlette import SSRJSONLinesResponse, SSRJSONResponse, json_event

ENCODABLE = [name for name in CONTENTS if outcome(JSONResponse, CONTENTS[name])[0] == "value"]


def test_response_table_has_both_kinds() -> None:
    assert 10 < len(ENCODABLE) < len(CONTENTS) - 5


@pytest.mark.parametrize("name", CONTENTS)
def test_response_body_or_error_equals_json_response(name: str) -> None:
    expected = outcome(lambda: JSONResponse(CONTENTS[name]).body)
    assert_same(outcome(lambda: SSRJSONResponse(CONTENTS[name]).body), expected, name)


@pytest.mark.parametrize("name", ENCODABLE)
def test_response_messages_equal_json_response(name: str) -> None:
    assert sent(SSRJSONResponse(CONTENTS[name])) == sent(JSONResponse(CONTENTS[name]))


@pytest.mark.parametrize(
    "arguments",
    [
        {"status_code": 201},
        {"status_code": 204},
        {"status_code": 304},
        {"headers": {"x-a": "b", "Content-Type": "application/problem+json"}},
        {"headers": {"content-length": "3"}},
        {"media_type": "application/vnd.api+json"},
        {"media_type": "text/plain"},
        {"status_code": 422, "headers": {"x-é": "é"}, "media_type": "text/json"},
    ],
    ids=str,
)
def test_response_with_each_argument_equals_json_response(arguments: dict[str, Any]) -> None:
    content = {"é": [1, "中"]}
    ours, theirs = SSRJSONResponse(content, **arguments), JSONResponse(content, **arguments)
    assert ours.raw_headers == theirs.raw_headers
    assert ours.status_code == theirs.status_code
    for method in ("GET", "HEAD"):
        assert sent(ours, method) == sent(theirs, method)


def test_response_keeps_cookies_and_background() -> None:
    done: list[str] = []
    response = SSRJSONResponse({"a": 1}, background=BackgroundTask(done.append, "ran"))
    response.set_cookie("name", "value")
    messages = sent(response)
    assert (b"set-cookie", b"name=value; Path=/; SameSite=lax") in messages[0]["headers"]
    assert done == ["ran"]


def test_response_takes_what_json_response_takes() -> None:
    assert issubclass(SSRJSONResponse, JSONResponse)
    assert SSRJSONResponse.media_type == "application/json"
    assert inspect.signature(SSRJSONResponse.__init__) == inspect.signature(JSONResponse.__init__)


def test_response_leaves_no_utf8_cache_in_its_content() -> None:
    texts = ["".join([char] * 100) for char in "éя中😀"]
    SSRJSONResponse({"rows": texts})
    assert [utf8_cache_size(text) for text in texts] == [0] * 4


def starlette_app(response_class: Callable[[Any], Response]) -> Starlette:
    async def endpoint(request: Request) -> Response:
        return response_class(CONTENTS[request.path_params["name"]])

    return Starlette(routes=[Route("/{name}", endpoint)])


@pytest.mark.parametrize("name", CONTENTS)
def test_starlette_application_answers_as_with_json_response(name: str) -> None:
    ours = call(starlette_app(SSRJSONResponse), f"/{name}")
    theirs = call(starlette_app(JSONResponse), f"/{name}")
    assert (ours.status_code, ours.headers.raw, ours.content) == (
        theirs.status_code,
        theirs.headers.raw,
        theirs.content,
    )
    assert ours.status_code == (200 if name in ENCODABLE else 500)


def test_response_of_a_subclass_encodes_by_its_encoder() -> None:
    class NativeResponse(SSRJSONResponse):
        encoder = Encoder(natives=True)

    assert NativeResponse({"on": datetime.date(2026, 1, 2)}).body == b'{"on":"2026-01-02"}'
    assert outcome(SSRJSONResponse, {"on": datetime.date(2026, 1, 2)})[0] == "TypeError"


def test_canonical_encoder_writes_responses_lines_and_events_and_refuses_surrogates() -> None:
    class CanonicalResponse(SSRJSONResponse):
        encoder = Encoder(canonical=True)

    value = {"b": 1.0, "a": [1e21]}
    text = b'{"a":[1e+21],"b":1}'
    assert CanonicalResponse(value).body == text
    assert CanonicalResponse.sliced()(value).body == text
    assert outcome(CanonicalResponse, "\ud800")[0] == "UnicodeEncodeError"
    assert json_event(value, encoder=CanonicalResponse.encoder) == b"data: " + text + b"\n\n"
    lines = Starlette(
        routes=[Route("/", lambda request: SSRJSONLinesResponse([value] * 2, encoder=CanonicalResponse.encoder))]
    )
    assert call(lines, "/").content == 2 * (text + b"\n")
