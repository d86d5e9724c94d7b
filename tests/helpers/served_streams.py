"""Applications of each framework that stream the items of a watched source, under real servers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from helpers.streams import Watched, serve_asgi, serve_wsgi

__all__ = ["DOCUMENT", "SERVERS", "STREAMS", "WAYS", "Way", "watched"]

STREAMS = ["array", "lines", "events"]
KEEP_ALIVE = 0.05
DOCUMENT = {"名": "值" * 100_000}

watched: dict[str, Watched] = {}
"""The source of the next request, as "now"."""


class Way(NamedTuple):
    """How a stream is asked for."""

    server: str
    path: str
    """With the name of a stream, or "document"."""
    kind: str = "sync"
    is_kept_alive: bool = True
    """Whether the client of a silent source gets comments."""


WAYS = {
    "flask": Way("flask", "/{}", is_kept_alive=False),
    "flask with comments": Way("flask", "/{}?kept=1"),
    "quart, sync": Way("quart", "/{}?kind=sync"),
    "quart, async": Way("quart", "/{}?kind=async", "async"),
    "django by WSGI": Way("django by WSGI", "/named/{}?kind=sync", is_kept_alive=False),
    "django by WSGI with comments": Way("django by WSGI", "/named/{}?kind=sync&kept=1"),
    "django by ASGI, sync": Way("django by ASGI", "/named/{}?kind=sync"),
    "django by ASGI, async": Way("django by ASGI", "/named/{}?kind=async", "async"),
    "django by ASGI, async view, sync": Way("django by ASGI", "/named_async/{}?kind=sync"),
    "django by ASGI, async view, async": Way("django by ASGI", "/named_async/{}?kind=async", "async"),
    "starlette, sync": Way("starlette", "/{}?kind=sync"),
    "starlette, async": Way("starlette", "/{}?kind=async", "async"),
    "starlette, wrapped, sync": Way("starlette", "/wrapped/{}?kind=sync"),
    "starlette, wrapped, async": Way("starlette", "/wrapped/{}?kind=async", "async"),
}


@contextlib.contextmanager
def _flask() -> Iterator[int]:
    flask = pytest.importorskip("flask", reason="Flask is not installed")
    from ssrjson_web.flask import SSRJSON, stream_array, stream_events, stream_lines

    app = flask.Flask("served")
    SSRJSON(app, ensure_ascii=False)
    app.add_url_rule("/array", "array", lambda: stream_array(watched["now"].items()))
    app.add_url_rule("/lines", "lines", lambda: stream_lines(watched["now"].items()))
    app.add_url_rule("/document", "document", lambda: DOCUMENT)

    @app.get("/events")
    def events() -> Any:
        return stream_events(watched["now"].items(), keep_alive=KEEP_ALIVE if "kept" in flask.request.args else None)

    with serve_wsgi(app) as port:
        yield port


@contextlib.contextmanager
def _quart() -> Iterator[int]:
    quart = pytest.importorskip("quart", reason="Quart is not installed")
    from ssrjson_web.quart import SSRJSON, stream_array, stream_events, stream_lines

    app = quart.Quart("served")
    SSRJSON(app, ensure_ascii=False)

    @app.get("/<stream>")
    async def view(stream: str) -> Any:
        if stream == "document":
            return DOCUMENT
        items = watched["now"].of(quart.request.args["kind"])
        if stream == "events":
            return stream_events(items, keep_alive=KEEP_ALIVE)
        return stream_array(items) if stream == "array" else stream_lines(items)

    with serve_asgi(app) as port:
        yield port


@contextlib.contextmanager
def _django(get_application: str, serve: Any) -> Iterator[int]:
    pytest.importorskip("django", reason="Django is not installed")
    from django.core import asgi, wsgi

    from helpers.django_bookshop.urls import views
    from helpers.django_project import project_settings
    from ssrjson_web.django import (
        SSRJSONEventResponse,
        SSRJSONLinesResponse,
        SSRJSONResponse,
        SSRJSONStreamingResponse,
    )

    def items(request: Any) -> Any:
        return watched["now"].of(request.GET["kind"])

    def events(request: Any) -> Any:
        kept = KEEP_ALIVE if "kept" in request.GET else None
        return SSRJSONEventResponse(items(request), keep_alive=KEEP_ALIVE, wsgi_keep_alive=kept)

    views["array"] = lambda request: SSRJSONStreamingResponse(items(request))
    views["lines"] = lambda request: SSRJSONLinesResponse(items(request))
    views["events"] = events
    views["document"] = lambda request: SSRJSONResponse(DOCUMENT)
    application = {"wsgi": wsgi.get_wsgi_application, "asgi": asgi.get_asgi_application}[get_application]
    apps = ["ssrjson_web.django", "helpers.django_bookshop"]
    project = project_settings(INSTALLED_APPS=apps, ROOT_URLCONF="helpers.django_bookshop.urls")
    with project, serve(application()) as port:
        yield port


@contextlib.contextmanager
def _starlette() -> Iterator[int]:
    pytest.importorskip("starlette", reason="Starlette is not installed")
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.base import BaseHTTPMiddleware
    from starlette.routing import Mount

    from ssrjson_web.starlette import (
        SSRJSONEventResponse,
        SSRJSONLinesResponse,
        SSRJSONResponse,
        SSRJSONRoute,
        SSRJSONStreamingResponse,
    )

    async def view(request: Any) -> Any:
        stream = request.path_params["stream"]
        if stream == "document":
            return SSRJSONResponse(DOCUMENT)
        items = watched["now"].of(request.query_params["kind"])
        if stream == "events":
            return SSRJSONEventResponse(items, keep_alive=KEEP_ALIVE)
        return SSRJSONStreamingResponse(items) if stream == "array" else SSRJSONLinesResponse(items)

    async def pass_on(request: Any, call_next: Any) -> Any:
        return await call_next(request)

    routes = [SSRJSONRoute("/{stream}", view)]
    wrapped = Starlette(routes=routes, middleware=[Middleware(BaseHTTPMiddleware, dispatch=pass_on)])
    with serve_asgi(Starlette(routes=[Mount("/wrapped", wrapped), *routes])) as port:
        yield port


SERVERS: dict[str, Callable[[], contextlib.AbstractContextManager[int]]] = {
    "flask": _flask,
    "quart": _quart,
    "django by WSGI": lambda: _django("wsgi", serve_wsgi),
    "django by ASGI": lambda: _django("asgi", serve_asgi),
    "starlette": _starlette,
}
"""The port of a server that is started, for a while; a test is skipped where something is not installed."""
