"""Views with our classes and with the stock ones: the same status, headers and bytes for the same request."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
from django.core.exceptions import RequestDataTooBig
from django.test import Client, override_settings
from helpers.encoder_hook_values import MAKERS, error_of, with_surrogates_escaped
from rest_framework.test import APIClient, APIRequestFactory

from ssrjson_web.rest_framework import SSRJSONParser, SSRJSONRenderer

ACCEPTS = [
    "application/json",
    "application/json; indent=2",
    "*/*",
    "text/html",
    "application/xml",
    "application/json; indent=99",
]
BODIES = [
    b'{"a": "\xc3\xa9"}',
    b"[1, 2",
    b"",
    b"\xff",
    b"\xef\xbb\xbf{}",
    b'{"a": NaN}',
    b"null",
    b'"text"',
    "{}".encode("utf-16"),
]
TYPES = ["application/json", "application/json; charset=utf-16", "application/json; charset=nothing", "text/plain"]
CSRF_TOKEN = re.compile(rb'(?<="csrfToken": ")\w+')


def answers(version: str, method: str, name: str, **request: Any) -> tuple[Any, ...]:
    client = Client(raise_request_exception=True)

    def ask() -> tuple[Any, ...]:
        response = client.generic(method, f"/{version}/{name}", **request)
        body = CSRF_TOKEN.sub(b"", response.content.replace(version.encode(), b"twin"))
        # pages contain the version's name, so their lengths differ
        headers = {key: value for key, value in response.items() if key != "Content-Length"}
        return response.status_code, headers, body

    return error_of(ask)


def assert_twins_answer_alike(method: str, name: str, **request: Any) -> tuple[Any, ...]:
    expected = answers("twin-stock", method, name, **request)
    got = answers("twin-ours", method, name, **request)
    if expected[0] is UnicodeEncodeError:  # where stock fails on a lone surrogate
        assert ("value", got[1][2]) == with_surrogates_escaped(expected)
    else:
        assert got == expected
    return expected


@pytest.mark.parametrize("name", MAKERS)
def test_answer_is_stocks(name: str) -> None:
    assert_twins_answer_alike("GET", name, HTTP_ACCEPT="application/json")


@pytest.mark.parametrize("accept", ACCEPTS)
@pytest.mark.parametrize("name", ["text", "keys", "datetimes", "ordered dict"])
def test_answer_to_an_accept_header_is_stocks(accept: str, name: str) -> None:
    kind, (status, headers, body) = assert_twins_answer_alike("GET", name, HTTP_ACCEPT=accept)
    assert (kind, status) == ("value", 406 if "xml" in accept else 200)
    assert headers["Content-Type"].startswith("text/html" if accept == "text/html" else "application/json")
    assert ("中文" in body.decode()) == (name == "text" and status == 200)


def test_browsable_page_shows_our_json_and_offers_our_media_type() -> None:
    status, _, body = answers("twin-ours", "GET", "text", HTTP_ACCEPT="text/html")[1]
    assert status == 200
    assert "&quot;中文&quot;" in body.decode()
    assert 'value="application/json"' in body.decode()


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("content_type", TYPES)
@pytest.mark.parametrize("accept", ["application/json", "text/html"])
def test_body_gets_the_value_or_the_400_of_stock(method: str, content_type: str, accept: str) -> None:
    statuses = set()
    for body in BODIES:
        answer = assert_twins_answer_alike(method, "text", data=body, content_type=content_type, HTTP_ACCEPT=accept)
        statuses.add(answer[1][0] if answer[0] == "value" else answer[0])
    assert statuses & {200, 400, 415, LookupError}


def test_nesting_beyond_pythons_stack_is_a_400() -> None:
    request = {"data": b"[" * 100_000, "content_type": "application/json"}
    assert answers("twin-stock", "POST", "text", **request)[0] is RecursionError
    status, _, body = answers("twin-ours", "POST", "text", **request)[1]
    assert (status, body) == (400, b'{"detail":"JSON parse error - nested too deeply"}')


@override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=1000)
def test_body_that_is_too_large_is_refused_as_by_stock() -> None:
    answer = assert_twins_answer_alike("POST", "text", data=b'"' + b"a" * 5000 + b'"', content_type="application/json")
    # REST framework up to 3.17 does not apply the limit
    assert answer[0] in (RequestDataTooBig, "value")


def test_client_of_tests_encodes_by_our_renderer(monkeypatch: pytest.MonkeyPatch) -> None:
    rendered = []
    render = SSRJSONRenderer.render
    monkeypatch.setattr(SSRJSONRenderer, "render", lambda self, *args: rendered.append(1) or render(self, *args))

    class Factory(APIRequestFactory):
        renderer_classes = (SSRJSONRenderer,)
        renderer_classes_list = renderer_classes

        def __init__(self, **defaults: Any) -> None:
            super().__init__(**defaults)
            self.renderer_classes = {cls.format: cls for cls in self.renderer_classes_list}

    request = Factory().post("/", {"é": [1]}, format="json")
    assert request.body == '{"é":[1]}'.encode()
    assert rendered == [1]


@pytest.mark.parametrize("version", ["twin-stock", "twin-ours"])
def test_client_posts_what_the_view_gets(version: str) -> None:
    response = APIClient().post(f"/{version}/text", {"é": ["中文", None]}, format="json")
    assert response.json() == {"got": "{'é': ['中文', None]}", "type": "dict"}


def test_settings_take_the_classes_by_name() -> None:
    from rest_framework.settings import APISettings

    chosen = APISettings(
        {
            "DEFAULT_RENDERER_CLASSES": ["ssrjson_web.rest_framework.SSRJSONRenderer"],
            "DEFAULT_PARSER_CLASSES": ["ssrjson_web.rest_framework.SSRJSONParser"],
        }
    )
    assert [SSRJSONRenderer] == chosen.DEFAULT_RENDERER_CLASSES
    assert [SSRJSONParser] == chosen.DEFAULT_PARSER_CLASSES


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("UNICODE_JSON", False, '{"a":"\\u00e9","b":1}'),
        ("COMPACT_JSON", False, '{"a": "é", "b": 1}'),
        ("STRICT_JSON", False, '{"a":"é","b":1}'),
    ],
)
def test_settings_of_rest_framework_are_the_renderers(name: str, value: bool, expected: str) -> None:
    program = f"""
from django.conf import settings
settings.configure(REST_FRAMEWORK={{{name!r}: {value}}})
import django; django.setup()
from ssrjson_web.rest_framework import SSRJSONRenderer, SSRJSONParser
import io, sys
sys.stdout.buffer.write(SSRJSONRenderer().render({{"a": "é", "b": 1}}))
try: print(SSRJSONParser().parse(io.BytesIO(b"NaN")))
except Exception as error: print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=60)
    json, *parsed = done.stdout.decode().partition("nan" if name == "STRICT_JSON" else "JSON parse error")
    assert json == expected
    assert parsed[0]
