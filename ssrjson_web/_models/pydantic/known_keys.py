"""Keys of core schemas and of configs that have no effect on an accepted value, or that are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ssrjson_web._models.pydantic.rules import Schema

__all__ = ["EVERYWHERE", "has_only", "unknown_config", "unknown_keys"]

EVERYWHERE = {"type", "ref", "metadata", "strict"}
_KEYS: dict[str, set[str]] = {
    "int": {"ge", "gt", "le", "lt"},
    "float": {"ge", "gt", "le", "lt", "allow_inf_nan"},
    "str": {"min_length", "max_length", "strip_whitespace"},
    "date": set(),
    "time": {"microseconds_precision"},
    "datetime": {"microseconds_precision"},
    "timedelta": {"microseconds_precision"},
    "enum": {"cls", "members", "sub_type", "missing"},
    "literal": {"expected"},
    "nullable": {"schema"},
    "list": {"items_schema", "min_length", "max_length"},
    "generator": {"items_schema", "min_length", "max_length"},
    "tuple": {"items_schema", "variadic_item_index", "min_length", "max_length"},
    "dict": {"keys_schema", "values_schema", "min_length", "max_length"},
    "union": {"choices", "auto_collapse"},
    "tagged-union": {"choices", "discriminator", "from_attributes"},
    "model": {"cls", "schema", "config", "generic_origin", "frozen", "revalidate_instances", "extra_behavior"},
    "model-fields": {"fields", "model_name", "extra_behavior", "from_attributes", "computed_fields"},
    "model-field": {"schema", "validation_alias", "serialization_alias", "serialization_exclude", "frozen"},
    "typed-dict": {"cls", "cls_name", "fields", "config", "total", "extra_behavior"},
    "function-before": {"schema", "function", "serialization", "json_schema_input_schema"},
    "function-after": {"schema", "function", "serialization"},
    "function-wrap": {"schema", "function", "serialization", "json_schema_input_schema"},
    "function-plain": {"function", "serialization", "json_schema_input_schema"},
    "default": {"schema", "default", "default_factory", "copy_default", "validate_default"},
}
"""Keys of schemas that this module reads, or that have no effect on an accepted value. Others must be false."""

_IDLE_CONFIG = {
    "title",
    "from_attributes",
    "loc_by_alias",
    "populate_by_name",
    "validate_by_name",
    "validate_by_alias",
    "serialize_by_alias",
    "hide_input_in_errors",
    "validation_error_cause",
    "cache_strings",
    "str_strip_whitespace",
    "str_min_length",
    "str_max_length",
    "allow_inf_nan",
    "regex_engine",
    "revalidate_instances",
    "extra_fields_behavior",
    "frozen",
    "ser_json_timedelta",
    "ser_json_temporal",
    "ser_json_bytes",
    "ser_json_inf_nan",
    "val_json_bytes",
    "val_temporal_unit",
}
"""Config that has no effect on an accepted value, or that this module reads. Other config must be false."""


def unknown_keys(schema: Schema, kind: str) -> list[str]:
    """Keys of a schema that may have an effect on an accepted value."""
    known = _KEYS.get(kind, set())
    return [key for key, value in schema.items() if value and key not in known and key not in EVERYWHERE]


def has_only(schema: Schema, kind: str) -> bool:
    return not unknown_keys(schema, kind)


def unknown_config(config: Mapping[str, Any]) -> list[str]:
    return [key for key, value in config.items() if value and key not in _IDLE_CONFIG]
