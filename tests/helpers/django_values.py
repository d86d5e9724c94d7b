"""Values of all kinds that an encoder of Django may get, each made when it is asked for."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import math
import pathlib
import types
import uuid
import zoneinfo
from collections.abc import Callable, Iterator
from typing import Any

from django.db import models
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.functional import SimpleLazyObject, lazy
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy, ngettext_lazy

UTC = datetime.timezone.utc
KOLKATA = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
ODD_ZONE = datetime.timezone(-datetime.timedelta(hours=1, seconds=7, microseconds=11))


class Suit(models.TextChoices):
    HEARTS = "♥", "Hearts"


class Size(models.IntegerChoices):
    SMALL = 1, "Small"


class Colour(enum.Enum):
    RED = "red"


class LoudDatetime(datetime.datetime):
    def isoformat(self, *args: Any, **kwargs: Any) -> str:
        return "LOUD+00:00"


class PlainDatetime(datetime.datetime):
    pass


class LoudDate(datetime.date):
    def isoformat(self) -> str:
        return "loud"


class LoudDecimal(decimal.Decimal):
    def __str__(self) -> str:
        return "loud"


class LoudUUID(uuid.UUID):
    def __str__(self) -> str:
        return "loud"


class Text(str):
    pass


class LoudText(str):
    def __str__(self) -> str:
        return "loud"


class LoudInt(int):
    def __repr__(self) -> str:
        return "loud"

    __str__ = __repr__


class LoudFloat(float):
    def __repr__(self) -> str:
        return "loud"


class Items(dict[str, Any]):
    def items(self) -> Any:
        return [("from", "items")]


class Doubled(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        for item in super().__iter__():
            yield item
            yield item


@dataclasses.dataclass
class Point:
    x: int = 1


Pair = collections.namedtuple("Pair", "a b")


def circular() -> Any:
    ring: list[Any] = []
    ring.append({"ring": ring})
    return ring


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


_MOMENT = (2024, 2, 29, 12, 34, 56)

VALUES: dict[str, Callable[[], Any]] = {
    # JSON's own
    "none": lambda: None,
    "bools": lambda: [True, False],
    "ints": lambda: [0, -1, 2**53, -(2**63), 2**64, 10**40],
    "floats": lambda: [0.0, -0.0, 1.5, 1e16, 1e-7, 1.7976931348623157e308, 5e-324],
    "nan": lambda: [math.nan, math.inf, -math.inf],
    "texts": lambda: ["", "a", "é", "中文", "😀", '\x00\x1f"\\/\x7f\x80', "\u2028\u2029", "</script>&"],
    "lone surrogate": lambda: {"k\ud800": "\udc00"},
    "containers": lambda: {"": [], "a": {}, "b": (), "c": [[], [{}]], "d": (1, (2,))},
    "keys of JSON": lambda: {0: 1, 1.5: 2, True: 3, None: 4, "s": 5, math.inf: 6, 10**30: 7},
    "nested": lambda: nested(200),
    # Django's
    "datetimes": lambda: [datetime.datetime(*_MOMENT), datetime.datetime.min, datetime.datetime.max],
    "datetimes with microseconds": lambda: [
        datetime.datetime(*_MOMENT, us) for us in (1, 999, 1000, 1001, 120000, 999999)
    ],
    "datetimes with zones": lambda: [
        datetime.datetime(*_MOMENT, us, tzinfo=zone) for us in (0, 1, 123456) for zone in (UTC, KOLKATA, ODD_ZONE)
    ],
    "datetimes with places": lambda: [
        datetime.datetime(2024, month, 1, tzinfo=zoneinfo.ZoneInfo(place))
        for month in (1, 7)
        for place in ("UTC", "Europe/London", "America/St_Johns", "Asia/Shanghai")
    ],
    "dates": lambda: [datetime.date.min, datetime.date(2024, 2, 29), datetime.date.max],
    "times": lambda: [datetime.time(1), datetime.time(1, 2, 3, 4), datetime.time(1, 2, 3, 456789), datetime.time.max],
    "aware time": lambda: datetime.time(1, tzinfo=UTC),
    "time of a zone without offset": lambda: datetime.time(1, tzinfo=zoneinfo.ZoneInfo("Europe/London")),
    "durations": lambda: [
        datetime.timedelta(),
        datetime.timedelta(days=-1, microseconds=1),
        datetime.timedelta(days=400, hours=1, minutes=2, seconds=3, microseconds=45),
        datetime.timedelta.max,
    ],
    "decimals": lambda: [
        decimal.Decimal(digits)
        for digits in ("0", "-0", "1.10", "1E+3", "0E-10", "NaN", "-sNaN12", "Infinity", "1" * 60 + ".5", "1E-400")
    ],
    "uuids": lambda: [uuid.UUID(int=0), uuid.UUID(int=2**128 - 1), uuid.UUID("12345678-1234-5678-1234-567812345678")],
    "lazy texts": lambda: [gettext_lazy("Yes"), ngettext_lazy("%(n)d day", "%(n)d days", "n") % {"n": 3}],
    "lazy key": lambda: {gettext_lazy("Yes"): 1},
    "lazy list": lambda: lazy(lambda: [1, 2], list)(),
    "safe text": lambda: {mark_safe("<b>"): mark_safe("é")},
    "lazy objects": lambda: [SimpleLazyObject(lambda: {"a": 1})],
    "lazy object of a list": lambda: SimpleLazyObject(lambda: [1, "é"]),
    "lazy object of a text": lambda: SimpleLazyObject(lambda: "text"),
    "choices": lambda: [Suit.HEARTS, Size.SMALL, {Suit.HEARTS: Suit.HEARTS.label, Size.SMALL: 1}],
    "query dict": lambda: QueryDict("a=1&a=2&b=é"),
    "multi-value dict": lambda: MultiValueDict({"a": ["1", "2"], "empty": []}),
    "query set": lambda: models.QuerySet(),
    # classes derived from those
    "ordered dict": lambda: collections.OrderedDict([("b", datetime.date(2024, 1, 1)), ("a", decimal.Decimal("1.0"))]),
    "default dict": lambda: collections.defaultdict(list, {"a": [1]}),
    "counter": lambda: collections.Counter("aab"),
    "dict with items": lambda: Items(a=1),
    "list with iter": lambda: Doubled([1, "é"]),
    "named tuple": lambda: [Pair(1, uuid.UUID(int=5)), Pair("a", None)],
    "texts of classes": lambda: [Text("é"), LoudText("é"), {Text("k"): 1}, {LoudText("k"): 1}],
    "numbers of classes": lambda: [LoudInt(5), LoudFloat(2.5), {LoudInt(5): 1}],
    "datetime of a class": lambda: [LoudDatetime(*_MOMENT), PlainDatetime(*_MOMENT, 5, tzinfo=UTC)],
    "date of a class": lambda: LoudDate(2024, 1, 1),
    "decimal of a class": lambda: LoudDecimal("1"),
    "uuid of a class": lambda: LoudUUID(int=1),
    "plain values under odd keys": lambda: {1: [datetime.datetime(*_MOMENT, 5), LoudDecimal("1"), {2: Pair(1, 2)}]},
    # what has no form
    "datetime key": lambda: {datetime.datetime(*_MOMENT): 1},
    "date key below": lambda: [{"a": {datetime.date(2024, 1, 1): 1}}],
    "decimal key": lambda: {decimal.Decimal(1): 1},
    "uuid key": lambda: {1: {uuid.UUID(int=1): 1}},
    "tuple key": lambda: {(1, 2): 1},
    "enum": lambda: Colour.RED,
    "set": lambda: {1},
    "bytes": lambda: [b"a"],
    "generator": lambda: (i for i in range(3)),
    "range": lambda: range(3),
    "object": lambda: {"a": [object.__subclasses__]},
    "class": lambda: Point,
    "dataclass": lambda: Point(),
    "path": lambda: pathlib.PurePosixPath("a"),
    "mapping proxy": lambda: types.MappingProxyType({"a": 1}),
    "circular": circular,
}

LAYOUTS: tuple[dict[str, Any], ...] = (
    {},
    {"ensure_ascii": False},
    {"indent": 2},
    {"indent": "\t", "ensure_ascii": False},
    {"indent": 0},
    {"indent": -1, "separators": ("，", "：")},
    {"separators": (",", ":")},
    {"sort_keys": True},
    {"skipkeys": True},
    {"skipkeys": True, "sort_keys": True, "indent": True},
    {"allow_nan": False},
    {"check_circular": True, "ensure_ascii": 0, "skipkeys": 1},
    {"separators": [", ", ":"], "indent": None},
)
