"""What is made of types and kept for the next call, and that ends with the classes which the types name."""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable
from types import GenericAlias
from typing import Any, TypeVar, cast

__all__ = ["kept_by_class"]

Made = TypeVar("Made")
_KEPT = "__ssrjson_kept__"


class _Kept(dict[Any, Any]):
    """In a class: a cache for each function. What is made refers to the class: so both are collected together."""

    def __init__(self, owner: type | None = None) -> None:
        self.owner = None if owner is None else weakref.ref(owner)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_Kept, ())  # a class that is pickled or copied goes without it

    def is_of(self, owner: type) -> bool:
        """Whether it is not that of a class which the owner is a copy of."""
        return self.owner is not None and self.owner() is owner


_INNER = ("__origin__", "__supertype__")
_HEAP_TYPE, _IMMUTABLE_TYPE = 1 << 9, 1 << 8
"""Flags of classes, Include/object.h."""


def _can_keep(cls: type) -> bool:
    """Whether a class takes attributes, and may be collected."""
    module = cls.__module__
    is_stdlib = type(module) is str and module.partition(".")[0] in sys.stdlib_module_names
    return cls.__flags__ & (_HEAP_TYPE | _IMMUTABLE_TYPE) == _HEAP_TYPE and not is_stdlib


def _owner(declared: Any) -> type | None:
    """A class that a type names, and that may be collected; None where there is none."""
    if isinstance(declared, type) and not isinstance(declared, GenericAlias):
        return declared if _KEPT in vars(declared) or _can_keep(declared) else None
    for part in (*getattr(declared, "__args__", ()), *(getattr(declared, name, None) for name in _INNER)):
        owner = None if part is None else _owner(part)
        if owner is not None:
            return owner
    return None


def kept_by_class(
    maxsize: int, declared_of: Callable[[Any], Any] = lambda key: key
) -> Callable[[Callable[[Any], Made]], Callable[[Any], Made]]:
    """Keeps what a function makes of a type: at most `maxsize` for a class, and as many for all types without one.

    A class that the type names keeps it, as an attribute, so that a class which nobody uses any more is collected.
    `declared_of` gives the type of an argument that is none. Raises as the function does, and TypeError for what cannot
    be hashed.
    """

    def decorate(make: Callable[[Any], Made]) -> Callable[[Any], Made]:
        of_no_class = functools.lru_cache(maxsize)(make)

        @functools.wraps(make)
        def made(key: Any) -> Made:
            owner = _owner(declared_of(key))
            if owner is None:
                return of_no_class(key)
            kept = vars(owner).get(_KEPT)
            if type(kept) is not _Kept or not kept.is_of(owner):
                kept = _Kept(owner)
            cache = kept.get(make)
            if cache is not None:
                return cast(Made, cache(key))
            cache = functools.lru_cache(maxsize)(make)
            result: Made = cache(key)  # first: a class whose type is refused stays as it is
            kept[make] = cache
            type.__setattr__(owner, _KEPT, kept)  # not that of a metaclass
            return result

        return made

    return decorate
