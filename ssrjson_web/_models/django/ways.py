"""How the sources of fields are found in objects, by the objects' classes: the ways of records' steps."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import WrapperDescriptorType
from typing import Any, Literal, TypeAlias

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Manager, Model
from django.db.models.fields.related_descriptors import (
    ForeignKeyDeferredAttribute,
    ForwardManyToOneDescriptor,
    ForwardOneToOneDescriptor,
    ManyToManyDescriptor,
    ReverseManyToOneDescriptor,
    ReverseOneToOneDescriptor,
)
from django.db.models.manager import BaseManager
from django.db.models.query import QuerySet
from django.db.models.query_utils import DeferredAttribute

from ssrjson_web._known.watch import Functions
from ssrjson_web._models.language import StepWay

__all__ = ["Use", "WayOf", "is_plain_queryset"]

Use: TypeAlias = Literal["value", "objects", "keys", "key", "attribute"]
"""What a step is for. `value`: what `rest_framework.fields.get_attribute` finds. `objects`: the same, but of a relation
to many only the objects are needed. `keys`: what `ManyRelatedField.get_attribute` finds. `key`: the column of a
relation. `attribute`: what `getattr` finds."""

_relations = Functions(
    {
        DeferredAttribute: ["__get__"],
        ForwardManyToOneDescriptor: ["__get__"],
        ReverseOneToOneDescriptor: ["__get__"],
        ReverseManyToOneDescriptor: ["__get__"],
        BaseManager: ["all", "get_queryset"],
        Model: ["_get_pk_val", "serializable_value"],
        QuerySet: ["__iter__", "_fetch_all"],
    },
    modules=["django.db.models.fields.mixins", "django.db.models.fields.related_descriptors"],
    left="what serializers read of models",
)
"""What finds the values of models and the objects of relations, which the core takes from where Django has them."""
_LIBRARY = StepWay("library")
_ATTRIBUTE = StepWay("attribute")
_KEY_ENDING = "_id"


class WayOf:
    """The `way_of` of a record, which knows what each of its steps is for."""

    def __init__(self, uses: Mapping[str, Use]) -> None:
        self._uses = dict(uses)
        self._key = tuple(uses.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WayOf) and other._key == self._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __call__(self, cls: Any, name: str) -> StepWay:
        if not _relations.are_known():
            return _LIBRARY
        use = self._uses.get(name)
        if use is None:
            return _way_of_results(cls, name)
        if _pretends(cls):
            return _LIBRARY
        if use == "attribute":
            return _way_of_attribute(cls, name)
        if use in ("key", "keys"):
            of_models = _way_of_key if use == "key" else _way_of_objects
            return of_models(cls, name) if issubclass(cls, Model) else _LIBRARY
        if issubclass(cls, Mapping):
            return StepWay("item")
        if use == "objects" and issubclass(cls, Model):
            return _way_of_objects(cls, name)
        return _way_of_attribute(cls, name)


def is_plain_queryset(cls: Any) -> bool:
    """Whether objects of a class give the results that a QuerySet keeps, when they are iterated."""
    return issubclass(cls, QuerySet) and cls.__iter__ is QuerySet.__iter__ and not _pretends(cls)


def _way_of_results(cls: Any, name: str) -> StepWay:
    if name == "__iter__" and is_plain_queryset(cls):
        return StepWay("attribute", "_result_cache")
    return _LIBRARY


def _pretends(cls: Any) -> bool:
    """Whether code of a class says which attributes its objects have, or of which class they are."""
    return any(
        "__class__" in vars(base) or not isinstance(vars(base).get("__getattribute__", _BUILTIN), WrapperDescriptorType)
        for base in cls.__mro__[:-1]
    )


_BUILTIN = object.__getattribute__


def _way_of_attribute(cls: Any, name: str) -> StepWay:
    if not issubclass(cls, Model):
        return _ATTRIBUTE
    descriptor = inspect.getattr_static(cls, name, None)
    kind = type(descriptor)
    if kind in (DeferredAttribute, ForeignKeyDeferredAttribute):
        return StepWay("stored", descriptor.field.attname)
    if kind in (ForwardManyToOneDescriptor, ForwardOneToOneDescriptor):
        return StepWay("relation", _name_in_cache(descriptor.field))
    if kind is ReverseOneToOneDescriptor:
        return StepWay("relation", _name_in_cache(descriptor.related))
    if name == "pk" and descriptor is vars(Model)["pk"] and cls._get_pk_val is Model._get_pk_val:
        own = _stored_key(cls)
        return StepWay("stored", own) if own else _ATTRIBUTE
    return _ATTRIBUTE


def _name_in_cache(field: Any) -> str:
    """The name of a relation in `_state.fields_cache`. Newer versions of Django have it as an attribute."""
    name = getattr(field, "cache_name", None)
    return str(name if name is not None else field.get_cache_name())


def _stored_key(cls: Any) -> str:
    """The attribute that holds the primary key; empty where it is not one attribute."""
    name = getattr(cls._meta.pk, "attname", "")
    return name if type(inspect.getattr_static(cls, name, None)) in _COLUMNS else ""


_COLUMNS = (DeferredAttribute, ForeignKeyDeferredAttribute)


def _way_of_key(cls: Any, name: str) -> StepWay:
    """The step `author_id` of a field whose source is `author`: what `serializable_value("author")` gives."""
    if cls.serializable_value is not Model.serializable_value:
        return _LIBRARY
    source = name.removesuffix(_KEY_ENDING)
    try:
        attname = getattr(cls._meta.get_field(source), "attname", "")
    except FieldDoesNotExist:
        return _LIBRARY
    if attname != name or type(inspect.getattr_static(cls, attname, None)) not in _COLUMNS:
        return _LIBRARY
    return StepWay("stored", attname)


def _way_of_objects(cls: Any, name: str) -> StepWay:
    """The objects of a relation to many, if they have been prefetched and the object has a primary key."""
    own_key = _stored_key(cls)
    if not own_key:
        return _LIBRARY
    descriptor = inspect.getattr_static(cls, name, None)
    if descriptor is None:
        # what a Prefetch with `to_attr` has stored
        return _LIBRARY if hasattr(cls, "__getattr__") else StepWay("attribute", guard=own_key)
    if type(descriptor) is ManyToManyDescriptor:
        rel = descriptor.rel
        in_cache = rel.field.related_query_name() if descriptor.reverse else rel.field.name
        model = rel.related_model if descriptor.reverse else rel.model
    elif type(descriptor) is ReverseManyToOneDescriptor:
        in_cache = _name_in_cache(descriptor.rel)
        model = descriptor.rel.related_model
    else:
        return _LIBRARY
    manager = model._default_manager
    if type(manager).all is not BaseManager.all or not isinstance(manager, Manager):
        return _LIBRARY
    return StepWay("prefetched", in_cache, own_key)
