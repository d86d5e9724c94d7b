"""Schemas of marshmallow: what each kind of field, and an order with all of them, dumps and loads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from marshmallow import EXCLUDE, Schema, fields, validate

from ssrjson_web._cli.verify.corpora.values import VALUES, Color, Pair, Record, orders
from ssrjson_web.marshmallow import disabled, setup

__all__ = ["pairs"]

_MISSING = object()


class _Line(Schema):
    sku = fields.String(required=True, validate=validate.Length(min=2, max=9))
    count = fields.Integer(strict=True, validate=validate.Range(min=1))


class _Order(Schema):
    id = fields.Integer(required=True)
    name = fields.String(validate=validate.Length(max=40))
    price = fields.Float()
    paid = fields.Boolean()
    at = fields.DateTime(format="iso")
    key = fields.UUID()
    tags = fields.List(fields.String())
    lines = fields.List(fields.Nested(_Line))
    note = fields.String(allow_none=True)


_FIELDS: dict[str, Callable[[], Any]] = {
    **{
        name: getattr(fields, name)
        for name in ("Raw", "String", "Integer", "Float", "Decimal", "Boolean", "UUID", "DateTime", "Date", "Time")
    },
    **{name: getattr(fields, name) for name in ("NaiveDateTime", "AwareDateTime", "TimeDelta", "Dict", "Url", "Email")},
    **{name: getattr(fields, name) for name in ("IP", "IPv4", "IPv6", "IPInterface")},
    "Integer, strict": lambda: fields.Integer(strict=True),
    "Integer, as_string": lambda: fields.Integer(as_string=True),
    "Decimal, places": lambda: fields.Decimal(places=1, as_string=True, allow_nan=True),
    "DateTime, rfc": lambda: fields.DateTime(format="rfc"),
    "DateTime, timestamp": lambda: fields.DateTime(format="timestamp"),
    "Enum": lambda: fields.Enum(Color),
    "Enum, by_value": lambda: fields.Enum(Color, by_value=True),
    "List": lambda: fields.List(fields.Integer()),
    "Tuple": lambda: fields.Tuple((fields.Integer(), fields.String())),
    "Dict of fields": lambda: fields.Dict(keys=fields.String(), values=fields.Integer()),
    "Nested": lambda: fields.Nested(_Line),
    "Nested, many": lambda: fields.Nested(_Line, many=True),
    "Pluck": lambda: fields.Pluck(_Line, "sku"),
    "Constant": lambda: fields.Constant(5),
    "allow_none": lambda: fields.Integer(allow_none=True),
    "defaults": lambda: fields.Integer(load_default=5, dump_default=6),
    "Length": lambda: fields.String(validate=validate.Length(min=1, max=3)),
    "Range": lambda: fields.Integer(validate=validate.Range(min=0, max=9, max_inclusive=False)),
    "OneOf": lambda: fields.String(validate=validate.OneOf(["red", "1"])),
    "Regexp": lambda: fields.String(validate=[validate.Regexp("[a-z]+"), validate.Length(equal=1)]),
    "data_key": lambda: fields.String(data_key="F", required=True),
}


def _pair(label: str, call: Callable[[], Any]) -> Pair:
    """A call in marshmallow's own way, and by the core."""

    def stock() -> Any:
        with disabled():
            return call()

    return label, stock, call


def pairs() -> Iterator[Pair]:
    """Fields and orders, each dumped and loaded."""
    setup()
    for label, field in _FIELDS.items():
        cls = type("Row", (Schema,), {"f": field(), "n": fields.Integer(load_default=1)})
        schema = cls(unknown=EXCLUDE)
        for value in (*VALUES, _MISSING):
            given: Any = {} if value is _MISSING else {"f": value, "F": value}
            yield _pair(f"{label}: dumps {value!r}", partial(schema.dump, Record(**given)))
            yield _pair(f"{label}: loads {value!r}", partial(schema.load, given))
    for n, order in enumerate(orders()):
        for name, many in (("load", False), ("load", True), ("dump", False), ("dumps", True)):
            given = [order] * 3 if many else order
            yield _pair(f"order {n}: {name}, many={many}", partial(_called, name, given, many))


def _called(name: str, given: Any, many: bool) -> Any:
    return getattr(_Order(), name)(given, many=many)
