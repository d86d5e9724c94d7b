"""Annotations, and values of which most are not as an annotation says, for what pydantic writes and warns of them."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import uuid
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import pydantic
from pydantic import BaseModel, ConfigDict, RootModel
from typing_extensions import TypedDict

__all__ = ["ANNOTATIONS", "VALUES", "Base", "Colour", "Derived", "Other", "Text", "model_of", "outcome_with_warnings"]


class Colour(enum.Enum):
    RED = "a"
    TWO = 2


class Other(enum.Enum):
    RED = "a"


class Text(str, enum.Enum):
    RED = "a"


class Whole(enum.IntEnum):
    ONE = 1


class OwnStr(str):
    __slots__ = ()


class OwnInt(int):
    pass


class OwnFloat(float):
    pass


class OwnList(list[Any]):
    pass


class OwnDict(dict[Any, Any]):
    pass


class HasFloat:
    def __float__(self) -> float:
        return 1.5


class HasIndex:
    def __index__(self) -> int:
        return 3


class Base(BaseModel):
    n: int = 1
    text: str = "é"


class Derived(Base):
    more: int = 2


class Alike(BaseModel):
    n: int = 1
    text: str = "é"


@dataclasses.dataclass
class Plain:
    n: int = 1


@pydantic.dataclasses.dataclass
class Checked:
    n: int = 1


class Known(TypedDict):
    n: int


class Point(NamedTuple):
    x: int
    y: str = "a"


class Root(RootModel[list[int]]):
    pass


class RealRoot(RootModel[float]):
    pass


_SCALARS = (
    *(int, float, bool, str, bytes, decimal.Decimal, fractions.Fraction, complex, type(None), uuid.UUID),
    *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, Colour, Text, Whole),
    *(Literal["a", 1], Literal[Colour.RED]),
)
_CONTAINERS = (
    *(list[int], list[float], list[str], list[Base], list[Any], list[list[float]], list, dict),
    *(tuple[float, ...], tuple[int, str], set[int], frozenset[int], Sequence[float], collections.deque[int]),
    *(dict[str, int], dict[str, float], dict[int, float], dict[str, Base], dict[str, list[float]], Mapping[str, float]),
)
_UNIONS = (
    *(int | None, float | None, list[float] | None, int | str, float | str, float | int),
    *(bool | int, Base | str, Base | Alike, Colour | Text),
)
ANNOTATIONS: tuple[Any, ...] = (
    *_SCALARS,
    *_CONTAINERS,
    *_UNIONS,
    *(Base, Derived, Plain, Checked, Known, Point, Root, RealRoot, Any, object),
)
_HALF, _ONE = fractions.Fraction(1, 2), decimal.Decimal("1.5")
_DAY = datetime.datetime(2020, 1, 2, 3)
_NO_FLOAT = 10**400  # greater than any float

VALUES: list[Any] = [
    *(None, True, False, 0, 1, 2**70, 1.0, 1.5, -0.0, _ONE, decimal.Decimal("NaN"), _HALF, 1j, "a", "b", "1", ""),
    *(OwnStr("x"), OwnInt(3), OwnFloat(2.5), b"a", bytearray(b"a"), Colour.RED, Other.RED, Colour.TWO, Text.RED),
    *(Whole.ONE, Colour, _DAY, _DAY.date(), _DAY.replace(tzinfo=datetime.timezone.utc), _DAY.time(), "2020-01-02"),
    *(datetime.timedelta(1), uuid.UUID(int=1), str(uuid.UUID(int=1))),
    *([], [1], [1.5], ["a"], [_ONE], [_HALF], [None], (), (1,), (1, "a"), ("a", 1), (_ONE,), {1}, frozenset([1])),
    *({}, {"a": 1}, {"a": 1.5}, {"a": _ONE}, {"a": _HALF}, {1: 2}, {"n": 1}, {"n": "x"}, {None: 1}, {1.5: 2}),
    *(OwnList([1]), OwnDict(a=1), collections.deque([1]), Base(), Derived(), Alike(), Base.model_construct(n="x")),
    *(Plain(), Checked(), Point(1), Root([1]), Root.model_construct(["x"]), RealRoot(1.0)),
    *(HasFloat(), HasIndex(), [HasFloat()], [Base(), Derived()], [Alike()], {"k": Derived()}, [{"n": 1}], range(3)),
    *({"k": [_ONE]}, [[_ONE]], [[1]], len, object()),
    # keys that have the same text, beside models, which have keys of their own
    *({1.5: 2, "1.5": 3}, [{True: 1, "true": 2}], {1: Base(), "1": Base()}, [Base(), {1: 1, "1": Base()}]),
    *(_NO_FLOAT, -_NO_FLOAT, [_NO_FLOAT], (1.5, _NO_FLOAT), {"a": _NO_FLOAT}, {_NO_FLOAT: 1}, [[_NO_FLOAT]]),
]


def _of_numpy() -> list[Any]:
    try:
        import numpy
    except ImportError:
        return []
    real = numpy.float32(1.5)
    return [real, numpy.float64(2.5), numpy.int64(3), [real], {"a": real}, numpy.bool_(True), numpy.str_("q")]


VALUES += _of_numpy()


def model_of(annotation: Any, **config: Any) -> Any:
    """A model with one field of an annotation, and a field after it."""
    options: Any = ConfigDict(arbitrary_types_allowed=True, **config)
    fields: Any = {"f": (annotation, None), "after": (str, "z")}
    return pydantic.create_model("Model", __config__=options, **fields)


def outcome_with_warnings(call: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[Any, list[Any]]:
    """The result of a call, or the type and text of its exception; and the category and text of each warning.

    Random computed fields make classes, and are read twice where pydantic writes what ours refuses; that warns twice.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result: tuple[str, Any]
        try:
            result = "value", call(*arguments, **options)
        except Exception as error:
            theirs = next(cls for cls in type(error).__mro__ if not cls.__module__.startswith("ssrjson_web"))
            result = theirs.__name__, str(error)
    of_values = [one for one in caught if not issubclass(one.category, pydantic.PydanticDeprecatedSince20)]
    return result, [(one.category.__name__, str(one.message)) for one in of_values]
