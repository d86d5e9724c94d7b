"""APIs with our classes and with the stock ones: the same status, headers and bytes, the same values."""

from __future__ import annotations

import datetime
import json
import sys
from types import ModuleType
from typing import Any, Optional

import msgspec
import pytest
from django.test import Client, override_settings
from django.urls import path
from helpers.encoder_hook_values import MAKERS, error_of
from ninja import Body, NinjaAPI

from ssrjson_web._shared.surrogates import to_utf8
from ssrjson_web.models import json_type
from ssrjson_web.ninja import setup

BODIES = [
    b'{"a": "\xc3\xa9"}',
    b"[1, 2",
    b"\xff",
    b"\xef\xbb\xbf{}",
    b"NaN",
    b"1e400",
    b"null",
    b'"text"',
    "{}".encode("utf-16"),
    "[1]".encode("utf-32-le"),
    b'"\xed\xa0\x80"',
    b'"\\ud800"',
    b'{"a":1,"a":2}',
    b"[" * 100_000,
    b"[" * 100_000 + b"]" * 100_000,
    b"[" * 300 + b"]" * 300,
    b"9" * 5000,
    b'"\n"',
    b"",
    b" ",
    b"1 2",
]
PATHS = [*(f"value/{name}" for name in MAKERS), "models", "schema", "instance", "asynchronous", "nothing"]


def answer(version: str, method: str, path: str, body: bytes = b"") -> tuple[Any, ...]:
    def ask() -> tuple[Any, ...]:
        response = Client().generic(method, f"/{version}/{path}", body, content_type="application/json")
        return response.status_code, dict(response.items()), response.content

    return error_of(ask)


@pytest.mark.parametrize("path", PATHS)
def test_stock_layout_answers_as_stock(path: str) -> None:
    expected = answer("stock", "GET", path)
    got = answer("layout", "GET", path)
    assert str(got).replace("/layout/", "/stock/") == str(expected)


@pytest.mark.parametrize("path", PATHS)
def test_default_layout_answers_with_the_same_values(path: str) -> None:
    expected, got = answer("stock", "GET", path), answer("ours", "GET", path)
    if expected[0] != "value" or expected[1][0] == 404:
        assert str(got).replace("/ours/", "/stock/") == str(expected)
    else:
        assert got[1][0] == expected[1][0]
        assert got[1][1]["Content-Type"] == expected[1][1]["Content-Type"]
        compact = json.dumps(json.loads(expected[1][2]), ensure_ascii=False, separators=(",", ":"))
        if "keys" not in path and "of a subclass" not in path:  # keys may repeat
            assert got[1][2] == to_utf8(compact)


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("path", ["any", "book"])
def test_body_gets_the_value_or_the_400_of_stock(debug: bool, path: str) -> None:
    with override_settings(DEBUG=debug):
        statuses = []
        for body in BODIES:
            expected = answer("stock", "POST", path, body)
            assert answer("layout", "POST", path, body) == expected, body[:50]
            statuses.append(expected[1][0] if expected[0] == "value" else expected[0])
    assert statuses.count(400) >= 8
    assert path == "book" or statuses.count(200) >= 5


@override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=1000)
def test_body_that_is_too_large_is_refused_as_by_stock() -> None:
    body = b'"' + b"a" * 5000 + b'"'
    assert answer("ours", "POST", "any", body) == answer("stock", "POST", "any", body)


class Line(msgspec.Struct):
    sku: str
    when: Optional[datetime.datetime] = None  # noqa: UP045


def test_classes_of_json_type_are_bodies_and_answers() -> None:
    api = NinjaAPI(urls_namespace="json_type")
    setup(api)
    json_type(Line)

    @api.post("/lines", response=list[Line])
    def lines(request: Any, lines: Body[list[Line]]) -> Any:  # type: ignore[valid-type]
        return [*lines, {"sku": "é"}]

    urls = ModuleType("urls_of_json_type")
    urls.urlpatterns = [path("", api.urls)]  # type: ignore[attr-defined]
    sys.modules[urls.__name__] = urls
    with override_settings(ROOT_URLCONF=urls.__name__):

        def post(value: Any) -> Any:
            return Client().post("/lines", json.dumps(value), content_type="application/json")

        answered = post([{"sku": "a", "when": "2026-01-02T03:04:05Z"}])
        assert answered.content == ('[{"sku":"a","when":"2026-01-02T03:04:05Z"},{"sku":"é","when":null}]'.encode())
        refused = post([{"sku": 1}])
        assert refused.status_code == 422
        assert refused.json()["detail"][0]["loc"] == ["body", "lines", 0, "sku"]
        with override_settings(SSRJSON={"ASCII": True, "COMPACT": False}):
            assert post([]).content == b'[{"sku": "\\u00e9", "when": null}]'
