"""Attributes that an object takes from the one that it wraps."""

from __future__ import annotations

from typing import Any

__all__ = ["attribute_of"]


def attribute_of(wrapper: Any, within: str, name: str) -> Any:
    """What `__getattr__` of a wrapper returns: the attribute `name` of the object that is its attribute `within`.

    Raises AttributeError for special names, which say how an object is copied and pickled: those of the object within
    do not hold for the wrapper. So does a wrapper that is not made yet, as while it is copied.
    """
    if name == within or (name.startswith("__") and name.endswith("__")):
        raise AttributeError(f"{type(wrapper).__name__!r} object has no attribute {name!r}")
    return getattr(getattr(wrapper, within), name)
