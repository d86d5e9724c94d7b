"""Where two values differ, and why a value cannot be written twice. No code of an application is called."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import inspect
import ipaddress
import pathlib
import re
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

from ssrjson_web._shared.names import class_name_of

__all__ = [
    "MAX_EXCERPT",
    "Difference",
    "Excerpt",
    "Look",
    "difference_of_bytes",
    "difference_of_values",
    "look_at_unknown",
    "masked",
    "once_only",
]

MAX_EXCERPT = 200
_BEFORE = 60
_ATOMS = frozenset(
    [
        *(type(None), bool, int, float, complex, str, bytes, bytearray, type(...)),
        *(datetime.date, datetime.time, datetime.datetime, datetime.timedelta, datetime.timezone),
        *(decimal.Decimal, uuid.UUID, pathlib.PosixPath, pathlib.WindowsPath, pathlib.PurePosixPath),
        *(ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network),
        *(ipaddress.IPv4Interface, ipaddress.IPv6Interface, pathlib.PureWindowsPath, re.Pattern),
    ]
)
_COMPARED_BY_VALUE = frozenset([bool, int, str, bytes, bytearray, re.Pattern])
"""Equal ones are the same. Of others the representation tells: NaN, -0.0, decimals of other digits, other zones."""
_SEQUENCES = frozenset([list, tuple, set, frozenset, collections.deque])
_MAPPINGS = frozenset([dict, collections.OrderedDict, collections.defaultdict, collections.Counter])
_BUILTIN = (str, int, float, bytes, dict, list, tuple, set, frozenset)
_READERS = ("__iter__", "__getitem__", "__len__", "__str__", "__repr__", "__html__", "items", "keys", "values", "get")
"""Methods by which encoders read an object of a class that derives from one of these."""


class Excerpt(NamedTuple):
    """What is shown of a result."""

    label: str
    """The name of its class, which is no data."""
    text: str


class Difference(NamedTuple):
    """The first place where stock's result and the core's differ."""

    place: str
    stock: Excerpt
    core: Excerpt


Look: TypeAlias = "Callable[[Any], tuple[str, Iterable[Any]]]"
"""Gives for an object of a class why its code would run twice, or nothing, and the values that are read of it."""


def look_at_unknown(value: Any) -> tuple[str, Iterable[Any]]:
    """A `Look` at objects whose classes are not known: their code may be what reads them."""
    return f"code of {class_name_of(type(value))} may run twice", ()


# ---- may it be read twice -----------------------------------------------------------------------


def once_only(value: Any, look: Look) -> str:
    """Why a value cannot be written twice, as one that holds an iterator; empty where it can be.

    `look` decides on objects of other classes than JSON's, containers' and the usual scalars.
    """
    waiting, seen = [value], set()
    while waiting:
        one = waiting.pop()
        cls = type(one)
        if cls in _ATOMS or isinstance(one, enum.Enum):
            continue
        if id(one) in seen:
            continue
        seen.add(id(one))
        if cls in _MAPPINGS or (isinstance(one, dict) and _is_plain(cls)):
            waiting.extend(dict.keys(one))
            waiting.extend(dict.values(one))
        elif cls in _SEQUENCES or (isinstance(one, (list, tuple)) and _is_plain(cls)):
            waiting.extend(_items(one))
        elif isinstance(one, _BUILTIN) and _is_plain(cls):
            continue
        elif _has(cls, "__next__") or _has(cls, "__anext__"):
            return "an answer holds an iterator, which can be iterated once"
        else:
            reason, within = look(one)
            if reason:
                return reason
            waiting.extend(within)
    return ""


def _has(cls: type, name: str) -> bool:
    """Whether a class has an attribute, without code of its metaclass."""
    return any(name in vars(base) for base in cls.__mro__)


def _items(one: Any) -> Iterator[Any]:
    if isinstance(one, list):
        return list.__iter__(one)
    return tuple.__iter__(one) if isinstance(one, tuple) else iter(one)


def _is_plain(cls: type) -> bool:
    """Whether a subclass of a builtin class is read by the builtin's own methods, or by those of a library we know."""
    for base in cls.__mro__:
        if base in _BUILTIN or base.__module__ == "builtins":
            return True
        if base.__module__.partition(".")[0] in ("rest_framework", "collections", "typing"):
            continue
        if any(name in vars(base) for name in _READERS) and not _has(cls, "_fields"):
            return False
    return True


# ---- where do they differ -----------------------------------------------------------------------


def difference_of_bytes(stock: bytes, core: bytes) -> tuple[int, Excerpt, Excerpt] | None:
    """The first byte that differs, and excerpts around it; None where there is none."""
    if stock == core:
        return None
    at = _first_different_byte(stock, core)
    start = max(0, at - _BEFORE)
    one, other = (part[start : start + MAX_EXCERPT].decode("utf-8", "replace") for part in (stock, core))
    return at, Excerpt("", one), Excerpt("", other)


def _first_different_byte(one: bytes, other: bytes) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:  # the longest common beginning is found by halves, so that the comparisons are memcmp's
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


_Path: TypeAlias = "tuple[_Path, str] | None"


def difference_of_values(stock: Any, core: Any) -> Difference | None:
    """The first place where two values differ, in class, order or content; None where there is none."""
    waiting: list[tuple[_Path, Any, Any]] = [(None, stock, core)]
    seen: set[tuple[int, int]] = set()
    kept = []  # so that no id is used again
    while waiting:
        path, one, other = waiting.pop()
        if one is other or (id(one), id(other)) in seen:
            continue
        if type(one) is not type(other):
            return Difference(_text_of(path), _shown(one), _shown(other))
        if type(one) in _ATOMS:
            if one != other if type(one) in _COMPARED_BY_VALUE else repr(one) != repr(other):
                return Difference(_text_of(path), _shown(one), _shown(other))
            continue
        seen.add((id(one), id(other)))
        kept.append((one, other))
        pairs = _pairs(one, other)
        if pairs is None:
            return Difference(_text_of(path), _shown(one), _shown(other))
        waiting.extend([((path, name), first, second) for name, first, second in pairs][::-1])
    return None


def _pairs(one: Any, other: Any) -> list[tuple[str, Any, Any]] | None:
    """The parts of two objects of one class, by name; None where the objects differ themselves."""
    if isinstance(one, dict):
        if len(one) != len(other):
            return None
        pairs: list[tuple[str, Any, Any]] = []
        for (key, first), (other_key, second) in zip(dict.items(one), dict.items(other), strict=True):
            pairs += [(" key", key, other_key)] if key is not other_key else []
            pairs.append((f".{_shown_key(key)}", first, second))
        return pairs
    if isinstance(one, (list, tuple, collections.deque)):
        if len(one) != len(other):
            return None
        return [(f"[{n}]", *both) for n, both in enumerate(zip(_items(one), _items(other), strict=True))]
    if isinstance(one, (set, frozenset)):
        return [] if len(one) == len(other) and all(map(other.__contains__, one)) else None
    if isinstance(one, BaseException):
        return [("", str(one), str(other))]
    state, other_state = _state(one), _state(other)
    if state or other_state:
        return [("", state, other_state)]
    is_known = type(one).__module__.partition(".")[0] in (*sys.stdlib_module_names, "pydantic_core")
    return None if is_known and not isinstance(one, enum.Enum) and _are_unequal(one, other) else []


def _are_unequal(one: Any, other: Any) -> bool:
    return inspect.getattr_static(type(one), "__eq__") is not vars(object)["__eq__"] and one != other


def _state(one: Any) -> dict[str, Any]:
    """The attributes that an object holds: `__dict__` and slots, those of pydantic's models included."""
    found: dict[str, Any] = {}
    if type(one).__module__ in sys.stdlib_module_names:
        return found
    for cls in type(one).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            try:
                found[name] = object.__getattribute__(one, name)
            except AttributeError:
                continue
    for name in ("__weakref__", "__dict__"):
        found.pop(name, None)
    with suppress(AttributeError):
        found |= object.__getattribute__(one, "__dict__")
    return found


def _text_of(path: _Path) -> str:
    names = []
    while path is not None:
        path, name = path
        names.append(name)
    return "".join(reversed(names)) or "the whole"


def _shown_key(key: Any) -> str:
    """A key as far as it is the name of a field. One that may be data is masked: an address, a number."""
    return key if type(key) is str and key.isidentifier() and len(key) <= 40 else masked(_shown(key).text)


def _shown(one: Any) -> Excerpt:
    name = type(one).__name__
    if type(one) in _ATOMS:
        return Excerpt(name, repr(one[:MAX_EXCERPT] if isinstance(one, (str, bytes, bytearray)) else one))
    return Excerpt(name, f"of {len(one)}" if isinstance(one, (dict, list, tuple, set, frozenset)) else "")


_WORDS = re.compile(r"\b(?:true|false|null|None|True|False|NaN|Infinity)\b|[^\W\d_]|\d")


def masked(text: str) -> str:
    """A text with `x` for each letter and `9` for each digit. JSON's own words stay."""
    return _WORDS.sub(lambda found: found[0] if len(found[0]) > 1 else ("9" if found[0].isdigit() else "x"), text)
