"""route_report: what it says of each route is what a request to the route does."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import httpx
import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import APIRouter, Depends, FastAPI, Request, WebSocket, responses
from fastapi.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from fastapi.routing import APIRoute
from pydantic import (
    AnyUrl,
    BaseModel,
    ConfigDict,
    PrivateAttr,
    TypeAdapter,
    WrapValidator,
    create_model,
    field_validator,
    model_validator,
)
from starlette.routing import Route
from starlette.testclient import TestClient

from ssrjson_web._models.pydantic.replay import can_replay
from ssrjson_web._shared.route_report import ValidationCount
from ssrjson_web.fastapi import RouteReport, SSRJSONResponse, route_report, setup
from ssrjson_web.fastapi._report import application_report
from ssrjson_web.monitor import record


class Book(BaseModel):
    title: str


class OwnRoute(APIRoute):
    pass


class HandlingRoute(APIRoute):
    def get_route_handler(self) -> Any:
        async def handle(request: Any) -> JSONResponse:
            return JSONResponse({})

        return handle


class OwnResponse(JSONResponse):
    pass


def shop(**options: Any) -> FastAPI:
    app = FastAPI(**options)

    @app.get("/dict", response_model=None)
    async def as_dict() -> dict[str, str]:
        return {"title": "红楼梦"}

    @app.get("/model")
    def as_model() -> Book:
        return Book(title="红楼梦")

    @app.post("/body")
    async def with_body(book: Book) -> Book:
        return book

    @app.get("/html")
    async def html() -> HTMLResponse:
        return HTMLResponse("<p>")

    @app.get("/own-response", response_class=OwnResponse)
    async def own_response() -> Any:
        return {"title": "x"}

    @app.get("/ours")
    async def ours() -> SSRJSONResponse:
        return SSRJSONResponse({"title": "x"})

    @app.get("/any-response")
    async def any_response() -> Response:
        return Response("{}")

    app.router.routes.append(Route("/stock-route", lambda request: JSONResponse({})))

    @app.websocket("/socket")
    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()

    router = APIRouter(prefix="/router")

    @router.get("/dict", response_model=None)
    async def of_router() -> dict[str, str]:
        return {}

    outer = APIRouter(prefix="/outer")
    outer.include_router(router)
    app.include_router(outer)
    own = APIRouter(prefix="/own", route_class=OwnRoute)

    @own.get("/dict", response_model=None)
    async def of_own_route() -> dict[str, str]:
        return {}

    app.include_router(own)
    handling = APIRouter(prefix="/handling", route_class=HandlingRoute)

    @handling.get("/dict", response_model=None)
    async def of_handling_route() -> dict[str, str]:
        return {}

    app.include_router(handling)
    inner = FastAPI(openapi_url=None)

    @inner.get("/dict", response_model=None)
    async def of_inner() -> dict[str, str]:
        return {}

    app.mount("/inner", inner)
    return app


def by_path(app: FastAPI) -> dict[str, RouteReport]:
    return {route.path: route for route in route_report(app)}


async def did_encode(app: FastAPI, path: str, method: str) -> tuple[bool, bool]:
    """Whether the core encoded the response, and decoded the request."""
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        with record() as recorder:
            json = {"title": "红楼梦"} if method == "POST" else None
            response = await client.request(method, path, json=json)
    assert response.status_code == 200, response.text
    return recorder.encodes > 0 or path == "/openapi.json", recorder.decodes > 0


PATHS = {
    "/openapi.json": (True, "encoded once"),
    "/docs": (False, "HTML page"),
    "/dict": (True, "what its endpoint returns"),
    "/model": (True, "response model"),
    "/body": (True, "response model"),
    "/html": (False, "returns starlette.responses.HTMLResponse"),
    "/own-response": (False, f"response class is {__name__}.OwnResponse"),
    "/ours": (True, "returns SSRJSONResponse"),
    "/stock-route": (False, "stock Route"),
    "/outer/router/dict": (True, "what its endpoint returns"),
    "/own/dict": (True, "what its endpoint returns"),
    "/handling/dict": (False, "HandlingRoute builds its handler without that of APIRoute"),
    "/inner/dict": (False, "setup(app) was not called"),
}


@pytest.mark.parametrize("path", PATHS)
def test_report_of_a_route_is_what_a_request_does(path: str) -> None:
    app = shop()
    setup(app)
    encodes, reason = PATHS[path]
    route = by_path(app)[path]
    assert route.encodes is encodes
    assert route.is_served is bool(encodes)
    assert reason in route.reason
    (method, *_) = [method for method in route.methods if method != "HEAD"]
    encoded, decoded = asyncio.run(did_encode(app, path, method))
    assert encoded is bool(encodes)
    assert not decoded or route.decodes


def test_report_says_where_an_annotation_leaves_it_open() -> None:
    app = shop()
    setup(app)
    assert by_path(app)["/any-response"].encodes is None


def test_report_of_a_websocket_has_no_methods() -> None:
    app = shop()
    setup(app)
    assert (by_path(app)["/socket"].methods, by_path(app)["/socket"].encodes) == ((), False)


@pytest.mark.parametrize("path", ["/dict", "/model", "/ours", "/html", "/outer/router/dict"])
@pytest.mark.parametrize("response_class", [JSONResponse, SSRJSONResponse])
def test_report_without_setup_follows_the_response_class(path: str, response_class: Any) -> None:
    app = shop(default_response_class=response_class)
    encoded, decoded = asyncio.run(did_encode(app, path, "GET"))
    route = by_path(app)[path]
    assert (route.encodes, route.decodes) == (encoded, decoded)
    assert "setup(app) was not called" in route.reason
    assert ("but it answers with SSRJSONResponse" in route.reason) is encoded


def test_report_without_setup_says_so_for_each_route() -> None:
    report = application_report(shop())
    assert not any(route.encodes for route in report.routes if route.path != "/ours")
    assert {route.path: route.reason for route in report.routes}["/dict"] == "setup(app) was not called"
    assert [(part.is_served, part.reason) for part in report.parts] == [(False, "setup(app) was not called")] * 2


def test_report_follows_the_switches_of_setup() -> None:
    app = shop()
    setup(app, response_models=False, requests=False, errors=False, openapi=False)
    routes = by_path(app)
    assert (routes["/model"].encodes, routes["/model"].decodes) == (False, False)
    assert "response_models=False" in routes["/model"].reason
    assert "requests=False" in routes["/dict"].reason
    assert "openapi=False" in routes["/openapi.json"].reason
    assert all("errors=False" in part.reason for part in application_report(app).parts)


def test_report_of_own_error_handlers_names_them_as_such() -> None:
    app = FastAPI()

    @app.exception_handler(404)
    @app.exception_handler(__import__("starlette.exceptions").exceptions.HTTPException)
    async def answer(request: Request, error: Exception) -> Response:
        return Response()

    setup(app)
    assert [part.is_served for part in application_report(app).parts] == [False, True]
    assert "handler of its own" in application_report(app).parts[0].reason


def test_report_of_streams_tells_typed_items_from_others() -> None:
    fastapi = pytest.importorskip("fastapi", minversion="0.134")
    app = fastapi.FastAPI()

    @app.get("/typed")
    def typed() -> Iterator[Book]:
        yield Book(title="x")

    @app.get("/untyped")
    def untyped():  # type: ignore[no-untyped-def]
        yield {"title": "x"}

    setup(app)
    routes = by_path(app)
    assert (routes["/typed"].encodes, routes["/untyped"].encodes) == (True, False)


def test_report_while_a_function_of_fastapis_is_replaced_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    app = shop()
    setup(app)
    monkeypatch.setattr("fastapi.routing.jsonable_encoder", lambda value, **_: value)
    assert by_path(app)["/dict"].encodes is False
    assert "was replaced" in by_path(app)["/dict"].reason


@pytest.mark.parametrize("given", [None, FastAPI, object()])
def test_report_of_something_else_is_a_type_error(given: Any) -> None:
    with pytest.raises(TypeError, match="route_report takes a FastAPI application"):
        route_report(given)


class Checked(BaseModel):
    n: int

    @field_validator("n", mode="wrap")
    def check(cls, n: Any, handler: Any, info: Any) -> Any:
        return handler(n)


class Plain(BaseModel):
    n: int


class Hidden(BaseModel):
    n: int = 0
    _n: Any = PrivateAttr(default_factory=lambda: 1)

    def model_post_init(self, context: Any, /) -> None:
        self.n += self._n


class Built(BaseModel):
    def __init__(self, **values: Any) -> None:
        super().__init__(**values)


class Lowered(BaseModel):
    model_config = ConfigDict(str_to_lower=True)
    text: str


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Lazy(BaseModel):
    numbers: Iterable[Checked]


@pytest.mark.parametrize(
    ("model", "obstacle"),
    [
        (Lazy, "Lazy.numbers: the type Iterable"),
        (list[Checked], "Checked.n: the validator Checked.check"),
        (Built, "Built: an __init__ of its own"),
        (Lowered, "Lowered: the config str_to_lower"),
        (Open, "Open: extra='allow'"),
        (set[int], "its type"),
    ],
    ids=str,
)
def test_reason_names_what_is_in_the_way_of_validation_by_the_core(model: Any, obstacle: str) -> None:
    app = FastAPI()
    app.get("/", response_model=model)(lambda: None)
    setup(app)
    (report,) = (route for route in route_report(app) if route.path == "/")
    assert report.reason.endswith(f"validated by pydantic because of {obstacle}")


class Linked(BaseModel):
    url: AnyUrl


def nested(n_levels: int) -> Any:
    model: Any = create_model(f"Level{n_levels}", n=(int, 1))
    for level in reversed(range(n_levels)):
        model = create_model(f"Level{level}", inner=(model, ...))
    return model


def nested_value(n_levels: int) -> Any:
    return {"inner": nested_value(n_levels - 1)} if n_levels else {"n": 1}


KEPT = "; instances of its models are not validated, all else is validated by pydantic because of "


@pytest.mark.parametrize(
    ("model", "value", "count", "end"),
    [
        (Checked, Checked(n=1), (2, 0), f"{KEPT}Checked.n: the validator Checked.check"),
        (list[Checked], [Checked(n=1)], (2, 0), f"{KEPT}Checked.n: the validator Checked.check"),
        (Checked, {"n": 1}, (0, 2), f"{KEPT}Checked.n: the validator Checked.check"),
        (set[int], {1}, (0, 2), "by the core, and validated by pydantic because of its type"),
        (Linked, Linked(url="http://a.de"), (2, 0), "validated by it or by pydantic"),  # type: ignore[arg-type]
        (Linked, {"url": "http://a.de"}, (2, 0), "validated by it or by pydantic"),
        (nested(16), nested_value(16), (2, 0), "validated by it or by pydantic"),
        (nested(17), nested_value(17), (0, 2), f"{KEPT}Level17: it is within more than 16 models and containers"),
    ],
    ids=str,
)
def test_reason_of_answers_is_that_of_the_counts(model: Any, value: Any, count: tuple[int, int], end: str) -> None:
    app = FastAPI()
    app.get("/", response_model=model)(lambda: value)
    setup(app)
    client = TestClient(app)
    for n in range(3):
        (report,) = (route for route in route_report(app) if route.path == "/")
        assert report.reason.endswith(end)
        if n < 2:
            assert client.get("/").status_code == 200
    assert report.answers == ValidationCount(around=count[0], validated=count[1])


def test_reason_names_what_is_in_the_way_of_bodies() -> None:
    app = FastAPI()

    def dependency(other: list[Checked]) -> None:
        pass

    @app.post("/", dependencies=[Depends(dependency)])
    def endpoint(body: Checked, plain: Plain) -> Plain:
        return plain

    setup(app)
    (report,) = (route for route in route_report(app) if route.path == "/")
    assert report.reason == (
        "its response model is encoded by the core, and validated by it or by pydantic; "
        "its body `body` is validated by pydantic because of Checked.n: the validator Checked.check; "
        "its body `other` is validated by pydantic because of Checked.n: the validator Checked.check"
    )


@pytest.mark.parametrize("is_included", [False, True])
def test_answers_and_bodies_that_bypass_validation_are_counted(is_included: bool) -> None:
    app = FastAPI()
    router = APIRouter() if is_included else app

    @router.post("/plain")
    def plain(body: Plain) -> Plain:
        return {"n": "5"} if body.n > 2 else {"n": body.n}  # type: ignore[return-value]

    if is_included:
        app.include_router(router)  # type: ignore[arg-type]
    setup(app)
    (before,) = (route for route in route_report(app) if route.path == "/plain")
    assert (before.answers, before.bodies) == (None, None)
    client = TestClient(app)
    for n in (1, 1, 1, "1", 3):
        client.post("/plain", json={"n": n})
    (after,) = (route for route in route_report(app) if route.path == "/plain")
    assert after.answers == ValidationCount(around=4, validated=1)
    assert after.bodies == ValidationCount(around=4, validated=1)


@pytest.mark.skipif(not can_replay(), reason="pydantic 2.11 and 2.12 validate models whose functions are called")
def test_models_with_post_init_and_private_attributes_bypass_validation() -> None:
    app = FastAPI()

    @app.post("/hidden")
    def hidden(body: Hidden) -> Hidden:
        return {"n": body.n}  # type: ignore[return-value]

    setup(app)
    client = TestClient(app)
    for n in (1, 2):
        assert client.post("/hidden", json={"n": n}).json() == {"n": n + 2}
    (report,) = (route for route in route_report(app) if route.path == "/hidden")
    assert (report.answers, report.bodies) == (ValidationCount(around=2, validated=0),) * 2
    assert report.reason.endswith("validated by it or by pydantic")


class Deferred(BaseModel):
    model_config = ConfigDict(defer_build=True)
    n: int


class HoldsDeferred(BaseModel):
    model_config = ConfigDict(defer_build=True)
    items: list[Deferred]


def test_models_that_are_built_late_bypass_validation() -> None:
    app = FastAPI()

    @app.post("/deferred")
    def deferred(body: HoldsDeferred) -> HoldsDeferred:
        return {"items": [{"n": item.n} for item in body.items]}  # type: ignore[return-value]

    setup(app)
    client = TestClient(app)
    for _ in range(4):
        assert client.post("/deferred", json={"items": [{"n": 1}]}).content == b'{"items":[{"n":1}]}'
    (report,) = (route for route in route_report(app) if route.path == "/deferred")
    for count in (report.answers, report.bodies):  # before 2.10, pydantic builds them for FastAPI's field, or later
        late = () if hasattr(TypeAdapter, "rebuild") else (ValidationCount(around=3, validated=1),)
        assert count in (ValidationCount(around=4, validated=0), *late)


class Late(BaseModel):
    model_config = ConfigDict(defer_build=True)
    n: int


@pytest.mark.skipif(not hasattr(TypeAdapter, "rebuild"), reason="this pydantic does not rebuild adapters")
def test_report_builds_what_the_first_request_would_build() -> None:
    class Undefined(BaseModel):
        n: "Nowhere"  # type: ignore[name-defined] # noqa: F821, UP037

    app = FastAPI()

    @app.post("/late")
    def late(body: Late) -> Late:
        return body

    @app.post("/undefined", response_model=Undefined)
    def undefined() -> dict[str, str]:
        return {"n": "1"}

    setup(app)
    *_, built, not_defined = route_report(app)
    assert built.reason.endswith("validated by it or by pydantic")
    assert not_defined.reason.endswith("a type that is not defined yet")
    client = TestClient(app, raise_server_exceptions=False)
    assert client.post("/undefined").status_code == 500
    Undefined.model_rebuild(_types_namespace={"Nowhere": int})
    for _ in range(2):
        assert client.post("/undefined").json() == {"n": 1}
    assert "not defined" not in route_report(app)[-1].reason


class CheckedWhole(BaseModel):
    n: int

    @model_validator(mode="wrap")
    @classmethod
    def check_whole(cls, value: Any, handler: Any, info: Any) -> Any:
        return handler(value)


class Holder(BaseModel):
    one: CheckedWhole


@pytest.mark.parametrize(
    ("model", "obstacle"),
    [
        (CheckedWhole, "CheckedWhole: the validator CheckedWhole.check_whole"),
        (dict[str, list[CheckedWhole]], "CheckedWhole: the validator CheckedWhole.check_whole"),
        (Holder, "Holder.one: the validator CheckedWhole.check_whole"),
        (Annotated[int, WrapValidator(max)], "the validator max"),
        (list[Annotated[int, WrapValidator(lambda n, handler, info: n)]], "the validator <lambda>"),
        (set[CheckedWhole], "its type"),
    ],
    ids=range(6),
)
def test_reason_names_the_validator(model: Any, obstacle: str) -> None:
    test_reason_names_what_is_in_the_way_of_validation_by_the_core(model, obstacle)


def of_endpoint(endpoint: Any, **options: Any) -> RouteReport:
    app = FastAPI()
    app.get("/", response_model=None, **options)(endpoint)
    setup(app)
    return by_path(app)["/"]


async def union() -> StreamingResponse | dict[str, str]:
    return {}


async def annotated_union() -> Annotated[HTMLResponse, "page"] | StreamingResponse:
    return StreamingResponse([])


async def streaming() -> StreamingResponse:
    return StreamingResponse([])


async def names_streaming() -> Any:
    return StreamingResponse([]) if Path() else {}


async def names_of_module() -> Any:
    return responses.HTMLResponse("")


async def imports_within() -> Any:
    from starlette.responses import PlainTextResponse

    def answer() -> Any:
        return PlainTextResponse("")

    return answer()


def decorated(endpoint: Any) -> Any:
    def call() -> Any:
        return endpoint()

    return call


class Called:
    def __call__(self) -> StreamingResponse:
        return StreamingResponse([])


async def names_ours() -> Any:
    return SSRJSONResponse({})


@pytest.mark.parametrize(
    ("endpoint", "encodes", "reason"),
    [
        (union, None, "starlette.responses.StreamingResponse"),
        (annotated_union, False, "starlette.responses.HTMLResponse or starlette.responses.StreamingResponse"),
        (streaming, False, "starlette.responses.StreamingResponse, which is sent as it is"),
        (functools.partial(streaming), False, "starlette.responses.StreamingResponse"),
        (Called(), False, "starlette.responses.StreamingResponse"),
        (names_streaming, None, "not a response of starlette.responses.StreamingResponse, which it names"),
        (names_of_module, None, "starlette.responses.HTMLResponse"),
        (imports_within, None, "starlette.responses.PlainTextResponse"),
        (decorated(names_streaming), None, "starlette.responses.StreamingResponse"),
        (names_ours, True, "encoded by the core"),
    ],
)
def test_endpoint_that_returns_a_response_of_its_own_is_not_called_served(
    endpoint: Any, encodes: bool | None, reason: str
) -> None:
    report = of_endpoint(endpoint)
    assert report.encodes is encodes
    assert reason in report.reason
    assert of_endpoint(endpoint, response_class=SSRJSONResponse).encodes is encodes
    assert of_endpoint(endpoint, response_class=HTMLResponse).encodes in (False, encodes)


def test_class_with_the_name_of_the_stock_class_is_named_with_its_module() -> None:
    own = type("JSONResponse", (JSONResponse,), {"__module__": "shop.web"})
    report = of_endpoint(plain_endpoint, response_class=own)
    assert (report.encodes, report.reason) == (False, "its response class is shop.web.JSONResponse")


async def plain_endpoint() -> Any:
    return {}


@pytest.mark.parametrize(
    ("endpoint", "encodes"),
    [(plain_endpoint, True), (streaming, False), (union, None), (names_streaming, None), (names_ours, True)],
)
def test_route_without_setup_is_called_served_by_the_same_rule(endpoint: Any, encodes: bool | None) -> None:
    app = FastAPI(default_response_class=SSRJSONResponse)
    app.get("/", response_model=None)(endpoint)
    assert by_path(app)["/"].encodes is encodes
    stock = FastAPI()
    stock.get("/", response_model=None)(endpoint)
    assert by_path(stock)["/"].encodes is (None if endpoint is names_ours else False)
