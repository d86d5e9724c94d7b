"""Every value that a client may send, echoed by operations, and named by the errors of validation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client, override_settings
from django.urls import path
from helpers.client_bodies import BODIES, VALUES, Answer, assert_as_stock_or_better, assert_echoed
from ninja import Body, NinjaAPI, Schema
from ninja.errors import HttpError
from ninja.responses import NinjaJSONEncoder

from ssrjson_web.ninja import SSRJSONParser, SSRJSONRenderer

ANY: Any = Body(...)


class StockLayout(SSRJSONRenderer):
    ascii = True
    compact = False


class Holder(Schema):
    data: Any


class Strict(Schema, extra="forbid"):  # type: ignore[call-arg]
    n: int
    text: str = ""


def build(name: str, **options: Any) -> NinjaAPI:
    api = NinjaAPI(urls_namespace=f"echo-{name}", version=f"echo-{name}", **options)

    @api.post("/any")
    def echo(request: Any, body: Any = ANY) -> Any:
        return body

    @api.post("/schema", response=Holder)
    def schema(request: Any, body: Any = ANY) -> Any:
        return {"data": body}

    @api.post("/strict")
    def strict(request: Any, body: Strict) -> Any:
        return body

    @api.post("/refused")
    def refused(request: Any, body: Any = ANY) -> Any:
        raise HttpError(409, str(body)[:100])

    return api


APIS = {
    "stock": build("stock"),
    "layout": build("layout", renderer=StockLayout(), parser=SSRJSONParser()),
    "ours": build("ours", renderer=SSRJSONRenderer(), parser=SSRJSONParser()),
}
urlpatterns = [path(f"{name}/", api.urls) for name, api in APIS.items()]


@pytest.fixture(autouse=True)
def urls() -> Any:
    with override_settings(ROOT_URLCONF=__name__):
        yield


def answer(where: str, body: bytes) -> Answer:
    try:
        reply: Any = Client().generic("POST", f"/{where}", body, content_type="application/json")
    except Exception as error:
        return Answer(500, "", repr(error).encode())
    return Answer(reply.status_code, reply["Content-Type"], reply.content)


@pytest.mark.parametrize("version", ["layout", "ours"])
def test_operation_echoes_as_stock_or_better(version: str) -> None:
    for name, body in BODIES.items():
        got = answer(f"{version}/any", body)
        assert_as_stock_or_better(name, answer("stock/any", body), got, is_same_layout=version == "layout")


@pytest.mark.parametrize("version", ["layout", "ours"])
@pytest.mark.parametrize("where", ["schema", "strict", "refused"])
def test_schemas_and_errors_answer_as_stock(version: str, where: str) -> None:
    statuses = set()
    for name, body in BODIES.items():
        for sent in (
            body,
            b'{"n": ' + body + b"}",
            b'{"n": 1, "text": ' + body + b"}",
            b'{"n": 1, "x": ' + body + b"}",
        ):
            expected, got = answer(f"stock/{where}", sent), answer(f"{version}/{where}", sent)
            if expected.is_failure:
                assert got.status in (200, 422) or (got == expected and name.startswith("nested")), (
                    name,
                    expected,
                    got,
                )
            elif version == "layout":
                assert got == expected, (name, sent[:60])
            else:
                assert (got.status, got.content_type) == (expected.status, expected.content_type), name
                assert name.startswith("nested") or repr(json.loads(got.body.decode())) == repr(
                    json.loads(expected.body.decode())
                ), name
            statuses.add(got.status)
    assert statuses & {200, 409, 422}


class Own(NinjaJSONEncoder):
    pass


@pytest.mark.parametrize(
    ("attributes", "codec"),
    [
        ({"encoder_class": Own}, "utf-8"),
        ({"encoder_class": json.JSONEncoder}, "utf-8"),
        ({"json_dumps_params": {"ensure_ascii": False}}, "utf-8"),
        ({"json_dumps_params": {"indent": 2}}, "utf-8"),
        ({"charset": "latin-1"}, "latin-1"),
        ({"charset": "utf-16"}, "utf-16"),
    ],
    ids=str,
)
def test_renderer_of_ones_own_renders_what_stock_renders(attributes: dict[str, Any], codec: str) -> None:
    renderer = type("Renderer", (SSRJSONRenderer,), attributes)()
    for name, value in VALUES.items():
        if "indent" in str(attributes) and name.startswith("nested"):
            continue  # too deep for stdlib's encoder in Python, which indents
        text = renderer.render(None, value, response_status=200)
        data = text if isinstance(text, bytes) else text.encode(codec)  # as Django encodes it
        assert_echoed(name, data.decode(codec))
