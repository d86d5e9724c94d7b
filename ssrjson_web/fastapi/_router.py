"""Routers and their existing routes get another route class."""

from __future__ import annotations

import logging
from functools import cache
from typing import Any

from fastapi import routing
from fastapi.routing import APIRoute, APIRouter
from starlette.requests import Request

from ssrjson_web.fastapi._route import SSRJSONRoute

__all__ = ["adopt_router", "route_class_with"]

_LOG = logging.getLogger("ssrjson_web.fastapi")
_MADE = "_made_by_setup"


@cache
def route_class_with(request_class: type[Request] | None, encodes_response_models: bool) -> type[SSRJSONRoute]:
    """A subclass of `SSRJSONRoute` with these class attributes. The same arguments return the same class."""
    namespace = {
        "__module__": SSRJSONRoute.__module__,
        "__doc__": SSRJSONRoute.__doc__,
        "request_class": request_class,
        "encodes_response_models": encodes_response_models,
        _MADE: True,
    }
    return type("SSRJSONRoute", (SSRJSONRoute,), namespace)


class _AdoptedRouter(APIRouter):
    """An `APIRouter` that gives its route class to the routers that it includes."""

    adopting_route_class: type[SSRJSONRoute]

    def include_router(self, router: APIRouter, **options: Any) -> None:
        super().include_router(router, **options)
        adopt_router(self, self.adopting_route_class)


def adopt_router(router: APIRouter, route_class: type[SSRJSONRoute]) -> None:
    """Make `route_class` the class of the router's present and future routes, and of those of included routers."""
    _adopt(router, route_class, set(), is_included=False)


def _adopt(router: APIRouter, route_class: type[SSRJSONRoute], seen: set[int], *, is_included: bool) -> None:
    if id(router) in seen:
        return
    seen.add(id(router))
    if type(router) in (APIRouter, _AdoptedRouter):
        router.__class__ = _AdoptedRouter
        router.adopting_route_class = route_class  # type: ignore[attr-defined]
    else:
        _LOG.debug("%s is a subclass of APIRouter: routers that it includes from now on are not changed", type(router))
    if _is_replaceable(router.route_class):
        router.route_class = route_class
    n_adopted = 0
    for route in router.routes:
        nested = getattr(route, "original_router", None)  # FastAPI >= 0.137 keeps an included router unchanged
        if isinstance(nested, APIRouter):
            _adopt(nested, route_class, seen, is_included=True)
        elif isinstance(route, APIRoute):
            n_adopted += _adopt_route(route, route_class)
    mark_changed = getattr(router, "_mark_routes_changed", None)
    if is_included and n_adopted and mark_changed is not None:
        mark_changed()  # otherwise routers that include it would keep the handlers that they have built


def _is_replaceable(route_class: type[APIRoute]) -> bool:
    return route_class in (APIRoute, SSRJSONRoute) or _MADE in vars(route_class)


def _adopt_route(route: APIRoute, route_class: type[SSRJSONRoute]) -> bool:
    """Give the route this class. Returns whether it had another one."""
    previous = type(route)
    if previous is route_class:
        return False
    if not _is_replaceable(previous):
        _LOG.debug("%s is a %s: it stays as it is", route.path, previous)
        return False
    route.__class__ = route_class
    try:
        app = _app_of(route)
    except BaseException:
        route.__class__ = previous
        raise
    if not _is_same_kind(app, route.app):
        route.__class__ = previous
        _LOG.debug("the application of %s was replaced: it stays as it is", route.path)
        return False
    route.app = app
    return True


def _app_of(route: APIRoute) -> Any:
    """The ASGI application that the constructor of a route makes."""
    app = routing.request_response(route.get_route_handler())
    limit_body = getattr(routing, "wrap_app_with_body_limit", None)
    return app if limit_body is None else limit_body(app, getattr(route, "max_body_size", None))


def _is_same_kind(app: Any, other: Any) -> bool:
    """Whether two ASGI applications have the same wrappers and the same code in the innermost function."""
    while type(app) is type(other):
        code = getattr(app, "__code__", None)
        if code is not None:
            return code is other.__code__
        if not hasattr(app, "app"):
            return False
        app, other = app.app, other.app
    return False
