"""Schemas of marshmallow: each field alone, and all of them together."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import ipaddress
import types
import uuid
from collections.abc import Callable
from typing import Any

from marshmallow import Schema, fields, post_dump, post_load, pre_dump, pre_load, validate, validates, validates_schema

from mutations.pairs import pair_of
from ssrjson_web.marshmallow import _plans, disabled, setup

LIBRARIES = ("marshmallow",)
PRELOADED = ("email.utils", "ipaddress", "decimal", "packaging", "typing_extensions", "uuid")

MOMENT = dt.datetime(2026, 11, 28, 9, 5, tzinfo=dt.timezone.utc)
ONE = uuid.UUID(int=1)


class Color(enum.Enum):
    RED = 1


class Inner(Schema):
    number = fields.Integer(validate=validate.Range(min=1, max=9))
    text = fields.String(validate=validate.Length(max=5))


class AnyMapping(fields.Mapping):
    mapping_type = dict


FIELDS: dict[str, tuple[Callable[[], Any], Any, Any]] = {
    "raw": (fields.Raw, "v", "v"),
    "string": (lambda: fields.String(validate=validate.Length(max=5)), "v", "v"),
    "one_of": (lambda: fields.String(validate=validate.OneOf(["v"])), "v", "v"),
    "regexp": (lambda: fields.String(validate=validate.Regexp("v")), "v", "v"),
    "dotted": (lambda: fields.String(attribute="some.name"), "v", "v"),
    "required": (lambda: fields.String(required=True, data_key="itAs"), "v", "v"),
    "default": (lambda: fields.String(load_default="w", dump_default="w", allow_none=True), "v", "v"),
    "integer": (lambda: fields.Integer(strict=True, validate=[validate.Range(min=1)]), 5, 5),
    "integer_text": (lambda: fields.Integer(as_string=True), 5, "5"),
    "float": (lambda: fields.Float(validate=validate.Range(min=1.0)), 5.5, "5.5"),
    "decimal": (lambda: fields.Decimal(places=2, as_string=True), decimal.Decimal("1.555"), "1.555"),
    "boolean": (fields.Boolean, True, "yes"),
    "uuid": (fields.UUID, ONE, str(ONE)),
    "datetime": (fields.DateTime, MOMENT, MOMENT.isoformat()),
    "naive": (fields.NaiveDateTime, MOMENT.replace(tzinfo=None), MOMENT.replace(tzinfo=None).isoformat()),
    "aware": (fields.AwareDateTime, MOMENT, MOMENT.isoformat()),
    "date": (fields.Date, MOMENT.date(), "2026-11-28"),
    "time": (fields.Time, MOMENT.time(), "09:05:00"),
    "timedelta": (fields.TimeDelta, dt.timedelta(seconds=5), 5),
    "url": (fields.URL, "http://a.org", "http://a.org"),
    "email": (fields.Email, "a@b.org", "a@b.org"),
    "ip": (fields.IP, ipaddress.ip_address("127.0.0.1"), "127.0.0.1"),
    "interface": (fields.IPInterface, ipaddress.ip_interface("127.0.0.1/8"), "127.0.0.1/8"),
    "enum": (lambda: fields.Enum(Color), Color.RED, "RED"),
    "enum_value": (lambda: fields.Enum(Color, by_value=True), Color.RED, 1),
    "enum_field": (lambda: fields.Enum(Color, by_value=fields.Integer), Color.RED, 1),
    "list": (lambda: fields.List(fields.Integer(), validate=validate.Length(max=5)), [5, 6], [5, 6]),
    "tuple": (lambda: fields.Tuple([fields.Integer(), fields.String()]), (5, "v"), [5, "v"]),
    "mapping": (AnyMapping, {"v": 5}, {"v": 5}),
    "dict": (lambda: fields.Dict(keys=fields.String(), values=fields.Integer()), {"v": 5}, {"v": 5}),
    "nested": (lambda: fields.Nested(Inner), {"number": 5, "text": "v"}, {"number": 5, "text": "v"}),
    "nested_many": (lambda: fields.Nested(Inner, many=True), [{"number": 5}], [{"number": 5}]),
    "pluck": (lambda: fields.Pluck(Inner, "text"), {"text": "v"}, "v"),
    "method": (lambda: fields.Method("get_it", "set_it"), "v", "v"),
    "function": (lambda: fields.Function(lambda thing: 5, lambda value: value), "v", "v"),
    "constant": (lambda: fields.Constant(5), 5, 5),
}
"""Makes a field; a value to dump, and one to load."""


class Hooked(Schema):
    number = fields.Integer()
    text = fields.String()

    @pre_load
    def before(self, data: Any, **_: Any) -> Any:
        return data

    @post_load
    def after(self, data: Any, **_: Any) -> Any:
        return {**data, "loaded": True}

    @pre_dump
    def of_it(self, data: Any, **_: Any) -> Any:
        return data

    @post_dump
    def to_it(self, data: Any, **_: Any) -> Any:
        return {**data, "dumped": True}

    @validates("number")
    def is_right(self, value: Any, **_: Any) -> None:
        if value == 7:
            raise validate.ValidationError("seven")

    @validates_schema
    def are_right(self, data: Any, **_: Any) -> None:
        if data.get("number") == 8:
            raise validate.ValidationError("eight")


def _class_of(name: str) -> type[Schema]:
    def get_it(self: Any, thing: Any) -> Any:
        return thing["it"] if isinstance(thing, dict) else thing.it

    def set_it(self: Any, value: Any) -> Any:
        return value

    body = {"it": FIELDS[name][0](), "other": fields.Integer(), "get_it": get_it, "set_it": set_it}
    return type(f"{name.title()}Schema", (Schema,), body)


def _told(call: Callable[[], Any]) -> str:
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {getattr(error, 'messages', error)} {getattr(error, 'valid_data', '')}"


def _used(schema: Schema, value: Any, loaded: Any) -> list[str]:
    key = getattr(schema.fields.get("it"), "data_key", None) or "it"
    thing = types.SimpleNamespace(it=value, some=types.SimpleNamespace(name=value), other=1)
    row = {"it": value, "some": {"name": value}, "other": 1}
    data = {key: loaded, "other": 2}
    calls: list[Callable[[], Any]] = [
        lambda: schema.dump(thing),
        lambda: schema.dump([row] * 3, many=True),
        lambda: schema.dump({"it": None}),
        lambda: schema.load(data),
        lambda: schema.load([data, {}], many=True),
        lambda: schema.load({key: None}),
        lambda: schema.load({key: {"wrong"}, "extra": 1}),
        lambda: schema.load(data, partial=(key,), unknown="exclude"),
        lambda: schema.loads("{}"),
        lambda: schema.dumps({"other": 1}),
        lambda: schema.validate(data),
    ]
    return [_told(call) for call in calls]


def _hooked(schema: Schema) -> list[str]:
    calls = [lambda: schema.dump({"number": 1, "text": "é"})]
    calls += [lambda n=n: schema.load({"number": n, "text": "é"}) for n in (1, 7, 8, "x")]  # type: ignore[misc]
    return [_told(call) for call in calls]


def calls() -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """All that a schema does with one field, in marshmallow's own way and in ours."""
    _plans.FEW_ITEMS = 0
    setup()

    pairs = {}
    for name, (_, value, loaded) in FIELDS.items():
        schema = _class_of(name)()
        pairs[name] = pair_of(lambda schema=schema, value=value, loaded=loaded: _used(schema, value, loaded), disabled)  # type: ignore[misc]
    hooked = Hooked()
    pairs["hooks"] = pair_of(lambda: _hooked(hooked), disabled)
    return pairs
