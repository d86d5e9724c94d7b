"""The ways to encode, by name: each makes a call that encodes a value of about n containers, hooks or cycles' items."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
from collections import deque
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from ssrjson_web import Encoder, dumps, dumps_to_bytes, orjson

Call = Callable[[], object]
UNITS_OF_ONE = 10
"""Of the documents of growth.entries: a container that Python code makes takes as much as many characters."""


class Unknown:
    """An object for the hook."""


class Items(dict[str, Any]):
    def items(self) -> Any:
        return [("a", 1)]


class Id:
    """A key that only a hook or nothing knows."""


@dataclasses.dataclass
class Node:
    a: Any
    b: Any


class Zone(datetime.tzinfo):
    def utcoffset(self, moment: Any) -> datetime.timedelta:
        return datetime.timedelta(hours=1)

    def tzname(self, moment: Any) -> str:
        return "Z"

    dst = utcoffset


ZONED = datetime.datetime(2026, 1, 2, tzinfo=Zone())
# each of them has Python code run
ASKING: dict[str, Callable[[], Any]] = {
    "hook": Unknown,
    "items()": lambda: Items(a=1),
    "iterator": lambda: iter([1]),
    "generator": lambda: (one for one in (1,)),
    "deque": lambda: deque([1]),
    "mapping": lambda: MappingProxyType({"a": 1}),
    "zone": lambda: ZONED,
    "key of a zone": lambda: {ZONED: 1},
    "object": lambda: Node(Unknown(), 1),
}


def deep(n: int, wrap: Callable[[Any], Any]) -> Any:
    value: Any = 1
    for _ in range(n):
        value = wrap(value)
    return value


def values(name: str, n: int) -> dict[str, Any]:
    """Values with an object that has Python code run: before each level, after it, beside each other."""
    make = ASKING[name]
    return {
        f"{name} before each list": deep(n, lambda x: [make(), x]),
        f"{name} after each list": deep(n, lambda x: [x, make()]),
        f"{name} before each dict": deep(n, lambda x: {"a": make(), "b": x}),
        f"{name} after each object": deep(n, lambda x: Node(x, make())),
        f"{name} below each tuple": deep(n, lambda x: (x, [make()])),
        f"{name} in a list": [make() for _ in range(n)],
        f"{name} in a dict": {f"k{i}": make() for i in range(n)},
        f"{name} at the bottom": deep_with([make() for _ in range(n)], n),
    }


def deep_with(bottom: Any, n: int) -> Any:
    value = bottom
    for _ in range(n):
        value = [value, "x"]
    return value


def of_python(n: int) -> dict[str, Call]:
    hook = {"default": lambda one: [1]}
    ways: dict[str, Callable[[Any], Call]] = {
        "dumps": lambda value: lambda: dumps(value, natives=True, **hook),
        "in chunks": lambda value: lambda: deque(Encoder(natives=True, **hook).iterencode(value, chunk_size=100), 0),
        "sorted": lambda value: lambda: dumps_to_bytes(value, natives=True, sort_keys=True, **hook),
        "without a check": lambda value: lambda: dumps(value, natives=True, check_circular=False, **hook),
    }
    found: dict[str, Call] = {}
    for name in ASKING:
        for place, value in values(name, n).items():
            for way, make in ways.items():
                found[f"{place}, {way}"] = make(value)
    wide = {f"k{i}": Unknown() for i in range(n)}
    found["hooks in a dict, orjson"] = lambda: orjson.dumps(wide, default=lambda one: [1])
    found["unknown keys, skipped"] = lambda: dumps({Id(): 1 for _ in range(n)}, natives=True, skipkeys=True)
    return found


def of_cycles(n: int) -> dict[str, Call]:
    """Cycles, which must be found before much of them is written."""
    found: dict[str, Call] = {}
    wide: list[Any] = [1] * n
    wide.append(wide)
    far: list[Any] = []
    end = deep_with(far, n)
    far.append(end)
    late: list[Any] = ["x" * 50] * (n // 8)
    late.append(late)
    below = deep_with(late, n // 8)
    for name, value in {"wide": wide, "far": far, "below": below}.items():
        for way, encode in {"dumps": dumps, "orjson": orjson.dumps}.items():
            found[f"{name} cycle, {way}"] = lambda value=value, encode=encode: refused(encode, value)
    return found


def refused(encode: Callable[[Any], Any], value: Any) -> None:
    with contextlib.suppress(ValueError, TypeError):
        encode(value)


def plain(n: int) -> dict[str, Call]:
    lists, dicts = deep(n, lambda x: [x]), deep(n, lambda x: {"a": x})
    return {
        "lists in depth, dumps": lambda: dumps(lists),
        "dicts in depth, dumps": lambda: dumps_to_bytes(dicts),
        "dicts in depth, sorted": lambda: dumps(dicts, sort_keys=True),
        "tuples in depth, orjson": lambda: orjson.dumps(deep(n, lambda x: (x, 1))),
        "lists in depth, in chunks": lambda: deque(Encoder().iterencode(lists, chunk_size=100), 0),
        "lists of one line, encode_lines": lambda: Encoder().encode_lines([[1]] * n),
    }


def encoding_calls(n: int) -> dict[str, Call]:
    size = max(n // UNITS_OF_ONE, 8)
    return of_python(size) | of_cycles(size) | plain(size)
