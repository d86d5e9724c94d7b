"""How many answers and bodies of each route bypassed validation, for the memory middleware."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

from fastapi.routing import APIRoute
from starlette.applications import Starlette

from ssrjson_web._shared.route_report import ValidationCount
from ssrjson_web.fastapi._report import report_of_ours, validation_counts
from ssrjson_web.fastapi._route import SSRJSONRoute, name_of_route
from ssrjson_web.starlette._routes import place_of, routes_of

__all__ = ["counts_of_routes", "is_application", "reasons_of_routes", "routes_of_ours"]

_NONE = ValidationCount(around=0, validated=0)


def is_application(app: object) -> bool:
    """Whether an application may have counted routes: one of Starlette's may mount one of FastAPI's."""
    return isinstance(app, Starlette)


def counts_of_routes(app: Starlette) -> dict[str, dict[str, int]]:
    """The numbers of each route that has any, by its methods and path: `POST /orders`.

    They only read counters, so this is fast. Routes of the same methods and path are added up.
    """
    found: dict[str, dict[str, int]] = {}
    for name, _, state, _ in routes_of_ours(routes_of(app.router)):
        answers, bodies = (count or _NONE for count in validation_counts(state))
        numbers = {
            "answers_around": answers.around,
            "answers_validated": answers.validated,
            "bodies_around": bodies.around,
            "bodies_validated": bodies.validated,
        }
        if any(numbers.values()):
            before = found.get(name, {})
            found[name] = {key: before.get(key, 0) + number for key, number in numbers.items()}
    return found


def reasons_of_routes(app: Starlette, names: Container[str]) -> dict[str, str]:
    """What `route_report` says of the routes with these names."""
    return {
        name: report_of_ours(route, state, prefix).reason
        for name, route, state, prefix in routes_of_ours(routes_of(app.router))
        if name in names
    }


def routes_of_ours(routes: Iterable[Any], prefix: str = "") -> Iterator[tuple[str, SSRJSONRoute, Any, str]]:
    """The name of each route of ours, the route, what its inclusion makes of it, and the prefix of its mounts."""
    for state in routes:
        candidates = getattr(state, "effective_candidates", None)  # FastAPI >= 0.137: an included router
        route = getattr(state, "original_route", state)
        if candidates is not None:
            yield from routes_of_ours(candidates(), prefix)
        elif isinstance(route, SSRJSONRoute):
            methods, _, path = name_of_route(state).partition(" ")
            yield f"{methods} {prefix}{path}", route, state, prefix
        elif not isinstance(route, APIRoute):
            mount = getattr(state, "starlette_route", None) or route  # with the prefix of its inclusion
            yield from routes_of_ours(routes_of(mount), place_of(mount, prefix))
