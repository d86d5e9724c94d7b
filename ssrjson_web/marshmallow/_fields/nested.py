"""Fields of schemas within schemas, as far as no code of the user's is called for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import RAISE, Schema, fields, missing
from marshmallow.decorators import POST_DUMP, POST_LOAD, PRE_DUMP, PRE_LOAD, VALIDATES, VALIDATES_SCHEMA

from ssrjson_web._known.functions import stands_in_for
from ssrjson_web._models.language import REFUSE, Acceptance, Accepted, LoadField, LoadRecord, ReadRecord
from ssrjson_web.marshmallow._basis import Basis
from ssrjson_web.marshmallow._fields.describer import NULL, OF, Loaded, load_within, stock
from ssrjson_web.marshmallow._fields.validators import NotKnownError
from ssrjson_web.marshmallow._load_key import LoadKey, load_key
from ssrjson_web.marshmallow._stock import (
    OF_DUMP,
    OF_LOAD,
    allows_core,
    has_hooks,
    is_instance_changed,
    own_dict_class,
    own_name,
    schema_keeps,
)

__all__ = ["check_targets", "dumps_by_plan", "read_nested"]

_MAX_NESTED = 4
"""Levels of schemas within schemas that are described. Deeper ones have plans of their own."""


def _has_room(basis: Basis, number: int) -> bool:
    """Whether the schema of one more field may be described. Those around it are counted."""
    level = sum(isinstance(basis.objects[around], Schema) for around in basis.origins(number))
    return level <= _MAX_NESTED and basis.has_room()


def _keeps(cls: type, *names: str) -> bool:
    """Whether a field class has the methods of marshmallow's `Nested` of these names."""
    return all(own_name(cls, name) == f"{OF}Nested.{name}" for name in names)


# ---- dumping ------------------------------------------------------------------------------------


def read_nested(basis: Basis, number: int, record_of: Callable[[int], ReadRecord]) -> Acceptance:
    """What a field of a schema dumps, or of a list of such; None where it is neither. Empty: it dumps by itself.

    `record_of` makes the record of a schema.
    """
    is_list = (
        type(basis.objects[number]) is fields.List
        and own_name(fields.List, "_serialize") == f"{OF}List._serialize"
        and not is_instance_changed(basis.objects[number])
    )
    nested = basis.add(number, "inner") if is_list else number
    field = basis.objects[nested]
    if not _keeps(type(field), "_serialize", "schema") or is_instance_changed(field):
        return None
    basis.watch_field(nested)
    basis.watch_field(number)
    if not _has_room(basis, number) or field.dump_default is not missing:
        return ()
    if field._schema is None:
        basis.awaited.append(nested)
        return ()
    schema = field._schema
    is_many = schema.many or field.many
    if not dumps_by_plan(schema) or own_dict_class(schema) is not dict or (is_list and is_many):
        return ()
    place = basis.add(nested, "_schema")
    basis.watch_schema(place)
    one = Accepted(object, "read", record=record_of(place))
    if not is_list and not is_many:
        return (NULL, one)
    return (NULL, Accepted(list, "items", inner=(one,) if is_many else (NULL, one)))


def dumps_by_plan(schema: Any) -> bool:
    """Whether `dump` of a schema is what its fields make, and nothing else."""
    cls = type(schema)
    return (
        schema_keeps(cls, *OF_DUMP)
        and not has_hooks(schema, PRE_DUMP, POST_DUMP)
        and not is_instance_changed(schema)
        and allows_core(cls)
    )


def _read_nothing(basis: Basis, number: int) -> Acceptance:
    return ()


# ---- loading ------------------------------------------------------------------------------------


def _load_nested(basis: Basis, number: int) -> Loaded:
    """A schema of which nothing calls code of the user. Where a part does not fit, marshmallow loads all of it."""
    field = basis.objects[number]
    if not _keeps(type(field), "schema", "_load", "_test_collection"):
        raise NotKnownError
    if not _has_room(basis, number):
        return ()
    if field._schema is None:
        basis.awaited.append(number)
        return ()
    schema = field._schema
    unknown = schema.unknown if field.unknown is None else field.unknown
    key = load_key(schema.partial if basis.partial is None else basis.partial, unknown)
    if key is None or not _loads_by_fields(schema) or bool(schema.many) is not bool(schema.many or field.many):
        return ()
    if not key.drops_unknown and unknown != RAISE:
        return ()
    place = basis.add(number, "_schema")
    basis.watch_schema(place)
    basis.watch_attributes(place, "partial", "unknown")
    before = basis.partial
    try:
        record = _record(basis, place, key)
    except NotKnownError:
        return ()
    finally:
        basis.partial = before
    return (Accepted(list if schema.many else dict, "load", record=record),)


stock("Nested", reads=_read_nothing, loads=_load_nested, ignores_data=True)
stock("Pluck", reads=_read_nothing, ignores_data=True)
stands_in_for(*(f"{OF}Nested.{name}" for name in ("schema", "_load", "_test_collection")), left="what such fields load")


def _loads_by_fields(schema: Any) -> bool:
    """Whether `load` of a schema is what its fields make, and nothing else."""
    return (
        schema_keeps(type(schema), *OF_LOAD)
        and not has_hooks(schema, PRE_LOAD, POST_LOAD, VALIDATES, VALIDATES_SCHEMA)
        and not is_instance_changed(schema)
        and allows_core(type(schema))
        and own_dict_class(schema) is dict
        and type(schema.load_fields) is dict
    )


def _record(basis: Basis, place: int, key: LoadKey) -> LoadRecord:
    """What a schema within a schema loads: the whole value is left to marshmallow where anything is not right."""
    made = tuple(_field(basis, place, name, key) for name in basis.objects[place].load_fields)
    try:
        check_targets([field.target for field in made])
    except TypeError:
        raise NotKnownError from None
    return LoadRecord(made, missing, missing, -1, -1, -1, unknown=-1 if key.drops_unknown else REFUSE)


def _field(basis: Basis, place: int, name: str, key: LoadKey) -> LoadField:
    number = basis.add(place, "load_fields", name)
    field = basis.objects[number]
    data_key = field.data_key if field.data_key is not None else name
    basis.partial = key.passed_on(name, data_key).get("partial")
    accepted = load_within(basis, number)
    may_be_absent = key.leaves_out(name)
    default: tuple[()] | tuple[Any] = ()
    if not may_be_absent and not field.required:
        if callable(field.load_default):
            raise NotKnownError
        may_be_absent = field.load_default is missing
        default = () if may_be_absent else (field.load_default,)
    target = tuple((field.attribute or name).split("."))
    return LoadField(data_key, target, accepted, -1, default=default, may_be_absent=may_be_absent)


def check_targets(targets: list[tuple[str, ...]]) -> None:
    """Raise TypeError where the dict that a dotted attribute is put into may be a value of another field."""
    known = set(targets)
    for target in targets:
        if any(target[:n] in known for n in range(1, len(target))):
            raise TypeError("an attribute with a dot is within that of another field")
