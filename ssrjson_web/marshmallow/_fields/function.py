"""Fields that call functions and methods of the user's, and constants: no attribute of an object is their value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import missing

from ssrjson_web.marshmallow._fields.describer import stock
from ssrjson_web.marshmallow._stock import IS_VERSION_3

__all__: list[str] = []


def _make_by_method(name: str, schema: Any, field: Any, run: None) -> Callable[..., Any]:
    method: Callable[..., Any] | None = field._serialize_method
    return method if method is not None else lambda thing: missing


def _make_by_function(name: str, schema: Any, field: Any, run: None) -> Callable[..., Any]:
    if not IS_VERSION_3:
        function: Callable[..., Any] = field.serialize_func
        return function
    serialize = field._serialize
    return lambda thing: serialize(None, name, thing)


def _make_constant(name: str, schema: Any, field: Any, run: None) -> Callable[..., Any]:
    constant = field.constant
    return lambda thing: constant


stock("Method", makes=_make_by_method, ignores_data=True)
stock("Function", makes=_make_by_function, ignores_data=True)
stock("Constant", makes=_make_constant, ignores_data=True)
