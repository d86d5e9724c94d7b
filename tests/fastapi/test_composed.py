"""Applications composed of others, and with parts replaced: they answer as stock, and route_report lists them all."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import APIRouter, FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse
from helpers.fastapi_twins import FASTAPI_VERSION, Call, answer, assert_same_answers
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.routing import BaseRoute, Host, Match, Mount, Route, Router
from starlette.staticfiles import StaticFiles

from ssrjson_web.fastapi import _counts, route_report, setup
from ssrjson_web.fastapi._report import application_report
from ssrjson_web.starlette import route_report as starlette_report


class Tag(BaseModel):
    name: str


def inner(is_ours: bool = False) -> FastAPI:
    app = FastAPI()

    @app.get("/model")
    async def model() -> Tag:
        return Tag(name="é")

    @app.get("/list")
    async def numbers() -> list[int]:
        return [1, 2]

    if is_ours:
        setup(app)
    return app


async def asgi(scope: Any, receive: Any, send: Any) -> None:
    await PlainTextResponse("asgi")(scope, receive, send)


async def plain(request: Request) -> JSONResponse:
    return JSONResponse({"é": request.url.path})


class OddRoutes:
    """An ASGI application of another framework, whose `routes` are no list of routes."""

    def __init__(self, routes: Any) -> None:
        self.routes = routes

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await asgi(scope, receive, send)


class OwnRoute(BaseRoute):
    def matches(self, scope: Any) -> Any:
        return (Match.FULL, {}) if scope["path"] == "/own" else (Match.NONE, {})

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        await asgi(scope, receive, send)


class OwnRouter(Router):
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        scope["own"] = True
        await super().__call__(scope, receive, send)


def add_host(app: FastAPI, is_ours: bool) -> None:
    app.host("api.example", inner(is_ours))
    app.host("{name}.example", inner(is_ours), name="named")
    app.host("plain.test", Router([Route("/plain", plain)]))
    app.routes.append(Host("asgi.test", asgi))


def add_mounts(app: FastAPI, is_ours: bool) -> None:
    app.mount("/api", inner(is_ours))
    app.mount("/wrapped", GZipMiddleware(inner(is_ours)))
    app.routes.append(Mount("/within", app=inner(is_ours), middleware=[Middleware(GZipMiddleware)]))
    app.mount("/cors", CORSMiddleware(GZipMiddleware(inner(is_ours)), allow_origins=["*"]))
    app.mount("/starlette", Starlette(routes=[Mount("/api", inner(is_ours)), Route("/plain", plain)]))
    app.mount("/empty", Starlette())
    app.routes.append(Mount("/none", routes=[]))
    app.mount("/asgi", asgi)
    app.mount("/partial", functools.partial(asgi))
    app.mount("/router", OwnRouter([Route("/plain", plain)]))
    app.mount("/apirouter", inner(is_ours).router)
    for n, routes in enumerate((None, 7, "ab", ["/a"], {"/a": plain}, list)):
        app.mount(f"/odd{n}", OddRoutes(routes))
    app.mount("/static", StaticFiles(directory=Path(__file__).parent), name="static")


def add_wsgi(app: FastAPI, is_ours: bool) -> None:
    a2wsgi = pytest.importorskip("starlette.middleware.wsgi")

    def wsgi(environ: Any, start_response: Any) -> Any:
        start_response("200 OK", [("content-type", "text/plain")])
        return [b"wsgi"]

    app.mount("/wsgi", a2wsgi.WSGIMiddleware(wsgi))


def add_routes_of_other_classes(app: FastAPI, is_ours: bool) -> None:
    app.router.routes.insert(0, OwnRoute())
    app.router.routes.append(Route("/class", OddRoutes))
    app.add_route("/partial", functools.partial(plain))
    app.add_api_route("/made", lambda: [1], response_class=functools.partial(PlainTextResponse, "é"))  # type: ignore[arg-type]
    app.add_api_route("/called", functools.partial(lambda n: n, 3), response_model=None)


def include_all(app: FastAPI, is_ours: bool) -> None:
    router = APIRouter()
    add_host(router, is_ours)  # type: ignore[arg-type]
    add_mounts(router, is_ours)  # type: ignore[arg-type]
    if FASTAPI_VERSION >= (0, 137):  # before, only routes with a path are included
        router.routes.append(OwnRoute())
    router.add_api_route("/model", lambda: Tag(name="é"), response_model=Tag)
    app.include_router(router, prefix="/v1")
    if FASTAPI_VERSION >= (0, 137):
        app.include_router(router)


def replace_router(app: FastAPI, is_ours: bool) -> None:
    router = OwnRouter(list(app.router.routes))
    router.routes.append(Route("/plain", plain))
    app.router = router  # type: ignore[assignment]


def replace_router_by_another(app: FastAPI, is_ours: bool) -> None:
    app.router = inner().router


def replace_router_by_an_application(app: FastAPI, is_ours: bool) -> None:
    app.router = asgi  # type: ignore[assignment]


COMPOSITIONS: tuple[Callable[[FastAPI, bool], None], ...] = (
    add_host,
    add_mounts,
    add_wsgi,
    add_routes_of_other_classes,
    include_all,
    replace_router,
    replace_router_by_another,
    replace_router_by_an_application,
)
PREFIXES = ("", "/api", "/wrapped", "/within", "/cors", "/starlette", "/starlette/api", "/router", "/apirouter", "/v1")
CALLS = [
    *(Call("GET", prefix + path) for prefix in PREFIXES for path in ("/model", "/list", "/plain", "/x")),
    *(
        Call("GET", path, headers={"host": host})
        for host in ("api.example", "a.example", "plain.test", "asgi.test", "x")
        for path in ("/model", "/v1/model", "/plain", "/openapi.json")
    ),
    *(Call("GET", path) for path in ("/own", "/v1/own", "/asgi/x", "/partial", "/odd0/x", "/odd4", "/wsgi/x", "/made")),
    *(Call("GET", path) for path in ("/called", "/static/conftest.py", "/openapi.json", "/api/openapi.json")),
]


@pytest.mark.parametrize("compose", COMPOSITIONS)
def test_composed_application_answers_as_stock_and_is_reported(compose: Any) -> None:
    def build(is_ours: bool) -> FastAPI:
        app = FastAPI()
        app.add_api_route("/model", lambda: Tag(name="é"), response_model=Tag)
        compose(app, is_ours)
        if is_ours:
            setup(app)
        return app

    theirs, ours = build(False), build(True)
    for _ in range(2):
        for call in CALLS:
            assert answer(ours, call).messages == answer(theirs, call).messages, call
    for app in (theirs, ours):
        report = application_report(app)
        assert report.routes == route_report(app)
        assert all(route.reason and isinstance(route.path, str) for route in report.routes)
        assert _counts.counts_of_routes(app) is not None
        assert _counts.reasons_of_routes(app, ("GET /model",)) is not None
    starlette_report(Starlette(routes=getattr(ours.router, "routes", None)))


def test_report_names_mounted_routes_by_their_hosts_and_prefixes() -> None:
    app = FastAPI(openapi_url=None)
    add_host(app, True)
    app.mount("/cors", CORSMiddleware(GZipMiddleware(inner(True))))
    app.router.routes.append(OwnRoute())
    setup(app)
    reports = {route.path: route for route in route_report(app)}
    for path in ("//api.example/model", "//{name}.example/list", "/cors/model"):
        assert reports[path].encodes is True
    assert reports["//plain.test/plain"].encodes is not True
    assert reports["//asgi.test/*"].reason.startswith("a mounted function")
    assert reports[""].reason == "a route of the class OwnRoute, which is not known"
    for path in ("/model", "/list", "/model"):
        answer(app, Call("GET", path, headers={"host": "api.example"}))
    assert _counts.counts_of_routes(app)["GET //api.example/model"]["answers_around"] == 2


def test_setup_of_an_application_that_is_mounted_in_another_leaves_the_other() -> None:
    def build(is_ours: bool) -> FastAPI:
        app = FastAPI()
        app.mount("/api", inner(is_ours))
        app.add_api_route("/model", lambda: {1: "é"})
        return app

    assert_same_answers(build(False), build(True), ["/api/model", "/api/openapi.json", "/model", "/openapi.json"])
