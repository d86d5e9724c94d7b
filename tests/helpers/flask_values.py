"""Values that a provider of Flask is asked for: makers, because some can be read only once."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import uuid
from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from helpers.encoder_hook_values import MAKERS, Moment, OwnDecimal, OwnDict, OwnList, offset


class Zoneless(datetime.tzinfo):
    def utcoffset(self, moment: datetime.datetime | None) -> None:
        return None

    def dst(self, moment: datetime.datetime | None) -> None:
        return None


class Html:
    def __html__(self) -> Any:
        return "<b>é</b>"


class HtmlOfNumber:
    def __html__(self) -> Any:
        return 5


class HtmlThatRaises:
    def __html__(self) -> Any:
        raise LookupError("of its own")


class Colour(str, enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    y: float
    x: Any
    when: datetime.date = datetime.date(2020, 1, 1)


@dataclasses.dataclass
class HtmlPoint:
    x: int

    def __html__(self) -> str:
        return "not asked for"


@dataclasses.dataclass
class Slotted:
    __slots__ = ("a", "b")
    b: int
    a: str


@dataclasses.dataclass
class ListPoint(list):  # type: ignore[type-arg]
    x: int = 1


_MOMENTS = [
    datetime.datetime(2020, 1, 2, 3, 4, 5, 999999),
    datetime.datetime(1, 1, 1),
    datetime.datetime(2024, 2, 29, 23, 59, 59, tzinfo=datetime.timezone.utc),
    datetime.datetime(2024, 2, 29, 23, 59, 59, tzinfo=offset(hours=-12)),
    datetime.datetime(2024, 3, 1, 0, 0, 0, tzinfo=offset(hours=5, minutes=45)),
    datetime.datetime(2024, 1, 1, tzinfo=offset(microseconds=1)),
    Moment(2020, 1, 2),
    Moment(2020, 1, 2, tzinfo=offset(hours=1)),
]

VALUES: dict[str, Callable[[], Any]] = {
    **{name: make for name, make in MAKERS.items() if "promise" not in name and "lazy" not in name},
    "http dates": lambda: [*_MOMENTS, {"d": datetime.date(1999, 12, 31)}],
    "zone without offset": lambda: datetime.datetime(2020, 6, 1, tzinfo=Zoneless()),
    "datetime before UTC began": lambda: datetime.datetime(1, 1, 1, tzinfo=offset(hours=1)),
    "datetime after UTC ended": lambda: datetime.datetime(9999, 12, 31, 23, tzinfo=offset(hours=-1)),
    "dataclass": lambda: [Point(1.5, [Point(0.0, {"é": decimal.Decimal("1.0")})]), Slotted(1, "é")],
    "dataclass of what is none": lambda: Point(1.0, {1, 2}),
    "dataclass that cannot be copied": lambda: Point(1.0, (n for n in ())),
    "dataclass with html": lambda: HtmlPoint(1),
    "dataclass that is a list": lambda: ListPoint(5),
    "dataclass as class": lambda: Point,
    "dataclass as key": lambda: {Slotted: 1},
    "html": lambda: [Html(), Markup("<i>é</i>"), {"a": Html()}, HtmlOfNumber()],
    "html that raises": HtmlThatRaises,
    "html in an odd dict": lambda: {1: Html(), 2: OwnList([Html()])},
    "enum of str": lambda: [Colour.RED, {Colour.RED: 1}],
    "decimals of a kind": lambda: [OwnDecimal("1"), decimal.Decimal("sNaN"), decimal.Decimal("1E+400")],
    "uuid": lambda: {"u": uuid.UUID("7f3b1a2c-0000-4000-8000-00000000000f")},
    "number keys": lambda: {2: 1, 10: 0, -1: 5},
    "float keys": lambda: {2.5: 1, 10: datetime.date(2020, 1, 1), True: [1]},
    "many number keys": lambda: {n: n / 2 for n in range(200, 0, -1)},
    "number and str keys": lambda: {2: 1, "10": 0},
    "none and number keys": lambda: {None: 1, 2: [1]},
    "none and true keys": lambda: [{None: {}}, {True: {}}],
    "unsorted": lambda: {"b": 1, "a": {"d": 1, "c": datetime.date(2020, 1, 1)}, "é": 0, "": 5, "B": []},
    "unsorted of a subclass": lambda: OwnDict({"b": OwnDict({2: 1, 1: 2}), "a": 1}),
    "long text": lambda: ["中文" * 5000, "a" * 70_000, {"é" * 300: "\U0001f600" * 3000}],
}
