"""Whether an object is what the same code makes again."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["are_alike"]

_SCALARS = (str, bytes, int, float, complex, type(None), types.CodeType)
"""Compared by `==`. Wrapped endpoints have a copy of one code, with the line and the name of what they wrap."""


def are_alike(made: Any, found: Any, replaced: Mapping[int, Any]) -> bool:
    """Whether both are the same object, or functions of the same code, or objects of the same class, of such parts.

    `replaced` has the ids of parts of `made` that stand for others, with these.
    """
    return _Comparison(replaced).compare(made, found)


class _Comparison:
    def __init__(self, replaced: Mapping[int, Any]) -> None:
        self._replaced = replaced
        self._begun: set[tuple[int, int]] = set()  # of pairs that are parts of themselves

    def compare(self, made: Any, found: Any) -> bool:
        if made is found or (id(made) in self._replaced and self._replaced[id(made)] is found):
            return True
        if type(made) is not type(found):
            return False
        if isinstance(made, _SCALARS):
            return bool(made == found)
        pair = (id(made), id(found))
        if pair in self._begun:
            return True
        self._begun.add(pair)
        parts = _parts(made), _parts(found)
        return None not in parts and self._compare_all(*parts)  # type: ignore[arg-type]

    def _compare_all(self, made: Iterable[Any], found: Iterable[Any]) -> bool:
        some, others = list(made), list(found)
        return len(some) == len(others) and all(map(self.compare, some, others))


def _parts(thing: Any) -> Iterable[Any] | None:
    """What a function, a method, a collection or an object is made of; None where that is unknown."""
    if isinstance(thing, types.FunctionType):
        return (thing.__code__, thing.__defaults__, thing.__kwdefaults__, *map(_content, thing.__closure__ or ()))
    if isinstance(thing, types.MethodType):
        return (thing.__func__, thing.__self__)
    if isinstance(thing, functools.partial):
        return (thing.func, thing.args, thing.keywords)
    if type(thing) in (tuple, list):
        return thing  # type: ignore[no-any-return]
    if type(thing) is dict:
        return (tuple(thing), *thing.values())
    if isinstance(thing, (type, types.ModuleType)) or type(thing).__module__ == "builtins":
        return None
    return _attributes(thing)


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None


def _attributes(thing: Any) -> Iterable[Any] | None:
    slots = [
        name
        for cls in type(thing).__mro__
        for name, value in vars(cls).items()
        if isinstance(value, types.MemberDescriptorType)
    ]
    attributes = getattr(thing, "__dict__", None)
    if attributes is None and not slots:
        return None  # its state is not Python's
    return ({} if attributes is None else attributes, *(getattr(thing, name, None) for name in slots))
