"""SQLModel's classes: their `__init__` and `__new__` are SQLModel's own, and validate as pydantic does."""

from __future__ import annotations

import functools
import sys
from typing import Any

from pydantic import TypeAdapter

from ssrjson_web._models.pydantic.rules import Schema
from ssrjson_web._models.pydantic.traits import schema_parts

__all__ = ["is_validated_as_a_model"]

_CHOOSING = ("definition-ref", "union", "tagged-union", "dataclass", "typed-dict")
"""Schemas within which a model may be made of objects."""


def is_validated_as_a_model(schema: Schema) -> bool:
    """Whether the schema of a model is of a class of SQLModel that validation makes as it makes any model.

    A class with `table=True` is not: it does not validate. The `__init__` reads attributes only where the config says
    so, whatever the caller of the validator says, so that the models within it must be such classes too.
    """
    module = sys.modules.get("sqlmodel.main")
    if module is None or not _is_of_sqlmodel(schema, module):
        return False
    parts = [part for part in schema_parts(schema["schema"]) if isinstance(part.get("type"), str)]
    is_clear = not any(part["type"] in _CHOOSING for part in parts)
    models = [part for part in parts if part["type"] == "model"]
    return is_clear and all(_is_of_sqlmodel(model, module) for model in models) and _is_as_known()


def _is_of_sqlmodel(schema: Schema, module: Any) -> bool:
    cls, config = schema["cls"], schema.get("config") or {}
    return (
        issubclass(cls, module.SQLModel)
        and all(_is_of(module, getattr(cls, name), name) for name in ("__init__", "__new__"))
        and not cls.model_config.get("table")
        and bool(config.get("from_attributes"))
    )


def _is_of(module: Any, method: Any, name: str) -> bool:
    return method is getattr(module.SQLModel, name) and getattr(method, "__globals__", None) is vars(module)


@functools.cache
def _is_as_known() -> bool:
    """Whether this SQLModel makes of a dict and of an object what pydantic would."""
    import sqlmodel

    class Probe(sqlmodel.SQLModel):
        n: int
        text: str = "a"

    class Row:
        n = 1

    adapter = TypeAdapter(Probe)
    made = [adapter.validate_python(value, from_attributes=True) for value in ({"n": 1, "more": 2}, Row())]
    return all(type(one) is Probe and one.__dict__ == {"n": 1, "text": "a"} for one in made) and all(
        one.model_fields_set == {"n"} for one in made
    )
