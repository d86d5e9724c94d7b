"""The documents of `types`: rows, nested orders and single ones, for each kind of class."""

from __future__ import annotations

import dataclasses
import datetime
import json
import uuid
from collections.abc import Iterator
from typing import Any, NamedTuple, TypedDict

import msgspec

from bench.races.race import Contender, Document
from ssrjson_web import Decoder


class RowStruct(msgspec.Struct):
    id: int
    name: str
    price: float
    tags: list[str]
    active: bool
    note: str | None = None


class FlatStruct(msgspec.Struct, gc=False):
    id: int
    name: str
    price: float
    active: bool
    note: str | None = None


@dataclasses.dataclass
class RowDataclass:
    id: int
    name: str
    price: float
    tags: list[str]
    active: bool
    note: str | None = None


class RowDict(TypedDict):
    id: int
    name: str
    price: float
    tags: list[str]
    active: bool
    note: str | None


class Point(NamedTuple):
    id: int
    name: str
    price: float


class Line(msgspec.Struct):
    sku: str
    n: int
    price: float


class Customer(msgspec.Struct):
    id: uuid.UUID
    name: str
    email: str


class Order(msgspec.Struct):
    id: int
    customer: Customer
    lines: list[Line]
    created: datetime.datetime
    paid: bool


def documents(size: int) -> Iterator[Document]:
    """Of `size` rows, and fewer orders."""
    rows = [
        {
            "id": i,
            "name": f"name {i}",
            "price": i * 1.25,
            "tags": ["a", f"b{i % 7}"],
            "active": i % 2 == 0,
            "note": None,
        }
        for i in range(size)
    ]
    flat = [{key: value for key, value in row.items() if key != "tags"} for row in rows]
    orders = [
        {
            "id": i,
            "customer": {"id": str(uuid.UUID(int=i << 90)), "name": f"Käufer {i}", "email": f"k{i}@example.org"},
            "lines": [{"sku": f"A-{j}", "n": j, "price": j * 9.99} for j in range(4)],
            "created": f"2026-11-23T03:04:{i % 60:02}Z",
            "paid": True,
        }
        for i in range(max(1, size * 3 // 10))
    ]
    points = [[row["id"], row["name"], row["price"]] for row in rows]
    yield document("rows, Structs", list[RowStruct], rows)
    yield document("rows, Structs with gc=False", list[FlatStruct], flat)
    yield document("rows, dataclasses", list[RowDataclass], rows)
    yield document("rows, TypedDicts", list[RowDict], rows)
    yield document("rows, NamedTuples", list[Point], points)
    yield document("orders, Structs", list[Order], orders)
    yield document("one row, Struct", RowStruct, rows[-1])
    yield document("one row, dataclass", RowDataclass, rows[-1])
    yield document("one order, Struct", Order, orders[-1])


def document(name: str, declared: Any, value: Any) -> Document:
    """A text, decoded to a type. Both give the same value."""
    text = json.dumps(value, ensure_ascii=False).encode()
    theirs = msgspec.json.Decoder(declared).decode
    expected = repr(theirs(text))
    return Document(
        name=name,
        contenders=[
            Contender(name="Decoder(type=)", call=Decoder(type=declared).decode),
            Contender(name="msgspec", call=theirs),
        ],
        make=lambda: text,
        is_right=lambda made: repr(made) == expected,
        n_bytes=len(text),
    )
