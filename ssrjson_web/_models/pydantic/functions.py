"""Validators of an application in core schemas, which the core calls: functions before, after or in place of others.

Those that are given an `info` or a `handler`, which only pydantic makes, are left to it. What pydantic calls of each
model that it has made, `model_post_init`, is such a function, too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from ssrjson_web._models.pydantic.known_keys import has_only
from ssrjson_web._models.pydantic.rules import Schema

__all__ = ["Function", "FunctionsAround", "functions_around", "is_called", "post_init_by_name"]

Function: TypeAlias = Callable[[Any], Any]

_ANY: Schema = {"type": "any"}


class FunctionsAround(NamedTuple):
    """The functions around a schema, in the order of their calls, and the schema that is left: its own kind is none."""

    before: tuple[Function, ...]
    after: tuple[Function, ...]
    schema: Schema


def is_called(schema: Mapping[str, Any]) -> bool:
    """Whether a schema is of a function that the core can call."""
    kind = schema["type"]
    is_known = kind in ("function-before", "function-after", "function-plain")
    return is_known and has_only(schema, kind) and bool(schema["function"].get("type") == "no-info")


def functions_around(schema: Schema, target: Callable[[Schema], Schema | None]) -> FunctionsAround:
    """The functions that the core can call around a schema. `target` gives the schema that a reference leads to."""
    before: list[Function] = []
    after: list[Function] = []
    entered: list[Schema] = []
    while schema["type"] == "definition-ref" or is_called(schema):
        if any(one is schema for one in entered):
            break
        entered.append(schema)
        if schema["type"] == "definition-ref":
            referred = target(schema)
            if referred is None:
                break
            schema = referred
            continue
        function = schema["function"]["function"]
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
