"""What a core schema says somewhere within it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ssrjson_web._models.pydantic.features import KNOWN, LEAVES_INTS
from ssrjson_web._models.pydantic.formats import ARE_RESOLVED, formats_of, has_own_nan
from ssrjson_web._models.pydantic.serialization_keys import changes_the_whole, has_unknown_keys

__all__ = [
    "USERS_VALUES",
    "SchemaTraits",
    "has_dicts",
    "is_dict_of_other_keys",
    "may_repeat_keys",
    "names_method",
    "schema_parts",
    "schema_traits",
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


def _repeats_key(part: Mapping[str, Any]) -> bool:
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


def may_repeat_keys(schema: Any) -> bool:
    """Whether two keys of an object may have the same text: of other types than str, or of extra fields."""
    return any(is_dict_of_other_keys(part) or _allows_extra(part) for part in schema_parts(schema))


_MAPPINGS = ("dict", "frozendict", "ordered-dict", "counter")


def has_dicts(schema: Any) -> bool:
    """Whether a dict is somewhere within whose keys are data."""
    return any(part.get("type") in _MAPPINGS for part in schema_parts(schema))


def is_dict_of_other_keys(part: Mapping[str, Any]) -> bool:
    """Whether one dict of a schema is itself the schema of a dict whose keys are no str."""
    return part.get("type") in _MAPPINGS and part.get("keys_schema", {}).get("type", "str") != "str"


def _allows_extra(part: Mapping[str, Any]) -> bool:
    config = part.get("config")
    return "allow" in (
        part.get("extra_behavior"),
        config.get("extra_fields_behavior") if isinstance(config, dict) else None,
    )


def _forgets_nan(part: Mapping[str, Any]) -> bool:
    """Whether floats that are not finite are written in the formats of the root, whatever config is around them.

    pydantic converts a value of a union to Python objects, and writes these without what is around them.
    """
    if part.get("type") not in ("union", "tagged-union"):
        return False
    choices = part["choices"].values() if isinstance(part["choices"], dict) else part["choices"]
    kinds = [one.get("type") for one in (one[0] if isinstance(one, tuple) else one for one in choices) if one]
    return not all(kind in KNOWN or kind in ("none", "literal") for kind in kinds)


class SchemaTraits(NamedTuple):
    """What a schema has somewhere within it that types do not show."""

    has_formats: bool
    """A config changes the text of what is within, in a way that is not known."""
    has_own_formats: bool
    """A config has formats other than the usual ones."""
    has_own_nan: bool
    """Floats that are not finite are written otherwise than as null, which only pydantic's own text shows."""
    needs_text: bool
    """Only pydantic's own text shows a difference: a key that is written twice, or what is not known."""
    runs_once: bool
    """A value is an iterator, which can be iterated once."""
    has_missing: bool
    """A value means that the field is left out."""
    has_non_str_keys: bool
    """A dict has keys that are no str. Two of them may have the same text."""


def schema_traits(schema: Any, config: Mapping[str, Any]) -> SchemaTraits:
    """The traits of a schema. `config` is the config of the whole serializer."""
    parts = list(schema_parts(schema))
    kinds = {part["type"] for part in parts if isinstance(part.get("type"), str)}
    configs = [config, *(part["config"] for part in parts if isinstance(part.get("config"), dict))]
    formats = [*map(formats_of, configs)]
    own_nan = any(map(has_own_nan, formats))
    return SchemaTraits(
        has_formats=changes_the_whole(configs) or (any(formats) and not ARE_RESOLVED),
        has_own_formats=any(formats),
        has_own_nan=own_nan,
        needs_text=(
            (own_nan and (not ARE_RESOLVED or any(map(_forgets_nan, parts))))
            or any(map(_repeats_key, parts))
            or has_unknown_keys(parts, configs)
            or LEAVES_INTS
        ),
        runs_once="generator" in kinds,
        has_missing="missing-sentinel" in kinds,
        has_non_str_keys=any(map(is_dict_of_other_keys, parts)),
    )


def names_method(schema: Any) -> bool:
    """Whether a serializer in a schema is a method of the model that has the field."""
    return any(part.get("is_field_serializer") for part in schema_parts(schema, enters_models=False))
