"""Whether a function that is found at run time is a library's own, as its file has it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

__all__ = ["is_known", "known_name"]

_CO_OPTIMIZED = 1
"""A flag of the code of functions, which that of classes and modules does not have."""

_seen: dict[str, tuple[tuple[Any, ...], bool]] = {}
"""What was found under a name the last time, and whether it is known."""


def is_known(function: object, name: str) -> bool:
    """Whether it is the library's own function of a dotted name, such as "marshmallow.fields.Field.serialize".

    A method as a class has it, a property, a classmethod and a staticmethod count as the functions that they hold. False
    for a function that anybody has replaced, wrapped or changed, before or after this package was imported, and where
    the module's file is not to be had.
    """
    functions = _functions_of(function)
    if not functions:
        return False
    state = (function, *(part for one in functions for part in (one.__code__, one.__defaults__, one.__kwdefaults__)))
    known = _seen.get(name)
    if known is None or len(known[0]) != len(state) or any(a is not b for a, b in zip(state, known[0], strict=True)):
        known = _seen[name] = state, all(_is_of_file(one, name) for one in functions)
    return known[1]


def known_name(function: object, library: str) -> str:
    """The dotted name of a function of a library; empty for any other, of which `is_known` says more."""
    functions = _functions_of(function)
    name = f"{functions[0].__module__}.{functions[0].__qualname__}" if functions else ""
    return name if name.startswith(f"{library}.") and is_known(function, name) else ""


def _functions_of(thing: Any) -> tuple[FunctionType, ...]:
    """The plain functions that it holds; none where it is anything else."""
    if isinstance(thing, (staticmethod, classmethod, MethodType)):
        thing = thing.__func__
    parts: tuple[Any, ...] = (thing,)
    if type(thing) is property:
        parts = tuple(filter(None, (thing.fget, thing.fset, thing.fdel)))
    elif type(thing) in _cached_properties():
        parts = (thing.func,)
    return parts if all(type(part) is FunctionType for part in parts) else ()


def _cached_properties() -> tuple[type, ...]:
    django = sys.modules.get("django.utils.functional")
    return (functools.cached_property,) if django is None else (functools.cached_property, django.cached_property)


def _is_of_file(function: FunctionType, name: str) -> bool:
    module = _module_of(name)
    if module is None:
        return False
    qualname = name[len(module.__name__) + 1 :]
    if (function.__module__, function.__qualname__) != (module.__name__, qualname):
        return False
    if function.__globals__ is not vars(module) or hasattr(function, "__wrapped__"):
        return False
    return any(function.__code__ == code for code in _codes_of(module).get(qualname, ()))


def _module_of(name: str) -> ModuleType | None:
    """The imported module that a dotted name begins with."""
    while name:
        if name in sys.modules:
            return sys.modules[name]
        name = name.rpartition(".")[0]
    return None


@functools.lru_cache(maxsize=4)  # the functions of a module are asked for together
def _codes_of(module: ModuleType) -> dict[str, list[CodeType]]:
    """The code of each function of a module by its qualified name, as it is compiled now."""
    spec = module.__spec__
    codes: dict[str, list[CodeType]] = {}
    # another loader may have changed the text
    if spec is not None and type(spec.loader) is SourceFileLoader:
        try:
            code = spec.loader.get_code(module.__name__)
        except (OSError, SyntaxError):
            return codes
        for qualname, found in _within(code, "") if code is not None else ():
            codes.setdefault(qualname, []).append(found)
    return codes


def _within(code: CodeType, prefix: str) -> Iterator[tuple[str, CodeType]]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            qualname = prefix + inner.co_name
            is_function = bool(inner.co_flags & _CO_OPTIMIZED)
            if is_function:
                yield qualname, inner
            yield from _within(inner, f"{qualname}.<locals>." if is_function else f"{qualname}.")
