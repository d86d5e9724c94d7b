"""The routes of an application, and where they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from starlette.routing import BaseRoute, Host

__all__ = ["place_of", "routes_of"]


def place_of(route: Any, prefix: str) -> str:
    """The prefix of a mount's routes, or of a host's; of another kind of route its path, if it has one."""
    if isinstance(route, Host):
        return f"{prefix}//{route.host}"
    path = getattr(route, "path", None)
    return prefix + path if isinstance(path, str) else prefix


def routes_of(owner: Any) -> list[BaseRoute]:
    """The routes of a router, or of what is mounted; none of an ASGI application of another kind."""
    routes = getattr(owner, "routes", None)
    if not isinstance(routes, Iterable) or isinstance(routes, (str, bytes)):
        return []
    found = list(routes)
    return found if all(isinstance(one, BaseRoute) for one in found) else []
