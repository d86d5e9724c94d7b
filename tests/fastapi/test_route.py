"""SSRJSONRoute: how it builds its handlers, and what it does not change."""

import copy
import gc
import inspect
import weakref
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import APIRouter, FastAPI
from fastapi.datastructures import Default
from fastapi.responses import JSONResponse
from helpers.fastapi_twins import JSON, Call, Counter, answer
from helpers.threads import in_threads
from pydantic import BaseModel, TypeAdapter

from ssrjson_web.fastapi import SSRJSONRoute, setup
from ssrjson_web.fastapi._carrier import CarriedBody, CarriedResponse, CarriedValue, carried
from ssrjson_web.fastapi._field import EncodingField, has_adapter


class Tag(BaseModel):
    name: str


async def value():
    return {"é": 1}


async def model() -> Tag:
    return Tag(name="é")


def build() -> FastAPI:
    app, router = FastAPI(), APIRouter(prefix="/r")
    for owner in (app, router):
        owner.add_api_route("/value", value)
        owner.add_api_route("/model", model)
        owner.add_api_route("/body", lambda tag: tag, methods=["POST"])
    app.include_router(router)
    setup(app)
    return app


def test_route_attributes_are_those_of_fastapi_after_requests() -> None:
    app = build()
    for path in ("/value", "/model", "/r/value", "/r/model"):
        assert answer(app, path).status == 200
    for route in app.routes:
        if isinstance(route, SSRJSONRoute):
            assert getattr(route.response_class, "value", None) is JSONResponse
            assert route.dependant.call is route.endpoint
            assert type(route.response_field).__name__ in ("ModelField", "NoneType")


def test_route_handler_built_for_each_request_reuses_what_it_is_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    route = SSRJSONRoute("/", value)
    monkeypatch.setattr("ssrjson_web.fastapi._route.carrying_endpoint", None)  # it is not called again
    for _ in range(3):
        route.get_route_handler()


def test_route_whose_endpoint_is_exchanged_builds_its_handler_from_the_new_one() -> None:
    async def other():
        return "other"

    app = FastAPI()
    app.router.route_class = SSRJSONRoute
    app.add_api_route("/", value)
    route: Any = app.routes[-1]
    changed = copy.copy(route)
    changed.dependant = copy.copy(route.dependant)
    changed.dependant.call = other
    handler = changed.get_route_handler()
    dependant = inspect.getclosurevars(inspect.getclosurevars(handler).nonlocals["handler"]).nonlocals["dependant"]
    assert dependant.call.__wrapped__ is other


def test_routes_of_many_threads_answer_each_request() -> None:
    app = build()
    expected = {path: answer(app, path).body for path in ("/r/value", "/r/model", "/value", "/model")}

    def ask() -> None:
        for _ in range(20):
            assert {path: answer(app, path).body for path in expected} == expected

    in_threads(ask, 8)


def test_application_is_freed_with_its_routes() -> None:
    app = FastAPI()

    class Freed:
        async def method(self):
            return 1

    owner = Freed()
    # FastAPI caches functions that it has classified, but nothing holds the application
    app.add_api_route("/", owner.method)
    setup(app)
    answer(app, "/")
    seen = weakref.ref(app)
    del app
    gc.collect()
    assert seen() is None


def test_route_of_another_response_class_has_no_replacements() -> None:
    class Own(JSONResponse):
        pass

    app = FastAPI(default_response_class=Own)
    app.add_api_route("/value", value)
    app.add_api_route("/model", model)
    setup(app)
    for path in ("/value", "/model"):
        route: Any = next(route for route in app.routes if getattr(route, "path", "") == path)
        captured = inspect.getclosurevars(route.get_route_handler()).nonlocals
        assert captured["dependant"] is route.dependant
        assert captured["actual_response_class"] is Own


def test_default_that_wraps_another_class_is_left_to_fastapi(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(JSONResponse):
        media_type = "application/own+json"

    def build(is_ours: bool) -> FastAPI:
        app = FastAPI()
        app.router.default_response_class = Default(Own)
        app.add_api_route("/value", value, response_class=Default(Own))
        app.add_api_route("/model", model, response_class=Default(Own))
        if is_ours:
            setup(app)
        return app

    for path in ("/value", "/model"):
        assert answer(build(True), path) == answer(build(False), path)


def test_carried_leaves_responses_and_carries_all_else() -> None:
    response = JSONResponse({})
    assert carried(response) is response
    for content in (None, "é", {"a": 1}, carried(1)):
        carrier = carried(content)
        assert type(carrier) is CarriedValue
        assert carrier.value is content


def test_carried_response_renders_what_was_not_carried() -> None:
    body = CarriedBody()
    body.body = b"[1]"
    assert CarriedResponse(body).body == b"[1]"
    assert CarriedResponse(carried({"é"})).body == '["é"]'.encode()
    assert CarriedResponse({"é": 1}).body == JSONResponse({"é": 1}).body
    with pytest.raises(TypeError):
        CarriedResponse({1, 2})


def test_field_gives_what_it_does_not_know_to_pydantic() -> None:
    class Field:
        _type_adapter = object()
        name = "Feld"

        def validate(self, *args: Any, **options: Any) -> Any:
            return "validated", args, options

        def serialize(self, value: Any, **options: Any) -> Any:
            return "serialized", value, options

        def serialize_json(self, value: Any, **options: Any) -> Any:
            return "json", value, options

    field = EncodingField(Field())
    assert field
    assert field.name == "Feld"
    assert field.validate(1, loc=("a",)) == ("validated", (1,), {"loc": ("a",)})
    stock = {"include": None, "exclude": None, "by_alias": True}
    stock |= {"exclude_unset": False, "exclude_defaults": False, "exclude_none": False}
    assert field.serialize(1, mode="python") == ("serialized", 1, {**stock, "mode": "python"})
    assert field.serialize(1, new_option=2) == ("serialized", 1, {**stock, "mode": "json", "new_option": 2})
    assert field.serialize_json(1, new_option=2, by_alias=False) == (
        "json",
        1,
        {**stock, "by_alias": False, "new_option": 2},
    )
    with pytest.raises(AttributeError):
        _ = field.unknown


def test_field_without_an_adapter_is_left_alone() -> None:
    assert not has_adapter(None)
    assert not has_adapter(object())


@pytest.mark.skipif(not hasattr(TypeAdapter, "rebuild"), reason="adapters are not rebuilt before pydantic 2.10")
def test_encoder_is_made_again_for_a_rebuilt_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    route = SSRJSONRoute("/", model)
    stock: Any = getattr(route, "secure_cloned_response_field", None) or route.response_field
    field = EncodingField(stock)
    tag = Tag(name="é")
    options = {"include": None, "exclude": None, "by_alias": True}
    first = field.serialize_json(tag, **options)
    made = field._as_dump_json._made
    assert field.serialize_json(tag, **options) == first
    assert field._as_dump_json._made is made
    assert field.serialize_json(tag, **(options | {"exclude": {"name"}})) == b"{}"
    assert field._as_dump_json._made is not made
    again = field._as_dump_json._made
    stock._type_adapter.rebuild(force=True)
    assert field.serialize_json(tag, **(options | {"exclude": {"name"}})) == b"{}"
    assert field._as_dump_json._made is not again
    assert counter.models == 4


def test_request_bodies_reach_included_routes() -> None:
    app, router = FastAPI(), APIRouter()

    @router.post("/body")
    async def body(tag: Tag):
        return tag

    app.include_router(router, prefix="/r")
    setup(app)
    reply = answer(app, Call("POST", "/r/body", '{"name":"é"}'.encode(), JSON))
    assert reply.body == '{"name":"é"}'.encode()
