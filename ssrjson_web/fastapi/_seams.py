"""FastAPI's and Starlette's functions that ours stand in for: whether they are known, and nobody has replaced them."""

from __future__ import annotations

import functools
import json
from types import FunctionType
from typing import Any

import fastapi.encoders
import fastapi.exception_handlers
import fastapi.routing
import starlette.responses
from fastapi._compat import ModelField
from pydantic import BaseModel, TypeAdapter
from starlette.responses import JSONResponse

from ssrjson_web._core import _are_same
from ssrjson_web._known.functions import found_at, is_defined, is_own, is_text_known, stands_in_for
from ssrjson_web._models.jsonable import write_models
from ssrjson_web._models.pydantic.releases import obstacle_of_core
from ssrjson_web._models.pydantic.seams import ADAPTERS, MODEL_DUMP

__all__ = [
    "LIBRARIES",
    "are_handlers_known",
    "are_seams_stock",
    "is_field_class_stock",
    "is_openapi_known",
    "look_at_seams",
]

LIBRARIES = ("fastapi", "starlette", "pydantic")
"""What ours stand in for functions of."""

# as Any, because mypy does not see the names that these modules have imported
encoders: Any = fastapi.encoders
exception_handlers: Any = fastapi.exception_handlers
responses: Any = starlette.responses
routing: Any = fastapi.routing

_ENCODER = "fastapi.encoders.jsonable_encoder"
_DUMPS = tuple(filter(is_defined, (f"fastapi._compat{part}._model_dump" for part in ("", ".main", ".v2"))))
"""What older versions of `jsonable_encoder` call to dump a model."""
_HAS_DUMP = hasattr(encoders, "_model_dump")
_REPLACED = (
    *(_ENCODER, _ENCODER, _ENCODER),
    "starlette.responses.JSONResponse.render",
    "starlette.responses.JSONResponse.__init__",
    "json.dumps",
)
_CALLED = ("fastapi.routing.run_endpoint_function", "fastapi.routing.serialize_response")
_HAS_SYNC = hasattr(routing, "_run_sync_endpoint")  # FastAPI >= 0.165
_SYNC = ("fastapi.telemetry._api._run_sync_endpoint",) if _HAS_SYNC else ()
_HANDLERS = ("fastapi.routing.get_request_handler", "fastapi.routing.APIRoute.get_route_handler")
_OPENAPI = "fastapi.applications.FastAPI.setup"
_FIELDS = tuple(
    f"{module}.ModelField.{name}"
    for module in ("fastapi._compat", "fastapi._compat.v2")
    for name in ("validate", "serialize", "serialize_json")
)
_WRITES_JSON = hasattr(ModelField, "serialize_json")  # FastAPI >= 0.130
_ANSWERS = "the encoding of answers"
stands_in_for(*_REPLACED, *_DUMPS, left=_ANSWERS)
stands_in_for(*_CALLED, *_HANDLERS, *_SYNC, left=_ANSWERS, is_still_called=True)
stands_in_for(_OPENAPI, left="the route of the schema", is_still_called=True)
stands_in_for(*_FIELDS, left="the validation of bodies and answers, and the encoding of response models")

_OF_MODELS = vars(BaseModel)  # whose metaclass makes attributes ten times as slow

_last: tuple[tuple[Any, ...], bool] = ((), False)
_last_field: tuple[tuple[Any, ...], bool] = ((), False)


def are_seams_stock() -> bool:
    """Whether FastAPI's functions are the original ones, so that the core may replace its encoding of responses."""
    global _last
    found = (
        routing.run_endpoint_function,
        routing.serialize_response,
        routing.jsonable_encoder,
        encoders.jsonable_encoder,
        exception_handlers.jsonable_encoder,
        JSONResponse.render,
        JSONResponse.__init__,
        json.dumps,
        responses.json,
        _OF_MODELS["model_dump"],
        encoders._model_dump if _HAS_DUMP else None,
        routing._run_sync_endpoint if _HAS_SYNC else None,
    )
    seen, is_stock = _last
    # not by `==`: a proxy equals what it is around
    if not _are_same(found, seen):
        is_stock = (
            responses.json is json
            and all(map(_is_seen_to, found, _CALLED))
            and all(map(is_own, found[len(_CALLED) :], _REPLACED))
            and (not _HAS_DUMP or _is_one_of(encoders._model_dump, _DUMPS))
            and all(is_own(found_at(name), name) for name in _DUMPS)
            and all(is_own(routing._run_sync_endpoint, name) for name in _SYNC)
        )
        write_models(MODEL_DUMP.are_known())
        _last = (found, is_stock)
    return is_stock


def _is_seen_to(function: Any, name: str) -> bool:
    """Whether a function of routing is FastAPI's, or a proxy around it, as those of wrapt are: FastAPI calls it."""
    if type(function) is FunctionType:
        return is_own(function, name)
    return getattr(function, "__globals__", None) is vars(routing) and is_text_known(name)


def is_field_class_stock(field_class: Any) -> bool:
    """Whether the class has the original methods that validate and serialize fields, and so have their adapters."""
    global _last_field
    found = (
        field_class.validate,
        field_class.serialize,
        field_class.serialize_json if _WRITES_JSON else None,
        TypeAdapter.validate_python,
        TypeAdapter.dump_python,
        TypeAdapter.dump_json,
    )
    seen, is_stock = _last_field
    if not _are_same(found, seen):
        is_stock = ADAPTERS.are_known() and all(one is None or _is_one_of(one, _FIELDS) for one in found[:3])
        _last_field = (found, is_stock)
    return is_stock


def _is_one_of(function: Any, names: tuple[str, ...]) -> bool:
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '')}"
    return name in names and is_own(function, name)


@functools.cache
def are_handlers_known() -> bool:
    """Whether the handlers that FastAPI builds do with an answer what we know. Who wraps them calls them."""
    return all(map(is_text_known, _HANDLERS))


@functools.cache
def is_openapi_known() -> bool:
    """Whether we know what the endpoint of the schema does."""
    return is_text_known(_OPENAPI)


def look_at_seams() -> None:
    """Look at all of them before the first request, which would wait for that: some milliseconds."""
    obstacle_of_core()
    are_handlers_known()
    are_seams_stock()
    is_field_class_stock(ModelField)
