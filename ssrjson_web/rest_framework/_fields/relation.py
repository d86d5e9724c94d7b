"""Fields of relations: what they read of an object, and the objects that they look up for what is sent."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.utils.encoding import smart_str
from rest_framework import relations
from rest_framework.fields import Field
from rest_framework.relations import ManyRelatedField, PrimaryKeyRelatedField, RelatedField, SlugRelatedField

from ssrjson_web._known.functions import stands_in_for
from ssrjson_web._known.watch import owner_of
from ssrjson_web._models.django.lookup import Lookup, prepared
from ssrjson_web._models.django.ways import Use
from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web.rest_framework._basis import acts_as_stock
from ssrjson_web.rest_framework._fields.describer import NOTHING, NULL, Describer, base_of, stock

__all__ = ["looking_up", "lookup_of", "read_relation", "use_of"]

# ---- reading ------------------------------------------------------------------------------------


def use_of(field: Any) -> Use | None:
    """For what the value of a field is found. None: by code of the field's own."""
    cls = type(field)
    getter, represents = owner_of(cls, "get_attribute"), owner_of(cls, "to_representation")
    if getter is Field:
        return "value"
    if getter is ManyRelatedField:
        return "keys" if len(field.source_attrs) == 1 and represents is ManyRelatedField else None
    uses_key = owner_of(cls, "use_pk_only_optimization") if getter is RelatedField else None
    if uses_key is PrimaryKeyRelatedField:
        return "key" if field.source_attrs and represents is PrimaryKeyRelatedField else None
    return "value" if uses_key in (RelatedField, relations.HyperlinkedIdentityField) else None


def read_relation(field: Any, describer: Describer) -> Acceptance | None:
    """Which values that are not None the core represents, as `use_of` says that they are found. None: of no relation
    that is known."""
    represents = owner_of(type(field), "to_representation")
    if represents is PrimaryKeyRelatedField:
        return _KEYS if field.pk_field is None else describer.value_of(field.pk_field)
    if represents is SlugRelatedField:
        return (describer.single(_names_of_slug(field)),)
    if represents is not ManyRelatedField:
        return None
    child = field.child_relation
    represents = owner_of(type(child), "to_representation")
    if acts_as_stock(child):
        if represents is PrimaryKeyRelatedField and child.pk_field is None:
            return (Accepted(list, "items", inner=(describer.single(("pk",)),)),)
        if represents is SlugRelatedField:
            return (Accepted(list, "items", inner=(describer.single(_names_of_slug(child)),)),)
    return NOTHING


_KEYS: Acceptance = (Accepted(int), Accepted(str), Accepted(uuid.UUID))


def _names_of_slug(field: Any) -> tuple[str, ...]:
    return tuple(str(field.slug_field).replace("__", ".").split("."))


def _read_nothing(field: Any, describer: Describer) -> Acceptance:
    return NOTHING


stock(relations.StringRelatedField, reads=_read_nothing, function=str)

# ---- loading ------------------------------------------------------------------------------------


def _load_null(field: Any, describer: Describer) -> Acceptance:
    return (NULL,) if field.allow_null else NOTHING


stock(ManyRelatedField, PrimaryKeyRelatedField, SlugRelatedField, loads=_load_null)
stands_in_for(*(f"rest_framework.relations.RelatedField.{name}" for name in ("get_attribute", "get_queryset")))
stands_in_for("rest_framework.relations.PrimaryKeyRelatedField.use_pk_only_optimization")


def lookup_of(field: Any) -> Lookup | None:
    """What finds the objects of a relation with a query that is compiled once."""
    base = base_of(field)
    if base is ManyRelatedField:
        return lookup_of(field.child_relation)
    if base is PrimaryKeyRelatedField and field.pk_field is None:
        return prepared(field.queryset)
    return prepared(field.queryset, field.slug_field) if base is SlugRelatedField else None


def looking_up(field: Any, lookup: Lookup) -> Callable[[Any], Any]:
    """A `run_validation` of a relation by a lookup."""
    if isinstance(field, ManyRelatedField):
        find = _finding(field.child_relation, lookup)

        def load_many(values: Any) -> Any:
            if type(values) is not list or not values:
                return field.run_validation(values)
            found = [find(value) for value in values]
            field.run_validators(found)
            return found

        return load_many
    find_one = _finding(field, lookup)
    validators = field.validators

    def load(value: Any) -> Any:
        if type(value) is not int and (type(value) is not str or value == ""):
            return field.run_validation(value)
        found = find_one(value)
        if validators:
            field.run_validators(found)
        return found

    return load


def _finding(relation: Any, lookup: Lookup) -> Callable[[Any], Any]:
    """A `to_internal_value` of a relation by a lookup."""
    by_slug = isinstance(relation, SlugRelatedField)

    def find(value: Any) -> Any:
        try:
            found = lookup.get(value)
        except ObjectDoesNotExist:  # of a receiver of a signal, for example
            found = None
        except (TypeError, ValueError):
            if by_slug:
                return relation.fail("invalid")
            return relation.fail("incorrect_type", data_type=type(value).__name__)
        if found is NotImplemented:
            return relation.to_internal_value(value)
        if found is not None:
            return found
        if by_slug:
            return relation.fail("does_not_exist", slug_name=relation.slug_field, value=smart_str(value))
        return relation.fail("does_not_exist", pk_value=value)

    return find
