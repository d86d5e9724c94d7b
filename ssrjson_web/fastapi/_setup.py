"""The function that connects an application to the core."""

from __future__ import annotations

import logging
from functools import cache
from typing import Literal

from fastapi import FastAPI
from starlette.requests import Request

from ssrjson_web._compare.arguments import checked_comparison
from ssrjson_web._known.unknown import tell_of_unknown
from ssrjson_web._shared.application import wrong_application
from ssrjson_web._shared.switch import leaves_all_to_stock
from ssrjson_web.fastapi._errors import replace_error_handlers
from ssrjson_web.fastapi._openapi import replace_openapi_route
from ssrjson_web.fastapi._request import SSRJSONRequest
from ssrjson_web.fastapi._route import SSRJSONRoute
from ssrjson_web.fastapi._router import adopt_router, route_class_with
from ssrjson_web.fastapi._seams import LIBRARIES, look_at_seams
from ssrjson_web.starlette import SSRJSONResponse
from ssrjson_web.starlette._sliced import SLICE_FROM

__all__ = ["setup"]

_LOG = logging.getLogger("ssrjson_web.fastapi")


def setup(
    app: FastAPI,
    *,
    response_models: bool = True,
    requests: bool = True,
    errors: bool = True,
    openapi: bool = True,
    max_body_size: int | None = None,
    max_depth: int | None = None,
    slice_ms: float | None = None,
    slice_from: int | None = None,
    compare: float = 0,
    serve: Literal["stock", "core"] = "stock",
    mask: bool = True,
) -> None:
    """Make the core encode and decode an application's JSON: responses, requests, errors and the OpenAPI schema.

    Call it once before the application starts. Routes may be added before and after it. Call it for each mounted
    application too. `response_models`, `requests`, `errors` and `openapi` switch its parts off. `max_body_size` in
    bytes and `max_depth` in levels limit requests; larger ones get status 413 and 400. With `slice_ms` large answers
    without a response model do not stop the event loop: see `SSRJSONResponse.sliced`.

    `compare` is a share of requests, 0.01 for one in a hundred, that FastAPI and the core both answer, to compare them;
    FastAPI's answers are sent, and so they are to all other requests. `serve="core"` sends the core's. `mask=False`
    shows what differs as it is.

    Raises TypeError for an object that is not a FastAPI application, TypeError and ValueError for wrong arguments.
    Raises RuntimeError where the application has started and error handlers can no longer be replaced.
    """
    if not isinstance(app, FastAPI):
        raise wrong_application("setup", "FastAPI", FastAPI, app)
    _check_switches(response_models=response_models, requests=requests, errors=errors, openapi=openapi)
    _check_limit("max_body_size", max_body_size, at_least=0)
    _check_limit("max_depth", max_depth, at_least=1)
    if not requests and (max_body_size, max_depth) != (None, None):
        raise ValueError("max_body_size and max_depth are limits of requests: they need requests=True")
    slices = _checked_slices(slice_ms, slice_from)
    comparison = checked_comparison(compare, serve, mask)
    is_stock_sent = comparison is not None and not comparison.serves_core
    if is_stock_sent and (max_body_size, max_depth, slice_ms) != (None, None, None):
        raise ValueError("max_body_size, max_depth and slice_ms are the core's: with compare they need serve='core'")
    request_class = _request_class_with(max_body_size, max_depth) if requests else None
    if leaves_all_to_stock():
        return
    look_at_seams()
    if errors and not is_stock_sent:
        replace_error_handlers(app)
    route_class = route_class_with(request_class, response_models, slices, comparison)
    _adopt_routes(app, route_class, "is compared on" if is_stock_sent else "serves")
    if openapi and not is_stock_sent:
        replace_openapi_route(app)
    tell_of_unknown(*LIBRARIES)


def _check_switches(**switches: object) -> None:
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise TypeError(f"{name} must be True or False, not {value!r}")


def _check_limit(name: str, value: object, *, at_least: int) -> None:
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int or None, not {value!r}")
    if value < at_least:
        raise ValueError(f"{name} must be {at_least} or more, not {value}")


def _checked_slices(slice_ms: float | None, slice_from: int | None) -> tuple[float, int] | None:
    if slice_ms is None:
        if slice_from is not None:
            raise ValueError("slice_from is of answers in slices: it needs slice_ms")
        return None
    slices = (slice_ms, SLICE_FROM if slice_from is None else slice_from)
    SSRJSONResponse.sliced(slice_ms=slices[0], slice_from=slices[1])  # raises for wrong ones
    return slices


@cache
def _request_class_with(max_body_size: int | None, max_depth: int | None) -> type[Request]:
    """`SSRJSONRequest`, or a subclass with limits."""
    if (max_body_size, max_depth) == (None, None):
        return SSRJSONRequest
    return SSRJSONRequest.limited(max_body_size=max_body_size, max_depth=max_depth)


def _adopt_routes(app: FastAPI, route_class: type[SSRJSONRoute], does: str) -> None:
    """Adopt the application's router. A schema that exists, and may have been edited, is still the one served."""
    routes_version = getattr(app.router, "_get_routes_version", None)  # FastAPI >= 0.137 makes it again after a change
    is_current = routes_version is not None and getattr(app, "_openapi_routes_version", None) == routes_version()
    adoption = adopt_router(app.router, route_class)
    if adoption.n_served or adoption.n_left:
        _LOG.info(
            "the core %s %d of %d routes; `python -m ssrjson_web doctor module:app` says why",
            does,
            adoption.n_served,
            adoption.n_served + adoption.n_left,
        )
    if routes_version is not None and is_current:
        app._openapi_routes_version = routes_version()
