"""Dataclasses from the JSON that was written from them."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

__all__ = ["from_json"]

_Made = TypeVar("_Made")


def from_json(kind: type[_Made], value: Any) -> _Made:
    """A `kind` from the result of `dataclasses.asdict`; fields that it does not know are left out.

    Raises TypeError where a field without a default is missing, or the value has another shape.
    """
    return cast("_Made", _made(kind, value))


def _made(kind: Any, value: Any) -> Any:
    if isinstance(kind, type) and is_dataclass(kind):
        if not isinstance(value, Mapping):
            raise TypeError(f"{kind.__name__} is made of an object, not of {type(value).__name__}")
        hints = get_type_hints(kind)
        names = [field.name for field in fields(kind) if field.name in value]
        return kind(**{name: _made(hints[name], value[name]) for name in names})
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return None if value is None else _made(arguments[0], value)
    if origin is tuple or origin is Sequence:
        found = [_made(arguments[0], each) for each in value]
        return tuple(found) if origin is tuple else found
    if origin in (Mapping, dict):
        if not isinstance(value, Mapping):
            raise TypeError(f"an object was expected, not {type(value).__name__}")
        return {name: _made(arguments[1], each) for name, each in value.items()}
    if kind in (int, float, str, bool) and type(value) not in ((int, float) if kind is float else (kind,)):
        raise TypeError(f"{kind.__name__} was expected, not {type(value).__name__}")
    return Path(value) if kind is Path else value
