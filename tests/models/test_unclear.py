"""Values whose text depends on more than their type: AdapterEncoder leaves them to pydantic."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import gc
import math
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Annotated, Any

import pydantic
import pytest
from helpers.pydantic_outcome import dumped, outcome
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    RootModel,
    SerializeAsAny,
    TypeAdapter,
    computed_field,
)
from typing_extensions import NotRequired, TypedDict

from ssrjson_web._models.adapter import AdapterEncoder

DAY = datetime.timedelta(1)


class Base(BaseModel):
    n: int = 1


class Cached(Base):
    more: str = "nur hier"

    @cached_property
    def double(self) -> int:
        return 2 * self.n


class Derived(Base):
    more: str = "nur hier"


Shouted = Annotated[int, PlainSerializer(lambda value: "!")]


class Sparse(TypedDict):
    a: int | None


class Defaulted(TypedDict):
    a: NotRequired[Annotated[int, Field(default=3)]]


class WithSparse(BaseModel):
    record: Sparse
    records: list[Sparse] = []


class Untyped(BaseModel):
    x: Any = None
    y: Any = None


class Truth(int, enum.Enum):
    NO = 0
    YES = 1

    def __new__(cls, number: int) -> Truth:
        made = int.__new__(cls, number)
        made._value_ = bool(number)
        return made


class Ratio(float, enum.Enum):
    ONE = 1.0

    def __new__(cls, number: float) -> Ratio:
        made = float.__new__(cls, number)
        made._value_ = int(number)
        return made


class WithRatio(BaseModel):
    ratio: Ratio
    by_ratio: dict[str, Ratio]


class Grown(enum.IntEnum):
    ONE = 1

    @classmethod
    def _missing_(cls, value: object) -> Grown:
        made = int.__new__(cls, 7)
        made._name_, made._value_ = "MADE", value
        return made


class Bits(enum.IntFlag):
    A = 1
    B = 2


class Kind(enum.Enum):
    SPAN = DAY
    DATA = b"abc"
    NAN = math.nan
    PAIR = (1, datetime.date(2020, 1, 1))


class Formatted(BaseModel):
    model_config = ConfigDict(ser_json_timedelta="float", ser_json_bytes="base64")
    x: Any = None
    kind: Kind = Kind.DATA
    data: bytes = b"a\xff"


class Outer(BaseModel):
    inner: Formatted
    x: Any = None


class OuterFormatted(BaseModel):
    model_config = ConfigDict(ser_json_timedelta="float", ser_json_bytes="base64")
    inner: Untyped
    x: Any = None


class Infinite(BaseModel):
    model_config = ConfigDict(ser_json_inf_nan="constants")
    real: float = math.nan
    reals: list[float] = [1.0, math.inf]
    x: Any = math.nan


class InfiniteBase(Base):
    model_config = ConfigDict(ser_json_inf_nan="constants")
    reals: list[float] = [1.0, math.inf]


class Wide(BaseModel):
    x: Any = None
    base: SerializeAsAny[Base] = Base()


class Lazy(BaseModel):
    items: Iterable[int]


class Twice(BaseModel):
    a: int = Field(1, serialization_alias="x")
    b: int = Field(2, serialization_alias="x")


class TwiceComputed(BaseModel):
    a: int = 1

    @computed_field(alias="a")  # type: ignore[prop-decorator]
    @property
    def b(self) -> int:
        return 4


class UntypedRoot(RootModel[Any | Annotated[bytes, PlainSerializer(lambda value: len(value))]]):
    pass


class NumberRoot(RootModel[dict[int, decimal.Decimal]]):
    pass


class Extra(BaseModel):
    model_config = ConfigDict(extra="allow")
    n: int = 1


class OwnDict(BaseModel):
    n: int = 1

    def __getattribute__(self, name: str) -> Any:
        return {"n": 9} if name == "__dict__" else super().__getattribute__(name)


@pydantic.dataclasses.dataclass
class Data:
    a: int = 1
    secret: str = Field("geheim", exclude=True)
    renamed: int = Field(3, serialization_alias="Umbenannt")


class DataUndecorated(Data):
    pass


@dataclasses.dataclass
class DataExtended(Data):
    more: int = 5


class Doubling:
    """A descriptor whose value differs from the stored one."""

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        return self if owner is None else owner.__dict__["text"] * 2

    def __set__(self, owner: Any, value: Any) -> None:
        owner.__dict__["text"] = value


@pydantic.dataclasses.dataclass
class Described:
    text: str = "é"


Described.text = Doubling()  # type: ignore[assignment]


@pydantic.dataclasses.dataclass
class OwnAttributes:
    n: int = 1

    def __getattribute__(self, name: str) -> Any:
        return 7 if name == "n" else object.__getattribute__(self, name)


class Zone(datetime.tzinfo):
    def __init__(self, offset: datetime.timedelta) -> None:
        self.offset = offset

    def utcoffset(self, moment: Any) -> datetime.timedelta:
        return self.offset


def cached() -> Cached:
    model = Cached()
    assert model.double == 2
    return model


def without_extra() -> Extra:
    model = Extra()
    object.__delattr__(model, "__pydantic_extra__")
    return model


OFFSETS = (0, 5, -5, 499_999, 500_000, -500_000, 59_499_999, 59_500_000, -59_500_000, -60_000_001, 86_399_999_999)


def moments() -> list[Any]:
    offsets = [datetime.timedelta(microseconds=n) for n in OFFSETS]
    return [datetime.datetime(2020, 7, 1, tzinfo=Zone(offset)) for offset in offsets]


def durations() -> list[Any]:
    days = (0, 1, 364, 365, 400, -1, -364, -365, -366, 999_999_999)
    return [datetime.timedelta(n, seconds) for n in days for seconds in (0, 3)]


CASES: dict[str, tuple[Any, Callable[[], Any]]] = {
    "a derived object that holds more, by a base's choice": (Base | Cached, cached),
    "the same in a list": (list[Base | Cached], lambda: [cached(), Cached()]),
    "a derived object of wrong type": (Base | Derived, lambda: Derived.model_construct(more=5)),
    "a choice that takes anything": (Shouted | str, lambda: "é"),
    "a choice before any": (Shouted | Any, Base),
    "numbers by choice": (list[float | int | str], lambda: [1, 1.5, True, "é"]),
    "numbers by another choice": (list[int | bool | float], lambda: [1, 1.5, True]),
    "roots by choice": (UntypedRoot | NumberRoot, lambda: NumberRoot({1: decimal.Decimal(1)})),
    "a choice of a container": (tuple[Shouted] | Any, lambda: (1,)),
    "a choice of a derived object": (Annotated[Base | Any, Field(union_mode="left_to_right")], Derived),
    "a choice within an optional": (Annotated[Shouted | None, Field()] | str, lambda: "é"),
    "known keys of none": (Sparse, lambda: {"a": None}),
    "known keys of none in a list": (list[Sparse], lambda: [{"a": None}, {"a": 1}]),
    "known keys of none in a model": (WithSparse, lambda: WithSparse(record={"a": None}, records=[{"a": None}])),
    "formats": (Formatted, lambda: Formatted(x=[DAY, b"\xff"])),
    "formats of a list": (list[Formatted], lambda: [Formatted(x=[DAY, b"a"], kind=Kind.SPAN)]),
    "formats within": (Outer, lambda: Outer(inner=Formatted(x=[DAY, b"a"]), x=DAY)),
    "formats around": (OuterFormatted, lambda: OuterFormatted(inner=Untyped(x=DAY), x=Untyped(x=[DAY]))),
    "formats in any": (Any, lambda: [OuterFormatted(inner=Untyped(x=DAY)), Formatted(x=DAY)]),
    "enums of odd values": (list[Kind], lambda: list(Kind)),
    "enums of ints that have other values": (list[Truth], lambda: list(Truth)),
    "enums of floats that have other values": (
        WithRatio,
        lambda: WithRatio(ratio=Ratio.ONE, by_ratio={"a": Ratio.ONE}),
    ),
    "enums that make members": (list[Grown], lambda: [Grown(False), Grown.ONE]),
    "flags that make members": (dict[str, Bits], lambda: {"none": Bits(False), "all": Bits.A | Bits.B}),
    "enums in any": (Any, lambda: list(Kind)),
    "nan as such": (Infinite, Infinite),
    "nan as such in any": (list[Any], lambda: [Infinite()]),
    "nan as such in a field": (Wide, lambda: Wide(x=Infinite(), base=InfiniteBase())),
    "generator": (Any, lambda: (n for n in range(3))),
    "generator that fails": (Any, lambda: [(1 // n for n in (1, 0))]),
    "generator that fails in a model": (Untyped, lambda: Untyped(x=(1 // n for n in (1, 0)))),
    "generator, and nan": (Untyped, lambda: Untyped(x=(n for n in range(3)), y=math.nan)),
    "generator, and what is refused": (Untyped, lambda: Untyped(x=(n for n in range(3)), y="\ud800")),
    "lazy": (Lazy, lambda: Lazy(items=iter([1, 2]))),
    "lazy that fails": (Lazy, lambda: Lazy(items=iter([1, "x"]))),
    "lazy alone that fails": (Iterable[int], lambda: TypeAdapter(Iterable[int]).validate_python(iter([1, "x"]))),
    "a key twice": (Twice, Twice),
    "a key twice in a list": (list[Twice], lambda: [Twice()]),
    "a key twice, computed": (Any, TwiceComputed),
    "extra that is not there": (Extra, without_extra),
    "own dict": (list[OwnDict], lambda: [OwnDict()]),
    "own attributes": (OwnAttributes, OwnAttributes),
    "descriptor": (list[Described], lambda: [Described("é")]),
    "undecorated dataclass": (Any, lambda: [DataUndecorated(), DataExtended()]),
    "undecorated dataclass as its base": (list[Data], lambda: [DataUndecorated(), DataExtended()]),
    "views": (Any, lambda: [{"a": 1}.keys()]),
    "memoryview": (Any, lambda: [memoryview(b"abc")]),
    "deque": (Any, lambda: [collections.deque([1])]),
    "durations": (list[Any], durations),
    "offsets with parts of a second": (list[Any], moments),
    "offsets of a time": (Any, lambda: datetime.time(1, tzinfo=Zone(datetime.timedelta(microseconds=-5)))),
}


@pytest.mark.parametrize("options", [{}, {"exclude_none": True}], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_adapter_of_an_unclear_value_gives_what_pydantic_does(name: str, options: dict[str, Any]) -> None:
    declared, make = CASES[name]
    adapter = TypeAdapter(declared)
    options = {"by_alias": True, **options}
    expected = outcome(lambda: adapter.dump_json(make(), **options))
    assert outcome(lambda: AdapterEncoder(adapter, like_dump_json=True, **options).encode(make())) == expected
    expected = outcome(lambda: dumped(adapter, make(), options))
    got = outcome(lambda: AdapterEncoder(adapter, like_dump_json=False, **options).encode(make()))
    assert (got[0].removeprefix("JSONEncode"), got[1]) == expected


def test_adapter_leaves_out_defaults_of_known_keys() -> None:
    adapter = TypeAdapter(list[Defaulted])
    encoder = AdapterEncoder(adapter, like_dump_json=True, exclude_defaults=True)
    assert encoder.encode([{"a": 3}, {"a": 4}]) == b'[{},{"a":4}]'


def test_adapter_of_another_config_gives_what_pydantic_does() -> None:
    for config in (ConfigDict(ser_json_inf_nan="constants"), ConfigDict(ser_json_timedelta="float")):
        adapter = TypeAdapter(list[Any], config=config)
        encoder = AdapterEncoder(adapter, like_dump_json=True)
        assert encoder.encode([math.nan, DAY, [DAY]]) == adapter.dump_json([math.nan, DAY, [DAY]])


def test_adapter_of_what_pydantic_does_not_know_raises_as_pydantic() -> None:
    attrs = pytest.importorskip("attrs", reason="attrs is not installed")

    @attrs.define
    class Plain:
        n: int = 1

    adapter = TypeAdapter(Any)
    expected = outcome(lambda: adapter.dump_json([Plain()]))
    assert outcome(lambda: AdapterEncoder(adapter, like_dump_json=True).encode([Plain()])) == expected


def test_adapter_of_a_default_that_holds_itself_is_made() -> None:
    circular: dict[str, Any] = {"ser_json_inf_nan": "constants"}
    circular["self"] = circular

    class Circular(BaseModel):
        default: Any = Field(circular, repr=False)
        n: float = math.nan

    assert AdapterEncoder(TypeAdapter(Circular), like_dump_json=True).encode(Circular(default=1)) == (
        b'{"default":1,"n":null}'
    )


@pytest.mark.parametrize("field", ["x", "y"])
def test_adapter_of_a_field_set_that_compares_by_python_code_is_left_to_pydantic(field: str) -> None:
    class Hostile:
        def __hash__(self) -> int:
            return hash(field)

        def __eq__(self, other: object) -> bool:
            object.__setattr__(model, "__dict__", {})
            gc.collect()
            return False

    model = Untyped(x="é" * 3, y=["é" * 3])
    model.__pydantic_fields_set__.clear()
    model.__pydantic_fields_set__.add(Hostile())  # type: ignore[arg-type]
    encoder = AdapterEncoder(TypeAdapter(list[Untyped]), exclude_unset=True, like_dump_json=True)
    assert encoder.encode([model]) == b"[{}]"


def test_adapter_of_a_root_that_is_set_again_follows() -> None:
    class Root(RootModel[Any]):
        pass

    encoder = AdapterEncoder(TypeAdapter(Root), like_dump_json=True)
    assert encoder.encode(Root(1)) == b"1"
    Root.root = property(lambda self: "é")  # type: ignore[assignment]
    assert encoder.encode(Root.model_construct(1)) == TypeAdapter(Root).dump_json(Root.model_construct(1))
