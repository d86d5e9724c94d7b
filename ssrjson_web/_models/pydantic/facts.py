"""What a core schema says somewhere within it: one walk finds all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ssrjson_web._models.pydantic.features import LEAVES_INTS
from ssrjson_web._models.pydantic.formats import ARE_RESOLVED, formats_of, has_own_nan
from ssrjson_web._models.pydantic.serialization_keys import changes_the_whole, has_unknown_keys
from ssrjson_web._models.pydantic.shared_readings import readings
from ssrjson_web._models.pydantic.traits import (
    USERS_VALUES,
    allows_extra,
    forgets_nan,
    is_dict,
    is_dict_of_other_keys,
    repeats_key,
)
from ssrjson_web._models.pydantic.untyped import is_untyped

__all__ = [
    "SchemaFacts",
    "SchemaTraits",
    "has_dicts",
    "has_untyped",
    "holds_untyped",
    "may_repeat_keys",
    "schema_facts",
    "schema_traits",
]

_HOLDS_UNTYPED = "a value of no declared type, and not what a serializer makes of one"
_READ_ALONE = ("model-fields", "union")
"""Kinds of schemas whose facts are found by themselves: pydantic shares the fields of a model among schemas."""


class SchemaFacts(NamedTuple):
    """What is somewhere within a schema."""

    names: frozenset[str]
    """Facts that hold, by the names that `_facts_of` gives them."""
    classes: Mapping[int, type]
    """The classes of models and dataclasses, by their ids."""


def schema_facts(schema: Any) -> SchemaFacts:
    """The facts of a schema. Where readings are shared, each schema and the fields of each model are looked at once."""
    shared = readings.get()
    return _found_in(schema) if shared is None else shared.of_schema(schema, _found_in)


def _found_in(schema: Any) -> SchemaFacts:
    names: set[str] = set()
    classes: dict[int, type] = {}
    under_way = [(schema, False)]
    while under_way:
        part, is_serialization = under_way.pop()
        if isinstance(part, (list, tuple)):
            under_way += ((one, is_serialization) for one in part)
        elif isinstance(part, dict):
            kind = part.get("type")
            if kind in _READ_ALONE and part is not schema:
                found = schema_facts(part)
                names |= found.names - {_HOLDS_UNTYPED} if is_serialization else found.names
                classes |= found.classes
                continue
            names.update(_facts_of(part, is_serialization=is_serialization))
            is_schema = isinstance(kind, str)
            if is_schema and kind in ("model", "dataclass"):
                classes[id(part["cls"])] = part["cls"]
            for key, value in part.items():  # most values are strs, which hold nothing
                if isinstance(value, (dict, list, tuple)) and not (is_schema and key in USERS_VALUES):
                    under_way.append((value, is_serialization or (is_schema and key == "serialization")))
    if "named by its validator" in names and isinstance(schema, dict) and schema.get("type") == "union":
        names.add("a union of such")
    return SchemaFacts(frozenset(names), classes)


def _facts_of(part: dict[str, Any], *, is_serialization: bool) -> Iterator[str]:
    """The facts of one dict of a schema."""
    kind = part.get("type")
    if kind in ("generator", "missing-sentinel"):
        yield kind
    if is_untyped(part):
        yield "untyped"
        if not is_serialization:
            yield _HOLDS_UNTYPED
    if is_dict(part):
        yield "dict"
        if is_dict_of_other_keys(part):
            yield "dict of other keys"
    if allows_extra(part):
        yield "extra"
    if repeats_key(part):
        yield "repeated key"
    if forgets_nan(part):
        yield "forgets nan"
    if has_unknown_keys([part], ()):
        yield "unknown"
    has_post_init = kind == "model" and bool(part.get("post_init"))
    if has_post_init:
        yield "post_init"
    if has_post_init or kind == "definition-ref":  # a reference is to any model
        yield "named by its validator"
    if isinstance(part.get("config"), dict):
        yield from _facts_of_config(part["config"])


def _facts_of_config(config: Mapping[str, Any]) -> Iterator[str]:
    if changes_the_whole([config]):
        yield "changes the whole"
    if has_unknown_keys((), [config]):
        yield "unknown"
    formats = formats_of(config)
    if formats:
        yield "formats"
    if has_own_nan(formats):
        yield "own nan"
    if config.get("serialize_by_alias"):
        yield "serialize_by_alias"


def has_untyped(schema: Any) -> bool:
    """Whether a value somewhere within may be written in the formats of the root."""
    return "untyped" in schema_facts(schema).names


def holds_untyped(schema: Any) -> bool:
    """Whether a value itself, and not what a serializer makes of it, holds values of no declared type."""
    return _HOLDS_UNTYPED in schema_facts(schema).names


def may_repeat_keys(schema: Any) -> bool:
    """Whether two keys of an object may have the same text: of other types than str, or of extra fields."""
    return not schema_facts(schema).names.isdisjoint(("dict of other keys", "extra"))


def has_dicts(schema: Any) -> bool:
    """Whether a dict is somewhere within whose keys are data."""
    return "dict" in schema_facts(schema).names


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
    names = schema_facts(schema).names | {*_facts_of_config(config)}
    return SchemaTraits(
        has_formats="changes the whole" in names or ("formats" in names and not ARE_RESOLVED),
        has_own_formats="formats" in names,
        has_own_nan="own nan" in names,
        needs_text=(
            ("own nan" in names and (not ARE_RESOLVED or "forgets nan" in names))
            or not names.isdisjoint(("repeated key", "unknown"))
            or LEAVES_INTS
        ),
        runs_once="generator" in names,
        has_missing="missing-sentinel" in names,
        has_non_str_keys="dict of other keys" in names,
    )
