"""Which routes of a Starlette application the core serves."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.responses import Response
from starlette.routing import BaseRoute, Host, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from ssrjson_web._known.unknown import unknown_parts
from ssrjson_web._shared.application import wrong_application
from ssrjson_web._shared.endpoint_results import results_of
from ssrjson_web._shared.names import class_name_of, name_of
from ssrjson_web._shared.route_report import ApplicationReport, RouteReport, sorted_methods
from ssrjson_web.starlette._responses import ORJSONResponse, SSRJSONResponse
from ssrjson_web.starlette._routes import place_of, routes_of
from ssrjson_web.starlette._routing import SSRJSONRoute, SSRJSONWebSocketRoute
from ssrjson_web.starlette._streaming import ChunkedResponse

__all__ = [
    "application_report",
    "is_our_response",
    "route_report",
    "walk_routes",
]

_Special = Callable[[Any, str], "Iterator[RouteReport] | None"]


def route_report(app: Starlette) -> tuple[RouteReport, ...]:
    """The routes of a Starlette application, in order: whether the core serves each, and why.

    Mounted applications are included. Nothing is called and nothing is changed. Raises TypeError for what is no
    Starlette application.
    """
    return application_report(app).routes


def application_report(app: Starlette) -> ApplicationReport:
    """The routes with the name of the framework. Raises TypeError as `route_report` does."""
    if not isinstance(app, Starlette):
        raise wrong_application("route_report", "Starlette", Starlette, app)
    return ApplicationReport(
        framework="Starlette", parts=unknown_parts(), routes=tuple(walk_routes(routes_of(app.router)))
    )


def is_our_response(response_class: object) -> bool:
    """Whether the core encodes what a response class of Starlette's sends. A function or a partial is none of ours."""
    return isinstance(response_class, type) and issubclass(
        response_class, (SSRJSONResponse, ORJSONResponse, ChunkedResponse)
    )


def walk_routes(
    routes: Iterable[BaseRoute], prefix: str = "", special: _Special = lambda route, prefix: None
) -> Iterator[RouteReport]:
    """Each route, those of mounted applications too; `special` may report a route, with its prefix, instead."""
    for route in routes:
        reports = special(route, prefix)
        yield from _reports(route, prefix, special) if reports is None else reports


def _reports(route: Any, prefix: str, special: _Special) -> Iterator[RouteReport]:
    if isinstance(route, Route):
        yield _route(route, prefix)
    elif isinstance(route, WebSocketRoute):
        yield _websocket_route(route, prefix)
    elif isinstance(route, (Mount, Host)):
        place, routes = place_of(route, prefix), routes_of(route)
        if routes:
            yield from walk_routes(routes, place, special)
        else:
            yield _mounted(getattr(route, "_base_app", route.app), place)
    else:
        yield _unknown(route, prefix)


def _route(route: Route, prefix: str) -> RouteReport:
    encodes, decodes, reason = _of_ours(route) if isinstance(route, SSRJSONRoute) else _of_stock(route)
    return RouteReport(
        path=prefix + route.path,
        methods=sorted_methods(route.methods),
        endpoint=name_of(route.endpoint),
        encodes=encodes,
        decodes=decodes,
        reason=reason,
    )


def _is_called_with_request(endpoint: Any) -> bool:
    """Whether Starlette calls it as a function of the request, or its methods: not as an ASGI application."""
    if isinstance(endpoint, type):
        return issubclass(endpoint, HTTPEndpoint)
    return inspect.isroutine(getattr(endpoint, "func", endpoint))


def _of_ours(route: SSRJSONRoute) -> tuple[bool | None, bool | None, str]:
    if not _is_called_with_request(route.endpoint):
        return None, None, "an SSRJSONRoute, but its endpoint is an ASGI application, which answers by itself"
    results = results_of(route.endpoint, Response)
    names = " or ".join(map(class_name_of, results.annotated))
    if not results.annotated:
        others = results.names(lambda named: named is not Response and not _is_ours(named))
        if others:
            return None, True, f"an SSRJSONRoute; a response of {others}, which its endpoint names, is sent as it is"
    elif not results.is_annotated_whole:
        return None, True, f"an SSRJSONRoute, whose endpoint may return {names}, which is sent as it is"
    elif not all(map(is_our_response, results.annotated)):
        if any(issubclass(SSRJSONResponse, one) or is_our_response(one) for one in results.annotated):
            return None, True, f"an SSRJSONRoute; its endpoint returns {names}, which may be ours or stock's"
        return False, True, f"an SSRJSONRoute, but its endpoint returns {names}, which is sent as it is"
    return True, True, "an SSRJSONRoute makes an SSRJSONResponse of plain values, and its request is an SSRJSONRequest"


def _of_stock(route: Route) -> tuple[bool | None, bool | None, str]:
    if any(base.__module__ == "fastapi.routing" for base in type(route).__mro__):
        return None, None, "a route of a FastAPI application: examine that application by itself"
    results = results_of(route.endpoint, Response)
    if results.annotated and results.is_annotated_whole:
        names = " or ".join(map(class_name_of, results.annotated))
        if all(map(is_our_response, results.annotated)):
            return True, False, f"a stock Route whose endpoint returns {names}; SSRJSONRoute decodes too"
        if not any(issubclass(SSRJSONResponse, one) or is_our_response(one) for one in results.annotated):
            return False, False, f"a stock Route whose endpoint returns {names}, which is not ours"
    ours = results.names(_is_ours)
    others = results.names(lambda named: named is not Response and not _is_ours(named))
    if ours and not others:
        return True, False, f"a stock Route whose endpoint names {ours}; SSRJSONRoute decodes too"
    if others and not ours and Response not in results.named:
        return False, False, f"a stock Route whose endpoint names {others}, which is not ours; use SSRJSONRoute"
    return None, False, "a stock Route: the core encodes if the endpoint returns SSRJSONResponse; use SSRJSONRoute"


def _is_ours(named: Any) -> bool:
    return isinstance(named, type) and is_our_response(named)


def _websocket_route(route: WebSocketRoute, prefix: str) -> RouteReport:
    is_ours = isinstance(route, SSRJSONWebSocketRoute)
    return RouteReport(
        path=prefix + route.path,
        methods=(),
        endpoint=name_of(route.endpoint),
        encodes=is_ours,
        decodes=is_ours,
        reason="an SSRJSONWebSocketRoute" if is_ours else "a stock WebSocketRoute: use SSRJSONWebSocketRoute",
    )


def _unknown(route: Any, prefix: str) -> RouteReport:
    endpoint = getattr(route, "endpoint", None)
    return RouteReport(
        path=place_of(route, prefix),
        methods=(),
        endpoint=name_of(route if endpoint is None else endpoint),
        encodes=None,
        decodes=None,
        reason=f"a route of the class {type(route).__name__}, which is not known",
    )


def _mounted(app: Any, place: str) -> RouteReport:
    is_static = isinstance(app, StaticFiles)
    return RouteReport(
        path=f"{place}/*",
        methods=(),
        endpoint=name_of(app),
        encodes=False if is_static else None,
        decodes=False if is_static else None,
        reason="static files" if is_static else f"a mounted {type(app).__name__}: examine that application by itself",
    )
