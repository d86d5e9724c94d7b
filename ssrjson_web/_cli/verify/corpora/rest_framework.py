"""Serializers of REST framework: what each kind of field, and an order with all of them, reads and validates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from rest_framework import serializers
from rest_framework.renderers import JSONRenderer

from ssrjson_web._cli.verify.corpora.values import VALUES, Pair, Record, orders
from ssrjson_web.rest_framework import SSRJSONRenderer, _templates, disabled, setup

__all__ = ["pairs"]

_MISSING = object()


class _Line(serializers.Serializer):  # type: ignore[misc]
    sku = serializers.SlugField(min_length=2, max_length=9)
    count = serializers.IntegerField(min_value=1)


class _Order(serializers.Serializer):  # type: ignore[misc]
    id = serializers.IntegerField()
    name = serializers.CharField(max_length=40)
    price = serializers.FloatField()
    paid = serializers.BooleanField()
    at = serializers.DateTimeField()
    key = serializers.UUIDField()
    tags = serializers.ListField(child=serializers.CharField())
    lines = _Line(many=True)
    note = serializers.CharField(allow_null=True, required=False)


_FIELDS: dict[str, Callable[[], Any]] = {
    **{
        name: getattr(serializers, f"{name}Field")
        for name in ("Char", "Integer", "Float", "Boolean", "UUID", "DateTime", "Date", "Time", "Duration", "Email")
    },
    **{name: getattr(serializers, f"{name}Field") for name in ("Slug", "URL", "IPAddress", "JSON", "Dict", "List")},
    "Decimal": lambda: serializers.DecimalField(max_digits=6, decimal_places=2),
    "Decimal, float": lambda: serializers.DecimalField(max_digits=6, decimal_places=2, coerce_to_string=False),
    "Choice": lambda: serializers.ChoiceField(choices=["red", (1, "one"), ("1", "text")]),
    "MultipleChoice": lambda: serializers.MultipleChoiceField(choices=["a", "1"]),
    "Char, bounds": lambda: serializers.CharField(min_length=1, max_length=3, trim_whitespace=False),
    "Char, allow_blank": lambda: serializers.CharField(allow_blank=True, allow_null=True),
    "Integer, bounds": lambda: serializers.IntegerField(min_value=0, max_value=9),
    "Integer, default": lambda: serializers.IntegerField(default=5),
    "Regex": lambda: serializers.RegexField("^[a-z]+$"),
    "DateTime, format": lambda: serializers.DateTimeField(format="%Y", input_formats=["%Y-%m-%d"]),
    "List of integers": lambda: serializers.ListField(child=serializers.IntegerField(), max_length=2),
    "Dict of integers": lambda: serializers.DictField(child=serializers.IntegerField()),
    "ReadOnly": serializers.ReadOnlyField,
    "nested": _Line,
    "nested, many": lambda: _Line(many=True),
    "source": lambda: serializers.CharField(source="g.h", required=False),
}


def _validated(cls: Any, given: Any, **options: Any) -> Any:
    serializer = cls(data=given, **options)
    return serializer.is_valid(), serializer.errors, serializer.validated_data, serializer.data


def _pair(label: str, call: Callable[[], Any]) -> Pair:
    """A call in REST framework's own way, and by the core."""

    def stock() -> Any:
        with disabled():
            return call()

    return label, stock, call


def _read(cls: Any, given: Any, **options: Any) -> Any:
    return cls(given, **options).data


def pairs() -> Iterator[Pair]:
    """Fields and orders, each read and validated; and what renderers make of values."""
    setup()
    _templates.MIN_USES = 1  # each class is used three times
    for label, field in _FIELDS.items():
        cls = type("Row", (serializers.Serializer,), {"f": field(), "n": serializers.IntegerField(default=1)})
        for value in (*VALUES, _MISSING):
            given = {} if value is _MISSING else {"f": value, "n": 1}
            yield _pair(f"{label}: reads {value!r}", partial(_read, cls, Record(g=Record(h=1), **given)))
            yield _pair(f"{label}: validates {value!r}", partial(_validated, cls, given))
    for n, order in enumerate(orders()):
        yield _pair(f"order {n}: validates", partial(_validated, _Order, order))
        yield _pair(f"order {n}: validates, many", partial(_validated, _Order, [order] * 3, many=True))
        yield _pair(f"order {n}: validates, partial", partial(_validated, _Order, order, partial=True))
        yield _pair(f"order {n}: reads", partial(_read, _Order, order))
        yield _pair(f"order {n}: reads, many", partial(_read, _Order, [order] * 3, many=True))
    for value in VALUES:
        yield f"renders {value!r}", partial(JSONRenderer().render, value), partial(SSRJSONRenderer().render, value)
