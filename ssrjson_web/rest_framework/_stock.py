"""Which classes keep REST framework's own functions, as its files have them."""

from __future__ import annotations

from django.db.models import Model, QuerySet
from django.db.models.fields import related_descriptors
from django.db.models.manager import BaseManager
from django.db.models.query import ModelIterable
from django.db.models.query_utils import DeferredAttribute
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler
from rest_framework import fields, relations, serializers
from rest_framework.fields import FilePathField
from rest_framework.serializers import BaseSerializer

from ssrjson_web._plans.basis import Classes, Functions
from ssrjson_web.rest_framework._switch import is_ours

__all__ = ["is_made_by_stock", "is_of_stock", "keeps", "library", "queries", "relations_of_models", "users_classes"]

library = Classes(("django", "rest_framework"), is_ours)
"""The classes of libraries that plans rely on."""
relations_of_models = Functions(
    {
        DeferredAttribute: ["__get__"],
        related_descriptors.ForwardManyToOneDescriptor: ["__get__"],
        related_descriptors.ReverseOneToOneDescriptor: ["__get__"],
        related_descriptors.ReverseManyToOneDescriptor: ["__get__"],
        BaseManager: ["all", "get_queryset"],
        Model: ["_get_pk_val", "serializable_value"],
        QuerySet: ["__iter__", "_fetch_all"],
    },
    left="what serializers read of models",
)
"""What finds the values of models and the objects of relations, which the core takes from where Django has them."""
queries = Functions(
    {
        QuerySet: ["get", "filter", "_filter_or_exclude", "_clone", "_chain", "_fetch_all", "__iter__", "__len__"],
        ModelIterable: ["__iter__"],
        Query: ["get_compiler", "set_limits", "chain", "clone"],
        SQLCompiler: ["as_sql", "execute_sql", "results_iter"],
    },
    left="`get_object` of views",
)
"""What makes, compiles and runs the query of `QuerySet.get`."""
_MODULES = (fields, relations, serializers)
_NAMES_OF_MODULES = tuple(module.__name__ for module in _MODULES)
# what runs when a field is made, beside what Python does
_MAKING = ("__init__", "__new__", "__deepcopy__", "__setattr__", "__getattribute__", "bind", "validators")
_MAKING_OF_FIELDS = (*_MAKING, "get_validators", "choices")


def is_of_stock(cls: type) -> bool:
    """Whether nobody has replaced a function that a class has of REST framework's or Django's classes, or one of the
    modules of fields."""
    return all(map(library.is_own_module, _MODULES)) and library.are_own(cls)


def is_made_by_stock(cls: type) -> bool:
    """Whether instances of a field class are made by REST framework's code alone, which has no effect but that."""
    names = _MAKING if issubclass(cls, BaseSerializer) else _MAKING_OF_FIELDS
    if issubclass(cls, FilePathField) or not is_of_stock(cls):  # the first reads a directory
        return False
    others = [vars(base) for base in cls.__mro__[:-1] if base.__module__ not in _NAMES_OF_MODULES]
    return not any(name in attributes for attributes in others for name in names)


def keeps(cls: type, owner: type, *names: str) -> bool:
    """Whether a class, which `is_of_stock`, overrides none of some attributes of a class that it derives from."""
    return all(getattr(cls, name, None) is getattr(owner, name, None) for name in names)


def users_classes(cls: type) -> list[type]:
    """A class and those that it derives from, without those of libraries."""
    return [base for base in cls.__mro__[:-1] if not library.has(base)]
