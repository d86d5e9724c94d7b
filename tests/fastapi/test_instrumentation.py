"""Telemetry that wraps FastAPI's functions, as Sentry does, before routes are made or between them."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import APIRouter, FastAPI, HTTPException, Request, routing
from helpers.fastapi_twins import JSON, Call, Counter, assert_same_answers
from pydantic import BaseModel

from ssrjson_web.fastapi import setup


class Item(BaseModel):
    name: str


def add_routes(router: Any) -> None:
    @router.get("/value")
    async def value():
        return {"é": 1}

    @router.get("/thread")
    def in_thread(request: Request):
        return {"é": request.url.path}

    @router.get("/model", response_model=Item)
    def model():
        return {"name": "é", "more": 1}

    @router.get("/failing")
    def failing():
        raise HTTPException(418, "é")

    @router.post("/item")
    def post(item: Item) -> Item:
        return item


PATHS: list[Call | str] = [
    *(prefix + path for prefix in ("", "/in") for path in ("/value", "/thread", "/model", "/failing")),
    Call("POST", "/item", '{"name": "é"}'.encode(), JSON),
    Call("POST", "/in/item", b'{"name": 3}', JSON),
]


class Telemetry:
    """Wraps endpoints of the threadpool in place, and the handlers, whose requests it reads first."""

    def __init__(self, get_request_handler: Callable[..., Any]) -> None:
        self.get_request_handler = get_request_handler
        self.requests: list[tuple[str, str, bytes]] = []

    def __call__(self, *args: Any, **options: Any) -> Any:
        dependant = options["dependant"]
        call = dependant.call
        if not inspect.iscoroutinefunction(call):

            @functools.wraps(call)
            def in_span(*args: Any, **values: Any) -> Any:
                return call(*args, **values)

            dependant.call = in_span
        handler = self.get_request_handler(*args, **options)

        async def in_transaction(request: Request) -> Any:
            self.requests.append((request.url.path, request.scope["endpoint"].__qualname__, await request.body()))
            return await handler(request)

        return in_transaction


@pytest.mark.parametrize("when", ["before routes", "after routes", "before and after routes"])
def test_telemetry_in_request_handlers_sees_each_request_once(when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    telemetry = Telemetry(routing.get_request_handler)
    monkeypatch.setattr(routing, "get_request_handler", telemetry)

    def build(times: str) -> FastAPI:
        app = FastAPI()
        router = APIRouter()
        if "before" in times:
            setup(app)
        add_routes(app)
        add_routes(router)
        app.include_router(router, prefix="/in")
        if "after" in times:
            setup(app)
        return app

    assert_same_answers(build(""), build(when), PATHS)
    assert telemetry.requests[::2] == telemetry.requests[1::2]
    assert len(telemetry.requests) == 2 * len(PATHS)
    assert (counter.values, counter.models) == (5, 3)  # 5: a 422 too
