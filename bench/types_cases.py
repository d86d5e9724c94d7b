"""The cases of `python -m bench types`."""

from __future__ import annotations

import dataclasses
import datetime
import json
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypedDict

import msgspec

from bench.command_output import say
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


class Case(NamedTuple):
    ours: Callable[[bytes], Any]
    msgspec: Callable[[bytes], Any]
    text: bytes


def case(declared: Any, value: Any) -> Case:
    text = json.dumps(value, ensure_ascii=False).encode()
    return Case(Decoder(type=declared).decode, msgspec.json.Decoder(declared).decode, text)


def cases() -> Mapping[str, Case]:
    rows = [
        {
            "id": i,
            "name": f"name {i}",
            "price": i * 1.25,
            "tags": ["a", f"b{i % 7}"],
            "active": i % 2 == 0,
            "note": None,
        }
        for i in range(1000)
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
        for i in range(300)
    ]
    points = [[row["id"], row["name"], row["price"]] for row in rows]
    return {
        "1,000 rows, Structs": case(list[RowStruct], rows),
        "1,000 rows, Structs with gc=False": case(list[FlatStruct], flat),
        "1,000 rows, dataclasses": case(list[RowDataclass], rows),
        "1,000 rows, TypedDicts": case(list[RowDict], rows),
        "1,000 rows, NamedTuples": case(list[Point], points),
        "300 orders, Structs": case(list[Order], orders),
        "one row, Struct": case(RowStruct, rows[5]),
        "one row, dataclass": case(RowDataclass, rows[5]),
        "one order, Struct": case(Order, orders[5]),
    }


def check(one: Case) -> None:
    """Raises SystemExit where ours gives something else."""
    expected = one.msgspec(one.text)
    if any(repr(one.ours(one.text)) != repr(expected) for _ in range(3)):
        raise SystemExit("ours and msgspec give different values: nothing was timed")


def microseconds(decode: Callable[[bytes], Any], text: bytes, n: int) -> float:
    """CPU time of a call, the mean of n."""
    began = time.thread_time_ns()
    for _ in range(n):
        decode(text)
    return (time.thread_time_ns() - began) / n / 1000


def measured(one: Case, n_rounds: int) -> tuple[float, float]:
    """The fastest round of msgspec, and of ours."""
    theirs: list[float] = []
    ours: list[float] = []
    n = max(1, int(5000 / microseconds(one.msgspec, one.text, 3)))
    for _ in range(n_rounds):
        theirs.append(microseconds(one.msgspec, one.text, n))
        ours.append(microseconds(one.ours, one.text, n))
    return min(theirs), min(ours)


def compare(n_rounds: int) -> None:
    """Print a line for each case: the CPU time of msgspec and of ours, in microseconds."""
    say(f"{'us':36} {'msgspec':>9} {'ours':>9}")
    for name, one in cases().items():
        check(one)
        theirs, ours = measured(one, n_rounds)
        say(f"{name:36} {theirs:9.2f} {ours:9.2f}  {theirs / ours:5.2f} x")
