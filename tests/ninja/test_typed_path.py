"""Responses and bodies of schemas that bypass pydantic where validation would change and refuse nothing."""

from __future__ import annotations

import asyncio
import datetime
import decimal
import enum
import json
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from django.test import AsyncClient, Client, override_settings
from django.urls import path
from helpers.bodies import nearly_right
from helpers.call_outcome import assert_same
from helpers.encoder_hook_values import error_of
from helpers.ninja_apis import StockLayout, responded, returning, taking, values_of
from helpers.pydantic_plugins import Plugin, installed_plugins
from ninja import Body, NinjaAPI, Router, Schema
from ninja.pagination import paginate
from ninja.parser import Parser
from ninja.renderers import JSONRenderer
from ninja.schema import DjangoGetter
from pydantic import BaseModel, ConfigDict, Field, RootModel, computed_field, field_validator, model_validator

from ssrjson_web import utf8_cache_size
from ssrjson_web.django import route_report
from ssrjson_web.ninja import SSRJSONParser, SSRJSONRenderer, setup


class Colour(enum.Enum):
    RED = "rot"


class Calling(enum.Enum):
    RED = "rot"

    def __call__(self) -> str:
        return "called"


class Seller(Schema):
    model_config = ConfigDict(populate_by_name=True)
    name: str
    rating: int = Field(3, alias="Wertung", ge=0)


class City(Schema):
    name: str
    size: int = 3


class Item(Schema):
    id: int
    title: str
    price: float
    made: datetime.datetime
    key: uuid.UUID
    cost: decimal.Decimal | None = None
    day: datetime.date | None = None
    colour: Colour = Colour.RED
    seller: Seller | None = None
    city: City | None = None
    tags: list[str] = Field(default_factory=list)


class Plain(BaseModel):
    name: str


class FromAttributes(Plain):
    model_config = ConfigDict(from_attributes=True)


class Holder(Schema):
    plain: Plain


class HolderFromAttributes(Schema):
    plain: FromAttributes


class Row:
    """An object that a schema reads attributes of."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


class Called(Row):
    def __call__(self) -> Any:
        return {"name": "of the call", "id": 7}


class Slots:
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Computing:
    """An object with an attribute that is computed, and counts how often."""

    n = 0

    @property
    def name(self) -> str:
        type(self).n += 1
        return f"computed {self.n}"


MOMENT = datetime.datetime(2026, 11, 23, 1, 2, 3, 456789, tzinfo=datetime.timezone.utc)


def row(**changes: Any) -> dict[str, Any]:
    made = {"id": 1, "title": "名前", "price": 1.5, "made": MOMENT, "key": uuid.UUID(int=7), "seller": {"name": "é"}}
    return made | changes


WHOLE = {
    "cost": decimal.Decimal("2.50"),
    "day": datetime.date(2026, 1, 2),
    "colour": Colour.RED,
    "seller": None,
    "tags": ["中"],
}
VALUES: dict[str, Callable[[], Any]] = {
    "dict": row,
    "whole": lambda: row(**WHOLE, city=None),
    "other order": lambda: dict(reversed(row().items())),
    "extra": lambda: row(more=1),
    "object": lambda: Row(**row(**WHOLE, city=Row(name="北京", size=7))),
    "object without optional attributes": lambda: Row(**row()),
    "object in object": lambda: Row(**row(seller=Row(name="x", Wertung=4))),
    "object with a name for an alias": lambda: Row(**row(seller=Row(name="x", rating=4))),
    "object without an attribute": lambda: Row(**row(seller=Row())),
    "instance": lambda: Item(**row()),
    "instance in dict": lambda: row(city=City(name="x", size=5)),
    "instance with an alias in dict": lambda: row(seller=Seller(name="x", rating=5)),
    "as text": lambda: row(made="2026-11-23T01:02:03.456789Z", key="{00000000-0000-0000-0000-000000000007}", price=2),
    "text of dates": lambda: row(made="2026-11-23T01:02:03Z", day="2026-11-23", cost="2.50", colour="rot"),
    "by alias": lambda: row(seller={"name": "é", "Wertung": 4}),
    "by name": lambda: row(seller={"name": "é", "rating": 4}),
    "called": lambda: Called(**row()),
    "called below": lambda: row(seller=Called(name="x", Wertung=3)),
    "callable": lambda: row(title=lambda: "of a function"),
    "of another type": lambda: row(id="5", tags=("a", "b")),
    "wrong": lambda: row(id="x"),
    "wrong below": lambda: row(seller={"name": "é", "Wertung": -1}),
    "missing": lambda: {"id": 1},
    "nan": lambda: row(price=float("nan")),
    "none": lambda: None,
    "surrogate": lambda: row(title="\ud800"),
}
OPTIONS: list[dict[str, Any]] = [
    {},
    *({name: True} for name in ("by_alias", "exclude_unset", "exclude_defaults", "exclude_none")),
]


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_responses_are_ninjas(name: str, options: dict[str, Any]) -> None:
    make = VALUES[name]
    for declared, value in (
        (Item, make()),
        (list[Item], [make(), make()]),
        (dict[str, Item | None], {"é": make(), "none": None}),
        (Item | None, make()),
        ({201: Item, 400: Seller, ...: dict}, (201, make())),
        ({200: list[Item], 204: None}, [make()]),
        ({frozenset({200, 201}): Item}, (201, make())),
    ):
        operations = returning(declared, **options)
        for _ in range(2):
            assert responded(operations.ours, value) == responded(operations.stock, value), declared


@pytest.mark.parametrize(
    ("name", "n"),
    [
        *(
            (name, 1)
            for name in ("dict", "whole", "other order", "extra", "object", "instance in dict", "text of dates")
        ),
        *((name, 1) for name in ("as text", "by alias", "by name")),
        *(
            (name, 0)
            for name in ("wrong", "called", "called below", "missing", "nan", "object with a name for an alias")
        ),
    ],
)
def test_plain_values_bypass_pydantic(name: str, n: int) -> None:
    operations = returning(list[Item])
    assert responded(operations.ours, [VALUES[name]()]) == responded(operations.stock, [VALUES[name]()])
    assert operations.n_bypassed == n


class Resolved(Schema):
    name: str

    @staticmethod
    def resolve_name(obj: Any) -> str:
        return "resolved"


class InheritsResolver(Resolved):
    n: int = 1


class Validated(Schema):
    name: str

    @field_validator("name")
    def check(cls, name: str) -> str:
        return name.strip()


class ValidatedBefore(Schema):
    name: str

    @model_validator(mode="before")
    def check(cls, values: Any) -> Any:
        return {"name": f"before {type(values).__name__}"}


class ValidatedAround(Schema):
    name: str

    @model_validator(mode="wrap")
    @classmethod
    def around(cls, values: Any, handler: Any) -> Any:
        return handler({"name": "around"})


class ValidatedInPlace(Schema):
    name: str

    @model_validator(mode="wrap")
    @classmethod
    def _run_root_validator(cls, values: Any, handler: Any, info: Any) -> Any:
        return handler({"name": "in place of Ninja's"})


class NotFromAttributes(Schema):
    model_config = ConfigDict(from_attributes=False)
    name: str


class Computed(Schema):
    name: str

    @computed_field
    def double(self) -> str:
        return self.name * 2


class Dotted(Schema):
    name: str = Field(..., alias="inner.name")


class Underscored(Schema):
    name: str = Field("default", alias="_context")


class Called2(Schema):
    name: str = "é"
    colour: Calling = Calling.RED


class Forbidding(Schema):
    model_config = ConfigDict(extra="forbid")
    name: str
    seller: Seller | None = None


class Allowing(Schema):
    model_config = ConfigDict(extra="allow")
    name: str


@pytest.mark.parametrize(
    "declared",
    [
        *(Resolved, InheritsResolver, Validated, ValidatedBefore, ValidatedAround, ValidatedInPlace, NotFromAttributes),
        *(Computed, Dotted, Underscored, Called2, Forbidding, Allowing, Holder, HolderFromAttributes, Plain),
        *(FromAttributes, Seller | str, Seller | Resolved, dict, Any),
    ],
    ids=str,
)
def test_schemas_with_ways_of_their_own_are_ninjas(declared: Any) -> None:
    values: list[Callable[[], Any]] = [
        lambda: {"name": " é "},
        lambda: {"name": "x", "more": 1},
        lambda: {"name": "x", "seller": {"name": "y"}},
        lambda: {"name": "x", "colour": Calling.RED},
        lambda: {"inner.name": "x"},
        lambda: {"inner": {"name": "x"}},
        lambda: Row(inner=Row(name="deep")),
        lambda: Row(name="x"),
        lambda: Row(name="x", more=1),
        lambda: Slots("x"),
        lambda: Computing(),
        lambda: Validated(name="x"),
        lambda: {"plain": {"name": "x"}},
        lambda: {"plain": Plain(name="x")},
        lambda: {"plain": FromAttributes(name="x")},
        lambda: {"plain": Row(name="x")},
        lambda: {},
        lambda: "text",
        lambda: [1],
    ]
    for make in values:
        for outer, wrap in ((declared, lambda one: one), (list[declared], lambda one: [one])):
            operations = returning(outer)
            outcomes = []
            for operation in operations:
                Computing.n = 0
                outcomes.append((responded(operation, wrap(make())), Computing.n))
            assert outcomes[0] == outcomes[1], make()


class Root(RootModel[Any]):
    pass


class Rooted(Schema):
    part: Root


def test_root_model_of_none_is_no_none_that_is_left_out() -> None:
    operations = returning(Rooted, exclude_none=True)
    for part in ("é", None, Root(None), [1]):
        assert responded(operations.ours, {"part": part}) == responded(operations.stock, {"part": part})


def as_rows(value: Any) -> Any:
    """The value with objects in place of dicts."""
    if isinstance(value, list):
        return [as_rows(one) for one in value]
    return Row(**{key: as_rows(one) for key, one in value.items()}) if isinstance(value, dict) else value


class Tree(Schema):
    name: str
    children: list[Tree] = Field(default_factory=list)


class Cat(Schema):
    kind: Literal["cat"]
    name: str = "é"


class Dog(Schema):
    kind: Literal["dog"]
    name: str


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        (Tree, {"name": "a", "children": [{"name": "b"}, {"name": "c", "children": [{"name": "d"}]}]}),
        (Tree, {"name": "a", "children": [{"name": "b"}, {"name": "c", "children": [{"name": 1}]}]}),
        *((list[Pet], value) for value in ([{"kind": "cat"}, {"kind": "dog", "name": "x"}], [{"kind": "cow"}], [{}])),
        (tuple[int, City], [1, {"name": "x"}]),
        (dict[str, City], {"a": {"name": "x", "more": 1}}),
    ],
    ids=repr,
)
def test_nested_schemas_are_ninjas(declared: Any, value: Any) -> None:
    responses, bodies = returning(declared), taking(data=declared)
    body = json.dumps(value).encode()
    for _ in range(2):
        assert responded(responses.ours, value) == responded(responses.stock, value)
        assert repr(values_of(bodies.ours, body)) == repr(values_of(bodies.stock, body))
    rows = as_rows(value)
    assert responded(responses.ours, rows) == responded(responses.stock, rows)


BODIES: dict[str, Any] = {
    "whole": row(colour="rot", tags=["中"], day="2026-01-02", cost="2.5"),
    **nearly_right(row),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies_give_ninjas_models_and_errors(name: str) -> None:
    one = json.dumps(BODIES[name], default=str)
    taken: list[tuple[dict[str, Any], str]] = [
        ({"data": Item}, one),
        ({"data": list[Item]}, f"[{one},{one}]"),
        ({"data": Item | None}, one),
        ({"data": Item, "n": int}, f'{{"data":{one},"n":1}}'),
        ({"data": Item, "n": int}, f'{{"data":{one},"n":"x"}}'),
        ({"data": dict[str, Item]}, f'{{"a":{one}}}'),
        ({"data": Resolved}, '{"name":"x"}'),
        ({"data": Forbidding}, f'{{"name":"x","seller":{one}}}'),
        ({"data": Forbidding}, '{"name":"x","more":1}'),
        ({"data": Plain}, '{"name":"x"}'),
        ({"data": Item}, ""),
        ({"data": Item}, "{"),
    ]
    for declared, body in taken:
        operations = taking(**declared)
        expected, got = (values_of(operation, body.encode()) for operation in operations)
        assert repr(got) == repr(expected), declared
        if expected[0] == "value":
            for key, value in expected[1].items():
                assert got[1][key] == value
                assert getattr(got[1][key], "model_fields_set", None) == getattr(value, "model_fields_set", None)


@pytest.mark.parametrize(("name", "n"), [("whole", 1), ("by name", 1), ("extra", 1), ("converted", 0), ("wrong", 0)])
def test_bodies_of_plain_values_do_not_go_through_pydantic(name: str, n: int) -> None:
    operations = taking(data=list[Item])
    values_of(operations.ours, json.dumps([BODIES[name]], default=str).encode())
    assert operations.n_bypassed == n


def build(name: str, **options: Any) -> NinjaAPI:
    """An API with routers, pagination, asynchronous operations and handlers."""
    api = NinjaAPI(urls_namespace=f"typed-{name}", version=f"typed-{name}", **options)
    router = Router()

    @api.get("/items", response=list[Item])
    def items(request: Any) -> Any:
        return [row(), VALUES["object"]()]

    @api.get("/asynchronous", response=Item)
    async def asynchronous(request: Any) -> Any:
        return row()

    @api.get("/pages", response=list[Seller])
    @paginate
    def pages(request: Any) -> Any:
        return [{"name": str(n)} for n in range(200)]

    @api.get("/wrong", response=Item)
    def wrong(request: Any) -> Any:
        return {"id": "x"}

    @api.post("/statuses", response={200: Item, 201: Seller, 204: None})
    def statuses(request: Any, status: int, item: Item) -> Any:
        return status, {"name": item.title} if status == 201 else item

    @router.post("/items", response=Item)
    def add(request: Any, item: Item, n: Annotated[int, Body()] = 1) -> Any:
        return item

    @router.post("/many")
    def many(request: Any, items: list[Item]) -> Any:
        return {"n": len(items), "first": repr(items[0])}

    api.add_router("/router", router)

    @api.exception_handler(ValueError)
    def refused(request: Any, error: ValueError) -> Any:
        return api.create_response(request, {"refused": type(error).__name__}, status=418)

    return api


def set_up(name: str, **options: Any) -> NinjaAPI:
    api = build(name, **options)
    setup(api)
    return api


APIS = {
    "stock": build("stock"),
    "layout": set_up("layout", renderer=StockLayout()),
    "ours": set_up("ours"),
    "late": build("late", renderer=StockLayout()),
}
urlpatterns = [path(f"{name}/", api.urls) for name, api in APIS.items()]
setup(APIS["late"])

ONE = json.dumps(BODIES["whole"], default=str)
CALLS = [
    ("GET", "items", ""),
    ("GET", "asynchronous", ""),
    ("GET", "pages?limit=3&offset=1", ""),
    ("GET", "pages?limit=x", ""),
    ("GET", "wrong", ""),
    *(("POST", f"statuses?status={status}", ONE) for status in (200, 201, 204, 299, "x")),
    ("POST", "statuses?status=x", '{"id":"x"}'),
    ("POST", "router/items", f'{{"item":{ONE},"n":3}}'),
    ("POST", "router/items", f'{{"item":{ONE},"n":"x"}}'),
    ("POST", "router/many", f"[{ONE},{ONE}]"),
    ("POST", "router/many", f"[{ONE},5]"),
    ("GET", "openapi.json", ""),
]


def answer(version: str, method: str, where: str, body: str) -> Any:
    def ask() -> Any:
        response = Client().generic(method, f"/{version}/{where}", body, content_type="application/json")
        content = response.content.decode().replace(version, "stock").replace(f"/{version}/", "/stock/")
        return response.status_code, dict(response.items()), content

    return error_of(ask)


@pytest.fixture
def urls() -> Any:
    with override_settings(ROOT_URLCONF=__name__):
        yield


@pytest.mark.usefixtures("urls")
@pytest.mark.filterwarnings("ignore:Returning tuple:DeprecationWarning")
@pytest.mark.parametrize("version", ["layout", "late"])
@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[1]} {call[2][:9]}")
def test_api_that_is_set_up_answers_as_stock(version: str, call: tuple[str, str, str]) -> None:
    for _ in range(2):
        expected, got = answer("stock", *call), answer(version, *call)
        if call[1] == "openapi.json":
            expected[1][1].pop("Content-Length", None), got[1][1].pop("Content-Length", None)
        assert_same(got, expected, call[1])


@pytest.mark.usefixtures("urls")
def test_report_counts_what_bypasses_pydantic() -> None:
    for _ in range(3):
        assert Client().get("/ours/items").status_code == 200
        Client().post("/ours/router/many", f"[{ONE}]", content_type="application/json")
    Client().get("/ours/wrong")
    reports = {report.path: report for report in route_report() if report.path.startswith("/ours/")}
    answers, bodies = reports["/ours/items"].answers, reports["/ours/router/many"].bodies
    assert answers is not None
    assert answers.around >= 3
    assert answers.validated == 0
    assert bodies is not None
    assert bodies.around >= 3
    assert reports["/ours/wrong"].answers is not None
    assert reports["/ours/wrong"].answers.around == 0
    assert reports["/ours/router/items"].bodies is None


@pytest.mark.usefixtures("urls")
def test_default_layout_is_compact_and_leaves_no_utf8_copy() -> None:
    response = Client().get("/ours/items")
    assert b'"title":"\xe5\x90\x8d\xe5\x89\x8d","price":1.5,' in response.content
    held = row(title="".join(("中文", "x")))
    operations = returning(Item)
    assert responded(operations.ours, held)[0] == "value"
    assert utf8_cache_size(held["title"]) == 0


@pytest.mark.usefixtures("urls")
def test_asynchronous_client_gets_stocks_answer() -> None:
    async def ask(version: str) -> bytes:
        response: Any = await AsyncClient().get(f"/{version}/asynchronous")
        content: bytes = response.content
        return content

    assert asyncio.run(ask("layout")) == asyncio.run(ask("stock"))


class Getter(DjangoGetter):
    """A getter of the application's own."""

    def __getattr__(self, key: str) -> Any:
        value = super().__getattr__(key)
        return f"<{value}>" if isinstance(value, str) else value


@pytest.mark.parametrize("name", ["DjangoGetter", "DjangoGetter._convert_result"])
def test_getter_that_is_replaced_is_asked(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    operations = returning(City)
    before = responded(operations.ours, {"name": "x"})
    if name == "DjangoGetter":
        monkeypatch.setattr("ninja.schema.DjangoGetter", Getter)
    else:
        monkeypatch.setattr(DjangoGetter, "_convert_result", lambda self, result: "8" if result == 7 else result)
    value = {"name": "x", "size": 7}
    assert responded(operations.ours, value) == responded(operations.stock, value) != before
    assert operations.n_bypassed <= 1


def test_setup_keeps_a_renderer_and_a_parser_of_ones_own() -> None:
    class Renderer(JSONRenderer):
        def render(self, request: Any, data: Any, *, response_status: int) -> Any:
            data.append("changed in place")
            return super().render(request, data, response_status=response_status)

    class Own(Parser):
        pass

    api = NinjaAPI(renderer=Renderer(), parser=Own(), version="own", urls_namespace="own")
    held = [row()]
    api.get("/", response=list[Item])(lambda request: held)
    setup(api)
    assert type(api.renderer) is Renderer
    assert type(api.parser) is Own
    with override_settings(ROOT_URLCONF=(path("", api.urls),)):
        for _ in range(2):
            assert json.loads(Client().get("/").content)[-1] == "changed in place"
    assert held == [row()]


def test_setup_replaces_ninjas_own_classes_and_may_be_called_again() -> None:
    api = NinjaAPI(version="again", urls_namespace="again")
    setup(api)
    replaced = api._get_urls
    setup(api)
    assert type(api.renderer) is SSRJSONRenderer
    assert type(api.parser) is SSRJSONParser
    assert api._get_urls is replaced


def test_operations_of_other_apis_do_not_change() -> None:
    routers = [Router(), Router()]
    apis = [NinjaAPI(version=f"other {n}", urls_namespace=f"other-{n}") for n in range(2)]
    for api, router in zip(apis, routers, strict=True):
        router.get("/", response=Item)(lambda request: row())
        api.add_router("/", router)
    setup(apis[0])
    for api in apis:
        assert api.urls
    assert type(apis[1].renderer) is JSONRenderer
    operation = routers[1].path_operations["/"].operations[0]
    assert "__ssrjson_shortcut__" not in vars(operation.response_models[200])


@pytest.mark.parametrize("wrong", [None, NinjaAPI, Router(), "api"], ids=["None", "class", "router", "text"])
def test_setup_of_anything_else_is_a_type_error(wrong: Any) -> None:
    with pytest.raises(TypeError, match="setup takes a Ninja application"):
        setup(wrong)


@pytest.mark.parametrize(("events", "is_bypassed"), [((), True), (("on_error",), True), (("on_success",), False)])
def test_plugins_of_pydantic_hear_what_they_would_have_heard(
    monkeypatch: pytest.MonkeyPatch, events: tuple[str, ...], is_bypassed: bool
) -> None:
    plugin = installed_plugins(monkeypatch)["one"] = Plugin(*events)

    class Heard(Schema):
        name: str

    api = NinjaAPI(urls_namespace=f"heard {events}")

    def endpoint(request: Any, body: Any) -> Any:
        return {"name": body.name}

    endpoint.__annotations__["body"] = Heard
    api.post("/", response=Heard)(endpoint)
    setup(api)
    with override_settings(ROOT_URLCONF=type("Urls", (), {"urlpatterns": [path("", api.urls)]})):
        plugin.heard.clear()
        response = Client().post("/", {"name": "é"}, content_type="application/json")
        assert (response.status_code, response.json()) == (200, {"name": "é"})
        route = next(one for one in route_report() if one.methods == ("POST",))
    assert (plugin.heard == []) == is_bypassed
    assert route.answers is not None or not is_bypassed
    if is_bypassed:
        assert (route.answers.around, route.bodies.around) == (1, 1)  # type: ignore[union-attr]
