"""Requests to a Django project: for each kind the classes, its JSON part as a separate call, ratios to reach."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import django_orjson.http
import django_orjson.rest_framework.test  # this imports the package too
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
from bench.web.adapter_cases import N_ROWS, AdapterRival, adapter_case
from bench.web.web_case import STOCK, Framework, WebCase, WebGoal
from ssrjson_web import ninja, rest_framework
from ssrjson_web.django import SSRJSONResponse

OURS = "ssrjson_web"
DRF_ORJSON = "drf-orjson-renderer"
DJANGO_ORJSON = "django-orjson"
DOCUMENTED_ORJSON = "orjson as in Ninja's docs"

GOALS: Sequence[WebGoal] = (
    WebGoal(kind="drf-serializer", at_least=8),
    WebGoal(kind="drf-serializer", over=DRF_ORJSON, at_least=1),
    WebGoal(kind="drf-serializer", over=DJANGO_ORJSON, at_least=1),
    WebGoal(kind="drf-values", at_least=8),
    WebGoal(kind="drf-values", over=DRF_ORJSON, at_least=1),
    WebGoal(kind="response", at_least=12),
    WebGoal(kind="response", over=DJANGO_ORJSON, at_least=1),
    WebGoal(kind="ninja", at_least=6),
    WebGoal(kind="drf-parse", at_least=2),
)


class DocumentedORJSON(BaseRenderer):
    """The renderer of Ninja's documentation, with a `default` added: without it decimals are an error."""

    media_type = "application/json"

    def render(self, request: Any, data: Any, *, response_status: int) -> bytes:
        return orjson.dumps(data, default=str)


def _of_parts(
    kind: str, classes: Mapping[str, Any], part: Callable[[Any], Callable[[Any], Any]], view: Callable[[str, Any], Any]
) -> list[AdapterRival]:
    """One contender for each class. Ours must give stock's bytes or values, for some kinds in compact UTF-8."""
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


def _cases() -> list[WebCase]:
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
        adapter_case(
            kind="drf-serializer",
            title="REST framework, a list of a ModelSerializer",
            rivals=_of_parts(
                "drf-serializer", renderers, _render_by_class, lambda name, cls: project.serializer_view(cls)
            ),
            make_value=lambda: ReturnList(pickle.loads(serialized), serializer=None),
            n_bytes=len(serialized),
        ),
        adapter_case(
            kind="drf-values",
            title="REST framework, `.values()`",
            rivals=_of_parts("drf-values", renderers, _render_by_class, lambda name, cls: project.values_view(cls)),
            make_value=lambda: pickle.loads(values),
            n_bytes=len(values),
        ),
        adapter_case(
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
        adapter_case(
            kind="ninja",
            title="Ninja, a list of a schema",
            rivals=_of_parts("ninja", ninja_renderers, _render_by, project.ninja_view),
            make_value=lambda: pickle.loads(values),
            n_bytes=len(values),
        ),
        adapter_case(
            kind="drf-parse",
            title="REST framework, a POST",
            rivals=_of_parts("drf-parse", parsers, _parse_by, lambda name, cls: project.parse_view(cls)),
            make_value=lambda: bytes(bytearray(body)),
            body=body,
            n_bytes=len(body),
        ),
    ]


def framework() -> Framework:
    """Django, with its table filled."""
    project.fill()
    names = ("ssrjson_web", "django", "djangorestframework", "django-ninja", "pydantic", "orjson")
    return Framework(
        title=f"Django, {N_ROWS} rows of {len(project.FIELDS)} fields",
        cases=_cases(),
        rivals=(STOCK, DRF_ORJSON, DJANGO_ORJSON, DOCUMENTED_ORJSON, OURS),
        ours=(OURS,),
        goals=GOALS,
        versions={name: version(name) for name in (*names, DRF_ORJSON, DJANGO_ORJSON)},
        notes=["a request goes by WSGI without a socket; query and serializer are included"],
    )
