"""Values that Django's encoders are asked for: makers, because some can be read only once."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import ipaddress
import types
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from django.db import models
from django.db.models.query import QuerySet
from django.utils.functional import SimpleLazyObject, lazystr
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy

from ssrjson_web._shared.surrogates import to_utf8

UTC = datetime.timezone.utc
MAKERS: dict[str, Callable[[], Any]] = {}


def offset(**delta: int) -> datetime.timezone:
    return datetime.timezone(datetime.timedelta(**delta))


class Moment(datetime.datetime):
    def isoformat(self, *args: Any, **options: Any) -> str:
        return "a moment+00:00"


class OwnDate(datetime.date):
    pass


class OwnUUID(uuid.UUID):
    def __str__(self) -> str:
        return "own"


class OwnDecimal(decimal.Decimal):
    def __float__(self) -> float:
        return 7.0

    def __str__(self) -> str:
        return "seven"


class Suit(models.TextChoices):
    HEARTS = "♥", "hearts"


class Rank(models.IntegerChoices):
    ACE = 1, "ace"


class Day(datetime.date, models.Choices):
    FIRST = 2020, 1, 1


class Colour(enum.Enum):
    RED = "red"


class Price(decimal.Decimal, enum.Enum):
    LOW = "1.50"


class OwnItems(dict[Any, Any]):
    def items(self) -> Any:
        return [("first", 1), ("again", 2), ("first", 3)]


class OwnItemsOfAnyKey(dict[Any, Any]):
    def items(self) -> Any:
        return iter([(1, datetime.date(2020, 1, 1)), (None, Suit.HEARTS), ("1", [])])


class BadItems(dict[Any, Any]):
    def items(self) -> Any:
        return [("a", 1, 2)]


class OwnIteration(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        return iter(["other", "items"])


class Loud(str):
    def __str__(self) -> str:
        return "LOUD"


class OwnInt(int):
    def __repr__(self) -> str:
        return "own"

    __str__ = __repr__


class OwnFloat(float):
    def __repr__(self) -> str:
        return "own"


class Mapped:
    def __getitem__(self, key: str) -> int:
        return {"a": 1, "b": 2}[key]

    def keys(self) -> list[str]:
        return ["a", "b"]


class Unsized:
    """What dict() fails on: the encoders of REST framework hide that."""

    def __getitem__(self, key: object) -> object:
        raise KeyError(key)


class Iterable:
    def __iter__(self) -> Iterator[object]:
        return iter([datetime.date(2020, 1, 1), "é"])


class Array:
    def tolist(self) -> object:
        return [[1, 2.5], [datetime.date(2020, 1, 1)]]


class Self:
    """Whose conversion is itself."""

    def tolist(self) -> object:
        return self


class Raising:
    def tolist(self) -> object:
        raise LookupError("of its own")


class Rows(QuerySet):
    """A QuerySet without a database."""

    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)

    def __deepcopy__(self, memo: Any) -> Rows:
        return self


Pair = collections.namedtuple("Pair", "left right")


def circular_list() -> Any:
    made: list[Any] = [1]
    made.append({"a": made})
    return made


def circular_subclass() -> Any:
    made = OwnList()
    made.append(made)
    return made


def circular_dict() -> Any:
    made: dict[Any, Any] = {1: 2}
    made[2] = [made]
    return made


class OwnList(list[Any]):
    pass


class OwnDict(dict[Any, Any]):
    pass


def ordered() -> Any:
    made = collections.OrderedDict([("b", 1), ("a", datetime.date(2020, 1, 1))])
    made.move_to_end("b")
    return made


def deep_subclasses(depth: int) -> Any:
    made: Any = OwnDict({"end": datetime.date(2020, 1, 1)})
    for _ in range(depth):
        made = OwnList([OwnDict({"in": made})])
    return made


def shared() -> Any:
    part = {"when": datetime.date(2020, 1, 1), 3: OwnList([1])}
    return [part, part, OwnList([part])]


_PLAIN: dict[str, Any] = {
    "nothing": [None, True, False, {}, [], (), ""],
    "text": [
        "plain",
        "naïve",
        "中文",
        "😀",
        '"\\/\b\f\n\r\t\0\x1f\x7f',
        "\u2028 \u2029 \u2027 \u202a",
        "“—”",
        {"\u2028": 1},
    ],
    "numbers": [0, -1, 2**63, 10**30, 1.0, -0.0, 1e16, 1e-7, 1.5e300, 0.1, 123456789.123],
    "keys": {1: "int", 2.5: "float", None: "none", "s": "str"},
    "bools as keys": {False: [], True: {}},
    "datetimes": [
        datetime.datetime(2020, 1, 2, 3, 4, 5),
        datetime.datetime(2020, 1, 2, 3, 4, 5, 1),
        datetime.datetime(2020, 1, 2, 3, 4, 5, 999, UTC),
        datetime.datetime(2020, 1, 2, 3, 4, 5, 999999, UTC),
        datetime.datetime(9, 1, 2, tzinfo=UTC),
        datetime.datetime(2020, 1, 2, tzinfo=offset(hours=5, minutes=45)),
        datetime.datetime(2020, 1, 2, tzinfo=offset(seconds=1)),
        datetime.datetime(2020, 1, 2, 3, 4, 5, 678901, tzinfo=offset(seconds=-19807, microseconds=5)),
        datetime.datetime(2020, 1, 2, fold=1, tzinfo=offset(hours=-2)),
    ],
    "dates": [datetime.date(2020, 1, 2), datetime.date.min, datetime.date.max, OwnDate(2020, 1, 2)],
    "times": [datetime.time(), datetime.time(1, 2, 3), datetime.time(1, 2, 3, 4), datetime.time(1, 2, 3, 45678)],
    "timedeltas": [
        datetime.timedelta(),
        datetime.timedelta(days=3, hours=2, microseconds=5),
        datetime.timedelta(days=-1, seconds=59),
        datetime.timedelta.max,
        datetime.timedelta.min,
    ],
    "decimals": [
        *map(decimal.Decimal, ("1", "1.50", "1E+2", "1E-30", "-0.0", "0.1", "123456789012345678901234567890.5"))
    ],
    "uuids": [uuid.UUID(int=0), uuid.UUID("7f3b1a2c-0000-4000-8000-00000000000f"), OwnUUID(int=5)],
    "strings of a kind": [mark_safe("<b>é</b>"), Loud("quiet"), Suit.HEARTS, Suit.HEARTS.label],
    "numbers of a kind": [Rank.ACE, OwnInt(5), OwnFloat(2.5), enum.IntEnum("E", "A").A, OwnFloat(0.0)],
    "text promises": [gettext_lazy("yes"), lazystr("é"), {"a": lazystr("中\u2028")}],
    "dict of a subclass": [
        OwnDict(a=1, b=OwnDict()),
        OwnDict({1: OwnDict(), None: "é"}),
        collections.defaultdict(list, a=[1]),
        collections.Counter("aab"),
        OwnItems(a=1),
        OwnItems(),
        OwnItemsOfAnyKey(a=1),
        OwnItemsOfAnyKey(),
    ],
    "list of a subclass": [OwnList([1, OwnList(), datetime.date(2020, 1, 1)]), OwnIteration([1]), Pair(1, "é")],
    "strings as keys": {mark_safe("é"): 1, Suit.HEARTS: 2, Rank.ACE: 3, OwnFloat(1.5): 4, "": 5, Loud("q"): 6},
    "keys in a deep dict": {"a": [{1: {"b": {2: datetime.date(2020, 1, 1)}}}]},
}
for _name, _value in _PLAIN.items():
    MAKERS[_name] = lambda value=_value: value  # type: ignore[misc]

_SINGLE: dict[str, Callable[[], Any]] = {
    "ordered dict": ordered,
    "shared parts": shared,
    "deep subclasses": lambda: deep_subclasses(20),
    "datetime of a subclass": lambda: Moment(2020, 1, 2),
    "datetime that is no date": lambda: [Moment(2020, 1, 2, tzinfo=UTC), datetime.date(2020, 1, 2)],
    "decimal of a subclass": lambda: OwnDecimal("3"),
    "date that is an enum": lambda: Day.FIRST,
    "decimal that is an enum": lambda: [Price.LOW],
    "enum": lambda: [Colour.RED],
    "aware time": lambda: datetime.time(1, tzinfo=UTC),
    "decimal NaN": lambda: decimal.Decimal("NaN"),
    "decimal signalling NaN": lambda: decimal.Decimal("-sNaN1"),
    "decimal infinity": lambda: decimal.Decimal("-Infinity"),
    "decimal beyond doubles": lambda: decimal.Decimal("1E+400"),
    "nan": lambda: float("nan"),
    "infinity": lambda: [1, {"a": -float("inf")}],
    "nan of a subclass": lambda: OwnFloat("nan"),
    "nan in a list of a subclass": lambda: OwnList([float("nan")]),
    "nan as key": lambda: {float("nan"): 1},
    "big int": lambda: 10**5000,
    "ip addresses": lambda: [
        ipaddress.ip_address("127.0.0.1"),
        ipaddress.ip_address("::1"),
        ipaddress.ip_network("10.0.0.0/8"),
        ipaddress.ip_network("fe80::/10"),
    ],
    "ip interface": lambda: ipaddress.ip_interface("10.0.0.1/8"),
    "bytes": lambda: [b"", b"ab", "é".encode()],
    "bytes that are no text": lambda: b"\xff",
    "bytearray": lambda: bytearray(b"ab"),
    "empty bytearray": lambda: bytearray(),
    "memoryview": lambda: memoryview(b"ab"),
    "query set": lambda: Rows([{"a": datetime.date(2020, 1, 1)}, {"é": decimal.Decimal("1.5")}]),
    "query set of tuples": lambda: {"rows": Rows([(1, "é"), Pair(2, None)])},
    "set": lambda: {3},
    "frozenset": lambda: frozenset(),
    "deque": lambda: collections.deque([1, 2]),
    "empty deque": lambda: collections.deque(),
    "deque of pairs": lambda: collections.deque([("a", 1)]),
    "range": lambda: range(3),
    "generator": lambda: (datetime.date(2020, 1, day) for day in (1, 2)),
    "dict views": lambda: [{"a": 1}.keys(), {"a": 1}.values(), {"a": 1}.items()],
    "mapping proxy": lambda: types.MappingProxyType({"a": datetime.date(2020, 1, 1)}),
    "user dict": lambda: collections.UserDict(a=1),
    "user list": lambda: collections.UserList([1]),
    "chain map": lambda: collections.ChainMap({"a": 1}, {"b": 2}),
    "mapped": Mapped,
    "unsized": Unsized,
    "iterable": Iterable,
    "array": Array,
    "array that raises": Raising,
    "array that is itself": Self,
    "lazy dict": lambda: SimpleLazyObject(lambda: {"a": 1}),
    "lazy list": lambda: SimpleLazyObject(lambda: [1, 2]),
    "lazy text": lambda: [SimpleLazyObject(lambda: "text")],
    "class": lambda: [dict],
    "object": object,
    "object in deep containers": lambda: {"a": [OwnList([{"b": OwnDict({1: object()})}])]},
    "exception": lambda: [ValueError("é")],
    "lone surrogate": lambda: ["é", "a\ud800b"],
    "lone surrogate in a key": lambda: {"\udfff": 1},
    "lone surrogate in a subclass": lambda: OwnList([{1: "é\ud800"}]),
    "circular list": circular_list,
    "circular list of a subclass": circular_subclass,
    "circular dict": circular_dict,
    "date as key": lambda: {datetime.date(2020, 1, 1): 1},
    "datetime as key": lambda: {"a": 1, datetime.datetime(2020, 1, 1): 1},
    "uuid as key": lambda: [{uuid.UUID(int=1): 1}],
    "decimal as key": lambda: OwnDict({decimal.Decimal(1): 1}),
    "enum as key": lambda: {Colour.RED: 1},
    "date that is an enum as key": lambda: {Day.FIRST: 1},
    "tuple as key": lambda: {(1, 2): 1},
    "promise as key": lambda: {gettext_lazy("yes"): 1},
    "bytes as key": lambda: {b"a": 1},
    "bad items": lambda: BadItems(a=1),
    "error after a generator": lambda: {"a": (n for n in (1, 2)), "b": {(1, 2): 3}},
}
MAKERS |= _SINGLE


def with_surrogates_escaped(outcome: tuple[Any, ...]) -> tuple[Any, ...]:
    """Of stock, what `error_of` gives of text with lone surrogates: the bytes that ours gives, not stock's error."""
    if outcome[0] is UnicodeEncodeError and "surrogates not allowed" in outcome[1]:
        return ("value", to_utf8(outcome[3]))
    return outcome


def error_of(call: Callable[[], object]) -> tuple[Any, ...]:
    """("value", it) or what a caller can tell an error by: its very class and its text."""
    try:
        return ("value", call())
    except Exception as error:
        details: tuple[Any, ...] = ()
        if isinstance(error, UnicodeError):
            details = (getattr(error, "start", None), getattr(error, "object", None))
        return (type(error), str(error), *details)
