"""Plugins of pydantic: whether one of them listens to a validator.

With a plugin installed, pydantic puts a `PluggableSchemaValidator` around each `SchemaValidator`. Where no plugin has a
handler for a schema, its methods are those of the validator within.
"""

from __future__ import annotations

import sys
from typing import Any, Literal, TypeAlias

from pydantic_core import SchemaValidator

from ssrjson_web._models.pydantic.releases import obstacle_of_core

__all__ = ["Method", "listener_of"]

Method: TypeAlias = Literal["validate_python", "validate_json"]

_EVENTS = ("on_enters", "on_successes", "on_errors", "on_exceptions")
_OF_VALUES = ("on_enters", "on_successes")
"""The handlers that hear of a value that is right, as pydantic's wrapper of a method names them."""
_UNKNOWN = "a validator that is not pydantic's"


def listener_of(validator: Any, method: Method = "validate_python") -> str:
    """Who would hear of a value that a validator's method accepts, such as `the plugin logfire.integrations.pydantic`.

    Empty where nobody would, so that the method may be left out; not with a pydantic-core that is not known.
    """
    if obstacle := obstacle_of_core():
        return obstacle
    if type(validator) is SchemaValidator:
        return ""
    module: Any = sys.modules.get("pydantic.plugin._schema_validator")
    if type(validator) is not getattr(module, "PluggableSchemaValidator", None):
        is_incomplete = type(validator).__name__ == "MockValSer"
        return "a type that is not defined yet" if is_incomplete else _UNKNOWN
    within = getattr(validator, "_schema_validator", None)
    if type(within) is not SchemaValidator:
        return _UNKNOWN
    called = getattr(validator, method, None)
    if called == getattr(within, method):
        return ""
    return _handler(called, module)


def _handler(wrapper: Any, module: Any) -> str:
    """The handler that a wrapper of a method calls for a value that is right; empty where it calls none."""
    code = getattr(wrapper, "__code__", None)
    cells = dict(zip(getattr(code, "co_freevars", ()), getattr(wrapper, "__closure__", None) or (), strict=False))
    is_pydantics = getattr(wrapper, "__globals__", None) is vars(module)
    if not is_pydantics or not cells.keys() >= {*_EVENTS}:
        return f"the plugin {_module_of(wrapper)}"
    handlers = [handler for name in _OF_VALUES for handler in cells[name].cell_contents]
    return f"the plugin {_module_of(handlers[0])}" if handlers else ""


def _module_of(function: Any) -> str:
    """The module whose code a function or method is: a wrapper has the `__module__` of what it wraps."""
    inner = getattr(function, "__func__", function)
    name = getattr(inner, "__globals__", {}).get("__name__") or getattr(type(function), "__module__", None)
    return str(name)
