"""msgspec.Struct objects: the bytes of msgspec.json.encode, whatever their fields hold."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import math
import uuid
from collections.abc import Iterator
from typing import Any, Generic, NamedTuple, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import Encoder, scan_utf8_cache

msgspec = pytest.importorskip("msgspec", reason="msgspec is not installed")
attrs = pytest.importorskip("attrs", reason="attrs is not installed")

pytestmark = pytest.mark.usefixtures("isa")

T = TypeVar("T")
UTC = datetime.timezone.utc


class Plain(msgspec.Struct):
    x: Any


class Child(Plain):
    y: Any = b"child"


class Tagged(msgspec.Struct, tag=True):
    x: Any


class Numbered(msgspec.Struct, tag=3, tag_field="kind", rename="camel"):
    first_name: Any
    z: Any = 1


class Row(msgspec.Struct, array_like=True):
    x: Any
    y: Any = 2.5


class TaggedRow(msgspec.Struct, array_like=True, tag="row"):
    x: Any


class Short(msgspec.Struct, omit_defaults=True):
    x: Any = None
    real: Any = 1.5
    text: Any = "é"
    listed: Any = msgspec.field(default_factory=list)
    named: Any = msgspec.field(default_factory=dict)
    chosen: Any = msgspec.field(default_factory=set)
    made: Any = msgspec.field(default_factory=lambda: [1])


class ShortRow(msgspec.Struct, array_like=True, omit_defaults=True):
    x: Any
    y: Any = None


class Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    x: Any
    renamed: Any = msgspec.field(default=msgspec.UNSET, name="na-me")


class Of(msgspec.Struct, Generic[T]):
    x: T


class Followed(msgspec.Struct):
    x: Any
    again: Any = None

    def __post_init__(self) -> None:
        self.again = self.x


class Open(msgspec.Struct, dict=True, weakref=True):
    x: Any


class Empty(msgspec.Struct):
    pass


@dataclasses.dataclass
class Data:
    a: Any = 1
    _private: int = 2
    left_out: Any = msgspec.UNSET


@dataclasses.dataclass(slots=True)
class SlottedData:
    a: Any = 1
    left_out: Any = msgspec.UNSET


@attrs.define
class Slotted:
    a: Any = 1
    _private: int = 2


@attrs.define(slots=False)
class InDict:
    a: Any = 1
    _private: int = 2


class Colour(enum.Enum):
    RED = "rot"
    PAIR = (1, 1e16)
    DAY = datetime.date(2020, 1, 1)
    NONE = None


class Whole(enum.IntEnum):
    ONE = 1


class Text(str, enum.Enum):
    RED = "é"


class Flag(enum.Flag):
    A = 1
    B = 2


class Pair(NamedTuple):
    a: int
    b: Any


class OwnList(list[Any]):
    pass


def with_more() -> InDict:
    value = InDict(5)
    value.extra = 1e16  # type: ignore[attr-defined]
    return value


def zone(**offset: float) -> datetime.datetime:
    return datetime.datetime(2020, 1, 2, 3, 4, 5, 6000, tzinfo=datetime.timezone(datetime.timedelta(**offset)))


VALUES: dict[str, Any] = {
    "none": None,
    "int": 2**70,
    "float": 1.5,
    "large float": 1e16,
    "small float": 1e-5,
    "nan": math.nan,
    "infinity": -math.inf,
    "str": "é",
    "bytes": b"a\xff",
    "bytearray": bytearray(b"x"),
    "memoryview": memoryview(b"xy"),
    "raw": msgspec.Raw(b'{"a": 1}'),
    "raw str": msgspec.Raw('"é"'),
    "unset": msgspec.UNSET,
    "datetime": datetime.datetime(2020, 1, 2, 3, 4, 5),
    "datetime in utc": datetime.datetime(2020, 1, 2, 3, 4, 5, 6000, UTC),
    "datetime in a zone": zone(hours=-5),
    "datetime beside minutes": [zone(seconds=seconds) for seconds in (-31, -30, 7, 30, 31, 59, 86399)],
    "date": datetime.date(999, 1, 2),
    "time": datetime.time(1, 2, 3),
    "time in utc": datetime.time(1, 2, 3, 4, UTC),
    "time in a zone": datetime.time(1, 2, 3, tzinfo=datetime.timezone(datetime.timedelta(hours=1, seconds=40))),
    "timedelta": datetime.timedelta(1, 2, 3),
    "timedeltas": [datetime.timedelta(0), datetime.timedelta(-1, 5), datetime.timedelta(400)],
    "uuid": uuid.UUID(int=5),
    "decimals": [decimal.Decimal(text) for text in ("1.50", "1E+5", "NaN", "-0")],
    "enums": [*Colour, Whole.ONE, Text.RED, Flag.A, Flag.A | Flag.B],
    "set": {1.5},
    "frozenset": frozenset([b"a"]),
    "tuple": (1, 1e16),
    "named tuple": Pair(1, b"x"),
    "subclass of list": OwnList([1, {1e16}]),
    "ordered dict": collections.OrderedDict(a=1, b=b""),
    "dataclass": Data(1e16),
    "dataclass with slots": SlottedData([b"a"]),
    "attrs": Slotted(Colour.RED),
    "attrs in a dict": InDict(Plain(b"")),
    "attrs with more": with_more(),
    "keys of numbers": {1: 1, 1.5: 2, 1e16: 3, 1e-5: 4, math.nan: 5},
    "keys of enums": {Colour.RED: 1, Whole.ONE: 2, Text.RED: 3},
    "keys of times": {datetime.date(2020, 1, 1): 1, zone(hours=1): 2, datetime.timedelta(1): 3},
    "keys of others": {uuid.UUID(int=1): 1, decimal.Decimal("1.0"): 2, b"a": 3},
    "keys of one text": {1: 1, "1": 2},
    "deep": [[[[[[[[[[[[[[[[[[[[1e16, Plain(b"")]]]]]]]]]]]]]]]]]]]],
}


def structs(value: Any) -> Iterator[Any]:
    """Structs of all kinds that hold a value."""
    yield from (cls(value) for cls in (Plain, Child, Tagged, Followed, Open, Of, Of[int]))
    yield from (Numbered(value, z=[value]), Short(value), Short(1, value, value, value, value, value, value))
    yield from (Named(x=value), Named(x=1, renamed=value), Plain([value, Tagged(value)]), Plain({"é": (value,)}))
    yield from (Plain(Data(value)), Plain(InDict(value)), Tagged([{"a": Plain(value)}]), [Plain(value), Empty()])
    if value is not msgspec.UNSET:
        yield from (Row(value), Row(1, value), TaggedRow(value), ShortRow(value), Plain(Row(Short(value))))


@pytest.mark.parametrize("name", VALUES)
def test_struct_is_written_as_msgspec_writes_it(name: str) -> None:
    encoder = Encoder(models=True)
    n = 0
    for struct in structs(VALUES[name]):
        try:
            expected = msgspec.json.encode(struct)
        except TypeError:  # UNSET within a list
            continue
        except msgspec.EncodeError as error:
            pytest.skip(f"this msgspec refuses the value: {error}")
        n += 1
        assert encoder.encode(struct) == expected, struct
        assert encoder.encode({"k": [struct, struct]}) == b'{"k":[' + expected + b"," + expected + b"]}"
        assert b"".join(encoder.iterencode(struct, chunk_size=2)) == expected
        assert Encoder(models=True, datetime="http", decimal="number", bytes="utf-8").encode(struct) == expected
    assert n >= 8


def test_struct_without_its_defaults_is_written_as_msgspec_writes_it() -> None:
    for struct in (
        Short(),
        Short([], 1.5, "é", {}, [], set(), [1]),
        Short(None, 1.0 + 0.5, "".join(["é"]), collections.OrderedDict(), OwnList(), frozenset(), []),
        ShortRow(1),
        ShortRow(None, None),
    ):
        assert Encoder(models=True).encode(struct) == msgspec.json.encode(struct)


@given(
    st.recursive(
        st.floats() | st.integers() | st.text() | st.binary() | st.none() | st.booleans() | st.dates() | st.uuids()
        | st.datetimes(timezones=st.none() | st.just(UTC)) | st.times() | st.timedeltas() | st.decimals(),
        lambda within: st.lists(within)
        | st.dictionaries(st.text() | st.integers() | st.floats() | st.dates() | st.uuids(), within)
        | st.builds(Plain, within)
        | st.builds(Tagged, within)
        | st.builds(Short, within)
        | st.builds(Row, within)
        | st.builds(Data, within)
        | st.builds(InDict, within)
        | st.tuples(within, within),
        max_leaves=12,
    )
)  # fmt: skip
def test_struct_of_random_values_is_written_as_msgspec_writes_it(value: Any) -> None:
    assert Encoder(models=True).encode(Plain(value)) == msgspec.json.encode(Plain(value))


def test_struct_of_what_msgspec_refuses_is_for_the_hook() -> None:
    struct = Plain([1j, {"a": range(2), "b": b"x"}, collections.deque([1e16])])
    encoder = Encoder(models=True, iterables=False, default=repr)
    assert encoder.encode(struct) == b'{"x":["1j",{"a":"range(0, 2)","b":"eA=="},"deque([1e+16])"]}'
    with pytest.raises(TypeError, match="Object of type complex is not JSON serializable"):
        Encoder(models=True).encode(struct)
    with pytest.raises(TypeError, match="Only dicts with str-like or number-like keys are supported"):
        Encoder(models=True).encode(Plain({None: 1}))


def test_struct_options_of_floats_hold_within() -> None:
    struct = Plain([1e16, math.nan])
    assert Encoder(models=True, floats="repr", nan_as_null=False).encode(struct) == b'{"x":[1e+16,NaN]}'


@pytest.mark.parametrize("check_circular", [True, False])
def test_struct_within_itself_is_refused(check_circular: bool) -> None:
    for cls in (Plain, Tagged, Row):
        struct = cls([b"converted"])
        struct.x.append(struct)
        with pytest.raises((ValueError, RecursionError)):
            Encoder(models=True, check_circular=check_circular).encode(struct)


def test_structs_may_be_nested_deeper_than_python_calls() -> None:
    struct = Plain("leaf")
    for _ in range(20_000):
        struct = Plain(struct)
    assert Encoder(models=True).encode(struct) == b'{"x":' * 20_001 + b'"leaf"' + b"}" * 20_001
    while isinstance(struct.x, Plain):  # freed level by level, because a chain of finalisers would recurse in C
        struct = struct.x


def test_struct_leaves_no_utf8_cache() -> None:
    texts = [chr(0x4E00 + i) * 40 for i in range(6)]
    struct = Plain([texts[0], Tagged(texts[1]), {texts[2]: b"x", 1: texts[3]}, Short(Data(texts[4])), {texts[5]}])
    assert Encoder(models=True).encode(struct) == msgspec.json.encode(Plain([*struct.x]))
    fresh = [chr(0x5E00 + i) * 40 for i in range(6)]
    struct = Plain([fresh[0], Tagged(fresh[1]), {fresh[2]: b"x", 1: fresh[3]}, Short(Data(fresh[4])), {fresh[5]}])
    Encoder(models=True).encode(struct)
    assert scan_utf8_cache(fresh)["bytes"] == 0
