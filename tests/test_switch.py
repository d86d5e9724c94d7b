"""`SSRJSON_DISABLED=1`: adapters are in place, and the frameworks' own functions do the work."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from helpers.processes import run_python

START = """
import logging, sys, threading
logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
called = []
def notice(frame, event, function):
    if event == "c_call":
        owner = getattr(function, "__self__", None)
        module = getattr(function, "__module__", None) or type(owner).__module__
        if str(module).startswith("ssrjson_web") and function.__name__ in CODING:
            called.append(function.__qualname__)
CODING = ("encode", "encode_str", "encode_line", "decode", "dumps", "dumps_to_bytes", "loads", "iterencode")
def watch():
    threading.setprofile(notice)
    sys.setprofile(notice)
def end():
    sys.setprofile(None)
    threading.setprofile(None)
VALUE = {"name": "caf\\u00e9", "n": [1, 2.5, None]}
"""
DJANGO = """
import django
from django.conf import settings
settings.configure(INSTALLED_APPS=APPS, ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="x", USE_TZ=True)
urlpatterns = []
django.setup()
"""
PROGRAMS = {
    "fastapi": """
        from fastapi import FastAPI
        from fastapi.routing import APIRoute
        from fastapi.testclient import TestClient
        from pydantic import BaseModel
        from ssrjson_web.fastapi import setup
        class Item(BaseModel):
            name: str
        def made(is_ours):
            app = FastAPI()
            if is_ours:
                setup(app, max_depth=9)
            app.get("/plain")(lambda: VALUE)
            @app.post("/item")
            def item(item: Item) -> Item:
                return item
            return app
        ours, stock = made(True), made(False)
        assert [type(one) for one in ours.routes] == [type(one) for one in stock.routes]
        assert ours.exception_handlers == stock.exception_handlers
        assert type(ours.router) is type(stock.router) and vars(ours.router).keys() == vars(stock.router).keys()
        first, second = TestClient(ours), TestClient(stock)
        watch()
        for path in ("/plain", "/openapi.json"):
            assert first.get(path).content == second.get(path).content
        for body in (VALUE, []):
            assert first.post("/item", json=body).content == second.post("/item", json=body).content
    """,
    "starlette": """
        from starlette.applications import Starlette
        from starlette.responses import JSONResponse
        from starlette.testclient import TestClient
        from ssrjson_web import Encoder
        from ssrjson_web.starlette import SSRJSONResponse, SSRJSONRoute
        class Ours(SSRJSONResponse):
            encoder = Encoder(date="iso")
        async def echo(request):
            return await request.json()
        client = TestClient(Starlette(routes=[SSRJSONRoute("/", echo, methods=["POST"])]))
        watch()
        assert SSRJSONResponse(VALUE).body == JSONResponse(VALUE).body
        assert SSRJSONResponse.sliced()(VALUE).body == JSONResponse(VALUE).body
        assert client.post("/", json=VALUE).content == JSONResponse(VALUE).body
        end()
        import datetime
        assert Ours(datetime.date(2026, 1, 2)).body == b'"2026-01-02"'  # stock has no way to write it
        from ssrjson_web._shared.switch import leaves_all_to_stock
        leaves_all_to_stock()  # there is no setup that would tell
    """,
    "rest_framework": """
        APPS = ["django.contrib.contenttypes", "django.contrib.auth", "rest_framework", "ssrjson_web.rest_framework"]
        DJANGO
        from io import BytesIO
        from django.core.checks.registry import registry
        from rest_framework import generics, serializers
        from rest_framework.parsers import JSONParser
        from rest_framework.renderers import JSONRenderer
        from ssrjson_web.rest_framework import SSRJSONParser, SSRJSONRenderer, setup
        setup()
        for cls in (serializers.Serializer, serializers.ListSerializer, serializers.ModelSerializer):
            for name, function in vars(cls).items():
                function = getattr(function, "func", function)  # of a cached property
                assert not getattr(function, "__globals__", {}).get("__name__", "").startswith("ssrjson_web"), name
        assert generics.get_object_or_404.__code__.co_filename == generics.__file__
        assert not [one for one in registry.get_checks() if one.__module__.startswith("ssrjson_web")]
        class Camel(SSRJSONRenderer):
            key_case = "camel"
        watch()
        assert SSRJSONRenderer().render(VALUE) == JSONRenderer().render(VALUE)
        assert SSRJSONParser().parse(BytesIO(b'{"a": 1}')) == {"a": 1}
        end()
        assert Camel().render({"a_b": 1}) == b'{"aB":1}'  # stock has no way to write it
    """,
    "django": """
        APPS = ["ssrjson_web.django"]
        DJANGO
        import json
        from django.core.checks.registry import registry
        from django.core.serializers.json import DjangoJSONEncoder as Stock
        from django.core.signing import JSONSerializer
        from django.http import JsonResponse
        from ssrjson_web import Encoder
        from ssrjson_web.django import DjangoJSONEncoder, JSONDecoder, SSRJSONResponse, SSRJSONSerializer
        assert not [one for one in registry.get_checks() if one.__module__.startswith("ssrjson_web")]
        assert DjangoJSONEncoder.encode is Stock.encode and DjangoJSONEncoder.iterencode is Stock.iterencode
        watch()
        assert SSRJSONResponse(VALUE).content == JsonResponse(VALUE).content
        assert SSRJSONResponse([1], safe=False, json_dumps_params={"indent": 1}).content == b"[\\n 1\\n]"
        assert json.dumps(VALUE, cls=DjangoJSONEncoder) == json.dumps(VALUE)
        assert json.loads("[1]", cls=JSONDecoder) == [1]
        assert SSRJSONSerializer().dumps(VALUE) == JSONSerializer().dumps(VALUE)
        assert SSRJSONSerializer().loads(b"[1]") == [1]
        end()
        assert SSRJSONResponse({1: 2}, encoder=Encoder()).content == b'{"1":2}'
    """,
    "ninja": """
        APPS = []
        DJANGO
        from ninja import NinjaAPI, Schema
        from ninja.testing import TestClient
        from ssrjson_web.ninja import SSRJSONParser, SSRJSONRenderer, setup
        class Item(Schema):
            name: str
        def made(is_ours):
            api = NinjaAPI(urls_namespace=str(is_ours))
            if is_ours:
                setup(api)
            @api.post("/", response=Item)
            def item(request, item: Item):
                return item
            return api
        ours, stock = made(True), made(False)
        assert type(ours.renderer) is type(stock.renderer) and type(ours.parser) is type(stock.parser)
        assert "_get_urls" not in vars(ours)
        watch()
        assert TestClient(ours).post("/", json=VALUE).content == TestClient(stock).post("/", json=VALUE).content
        assert SSRJSONRenderer().render(None, VALUE, response_status=200) == stock.renderer.render(
            None, VALUE, response_status=200)
    """,
    "flask": """
        from flask import Flask, request
        from ssrjson_web.flask import SSRJSON, stream_lines
        def made(is_ours):
            app = Flask(__name__)
            if is_ours:
                SSRJSON(app)
            app.post("/", endpoint="echo")(lambda: request.get_json())
            return app
        ours, stock = made(True), made(False)
        watch()
        assert ours.test_client().post("/", json=VALUE).data == stock.test_client().post("/", json=VALUE).data
        assert ours.json.dumps(VALUE) == stock.json.dumps(VALUE) and ours.json.loads("[1]") == [1]
        end()
        with ours.app_context():  # stock has no streams of items
            assert stream_lines([[1], 2]).get_data() == b"[1]\\n2\\n"
    """,
    "quart": """
        import asyncio
        from quart import Quart, request
        from ssrjson_web.quart import SSRJSON
        def made(is_ours):
            app = Quart(__name__)
            if is_ours:
                SSRJSON(app)
            @app.post("/")
            async def echo():
                return await request.get_json()
            return app
        async def answer(app):
            return await (await app.test_client().post("/", json=VALUE)).get_data()
        watch()
        assert asyncio.run(answer(made(True))) == asyncio.run(answer(made(False)))
    """,
    "marshmallow": """
        import marshmallow
        from marshmallow import Schema, fields
        from ssrjson_web.marshmallow import setup
        before = dict(vars(Schema))
        setup()
        assert dict(vars(Schema)) == before
        watch()
        assert Schema.from_dict({"name": fields.String()})().dumps({"name": "a"}) == '{"name": "a"}'
    """,
    "litestar": """
        from litestar import Litestar, Request, Response, post
        from litestar.testing import TestClient
        from ssrjson_web.litestar import SSRJSONRequest, SSRJSONResponse
        assert SSRJSONResponse.render is Response.render and SSRJSONRequest.json is Request.json
        from ssrjson_web._shared.switch import leaves_all_to_stock
        leaves_all_to_stock()  # there is no setup that would tell
        watch()
        ours, stock = (made(None).render(VALUE, "application/json") for made in (SSRJSONResponse, Response))
        assert ours == stock
    """,
}


def program(name: str) -> str:
    body = textwrap.dedent(PROGRAMS[name]).replace("DJANGO\n", DJANGO.strip() + "\n")
    return START + body + "\nend()\nassert not called, called\n"


@pytest.mark.parametrize("name", PROGRAMS)
def test_with_the_variable_the_framework_answers_by_its_own_functions(name: str, tmp_path: Path) -> None:
    done = run_python(program(name), tmp_path, SSRJSON_DISABLED="1")
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("ssrjson_web")]
    assert said == [
        "ssrjson_web SSRJSON_DISABLED is set: JSON is left to the frameworks, except what only the core can do"
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_with_0_the_core_is_in_place(name: str, tmp_path: Path) -> None:
    done = run_python(program(name), tmp_path, SSRJSON_DISABLED="0")
    assert done.returncode == 1
    assert "SSRJSON_DISABLED" not in done.stderr
    assert "AssertionError" in done.stderr


def test_models_are_left_to_pydantic(tmp_path: Path) -> None:
    snippet = """
        from pydantic import BaseModel
        from ssrjson_web import dumps_to_bytes, loads
        from ssrjson_web.models import TypedDecoder, TypedEncoder
        class Item(BaseModel):
            name: str
        assert TypedEncoder(list[Item]).encode([Item(name="a")]) == b'[{"name":"a"}]'
        assert TypedDecoder(Item).decode(b'{"name": "a"}') == Item(name="a")
        assert dumps_to_bytes(Item(name="a"), models=True) == b'{"name":"a"}'
        assert loads(b"[1]") == [1]
    """
    done = run_python(snippet, tmp_path, SSRJSON_DISABLED="1")
    assert done.returncode == 0, done.stderr


def test_with_the_variable_nothing_is_compared(tmp_path: Path) -> None:
    snippet = """
        from fastapi import FastAPI
        from fastapi.routing import APIRoute
        from flask import Flask
        from marshmallow import Schema
        import ssrjson_web.fastapi, ssrjson_web.flask, ssrjson_web.marshmallow
        from ssrjson_web.flask import SSRJSONProvider
        app, before = FastAPI(), dict(vars(Schema))
        app.get("/")(lambda: 1)
        ssrjson_web.fastapi.setup(app, compare=1.0)
        assert type([route for route in app.routes if route.path == "/"][0]) is APIRoute
        ssrjson_web.marshmallow.setup(compare=1.0)
        assert dict(vars(Schema)) == before
        flask_app = Flask("shop")
        ssrjson_web.flask.SSRJSON(flask_app, compare=1.0)
        assert type(flask_app.json) is SSRJSONProvider
    """
    done = run_python(snippet, tmp_path, SSRJSON_DISABLED="1")
    assert done.returncode == 0, done.stderr
