"""Models of all kinds, with values: what plans cover and what is left to pydantic."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import ipaddress
import math
import pathlib
import uuid
from functools import cached_property
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar

import pydantic
from pydantic import (
    AliasChoices,
    AnyUrl,
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    SecretStr,
    SerializeAsAny,
    computed_field,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)
from typing_extensions import NotRequired, TypedDict


class Colour(enum.Enum):
    RED = "rot"
    TWO = 2
    PAIR = (1, "é")


class StrColour(str, enum.Enum):
    RED = "红"


class Number(enum.IntEnum):
    ONE = 1


class Point(NamedTuple):
    x: int
    y: str


class Leaf(BaseModel):
    n: int = 1
    text: str = "中文"


class Renamed(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    first_name: str = Field(alias="firstName")
    last: str = Field("é", serialization_alias="Nachname")
    other: int = Field(1, validation_alias=AliasChoices("a", "b"))


class Hidden(BaseModel):
    shown: int = 1
    secret: str = Field("geheim", exclude=True)
    _private: int = 5


class Computed(BaseModel):
    width: int = 2

    @computed_field
    @property
    def area(self) -> int:
        return self.width**2

    @computed_field(alias="größe")
    @property
    def leaf(self) -> Leaf | None:
        return Leaf(n=self.width) if self.width else None

    @computed_field
    @cached_property
    def when(self) -> datetime.date:
        return datetime.date(2020, 1, self.width + 1)


class Cached(BaseModel):
    n: int = 1

    @cached_property
    def double(self) -> int:
        return 2 * self.n


class Formats(BaseModel):
    at: datetime.datetime = datetime.datetime(2020, 1, 2, 3, 4, 5, 600)
    day: datetime.date = datetime.date(2020, 1, 2)
    hour: datetime.time = datetime.time(1, 2, 3)
    span: datetime.timedelta = datetime.timedelta(days=400, seconds=3)
    number: decimal.Decimal = decimal.Decimal("1.50")
    key: uuid.UUID = uuid.UUID(int=7)
    colour: Colour = Colour.RED
    str_colour: StrColour = StrColour.RED
    one: Number = Number.ONE
    data: bytes = "é".encode()
    path: pathlib.Path = pathlib.Path("/a/é")
    address: ipaddress.IPv4Address = ipaddress.IPv4Address("127.0.0.1")
    url: AnyUrl | None = None
    password: SecretStr | None = None


class Record(TypedDict):
    name: str
    size: NotRequired[int]


class Containers(BaseModel):
    strings: list[str] = []
    leaves: list[Leaf] = []
    by_name: dict[str, Leaf] = {}
    by_number: dict[int, str] = {}
    deep: dict[str, list[dict[str, list[int]]]] = {}
    pair: tuple[int, str] = (1, "a")
    run: tuple[float, ...] = ()
    chosen: set[int] = set()
    frozen: frozenset[str] = frozenset()
    record: Record | None = None
    records: list[Record] = []
    point: Point | None = None
    anything: Any = None
    mixed: list[Any] = []


class Choices(BaseModel):
    literal: Literal["a", "b", 1, None] = "a"
    flag: Literal[True] = True
    number: int | str | None = None
    model: Leaf | Hidden | None = None
    listed: list[int] | list[str] = []
    real: float = 0
    maybe: float | None = None
    tagged: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    name: str = "犬"


Choices.model_rebuild()


class Tree(BaseModel):
    name: str
    children: list[Tree] = []


class WithExtra(BaseModel):
    model_config = ConfigDict(extra="allow")
    n: int = 1


class FieldSerializer(BaseModel):
    n: int = 1
    leaf: Leaf = Leaf()

    @field_serializer("n")
    def shout(self, value: int) -> str:
        return "é" * value


class ModelSerializer(BaseModel):
    n: int = 1

    @model_serializer
    def as_text(self) -> str:
        return f"ß{self.n}"


class WrapSerializer(BaseModel):
    n: int = 1

    @model_serializer(mode="wrap")
    def more(self, handler: Any) -> Any:
        return {**handler(self), "more": "é"}


class Validated(BaseModel):
    n: Annotated[int, Field(gt=0)] = 1
    text: Annotated[str, Field(max_length=9)] = "x"

    @field_validator("n")
    @classmethod
    def same(cls, value: int) -> int:
        return value

    @model_validator(mode="after")
    def also(self) -> Validated:
        return self

    @model_validator(mode="before")
    @classmethod
    def before(cls, value: Any) -> Any:
        return value


class Base64(BaseModel):
    model_config = ConfigDict(ser_json_bytes="base64", ser_json_timedelta="float")
    data: bytes = b"\x00\xff"
    span: datetime.timedelta = datetime.timedelta(seconds=1.5)
    real: float = math.nan


class Constants(BaseModel):
    model_config = ConfigDict(ser_json_inf_nan="constants")
    real: float = math.nan
    reals: list[float] = [1.0, math.inf]


class Numbers(RootModel[list[int]]):
    pass


class Leaves(RootModel[dict[str, Leaf]]):
    pass


T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    items: list[T]
    total: int = 0


class Derived(Leaf):
    more: str = "nur hier"


class Overriding(Leaf):
    """Its own ways with the fields of its base, which writes them by its own schema."""

    model_config = ConfigDict(extra="allow")
    n: Any = "eins"  # type: ignore[assignment]

    @field_serializer("text")
    def shout(self, value: str) -> str:
        return value.upper()


class Bases(BaseModel):
    one: Leaf = Leaf()
    maybe: Leaf | None = None
    either: Leaf | Renamed | None = None
    many: list[Leaf] = []
    named: dict[str, Leaf] = {}
    pages: list[list[Leaf]] = []
    roots: list[Numbers] = []


class AsAny(BaseModel):
    leaf: SerializeAsAny[Leaf] = Leaf()
    plain: Leaf = Leaf()


@pydantic.dataclasses.dataclass
class Data:
    n: int
    text: str = "é"
    leaf: Leaf = dataclasses.field(default_factory=Leaf)


@dataclasses.dataclass
class Plain:
    n: int
    at: datetime.datetime = datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc)
    leaf: Leaf = dataclasses.field(default_factory=Leaf)


class Holder(BaseModel):
    data: Data | None = None
    plain: Plain | None = None


def reordered() -> Leaf:
    leaf = Leaf()
    leaf.__dict__ = {"text": "later", "n": 3}
    return leaf


def cached() -> Cached:
    model = Cached(n=4)
    assert model.double == 8
    return model


FAR = datetime.timezone(datetime.timedelta(hours=-5, minutes=-30, seconds=-7))

VALUES: dict[str, tuple[Any, Any]] = {
    "leaf": (Leaf, Leaf()),
    "leaf constructed": (Leaf, Leaf.model_construct(n=5)),
    "leaf out of order": (Leaf, reordered()),
    "leaves": (list[Leaf], [Leaf(n=i) for i in range(20)]),
    "leaf by name": (dict[str, Leaf], {"é": Leaf(), "中": Leaf(n=2)}),
    "optional leaf": (Leaf | None, None),
    "tuple": (tuple[Leaf, int], (Leaf(), 1)),
    "renamed": (Renamed, Renamed(firstName="Ada")),
    "hidden": (Hidden, Hidden()),
    "computed": (Computed, Computed()),
    "computed none": (list[Computed], [Computed(width=0)]),
    "cached property": (Cached, cached()),
    "formats": (Formats, Formats()),
    "formats utc": (Formats, Formats(at=datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc))),
    "formats far": (Formats, Formats(at=datetime.datetime(2020, 1, 1, tzinfo=FAR), colour=Colour.PAIR)),
    "formats more": (
        Formats,
        Formats(url="http://例え.jp/ä", password="pw", number="1E+5", span=datetime.timedelta(-1, 5)),
    ),
    "containers empty": (Containers, Containers()),
    "containers full": (
        Containers,
        Containers(
            strings=["é", "中文", ""],
            leaves=[Leaf(), Leaf(n=2)],
            by_name={"ключ": Leaf()},
            by_number={1: "eins"},
            deep={"a": [{"b": [1, 2]}, {}]},
            pair=(2, "b"),
            run=(0.5, 1e16, 1e-5, 1e-7),
            chosen={1},
            frozen=frozenset({"é"}),
            record={"name": "n"},
            records=[{"name": "é", "size": 1}],
            point=Point(1, "y"),
            anything={"leaf": Leaf(), "at": datetime.datetime(2020, 1, 1), "set": {1}, "n": [math.nan, 1e22]},
            mixed=[Leaf(), Colour.RED, StrColour.RED, b"x", (1, 2), decimal.Decimal(1), Plain(1), {1: 2}, None],
        ),
    ),
    "containers of others": (
        Containers,
        Containers.model_construct(strings=("a", 1), leaves=[Derived(), {"n": 1}], by_name=None, pair=[1, "x"]),
    ),
    "choices": (Choices, Choices()),
    "choices more": (
        Choices,
        Choices(literal=1, number="é", model=Hidden(), listed=["a"], real=1.5, maybe=math.inf, tagged=Dog()),
    ),
    "choices none": (Choices, Choices(literal=None, maybe=math.nan, tagged=Cat(), real=2)),
    "float of int": (list[float], [0, 1.5, True]),
    "tree": (Tree, Tree(name="a", children=[Tree(name="b", children=[Tree(name="c")]), Tree(name="d")])),
    "extra": (WithExtra, WithExtra(n=1, more="é", other=[1])),
    "extra empty": (WithExtra, WithExtra()),
    "field serializer": (FieldSerializer, FieldSerializer(n=3)),
    "model serializer": (list[ModelSerializer], [ModelSerializer()]),
    "wrap serializer": (WrapSerializer, WrapSerializer()),
    "validated": (Validated, Validated()),
    "base64": (Base64, Base64()),
    "constants": (Constants, Constants()),
    "root list": (Numbers, Numbers([1, 2])),
    "root models": (list[Leaves], [Leaves({"a": Leaf()}), Leaves({})]),
    "generic": (Page[Leaf], Page[Leaf](items=[Leaf()], total=1)),
    "generic of str": (Page[str], Page[str](items=["é"])),
    "derived as base": (Leaf, Derived()),
    "derived in list": (list[Leaf], [Leaf(), Derived(), Leaf()]),
    "derived of derived": (list[Leaf], [type("Last", (Derived,), {})(), Leaf()]),
    "derived overriding": (list[Leaf], [Overriding(n=1.5, text="é", extra=1), Overriding()]),
    "derived optional": (Leaf | None, Derived()),
    "derived of two": (Leaf | Derived, Overriding()),
    "derived in fields": (
        Bases,
        Bases(
            one=Derived(),
            maybe=Overriding(),
            either=Derived(n=5),
            many=[Derived(), Leaf(), Overriding(n=None)],
            named={"a": Derived()},
            pages=[[Derived()], [Leaf()]],
        ),
    ),
    "derived as any": (AsAny, AsAny(leaf=Derived(), plain=Derived())),
    "dataclass": (Data, Data(1)),
    "dataclasses": (list[Data], [Data(1), Data(2, text="x")]),
    "plain dataclass": (Plain, Plain(1)),
    "dataclasses in model": (Holder, Holder(data=Data(1), plain=Plain(2))),
    "typed dict": (Record, {"name": "é"}),
    "typed dicts": (list[Record], [{"name": "é", "size": 2}, {"size": 3, "name": "x"}]),
    "typed dict with more": (Record, {"name": "é", "more": 1}),
    "scalars": (list[Any], [1, 2.5, "é", None, True, 10**17, -0.0, 1e-5, 5e-324]),
    "any model": (Any, Leaf()),
    "any nested": (Any, [{"a": Renamed(firstName="é"), "b": [Computed()]}]),
    "str": (str, "é"),
    "int": (int, 5),
    "nan": (float, math.nan),
    "bytes": (bytes, b"a"),
    "enum": (Colour, Colour.RED),
    "union": (Leaf | Renamed, Renamed(firstName="x")),
    "wrong type": (Leaf, Leaf.model_construct(n="text", text=5)),
    "wrong root": (list[int], ["a", 1.5]),
    "missing field": (Leaf, Leaf.model_construct()),
    "surrogate": (Leaf, Leaf(text="\ud800")),
    "invalid bytes": (Formats, Formats(data=b"\xff")),
    "unknown object": (Any, object()),
    "unknown object inside": (Containers, Containers(anything=[object()])),
}
