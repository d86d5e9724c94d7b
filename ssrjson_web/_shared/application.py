"""Applications: those within middlewares, and the error for an object that is not one of the framework."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["applications_within", "wrong_application"]

_INNER = ("app", "application")
"""Attributes in which middlewares keep the application that they wrap."""
_MAX_MIDDLEWARES = 20

# advice by the name of the class that was given
_ADVICE: Mapping[str, str] = {
    "fastapi.applications.FastAPI": "for FastAPI use ssrjson_web.fastapi.setup(app)",
    "fastapi.routing.APIRouter": "for one router use APIRouter(route_class=ssrjson_web.fastapi.SSRJSONRoute)",
    "starlette.applications.Starlette": "for Starlette use SSRJSONRoute and SSRJSONResponse of ssrjson_web.starlette",
    "starlette.routing.Router": "for Starlette use SSRJSONRoute and SSRJSONResponse of ssrjson_web.starlette",
    "quart.app.Quart": "for Quart use ssrjson_web.quart.SSRJSON(app)",
    "flask.app.Flask": "for Flask use ssrjson_web.flask.SSRJSON(app)",
    "flask.sansio.blueprints.Blueprint": "give the application that the blueprint is registered on",
    "flask.blueprints.Blueprint": "give the application that the blueprint is registered on",
    "falcon.app.App": "for Falcon use ssrjson_web.falcon.setup(app)",
    "litestar.app.Litestar": "for Litestar use Litestar(response_class=SSRJSONResponse, request_class=SSRJSONRequest) "
    "of ssrjson_web.litestar",
    "sanic.app.Sanic": "for Sanic use Sanic(name, dumps=dumps, loads=loads) of ssrjson_web.sanic",
    "aiohttp.web_app.Application": "for aiohttp use json_response of ssrjson_web.aiohttp",
    "ninja.main.NinjaAPI": "for Ninja use ssrjson_web.ninja.setup(api)",
    "ninja.router.Router": "give the API that the router is added to",
    "django.core.handlers.base.BaseHandler": "for Django use SSRJSONResponse of ssrjson_web.django",
}


def applications_within(app: Any) -> Iterator[Any]:
    """The application, and those that its middlewares wrap, from the outside in."""
    for _ in range(_MAX_MIDDLEWARES):
        yield app
        within = (getattr(app, name, None) for name in _INNER if not isinstance(app, (type, types.ModuleType)))
        app = next((value for value in within if callable(value)), None)
        if app is None:
            return


def wrong_application(function: str, wanted: str, wanted_class: type, given: object) -> TypeError:
    """A TypeError that names the function, the application it takes, what it was given, and what to do if known.

    No framework is imported for this.
    """
    takes = f"{function} takes a {wanted} application"
    if given is None:
        return TypeError(f"{takes}, not None")
    cls = given if isinstance(given, type) else type(given)
    name = cls.__qualname__
    if isinstance(given, type):
        is_wanted = issubclass(cls, wanted_class)
        hint = f": give the application that {name}(...) makes" if is_wanted else _advice(cls)
        return TypeError(f"{takes}, not the class {name}{hint}")
    return TypeError(f"{takes}, not {_article(name)} {name}{_advice(cls)}")


def _advice(cls: type) -> str:
    known = (_ADVICE.get(f"{base.__module__}.{base.__qualname__}") for base in cls.__mro__)
    advice = next(filter(None, known), None)
    return "" if advice is None else f": {advice}"


def _article(name: str) -> str:
    return "an" if name[:1] in "AEIOaeio" else "a"
