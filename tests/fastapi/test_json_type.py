"""json_type: Structs and attrs classes as types of routes, of models and in the OpenAPI schema."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import warnings
from typing import Annotated, Any, Generic, Optional, TypeVar

import attrs
import pytest
from fastapi import Body, Depends, FastAPI
from fastapi.testclient import TestClient
from pydantic import BaseModel, TypeAdapter, ValidationError

from ssrjson_web.fastapi import setup
from ssrjson_web.models import json_type

msgspec = pytest.importorskip("msgspec", reason="msgspec is not installed")
T = TypeVar("T")


class Kind(enum.Enum):
    A = "a"
    B = "b"


class Line(msgspec.Struct, rename="camel"):
    sku_code: str
    n: Annotated[int, msgspec.Meta(ge=1)] = 1


@json_type
class Order(msgspec.Struct):
    """An order."""

    id: int
    lines: list[Line]
    due: Optional[datetime.date] = None  # noqa: UP045
    kind: Kind = Kind.A
    price: decimal.Decimal = decimal.Decimal("1.5")
    parent: Optional[Order] = None  # noqa: UP045


@json_type
@attrs.define
class Person:
    name: str
    age: int = attrs.field(default=0, validator=attrs.validators.ge(0))


@json_type
class Page(msgspec.Struct, Generic[T]):
    items: list[T]


ORDER = {"id": 1, "lines": [{"skuCode": "ä"}], "due": "2026-01-02", "price": "2.50", "parent": {"id": 2, "lines": []}}
ANSWER = {
    **ORDER,
    "lines": [{"skuCode": "ä", "n": 1}],
    "kind": "a",
    "parent": {"id": 2, "lines": [], "due": None, "kind": "a", "price": "1.5", "parent": None},
}


def application(when: str) -> FastAPI:
    app = FastAPI()
    if when == "before":
        setup(app)

    @app.post("/order")
    def order(order: Annotated[Order, Body()]) -> Order:
        assert isinstance(order, Order)
        return order

    @app.post("/orders")
    def orders(orders: list[Order]) -> list[Person]:
        return [Person(str(order.id)) for order in orders]

    @app.post("/person")
    def person(person: Annotated[Person, Body()]) -> Person:
        return {"name": person.name, "age": 5}  # type: ignore[return-value]

    @app.post("/page")
    def page(page: Page[Person]) -> Page[Person]:
        return page

    if when == "after":
        setup(app)
    return app


@pytest.fixture(params=["never", "before", "after"])
def client(request: pytest.FixtureRequest) -> TestClient:
    return TestClient(application(request.param))


def test_bodies_and_answers(client: TestClient) -> None:
    assert client.post("/order", json=ORDER).json() == ANSWER
    assert client.post("/orders", json=[ORDER]).json() == [{"name": "1", "age": 0}]
    assert client.post("/person", json={"name": "x"}).json() == {"name": "x", "age": 5}
    assert client.post("/page", json={"items": [{"name": "x"}]}).json() == {"items": [{"name": "x", "age": 0}]}


def error(type_: str, loc: list[Any], msg: str, given: Any) -> dict[str, Any]:
    return {"type": type_, "loc": loc, "msg": msg, "input": given, "ctx": {"message": msg}}


def test_errors_have_their_place(client: TestClient) -> None:
    cases: list[tuple[str, Any, dict[str, Any]]] = [
        ("/order", {"lines": []}, error("missing", ["body", "id"], "Field required", {"lines": []})),
        (
            "/order",
            {"id": 1, "lines": [{"skuCode": 1}]},
            error("type_error", ["body", "lines", 0, "skuCode"], "Expected str, got int", 1),
        ),
        (
            "/order",
            {"id": 1, "lines": [{"skuCode": "x", "n": 0}]},
            error("value_error", ["body", "lines", 0, "n"], "Expected a value >= 1", 0),
        ),
        ("/orders", [ORDER, 3], error("type_error", ["body", 1], "Expected object, got int", 3)),
        (
            "/person",
            {"name": "x", "age": -1},
            error("value_error", ["body"], "'age' must be >= 0: -1", {"name": "x", "age": -1}),
        ),
    ]
    for path, body, wanted in cases:
        response = client.post(path, json=body)
        assert (response.status_code, response.json()) == (422, {"detail": [wanted]})


def test_openapi_has_the_schemas(client: TestClient) -> None:
    schema = client.get("/openapi.json").json()
    schemas = schema["components"]["schemas"]
    assert schemas["Line"]["required"] == ["skuCode"]
    assert schemas["Line"]["properties"]["n"] == {"type": "integer", "minimum": 1, "title": "N", "default": 1}
    assert schemas["Person"]["properties"]["age"]["default"] == 0
    body = schema["paths"]["/orders"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    order = schemas[body["items"]["$ref"].rpartition("/")[2]]
    assert order["description"] == "An order."
    assert order["properties"]["due"]["anyOf"] == [{"type": "string", "format": "date"}, {"type": "null"}]
    assert order["properties"]["lines"]["items"] == {"$ref": "#/components/schemas/Line"}
    assert order["properties"]["parent"]["anyOf"][0]["$ref"].startswith("#/components/schemas/Order")


def test_models_and_adapters_take_them() -> None:
    class Model(BaseModel):
        order: Order
        people: list[Person] = []

    model = Model.model_validate({"order": {"id": 1, "lines": []}, "people": [Person("x"), {"name": "y"}]})
    assert (model.order, model.people) == (Order(1, []), [Person("x"), Person("y")])
    assert Model.model_validate_json(model.model_dump_json()) == model
    assert model.model_dump()["order"] is model.order
    assert TypeAdapter(Order).validate_json('{"id": 1, "lines": []}') == Order(1, [])
    with pytest.raises(ValidationError) as raised:
        Model.model_validate({"order": {"id": 1, "lines": [3]}})
    assert raised.value.errors()[0]["loc"] == ("order", "lines", 0)


def test_other_classes_are_refused() -> None:
    for wrong in (int, Kind, 5):
        with pytest.raises(TypeError, match="json_type needs"):
            json_type(wrong)  # type: ignore[type-var]


def test_field_that_cannot_be_told_is_refused_where_the_route_is_declared() -> None:
    @json_type
    class Bad(msgspec.Struct):
        field: dict[str, complex]

    with pytest.raises(TypeError, match=r"complex of Bad\.field"):
        TypeAdapter(Bad)


def test_instances_are_answered_without_a_response_model() -> None:
    app = FastAPI()
    setup(app, slice_ms=1, slice_from=100)
    n_many = 1000

    @app.get("/few", response_model=None)
    def few() -> Any:
        return {"person": Person("x"), "page": [Page(items=[1])]}

    @app.get("/many", response_model=None)
    def many() -> Any:
        return [Person("x")] * n_many

    client = TestClient(app)
    assert client.get("/few").json() == {"person": {"name": "x", "age": 0}, "page": [{"items": [1]}]}
    assert client.get("/many").json() == [{"name": "x", "age": 0}] * n_many


@json_type
class Note(msgspec.Struct):
    text: str
    more: Any = None


@json_type
@attrs.define
class Memo:
    text: str
    more: Any = None


@pytest.mark.parametrize("cls", [Note, Memo])
@pytest.mark.parametrize("response_model", [True, False])
@pytest.mark.parametrize("more", [None, "\udfff", ["\ud800", {"a": "\ud800"}]])
def test_lone_surrogates_of_a_body_are_escaped_in_the_answer(cls: Any, response_model: bool, more: Any) -> None:
    app = FastAPI()
    setup(app)

    def echo(note: Any) -> Any:
        return note

    echo.__annotations__["note"] = Annotated[cls, Body()]
    app.post("/", response_model=cls if response_model else None)(echo)
    client = TestClient(app, headers={"content-type": "application/json"})
    body = json.dumps({"text": "\ud800", "more": more}, separators=(",", ":"))
    assert client.post("/", content=body).text == body


def test_class_that_is_read_from_the_query_is_warned_of() -> None:
    app = FastAPI()
    setup(app)

    def depends(page: Optional[Person] = None) -> None:  # noqa: UP045
        pass

    with pytest.warns(
        UserWarning, match=r"^/a: FastAPI reads order from the query; .* order: Annotated\[Order, Body\(\)\]$"
    ):

        @app.post("/a")
        def create(order: Order) -> Order:
            return order

    with pytest.warns(UserWarning, match="^/b: FastAPI reads page from the query"):

        @app.post("/b", dependencies=[Depends(depends)])
        def change(order: Annotated[Order, Body()], n: int = 1) -> Order:
            return order

    with warnings.catch_warnings():
        warnings.simplefilter("error")

        @app.post("/c")
        def add(order: Annotated[Order, Body()], orders: list[Order], n: int = 1, name: str | None = None) -> Order:
            return order


@json_type
class Chain(msgspec.Struct):
    next: Optional[Chain] = None  # noqa: UP045


@pytest.mark.parametrize("when", ["never", "before"])
def test_body_that_is_nested_too_deep_is_the_error_of_the_client(when: str) -> None:
    app = FastAPI()
    if when == "before":
        setup(app)

    @app.post("/")
    def depth(chain: Annotated[Chain, Body()]) -> int:
        return 1

    client = TestClient(app, headers={"content-type": "application/json"})
    assert client.post("/", content='{"next":' * 100 + "{}" + "}" * 100).json() == 1
    answer = client.post("/", content='{"next":' * 700 + "{}" + "}" * 700)
    error = {"type": "recursion_depth_exceeded", "loc": ["body"], "msg": "Input is nested too deep", "input": None}
    assert (answer.status_code, answer.json()) == (422, {"detail": [error]})


def test_recursion_error_of_a_class_is_no_error_of_the_client() -> None:
    @json_type
    @attrs.define
    class Endless:
        n: int

        def __attrs_post_init__(self) -> None:
            self.__attrs_post_init__()

    with pytest.raises(RecursionError):
        TypeAdapter(Endless).validate_python({"n": 1})
