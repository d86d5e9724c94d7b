"""Routers included in every way, mounted applications, routes of other kinds: they answer as without us."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, ClassVar

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import APIRouter, Depends, FastAPI, Header, HTTPException, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from fastapi.routing import APIRoute
from helpers.builds import IS_FREE_THREADED
from helpers.fastapi_twins import (
    FASTAPI_VERSION,
    JSON,
    Call,
    Counter,
    answer,
    assert_same_answers,
    assert_twins_answer_alike,
)
from pydantic import BaseModel
from starlette.routing import Mount, Route

from ssrjson_web.fastapi import SSRJSONResponse, SSRJSONRoute, setup


class Tag(BaseModel):
    name: str
    weight: int | None = None


def add_routes(router: Any, name: str = "") -> Any:
    @router.get("/value")
    async def value():
        return {"é": name}

    @router.get("/text")
    def text():
        return "é"

    @router.get("/model")
    async def model() -> Tag:
        return Tag(name=name)

    @router.post("/body")
    async def body(tag: Tag):
        return [name, tag]

    @router.get("/explicit", response_class=PlainTextResponse)
    async def explicit():
        return "é"

    return router


def need_key(key: Annotated[str, Header()] = "") -> None:
    if key != "é".encode().decode("latin-1"):
        raise HTTPException(403, "nein")


CALLS = [
    *(f"/{name}" for name in ("value", "text", "model", "explicit", "body", "other")),
    Call("POST", "/body", '{"name":"é"}'.encode(), JSON),
    Call("POST", "/body", b'{"name":', JSON),
    Call("HEAD", "/value"),
]


def calls_under(*prefixes: str, **headers: str) -> list[Call]:
    calls = [call if isinstance(call, Call) else Call("GET", call) for call in CALLS]
    return [Call(c.method, prefix + c.path, c.body, c.content_type, headers) for prefix in prefixes for c in calls]


INCLUSIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "prefix": {"prefix": "/p"},
    "text by default": {"default_response_class": PlainTextResponse},
    "html by default": {"prefix": "/p", "default_response_class": HTMLResponse},
    "json by default": {"default_response_class": JSONResponse},
    "ours by default": {"default_response_class": SSRJSONResponse},
    "dependency": {"dependencies": [Depends(need_key)]},
    "tags and responses": {"tags": ["a"], "responses": {418: {"description": "Kanne"}}, "deprecated": True},
}


@pytest.mark.parametrize("inclusion", INCLUSIONS.values(), ids=INCLUSIONS)
@pytest.mark.parametrize("router_class", [None, PlainTextResponse, JSONResponse])
def test_included_router_answers_as_stock(inclusion: dict[str, Any], router_class: Any) -> None:
    def build() -> FastAPI:
        router = APIRouter(**({} if router_class is None else {"default_response_class": router_class}))
        app = FastAPI()
        app.include_router(add_routes(router, "中"), **inclusion)
        return app

    prefix = inclusion.get("prefix", "")
    calls = [*calls_under(prefix), *calls_under(prefix, key="é".encode().decode("latin-1")), "/openapi.json"]
    answers = assert_twins_answer_alike(build, calls)
    statuses = {found.status for found in answers}
    assert {200, 404, 405, 422} <= statuses | ({422} if "dependencies" in inclusion else set())


def nested(app: FastAPI, when: str, setup: Callable[[FastAPI], None]) -> FastAPI:
    """Three nested routers, one of them included twice. `when` says which of them exist at the setup."""
    inner, middle, outer = APIRouter(prefix="/inner"), APIRouter(), APIRouter(default_response_class=JSONResponse)
    if when != "routes later":
        add_routes(inner, "inner")
    middle.include_router(inner, prefix="/m", dependencies=[Depends(need_key)])
    add_routes(middle, "middle")
    outer.include_router(middle, prefix="/o")
    if when == "setup first":
        setup(app)
    app.include_router(outer, prefix="/1")
    app.include_router(outer, prefix="/2", default_response_class=PlainTextResponse)
    if when == "setup between":
        setup(app)
    add_routes(app, "app")
    if when == "routes later":
        setup(app)
        add_routes(inner, "inner")
        add_routes(outer, "outer")
    return app


@pytest.mark.parametrize("when", ["setup first", "setup between", "routes later"])
def test_nested_routers_answer_as_stock_whenever_setup_is_called(when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prefixes = ("", "/1", "/2", "/1/o", "/2/o", "/1/o/m/inner", "/2/o/m/inner")
    calls: list[Any] = [*calls_under(*prefixes), *calls_under(*prefixes, key="é".encode().decode("latin-1"))]
    theirs, ours = nested(FastAPI(), when, lambda app: None), nested(FastAPI(), when, setup)
    counter = Counter(monkeypatch)
    answers = assert_same_answers(theirs, ours, [*calls, "/openapi.json"])
    assert sum(found.status == 200 for found in answers) > 20
    n_values = sum(
        c.path.endswith(("/value", "/text")) and a.status == 200 for c, a in zip(calls, answers, strict=False)
    )
    assert counter.values > n_values / 3


def served_by_the_core(app: FastAPI, path: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    with monkeypatch.context() as patch:
        counter = Counter(patch)
        assert answer(app, path).status == 200
        return counter.values + counter.models > 0


@pytest.mark.parametrize("is_set_up_first", [True, False])
def test_each_route_is_served_by_the_core(is_set_up_first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    app, router, inner = FastAPI(), APIRouter(), APIRouter()
    add_routes(inner)
    if is_set_up_first:
        setup(app)
    add_routes(app)
    add_routes(router)
    router.include_router(inner, prefix="/inner")
    app.include_router(router, prefix="/r")
    if not is_set_up_first:
        app.openapi()  # handlers of inclusions are built by now
        setup(app)
    for prefix in ("", "/r", "/r/inner"):
        for name in ("value", "text", "model"):
            assert served_by_the_core(app, f"{prefix}/{name}", monkeypatch), prefix + name


@pytest.mark.skipif(FASTAPI_VERSION < (0, 137), reason="before 0.137 a router is copied when it is included")
def test_routes_added_to_an_included_router_are_served_by_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    app, router, inner = FastAPI(), APIRouter(), APIRouter()
    app.include_router(router, prefix="/r")
    setup(app)
    add_routes(router)
    router.include_router(inner, prefix="/inner")
    add_routes(inner)
    for path in ("/r/value", "/r/model", "/r/inner/value"):
        assert served_by_the_core(app, path, monkeypatch), path


def test_router_with_our_route_class_needs_no_setup(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(route_class: Any) -> FastAPI:
        app = FastAPI()
        app.include_router(add_routes(APIRouter(route_class=route_class), "中"), prefix="/p")
        return app

    theirs, ours = build(APIRoute), build(SSRJSONRoute)
    assert_same_answers(theirs, ours, [*calls_under("/p"), "/openapi.json"])
    for path in ("/p/value", "/p/model"):
        assert served_by_the_core(build(SSRJSONRoute), path, monkeypatch)


class NamingRoute(APIRoute):
    """As the tutorial has it: its handler wraps the one that it gets."""

    def get_route_handler(self) -> Any:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Any:
            response = await handler(request)
            response.headers["x-own"] = type(response).__name__
            return response

        return handle


class LoudRoute(NamingRoute):
    def get_route_handler(self) -> Any:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Any:
            try:
                return await handler(request)
            except RequestValidationError as error:
                body = await request.body()
                raise HTTPException(422, [error.errors()[0]["loc"], body.decode()]) from None

        return handle


class UpperRequest(Request):
    async def body(self) -> bytes:
        return (await super().body()).upper()


class UpperRoute(APIRoute):
    def get_route_handler(self) -> Any:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Any:
            return await handler(UpperRequest(request.scope, request.receive))

        return handle


class OddlyBuiltRoute(APIRoute):
    def get_route_handler(self) -> Any:
        return APIRoute.get_route_handler(self)


class RegisteringRoute(NamingRoute):
    classes: ClassVar[list[Any]] = []

    def __init_subclass__(cls, **options: Any) -> None:
        cls.classes.append(cls)


OWN_ROUTES = {NamingRoute: True, LoudRoute: True, UpperRoute: True, OddlyBuiltRoute: False, RegisteringRoute: False}


@pytest.mark.parametrize(("own", "is_served"), OWN_ROUTES.items(), ids=lambda value: getattr(value, "__name__", value))
def test_route_class_of_the_application_works_above_ours(
    own: Any, is_served: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build() -> FastAPI:
        app = FastAPI()
        app.router.route_class = own
        add_routes(app, "app")
        router = APIRouter(route_class=own)
        app.include_router(add_routes(router, "router"), prefix="/r")
        return app

    answers = assert_twins_answer_alike(build, calls_under("", "/r"))
    if issubclass(own, NamingRoute):
        assert answers[0].headers["x-own"] == "JSONResponse"
    app = build()
    for _ in range(2):
        setup(app)
        for path in ("/value", "/r/value"):
            assert served_by_the_core(app, path, monkeypatch) == is_served
    assert served_by_the_core(app, "/model", monkeypatch) == is_served
    route = next(route for route in app.routes if getattr(route, "path", "") == "/value")
    assert isinstance(route, own)
    assert type(route).__name__ == own.__name__
    assert isinstance(route, SSRJSONRoute) == is_served
    app.add_api_route("/later", lambda: {"é": 1})
    assert served_by_the_core(app, "/later", monkeypatch) == is_served
    assert RegisteringRoute.classes == []


def test_setup_says_how_many_routes_it_serves(caplog: pytest.LogCaptureFixture) -> None:
    app = FastAPI()
    with caplog.at_level("INFO", "ssrjson_web.fastapi"):
        setup(app)
    assert not caplog.records  # there is no route yet
    add_routes(app)
    app.router.route_class = OddlyBuiltRoute
    app.add_api_route("/odd", lambda: 1)
    with caplog.at_level("INFO", "ssrjson_web.fastapi"):
        setup(app)
    (record,) = caplog.records
    assert record.getMessage().startswith("the core serves 5 of 6 routes")


def test_route_class_derived_from_ours_is_kept_and_works(monkeypatch: pytest.MonkeyPatch) -> None:
    class OwnRoute(SSRJSONRoute):
        def get_route_handler(self):
            handler = super().get_route_handler()

            async def handle(request: Request):
                response = await handler(request)
                response.headers["x-own"] = type(request).__name__
                return response

            return handle

    app = FastAPI()
    app.router.route_class = OwnRoute
    add_routes(app)
    setup(app)
    # without the GIL ours is another object, see docs/threads.md
    assert answer(app, "/value").headers["x-own"] == ("Request" if IS_FREE_THREADED else "SSRJSONRequest")
    assert served_by_the_core(app, "/value", monkeypatch)


def test_route_whose_application_was_replaced_is_kept() -> None:
    def build() -> FastAPI:
        app = add_routes(FastAPI(), "app")
        for route in app.routes:
            if isinstance(route, APIRoute):
                inner = route.app

                async def outer(scope: Any, receive: Any, send: Any, inner: Any = inner) -> None:
                    app.state.log.append(scope["path"])
                    await inner(scope, receive, send)

                route.app = outer
        app.state.log = []
        return app

    answers = assert_twins_answer_alike(build, CALLS)
    assert answers[0].status == 200


def test_route_whose_handler_cannot_be_built_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **options: Any) -> Any:
        raise LookupError("é")

    app = FastAPI()
    app.add_api_route("/", lambda: {"é": 1})
    route = app.routes[-1]
    with monkeypatch.context() as patch:
        patch.setattr("fastapi.routing.get_request_handler", refuse)
        setup(app)
    assert type(route) is APIRoute
    assert answer(app, "/").body == '{"é":1}'.encode()
    setup(app)
    assert isinstance(route, SSRJSONRoute)


def test_router_class_of_its_own_works_above_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    class OwnRouter(APIRouter):
        def include_router(self, router: APIRouter, **options: Any) -> None:
            super().include_router(router, **{**options, "prefix": "/own" + options.get("prefix", "")})

    app = FastAPI()
    router = OwnRouter()
    add_routes(router)
    app.include_router(router, prefix="/r")
    setup(app)
    assert isinstance(router, OwnRouter)
    assert type(router).__name__ == "OwnRouter"
    assert served_by_the_core(app, "/r/value", monkeypatch)
    if FASTAPI_VERSION >= (0, 137):
        router.include_router(add_routes(APIRouter()), prefix="/later")
        assert served_by_the_core(app, "/r/own/later/value", monkeypatch)


@pytest.mark.parametrize("is_inner_set_up", [True, False])
def test_mounted_application_answers_as_stock(is_inner_set_up: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(is_ours: bool) -> FastAPI:
        app, inner = add_routes(FastAPI(), "app"), add_routes(FastAPI(root_path_in_servers=True), "inner")
        app.mount("/sub", inner)
        if is_ours:
            setup(app)
        if is_ours and is_inner_set_up:
            setup(inner)
        return app

    theirs, ours = build(False), build(True)
    paths = ["/openapi.json", "/sub/openapi.json", "/sub/openapi.json", "/openapi.json", "/sub/docs"]
    assert_same_answers(theirs, ours, [*calls_under("", "/sub"), *paths])
    assert served_by_the_core(ours, "/sub/value", monkeypatch) == is_inner_set_up


def test_routes_of_other_kinds_answer_as_stock() -> None:
    async def plain(request: Request):
        return JSONResponse({"é": type(request).__name__})

    def build() -> FastAPI:
        mount = Mount("/mount", routes=[Route("/plain", plain)])
        app = FastAPI(routes=[Route("/plain", plain), mount])
        app.add_route("/added", plain, methods=["GET", "POST"])
        return app

    answers = assert_twins_answer_alike(build, ["/plain", "/mount/plain", "/added", Call("POST", "/added"), "/docs"])
    assert answers[0].body == '{"é":"Request"}'.encode()


def test_websocket_routes_are_untouched() -> None:
    def build() -> FastAPI:
        app, router = FastAPI(), APIRouter()

        @app.websocket("/app/{n}")
        @router.websocket("/router/{n}")
        async def endpoint(websocket: WebSocket, n: int):
            await websocket.accept()
            await websocket.send_json({"é": await websocket.receive_json(), "n": n, "nan": float("nan")})
            await websocket.close(4000, type(websocket).__name__)

        app.include_router(router)
        return app

    async def talk(app: Any, path: str) -> list[Any]:
        sent: list[Any] = []
        incoming = [{"type": "websocket.connect"}, {"type": "websocket.receive", "text": '{"ключ":[1]}'}]

        async def receive() -> Any:
            return incoming.pop(0)

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "websocket",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [],
            "subprotocols": [],
            "scheme": "ws",
            "server": ("test", 80),
        }
        await app(scope, receive, send)
        return sent

    theirs, ours = build(), build()
    setup(ours)
    for path in ("/app/1", "/router/2", "/app/x", "/other"):
        assert asyncio.run(talk(ours, path)) == asyncio.run(talk(theirs, path))
    assert asyncio.run(talk(ours, "/app/1"))[-1]["reason"] == "WebSocket"


def test_path_parameters_redirects_and_url_for_answer_as_stock() -> None:
    def build() -> FastAPI:
        app, router = FastAPI(), APIRouter(prefix="/r")

        @router.get("/{name:path}/end", name="named")
        async def endpoint(request: Request, name: str):
            return [name, str(request.url_for("named", name="é")), str(app.url_path_for("named", name="x"))]

        app.include_router(router)
        return app

    answers = assert_twins_answer_alike(build, ["/r/a/b/end", "/r/a/end/", "/r/end"])
    assert [found.status for found in answers] == [200, 307, 404]


@pytest.mark.skipif(FASTAPI_VERSION < (0, 165), reason="FastAPI has no limits of its own here")
def test_body_limits_of_fastapi_are_kept() -> None:
    def build() -> FastAPI:
        app, router = FastAPI(max_body_size=1000), APIRouter(max_body_size=20)
        app.include_router(add_routes(router), prefix="/r")

        @app.post("/own", max_body_size=20)
        async def own(tag: Tag):
            return tag

        return app

    bodies = [b'{"name":"a"}', b'{"name":"' + b"a" * 30 + b'"}', b'{"name":"' + b"a" * 2000 + b'"}']
    calls = [
        Call("POST", path, body, JSON, {"content-length": str(len(body))} if declared else {})
        for path in ("/r/body", "/own")
        for body in bodies
        for declared in (True, False)
    ]
    answers = assert_twins_answer_alike(build, calls)
    assert {found.status for found in answers} == {200, 413}
