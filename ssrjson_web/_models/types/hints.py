"""The annotations of classes: resolved, and with the arguments of generic classes in place of their parameters."""

from __future__ import annotations

import inspect
import typing
from typing import Any, Generic, Protocol, TypeVar

PYDANTICS = "pydantic makes it: use ssrjson_web.models.TypedDecoder"
"""Why a type of pydantic is refused."""


def refused(hint: object, where: str, why: str) -> TypeError:
    """The error for a type that is refused; `where` names the field."""
    shown = hint.__qualname__ if isinstance(hint, type) and typing.get_origin(hint) is None else str(hint)
    place = f" of {where}" if where else ""
    return TypeError(f"type= cannot decode {shown}{place}: {why}")


def has_own_equality(hint: object) -> bool:
    """Whether it is a class whose metaclass says which classes it is equal to: it is told by identity alone."""
    # list[int] is a type, too, in Python 3.10
    is_class = isinstance(hint, type) and typing.get_origin(hint) is None
    return is_class and type(hint).__eq__ is not type.__eq__


def substituted(hint: Any, arguments: dict[Any, Any]) -> Any:
    """A hint with arguments in place of its type variables."""
    if isinstance(hint, TypeVar):
        return arguments.get(hint, hint)
    parameters = getattr(hint, "__parameters__", ())
    is_class = isinstance(hint, type) and typing.get_origin(hint) is None  # list[T] is a type, too, in Python 3.10
    if is_class or not any(parameter in arguments for parameter in parameters):
        return hint
    return hint[tuple(arguments.get(parameter, parameter) for parameter in parameters)]


def _arguments_by_class(cls: Any, arguments: tuple[Any, ...]) -> dict[Any, dict[Any, Any]]:
    """What the type variables of a class and of its generic bases are, by class."""
    own = dict(zip(getattr(cls, "__parameters__", ()), arguments, strict=False))
    found = {cls: own}
    for base in (*vars(cls).get("__orig_bases__", ()), *cls.__bases__):
        origin = typing.get_origin(base) or base
        if isinstance(origin, type) and origin not in (Generic, Protocol, object) and origin not in found:
            of_base = tuple(substituted(argument, own) for argument in typing.get_args(base))
            found = {**_arguments_by_class(origin, of_base), **found}
    return found


def _resolved(cls: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except NameError:  # a class within a function may name itself
        return typing.get_type_hints(cls, localns={cls.__name__: cls}, include_extras=True)
    except TypeError:  # Python 3.10 takes no InitVar for a type
        found: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            found |= inspect.get_annotations(base, eval_str=True)
        return found


def field_hints(cls: Any, arguments: tuple[Any, ...], where: str) -> dict[str, Any]:
    """The type of each annotated attribute of a class, which may be a generic one with arguments."""
    try:
        hints = _resolved(cls)
    except Exception as error:
        advice = ": define it in the module, not in a function" if isinstance(error, NameError) else ""
        raise refused(cls, where, f"its annotations cannot be resolved ({error}){advice}") from error
    by_class = _arguments_by_class(cls, arguments)
    if not any(by_class.values()):
        return hints
    result = {}
    for name, hint in hints.items():
        owner = next((base for base in cls.__mro__ if name in inspect.get_annotations(base)), cls)
        result[name] = substituted(hint, by_class.get(owner, by_class[cls]))
    return result
