"""The methods of REST framework's classes that are replaced, and how that is taken back."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from rest_framework import serializers
from rest_framework.serializers import ListSerializer, ModelSerializer, Serializer

from ssrjson_web._plans.unknown import tell_of_unknown
from ssrjson_web.rest_framework import _declared as _declared
from ssrjson_web.rest_framework import fields  # noqa: F401 - each says how it reads and loads
from ssrjson_web.rest_framework._basis import replaced
from ssrjson_web.rest_framework._loading import (
    list_to_internal_value_by_plan,
    run_validators_by_plan,
    to_internal_value_by_plan,
)
from ssrjson_web.rest_framework._lookup import get_object_by_lookup
from ssrjson_web.rest_framework._reading import read_by_plan, read_list_by_plan
from ssrjson_web.rest_framework._templates import fields_by_plan, get_fields_by_template

__all__ = ["Replacement", "is_set_up", "replacements", "setup", "teardown"]


class Replacement(NamedTuple):
    """A method, or a function of a module, that is replaced."""

    cls: Any
    """The class, or the module."""
    name: str
    make: Callable[[Any], Any]
    """Makes a function, or a cached property, of the stock one, which the new one calls for whatever has no plan."""


_OF_SERIALIZERS = (
    Replacement(Serializer, "get_fields", get_fields_by_template),
    Replacement(ModelSerializer, "get_fields", get_fields_by_template),
    Replacement(Serializer, "to_representation", read_by_plan),
    Replacement(ListSerializer, "to_representation", read_list_by_plan),
    Replacement(Serializer, "fields", fields_by_plan),
    Replacement(Serializer, "run_validators", run_validators_by_plan),
    Replacement(Serializer, "to_internal_value", to_internal_value_by_plan),
    Replacement(ListSerializer, "to_internal_value", list_to_internal_value_by_plan),
)
_STOCK_MODULES = (serializers.__name__, "rest_framework.generics")


def replacements() -> tuple[Replacement, ...]:
    """What is replaced."""
    # it imports the views, which import the renderers that settings name, so this package
    from rest_framework import generics

    return (*_OF_SERIALIZERS, Replacement(generics, "get_object_or_404", get_object_by_lookup))


_lock = threading.Lock()


def setup() -> None:
    """Make all serializers of this process use plans. Calling it again changes nothing.

    Entry `"ssrjson_web.rest_framework"` of `INSTALLED_APPS` calls it. A method that another package has replaced
    already is left as it is.
    """
    with _lock:
        for cls, name, make in replacements():
            stock: Any = vars(cls).get(name)
            function = getattr(stock, "func", stock)  # of a cached property
            if getattr(function, "__module__", None) not in _STOCK_MODULES or hasattr(stock, "__wrapped__"):
                continue
            replacement = make(stock)
            functools.update_wrapper(replacement, function)
            replaced.setdefault(cls, {})[name] = (replacement, stock)
            setattr(cls, name, replacement)
    tell_of_unknown("rest_framework")


def teardown() -> None:
    """Take `setup` back. Plans that have been made are kept, and are used again after another `setup`."""
    with _lock:
        for cls, of_class in list(replaced.items()):
            for name, (replacement, stock) in list(of_class.items()):
                if vars(cls).get(name) is replacement:
                    setattr(cls, name, stock)
                    del of_class[name]
            if not of_class:
                del replaced[cls]


def is_set_up() -> bool:
    """Whether `setup` has been called, and not taken back."""
    return bool(replaced)
