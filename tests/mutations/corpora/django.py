"""Responses, encoders, serializers and sessions of Django."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import uuid
from collections.abc import Callable
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.core import serializers, signing
from django.core.serializers.json import DjangoJSONEncoder
from django.http import JsonResponse
from django.test import Client, RequestFactory
from django.utils.functional import lazystr
from django.views.i18n import JSONCatalog

import ssrjson_web.django as ours
from ssrjson_web.django.testing import SSRJSONClient

LIBRARIES = ("django",)
APPS = ()
PRELOADED = ("asgiref.sync", "asgiref.local", "sqlparse")

MOMENT = dt.datetime(2026, 11, 28, 1, 2, 3, 456789, dt.timezone.utc)
VALUE = {
    "é": [1, 2.5, True, None, "中"],
    "at": MOMENT,
    "naive": dt.datetime(2026, 11, 28),
    "day": MOMENT.date(),
    "time": dt.time(1, 2, 3, 456789),
    "for": dt.timedelta(days=1, seconds=5, microseconds=7),
    "before": dt.timedelta(seconds=-5),
    "decimal": decimal.Decimal("1.50"),
    "key": uuid.UUID(int=1),
    "lazy": lazystr("é"),
}
ROWS = [ContentType(pk=n, app_label="a", model=f"é{n}") for n in range(3)]


def _sent(response: Any) -> Any:
    return response.status_code, sorted(response.items()), response.content, response.charset


def _signed(serializer: Any) -> Any:
    text = signing.dumps({"a": [1, "é"]}, key="k", serializer=serializer)
    made = serializer()
    return signing.loads(text, key="k", serializer=serializer), made.dumps(VALUE["é"]), made.loads(b'{"a": 1}')


def _posted(client_class: Any) -> Any:
    request = client_class(json_encoder=ours.DjangoJSONEncoder) if client_class is SSRJSONClient else client_class()
    made = request._encode_json(VALUE, "application/json")
    response = JsonResponse({"a": [1, "é"]})
    return made, request._parse_json(response)


def _serialized(name: str) -> Any:
    text = serializers.serialize(name, ROWS, indent=1)
    return text, [one.object.model for one in serializers.deserialize(name, text)]


def _calls(is_ours: bool) -> dict[str, Callable[[], Any]]:
    response = ours.SSRJSONResponse if is_ours else JsonResponse
    encoder: Any = ours.DjangoJSONEncoder if is_ours else DjangoJSONEncoder
    catalog: Any = ours.SSRJSONCatalog if is_ours else JSONCatalog
    request = RequestFactory().get("/")
    return {
        "response": lambda: _sent(response(VALUE)),
        "list": lambda: _sent(response([1], safe=False, status=201)),
        "unsafe": lambda: _sent(response([1])),
        "params": lambda: _sent(response({"b": 1, "a": "é"}, json_dumps_params={"sort_keys": True, "indent": 2})),
        "charset": lambda: _sent(response({"a": "é"}, content_type="application/json; charset=latin-1")),
        "wrong": lambda: _sent(response({"a": {1}})),
        "zoned time": lambda: _sent(response({"a": dt.time(1, tzinfo=dt.timezone.utc)})),
        "encoder": lambda: encoder().encode(VALUE),
        "indented": lambda: encoder(indent=1, sort_keys=True).encode({"b": MOMENT, "a": [1]}),
        "dumps": lambda: json.dumps(VALUE, cls=encoder),
        "pieces": lambda: "".join(encoder().iterencode(VALUE)),
        "default": lambda: encoder().default(MOMENT),
        "signed": lambda: _signed(ours.SSRJSONSerializer if is_ours else signing.JSONSerializer),
        "client": lambda: _posted(SSRJSONClient if is_ours else Client),
        "json": lambda: _serialized("ours" if is_ours else "json"),
        "jsonl": lambda: _serialized("our_lines" if is_ours else "jsonl"),
        "catalog": lambda: _sent(catalog.as_view()(request)),
    }


def calls() -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Each class of Django beside ours."""
    serializers.register_serializer("ours", "ssrjson_web.django.serializers.json")
    serializers.register_serializer("our_lines", "ssrjson_web.django.serializers.jsonl")
    theirs, made = _calls(False), _calls(True)
    return {name: (call, made[name]) for name, call in theirs.items()}
