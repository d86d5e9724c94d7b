"""Routers and their existing routes get another route class.

A class of the application's own between a route and `APIRoute` is kept: a class made of both has ours below it, where
its `super()` finds it.
"""

from __future__ import annotations

import copy
import logging
from typing import TYPE_CHECKING, Any

from fastapi import routing
from fastapi.routing import APIRoute, APIRouter
from starlette.requests import Request

from ssrjson_web._shared.alike import are_alike
from ssrjson_web._shared.made_classes import made_once
from ssrjson_web.fastapi._route import REACHED, SSRJSONRoute
from ssrjson_web.starlette._routes import routes_of

if TYPE_CHECKING:
    from ssrjson_web._compare.comparison import Comparison

__all__ = ["adopt_router", "route_class_with"]

_LOG = logging.getLogger("ssrjson_web.fastapi")
_MADE = "_made_by_setup"
_OWN = "_ssrjson_own_class"
"""The attribute of a class made of two: the application's own class among them."""


@made_once
def route_class_with(
    request_class: type[Request] | None,
    encodes_response_models: bool,
    slices: tuple[float, int] | None = None,
    comparison: Comparison | None = None,
) -> type[SSRJSONRoute]:
    """A subclass of `SSRJSONRoute` with these class attributes. The same arguments return the same class."""
    namespace = {
        "__module__": SSRJSONRoute.__module__,
        "__doc__": SSRJSONRoute.__doc__,
        "request_class": request_class,
        "encodes_response_models": encodes_response_models,
        "slices": slices,
        "comparison": comparison,
        _MADE: True,
    }
    return type("SSRJSONRoute", (SSRJSONRoute,), namespace)


class _AdoptedRouter(APIRouter):
    """An `APIRouter` that gives its route class to the routers that it includes."""

    adopting_route_class: type[SSRJSONRoute]

    def include_router(self, router: APIRouter, **options: Any) -> None:
        super().include_router(router, **options)
        adopt_router(self, self.adopting_route_class)


class Adoption:
    """Counts the routes that were given another class, and those that were left."""

    def __init__(self, route_class: type[SSRJSONRoute]) -> None:
        self.route_class = route_class
        self.n_served = self.n_left = 0
        self._seen: dict[int, Any] = {}  # by address, so that they are held

    def adopt_router(self, router: APIRouter, *, is_included: bool = False) -> None:
        if id(router) in self._seen:
            return
        self._seen[id(router)] = router
        if isinstance(router, APIRouter):
            self._replace_router_class(router)
            router.route_class = _combined(router.route_class, self.route_class) or router.route_class
        n_changed = 0
        for route in routes_of(router):
            nested = getattr(route, "original_router", None)  # FastAPI >= 0.137 keeps an included router unchanged
            if isinstance(nested, APIRouter):
                self.adopt_router(nested, is_included=True)
            elif isinstance(route, APIRoute):
                n_changed += self._adopt_route(route)
        mark_changed = getattr(router, "_mark_routes_changed", None)
        if is_included and n_changed and mark_changed is not None:
            mark_changed()  # otherwise routers that include it would keep the handlers that they have built

    def _replace_router_class(self, router: APIRouter) -> None:
        router_class = _combined(type(router), _AdoptedRouter)
        if router_class is None or not _has_class(router, router_class):
            _LOG.debug("%s: routers that it includes from now on are not changed", type(router))
            return
        router.adopting_route_class = self.route_class  # type: ignore[attr-defined]

    def _adopt_route(self, route: APIRoute) -> bool:
        """Give the route our class, below one of its own. Returns whether it had another one."""
        previous = type(route)
        route_class = _combined(previous, self.route_class)
        if route_class is previous:
            self.n_served += 1
            return False
        is_changed = route_class is not None and _exchange_class(route, route_class)
        is_served = is_changed or issubclass(previous, SSRJSONRoute)
        self.n_served += is_served
        self.n_left += not is_served
        if not is_changed:
            reason = (
                "can have no other class"
                if route_class is None
                else "builds its handler or application itself, or was changed since"
            )
            _LOG.debug("%s is a %s, which %s: it stays as it is", route.path, previous, reason)
        return is_changed


def adopt_router(router: APIRouter, route_class: type[SSRJSONRoute]) -> Adoption:
    """Make `route_class` the class of the router's present and future routes, and of those of included routers."""
    adoption = Adoption(route_class)
    adoption.adopt_router(router)
    return adoption


def _combined(cls: type[Any], ours: type[Any]) -> type[Any] | None:
    """`ours`, or a class made of a class of the application's own and `ours`; None where there can be none.

    A class that is derived from `SSRJSONRoute` is returned as it is.
    """
    own = vars(cls).get(_OWN, cls)
    if own in (APIRoute, SSRJSONRoute, APIRouter) or _MADE in vars(own) or own is _AdoptedRouter:
        return ours
    both: type[Any] | None = own if issubclass(own, (SSRJSONRoute, _AdoptedRouter)) else _class_of_both(own, ours)
    return both


@made_once
def _class_of_both(own: Any, ours: Any) -> Any:
    bases = own.__mro__[: own.__mro__.index(APIRoute if issubclass(own, APIRoute) else APIRouter)]
    if any("__init_subclass__" in vars(base) for base in bases):
        return None  # which may count or register the class
    namespace = {"__module__": own.__module__, "__doc__": own.__doc__, "__qualname__": own.__qualname__, _OWN: own}
    try:
        return type(own)(own.__name__, (own, ours), namespace)
    except TypeError:
        return None


def _has_class(thing: Any, cls: type[Any]) -> bool:
    """Give an object a class. Returns whether it has it."""
    try:
        thing.__class__ = cls
    except TypeError:  # other slots
        return False
    return True


def _exchange_class(route: APIRoute, route_class: type[Any]) -> bool:
    """Give a route a class and the application that the class builds. Returns whether that is built by ours."""
    previous = type(route)
    if not _is_built_by_handler(route):
        return False
    vars(route).pop(REACHED, None)
    if not _has_class(route, route_class):
        return False
    try:
        app = _app_of(route)
    except BaseException:
        route.__class__ = previous
        raise
    is_ours: bool = vars(route).pop(REACHED, False)
    if is_ours:
        route.app = app
    else:
        route.__class__ = previous
    return is_ours


def _is_built_by_handler(route: APIRoute) -> bool:
    """Whether the route's application is the one that its class makes of its handler and its present attributes."""
    try:
        trial, dependant = copy.copy(route), copy.copy(route.dependant)
        trial.dependant = dependant  # tracers wrap the call of the dependant that a handler is built of
        app = _app_of(trial)
    except Exception:  # of code of the class, which stock would not call
        return False
    return are_alike(app, route.app, {id(trial): route, id(dependant): route.dependant})


def _app_of(route: APIRoute) -> Any:
    """The ASGI application that the constructor of a route makes."""
    app = routing.request_response(route.get_route_handler())
    limit_body = getattr(routing, "wrap_app_with_body_limit", None)
    return app if limit_body is None else limit_body(app, getattr(route, "max_body_size", None))
