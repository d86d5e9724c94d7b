"""Whether plans are used: not within `disabled()`, and not by serializers with `ssrjson = False`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Any, TypeVar

__all__ = ["disabled", "has_opted_out", "is_disabled", "is_ours", "replaced"]

Function = TypeVar("Function", bound=Callable[..., Any])

_DISABLED: ContextVar[bool] = ContextVar("ssrjson_web.rest_framework.disabled", default=False)
is_disabled = _DISABLED.get


replaced: dict[tuple[type, str], tuple[Any, Any]] = {}
"""By class and name: the function that `setup` has put there, and the stock one."""


def is_ours(found: Any, cls: type, name: str) -> bool:
    """Whether a function is the one that replaces a method of REST framework's."""
    return found is replaced.get((cls, name), _NOTHING)[0]


_NOTHING = (object(), None)


def has_opted_out(cls: type) -> bool:
    """Whether a serializer class, or one that it derives from, says `ssrjson = False`."""
    return getattr(cls, "ssrjson", True) is False


def disabled() -> Any:
    """A context manager, and a decorator of functions, within which serializers do what REST framework's own do.

    It holds for the current thread or asyncio task, and for the tasks that it starts. An `async def` may be decorated.
    """
    return _Disabled()


class _Disabled:
    def __init__(self) -> None:
        self._tokens: list[Token[bool]] = []

    def __enter__(self) -> None:
        self._tokens.append(_DISABLED.set(True))

    def __exit__(self, *_: object) -> None:
        _DISABLED.reset(self._tokens.pop())

    def __call__(self, function: Function) -> Function:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def call_async(*args: Any, **kwargs: Any) -> Any:
                with _Disabled():
                    return await function(*args, **kwargs)

            return call_async  # type: ignore[return-value]

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with _Disabled():
                return function(*args, **kwargs)

        return call  # type: ignore[return-value]
