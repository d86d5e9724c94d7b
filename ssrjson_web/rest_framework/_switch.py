"""Whether plans are used: not within `disabled()`, and not by serializers with `ssrjson = False`."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from ssrjson_web._shared.disabling import Disabled

__all__ = ["disabled", "has_opted_out", "is_disabled", "is_ours", "replaced"]

_DISABLED: ContextVar[bool] = ContextVar("ssrjson_web.rest_framework.disabled", default=False)
is_disabled = _DISABLED.get


replaced: dict[type, dict[str, tuple[Any, Any]]] = {}
"""By class and name: the function that `setup` has put there, and the stock one.

Not by both in a tuple: without the GIL CPython locks a dict to look for a key that is no str and may be freed.
"""


def is_ours(found: Any, cls: type, name: str) -> bool:
    """Whether a function is the one that replaces a method of REST framework's."""
    return found is replaced.get(cls, _NONE).get(name, _NOTHING)[0]


_NONE: dict[str, tuple[Any, Any]] = {}
_NOTHING = (object(), None)


def has_opted_out(cls: type) -> bool:
    """Whether a serializer class, or one that it derives from, says `ssrjson = False`."""
    return getattr(cls, "ssrjson", True) is False


def disabled() -> Any:
    """A context manager, and a decorator of functions, within which serializers do what REST framework's own do.

    It holds for the current thread or asyncio task, and for the tasks that it starts. An `async def` may be decorated.
    """
    return Disabled(_DISABLED)
