"""Every value that a client may send, echoed by views and serializers, and named by the errors of validation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client, override_settings
from django.urls import path
from helpers.client_bodies import (
    BODIES,
    NON_FINITE,
    SURROGATES,
    VALUES,
    Answer,
    assert_as_stock_or_better,
    assert_echoed,
    failures,
)
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.renderers import BrowsableAPIRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder
from rest_framework.views import APIView

from ssrjson_web.rest_framework import SSRJSONParser, SSRJSONRenderer

PAIRS = {"stock": (JSONRenderer, JSONParser), "ours": (SSRJSONRenderer, SSRJSONParser)}


class Echo(APIView):
    authentication_classes = ()
    permission_classes = ()

    def post(self, request: Request) -> Response:
        return Response(request.data)


class Checked(serializers.Serializer[Any]):
    data = serializers.JSONField()
    choice = serializers.ChoiceField(["é"], required=False)
    number = serializers.IntegerField(required=False)
    table = serializers.DictField(child=serializers.IntegerField(), required=False)
    text = serializers.CharField(required=False)
    picked = serializers.MultipleChoiceField(choices=["é"], required=False)
    row = serializers.SlugRelatedField(slug_field="a", read_only=True)


class Check(Echo):
    def post(self, request: Request) -> Response:
        checked = Checked(data=request.data)
        checked.is_valid(raise_exception=True)
        return Response(checked.data)


urlpatterns = [
    path(f"{version}/{where}", view.as_view(renderer_classes=[renderer, BrowsableAPIRenderer], parser_classes=[parser]))
    for version, (renderer, parser) in PAIRS.items()
    for where, view in (("echo", Echo), ("check", Check))
]


@pytest.fixture(autouse=True)
def urls() -> Any:
    with override_settings(ROOT_URLCONF=__name__):
        yield


def answer(where: str, body: bytes, **headers: Any) -> Answer:
    try:
        reply: Any = Client().generic("POST", f"/{where}", body, content_type="application/json", **headers)
    except Exception as error:
        return Answer(500, "", repr(error).encode())
    return Answer(reply.status_code, reply.get("Content-Type", ""), reply.content)


@pytest.mark.parametrize("accept", ["application/json", "application/json; indent=4"])
def test_view_echoes_as_stock_or_better(accept: str) -> None:
    answers = []
    for name, body in BODIES.items():
        expected = answer("stock/echo", body, HTTP_ACCEPT=accept)
        got = answer("ours/echo", body, HTTP_ACCEPT=accept)
        answers.append((name, expected))
        if "indent" in accept and name.startswith("nested"):
            continue  # some are too deep for stdlib's encoder in Python, which indents
        assert_as_stock_or_better(name, expected, got)
    assert failures(answers) >= SURROGATES.keys()
    assert answer("ours/echo", b"NaN").status == 400  # STRICT_JSON, as stock


@pytest.mark.parametrize("field", ["data", "choice", "number", "table", "text", "picked", "unknown"])
def test_validation_echoes_and_refuses_as_stock_or_better(field: str) -> None:
    n_better = 0
    for name, body in BODIES.items():
        sent = b'{"data": 1, "%s": %s}' % (field.encode(), body)
        if field == "data":
            sent = b'{"data": ' + body + b"}"
        expected, got = answer("stock/check", sent), answer("ours/check", sent)
        if expected.is_failure and name not in NON_FINITE and not name.startswith("nested"):
            n_better += 1
            assert got.status in (200, 400), (name, got)
            json.loads(got.body.decode("utf-8"))
        elif not expected.is_failure:
            assert got == expected, name
    assert n_better or field in ("number", "text", "unknown")


@pytest.mark.parametrize("encoder", [type("Own", (JSONEncoder,), {}), json.JSONEncoder])
def test_renderer_with_an_encoder_of_ones_own_renders_every_value(encoder: type[json.JSONEncoder]) -> None:
    for options in ({}, {"compact": False}, {"ensure_ascii": True}, {"nan": "null"}):
        renderer = type("Renderer", (SSRJSONRenderer,), {"encoder_class": encoder, "strict": False, **options})()
        for name, value in VALUES.items():
            got = renderer.render(value)
            if name not in NON_FINITE and value is not None:
                assert_echoed(name, got)


def test_renderer_leaves_all_but_the_surrogate_as_it_is() -> None:
    got = SSRJSONRenderer().render({"é\ud800": ["中\u2028", (n for n in range(2))]})
    assert got == '{"é\\ud800":["中\\u2028",[0,1]]}'.encode()  # the generator is iterated once
