"""Schemas whose dumps and loads are done by marshmallow and by the core, to compare them.

Hooks run around that, once. What would run code of the application a second time is left out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import ContextVar
from types import FunctionType
from typing import Any

from marshmallow import fields, validate
from marshmallow.error_store import ErrorStore

from ssrjson_web._compare.comparison import Comparison, tell_of_fault
from ssrjson_web._compare.values import look_at_unknown, once_only
from ssrjson_web._shared.names import class_name_of, name_of

__all__ = ["compared"]

_by_core: ContextVar[bool | None] = ContextVar("whether the core dumps and loads, within a call", default=None)
_PARTS = {"_serialize": "data", "_deserialize": "validated data"}
_CALLS_CODE = (fields.Method, fields.Function)
_MAX_LEVELS = 8


def compared(
    comparison: Comparison, name: str, ours: Callable[..., Any], stock: Callable[..., Any]
) -> Callable[..., Any]:
    """What `setup` puts in the place of a method of `Schema` where it is compared with ours."""
    ways = (stock, ours)

    @functools.wraps(stock)  # plans look for what ours stands in for
    def method(self: Any, value: Any, **options: Any) -> Any:
        by_core = _by_core.get()
        if by_core is not None:
            return ways[by_core](self, value, **options)
        _try(comparison, name, ways, self, value, options)
        return _by(comparison.serves_core, ways, self, value, options)

    return method


def _by(by_core: bool, ways: tuple[Any, Any], schema: Any, value: Any, options: dict[str, Any]) -> Any:
    token = _by_core.set(by_core)
    try:
        return ways[by_core](schema, value, **options)
    finally:
        _by_core.reset(token)


def _try(
    comparison: Comparison, name: str, ways: tuple[Any, Any], schema: Any, value: Any, options: dict[str, Any]
) -> None:
    """Compare what both ways make of a value, if it is the turn of that. Never raises."""
    route = name_of(type(schema))
    trial = comparison.begin(route)
    if trial is None:
        return
    try:
        reason = _reason_not_to(name, schema, value, many=options.get("many", False))
        if reason:
            trial.leave_out(reason)
            return

        def result(by_core: bool) -> Any:
            if name == "_serialize":
                return _by(by_core, ways, schema, value, options)
            store: Any = ErrorStore()  # type: ignore[no-untyped-call]
            made = _by(by_core, ways, schema, value, {**options, "error_store": store})
            return made, store.errors

        trial.compare(_PARTS[name], stock=functools.partial(result, False), core=functools.partial(result, True))
        trial.end()
    except Exception:
        tell_of_fault(route)


# ---- what would run twice -----------------------------------------------------------------------


def _reason_not_to(name: str, schema: Any, value: Any, *, many: bool) -> str:
    if name == "_deserialize":
        return _code_of_schema(schema, schema.load_fields, 0) or once_only(value, look_at_unknown)
    reason = _code_of_schema(schema, schema.dump_fields, 0)
    if many and not isinstance(value, (list, tuple)):
        return reason or f"{class_name_of(type(value))} may be iterated once"
    for row in value if many else [value]:
        reason = reason or _code_of_reading(schema, row, 0)
    return reason


def _code_of_schema(schema: Any, of_schema: Any, level: int) -> str:
    """What of the application's code the fields of a schema run."""
    cls = type(schema)
    if level > _MAX_LEVELS:
        return "it is nested deep"
    for name in ("get_attribute", "_serialize", "_deserialize", "dict_class", "set_class"):
        for base in cls.__mro__:
            if name in vars(base) and not base.__module__.startswith("marshmallow."):
                return f"`{name}` of {class_name_of(base)} would run twice"
    for field in of_schema.values():
        reason = _code_of_field(field, level)
        if reason:
            return reason
    return ""


def _code_of_field(field: Any, level: int) -> str:
    if not type(field).__module__.startswith("marshmallow.") or isinstance(field, _CALLS_CODE):
        return f"the field `{field.name}` runs code of the application"
    if callable(field.load_default) or callable(field.dump_default):
        return f"the default of the field `{field.name}` would be made twice"
    for validator in field.validators:
        if isinstance(validator, FunctionType) or type(validator).__module__ != validate.__name__:
            return f"a validator of the field `{field.name}` would run twice"
    if isinstance(field, fields.Nested):
        inner = field.schema
        return _code_of_schema(inner, {**inner.load_fields, **inner.dump_fields}, level + 1)
    inside = (getattr(field, name, None) for name in ("inner", "key_field", "value_field"))
    return next(filter(None, (_code_of_field(one, level) for one in inside if one is not None)), "")


def _code_of_reading(schema: Any, row: Any, level: int) -> str:
    """What of the application's code is run where attributes of an object are read."""
    if level > _MAX_LEVELS:
        return "it is nested deep"
    for name, field in schema.dump_fields.items():
        found = row
        for step in (field.attribute or name).split("."):
            held = found if type(found) is dict else getattr(found, "__dict__", {})
            if step not in held and (type(found) is not dict or hasattr(dict, step)):
                return f"`{step}` of {class_name_of(type(found))} would be found twice"
            found = held.get(step)
            if found is None:
                break
        nested = field.schema if isinstance(field, fields.Nested) else None
        if nested is None:
            reason = once_only(found, look_at_unknown)
        else:
            rows = found if isinstance(found, (list, tuple)) else [] if found is None else [found]
            reason = next(filter(None, (_code_of_reading(nested, one, level + 1) for one in rows)), "")
        if reason:
            return reason
    return ""
