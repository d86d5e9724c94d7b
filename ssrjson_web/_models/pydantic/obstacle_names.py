"""The names of what keeps values from being accepted as they are: a model's own ways, or a validator."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from ssrjson_web._models.pydantic.rules import Schema
from ssrjson_web._models.pydantic.traits import schema_parts

__all__ = ["OWN_WAYS", "validator_in", "validator_of"]

OWN_WAYS = {
    "custom_init": "an __init__ of its own",
    "post_init": "a model_post_init of its own, or private attributes",
    "root_model": "a root model",
    "serialization": "a serializer",
}
"""What keys of a model's schema stand for."""

_OPEN = ("definition-ref", "default", "nullable", "union", "tagged-union", "list", "tuple", "dict", "model")
"""Kinds of schemas that are no obstacle themselves."""


def validator_of(schema: Schema) -> str:
    """`the validator Item.check` of a schema that calls one, or has one within; `a validator` where it has no name."""
    for part in schema_parts(schema):
        if str(part.get("type")).startswith("function-"):
            name = _name_of(part.get("function"))
            return f"the validator {name}" if name else "a validator"
    return "a validator"


def validator_in(schema: Schema, definitions: Mapping[str, Schema]) -> str:
    """`Item: the validator Item.check` or `Item.price: ...` of the first validator; empty where another kind is first.

    It is the one of a model where a model is within it, or of a field.
    """
    return next(_obstacles(schema, definitions, "", set()), "")


def _obstacles(schema: Schema, definitions: Mapping[str, Schema], owner: str, entered: set[int]) -> Iterator[str]:
    """What is in the way, in the order of the schema; an empty text stands for what is no validator."""
    if id(schema) in entered:
        return
    entered.add(id(schema))
    kind = schema["type"]
    if kind.startswith("function-"):
        model = next((part["cls"].__name__ for part in schema_parts(schema) if part.get("type") == "model"), "")
        place = owner or model
        yield f"{place}: {validator_of(schema)}" if place else validator_of(schema)
    elif kind == "model":
        inner, name = schema["schema"], schema["cls"].__name__
        if inner["type"] != "model-fields":
            yield from _obstacles(inner, definitions, name, entered)
            return
        for field, part in inner["fields"].items():
            yield from _obstacles(part["schema"], definitions, f"{name}.{field}", entered)
    elif kind == "definition-ref":
        target = definitions.get(schema["schema_ref"])
        if target is not None:
            yield from _obstacles(target, definitions, owner, entered)
    elif kind in _OPEN:
        for part in _within(schema):
            yield from _obstacles(part, definitions, owner, entered)
    elif any(isinstance(part, Mapping) and "type" in part for part in schema.values()):
        yield ""  # such as a set


def _within(schema: Schema) -> Iterator[Schema]:
    for key in ("schema", "items_schema", "keys_schema", "values_schema", "choices"):
        parts = schema.get(key) or ()
        if isinstance(parts, Mapping):
            parts = [parts] if "type" in parts else parts.values()
        for part in parts:
            inner = part[0] if isinstance(part, tuple) else part
            if isinstance(inner, Mapping):
                yield inner


def _name_of(described: Any) -> str:
    """`Item.check` of a validator's function."""
    function = described.get("function") if isinstance(described, Mapping) else described
    while isinstance(function, (functools.partial, functools.partialmethod)):
        function = function.func
    name = getattr(function, "__qualname__", None)
    return name.rpartition("<locals>.")[2] if isinstance(name, str) else ""
