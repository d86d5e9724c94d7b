"""Schemas and rows of the tests, and what tells whether a plan was used."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from collections.abc import Callable
from typing import Any

from marshmallow import Schema, ValidationError, fields

from ssrjson_web.marshmallow import disabled


class RowSchema(Schema):
    """Ten fields, as in docs/marshmallow.md."""

    class Meta:
        register = False

    id = fields.Int()
    name = fields.Str()
    price = fields.Decimal(as_string=True)
    at = fields.DateTime()
    day = fields.Date()
    ok = fields.Bool()
    weight = fields.Float()
    key = fields.UUID()
    tags = fields.List(fields.Str())
    note = fields.Str(allow_none=True)


class Row:
    def __init__(self, n: int) -> None:
        self.id = n
        self.name = f"名前 {n}"
        self.price = decimal.Decimal(n) / 4
        self.at = dt.datetime(2026, 11, 27, 9, 5, tzinfo=dt.timezone.utc if n % 2 else None)
        self.day = dt.date(2026, 11, 27)
        self.ok = n % 3 == 0
        self.weight = n / 7
        self.key = uuid.UUID(int=n)
        self.tags = ["a", "é"]
        self.note = None


def plans_of(schema: Schema) -> set[Any]:
    """The keys of the plans that are kept with a schema."""
    kept = vars(schema).get("_ssrjson_plans")
    return set(getattr(kept, "plans", ()))


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returns, with the order of keys, or what it raises."""
    try:
        result = call()
    except ValidationError as error:
        return "invalid", repr(error.messages), repr(error.valid_data), repr(error.data)
    except Exception as error:
        return type(error).__name__, str(error)
    return "value", repr(result)


def assert_alike(call: Callable[[], Any]) -> Any:
    """The outcome of a call, which is marshmallow's own."""
    found = outcome(call)
    with disabled():
        expected = outcome(call)
    assert found == expected
    return found
