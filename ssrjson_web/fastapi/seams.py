"""The functions by which FastAPI encodes, that applications are known to replace with their own."""

from __future__ import annotations

import json
import sys
from typing import Any

import fastapi.encoders
import fastapi.exception_handlers
import fastapi.routing
import starlette.responses

__all__ = ["are_seams_stock", "is_field_class_stock"]

# as Any: what these modules have imported is not theirs to mypy
encoders: Any = fastapi.encoders
exception_handlers: Any = fastapi.exception_handlers
responses: Any = starlette.responses
routing: Any = fastapi.routing

_last: tuple[tuple[Any, ...], bool] = ((), False)


def are_seams_stock() -> bool:
    """Whether the core may stand in for FastAPI's encoding of responses: nobody has put another function there."""
    global _last
    seams = (
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


def is_field_class_stock(field_class: type[Any]) -> bool:
    """Whether fields of the class serialize by its own methods."""
    module = field_class.__module__
    return _is_defined_in(field_class.serialize, module) and (
        not hasattr(field_class, "serialize_json") or _is_defined_in(field_class.serialize_json, module)
    )


def _is_defined_in(function: Any, module: str) -> bool:
    # not by __module__, which functools.wraps copies; a proxy of a tracer (wrapt) has the globals of what it calls
    return getattr(function, "__globals__", None) is vars(sys.modules[module])
