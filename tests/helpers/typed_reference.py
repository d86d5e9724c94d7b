"""What `loads(type=)` gives, in plain Python, and random types with random documents to hold it against.

A `Spec` is a type beside its meaning: the reference never reads an annotation.
"""

from __future__ import annotations

# ruff: noqa: UP007
import base64
import binascii
import collections
import dataclasses
import datetime
import decimal
import enum
import math
import random
import re
import typing
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple, Union

import attrs
import typing_extensions

from helpers.structs import HAS_MSGSPEC, msgspec

KINDS = {dict: "object", list: "array", str: "str", bool: "bool", int: "int", float: "float", type(None): "null"}


class Refused(Exception):
    """A value that a type does not take."""

    def __init__(self, reason: str, *steps: str | int) -> None:
        super().__init__(reason, steps)
        self.reason = reason
        self.steps = steps

    def within(self, step: str | int) -> Refused:
        return Refused(self.reason, step, *self.steps)


class OfMsgspec(random.Random):
    """Draws types of which msgspec makes the same values."""


class Spec(NamedTuple):
    hint: Any
    make: Callable[[Any], Any]
    """What becomes of a JSON value; raises Refused."""
    kinds: frozenset[str]
    """The JSON types that it takes."""
    sample: Callable[[random.Random], Any]
    """A JSON value that it takes."""


def _of_text(hint: Any, form: str, make: Callable[[str], Any], sample: Callable[[random.Random], str]) -> Spec:
    def make_value(value: Any) -> Any:
        if type(value) is not str:
            raise Refused("type")
        if re.fullmatch(form, value, re.ASCII) is None:
            raise Refused("value")
        try:
            return make(value)
        except (ValueError, binascii.Error):
            raise Refused("value") from None

    return Spec(hint, make_value, frozenset(["str"]), sample)


def _scalar(cls: type, sample: Callable[[random.Random], Any]) -> Spec:
    def make_value(value: Any) -> Any:
        if type(value) is not cls:
            raise Refused("type")
        return value

    return Spec(None if cls is type(None) else cls, make_value, frozenset([KINDS[cls]]), sample)


def _make_float(value: Any) -> float:
    if type(value) not in (int, float):
        raise Refused("type")
    try:
        return float(value)
    except OverflowError:
        raise Refused("value") from None


def _datetime(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


_DATE_FORM = r"\d{4}-\d\d-\d\d"
_TIME_FORM = r"\d\d:\d\d:\d\d(\.\d{6})?"
SCALARS = (
    Spec(Any, lambda value: value, frozenset(KINDS.values()), lambda rng: rng.choice([None, 1, "x", [1], {"a": [{}]}])),
    _scalar(int, lambda rng: rng.choice([0, 1, -7, 2**40, 2**70])),
    _scalar(str, lambda rng: rng.choice(["", "a", "grün", "a" * 50])),
    _scalar(bool, lambda rng: rng.choice([True, False])),
    _scalar(type(None), lambda rng: None),
    Spec(float, _make_float, frozenset(["int", "float"]), lambda rng: rng.choice([0.5, 1, -2.25])),
    _of_text(
        datetime.date, _DATE_FORM, datetime.date.fromisoformat, lambda rng: rng.choice(["2026-01-31", "0999-12-01"])
    ),
    _of_text(
        datetime.datetime,
        rf"{_DATE_FORM}[T ]{_TIME_FORM}(Z|[+-]\d\d:\d\d)?",
        _datetime,
        lambda rng: rng.choice(["2026-01-31T01:02:03Z", "2026-01-31 01:02:03.000001+02:00", "2026-01-31T01:02:03"]),
    ),
    _of_text(datetime.time, _TIME_FORM, datetime.time.fromisoformat, lambda rng: "01:02:03"),
    _of_text(
        uuid.UUID,
        r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32}",
        uuid.UUID,
        lambda rng: rng.choice([str(uuid.UUID(int=rng.getrandbits(128))), uuid.UUID(int=7).hex.upper()]),
    ),
    _of_text(
        decimal.Decimal, r"-?\d+(\.\d+)?([eE][+-]?\d+)?", decimal.Decimal, lambda rng: rng.choice(["1.50", "-2E+3"])
    ),
    _of_text(bytes, r"(.|\n)*", lambda text: base64.b64decode(text, validate=True), lambda rng: "YWJj"),
)


def _among(rng: random.Random) -> Spec:
    if rng.random() < 0.5:
        values = rng.sample(["red", "blue", "grün", 1, 2, True, None], rng.randint(1, 4))
        pairs = [(value, value) for value in values]
        hint: Any = Literal[tuple(values)]
    else:
        values = rng.sample(["red", "blue", 1, 2], rng.randint(1, 3))
        hint = enum.Enum("Colour", {f"m{i}": value for i, value in enumerate(values)})
        pairs = [(value, hint(value)) for value in values]
    kinds = frozenset(KINDS[type(value)] for value in values)

    def make(value: Any) -> Any:
        if KINDS[type(value)] not in kinds:
            raise Refused("type")
        for one, result in pairs:
            if type(one) is type(value) and one == value:
                return result
        raise Refused("value")

    return Spec(hint, make, kinds, lambda rng: rng.choice(values))


def _items(spec: Spec, value: Any) -> list[Any]:
    if type(value) is not list:
        raise Refused("type")
    made = []
    for i, item in enumerate(value):
        try:
            made.append(spec.make(item))
        except Refused as refused:
            raise refused.within(i) from None
    return made


def _list(rng: random.Random, spec: Spec) -> Spec:
    hints: dict[Any, Callable[[list[Any]], Any]] = {list: list, tuple: tuple}
    if not isinstance(rng, OfMsgspec):
        hints[collections.deque] = collections.deque
    origin = rng.choice(list(hints))
    hint = tuple[spec.hint, ...] if origin is tuple else origin[spec.hint]
    return Spec(
        hint,
        lambda value: hints[origin](_items(spec, value)),
        frozenset(["array"]),
        lambda rng: [spec.sample(rng) for _ in range(rng.randint(0, 3))],
    )


def _places(rng: random.Random, specs: list[Spec]) -> Spec:
    def make(value: Any) -> Any:
        if type(value) is not list:
            raise Refused("type")
        if len(value) != len(specs):
            raise Refused("length")
        return tuple(_at(i, spec, item) for i, (spec, item) in enumerate(zip(specs, value, strict=True)))

    return Spec(
        tuple[tuple(spec.hint for spec in specs)] if specs else tuple[()],
        make,
        frozenset(["array"]),
        lambda rng: [spec.sample(rng) for spec in specs],
    )


def _at(step: str | int, spec: Spec, value: Any) -> Any:
    try:
        return spec.make(value)
    except Refused as refused:
        raise refused.within(step) from None


def _dict(rng: random.Random, spec: Spec) -> Spec:
    key_spec = _key(rng)

    def make(value: Any) -> Any:
        if type(value) is not dict:
            raise Refused("type")
        return {_at(key, key_spec, key): _at(key, spec, item) for key, item in value.items()}

    def sample(rng: random.Random) -> Any:
        return {key_spec.sample(rng): spec.sample(rng) for _ in range(rng.randint(0, 3))}

    return Spec(dict[key_spec.hint, spec.hint], make, frozenset(["object"]), sample)  # type: ignore[name-defined]


def _number_of_key(text: str, *, with_floats: bool) -> Any:
    if re.fullmatch(r"-?(0|[1-9][0-9]*)", text):
        return int(text)
    is_float = re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", text)
    return float(text) if with_floats and is_float and abs(float(text)) < math.inf else text


def _of_number(spec: Spec, *others: Spec) -> Spec:
    """Keys of a type of numbers, and of types of strs that are no numbers."""
    hint = Union[tuple(one.hint for one in (spec, *others))]  # type: ignore[misc]

    def make(text: str) -> Any:
        value = _number_of_key(text, with_floats="float" in spec.kinds)
        taker = next((one for one in (spec, *others) if KINDS[type(value)] in one.kinds), None)
        if taker is None:
            raise Refused("type")
        return taker.make(value)

    def sample(rng: random.Random) -> Any:
        value = rng.choice([spec, *others]).sample(rng)
        return value if type(value) is str else rng.choice([repr(value), "01", "1.5", "x"])

    return Spec(hint, make, frozenset(["str"]), sample)


def _key(rng: random.Random) -> Spec:
    """The keys of a dict, which JSON has as strs."""
    _, whole, text, *_, some_float, date, _, _, some_uuid, _, _ = SCALARS
    words = Spec(str, text.make, text.kinds, lambda rng: rng.choice(["a", "b", "c d", "é", "1", ""]))
    if rng.random() < 0.5:
        return words
    numbers = [whole, some_float, _among_numbers(rng), *([_bounded_int(rng)] if HAS_MSGSPEC else [])]
    choice = rng.random()
    if choice < 0.2:
        return rng.choice([date, some_uuid])
    if choice < 0.4:
        return words._replace(hint=Union[rng.choice(numbers).hint, str])  # as msgspec has it
    return _of_number(rng.choice(numbers), *rng.sample([date, some_uuid], rng.choice([0, 0, 1])))


def _among_numbers(rng: random.Random) -> Spec:
    values = rng.sample([0, 1, 2, -7], rng.randint(1, 3))
    as_enum = enum.IntEnum("Digit", {f"m{i}": value for i, value in enumerate(values)})
    hint: Any = rng.choice([Literal[tuple(values)], as_enum])

    def make(value: Any) -> Any:
        if type(value) is not int:
            raise Refused("type")
        if value not in values:
            raise Refused("value")
        return value if hint is not as_enum else as_enum(value)

    return Spec(hint, make, frozenset(["int"]), lambda rng: rng.choice(values))


def _bounded(spec: Spec, bounds: dict[str, Any], passes: Callable[[Any], bool]) -> Spec:
    def make(value: Any) -> Any:
        made = spec.make(value)
        if not passes(made):
            raise Refused("value")
        return made

    return spec._replace(hint=Annotated[spec.hint, msgspec.Meta(**bounds)], make=make)


def _bounded_int(rng: random.Random) -> Spec:
    least = rng.choice([-7, 0, 2])
    step = rng.choice([1, 2])
    bounds = {"ge": least, "multiple_of": step}
    return _bounded(SCALARS[1], bounds, lambda value: value >= least and value % step == 0)


def _bounded_str(rng: random.Random) -> Spec:
    if rng.random() < 0.3:
        return _bounded(SCALARS[2], {"pattern": "^g"}, lambda value: value.startswith("g"))
    return _bounded(SCALARS[2], {"min_length": 4, "max_length": 50}, lambda value: 4 <= len(value) <= 50)


def _bounds(rng: random.Random, depth: int) -> Spec:
    choice = rng.random()
    if choice < 0.5:
        return rng.choice([_bounded_int, _bounded_str])(rng)
    if choice < 0.65:
        return _bounded(SCALARS[5], {"gt": 0}, lambda value: value > 0)
    if choice < 0.8:
        wants_zone = rng.random() < 0.5
        return _bounded(SCALARS[7], {"tz": wants_zone}, lambda value: (value.tzinfo is not None) is wants_zone)
    spec = random_spec(rng, depth - 1)
    of_items = _dict(rng, spec) if choice < 0.9 else _list(rng, spec)
    return _bounded(of_items, {"min_length": 2}, lambda value: len(value) >= 2)


def _or_literal(rng: random.Random) -> Spec:
    """A Literal or an Enum beside a type of the same kind that does not have its values."""
    is_int = HAS_MSGSPEC and rng.random() < 0.3
    values: list[Any] = [-8, -9] if is_int else ["all", "ab"]
    as_enum = enum.Enum("Special", {f"m{i}": value for i, value in enumerate(values)})
    special: Any = rng.choice([Literal[tuple(values)], as_enum])
    texts = [SCALARS[6], SCALARS[7], SCALARS[9], *([_bounded_str(rng)] if HAS_MSGSPEC else [])]
    other = _bounded_int(rng) if is_int else rng.choice(texts)
    hints = rng.sample([special, other.hint], 2)

    def make(value: Any) -> Any:
        if type(value) is type(values[0]) and value in values:
            return as_enum(value) if special is as_enum else value
        return other.make(value)

    def sample(rng: random.Random) -> Any:
        return rng.choice([*values, other.sample(rng)])

    return Spec(Union[tuple(hints)], make, other.kinds, sample)  # type: ignore[misc]


class FieldSpec(NamedTuple):
    name: str
    spec: Spec
    default: tuple[Any, ...]
    """Empty: the field is required."""


def _random_fields(rng: random.Random, depth: int) -> list[FieldSpec]:
    names = rng.sample(["id", "name", "price", "when", "tags", "note", "x", "y"], rng.randint(0, 5))
    fields = []
    for name in names:
        spec = random_spec(rng, depth - 1)
        default: tuple[Any, ...] = (rng.choice([None, 7, "default"]),) if rng.random() < 0.4 else ()
        fields.append(FieldSpec(name, spec, default))
    return sorted(fields, key=lambda field: bool(field.default))


def _new_class(rng: random.Random, kind: str, fields: list[FieldSpec]) -> Any:
    triples = [(f.name, f.spec.hint, f.default) for f in fields]
    if kind == "dataclass":
        return dataclasses.make_dataclass(
            "Made",
            [(name, hint, *(dataclasses.field(default=one) for one in default)) for name, hint, default in triples],
            frozen=rng.random() < 0.3,
            slots=rng.random() < 0.5,
            kw_only=rng.random() < 0.3,
        )
    if kind == "struct":
        return msgspec.defstruct(
            "Made",
            [(name, hint, *default) for name, hint, default in triples],
            kw_only=rng.random() < 0.3,
            frozen=rng.random() < 0.3,
            forbid_unknown_fields=rng.random() < 0.3,
        )
    if kind == "attrs":
        return attrs.make_class(
            "Made",
            {
                name: attrs.field(type=hint or type(None), **({"default": default[0]} if default else {}))
                for name, hint, default in triples
            },
            slots=rng.random() < 0.5,
        )
    if kind == "namedtuple":
        cls = collections.namedtuple("Made", [name for name, *_ in triples], defaults=[d[0] for *_, d in triples if d])
        cls.__annotations__ = {name: hint for name, hint, _ in triples}
        return cls
    return typing.TypedDict(  # type: ignore[operator]
        "Made", {name: typing_extensions.NotRequired[hint] if default else hint for name, hint, default in triples}
    )


def _record(rng: random.Random, depth: int) -> Spec:
    fields = _random_fields(rng, depth)
    kind = rng.choice(["dataclass", "struct" if HAS_MSGSPEC else "attrs", "attrs", "namedtuple", "typeddict"])
    cls = _new_class(rng, kind, fields)
    forbids = kind == "struct" and cls.__struct_config__.forbid_unknown_fields

    def make(value: Any) -> Any:
        if type(value) is not dict:
            raise Refused("type")
        names = {field.name for field in fields}
        for key in value:
            if key not in names and forbids:
                raise Refused("unknown", key)
        made = {field.name: _at(field.name, field.spec, value[field.name]) for field in fields if field.name in value}
        if any(field.name not in value and not field.default for field in fields):
            raise Refused("missing")
        if kind == "typeddict":
            return {key: made[key] for key in value if key in made}
        return cls(**made)

    def make_of_array(value: Any) -> Any:
        if type(value) is not list:
            raise Refused("type")
        if not sum(not field.default for field in fields) <= len(value) <= len(fields):
            raise Refused("length")
        return cls(*(_at(i, field.spec, item) for i, (field, item) in enumerate(zip(fields, value, strict=False))))

    def sample(rng: random.Random) -> Any:
        if kind == "namedtuple":
            return [field.spec.sample(rng) for field in fields]
        given = [field for field in fields if not field.default or rng.random() < 0.7]
        rng.shuffle(given)
        return {field.name: field.spec.sample(rng) for field in given}

    is_array = kind == "namedtuple"
    return Spec(cls, make_of_array if is_array else make, frozenset(["array" if is_array else "object"]), sample)


def _union(rng: random.Random, depth: int) -> Spec:
    members: list[Spec] = []
    for _ in range(rng.randint(2, 3)):
        spec = random_spec(rng, depth - 1)
        if isinstance(rng, OfMsgspec) and typing.get_origin(spec.hint) is tuple and Ellipsis not in spec.hint.__args__:
            continue  # beside bounds msgspec 0.22 looks up the wrong type for the items
        if all(not spec.kinds & one.kinds for one in members) and spec.hint is not Any:
            members.append(spec)
    if not members:
        return SCALARS[1]

    def make(value: Any) -> Any:
        for member in members:
            if KINDS[type(value)] in member.kinds:
                return member.make(value)
        raise Refused("type")

    kinds = frozenset(kind for member in members for kind in member.kinds)
    return Spec(
        Union[tuple(member.hint for member in members)],  # type: ignore[misc]
        make,
        kinds,
        lambda rng: rng.choice(members).sample(rng),
    )


def random_spec(rng: random.Random, depth: int) -> Spec:
    """A type that is at most some levels deep."""
    choice = rng.random()
    if depth <= 0 or choice < 0.3:
        scalars = [one for one in SCALARS if one.hint is not decimal.Decimal or not isinstance(rng, OfMsgspec)]
        return rng.choice(scalars) if rng.random() < 0.8 else _among(rng)
    if choice < 0.6:
        return _record(rng, depth)
    if choice < 0.75:
        return _list(rng, random_spec(rng, depth - 1))
    if choice < 0.8:
        return _places(rng, [random_spec(rng, depth - 1) for _ in range(rng.randint(0, 3))])
    if choice < 0.87:
        return _dict(rng, random_spec(rng, depth - 1))
    if choice < 0.9 and HAS_MSGSPEC:
        return _bounds(rng, depth)
    if choice < 0.92 and not isinstance(rng, OfMsgspec):
        return _or_literal(rng)
    return _union(rng, depth)


def _other(rng: random.Random) -> Any:
    return rng.choice([None, True, 0, 1.5, -1, "x", "red", "2026-13-01", [], [1], {}, {"id": 1}, 10**400])


def damaged(rng: random.Random, value: Any) -> Any:
    """A JSON value with one thing changed somewhere within."""
    if rng.random() < 0.3 or type(value) not in (dict, list) or not value:
        return _other(rng)
    if type(value) is list:
        i = rng.randrange(len(value))
        if rng.random() < 0.2:
            return value[:i] + value[i + 1 :]
        return [*value[:i], damaged(rng, value[i]), *value[i + 1 :]]
    key = rng.choice(list(value))
    if rng.random() < 0.2:
        return {name: item for name, item in value.items() if name != key}
    if rng.random() < 0.2:
        return {"unknown": 1, **value}
    return {**value, key: damaged(rng, value[key])}
