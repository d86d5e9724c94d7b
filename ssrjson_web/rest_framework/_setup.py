"""The methods of REST framework's classes that are replaced, and how that is taken back."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import FunctionType
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import Http404
from rest_framework.serializers import ListSerializer, ModelSerializer, Serializer

from ssrjson_web._compare.arguments import checked_comparison
from ssrjson_web._known.functions import is_own
from ssrjson_web._known.unknown import tell_of_unknown
from ssrjson_web._models.django.lookup import prepared
from ssrjson_web._shared.switch import leaves_all_to_stock
from ssrjson_web.rest_framework import _fields  # noqa: F401 - each says how it reads and loads
from ssrjson_web.rest_framework import _stood_in_for as _stood_in_for
from ssrjson_web.rest_framework._basis import is_disabled, replaced, wanted
from ssrjson_web.rest_framework._loading import (
    list_to_internal_value_by_plan,
    run_validators_by_plan,
    to_internal_value_by_plan,
)
from ssrjson_web.rest_framework._reading import read_by_plan, read_list_by_plan
from ssrjson_web.rest_framework._templates import fields_by_plan, get_fields_by_template

if TYPE_CHECKING:
    from ssrjson_web._compare.comparison import Comparison

__all__ = ["setup", "teardown"]


def _get_object_by_lookup(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the `get_object_or_404` with which views look up the object of their URL."""

    def get_object_or_404(queryset: Any, *filter_args: Any, **filter_kwargs: Any) -> Any:
        if len(filter_kwargs) == 1 and not filter_args and not is_disabled():
            ((name, value),) = filter_kwargs.items()
            lookup = prepared(queryset, name)
            found = NotImplemented if lookup is None else lookup.get_by_text(value)
            if found is None:
                raise Http404(f"No {queryset.model._meta.object_name} matches the given query.")
            if found is not NotImplemented:
                return found
        return stock(queryset, *filter_args, **filter_kwargs)

    return get_object_or_404


def _replacements() -> tuple[tuple[Any, str, Callable[[Any], Any]], ...]:
    """By class or module and name: what makes a function, or a cached property, of the stock one.

    The new one calls that for whatever has no plan.
    """
    # it imports the views, which import the renderers that settings name, so this package
    from rest_framework import generics

    return (
        (Serializer, "get_fields", get_fields_by_template),
        (ModelSerializer, "get_fields", get_fields_by_template),
        (Serializer, "to_representation", read_by_plan),
        (ListSerializer, "to_representation", read_list_by_plan),
        (Serializer, "fields", fields_by_plan),
        (Serializer, "run_validators", run_validators_by_plan),
        (Serializer, "to_internal_value", to_internal_value_by_plan),
        (ListSerializer, "to_internal_value", list_to_internal_value_by_plan),
        (generics, "get_object_or_404", _get_object_by_lookup),
    )


_lock = threading.Lock()


def setup() -> None:
    """Make all serializers of this process use plans. Calling it again changes nothing.

    Entry `"ssrjson_web.rest_framework"` of `INSTALLED_APPS` calls it. A method that another package has replaced
    already is left as it is, and one whose text is that of no release that is known. `SSRJSON["COMPARE"]` of Django's
    settings is a share of the uses that REST framework and the core both do, to compare them.
    """
    if leaves_all_to_stock():
        return
    comparison = _comparison()
    _compare_with_stock(comparison)
    with _lock:
        for cls, name, make in _replacements():
            wanted[cls, name] = None
            stock: Any = vars(cls).get(name)
            holder = f"{cls.__module__}.{cls.__qualname__}" if isinstance(cls, type) else cls.__name__
            if not is_own(stock, f"{holder}.{name}"):
                continue
            replacement = make(stock)
            if comparison is not None and isinstance(stock, FunctionType):
                from ssrjson_web.rest_framework._trials import compared

                replacement = compared(comparison, cls, name, replacement, stock)
            functools.update_wrapper(replacement, getattr(stock, "func", stock))  # of a cached property
            replaced.setdefault(cls, {})[name] = (replacement, stock)
            setattr(cls, name, replacement)
    tell_of_unknown("rest_framework")


def _compare_with_stock(comparison: Comparison | None) -> None:
    """Let our renderer and parser compare. What does it is imported where it is asked for, or was before."""
    if comparison is not None or "ssrjson_web.rest_framework._compare" in sys.modules:
        from ssrjson_web.rest_framework._compare import compare_with_stock

        compare_with_stock(comparison)


def _comparison() -> Comparison | None:
    """The one that the settings ask for. Where they are wrong, the system checks say so."""
    configured = getattr(settings, "SSRJSON", None)
    if not isinstance(configured, Mapping) or not configured.get("COMPARE"):
        return None
    from ssrjson_web.django._settings import current_settings  # which imports the adapter of Django

    with suppress(ImproperlyConfigured):
        current = current_settings()
        return checked_comparison(current.compare, current.serve, current.mask)
    return None


def teardown() -> None:
    """Take `setup` back. Plans that have been made are kept, and are used again after another `setup`."""
    _compare_with_stock(None)
    with _lock:
        for cls, of_class in list(replaced.items()):
            for name, (replacement, stock) in list(of_class.items()):
                if vars(cls).get(name) is replacement:
                    setattr(cls, name, stock)
                    del of_class[name]
            if not of_class:
                del replaced[cls]
