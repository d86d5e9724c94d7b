"""What takes part on Django: for each kind of request the classes, and the JSON part of it as a call of its own."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal

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
from ssrjson_web import ninja, rest_framework
from ssrjson_web.django import SSRJSONResponse

Kind = Literal["drf-serializer", "drf-values", "response", "ninja", "drf-parse"]
STOCK = "stock"
OURS = "ssrjson_web"
DRF_ORJSON = "drf-orjson-renderer"
DJANGO_ORJSON = "django-orjson"
DOCUMENTED_ORJSON = "orjson as in Ninja's docs"
RIVAL_NAMES = (STOCK, DRF_ORJSON, DJANGO_ORJSON, DOCUMENTED_ORJSON, OURS)


class DocumentedORJSON(BaseRenderer):
    """Ninja's documentation has it so, but for `default`, without which decimals are an error."""

    media_type = "application/json"

    def render(self, request: Any, data: Any, *, response_status: int) -> bytes:
        return orjson.dumps(data, default=str)


@dataclass(frozen=True, kw_only=True)
class DjangoRival:
    """One class on one kind of request."""

    name: str
    part: Callable[[Any], Any]
    """What the class does with a value, by itself."""
    view: Callable[[], Any]


@dataclass(frozen=True, kw_only=True)
class DjangoCase:
    """A kind of request."""

    kind: Kind
    title: str
    rivals: Sequence[DjangoRival]
    make_value: Callable[[], Any]
    """What the JSON part gets, of strings that nobody has encoded."""
    body: bytes | None = None
    """Of a POST."""
    n_bytes: int


def _of_renderers(view: Callable[[type[Any]], Any], classes: Mapping[str, type[Any]]) -> list[DjangoRival]:
    return [
        DjangoRival(name=name, part=lambda data, cls=cls: cls().render(data), view=lambda cls=cls: view(cls))  # type: ignore[misc]
        for name, cls in classes.items()
    ]


def _parse_by(cls: type[Any]) -> Callable[[Any], Any]:
    return lambda body: cls().parse(io.BytesIO(body), "application/json", {"encoding": "utf-8"})


def _render_by(renderer: Any) -> Callable[[Any], Any]:
    def render(data: Any) -> bytes:
        text = renderer.render(None, data, response_status=200)
        return text.encode() if isinstance(text, str) else text  # as HttpResponse does

    return render


def cases() -> list[DjangoCase]:
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
        DjangoCase(
            kind="drf-serializer",
            title="REST framework, a list of a ModelSerializer",
            rivals=_of_renderers(project.serializer_view, renderers),
            make_value=lambda: ReturnList(pickle.loads(serialized), serializer=None),
            n_bytes=len(serialized),
        ),
        DjangoCase(
            kind="drf-values",
            title="REST framework, `.values()`",
            rivals=_of_renderers(project.values_view, renderers),
            make_value=lambda: pickle.loads(values),
            n_bytes=len(values),
        ),
        DjangoCase(
            kind="response",
            title="a response class, `.values()`",
            rivals=[
                DjangoRival(
                    name=name,
                    part=lambda data, cls=cls: cls(data).content,  # type: ignore[misc]
                    view=lambda cls=cls: project.response_view(cls),  # type: ignore[misc]
                )
                for name, cls in responses.items()
            ],
            make_value=lambda: {"rows": pickle.loads(values)},
            n_bytes=len(values),
        ),
        DjangoCase(
            kind="ninja",
            title="Ninja, a list of a schema",
            rivals=[
                DjangoRival(
                    name=name,
                    part=_render_by(renderer),
                    view=lambda name=name, renderer=renderer: project.ninja_view(name, renderer),  # type: ignore[misc]
                )
                for name, renderer in ninja_renderers.items()
            ],
            make_value=lambda: pickle.loads(values),
            n_bytes=len(values),
        ),
        DjangoCase(
            kind="drf-parse",
            title="REST framework, a POST",
            rivals=[
                DjangoRival(name=name, part=_parse_by(cls), view=lambda cls=cls: project.parse_view(cls))  # type: ignore[misc]
                for name, cls in parsers.items()
            ],
            make_value=lambda: bytes(bytearray(body)),
            body=body,
            n_bytes=len(body),
        ),
    ]


def versions() -> dict[str, str]:
    """The versions of what takes part."""
    names = ("ssrjson_web", "django", "djangorestframework", "django-ninja", "pydantic", "orjson")
    return {name: version(name) for name in (*names, DRF_ORJSON, DJANGO_ORJSON)}
