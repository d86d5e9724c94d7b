"""Classes that are made of other ones, and that are the same ones for as long as somebody uses them."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["made_once"]

Made = TypeVar("Made")


def made_once(make: Callable[..., Made]) -> Callable[..., Made]:
    """A function that makes a class, which returns the same one for the same arguments while that one is in use.

    The first argument is a class or None. One that an application defines in a function is then collected with it.
    """
    known: weakref.WeakKeyDictionary[type, weakref.WeakValueDictionary[tuple[Any, ...], Any]]
    known = weakref.WeakKeyDictionary()

    @functools.wraps(make)
    def made(of: type | None, *arguments: Any) -> Made:
        of_class = known.setdefault(type(None) if of is None else of, weakref.WeakValueDictionary())
        found: Made | None = of_class.get(arguments)
        if found is not None:
            return found
        cls = make(of, *arguments)
        return cls if cls is None else of_class.setdefault(arguments, cls)

    return made
