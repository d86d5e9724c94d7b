"""Serializers that are compared: a fresh one of a class reads or validates by REST framework, another by the core.

The serializer at hand does its work as it would without this. What would run code of the application, or ask the
database, a second time is left out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from types import FunctionType
from typing import Any

from django.db.models import Manager, Model, QuerySet
from rest_framework import fields, relations
from rest_framework.fields import empty
from rest_framework.serializers import BaseSerializer, ListSerializer, ModelSerializer, Serializer

from ssrjson_web._compare.comparison import Comparison, tell_of_fault
from ssrjson_web._compare.values import once_only
from ssrjson_web._shared.names import class_name_of, name_of
from ssrjson_web.rest_framework._basis import disabled, users_classes
from ssrjson_web.rest_framework._compare import look_at_data

__all__ = ["compared"]

_by_core: ContextVar[bool | None] = ContextVar("whether the core reads and validates, in a trial", default=None)
_PARTS = {"to_representation": "data", "to_internal_value": "validated data"}
_NOT_CALLED = ("create", "update", "save", "Meta", "_declared_fields")
_MAX_LEVELS = 8
_CALLS_CODE = (
    *(fields.SerializerMethodField, fields.HiddenField, fields.FileField, fields.ModelField),
    *(relations.StringRelatedField, relations.HyperlinkedRelatedField),
)


def compared(
    comparison: Comparison, cls: Any, name: str, ours: Callable[..., Any], stock: Callable[..., Any]
) -> Callable[..., Any]:
    """What `setup` puts in the place of a stock function where it is compared with ours."""

    def function(*arguments: Any, **named: Any) -> Any:
        by_core = _by_core.get()
        if by_core is None:
            by_core = comparison.serves_core
            if name in _PARTS and isinstance(cls, type) and arguments[0].parent is None:
                arguments = _with_trial(comparison, name, *arguments)
        return (ours if by_core else stock)(*arguments, **named)

    return function


def _with_trial(comparison: Comparison, name: str, serializer: Any, value: Any) -> tuple[Any, ...]:
    """Compare what is made of a value, if it is the turn of that. Never raises. The arguments to go on with."""
    shown = serializer.child if isinstance(serializer, ListSerializer) else serializer
    route = name_of(type(shown))
    trial = comparison.begin(route)
    if trial is None:
        return serializer, value
    try:
        if isinstance(value, Manager):
            value = value.all()  # which asks the database once, however often it is iterated then
        reason = _own_code(type(shown)) or _own_code(type(serializer))
        if not reason:
            checked = _by(False, _fresh, serializer)
            reason = _by(False, _reason_not_to, checked, name, value)
        if reason:
            trial.leave_out(reason)
        else:
            done = functools.partial(_done, serializer, name, value)
            stock, core = functools.partial(_by, False, done), functools.partial(_by, True, done)
            trial.compare(_PARTS[name], stock=stock, core=core)
            trial.end()
    except Exception:
        tell_of_fault(route)
    return serializer, value


def _by(by_core: bool, function: Callable[..., Any], *arguments: Any) -> Any:
    token = _by_core.set(by_core)
    try:
        if by_core:
            return function(*arguments)
        with disabled():
            return function(*arguments)
    finally:
        _by_core.reset(token)


def _done(serializer: Any, name: str, value: Any) -> Any:
    return getattr(_fresh(serializer), name)(value)


def _fresh(serializer: Any) -> Any:
    """Another serializer with the arguments of this one, but for the object and the data that it is for."""
    given = {name: one for name, one in serializer._kwargs.items() if name not in ("instance", "data")}
    if isinstance(serializer, ListSerializer):
        given["child"] = _fresh(serializer.child)
    return type(serializer)(**given)


# ---- what would run twice -----------------------------------------------------------------------


def _own_code(cls: type) -> str:
    """What of an application's code a serializer class runs."""
    for base in users_classes(cls):
        for name, value in vars(base).items():
            is_code = isinstance(value, (FunctionType, classmethod, staticmethod, property)) or callable(value)
            is_called = hasattr(ModelSerializer, name) or name.startswith(("get_", "validate"))
            if is_code and is_called and name not in _NOT_CALLED:
                return f"`{name}` of {class_name_of(base)} would run twice"
    return ""


def _reason_not_to(serializer: Any, name: str, value: Any) -> str:
    """What a fresh serializer would do twice with a value."""
    child = serializer.child if isinstance(serializer, ListSerializer) else serializer
    if name == "to_internal_value":
        return _code_of_loading(child, 0) or once_only(value, look_at_data)
    rows = value if isinstance(serializer, ListSerializer) else [value]
    if not isinstance(rows, (list, tuple, QuerySet)):
        return f"{class_name_of(type(rows))} may be iterated once"
    for row in rows:
        reason = _code_of_reading(child, row, 0)
        if reason:
            return reason
    return ""


def _code_of_field(field: Any) -> str:
    if isinstance(field, BaseSerializer):
        return _own_code(type(field))
    if users_classes(type(field)) or (
        isinstance(field, _CALLS_CODE) and not isinstance(field, relations.HyperlinkedIdentityField)
    ):
        return f"the field `{field.field_name}` runs code of the application"
    if callable(field.default) and field.default is not empty:
        return f"the default of the field `{field.field_name}` would be made twice"
    return ""


def _code_of_loading(serializer: Any, level: int) -> str:
    for field in serializer.fields.values():
        if field.read_only:
            continue
        reason = _code_of_field(field) or _code_of_validators(field)
        if isinstance(field, (relations.RelatedField, relations.ManyRelatedField)):
            reason = reason or f"the field `{field.field_name}` asks the database"
        nested = getattr(field, "child", field)
        if isinstance(nested, Serializer):
            reason = reason or (_code_of_loading(nested, level + 1) if level < _MAX_LEVELS else "it is nested deep")
        elif nested is not field and not reason:
            reason = _code_of_field(nested) or _code_of_validators(nested)
        if reason:
            return reason
    return ""


def _code_of_validators(field: Any) -> str:
    for validator in field.validators:
        owner = validator if isinstance(validator, FunctionType) else type(validator)
        if not owner.__module__.startswith("django.core.validators") and not _is_plain_of_library(owner):
            return f"a validator of the field `{field.field_name}` would run twice"
    return ""


def _is_plain_of_library(owner: Any) -> bool:
    return bool(owner.__module__ == "rest_framework.validators" and owner.__name__.startswith("Prohibit"))


def _code_of_reading(serializer: Any, row: Any, level: int) -> str:
    reason = ""
    for field in serializer.fields.values():
        if field.write_only:
            continue
        reason = _code_of_field(field)
        found = row
        for n, step in enumerate(field.source_attrs if not reason else ()):
            reason, found = _held(found, step, uses_key=_uses_key(field) and n == len(field.source_attrs) - 1)
            if reason or found is None:
                break
        reason = reason or _code_of_value(field, found, level)
        if reason:
            break
    return reason


def _uses_key(field: Any) -> bool:
    return bool(isinstance(field, relations.PrimaryKeyRelatedField) and field.use_pk_only_optimization())


def _held(row: Any, step: Any, *, uses_key: bool) -> tuple[str, Any]:
    """What an object holds by a name, without code or a query; or why that cannot be told."""
    if type(row) is dict:
        return "", row.get(step)
    held = getattr(row, "__dict__", {})
    if isinstance(row, Model):
        if step == "pk":
            step = row._meta.pk.attname
        held = {**getattr(row, "_prefetched_objects_cache", {}), **row._state.fields_cache, **held}
        if uses_key and f"{step}_id" in held:
            return "", held[f"{step}_id"]
    if step not in held:
        return f"`{step}` of {class_name_of(type(row))} would be found twice, by code or by a query", None
    return "", held[step]


def _code_of_value(field: Any, value: Any, level: int) -> str:
    if value is None or isinstance(field, relations.HyperlinkedIdentityField):
        return ""
    nested = getattr(field, "child", None) or getattr(field, "child_relation", None)
    if isinstance(field, Serializer):
        return _code_of_reading(field, value, level + 1) if level < _MAX_LEVELS else "it is nested deep"
    if isinstance(field, relations.SlugRelatedField):
        return _held(value, field.slug_field, uses_key=False)[0]
    if isinstance(value, QuerySet) or isinstance(nested, (Serializer, relations.RelatedField)):
        return next(filter(None, (_code_of_value(nested, one, level) for one in _rows(value))), "")
    if isinstance(field, relations.RelatedField) and isinstance(value, Model):
        return ""
    return once_only(value, look_at_data)


def _rows(value: Any) -> Iterable[Any] | Iterator[Any]:
    return value if isinstance(value, (list, tuple, QuerySet)) else [value]
