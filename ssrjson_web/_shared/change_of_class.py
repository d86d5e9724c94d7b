"""An object with another class, for a request that becomes one of ours."""

from __future__ import annotations

from typing import Any

from ssrjson_web._core import get_current_features

__all__ = ["of_class"]

_STOPS_THREADS = bool(get_current_features()["free_threading"])
"""Without the GIL CPython stops all threads to change an object's class."""


def of_class(thing: Any, cls: type[Any]) -> Any:
    """The object, with another class; without the GIL a new one, which shares all its attributes.

    So what one of them reads and keeps, such as a body, the other one has, too.
    """
    if _STOPS_THREADS:
        return thing if type(thing) is cls else _twin(thing, cls)
    thing.__class__ = cls
    return thing


def _twin(thing: Any, cls: type[Any]) -> Any:
    made = object.__new__(cls)
    made.__dict__ = thing.__dict__
    return made
