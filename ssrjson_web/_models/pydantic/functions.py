"""Validators of an application in core schemas, which the core calls: functions before, after or in place of others.

Those that are given an `info`, which only pydantic makes, are left to it; but not those before a model that is within
no other, whose `info` says nothing but the model's config. Those that are given a `handler` get one that pydantic makes
for the schema within. What pydantic calls of each model that it has made, `model_post_init`, is such a function, too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from pydantic_core import SchemaValidator

from ssrjson_web._models.pydantic.known_keys import has_only
from ssrjson_web._models.pydantic.rules import Schema

__all__ = [
    "Function",
    "FunctionsAround",
    "WithHandler",
    "WithInfo",
    "functions_around",
    "is_called_by_core",
    "is_given_handler",
    "post_init_by_name",
]

Function: TypeAlias = Callable[[Any], Any]

_ANY: Schema = {"type": "any"}


class FunctionsAround(NamedTuple):
    """The functions around a schema, in the order of their calls, and the schema that is left: its own kind is none."""

    before: tuple[Function, ...]
    after: tuple[Function, ...]
    schema: Schema


class WithInfo:
    """Calls a function before a model that is within no other, with an `info` that pydantic makes for it."""

    def __init__(self, function: Callable[..., Any], config: Mapping[str, Any]) -> None:
        self.function = function
        returned: Any = {"type": "with-info", "function": lambda _, info: info}
        models: Any = config
        self._info_of = SchemaValidator({"type": "function-plain", "function": returned}, models).validate_python

    def __call__(self, value: Any) -> Any:
        return self.function(value, self._info_of(None))


class WithHandler:
    """Calls a function around a schema, with a `handler` that pydantic makes for it."""

    def __init__(self, function: Callable[..., Any], handler_of: Callable[..., Any]) -> None:
        """`handler_of` is the method of the validator of the schema, whose function returns its handler."""
        self.function = function
        self._handler_of = handler_of

    def __call__(self, value: Any) -> Any:
        return self.function(value, self._handler_of(None))


def is_given_handler(schema: Mapping[str, Any]) -> bool:
    """Whether a schema is of a function that is given a handler, and no `info`."""
    kind = schema["type"]
    return kind == "function-wrap" and has_only(schema, kind) and schema["function"].get("type") == "no-info"


def is_called_by_core(schema: Mapping[str, Any], *, with_info: bool = True) -> bool:
    """Whether the core can call the function of a schema. `with_info`: one that is given an `info` counts, too."""
    kind = schema["type"]
    is_known = kind in ("function-before", "function-after", "function-plain") and has_only(schema, kind)
    return is_known and schema["function"].get("type") in ("no-info", *(["with-info"] if with_info else []))


def _function_of(schema: Schema, config: Mapping[str, Any]) -> Function:
    described = schema["function"]
    function: Function = described["function"]
    return WithInfo(function, config) if described["type"] == "with-info" else function


def functions_around(
    schema: Schema, target: Callable[[Schema], Schema | None], infos_config: Mapping[str, Any] | None = None
) -> FunctionsAround:
    """The functions that the core can call around a schema. `target` gives the schema that a reference leads to.

    `infos_config` is the config that an `info` has; None: functions that are given one are left.
    """
    before: list[Function] = []
    after: list[Function] = []
    entered: list[Schema] = []
    while schema["type"] == "definition-ref" or is_called_by_core(schema, with_info=infos_config is not None):
        if any(one is schema for one in entered):
            break
        entered.append(schema)
        if schema["type"] == "definition-ref":
            referred = target(schema)
            if referred is None:
                break
            schema = referred
            continue
        function = _function_of(schema, infos_config or {})
        if schema["type"] == "function-after":
            after.insert(0, function)  # inner ones are called first
        else:
            before.append(function)
        schema = _ANY if schema["type"] == "function-plain" else schema["schema"]
    return FunctionsAround(tuple(before), tuple(after), schema)


@functools.cache
def post_init_by_name(name: str) -> Function:
    """Returns a model after its method of that name was called, where it is found then, as pydantic calls it."""

    def post_init(instance: Any) -> Any:
        getattr(instance, name)(None)  # there is no context
        return instance

    return post_init
