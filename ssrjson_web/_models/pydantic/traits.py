"""Parts of core schemas, and what each says by itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ssrjson_web._models.pydantic.features import KNOWN

__all__ = [
    "USERS_VALUES",
    "allows_extra",
    "forgets_nan",
    "is_dict",
    "is_dict_of_other_keys",
    "names_method",
    "repeats_key",
    "schema_parts",
]

USERS_VALUES = ("default", "expected", "metadata", "members")
"""Keys of schemas below which are values of users', and no schemas."""


def schema_parts(
    schema: Any, *, enters_models: bool = True, skips: Collection[str] = USERS_VALUES
) -> Iterator[dict[str, Any]]:
    """All dicts that a schema is made of, except those below the keys `skips`."""
    under_way = [schema]
    while under_way:
        part = under_way.pop()
        if isinstance(part, (list, tuple)):
            under_way += part
        elif isinstance(part, dict):
            yield part
            is_schema = isinstance(part.get("type"), str)
            if enters_models or not (is_schema and part["type"] == "model"):
                for key, value in part.items():  # most values are strs, which hold nothing
                    if isinstance(value, (dict, list, tuple)) and not (is_schema and key in skips):
                        under_way.append(value)


def _has_twice(keys: Iterable[str]) -> bool:
    known = list(keys)
    return len(set(known)) < len(known)


def repeats_key(part: Mapping[str, Any]) -> bool:
    """Whether two fields of one object have the same key."""
    if part.get("type") not in ("model-fields", "dataclass-args", "typed-dict") or not part.get("fields"):
        return False
    fields, computed = part["fields"], part.get("computed_fields") or ()
    named: list[tuple[str, Any]] = (
        list(fields.items()) if isinstance(fields, dict) else [(field["name"], field) for field in fields]
    )
    shown = [(name, field) for name, field in named if not field.get("serialization_exclude")]
    names = [one["property_name"] for one in computed]
    aliases = [one.get("alias", one["property_name"]) for one in computed]
    return _has_twice([name for name, _ in shown] + names) or _has_twice(
        [field.get("serialization_alias", name) for name, field in shown] + aliases
    )


_MAPPINGS = ("dict", "frozendict", "ordered-dict", "counter")


def is_dict(part: Mapping[str, Any]) -> bool:
    """Whether one dict of a schema is itself the schema of a dict whose keys are data."""
    return part.get("type") in _MAPPINGS


def is_dict_of_other_keys(part: Mapping[str, Any]) -> bool:
    """Whether one dict of a schema is itself the schema of a dict whose keys are no str."""
    return part.get("type") in _MAPPINGS and part.get("keys_schema", {}).get("type", "str") != "str"


def allows_extra(part: Mapping[str, Any]) -> bool:
    """Whether objects of one schema keep fields that it does not declare."""
    config = part.get("config")
    return "allow" in (
        part.get("extra_behavior"),
        config.get("extra_fields_behavior") if isinstance(config, dict) else None,
    )


def forgets_nan(part: Mapping[str, Any]) -> bool:
    """Whether floats that are not finite are written in the formats of the root, whatever config is around them.

    pydantic converts a value of a union to Python objects, and writes these without what is around them.
    """
    if part.get("type") not in ("union", "tagged-union"):
        return False
    choices = part["choices"].values() if isinstance(part["choices"], dict) else part["choices"]
    kinds = [one.get("type") for one in (one[0] if isinstance(one, tuple) else one for one in choices) if one]
    return not all(kind in KNOWN or kind in ("none", "literal") for kind in kinds)


def names_method(schema: Any) -> bool:
    """Whether a serializer in a schema is a method of the model that has the field."""
    return any(part.get("is_field_serializer") for part in schema_parts(schema, enters_models=False))
