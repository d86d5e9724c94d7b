"""Kinds of endpoints as FastAPI sees them, and endpoints whose results skip its conversion."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from fastapi import routing

from ssrjson_web.fastapi._carrier import carried

__all__ = ["carrying_endpoint", "is_coroutine_endpoint", "is_generator_endpoint"]


def is_coroutine_endpoint(dependant: Any) -> bool:
    """Whether this version of FastAPI awaits the dependant's call, instead of running it in a thread."""
    for name in ("_is_coroutine_callable", "iscoroutinefunction"):
        detect = getattr(routing, name, None)
        if detect is not None:
            return bool(detect(dependant.call))
    known = getattr(dependant, "is_coroutine_callable", None)
    return asyncio.iscoroutinefunction(dependant.call) if known is None else bool(known)


def is_generator_endpoint(dependant: Any) -> bool:
    """Whether this version of FastAPI may stream the items that the dependant's call yields."""
    detect = (getattr(routing, "_is_gen_callable", None), getattr(routing, "_is_async_gen_callable", None))
    if None not in detect:
        return any(is_generator(dependant.call) for is_generator in detect if is_generator is not None)
    known = [getattr(dependant, name, None) for name in ("is_gen_callable", "is_async_gen_callable")]
    if None not in known:
        return any(known)
    function = inspect.unwrap(dependant.call)
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)


def carrying_endpoint(call: Callable[..., Any], *, is_coroutine: bool, carry: Callable[[Any], Any] = carried) -> Any:
    """An endpoint that returns what `carry` makes of the result of `call`: as a rule a `CarriedValue`.

    It has the names, file and line of `call`, which FastAPI's error texts, telemetry and profilers read.
    """
    endpoint: Any
    if is_coroutine:

        async def endpoint(*args: Any, **values: Any) -> Any:
            return carry(await call(*args, **values))

    else:

        def endpoint(*args: Any, **values: Any) -> Any:
            return carry(call(*args, **values))

    endpoint.__module__, endpoint.__qualname__ = type(call).__module__, type(call).__qualname__
    for name in functools.WRAPPER_ASSIGNMENTS:
        with suppress(AttributeError, TypeError):  # the name of an object may be any value
            setattr(endpoint, name, getattr(call, name))
    endpoint.__wrapped__ = call
    try:
        file = inspect.getfile(call)
    except (TypeError, OSError):
        return endpoint  # a callable without a file; FastAPI follows __wrapped__
    # inspect follows __wrapped__ for lines but not for the file. The body is one line below the first line.
    first_line = getattr(getattr(call, "__code__", None), "co_firstlineno", 1)
    endpoint.__code__ = endpoint.__code__.replace(
        co_filename=file, co_firstlineno=max(first_line - 1, 1), co_name=endpoint.__name__
    )
    return endpoint
