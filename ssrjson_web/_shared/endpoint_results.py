"""What an endpoint returns, as far as its annotation and the names in its code say. It is not called."""

from __future__ import annotations

import functools
import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Union

from ssrjson_web._shared.names import class_name_of, name_of

__all__ = ["Results", "classes_named", "names_in", "results_of"]

_MAKERS = ("TemplateResponse", "render_template", "render_template_string", "stream_template", "send_from_directory")
"""Methods and functions of frameworks that make a page or send a file, by names that nothing else has."""
_MAX_DEPTH = 4


class Results(NamedTuple):
    """Response classes that an endpoint returns or names."""

    annotated: tuple[type, ...]
    """Those of the annotation; of a union all that are classes of responses."""
    is_annotated_whole: bool
    """Whether the annotation has nothing beside them."""
    is_str: bool
    """Whether it is annotated as one that returns a str."""
    named: tuple[Any, ...]
    """Classes of responses, and functions that make them, that the code names."""

    def names(self, is_right: Callable[[Any], bool]) -> str:
        """The names of those that the code names and for which that holds."""
        return " and ".join(dict.fromkeys(map(_shown, filter(is_right, self.named))))


def results_of(endpoint: Any, base: type) -> Results:
    """What is known of an endpoint whose responses are of classes that derive from `base`."""
    function = _function_of(endpoint)
    members = _members(_returned(function))
    annotated = tuple(one for one in members if _derives(one, base))
    named = dict.fromkeys(_named(function, base, 0))
    return Results(annotated, 0 < len(annotated) == len(members), members == (str,), tuple(named))


def classes_named(endpoint: Any, base: type) -> list[type]:
    """The classes deriving from `base` that the code of an endpoint names."""
    named = dict.fromkeys(_named(_function_of(endpoint), base, 0))
    return [one for one in named if isinstance(one, type)]


def _derives(found: Any, base: type) -> bool:
    # before Python 3.11 list[int] passes for a class
    return isinstance(found, type) and not isinstance(found, types.GenericAlias) and base in found.__mro__


def _function_of(endpoint: Any) -> Any:
    while isinstance(endpoint, functools.partial):
        endpoint = endpoint.func
    try:
        return inspect.unwrap(endpoint)
    except ValueError:  # it wraps itself
        return endpoint


def _returned(function: Any) -> Any:
    """The annotation; None where there is none."""
    if isinstance(function, type):
        return None
    called = function if inspect.isroutine(function) else _call_of(function)
    try:
        return typing.get_type_hints(called, include_extras=False).get("return")
    except Exception:  # an annotation may name what is imported for type checkers only
        return None


def _call_of(instance: Any) -> Any:
    """The function that calling an object calls; None where there is none."""
    return inspect.getattr_static(type(instance), "__call__", None)


def _members(annotation: Any) -> tuple[Any, ...]:
    """The members of a union, or the annotation."""
    if typing.get_origin(annotation) in (Union, types.UnionType):
        return tuple(inner for one in typing.get_args(annotation) for inner in _members(one))
    return () if annotation is None else (annotation,)


def _named(function: Any, base: type, depth: int) -> Iterator[Any]:
    """What the code of a function names, and that of functions within its closure, as of a decorator's."""
    if isinstance(function, type):
        if depth < _MAX_DEPTH:
            for name in ("get", "post", "put", "patch", "delete", "head", "dispatch_request"):
                yield from _named(vars(function).get(name), base, depth + 1)
        return
    if not inspect.isroutine(function):
        function = _call_of(function)
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None:
        return
    known: dict[str, Any] = {**function.__globals__}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=False):
        try:
            known[name] = cell.cell_contents
        except ValueError:  # an empty cell
            continue
        if isinstance(known[name], types.FunctionType) and depth < _MAX_DEPTH:
            yield from _named(_function_of(known[name]), base, depth + 1)
    names = set(names_in(code))
    found = [known[name] for name in names if name in known]
    # a module whose attribute is named, or that is imported within the function
    modules = [one for one in (*found, *map(sys.modules.get, names)) if isinstance(one, types.ModuleType)]
    found += [vars(module)[name] for module in modules for name in names if name in vars(module)]
    yield from sorted((one for one in found if _derives(one, base)), key=name_of)
    yield from sorted(names.intersection(_MAKERS))


def names_in(code: types.CodeType) -> Iterator[str]:
    """The names of globals, attributes and outer variables that a code uses, and those of functions within it."""
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_in(constant)


def _shown(found: Any) -> str:
    return found if isinstance(found, str) else class_name_of(found)
