"""Names of functions and classes, for reports and messages."""

from __future__ import annotations

import functools
from typing import Any

__all__ = ["class_name_of", "name_of"]


def name_of(endpoint: object) -> str:
    """The module and the name of a function or class, of the function within a partial, of an object's class."""
    while isinstance(endpoint, functools.partial):
        endpoint = endpoint.func
    named: Any = endpoint if isinstance(getattr(endpoint, "__qualname__", None), str) else type(endpoint)
    return f"{getattr(named, '__module__', None) or type(endpoint).__module__}.{named.__qualname__}"


def class_name_of(cls: Any) -> str:
    """The name of a class; with its module where it is not ours: a subclass may have the name of the stock class."""
    name = name_of(cls)
    return name.rpartition(".")[2] if name.startswith("ssrjson_web.") else name
