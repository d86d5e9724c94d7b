"""Random annotations, models of them, and values: as declared, of wrong types, and changed after validation."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import ipaddress
import itertools
import math
import pathlib
import random
import re
import typing
import uuid
import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

import pydantic
from pydantic import (
    AnyUrl,
    BaseModel,
    ConfigDict,
    Field,
    Json,
    PlainSerializer,
    RootModel,
    SecretStr,
    SerializeAsAny,
    TypeAdapter,
    WrapSerializer,
    computed_field,
    field_serializer,
    model_serializer,
)
from typing_extensions import NotRequired, Required, TypedDict

Make = Callable[[random.Random], Any]
Kind = tuple[Any, Make]
VERSION = tuple(map(int, pydantic.VERSION.split(".")[:2]))
T = TypeVar("T")
numbers = itertools.count()
BASES: list[type[BaseModel]] = [BaseModel]
"""The last one is the base class of random models."""


class Colour(enum.Enum):
    RED = "rot"
    TWO = 2
    PAIR = (1, "é")
    DAY = datetime.date(2020, 1, 2)


class Text(str, enum.Enum):
    RED = "红"


class Whole(enum.IntEnum):
    ONE = 1
    TWO = 2


class Flags(enum.IntFlag):
    A = 1
    B = 2


class Point(NamedTuple):
    x: int
    y: Any = "é"


class OwnText(str):
    __slots__ = ()


class OwnDict(dict[Any, Any]):
    pass


@dataclasses.dataclass
class Plain:
    n: int = 1
    any: Any = None


class Leaf(BaseModel):
    n: int = 1
    text: str = "é"


class Derived(Leaf):
    more: str = "nur hier"


class WithCached(Leaf):
    @cached_property
    def double(self) -> int:
        return 2


class Serialized(BaseModel):
    n: int = 1

    @model_serializer(mode="wrap")
    def own(self, handler: Any) -> Any:
        return {**handler(self), "own": [self.n]}


class Page(BaseModel, Generic[T]):
    items: list[T] = []


class Tree(BaseModel):
    value: Any = None
    children: list[Tree] = []
    by_name: dict[str, Tree] = {}


def cached() -> WithCached:
    model = WithCached()
    assert model.double == 2
    return model


ZONES = [
    None,
    datetime.timezone.utc,
    datetime.timezone(datetime.timedelta(hours=-5, minutes=-30, seconds=-7)),
    ZoneInfo("Europe/Berlin"),
    TypeAdapter(datetime.datetime).validate_python("2020-01-01T00:00:00+05:30").tzinfo,
]
TEXTS = ["", "a", "é", " a ", "中\u2003", "\x1cb", "中文", '😀\n"', "x" * 40, "中" * 20]


def moment(r: random.Random) -> datetime.datetime:
    year, part = r.choice([1, 999, 1970, 2020, 9990]), r.choice([0, 5, 123000])
    return datetime.datetime(year, 7, 2, 3, 4, 5, part, tzinfo=r.choice(ZONES))


def real(r: random.Random) -> float:
    return r.choice([0.0, -0.0, 1.5, 1e16, 1e22, 1e-5, 1e-7, 5e-324, 123456789.125, r.random(), math.nan, -math.inf])


def whole(r: random.Random) -> int:
    return r.choice([0, 1, -7, 2**53, 2**64, 10**30, r.getrandbits(40)])


def text(r: random.Random) -> str:
    return r.choice(TEXTS)


def shown(value: Any) -> str:
    return f"<{value}>"


def wrapped(value: Any, handler: Any) -> Any:
    return [handler(value)]


SCALARS: list[Kind] = [
    (int, whole),
    (str, text),
    (float, real),
    (bool, lambda r: r.random() < 0.5),
    (type(None), lambda r: None),
    (bytes, lambda r: r.choice([b"", b"abc", "é".encode()])),
    (datetime.datetime, moment),
    (datetime.date, lambda r: moment(r).date()),
    (datetime.time, lambda r: moment(r).timetz()),
    (
        datetime.timedelta,
        lambda r: datetime.timedelta(r.choice([0, -1, 5, 400]), r.choice([0, 90061]), r.choice([0, 7])),
    ),
    (decimal.Decimal, lambda r: decimal.Decimal(r.choice(["1.50", "1E+5", "-0", "NaN"]))),
    (uuid.UUID, lambda r: uuid.UUID(int=r.getrandbits(128))),
    (pathlib.Path, lambda r: pathlib.Path("/a/é")),
    (ipaddress.IPv4Address, lambda r: ipaddress.IPv4Address(r.getrandbits(32))),
    (re.Pattern, lambda r: re.compile("é+")),
    (AnyUrl, lambda r: AnyUrl("http://例え.jp/ä")),
    (SecretStr, lambda r: SecretStr("geheim")),
    (Json[list[int]], lambda r: [1, 2]),
    (Colour, lambda r: r.choice(list(Colour))),
    (Text, lambda r: Text.RED),
    (Whole, lambda r: r.choice(list(Whole))),
    (Flags, lambda r: Flags.A | Flags.B),
    (Literal["a", 1, True, None], lambda r: r.choice(["a", 1, True, None])),
    (Literal[Colour.RED, "x"], lambda r: r.choice([Colour.RED, "x"])),
    (Annotated[int, Field(gt=-100)], whole),
    (Annotated[str, Field(max_length=50)], text),
    (Annotated[int, PlainSerializer(shown)], whole),
    (Annotated[float, PlainSerializer(shown, return_type=str, when_used="json-unless-none")], real),
    (Annotated[datetime.date, WrapSerializer(wrapped)], lambda r: moment(r).date()),
    (Annotated[bytes, PlainSerializer(len, when_used="unless-none")], lambda r: b"abc"),
    (Point, lambda r: Point(1, text(r))),
    (Plain, lambda r: Plain(whole(r), anything(r))),
    (Leaf, lambda r: r.choice([Leaf, Derived, cached])()),
    (Derived, lambda r: Derived(more=text(r))),
    (WithCached, lambda r: cached()),
    (SerializeAsAny[Leaf], lambda r: r.choice([Leaf, Derived, cached])()),
    (Serialized, lambda r: Serialized()),
    (Tree, lambda r: tree(r, 3)),
    (Page[Leaf], lambda r: Page[Leaf](items=[Leaf(), Derived()])),
    (list, lambda r: [anything(r)]),
    (dict, lambda r: {text(r): anything(r)}),
]


def anything(r: random.Random, depth: int = 2) -> Any:
    """A value of no declared type."""
    which = r.randrange(8)
    if depth and which == 0:
        return {r.choice([text, whole, lambda r: None])(r): anything(r, depth - 1) for _ in range(r.randrange(3))}
    if depth and which == 1:
        return r.choice([list, tuple, collections.deque])(anything(r, depth - 1) for _ in range(r.randrange(3)))
    if which == 2:
        return r.choice([OwnText("é"), OwnDict(a=1), frozenset("é"), {1}, 1j, b"\xff", bytearray(b"a"), object])
    if which == 3:
        return text(r)
    return r.choice(SCALARS)[1](r)


def tree(r: random.Random, depth: int) -> Tree:
    children = [tree(r, depth - 1) for _ in range(r.randrange(3) if depth else 0)]
    return Tree(value=text(r), children=children, by_name={text(r): child for child in children[:1]})


def kind(r: random.Random, depth: int) -> Kind:
    """A random annotation and what makes values of it."""
    if depth == 0 or r.random() < 0.35:
        return (Any, anything) if r.random() < 0.12 else r.choice(SCALARS)
    return r.choice(COMPOUNDS)(r, depth - 1)


def several(r: random.Random, make: Make) -> list[Any]:
    return [make(r) for _ in range(r.randrange(4))]


def sequence(r: random.Random, depth: int) -> Kind:
    item, make = kind(r, depth)
    outer, build = r.choice(
        [
            (list, list),
            (list, list),
            (collections.abc.Sequence, list),
            (collections.deque, collections.deque),
            (list, tuple),
        ]
    )
    return outer[item], lambda r: build(several(r, make))


def _hashable() -> list[Kind]:
    """Scalars that are items of sets and keys of dicts."""
    of_any = (Any, Leaf, dict[str, Any])
    return [one for one in (*SCALARS[:13], SCALARS[18]) if one[0] not in of_any]


def hashed(r: random.Random, depth: int) -> Kind:
    outer = r.choice([set, frozenset])
    item, make = r.choice(_hashable())
    return outer[item], lambda r: outer(several(r, make)[:1])


def places(r: random.Random, depth: int) -> Kind:
    kinds = [kind(r, depth) for _ in range(r.randrange(1, 4))]
    if r.random() < 0.3:
        item, make = kinds[0]
        return tuple[item, ...], lambda r: tuple(several(r, make))
    return tuple[tuple(one for one, _ in kinds)], lambda r: tuple(make(r) for _, make in kinds)


def mapping(r: random.Random, depth: int) -> Kind:
    key, make_key = r.choice([*[(int, whole), (str, text)] * 3, *_hashable()[2:], (Any, text)])
    item, make = kind(r, depth)
    outer, build = r.choice(
        [
            (dict, dict),
            (dict, dict),
            (collections.abc.Mapping, dict),
            (collections.defaultdict, lambda pairs: collections.defaultdict(int, pairs)),
            (collections.OrderedDict, collections.OrderedDict),
        ]
    )
    return outer[key, item], lambda r: build((make_key(r), make(r)) for _ in range(r.randrange(3)))


def optional(r: random.Random, depth: int) -> Kind:
    item, make = kind(r, depth)
    return typing.Optional[item], lambda r: None if r.random() < 0.4 else make(r)  # noqa: UP045 - of anything


def union(r: random.Random, depth: int) -> Kind:
    kinds = [kind(r, depth) for _ in range(r.randrange(2, 4))]
    if r.random() < 0.3:  # scalars are told apart from models
        kinds.insert(r.randrange(len(kinds)), r.choice(TYPED))
        kinds.append(model_class(r, depth))
    choices = typing.Union[tuple(one for one, _ in kinds)]  # noqa: UP007 - of any number
    declared = Annotated[choices, Field(union_mode="left_to_right")] if r.random() < 0.3 else choices
    return declared, lambda r: r.choice(kinds)[1](r)


def tagged(r: random.Random, depth: int) -> Kind:
    classes = []
    for tag in "ab":
        base = r.choice([BASES[-1], *classes])
        classes.append(model_class(r, depth, {"tag": (Literal[tag], tag)}, base))
    declared = Annotated[classes[0][0] | classes[1][0], Field(discriminator="tag")]
    return declared, lambda r: r.choice(classes)[1](r)


def typed_dict(r: random.Random, depth: int) -> Kind:
    kinds = {f"k{i}": kind(r, depth) for i in range(r.randrange(4))}
    is_total = r.random() < 0.7
    mark = NotRequired if is_total else Required
    fields = {name: mark[one] if r.random() < 0.3 else one for name, (one, _) in kinds.items()}
    declared = TypedDict(f"Known{next(numbers)}", fields, total=is_total)  # type: ignore[operator]
    if r.random() < 0.3:
        declared.__pydantic_config__ = ConfigDict(**formats(r))  # type: ignore[typeddict-item]
    elif r.random() < 0.5:
        declared.__pydantic_config__ = ConfigDict(extra=r.choice(["ignore", "forbid", "allow"]))
    return declared, lambda r: {
        **{name: make(r) for name, (_, make) in r.sample(list(kinds.items()), len(kinds)) if r.random() < 0.85},
        **({"more": anything(r)} if r.random() < 0.1 else {}),
    }


def dataclass(r: random.Random, depth: int) -> Kind:
    kinds = [(f"d{i}", kind(r, depth)) for i in range(r.randrange(1, 4))]
    module = r.choice([dataclasses, pydantic.dataclasses])
    options: dict[str, Any] = {"slots": r.random() < 0.3, "frozen": r.random() < 0.2, "kw_only": r.random() < 0.2}
    if module is pydantic.dataclasses and r.random() < 0.3:
        options["config"] = ConfigDict(**formats(r))  # type: ignore[typeddict-item]
    declared = {"__annotations__": {name: one for name, (one, _) in kinds}, "__module__": __name__}
    cls = module.dataclass(**options)(type(f"Data{next(numbers)}", (), declared))

    def make(r: random.Random) -> Any:
        made = object.__new__(cls)
        for name, (_, make_one) in kinds:
            object.__setattr__(made, name, make_one(r))
        return made

    return cls, make


def root_model(r: random.Random, depth: int) -> Kind:
    item, make = kind(r, depth)
    cls = type(f"Root{next(numbers)}", (RootModel[item],), {"__module__": __name__})
    return cls, lambda r: cls.model_construct(make(r))


def formats(r: random.Random) -> dict[str, Any]:
    """Formats of a config, often several."""
    known: dict[str, list[Any]] = {
        "ser_json_timedelta": ["float", "float", "iso8601"],
        "ser_json_bytes": ["base64", "hex", "utf8"],
        "ser_json_inf_nan": ["constants", "null", *(["strings"] if VERSION >= (2, 9) else [])],
        "val_json_bytes": ["base64", "hex"],
        **({"ser_json_temporal": ["seconds", "milliseconds", "iso8601"]} if VERSION >= (2, 12) else {}),
    }
    return {name: r.choice(values) for name, values in known.items() if r.random() < 0.4}


def adapter_of(r: random.Random, declared: Any) -> TypeAdapter[Any]:
    """An adapter whose serializer is that of the type, or one of its own, with formats at times."""
    if r.random() < 0.3:
        return TypeAdapter(Annotated[declared, Field(description="a")])
    if r.random() < 0.3:
        try:
            return TypeAdapter(declared, config=ConfigDict(**formats(r)))  # type: ignore[typeddict-item]
        except pydantic.errors.PydanticUserError:  # a type with a config of its own
            optional = typing.Optional[declared]  # noqa: UP045 - of anything
            return TypeAdapter(optional, config=ConfigDict(**formats(r)))  # type: ignore[typeddict-item]
    return TypeAdapter(declared)


def config(r: random.Random) -> ConfigDict:
    options: dict[str, Any] = {"arbitrary_types_allowed": True}
    for name, values in {
        "ser_json_timedelta": ["float"],
        "ser_json_bytes": ["base64"],
        "ser_json_inf_nan": ["constants", "null", *(["strings"] if VERSION >= (2, 9) else [])],
        "serialize_by_alias": [True, False],
        "hide_input_in_errors": [True],
        "extra": ["allow", "forbid"],
        "use_enum_values": [True],
        "frozen": [True],
        "populate_by_name": [True],
        "str_strip_whitespace": [True],
        "str_min_length": [1],
        "str_max_length": [20],
        "alias_generator": [str.upper],
        "json_encoders": [{str: shown}],
        **({"ser_json_temporal": ["seconds", "milliseconds", "iso8601"]} if VERSION >= (2, 12) else {}),
        "val_json_bytes": ["base64"],
        **({"polymorphic_serialization": [True]} if VERSION >= (2, 13) else {}),
    }.items():
        if r.random() < 0.07:
            options[name] = r.choice(values)
    if r.random() < 0.15:
        options |= formats(r)
    return ConfigDict(**options)  # type: ignore[typeddict-item]


def model_class(r: random.Random, depth: int, fields: Any = None, base: type[BaseModel] | None = None) -> Kind:
    """A model with fields, properties and serializers of its own."""
    base = base or BASES[-1]
    declared: dict[str, Any] = dict(fields or {})
    makes: dict[str, Make] = dict(getattr(base, "makes", {}))
    for i in range(r.randrange(1, 5)):
        item, make = kind(r, depth)
        options: dict[str, Any] = {}
        if r.random() < 0.2:
            options[r.choice(["alias", "serialization_alias"])] = f"n{i}é"
        if r.random() < 0.1:
            options["exclude"] = True
        elif VERSION >= (2, 12) and r.random() < 0.05:
            options["exclude_if"] = lambda value: isinstance(value, (int, str))
        name = f"f{next(numbers)}"
        declared[name] = (item, Field(r.choice([None, make(r)]), **options))
        makes[name] = make
    namespace: dict[str, Any] = {"makes": makes, "__module__": __name__}
    namespace["__annotations__"] = {"makes": typing.ClassVar[Any], **{name: one for name, (one, _) in declared.items()}}
    namespace.update({name: default for name, (_, default) in declared.items()})
    namespace["model_config"] = config(r)
    if r.random() < 0.15:
        returned, make_computed = kind(r, 1)
        while VERSION < (2, 12) and ".Root" in str(returned):  # dump_python leaves None out, dump_json writes it
            returned, make_computed = kind(r, 1)
        seed = r.random()

        def computed(self: Any) -> Any:
            return make_computed(random.Random(seed))

        computed.__annotations__["return"] = returned
        namespace["computed"] = computed_field(alias=r.choice([None, "berechnet"]))(property(computed))
    if r.random() < 0.08:
        name = r.choice(list(makes))
        namespace["serialize_one"] = field_serializer(name)(lambda self, value: [repr(type(value))])
    if r.random() < 0.04:
        namespace["serialize_all"] = model_serializer(lambda self: sorted(self.__dict__))
    cls: Any = type(base)(f"Model{next(numbers)}", (base,), namespace)
    return cls, lambda r: instance(r, cls, makes)


def instance(r: random.Random, cls: Any, makes: dict[str, Make]) -> Any:
    """An object of a model, at times one that no validation would give."""
    if r.random() < 0.1:
        cls = type(cls)(
            f"Sub{next(numbers)}", (cls,), {"__annotations__": {"sub": int}, "sub": 3, "__module__": __name__}
        )
    values = {name: make(r) for name, make in makes.items() if r.random() < 0.9}
    made = cls.model_construct(**values)
    while r.random() < 0.15:
        held = dict(made.__dict__)
        name = r.choice(list(held) or ["x"])
        which = r.randrange(4)
        if which == 0:
            held[name] = anything(r)
        elif which == 1:
            held.pop(name, None)
        elif which == 2:
            held["not declared"] = anything(r)
        else:
            held = dict(r.sample(list(held.items()), len(held)))
        object.__setattr__(made, "__dict__", held)
    if made.__pydantic_extra__ is not None and r.random() < 0.5:
        made.__pydantic_extra__["mehr"] = anything(r)
    return made


COMPOUNDS: list[Callable[[random.Random, int], Kind]] = [
    sequence,
    hashed,
    places,
    mapping,
    optional,
    union,
    tagged,
    typed_dict,
    dataclass,
    root_model,
    model_class,
    model_class,
    model_class,
]


def made(seed: int) -> tuple[TypeAdapter[Any], Make]:
    """An adapter and what makes values for it. Raises what pydantic does where it refuses the annotation."""
    r = random.Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        declared, make = kind(r, 3)
        return adapter_of(r, declared), make


def options(r: random.Random) -> dict[str, Any]:
    chosen: dict[str, Any] = {"by_alias": r.random() < 0.7}
    for name in ("exclude_unset", "exclude_defaults", "exclude_none"):
        if r.random() < 0.2:
            chosen[name] = True
    if r.random() < 0.05:
        chosen["exclude"] = {"f1"}
    return chosen


_PLAIN = (int, str, float, bool, datetime.datetime, datetime.date, uuid.UUID, Colour)
TYPED = [one for one in SCALARS if one[0] in _PLAIN]
TYPED += [(type(None), lambda r: None), (Annotated[int, Field(gt=-100)], whole), (Literal["a", 1], lambda r: "a")]
"""Scalars that an object of exactly their type needs no validation for."""
_WITH_FORMATS = (float, bytes, datetime.datetime, datetime.date, datetime.timedelta, Colour, Leaf)
FORMATTED: list[Kind] = [one for one in SCALARS if one[0] in _WITH_FORMATS]
FORMATTED += [(Any, anything), (dict[str, Any], lambda r: {text(r): anything(r, 1)}), FORMATTED[4]]
"""Scalars whose text depends on a config, and values of no declared type."""


def made_of_typed(seed: int, base: type[BaseModel] = BaseModel) -> tuple[TypeAdapter[Any], Make]:
    """As `made`, for the most part of models of that base whose fields are of plain types."""
    declared, make = typed(seed, base)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return adapter_of(random.Random(seed), declared), make


def typed(seed: int, base: type[BaseModel] = BaseModel) -> Kind:
    """The annotation of `made_of_typed`, and what makes values of it."""
    r = random.Random(seed)
    scalars = list(SCALARS)
    which = r.random()
    if which < 0.7:
        SCALARS[:] = ((TYPED if which < 0.45 else FORMATTED) * 4)[: len(scalars)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            is_formatted = r.random() < (0.7 if 0.45 <= which < 0.7 else 0.1)
            if base is BaseModel and is_formatted:  # as an application has it, whose models share a config
                base = type("Formatted", (base,), {"model_config": formats(r), "__module__": __name__})
            BASES.append(base)
            return model_class(r, r.randrange(3)) if r.random() < 0.7 else kind(r, 3)
    finally:
        del BASES[1:]
        SCALARS[:] = scalars


def as_dicts(r: random.Random, value: Any) -> Any:
    """Dicts of the fields in place of models, by their names or aliases; some have other keys, orders and values."""
    if isinstance(value, (list, tuple)):
        return [as_dicts(r, item) for item in value]
    if type(value) is dict:
        return {key: as_dicts(r, item) for key, item in value.items()}
    if not isinstance(value, BaseModel) or r.random() < 0.1:
        return value
    items: list[tuple[Any, Any]] = []
    for name, item in value.__dict__.items():
        field = type(value).model_fields.get(name)
        alias = field.validation_alias if field is not None else None
        items.append((alias if isinstance(alias, str) and r.random() < 0.8 else name, as_dicts(r, item)))
    if r.random() < 0.2:
        r.shuffle(items)
    if r.random() < 0.1 and items:
        items.pop(r.randrange(len(items)))
    if r.random() < 0.1:
        items.append((r.choice(["more", "f1", 1]), r.choice([1, "x", None])))
    if r.random() < 0.1 and items:
        changed = r.randrange(len(items))
        items[changed] = (items[changed][0], anything(r))
    return dict(items)
