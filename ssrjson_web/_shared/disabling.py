"""A block in which replaced methods do what the library's own did: `DisablingContext`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Any, TypeVar

__all__ = ["DisablingContext"]

Function = TypeVar("Function", bound=Callable[..., Any])


class DisablingContext:
    """A context manager, and a decorator of functions, within which a context variable is True."""

    def __init__(self, is_disabled: ContextVar[bool]) -> None:
        self._is_disabled = is_disabled
        self._tokens: list[Token[bool]] = []

    def __enter__(self) -> None:
        self._tokens.append(self._is_disabled.set(True))

    def __exit__(self, *_: object) -> None:
        self._is_disabled.reset(self._tokens.pop())

    def __call__(self, function: Function) -> Function:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def call_async(*args: Any, **kwargs: Any) -> Any:
                with DisablingContext(self._is_disabled):
                    return await function(*args, **kwargs)

            return call_async  # type: ignore[return-value]

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with DisablingContext(self._is_disabled):
                return function(*args, **kwargs)

        return call  # type: ignore[return-value]
