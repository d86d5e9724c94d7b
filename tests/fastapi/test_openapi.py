"""`/openapi.json`: the stock bytes, encoded once, and again where the schema changed."""

import functools
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.routing import request_response
from helpers.fastapi_twins import Call, answer, assert_same_answers, assert_twins_answer_alike
from pydantic import BaseModel
from starlette.routing import Route

from ssrjson_web.fastapi import SSRJSONResponse, SSRJSONRoute, setup


class Tag(BaseModel):
    """Ein Schild: é中😀."""

    name: str
    inner: "Tag | None" = None


def build(**options: Any) -> FastAPI:
    app = FastAPI(title="Bücher", description="中 </script>\u2028", **options)
    router = APIRouter(prefix="/r", tags=["ü"])

    @app.get("/model")
    async def model() -> Tag:
        """Gibt ein Schild."""
        return Tag(name="é")

    @app.get("/value")
    async def value():
        return 1

    @router.post("/body", status_code=201, responses={404: {"model": Tag}})
    async def body(tag: Tag) -> list[Tag]:
        return [tag]

    app.include_router(router)
    return app


def set_up(app: FastAPI) -> FastAPI:
    setup(app)
    return app


@pytest.fixture
def n_encoded(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The schemas that were encoded."""
    encoded = []

    class Recorded(SSRJSONResponse):
        def render(self, content: Any) -> bytes:
            encoded.append(content)
            return super().render(content)

    monkeypatch.setattr("ssrjson_web.fastapi._openapi.SSRJSONResponse", Recorded)
    return encoded


DOCUMENTED = ["/openapi.json", Call("HEAD", "/openapi.json"), Call("POST", "/openapi.json"), "/docs", "/redoc"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"openapi_url": "/api/schema.json"},
        {"openapi_url": None},
        {"servers": [{"url": "https://é.example"}]},
        {"root_path": "/wurzel"},
        {"root_path": "/wurzel", "root_path_in_servers": False},
        {"separate_input_output_schemas": False},
        {"default_response_class": SSRJSONResponse},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:The `root_path` parameter is deprecated")
def test_schema_is_served_as_stock(options: dict[str, Any]) -> None:
    calls: list[Any] = [*DOCUMENTED, "/api/schema.json", *DOCUMENTED]
    calls += [Call("GET", "/vorn/openapi.json", root_path="/vorn"), Call("GET", "/openapi.json", root_path="/hinten")]
    assert_twins_answer_alike(lambda: build(**options), [*calls, *DOCUMENTED])


def test_schema_of_our_routes_is_the_stock_one() -> None:
    theirs, before, after = build(), build(), FastAPI(title="Bücher", description="中 </script>\u2028")
    setup(before)
    after.router.route_class = SSRJSONRoute
    assert before.openapi() == theirs.openapi()
    assert list(before.openapi()["components"]["schemas"]) == list(theirs.openapi()["components"]["schemas"])


def test_schema_is_encoded_once(n_encoded: list[Any]) -> None:
    app = set_up(build())
    bodies = {answer(app, "/openapi.json").body for _ in range(5)}
    assert len(bodies) == 1
    assert len(n_encoded) == 1


def replaced(app: FastAPI) -> None:
    app.openapi_schema = {**app.openapi(), "info": {"title": "neu", "version": "é"}}


def dropped(app: FastAPI) -> None:
    app.title = "é"
    app.openapi_schema = None


def with_route_added(app: FastAPI) -> None:
    @app.get("/neu")
    async def later() -> Tag:
        return Tag(name="x")

    app.openapi_schema = None


def with_router_included(app: FastAPI) -> None:
    router = APIRouter()
    router.add_api_route("/spät", lambda: 1, name="spaet")
    app.include_router(router, prefix="/x")


def with_section_added(app: FastAPI) -> None:
    app.openapi()["x-é"] = 1


def with_title_edited(app: FastAPI) -> None:
    app.openapi()["info"]["title"] = "neu"


def with_server_edited(app: FastAPI) -> None:
    app.openapi()["servers"][0]["url"] = "https://neu.example"


def with_path_removed(app: FastAPI) -> None:
    del app.openapi()["paths"]["/value"]


def with_operation_added(app: FastAPI) -> None:
    app.openapi()["paths"]["/value"]["post"] = {"summary": "é"}


def with_operation_replaced(app: FastAPI) -> None:
    app.openapi()["paths"]["/value"]["get"] = {"summary": "é"}


def with_component_added(app: FastAPI) -> None:
    app.openapi()["components"]["schemas"]["Neu"] = {"type": "string"}


def with_openapi_replaced(app: FastAPI) -> None:
    def openapi() -> dict[str, Any]:
        if not app.openapi_schema or app.openapi_schema["info"]["title"] != "eigen":
            app.openapi_schema = get_openapi(title="eigen", version="1", routes=app.routes)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


CHANGES = [
    replaced,
    dropped,
    with_route_added,
    with_router_included,
    with_section_added,
    with_title_edited,
    with_server_edited,
    with_path_removed,
    with_operation_added,
    with_operation_replaced,
    with_component_added,
    with_openapi_replaced,
]


@pytest.mark.parametrize("change", CHANGES)
def test_schema_that_changed_is_encoded_again(change: Any, n_encoded: list[Any]) -> None:
    options = {"servers": [{"url": "https://é.example"}]}
    theirs, ours = build(**options), set_up(build(**options))
    for _ in range(2):
        assert_same_answers(theirs, ours, ["/openapi.json"])
    change(theirs)
    change(ours)
    for _ in range(2):
        assert_same_answers(theirs, ours, ["/openapi.json"])
    assert 1 <= len(n_encoded) <= 2


def test_schema_edited_within_an_operation_is_seen_once_it_is_replaced() -> None:
    app = set_up(build())
    before = answer(app, "/openapi.json").body
    app.openapi()["paths"]["/value"]["get"]["summary"] = "neu"
    assert answer(app, "/openapi.json").body == before
    app.openapi_schema = dict(app.openapi())
    assert b'"summary":"neu"' in answer(app, "/openapi.json").body


def test_schema_made_again_for_each_request_is_encoded_each_time(n_encoded: list[Any]) -> None:
    def build_fresh() -> FastAPI:
        app, n = build(), iter(range(10))
        app.openapi = lambda: {"openapi": "3.1.0", "n": next(n)}  # type: ignore[method-assign]
        return app

    assert_same_answers(build_fresh(), set_up(build_fresh()), ["/openapi.json"] * 3)
    assert len(n_encoded) == 3


def test_schema_that_no_json_can_hold_fails_as_stock() -> None:
    def build_bad() -> FastAPI:
        app = build()
        app.openapi = lambda: {"nan": float("nan")}  # type: ignore[method-assign]
        return app

    answers = assert_twins_answer_alike(build_bad, ["/openapi.json", "/openapi.json"])
    assert answers[0].status == 500


def test_schema_edited_before_setup_is_kept() -> None:
    def build_edited() -> FastAPI:
        app, router = build(), APIRouter()
        router.add_api_route("/spät", lambda: 1, name="spaet")
        app.include_router(router, prefix="/x")
        app.openapi()["paths"]["/value"]["get"]["summary"] = "bearbeitet"
        return app

    answers = assert_twins_answer_alike(build_edited, ["/openapi.json"])
    assert b"bearbeitet" in answers[0].body


def test_schema_route_of_the_applications_own_is_kept() -> None:
    class OwnFastAPI(FastAPI):
        def setup(self) -> None:
            from fastapi.responses import PlainTextResponse

            async def openapi(request: Any) -> PlainTextResponse:
                return PlainTextResponse("eigen")

            self.add_route(self.openapi_url or "", openapi)

    answers = assert_twins_answer_alike(OwnFastAPI, ["/openapi.json"])
    assert answers[0].body == b"eigen"


def replace_app(app: FastAPI, route: Any) -> None:
    """stac-fastapi's."""
    endpoint = route.endpoint

    async def typed(request: Any) -> Any:
        response = await endpoint(request)
        assert type(response) is JSONResponse
        response.headers["content-type"] = "application/vnd.oai.openapi+json;version=3.0"
        return response

    route.app = request_response(typed)


def wrap_app(app: FastAPI, route: Any) -> None:
    inner = route.app

    async def outer(scope: Any, receive: Any, send: Any) -> None:
        async def send_accepted(message: Any) -> None:
            await send({**message, "status": 202} if "status" in message else message)

        await inner(scope, receive, send_accepted)

    route.app = outer


def replace_route(app: FastAPI, route: Any) -> None:
    """The names of FastAPI's endpoint, and another one."""

    @functools.wraps(route.endpoint)
    async def openapi(request: Any) -> Any:
        response = await route.endpoint(request)
        response.headers["x-own"] = "1"
        return response

    app.router.routes[app.router.routes.index(route)] = Route(route.path, openapi, include_in_schema=False)


def replace_handle(app: FastAPI, route: Any) -> None:
    async def refuse(scope: Any, receive: Any, send: Any) -> None:
        await PlainTextResponse("no", 403)(scope, receive, send)

    route.handle = refuse


def replace_endpoint(app: FastAPI, route: Any) -> None:
    endpoint = route.endpoint
    route.endpoint = lambda request: endpoint(request)


def replace_methods(app: FastAPI, route: Any) -> None:
    route.methods.add("POST")


REPLACEMENTS = (replace_app, wrap_app, replace_route, replace_handle, replace_endpoint, replace_methods)


@pytest.mark.parametrize("replace", REPLACEMENTS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_schema_route_that_was_changed_stays_so(replace: Any, when: str) -> None:
    def changed(is_ours: bool) -> FastAPI:
        app = build()
        if is_ours and when == "after":
            setup(app)
        replace(app, next(route for route in app.routes if getattr(route, "path", "") == "/openapi.json"))
        if is_ours:
            setup(app)
        return app

    calls = ["/openapi.json", Call("POST", "/openapi.json"), "/openapi.json", Call("HEAD", "/openapi.json"), "/value"]
    assert_same_answers(changed(False), changed(True), calls)
