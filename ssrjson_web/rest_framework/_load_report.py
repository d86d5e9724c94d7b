"""Which fields of a serializer validate their values themselves, and why: `reasons_of_input`."""

from __future__ import annotations

from typing import Any

from rest_framework.fields import HiddenField
from rest_framework.serializers import BaseSerializer

from ssrjson_web._models.acceptance import Accepted
from ssrjson_web.rest_framework._accepted_input import ANY_ZONE, acceptance_of_input, base_of
from ssrjson_web.rest_framework._load_plan import lookup_of, plan_of_fields
from ssrjson_web.rest_framework._plan_in_use import is_usual

__all__ = ["reason_of_input", "reasons_of_input"]

_NULL = Accepted(type(None))


def reason_of_input(serializer: Any) -> str:
    """Why REST framework validates what a serializer is given. Empty: the core does, but for some fields."""
    if not is_usual(type(serializer)):
        return "it overrides fields, _writable_fields, set_value, _read_only_defaults or attribute access"
    if plan_of_fields(serializer, serializer.fields, False, ANY_ZONE, ()) is None:
        return "a validate_<field> is no method, or a source is within another one"
    return ""


def reasons_of_input(serializer: Any) -> dict[str, str]:
    """Why fields of a serializer validate every value themselves, by their names."""
    found = {}
    for name, field in serializer.fields.items():
        if not field.read_only:
            reason = _reason_of_field(field)
            if reason:
                found[name] = reason
    return found


def _reason_of_field(field: Any) -> str:
    if isinstance(field, (BaseSerializer, HiddenField)):
        return ""  # it has a plan of its own; or no value
    if not field.source_attrs:
        return 'source="*"'
    base = base_of(field)
    if base is None:
        cls = type(field)
        return (
            cls.__name__
            if cls.__module__.startswith("rest_framework.")
            else f"{cls.__name__} validates by code of its own"
        )
    if acceptance_of_input(field, ANY_ZONE) in ((), (_NULL,)):
        return "" if lookup_of(field) is not None else f"{base.__name__} with its options"
    return ""
