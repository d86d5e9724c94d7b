"""Parts of schemas whose values are of no declared type, and are written in the formats of the outermost serializer."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

from ssrjson_web._models.pydantic.features import SCALARS

__all__ = ["is_untyped"]

_TYPED = frozenset(
    (
        *SCALARS,
        *("float", "none", "url", "multi-host-url", "nullable", "union", "tagged-union", "default", "definition-ref"),
        *("list", "set", "frozenset", "tuple", "dict", "definitions"),
        *("model", "model-fields", "model-field", "typed-dict", "typed-dict-field"),
        *("function-before", "function-after", "function-wrap", "no-info", "with-info", "to-string"),
        *("lax-or-strict", "json-or-python", "computed-field", "enum"),
    )
)
"""Kinds of schemas whose values are written by their own serializers, or by those within.

A literal is none: a value that is not one of the expected is written as any, without a warning."""
_WITHIN = {"list": "items_schema", "set": "items_schema", "frozenset": "items_schema"}


def is_untyped(part: Mapping[str, Any]) -> bool:
    """Whether one dict of a schema is itself the schema of such a value."""
    kind, config = part.get("type"), part.get("config")
    if not isinstance(kind, str):
        return False  # fields by their names, or a config
    allows_extra = "allow" in (
        part.get("extra_behavior"),
        config.get("extra_fields_behavior") if isinstance(config, Mapping) else None,
    )
    if kind not in _TYPED or allows_extra:
        return True
    if kind == "function-wrap" and not isinstance(part.get("function"), Mapping):
        return True  # a serializer; what a validator calls is described in a dict
    if kind in _WITHIN:
        return _WITHIN[kind] not in part
    if kind == "dict":
        return not {"keys_schema", "values_schema"} <= part.keys()
    return kind == "enum" and not all(_is_of_json(one.value) for one in part["cls"])


def _is_of_json(value: Any) -> bool:
    """Whether a value has one text in all formats."""
    return type(value) in (str, int, bool, type(None)) or isinstance(value, (str, enum.IntEnum))
