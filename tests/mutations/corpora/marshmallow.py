"""Schemas of marshmallow: each field alone, and all of them together."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from helpers.marshmallow_fields import FIELDS, schema_class
from marshmallow import Schema, fields, post_dump, post_load, pre_dump, pre_load, validate, validates, validates_schema

from mutations.pairs import pair_of
from ssrjson_web.marshmallow import _plans, disabled, setup

LIBRARIES = ("marshmallow",)
PRELOADED = ("email.utils", "ipaddress", "decimal", "packaging", "typing_extensions", "uuid")


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
        schema = schema_class(name)()
        pairs[name] = pair_of(lambda schema=schema, value=value, loaded=loaded: _used(schema, value, loaded), disabled)  # type: ignore[misc]
    hooked = Hooked()
    pairs["hooks"] = pair_of(lambda: _hooked(hooked), disabled)
    return pairs
