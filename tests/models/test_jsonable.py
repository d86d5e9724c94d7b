"""JsonableEncoder against FastAPI's jsonable_encoder followed by Starlette's JSONResponse: the same bytes or error."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import json
import math
import pathlib
import re
import types
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

import pydantic
from fastapi.encoders import jsonable_encoder
from helpers.pydantic_outcome import outcome
from models import samples as model_samples
from pydantic import BaseModel, ConfigDict, Field, RootModel
from starlette.responses import JSONResponse

from ssrjson_web import utf8_cache_size
from ssrjson_web._models.jsonable import JsonableEncoder


class Text(str):
    pass


class Whole(int):
    pass


class Real(float):
    pass


class Mapped(dict):  # type: ignore[type-arg]
    pass


class Listed(list):  # type: ignore[type-arg]
    pass


class Odd(str, enum.Enum):
    A = "é"


class Dropping(BaseModel):
    kept: int = Field(1, alias="_sakept")
    inside: dict[str, int] = {"_sa_x": 1, "b": 2}


class Dumping(BaseModel):
    n: int = 1

    def model_dump(self, **_options: Any) -> dict[str, Any]:
        return {"own": "é"}


class HoldsDumping(BaseModel):
    inside: Dumping = Dumping()
    also: list[Dumping] = [Dumping()]


@pydantic.dataclasses.dataclass
class Stamped:
    at: Any = None


class HoldsStamped(BaseModel):
    stamped: Stamped = Stamped(datetime.time(1, tzinfo=datetime.timezone.utc))


@dataclasses.dataclass
class Internal:
    _sa_state: int = 1
    kept: Any = None


class Arbitrary(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    at: datetime.datetime = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
    real: float = 1e16
    items: list[Any] = dataclasses.field(default_factory=list)


class Row:
    """An object as of an ORM, with attributes only."""

    def __init__(self) -> None:
        self._sa_state = object()
        self.name = "é"


class Iterated:
    def __iter__(self) -> Iterator[tuple[str, int]]:
        return iter([("a", 1), ("_sa", 2)])


@dataclasses.dataclass
class Node:
    value: Any = None
    next: Any = None


@dataclasses.dataclass(frozen=True)
class Slotted:
    __slots__ = ("a", "b")
    a: Any
    b: Any


UTC = datetime.timezone.utc
CYCLE: list[Any] = []
CYCLE.append(CYCLE)

MAKERS: dict[str, Callable[[], Any]] = {
    **{f"zoo {name}": (lambda value=pair[1]: value) for name, pair in model_samples.VALUES.items()},
    **{f"zoo in dict {name}": (lambda value=pair[1]: {"é": [value]}) for name, pair in model_samples.VALUES.items()},
    "none": lambda: None,
    "scalars": lambda: [True, False, None, 0, -1, 10**30, 0.1, 1e16, 1e-7, -0.0, "é", "中", "😀", ""],
    "nan": lambda: math.nan,
    "inf inside": lambda: {"a": [math.inf]},
    "surrogate": lambda: ["\ud800"],
    "empty": lambda: [{}, [], (), ""],
    "nested": lambda: {"a": {"b": [{"c": ({"d": ["é"]},)}]}},
    "keys": lambda: {1: 1, 2.5: 2, None: 3, False: 4, "a": 5},
    "keys that collide": lambda: {Odd.A: 1, "é": 2},
    "keys converted": lambda: {uuid.UUID(int=1): 1, datetime.date(2020, 1, 1): 2},
    "keys of tuples": lambda: {(1, 2): 3},
    "keys of sa": lambda: {"_sa_instance_state": object(), "a": 1, "_s": 2, "x_sa": 3},
    "keys of sa deep": lambda: [{"a": [{"_sa": 1, "b": {1}}]}],
    "keys of subclass": lambda: {Text("_sa"): 1, Text("é"): 2},
    "subclasses": lambda: [Text("é"), Whole(3), Real(2.5), Listed([{1}]), Mapped(a={1})],
    "ordered": lambda: collections.OrderedDict(a=1, b={2}),
    "default dict": lambda: collections.defaultdict(list, {"a": [1]}),
    "enums": lambda: [model_samples.Colour.RED, model_samples.Number.ONE, Odd.A, model_samples.StrColour.RED],
    "enum of tuple": lambda: model_samples.Colour.PAIR,
    "dates": lambda: [datetime.datetime(2020, 1, 1, tzinfo=UTC), datetime.date(2020, 1, 1), datetime.time(1)],
    "durations": lambda: [datetime.timedelta(days=400, microseconds=1)],
    "decimals": lambda: [decimal.Decimal("1.5"), decimal.Decimal("10"), decimal.Decimal("1E+3")],
    "uuid, path": lambda: [uuid.UUID(int=1), pathlib.Path("/é"), pathlib.PurePosixPath("x")],
    "pattern": lambda: re.compile("é+"),
    "bytes": lambda: b"abc",
    "bytes invalid": lambda: b"\xff",
    "set": lambda: {"é"},
    "deque": lambda: collections.deque([1, {2}]),
    "generator": lambda: (n for n in range(3)),
    "generator deep": lambda: {"a": (x for x in [{"b": (y for y in (1, 2))}])},
    "generator that fails": lambda: [(1 / n for n in (1, 0))],
    "generator and nan": lambda: [(n for n in range(2)), math.nan],
    "range": lambda: range(3),
    "namedtuple": lambda: model_samples.Point(1, "é"),
    "mapping proxy": lambda: types.MappingProxyType({"a": 1}),
    "namespace": lambda: types.SimpleNamespace(a=1, b={2}),
    "row": Row,
    "rows": lambda: [Row(), {"row": Row()}],
    "iterated": Iterated,
    "object": object,
    "class": lambda: Row,
    "function": lambda: len,
    "cycle": lambda: CYCLE,
    "dataclass": lambda: Node({1}, Node(datetime.date(2020, 1, 1))),
    "dataclass with model": lambda: Node(model_samples.Renamed(firstName="é"), [model_samples.Leaf()]),
    "dataclass slotted": lambda: Slotted(1, {"_sa": 1}),
    "dataclass of nan": lambda: Node(math.nan),
    "dataclass class": lambda: Node,
    "model class": lambda: model_samples.Leaf,
    "model that drops": Dropping,
    "model that dumps": Dumping,
    "model that holds one that dumps": HoldsDumping,
    "model that holds a dataclass": lambda: [HoldsStamped(), HoldsStamped().stamped],
    "dataclass of sa": lambda: [Internal(kept=Internal()), {"a": Internal()}],
    "generator and model of nan": lambda: [(n for n in range(3)), model_samples.Choices(maybe=math.nan)],
    "generator that fails in a model": lambda: Arbitrary.model_construct(items=(1 / n for n in (1, 0))),
    "model arbitrary": Arbitrary,
    "model root": lambda: [RootModel[list[int]]([1]), RootModel[datetime.date](datetime.date(2020, 1, 1))],
    "deep": lambda: __import__("functools").reduce(lambda inner, _: [inner], range(50), "é"),
}


@pytest.mark.parametrize("name", MAKERS)
def test_jsonable_gives_the_bytes_or_error_of_stock(name: str) -> None:
    make = MAKERS[name]
    expected = outcome(lambda: JSONResponse(jsonable_encoder(make())).body)
    got = outcome(lambda: JsonableEncoder().encode(make()))
    if expected[0] == "UnicodeEncodeError":  # a lone surrogate, on which stock fails
        assert got[0] == "value"
        assert json.loads(got[1]) == jsonable_encoder(make())
        return
    is_from_json = expected[0] in ("TypeError", "ValueError") and got[0].startswith("JSONEncode")
    assert got == (f"JSONEncode{expected[0]}" if is_from_json else expected[0], expected[1])


def test_jsonable_of_an_error_after_a_generator_is_that_error() -> None:
    for make in (lambda: {"g": (each for each in (1, math.nan))}, lambda: [(n for n in range(2)), {"a": math.nan}]):
        with pytest.raises(ValueError, match="Out of range float values") as caught:
            JsonableEncoder().encode(make())
        assert caught.value.__context__ is None


def test_jsonable_leaves_no_utf8_cache() -> None:
    texts = [chr(0x4E00 + i) * 40 for i in range(8)]
    value = {"a": texts[:2], "b": model_samples.Leaf(text=texts[2]), "c": Node(texts[3]), "d": {texts[4], texts[5]}}
    JsonableEncoder().encode(value)
    assert sum(map(utf8_cache_size, texts)) == 0
