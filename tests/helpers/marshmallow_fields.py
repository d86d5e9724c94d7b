"""A schema of each field of marshmallow, with a value to dump and one to load."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import ipaddress
import uuid
from collections.abc import Callable
from typing import Any

from marshmallow import Schema, fields, validate

__all__ = ["FIELDS", "ONE", "schema_class"]


class Color(enum.Enum):
    RED = 1


class Inner(Schema):
    number = fields.Integer(validate=validate.Range(min=1, max=9))
    text = fields.String(validate=validate.Length(max=5))


class AnyMapping(fields.Mapping):
    mapping_type = dict


ZONE = dt.timezone.utc
MOMENT = dt.datetime(2026, 11, 27, 9, 5, tzinfo=ZONE)
ONE = uuid.UUID(int=1)

FIELDS: dict[str, tuple[Callable[[], Any], Any, Any]] = {
    "raw": (fields.Raw, "v", "v"),
    "string": (fields.String, "v", "v"),
    "length": (lambda: fields.String(validate=validate.Length(max=5)), "v", "v"),
    "oneof": (lambda: fields.String(validate=validate.OneOf(["v"])), "v", "v"),
    "regexp": (lambda: fields.String(validate=validate.Regexp("v")), "v", "v"),
    "own_validator": (lambda: fields.String(validate=lambda value: True), "v", "v"),
    "dotted": (lambda: fields.String(attribute="some.name"), "v", "v"),
    "required": (lambda: fields.String(required=True, data_key="itAs"), "v", "v"),
    "default": (lambda: fields.String(load_default="w", dump_default="w"), "v", "v"),
    "default_or_none": (lambda: fields.String(load_default="w", dump_default="w", allow_none=True), "v", "v"),
    "integer": (fields.Integer, 5, 5),
    "integer_strict": (lambda: fields.Integer(strict=True, validate=[validate.Range(min=1)]), 5, 5),
    "integer_text": (lambda: fields.Integer(as_string=True), 5, "5"),
    "range": (lambda: fields.Integer(validate=[validate.Range(min=1), validate.Range(max=9)]), 5, 5),
    "float": (fields.Float, 5.5, 5.5),
    "float_range": (lambda: fields.Float(validate=validate.Range(min=1.0)), 5.5, 5.5),
    "float_text": (lambda: fields.Float(validate=validate.Range(min=1.0)), 5.5, "5.5"),
    "decimal": (fields.Decimal, decimal.Decimal("1.5"), "1.5"),
    "decimal_places": (lambda: fields.Decimal(places=2, as_string=True), decimal.Decimal("1.5"), "1.5"),
    "decimal_rounded": (lambda: fields.Decimal(places=2, as_string=True), decimal.Decimal("1.555"), "1.555"),
    "boolean": (fields.Boolean, True, "yes"),
    "uuid": (fields.UUID, ONE, str(ONE)),
    "datetime": (fields.DateTime, MOMENT, MOMENT.isoformat()),
    "naive": (fields.NaiveDateTime, MOMENT.replace(tzinfo=None), MOMENT.replace(tzinfo=None).isoformat()),
    "aware": (fields.AwareDateTime, MOMENT, MOMENT.isoformat()),
    "date": (fields.Date, MOMENT.date(), "2026-11-27"),
    "time": (fields.Time, MOMENT.time(), "09:05:00"),
    "timedelta": (fields.TimeDelta, dt.timedelta(seconds=5), 5),
    "url": (fields.URL, "http://a.org", "http://a.org"),
    "email": (fields.Email, "a@b.org", "a@b.org"),
    "ip": (fields.IP, ipaddress.ip_address("127.0.0.1"), "127.0.0.1"),
    "interface": (fields.IPInterface, ipaddress.ip_interface("127.0.0.1/8"), "127.0.0.1/8"),
    "enum": (lambda: fields.Enum(Color), Color.RED, "RED"),
    "enum_value": (lambda: fields.Enum(Color, by_value=True), Color.RED, 1),
    "enum_field": (lambda: fields.Enum(Color, by_value=fields.Integer), Color.RED, 1),
    "list": (lambda: fields.List(fields.Integer), [5], [5]),
    "list_length": (lambda: fields.List(fields.Integer(), validate=validate.Length(max=5)), [5], [5]),
    "tuple": (lambda: fields.Tuple([fields.Integer(), fields.String()]), (5, "v"), [5, "v"]),
    "mapping": (AnyMapping, {"v": 5}, {"v": 5}),
    "dict": (lambda: fields.Dict(keys=fields.String(), values=fields.Integer()), {"v": 5}, {"v": 5}),
    "nested": (lambda: fields.Nested(Inner), {"number": 5, "text": "v"}, {"number": 5, "text": "v"}),
    "nested_many": (lambda: fields.Nested(Inner, many=True), [{"number": 5}], [{"number": 5}]),
    "list_nested": (lambda: fields.List(fields.Nested(Inner)), [{"number": 5}], [{"number": 5}]),
    "pluck": (lambda: fields.Pluck(Inner, "text"), {"text": "v"}, "v"),
    "method": (lambda: fields.Method("get_it", "set_it"), "v", "v"),
    "function": (lambda: fields.Function(lambda thing: 5, lambda value: value), "v", "v"),
    "constant": (lambda: fields.Constant(5), 5, 5),
}
"""Makes a field; a value to dump, and one to load."""


def schema_class(name: str) -> type[Schema]:
    """A schema with this field, and another."""

    def get_it(self: Any, thing: Any) -> Any:
        return thing["it"] if isinstance(thing, dict) else thing.it

    def set_it(self: Any, value: Any) -> Any:
        return value

    body = {"it": FIELDS[name][0](), "other": fields.Integer(), "get_it": get_it, "set_it": set_it}
    return type(f"{name.title()}Schema", (Schema,), body)
