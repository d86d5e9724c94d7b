"""Serializers of REST framework: each field alone, lists, models, and a view."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import uuid
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test import Client
from django.urls import path
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.validators import UniqueTogetherValidator, UniqueValidator
from rest_framework.views import APIView

from mutations.pairs import pair_of
from mutations.project import urls
from ssrjson_web.rest_framework import SSRJSONParser, SSRJSONRenderer, _templates, disabled, setup

LIBRARIES = (
    "rest_framework",
    "django.core",
    "django.db",
    "django.http",
    "django.utils.dateparse",
    "django.utils.timezone",
)
APPS = ("rest_framework",)
PRELOADED = ("asgiref.sync", "asgiref.local", "sqlparse", "zoneinfo")

MOMENT = dt.datetime(2026, 11, 28, 9, 5, 1, 2, tzinfo=dt.timezone.utc)
ONE = uuid.UUID(int=1)


class Inner(serializers.Serializer):
    number = serializers.IntegerField(min_value=1, max_value=9)
    text = serializers.CharField(max_length=5, required=False)


FIELDS: dict[str, tuple[Callable[[], Any], Any, Any, Any]] = {
    "char": (lambda: serializers.CharField(max_length=5, min_length=1), "é", " v ", "too long"),
    "blank": (lambda: serializers.CharField(allow_blank=True, allow_null=True, trim_whitespace=False), None, "", 1.5),
    "source": (lambda: serializers.CharField(source="some.name"), "v", "v", "\0"),
    "default": (lambda: serializers.CharField(default="w"), "v", "v", []),
    "email": (serializers.EmailField, "a@b.org", "a@b.org", "a"),
    "regex": (lambda: serializers.RegexField("^v+$"), "v", "v", "w"),
    "slug": (serializers.SlugField, "v-1", "v-1", "v w"),
    "url": (serializers.URLField, "http://a.org", "http://a.org", "a"),
    "uuid": (serializers.UUIDField, ONE, str(ONE), "x"),
    "ip": (serializers.IPAddressField, "127.0.0.1", "127.0.0.1", "x"),
    "integer": (lambda: serializers.IntegerField(min_value=1, max_value=9), 5, "5", 10),
    "float": (lambda: serializers.FloatField(max_value=9), 5.5, "5.5", "x"),
    "decimal": (
        lambda: serializers.DecimalField(max_digits=4, decimal_places=2),
        decimal.Decimal("1.5"),
        "1.25",
        "1.255",
    ),
    "number": (
        lambda: serializers.DecimalField(max_digits=4, decimal_places=2, coerce_to_string=False, max_value=9),
        *(decimal.Decimal("1.5"), 1.5, "NaN"),
    ),
    "boolean": (serializers.BooleanField, True, "yes", "x"),
    "datetime": (serializers.DateTimeField, MOMENT, MOMENT.isoformat(), "x"),
    "format": (lambda: serializers.DateTimeField(format="%Y", input_formats=["%Y"]), MOMENT, "2026", "x"),
    "date": (serializers.DateField, MOMENT.date(), "2026-11-28", "x"),
    "time": (serializers.TimeField, MOMENT.time(), "09:05", "x"),
    "duration": (serializers.DurationField, dt.timedelta(days=1, seconds=5), "1 00:00:05", "x"),
    "choice": (lambda: serializers.ChoiceField(["a", ("b", "B")]), "a", "b", "c"),
    "choices": (lambda: serializers.MultipleChoiceField(choices=["a", "b"]), {"a"}, ["a"], "c"),
    "list": (lambda: serializers.ListField(child=serializers.IntegerField(), max_length=3), [1, 2], [1, "2"], [1] * 4),
    "dict": (lambda: serializers.DictField(child=serializers.CharField()), {"a": "é"}, {"a": 1}, []),
    "json": (serializers.JSONField, {"a": [1]}, {"a": [1]}, {1}),
    "read_only": (serializers.ReadOnlyField, "v", "v", None),
    "method": (lambda: serializers.SerializerMethodField(), "v", "v", None),
    "hidden": (lambda: serializers.HiddenField(default=5), "v", "v", None),
    "nested": (Inner, {"number": 5, "text": "é"}, {"number": 5}, {"number": 10, "text": "too long"}),
    "nested_many": (lambda: Inner(many=True), [{"number": 5, "text": "é"}], [{"number": 5}], [{}]),
    "key": (lambda: serializers.PrimaryKeyRelatedField(queryset=ContentType.objects.all()), None, 1, 99),
    "keys": (
        lambda: serializers.PrimaryKeyRelatedField(many=True, queryset=ContentType.objects.all()),
        [],
        [1, 2],
        [99],
    ),
    "slugs": (
        lambda: serializers.SlugRelatedField(slug_field="model", queryset=ContentType.objects.all()),
        *(None, "é1", "x"),
    ),
    "string_of": (lambda: serializers.StringRelatedField(), "v", "v", None),
}
"""Makes a field; a value to read, one to load, and one that is refused."""


class KindSerializer(serializers.ModelSerializer):
    class Meta:
        model = ContentType
        fields = ("id", "app_label", "model")


class CheckedSerializer(serializers.Serializer):
    number = serializers.IntegerField(
        validators=[UniqueValidator(ContentType.objects.all(), lookup="exact")], source="pk"
    )
    label = serializers.CharField()

    class Meta:
        validators = (UniqueTogetherValidator(ContentType.objects.all(), fields=("label",)),)

    def validate_label(self, value: str) -> str:
        if value == "wrong":
            raise serializers.ValidationError("wrong label")
        return value

    def validate(self, attrs: Any) -> Any:
        if attrs["label"] == "all wrong":
            raise serializers.ValidationError({"label": "all"})
        return attrs


class View(APIView):
    authentication_classes = ()
    permission_classes = ()

    def get(self, request: Any) -> Response:
        many = KindSerializer(ContentType.objects.order_by("pk"), many=True)
        return Response({"kinds": many.data, "at": MOMENT, "d": decimal.Decimal("1.50"), "key": ONE, "é": [1.5, None]})

    def post(self, request: Any) -> Response:
        serializer = Inner(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response(serializer.validated_data)


class OurView(View):
    renderer_classes = (SSRJSONRenderer,)
    parser_classes = (SSRJSONParser,)


def _class_of(name: str) -> Any:
    body: dict[str, Any] = {"it": FIELDS[name][0](), "other": serializers.IntegerField(required=False)}
    body["get_it"] = lambda self, row: f"{row['it'] if isinstance(row, dict) else row.it}!"
    return type(f"{name.title()}Serializer", (serializers.Serializer,), body)


def _told(call: Callable[[], Any]) -> str:
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _loaded(cls: Any, data: Any, **options: Any) -> Any:
    serializer = cls(data=data, **options)
    return serializer.is_valid(), serializer.errors, serializer.validated_data


def _used(cls: Any, value: Any, loaded: Any, wrong: Any) -> list[str]:
    row = {"it": value, "some": {"name": value}, "other": 1}
    thing = SimpleNamespace(it=value, some=SimpleNamespace(name=value), other=1)
    calls: list[Callable[[], Any]] = [
        lambda: cls(thing).data,
        lambda: cls([row] * 3, many=True).data,
        lambda: _loaded(cls, {"it": loaded, "other": "2"}),
        lambda: _loaded(cls, [{"it": loaded}, {"it": wrong}, {}], many=True),
        lambda: _loaded(cls, {"it": wrong, "other": "x"}),
        lambda: _loaded(cls, {"it": None}, partial=True),
    ]
    return [_told(call) for call in calls]


def _of_models() -> list[str]:
    rows = ContentType.objects.order_by("pk")
    data = {"app_label": "b", "model": "c"}
    calls: list[Callable[[], Any]] = [
        lambda: KindSerializer(rows, many=True).data,
        lambda: KindSerializer(rows[0]).data,
        lambda: _loaded(KindSerializer, data),
        lambda: _loaded(KindSerializer, {"app_label": "a", "model": "é1"}),
        lambda: _loaded(KindSerializer, [data, {}], many=True),
    ]
    calls += [
        lambda label=label: _loaded(CheckedSerializer, {"number": 7, "label": label})
        for label in ("a", "wrong", "all wrong")
    ]  # type: ignore[misc]
    return [_told(call) for call in calls]


def _sent(url: str, body: bytes | None = None) -> Any:
    client = Client()
    response = client.get(url) if body is None else client.post(url, body, content_type="application/json")
    return response.status_code, sorted(response.items()), json.loads(response.content)


def calls() -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """What a serializer does with one field, in REST framework's own way and in ours."""
    with connection.schema_editor() as editor:
        editor.create_model(ContentType)
    for n in range(3):
        ContentType.objects.create(app_label="a", model=f"é{n}")
    urls.urlpatterns = [path("stock", View.as_view()), path("ours", OurView.as_view())]  # type: ignore[attr-defined]
    setup()
    _templates.MIN_USES = 1  # each class is used a few times

    pairs = {}
    for name, (_, *values) in FIELDS.items():
        cls = _class_of(name)
        pairs[name] = pair_of(lambda cls=cls, values=values: _used(cls, *values), disabled)  # type: ignore[misc]
    pairs["models"] = pair_of(_of_models, disabled)
    for name, body in {
        "answer": None,
        "body": b'{"number": "5"}',
        "wrong": b'{"number": 0}',
        "malformed": b"{",
    }.items():
        pairs[name] = (lambda body=body: _sent("/stock", body)), (lambda body=body: _sent("/ours", body))  # type: ignore[misc]
    return pairs
