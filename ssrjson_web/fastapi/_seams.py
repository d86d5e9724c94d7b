"""Functions that FastAPI encodes with and that applications may replace with their own."""

from __future__ import annotations

import json
import sys
from typing import Any

import fastapi.encoders
import fastapi.exception_handlers
import fastapi.routing
import starlette.responses

__all__ = ["are_seams_stock", "is_field_class_stock"]

# as Any, because mypy does not see the names that these modules have imported
encoders: Any = fastapi.encoders
exception_handlers: Any = fastapi.exception_handlers
responses: Any = starlette.responses
routing: Any = fastapi.routing

_OBSERVERS = ("logfire", "ssrjson_web.monitor.observation")
"""Packages and modules whose wrappers call the function that they replace, with its arguments and result unchanged."""

_last: tuple[tuple[Any, ...], bool] = ((), False)
_last_field: tuple[tuple[Any, ...], bool] = ((), False)


def are_seams_stock() -> bool:
    """Whether FastAPI's functions are the original ones, so that the core may replace its encoding of responses."""
    global _last
    seams = (
        routing.run_endpoint_function,
        routing.serialize_response,
        routing.jsonable_encoder,
        encoders.jsonable_encoder,
        exception_handlers.jsonable_encoder,
        responses.JSONResponse.render,
        responses.json,
        json.dumps,
    )
    seen, is_stock = _last
    if seams != seen:
        is_stock = responses.json is json and all(
            _is_defined_in(function, name)
            for function, name in (
                (routing.run_endpoint_function, routing.__name__),
                (routing.serialize_response, routing.__name__),
                (routing.jsonable_encoder, encoders.__name__),
                (encoders.jsonable_encoder, encoders.__name__),
                (exception_handlers.jsonable_encoder, encoders.__name__),
                (responses.JSONResponse.render, responses.__name__),
                (json.dumps, json.__name__),
            )
        )
        _last = (seams, is_stock)
    return is_stock


def is_field_class_stock(field_class: Any) -> bool:
    """Whether the class has the original methods that validate and serialize fields."""
    global _last_field
    methods = (field_class.validate, field_class.serialize, getattr(field_class, "serialize_json", None))
    seen, is_stock = _last_field
    if methods != seen:
        module = field_class.__module__
        is_stock = all(function is None or _is_defined_in(function, module) for function in methods)
        _last_field = (methods, is_stock)
    return is_stock


def _is_defined_in(function: Any, module: str) -> bool:
    # by globals and not by __module__, which functools.wraps copies; a wrapt proxy has the globals of its function
    namespace = getattr(function, "__globals__", None)
    if namespace is None:
        return False
    if namespace is vars(sys.modules[module]):
        return True
    name: str = namespace["__name__"]
    return name in _OBSERVERS or name.partition(".")[0] in _OBSERVERS
