"""Documents that are made anew for each attack, and the attack: all that a document holds goes."""

from __future__ import annotations

import collections
import copy
import datetime
import decimal
import gc
import types
import uuid
from collections.abc import Iterator
from typing import Any

__all__ = ["drop", "drop_new_objects", "renewed"]


def renewed(value: Any) -> Any:
    """A deep copy that shares no str, number or container with the value, so that what goes from it is freed."""
    cls = type(value)
    if isinstance(value, str) and cls is str:
        return "".join([*value])
    if cls is int:
        return int(str(value)) if abs(value) < 10**400 else value + 1 - 1
    if cls is float:
        return float(repr(value))
    if cls is bytes:
        return bytes([*value])
    if cls in (list, tuple, set, frozenset, collections.deque):
        return cls(map(renewed, value))
    if isinstance(value, dict):
        return cls((renewed(key), renewed(item)) for key, item in dict.items(value))
    if cls is types.MappingProxyType:
        return cls(renewed(dict(value)))
    if isinstance(value, list):
        return cls([renewed(item) for item in list.__iter__(value)])
    if isinstance(value, tuple):
        return cls(*map(renewed, value))
    if cls is decimal.Decimal:
        return decimal.Decimal(str(value))
    if cls is uuid.UUID:
        return uuid.UUID(int=value.int)
    if cls is datetime.datetime:
        return value.replace()
    attributes = getattr(value, "__dict__", None)
    if cls.__module__ != __name__ and type(attributes) is dict and cls.__reduce_ex__ is object.__reduce_ex__:
        made = copy.copy(value)
        made.__dict__.update({name: renewed(item) for name, item in attributes.items()})
        return made
    return value


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from list(dict.values(value))
        yield from list(dict.keys(value))
    elif isinstance(value, (list, tuple, set, frozenset, collections.deque)):
        yield from list(value)
    elif type(value) is types.MappingProxyType:
        yield from gc.get_referents(value)
    yield from gc.get_referents(getattr(value, "__dict__", None))


def drop(value: Any) -> None:
    """Clear every container within a value."""
    todo = [value]
    visited: list[Any] = []  # until all are cleared
    while todo:
        container = todo.pop()
        if any(container is other for other in visited) or not gc.is_tracked(container):
            continue
        visited.append(container)
        todo += _children(container)
    for container in visited:
        if isinstance(container, dict):
            dict.clear(container)
        elif isinstance(container, list):
            list.clear(container)
        elif isinstance(container, (set, collections.deque)):
            container.clear()
        elif type(getattr(container, "__dict__", None)) is dict and not isinstance(container, type | types.ModuleType):
            container.__dict__.clear()


def drop_new_objects(known: set[int]) -> None:
    """Clear every list, dict and set that the collector knows and that has been made since."""
    for container in gc.get_objects():
        if id(container) not in known and type(container) in (list, dict, set):
            container.clear()
