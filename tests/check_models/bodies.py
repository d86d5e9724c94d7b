"""Random types of request bodies and JSON texts for them: what is made of a text must be what pydantic makes."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import ipaddress
import itertools
import json
import pathlib
import random
import re
import typing
import uuid
import warnings
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, NamedTuple

import pydantic
from helpers.pydantic_outcome import assert_alike, outcome
from pydantic import AnyUrl, BaseModel, ByteSize, ConfigDict, Field, Json, RootModel, SecretStr, StrictInt, TypeAdapter
from typing_extensions import NotRequired, TypeAliasType, TypedDict

from ssrjson_web._models.adapter import models_acceptance
from ssrjson_web.models import TypedDecoder

__all__ = ["BASES", "RandomBody", "random_body_type"]

Text = Callable[[random.Random], str]
Kind = tuple[Any, Text]
"""An annotation, and what makes JSON texts for it."""

_numbers = itertools.count()
BASES: list[type[BaseModel]] = [BaseModel]
"""The last one is the base class of random models."""


class Colour(enum.Enum):
    RED = "red"
    TWO = 2
    HALF = 0.5
    PAIR = (1, "a")
    DAY = datetime.date(2020, 1, 2)
    NOTHING = None


class Word(str, enum.Enum):
    RED = "red"
    ONE = "1"


class Whole(enum.IntEnum):
    ONE = 1
    TWO = 2


class Real(float, enum.Enum):
    HALF = 0.5
    ONE = 1.0


class Point(NamedTuple):
    x: int
    y: Any = "a"


class Leaf(BaseModel):
    n: int = 1
    text: str | None = None


class Other(BaseModel):
    n: float = 1
    day: datetime.date | None = None


class Tree(BaseModel):
    value: Any = None
    children: list[Tree] = []


_STRINGS = [
    *(
        "",
        "a",
        "red",
        "1",
        "0",
        "-0",
        "1.0",
        "1.10",
        " 1 ",
        "1_000",
        "1e3",
        "0.5",
        "nan",
        "NaN",
        "Infinity",
        "-inf",
        "true",
    ),
    *(
        "False",
        "off",
        "y",
        "null",
        "é",
        "中文",
        "x" * 9,
        "YQ==",
        "6162",
        "[1]",
        '{"n": 1}',
        "1/3",
        "1+2j",
        "(1+2j)",
        "2 KiB",
    ),
    *(
        "2020-01-02",
        "2020-01-02T00:00:00",
        "2020-01-02T03:04:05.5Z",
        "2020-01-02T03:04:05+05:30",
        "20:15",
        "03:04:05.123",
    ),
    *("P1DT2H", "1 days, 02:00:00", "-PT1S", "1577923200", "1577923200.5", "12345678-1234-5678-1234-567812345678"),
    *(
        "12345678123456781234567812345678",
        "urn:uuid:12345678-1234-5678-1234-567812345678",
        "http://a.de",
        "http://ä.de/é",
    ),
    *("127.0.0.1", "::1", "127.0.0.0/8", "/a/b", "a+", "(", "a@b.de", "A", "9" * 25, "\x00", "\ud83d\ude00"),
]
_NUMBERS = [
    *(
        "0",
        "1",
        "2",
        "-1",
        "-0",
        "-0.0",
        "0.0",
        "1.0",
        "2.0",
        "0.5",
        "1.5",
        "1.10",
        "0.1",
        "1e0",
        "1e2",
        "1E5",
        "1e16",
        "1e22",
    ),
    *(
        "1e-7",
        "1e300",
        "123456789.125",
        "9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "1" + "0" * 30,
    ),
    *(
        "1577923200",
        "1577923200.5",
        "86400",
        "-86401.5",
        "0.30000000000000004",
        "1e400",
        "NaN",
        "Infinity",
        "-Infinity",
    ),
    *("123456789012345678901234567890.5", "1" + "0" * 400, "5e-324", "100", "3", "18446744073709551616"),
]


def string(r: random.Random) -> str:
    return json.dumps(r.choice(_STRINGS), ensure_ascii=r.random() < 0.5)


def number(r: random.Random) -> str:
    return r.choice(_NUMBERS)


def anything(r: random.Random, depth: int = 2) -> str:
    """The text of a value of no declared type."""
    which = r.randrange(10)
    if depth and which == 0:
        return "[" + ", ".join(anything(r, depth - 1) for _ in range(r.randrange(3))) + "]"
    if depth and which == 1:
        keys = ["n", "text", "a", "tag", "value", "children", "x", "1"]
        return "{" + ", ".join(f'"{r.choice(keys)}": {anything(r, depth - 1)}' for _ in range(r.randrange(3))) + "}"
    if which == 2:
        return r.choice(["null", "true", "false"])
    return string(r) if which < 7 else number(r)


def _of(*texts: str) -> Text:
    return lambda r: r.choice(texts)


def _boolean(r: random.Random) -> str:
    return r.choice(["true", "false"])


_DATES = _of('"2020-01-02"', '"2020-01-02T00:00:00"', '"1577923200"', "1577923200", "18000")
_MOMENTS = _of('"2020-01-02T03:04:05.5Z"', '"2020-01-02"', '"2020-01-02T03:04:05+05:30"', "1577923200", "1577923200.5")
_TIMES = _of('"20:15"', '"03:04:05.123"', '"20:15:00Z"', "86399", "5.5")
_SPANS = _of('"P1DT2H"', '"1 days, 02:00:00"', "86401.5", "5", '"-PT1S"')
_IDS = _of('"12345678-1234-5678-1234-567812345678"', '"12345678123456781234567812345678"')
_REALS = _of("1.5", "1", '"1.5"', "1e22", "NaN", '"nan"', "1.10", '"1.10"', "0.1")

SCALARS: list[Kind] = [
    (int, number),
    (str, string),
    (float, _REALS),
    (bool, _boolean),
    (type(None), _of("null")),
    (bytes, string),
    (datetime.date, _DATES),
    (datetime.datetime, _MOMENTS),
    (datetime.time, _TIMES),
    (datetime.timedelta, _SPANS),
    (uuid.UUID, _IDS),
    (decimal.Decimal, _REALS),
    (Colour, _of('"red"', "2", "0.5", "null", '[1, "a"]', '"2020-01-02"', "2.0")),
    (Word, _of('"red"', '"1"')),
    (Whole, _of("1", "2", "1.0", '"1"', "true")),
    (Real, _of("0.5", "1", "1.0", '"0.5"')),
    (Literal["a", 1, None], _of('"a"', "1", "null", "true", "1.0")),
    (Literal[True, 0], _of("true", "0", "1", "false")),
    (Literal[Word.RED, "x"], _of('"red"', '"x"')),
    (Any, anything),
    (SecretStr, string),
    (AnyUrl, _of('"http://a.de"', '"http://ä.de/é"')),
    (pathlib.Path, _of('"/a/b"')),
    (ipaddress.IPv4Address, _of('"127.0.0.1"', "1")),
    (ipaddress.IPv6Network, _of('"::1"')),
    (re.Pattern, _of('"a+"', '"("')),
    (Json[list[int]], _of('"[1]"', "[1]")),
    (ByteSize, _of('"2 KiB"', "5", "5.5")),
    (fractions.Fraction, _of('"1/3"', "0.1", "1", '"0.1"', "1e22")),
    (complex, _of('"1+2j"', "0.1", "1", '"(1+2j)"')),
    (Point, _of("[1]", '[1, "é"]', '{"x": 1}')),
    (
        Leaf,
        _of("{}", '{"n": 2}', '{"n": "2", "text": "é"}', '{"n": 1, "n": 2}', '{"n": "x", "n": 2}', '{"n": 2, "n": []}'),
    ),
    (Other, _of("{}", '{"n": 2}', '{"n": 2.5, "day": "2020-01-02"}', '{"n": 1, "text": "a"}')),
    (Tree, _of("{}", '{"children": [{"value": 1, "children": []}]}')),
    (StrictInt, number),
    (Annotated[int, Field(gt=0)], number),
    (Annotated[float, Field(le=2, allow_inf_nan=False)], _REALS),
    (Annotated[str, Field(min_length=1, max_length=5)], string),
    (Annotated[str, Field(pattern="^[a-z]+$")], string),
    (Annotated[str, Field(strict=True)], string),
    (Annotated[datetime.date, Field(strict=True)], _DATES),
    (Annotated[uuid.UUID, Field(strict=True)], _IDS),
    (Annotated[decimal.Decimal, Field(max_digits=4, decimal_places=2)], _REALS),
    (list, _of("[]", "[1]")),
    (dict, _of("{}", '{"a": 1, "b": 2, "a": 3}')),
]
if hasattr(pydantic, "FutureDate"):
    SCALARS.append((pydantic.NaiveDatetime, _MOMENTS))


def kind(r: random.Random, depth: int) -> Kind:
    """A random annotation, and what makes texts for it: at times for another one."""
    declared, text = r.choice(SCALARS) if depth == 0 or r.random() < 0.35 else r.choice(_COMPOUNDS)(r, depth - 1)
    return declared, lambda r: anything(r) if r.random() < 0.06 else text(r)


def _sequence(r: random.Random, depth: int) -> Kind:
    item, text = kind(r, depth)
    outer = r.choice([list, list, typing.List, set, frozenset, collections.deque, typing.Sequence])  # noqa: UP006
    declared = tuple[item, ...] if r.random() < 0.15 else outer[item]
    if r.random() < 0.1:
        declared = Annotated[declared, Field(max_length=2)]
    return declared, lambda r: "[" + ", ".join(text(r) for _ in range(r.randrange(3))) + "]"


def _places(r: random.Random, depth: int) -> Kind:
    kinds = [kind(r, depth) for _ in range(r.randrange(1, 3))]
    return tuple[tuple(one for one, _ in kinds)], lambda r: "[" + ", ".join(text(r) for _, text in kinds) + "]"


def _object(pairs: list[tuple[str, str]]) -> str:
    return "{" + ", ".join(f"{json.dumps(key)}: {value}" for key, value in pairs) + "}"


def _mapping(r: random.Random, depth: int) -> Kind:
    key, text_of_key = r.choice([*[(str, string)] * 4, *SCALARS[:14]])
    item, text = kind(r, depth)
    declared = r.choice([dict, dict, typing.Mapping, collections.OrderedDict])[key, item]

    def make(r: random.Random) -> str:
        pairs = [(json.loads(f"[{text_of_key(r)}]")[0], text(r)) for _ in range(r.randrange(3))]
        if r.random() < 0.15 and pairs:
            pairs.insert(0, (pairs[-1][0], anything(r)))
        return _object([(one if isinstance(one, str) else json.dumps(one), value) for one, value in pairs])

    return declared, make


def _optional(r: random.Random, depth: int) -> Kind:
    item, text = kind(r, depth)
    return typing.Optional[item], lambda r: "null" if r.random() < 0.3 else text(r)  # noqa: UP045


def _union(r: random.Random, depth: int) -> Kind:
    kinds = [kind(r, r.choice([0, 0, depth])) for _ in range(r.randrange(2, 4))]
    if r.random() < 0.4:
        kinds.insert(r.randrange(3), r.choice([SCALARS[1], SCALARS[0], (Leaf, SCALARS[31][1])]))
    wrapped = [(_wrapped(r, one), text) for one, text in kinds]
    declared = typing.Union[tuple(one for one, _ in wrapped)]  # noqa: UP007
    if r.random() < 0.2:
        declared = Annotated[declared, Field(union_mode="left_to_right")]
    return declared, lambda r: r.choice(wrapped)[1](r)


def _wrapped(r: random.Random, declared: Any) -> Any:
    """The same type, at times in a wrapper of its own."""
    which = r.randrange(8)
    if which == 0:
        return Annotated[typing.Optional[declared], Field(description="a")]  # noqa: UP045
    if which == 1:
        return TypeAliasType(f"Alias{next(_numbers)}", typing.Optional[declared])  # type: ignore[misc] # noqa: UP045
    if which == 2:
        return Annotated[typing.Union[declared, int], Field(description="b")]  # noqa: UP007
    if which == 3:
        return TypeAliasType(f"Alias{next(_numbers)}", declared)  # type: ignore[misc]
    return declared


def _tagged(r: random.Random, depth: int) -> Kind:
    kinds = [_model(r, depth, {"tag": (Literal[tag], ..., _of(f'"{tag}"'))}) for tag in "ab"]
    declared = Annotated[typing.Union[kinds[0][0], kinds[1][0]], Field(discriminator="tag")]  # noqa: UP007
    return declared, lambda r: r.choice(kinds)[1](r)


def _config(r: random.Random) -> ConfigDict:
    options: dict[str, Any] = {"arbitrary_types_allowed": True}
    for name, values in {
        "coerce_numbers_to_str": [True],
        "strict": [True],
        "str_strip_whitespace": [True],
        "str_to_lower": [True],
        "str_max_length": [3],
        "val_json_bytes": ["base64", "hex"],
        "ser_json_bytes": ["base64"],
        "extra": ["allow", "forbid", "forbid", "ignore"],
        "use_enum_values": [True],
        "frozen": [True],
        "populate_by_name": [True, True],
        "allow_inf_nan": [False],
        "revalidate_instances": ["always"],
        "validate_default": [True],
        "hide_input_in_errors": [True],
    }.items():
        if r.random() < 0.08:
            options[name] = r.choice(values)
    return ConfigDict(**options)  # type: ignore[typeddict-item]


_ALIASES = ["f0", "f1", "f2", "g", "h"]


def _named_kinds(r: random.Random, depth: int) -> list[tuple[str, Any, Text]]:
    return [(f"f{i}", *kind(r, depth)) for i in range(r.randrange(1, 4))]


def _fields_text(keys: list[tuple[list[str], Text]]) -> Text:
    """Objects with the keys of fields; each has some from which one is chosen."""

    def make(r: random.Random) -> str:
        pairs = [(r.choice(names), text(r)) for names, text in keys if r.random() < 0.9]
        if r.random() < 0.2:
            r.shuffle(pairs)
        if r.random() < 0.15:
            pairs.append((r.choice([*_ALIASES, "more"]), anything(r)))
        if r.random() < 0.08 and pairs:
            pairs.insert(r.randrange(len(pairs) + 1), (r.choice(pairs)[0], anything(r)))
        return _object(pairs)

    return make


def _model(r: random.Random, depth: int, fields: dict[str, tuple[Any, Any, Text]] | None = None) -> Kind:
    declared: dict[str, tuple[Any, Any]] = {name: (one, default) for name, (one, default, _) in (fields or {}).items()}
    keys = [([name], text) for name, (_, _, text) in (fields or {}).items()]
    has_aliases = r.random() < 0.3
    for name, one, text in _named_kinds(r, depth):
        options: dict[str, Any] = {}
        if has_aliases and r.random() < 0.7:
            options[r.choice(["alias", "validation_alias"])] = r.choice(_ALIASES)
        if r.random() < 0.5:
            options["default"] = None
        declared[name] = (one, Field(**options))
        keys.append(([name, *(one for one in options.values() if one is not None)], text))
    namespace = {"__module__": __name__, "__annotations__": {name: one for name, (one, _) in declared.items()}}
    namespace |= {name: default for name, (_, default) in declared.items() if default is not ...}
    namespace["model_config"] = _config(r)
    base = BASES[-1]
    cls: Any = type(base)(f"Body{next(_numbers)}", (base,), namespace)
    return cls, _fields_text(keys)


def _root_model(r: random.Random, depth: int) -> Kind:
    item, text = kind(r, depth)
    return type(f"Root{next(_numbers)}", (RootModel[item],), {"__module__": __name__}), text


def _typed_dict(r: random.Random, depth: int) -> Kind:
    kinds = _named_kinds(r, depth)
    fields = {name: NotRequired[one] if r.random() < 0.4 else one for name, one, _ in kinds}
    declared = TypedDict(f"Known{next(_numbers)}", fields)  # type: ignore[operator]
    if r.random() < 0.4:
        declared.__pydantic_config__ = _config(r)
    return declared, _fields_text([([name], text) for name, _, text in kinds])


def _dataclass(r: random.Random, depth: int) -> Kind:
    kinds = _named_kinds(r, depth)
    namespace = {"__annotations__": {name: one for name, one, _ in kinds}, "__module__": __name__}
    cls = type(f"Data{next(_numbers)}", (), namespace)
    declared: Any = (
        dataclasses.dataclass(cls) if r.random() < 0.5 else pydantic.dataclasses.dataclass(cls, config=_config(r))
    )
    return declared, _fields_text([([name], text) for name, _, text in kinds])


_COMPOUNDS: list[Callable[[random.Random, int], Kind]] = [
    *(_sequence, _places, _mapping, _optional, _union, _union, _union, _tagged),
    *(_model, _model, _model, _model, _root_model, _typed_dict, _dataclass),
]


def random_body_type(r: random.Random) -> Kind:
    """The annotation of a body, and what makes texts for it."""
    return kind(r, 0) if r.random() < 0.1 else r.choice([_model, kind, _union, _sequence])(r, 2)


class RandomBody:
    """The adapter of a seed's type, and JSON texts for it."""

    def __init__(self, seed: int) -> None:
        self._random = r = random.Random(seed)
        self.declared, self._text = (
            kind(r, 0) if r.random() < 0.1 else r.choice([_model, kind, _union, _sequence])(r, 2)
        )
        self._adapter: TypeAdapter[Any] = TypeAdapter(self.declared)
        self._decoder: TypedDecoder[Any] = TypedDecoder(self._adapter)
        self._python = models_acceptance(self._adapter)

    @classmethod
    def of(cls, seed: int) -> RandomBody | None:
        """None where pydantic refuses the type."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return cls(seed)
            except Exception:
                return None

    def texts(self, n: int) -> Iterator[str]:
        for _ in range(n):
            yield self._text(self._random)

    def check(self, text: str) -> int:
        """Compare what is made of a text with pydantic, in JSON and in Python mode.

        Returns how many of the two were made without validation. Raises AssertionError where something differs.
        """
        try:
            return self._check_json(text) + self._check_python(text)
        except AssertionError as error:
            raise AssertionError(f"{self.declared!r} of {text}: {error}") from error
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # of pydantic before 2.13, for a complex beyond 64 bits
                raise
            return 0

    def _check_json(self, text: str) -> bool:
        made = outcome(lambda: self._decoder.decode(text))
        _assert_outcomes(made, outcome(lambda: self._adapter.validate_json(text)))
        acceptance = self._decoder._acceptance()
        return made[0] == "value" and acceptance is not None and _is_made(acceptance, text)

    def _check_python(self, text: str) -> bool:
        if self._python is None:
            return False
        value = json.loads(text)
        made = self._python.for_models(value)
        if made is NotImplemented:
            return False
        theirs = outcome(lambda: self._adapter.validate_python(json.loads(text), from_attributes=True))
        _assert_outcomes(("value", made), theirs)
        return True


def _is_made(acceptance: Any, text: str) -> bool:
    try:
        return acceptance.for_models(json.loads(text)) is not NotImplemented
    except ValueError:
        return False


def _assert_outcomes(ours: Any, theirs: Any) -> None:
    assert ours[0] == theirs[0], (ours, theirs)
    if ours[0] == "value":
        assert_alike(ours[1], theirs[1])
    else:
        assert ours == theirs
