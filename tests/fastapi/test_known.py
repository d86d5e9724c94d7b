"""Functions of FastAPI, Starlette and pydantic that a release has changed: what rests on one is left to stock."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import Body, FastAPI, HTTPException, Request
from helpers.fastapi_twins import JSON, Call, Counter, answer, assert_same_answers
from pydantic import BaseModel
from starlette.requests import Request as StarletteRequest
from starlette.responses import JSONResponse

from ssrjson_web._known import functions
from ssrjson_web._known.functions import Code, is_defined
from ssrjson_web.fastapi import _seams, route_report, setup
from ssrjson_web.fastapi._route import validation_counters
from ssrjson_web.starlette import SSRJSONResponse, _requests, _responses


class Item(BaseModel):
    name: str = "é"


def build() -> FastAPI:
    app = FastAPI()

    @app.get("/value")
    async def value():
        return {"é": [1, 2.5]}

    @app.get("/models")
    async def models():
        return {"item": Item()}

    @app.get("/model")
    async def model() -> Item:
        return Item()

    @app.post("/item")
    async def item(item: Item) -> Item:
        return item

    @app.post("/raw")
    async def raw(request: Request):
        return await request.json()

    @app.get("/refused")
    async def refused():
        raise HTTPException(418, "é")

    return app


CALLS: list[Call | str] = [
    *("/value", "/models", "/model", "/refused", "/openapi.json"),
    Call("POST", "/item", b'{"name": "a"}', JSON),
    Call("POST", "/item", b'{"name": 3}', JSON),
    Call("POST", "/raw", b"[1]", JSON),
]


@pytest.fixture
def unknown(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes texts unknown, before an application is set up."""
    texts: set[str] = set()
    of_file, has_text = functions._is_of_file, functions._has_text
    monkeypatch.setattr(functions, "_seen", {})
    monkeypatch.setattr(functions, "_is_of_file", lambda thing, at, any_: at not in texts and of_file(thing, at, any_))
    monkeypatch.setattr(functions, "_has_text", lambda name, any_: name not in texts and has_text(name, any_))
    for module in (_seams, _requests, _responses):
        monkeypatch.setattr(module, "_last", ((), False) if module is _seams else ((None, None, None), False))
    monkeypatch.setattr(_seams, "_last_field", ((), False))
    for seams in (_seams.ADAPTERS, _seams.MODEL_DUMP):
        monkeypatch.setattr(seams, "_last", ((), False, Code(())))
    for cached in (_seams.are_handlers_known, _seams.is_openapi_known):
        cached.cache_clear()
    yield texts.update
    for cached in (_seams.are_handlers_known, _seams.is_openapi_known):
        cached.cache_clear()
    _seams.write_models(True)


def served(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """What ours do of an application that answers as stock does."""
    counter = Counter(monkeypatch)
    for _ in range(2):
        assert_same_answers(build(), app, CALLS)
    found = {"values"} if counter.values else set()
    found |= {"response models"} if counter.models else set()
    for route in app.routes:
        _, bodies = validation_counters(route) if hasattr(route, "dependant") else ([], [])
        found |= {"bodies"} if any(one.n_bypassed for one in bodies) else set()
    return found


ALL = {"values", "response models", "bodies"}
_field_class: Any = type(next(route for route in build().routes if route.path == "/model").response_field)
_FIELD = f"{_field_class.__module__}.ModelField"
OF_ANSWERS = {
    "fastapi.encoders.jsonable_encoder": {"bodies"},
    "fastapi.routing.serialize_response": {"bodies"},
    "fastapi.routing.run_endpoint_function": {"bodies"},
    "fastapi.routing.get_request_handler": {"values", "bodies"},  # of errors
    "starlette.responses.JSONResponse.render": {"bodies"},
    "pydantic.main.BaseModel.model_dump": ALL,
    f"{_FIELD}.validate": {"values"},
    "pydantic.type_adapter.TypeAdapter.validate_python": {"values"},
    "starlette.requests.Request.json": ALL,
    "fastapi.exception_handlers.http_exception_handler": ALL,
    "fastapi.applications.FastAPI.setup": ALL,
}
if is_defined("fastapi.telemetry._api._run_sync_endpoint"):
    OF_ANSWERS["fastapi.telemetry._api._run_sync_endpoint"] = {"bodies"}


@pytest.mark.parametrize("name", OF_ANSWERS)
def test_what_rests_on_a_changed_function_is_stocks(name: str, unknown: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    unknown([name])
    app = build()
    setup(app)
    assert served(app, monkeypatch) == OF_ANSWERS[name]


def test_nothing_is_stocks_where_all_is_known(unknown: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    app = build()
    setup(app)
    assert served(app, monkeypatch) == ALL
    unknown([])
    pages = ("/docs", "/docs/oauth2-redirect", "/redoc")
    assert all(report.encodes for report in route_report(app) if report.path not in pages)


def test_changed_json_of_requests_is_called_and_limits_are_kept(unknown: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    called = []
    stock = StarletteRequest.json

    async def counted(self: Any) -> Any:
        called.append(self.url.path)
        return await stock(self)

    monkeypatch.setattr(StarletteRequest, "json", counted)
    app = build()
    setup(app, max_depth=2)
    assert answer(app, Call("POST", "/raw", b"[1]", JSON)).body == b"[1]"
    assert called == ["/raw"]
    assert answer(app, Call("POST", "/raw", b"[[[1]]]", JSON)).status == 400
    assert called == ["/raw"]


def test_changed_render_is_called_by_our_response(unknown: Any) -> None:
    unknown(["starlette.responses.JSONResponse.render"])
    assert SSRJSONResponse({"é": 1}).body == JSONResponse({"é": 1}).body


@pytest.mark.parametrize("name", ["jsonable_encoder", "serialize_response"])
def test_wrapper_like_wrapts_of_what_is_not_called_is_followed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Proxy:
        """It equals what it is around, and shows its attributes, as an ObjectProxy of wrapt does."""

        def __init__(self, around: Any) -> None:
            self.around = around

        def __getattr__(self, name: str) -> Any:
            return getattr(self.around, name)

        def __eq__(self, other: object) -> bool:
            return bool(self.around == other)

        def __hash__(self) -> int:
            return hash(self.around)

        def __call__(self, *args: Any, **options: Any) -> Any:
            calls.append(name)
            return self.around(*args, **options)

    calls: list[str] = []
    theirs, ours = build(), build()
    setup(ours)
    assert_same_answers(theirs, ours, ["/value", "/model"])
    monkeypatch.setattr(_seams.routing, name, Proxy(getattr(_seams.routing, name)))
    for app in (theirs, ours):
        del calls[:]
        assert answer(app, "/value").status == 200
        assert calls == [name]


def test_body_of_a_changed_field_class_is_validated_by_it(unknown: Any) -> None:
    unknown([f"{_FIELD}.validate"])
    app = FastAPI()

    @app.post("/")
    async def post(n: int = Body(embed=True)):
        return n

    setup(app)
    for _ in range(3):
        assert answer(app, Call("POST", "/", b'{"n": "3"}', JSON)).body == b"3"
