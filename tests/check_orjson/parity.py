"""Values of the kinds that orjson tells apart, and the comparison of ssrjson_web.orjson with orjson.

The values leave out what docs/orjson.md lists as different.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import enum
import json
from typing import Any

from helpers.call_outcome import assert_same

from ssrjson_web import orjson as ours

__all__ = [
    "MASKS",
    "Book",
    "Colour",
    "Items",
    "Members",
    "Number",
    "Pair",
    "Real",
    "Slotted",
    "Text",
    "assert_dumps_alike",
    "hook",
    "outcome",
    "zone",
]


class Text(str):
    __slots__ = ()


class Number(int):
    pass


class Real(float):
    pass


class Items(list[Any]):
    def __iter__(self) -> Any:
        raise AssertionError("methods of subclasses are not asked")


class Members(dict[Any, Any]):
    def items(self) -> Any:
        raise AssertionError("methods of subclasses are not asked")


class Colour(enum.Enum):
    RED = 1
    BLUE = "blå"
    NONE = None
    REAL = 1.5
    DAY = datetime.date(2020, 1, 2)


@dataclasses.dataclass
class Book:
    title: Any
    _note: Any = None
    pages: Any = 1


@dataclasses.dataclass(slots=True)
class Slotted:
    title: Any
    _note: Any = None
    pages: Any = 1


Pair = collections.namedtuple("Pair", "a b")

MASKS = [
    0,
    ours.OPT_INDENT_2,
    ours.OPT_NON_STR_KEYS,
    ours.OPT_SORT_KEYS,
    ours.OPT_NON_STR_KEYS | ours.OPT_SORT_KEYS,
    ours.OPT_NAIVE_UTC | ours.OPT_UTC_Z,
    ours.OPT_OMIT_MICROSECONDS | ours.OPT_APPEND_NEWLINE,
    ours.OPT_STRICT_INTEGER,
    ours.OPT_PASSTHROUGH_DATETIME | ours.OPT_PASSTHROUGH_SUBCLASS,
    ours.OPT_PASSTHROUGH_DATACLASS | ours.OPT_INDENT_2 | ours.OPT_SORT_KEYS,
]


def zone(minutes: int) -> datetime.timezone:
    """Offsets whose seconds are not rounded up: orjson writes 60 minutes for some of those."""
    return datetime.timezone(datetime.timedelta(minutes=minutes, seconds=29 if 0 < minutes < 1439 else 0))


def hook(value: Any) -> Any:
    if isinstance(value, bytes):
        raise ValueError("no bytes")
    if isinstance(value, (list, dict, tuple)):
        return len(value)
    return str(value)


def outcome(call: Any, *arguments: Any, **options: Any) -> Any:
    try:
        return call(*arguments, **options)
    except json.JSONDecodeError as error:
        return ("error", error.msg, error.pos, error.lineno, error.colno, error.doc)
    except TypeError as error:
        return ("error", type(error), str(error), type(error.__cause__), str(error.__cause__))


def assert_dumps_alike(theirs: Any, value: Any, option: int) -> None:
    """Compares the bytes or the errors, without a hook and with one. `theirs` is the module orjson."""
    for default in (None, hook):
        options = {"option": option} if default is None else {"option": option, "default": default}
        got, expected = outcome(ours.dumps, value, **options), outcome(theirs.dumps, value, **options)
        both_fail = isinstance(got, tuple) and isinstance(expected, tuple)
        # with these, orjson looks at all keys of a dict before its values: of two errors it finds the other one
        if not (both_fail and option & (ours.OPT_NON_STR_KEYS | ours.OPT_SORT_KEYS)):
            assert_same(got, expected, (option, value))
