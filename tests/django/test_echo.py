"""Every value that a client may send: echoed, streamed, kept in sessions, caches and signatures, put into pages."""

from __future__ import annotations

import asyncio
import html
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from django.contrib.sessions.backends import signed_cookies
from django.core import serializers, signing
from django.core.serializers.json import DjangoJSONEncoder as StockEncoder
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.test import Client, override_settings
from django.urls import path
from helpers.client_bodies import BODIES, SURROGATES, VALUES, Answer, assert_as_stock_or_better, assert_echoed, failures
from helpers.django_bookshop.models import Book

from ssrjson_web._shared.streaming import escape_line_ends
from ssrjson_web.django import (
    DjangoJSONEncoder,
    SSRJSONCacheSerializer,
    SSRJSONLinesResponse,
    SSRJSONResponse,
    SSRJSONSerializer,
    SSRJSONStreamingResponse,
    parse_json,
)
from ssrjson_web.django.templatetags.ssrjson import json_script


class OwnEncoder(DjangoJSONEncoder):
    def default(self, o: Any) -> Any:
        return list(o)


class StockOwnEncoder(StockEncoder):
    """Encodes by stdlib's encoder in Python."""

    def iterencode(self, o: Any, _one_shot: bool = False) -> Any:
        return super().iterencode(o, False)


WAYS: dict[str, dict[str, Any]] = {
    "ours": {},
    "stock encoder": {"encoder": StockEncoder},
    "own encoder": {"encoder": OwnEncoder},
    "own encoder of stock": {"encoder": StockOwnEncoder},
    "in UTF-8": {"json_dumps_params": {"ensure_ascii": False}},
    "sorted": {"json_dumps_params": {"sort_keys": True}},
    "indented": {"json_dumps_params": {"indent": 2}},
    "in Latin-1": {"content_type": "application/json; charset=latin-1"},
    "in UTF-16": {"content_type": "application/json; charset=utf-16"},
}


def stock_view(request: HttpRequest) -> HttpResponse:
    return JsonResponse(json.loads(request.body), safe=False)


def view(request: HttpRequest, way: str) -> HttpResponse:
    return SSRJSONResponse(parse_json(request), safe=False, **WAYS[way])


def array(request: HttpRequest) -> Any:
    return SSRJSONStreamingResponse([parse_json(request)])


def lines(request: HttpRequest) -> Any:
    return SSRJSONLinesResponse([parse_json(request)])


urlpatterns = [
    path("stock", stock_view),
    path("ours/<str:way>", view),
    path("array", array),
    path("lines", lines),
]
pytestmark = pytest.mark.usefixtures("urls")


@pytest.fixture
def urls() -> Any:
    with override_settings(ROOT_URLCONF=__name__):
        yield


def answer(where: str, body: bytes) -> Answer:
    try:
        reply: Any = Client().generic("POST", f"/{where}", body, content_type="application/json")
        content = b"".join(reply.streaming_content) if reply.streaming else reply.content
    except Exception as error:
        return Answer(500, "", repr(error).encode())
    return Answer(reply.status_code, reply["Content-Type"], content)


@pytest.mark.parametrize("layout", [{}, {"ASCII": True, "COMPACT": False}], ids=["default", "stock's"])
def test_response_echoes_as_stock_or_better(layout: dict[str, Any]) -> None:
    answers = []
    with override_settings(SSRJSON=layout):
        for name, body in BODIES.items():
            expected = answer("stock", body)
            answers.append((name, expected))
            assert_as_stock_or_better(name, expected, answer("ours/ours", body), is_same_layout=bool(layout))
    assert not failures(answers) - {name for name in BODIES if name.startswith("nested")}


@pytest.mark.parametrize("way", WAYS)
def test_response_echoes_whatever_its_encoder_and_parameters(way: str) -> None:
    for name, body in BODIES.items():
        if way == "own encoder of stock" and name.startswith("nested") and name != "nested 150 deep":
            continue  # too deep for stdlib's encoder in Python
        got = answer(f"ours/{way}", body)
        assert got.status == 200, (name, got.body[:200])
        text = got.body.decode("utf-16" if "16" in way else "latin-1" if "Latin" in way else "utf-8")
        if way == "sorted":
            assert name.startswith("nested") or json.dumps(json.loads(text)) == json.dumps(VALUES[name], sort_keys=True)
        else:
            assert_echoed(name, text, way)


def test_nothing_but_the_surrogate_is_escaped_and_hooks_are_asked_once() -> None:
    value = {"é\ud800": "中", "own": (n for n in range(2))}
    response = SSRJSONResponse(value, encoder=OwnEncoder)
    assert response.content == '{"é\\ud800":"中","own":[0,1]}'.encode()


def test_streams_echo_every_value() -> None:
    for name, body in BODIES.items():
        got, line = answer("array", body), answer("lines", body)
        assert (got.status, got.body[:1], got.body[-1:]) == (200, b"[", b"]"), name
        assert_echoed(name, got.body[1:-1])
        assert (line.status, line.body) == (200, escape_line_ends(got.body[1:-1]) + b"\n"), name


def test_async_streams_echo_every_value() -> None:
    async def items_of(value: Any) -> AsyncIterator[Any]:
        yield value

    async def text(value: Any) -> bytes:
        return b"".join([chunk async for chunk in SSRJSONLinesResponse(items_of(value))])

    for name in SURROGATES:
        assert_echoed(name, asyncio.run(text(VALUES[name])))


def test_what_is_kept_takes_every_value() -> None:
    cache = SSRJSONCacheSerializer()
    for name, value in VALUES.items():
        kept = cache.dumps(value)
        assert_echoed(name, b"%d" % kept if isinstance(kept, int) else kept, "cache")
        text = signing.dumps(value, serializer=SSRJSONSerializer)
        if not name.startswith("nested"):
            assert repr(signing.loads(text, serializer=SSRJSONSerializer)) == repr(value), name
    with override_settings(SESSION_SERIALIZER="ssrjson_web.django.SSRJSONSerializer"):
        for value in VALUES.values():
            store = signed_cookies.SessionStore()
            store["value"] = value
            store.save()
            assert store.session_key


def test_page_holds_every_value() -> None:
    for name, value in VALUES.items():
        script = json_script(value, "id").encode("utf-8").decode()
        assert_echoed(name, html.unescape(script.partition(">")[2].rpartition("<")[0]))


@pytest.mark.parametrize("kind", ["json", "jsonl"])
def test_serialized_rows_can_be_sent_whatever_they_hold(kind: str) -> None:
    serializers._serializers = {}  # the registry of serializers reads the setting once
    with override_settings(
        SERIALIZATION_MODULES={
            "json": "ssrjson_web.django.serializers.json",
            "jsonl": "ssrjson_web.django.serializers.jsonl",
        }
    ):
        for name, value in VALUES.items():
            if name.startswith("nested"):
                continue
            text = serializers.serialize(kind, [Book(pk=1, title="é", details=value)], fields=["title", "details"])
            row = json.loads(HttpResponse(text).content.decode())
            fields = (row[0] if kind == "json" else row)["fields"]
            assert (fields["title"], repr(fields["details"])) == ("é", repr(value)), name
