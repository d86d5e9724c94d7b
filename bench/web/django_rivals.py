"""What takes part on Django: for each kind of request the classes, and the JSON part of it as a call of its own."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

import django_orjson.http
import django_orjson.rest_framework.test  # its parts are where its package is
import drf_orjson_renderer.parsers
import drf_orjson_renderer.renderers
import orjson
from django.http import JsonResponse
from ninja.renderers import BaseRenderer
from ninja.renderers import JSONRenderer as NinjaRenderer
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.serializer_helpers import ReturnList

from bench.web import django_project as project
from bench.web.adapter_case import STOCK, Adapter, AdapterCase, AdapterRival
from bench.web.django_goals import DJANGO_ORJSON, DRF_ORJSON, GOALS
from ssrjson_web import ninja, rest_framework
from ssrjson_web.django import SSRJSONResponse

OURS = "ssrjson_web"
DOCUMENTED_ORJSON = "orjson as in Ninja's docs"
RIVAL_NAMES = (STOCK, DRF_ORJSON, DJANGO_ORJSON, DOCUMENTED_ORJSON, OURS)


class DocumentedORJSON(BaseRenderer):
    """Ninja's documentation has it so, but for `default`, without which decimals are an error."""

    media_type = "application/json"

    def render(self, request: Any, data: Any, *, response_status: int) -> bytes:
        return orjson.dumps(data, default=str)


def _of_parts(
    kind: str, classes: Mapping[str, Any], part: Callable[[Any], Callable[[Any], Any]], view: Callable[[str, Any], Any]
) -> list[AdapterRival]:
    """A rival a class; ours is to give stock's very bytes or values, or for some kinds the same in compact UTF-8."""
    stock = part(classes[STOCK])
    reference = (lambda value: _compact(stock(value))) if kind in _COMPACT_KINDS else stock
    return [
        AdapterRival(
            name=name,
            part=part(cls),
            ask=lambda route, name=name, cls=cls: project.asking(route, view(name, cls)),  # type: ignore[misc]
            reference=reference if name == OURS else None,
        )
        for name, cls in classes.items()
    ]


_COMPACT_KINDS = ("response", "ninja")


def _compact(text: bytes) -> bytes:
    return json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":")).encode()


def _render_by_class(cls: type[Any]) -> Callable[[Any], Any]:
    return lambda data: cls().render(data)


def _parse_by(cls: type[Any]) -> Callable[[Any], Any]:
    return lambda body: cls().parse(io.BytesIO(body), "application/json", {"encoding": "utf-8"})


def _render_by(renderer: Any) -> Callable[[Any], Any]:
    def render(data: Any) -> bytes:
        text = renderer.render(None, data, response_status=200)
        return text.encode() if isinstance(text, str) else text  # as HttpResponse does

    return render


def _cases() -> list[AdapterCase]:
    """Every kind. The table must be filled."""
    serialized = pickle.dumps(list(project.ItemSerializer(project.Item.objects.order_by("pk"), many=True).data))
    values = pickle.dumps(list(project.rows()))
    body = json.dumps({"rows": pickle.loads(serialized)}, ensure_ascii=False, separators=(",", ":")).encode()
    renderers = {
        STOCK: JSONRenderer,
        DRF_ORJSON: drf_orjson_renderer.renderers.ORJSONRenderer,
        DJANGO_ORJSON: django_orjson.rest_framework.JSONRenderer,
        OURS: rest_framework.SSRJSONRenderer,
    }
    responses: Mapping[str, Callable[..., Any]] = {
        STOCK: JsonResponse,
        DJANGO_ORJSON: django_orjson.http.JsonResponse,
        OURS: SSRJSONResponse,
    }
    ninja_renderers = {STOCK: NinjaRenderer(), DOCUMENTED_ORJSON: DocumentedORJSON(), OURS: ninja.SSRJSONRenderer()}
    parsers = {
        STOCK: JSONParser,
        DRF_ORJSON: drf_orjson_renderer.parsers.ORJSONParser,
        DJANGO_ORJSON: django_orjson.rest_framework.JSONParser,
        OURS: rest_framework.SSRJSONParser,
    }
    return [
        AdapterCase(
            kind="drf-serializer",
            title="REST framework, a list of a ModelSerializer",
            rivals=_of_parts(
                "drf-serializer", renderers, _render_by_class, lambda name, cls: project.serializer_view(cls)
            ),
            make_value=lambda: ReturnList(pickle.loads(serialized), serializer=None),
            n_bytes=len(serialized),
        ),
        AdapterCase(
            kind="drf-values",
            title="REST framework, `.values()`",
            rivals=_of_parts("drf-values", renderers, _render_by_class, lambda name, cls: project.values_view(cls)),
            make_value=lambda: pickle.loads(values),
            n_bytes=len(values),
        ),
        AdapterCase(
            kind="response",
            title="a response class, `.values()`",
            rivals=_of_parts(
                "response",
                responses,
                lambda cls: lambda data: cls(data).content,
                lambda name, cls: project.response_view(cls),
            ),
            make_value=lambda: {"rows": pickle.loads(values)},
            n_bytes=len(values),
        ),
        AdapterCase(
            kind="ninja",
            title="Ninja, a list of a schema",
            rivals=_of_parts("ninja", ninja_renderers, _render_by, project.ninja_view),
            make_value=lambda: pickle.loads(values),
            n_bytes=len(values),
        ),
        AdapterCase(
            kind="drf-parse",
            title="REST framework, a POST",
            rivals=_of_parts("drf-parse", parsers, _parse_by, lambda name, cls: project.parse_view(cls)),
            make_value=lambda: bytes(bytearray(body)),
            body=body,
            n_bytes=len(body),
        ),
    ]


def adapter() -> Adapter:
    """Django. The table must be filled."""
    names = ("ssrjson_web", "django", "djangorestframework", "django-ninja", "pydantic", "orjson")
    return Adapter(
        title=f"{project.N_ROWS} rows of {len(project.FIELDS)} fields: µs",
        cases=_cases(),
        rival_names=RIVAL_NAMES,
        ours=(OURS,),
        goals=GOALS,
        versions={name: version(name) for name in (*names, DRF_ORJSON, DJANGO_ORJSON)},
        request_note="request: by WSGI without a socket, query and serializer included; less: of stock's median",
    )
