"""Types of pydantic: what each encodes and decodes."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import uuid
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter

from ssrjson_web._cli.verify.corpora.values import BODIES, VALUES, Color, Pair, orders
from ssrjson_web.models import TypedDecoder, TypedEncoder

__all__ = ["Order", "pairs"]


class Line(BaseModel):
    """A line of an order."""

    sku: Annotated[str, Field(min_length=2, max_length=9)]
    count: Annotated[int, Field(ge=1)] = 1


class Order(BaseModel):
    """An order of many types."""

    id: int
    name: Annotated[str, Field(max_length=40)]
    price: float
    paid: bool
    at: dt.datetime
    key: uuid.UUID
    tags: list[str]
    lines: list[Line]
    note: str | None = None


_TYPES: tuple[Any, ...] = (
    *(Any, str, int, float, bool, decimal.Decimal, dt.datetime, dt.date, dt.time, dt.timedelta, uuid.UUID, Color),
    *(list[int], list[str], dict[str, int], dict[str, Any], tuple[int, str], set[int], int | None),
    *(int | str, Literal["red", 1], Annotated[int, Field(ge=0, lt=9)], Annotated[str, Field(min_length=1)], Line),
)


def _dumped(adapter: TypeAdapter[Any], value: Any) -> bytes:
    return adapter.dump_json(adapter.validate_python(value))


def pairs() -> Iterator[Pair]:
    """Values and JSON of each type; orders."""
    for declared in _TYPES:
        yield from _of_type(declared, VALUES, BODIES)
    many = [[order, order] for order in orders()]
    yield from _of_type(list[Order], many, [json.dumps(each).encode() for each in many])


def _of_type(declared: Any, values: Iterable[Any], bodies: Iterable[bytes]) -> Iterator[Pair]:
    adapter: TypeAdapter[Any] = TypeAdapter(declared)
    encoder, decoder = TypedEncoder(declared), TypedDecoder(declared)
    for value in values:
        yield f"{declared}: encodes {value!r}", partial(_dumped, adapter, value), partial(encoder.encode, value)
    for body in bodies:
        yield f"{declared}: decodes {body!r}", partial(adapter.validate_json, body), partial(decoder.decode, body)
