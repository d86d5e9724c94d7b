"""Response models with all options of routes, with and without our classes."""

import datetime
import decimal
import enum
import fractions
import functools
import uuid
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse
from helpers.fastapi_twins import Counter, answer, assert_twins_answer_alike
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    TypeAdapter,
    computed_field,
    field_serializer,
    model_serializer,
)
from typing_extensions import TypedDict

from ssrjson_web import utf8_cache_size
from ssrjson_web.fastapi import SSRJSONResponse, setup

T = TypeVar("T")


class Colour(enum.Enum):
    RED = "röt"


class Tag(BaseModel):
    name: str
    weight: int = 1


class Item(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    id: int
    title: str = Field(default="é", alias="tïtle")
    note: str | None = None
    tags: list[Tag] = []
    by_name: dict[str, Tag] = {}
    pair: tuple[int, str] = (1, "中")
    colour: Colour = Colour.RED
    size: Literal["S", "M"] = "S"
    made: datetime.datetime = datetime.datetime(2026, 11, 21, 1, 2, 3, tzinfo=datetime.timezone.utc)
    lasts: datetime.timedelta = datetime.timedelta(hours=1)
    key: uuid.UUID = uuid.UUID(int=3)
    price: decimal.Decimal = decimal.Decimal("1.50")
    ratio: float = 0.5
    blob: bytes = b"ab"
    labels: set[str] = {"x"}

    @computed_field  # type: ignore[prop-decorator]
    @property
    def n_tags(self) -> int:
        return len(self.tags)


class Child(Item):
    secret: str = "geheim"


class Serialized(BaseModel):
    at: datetime.date

    @field_serializer("at")
    def at_text(self, at: datetime.date) -> str:
        return f"am {at:%d.%m.%Y}"


class Wrapped(BaseModel):
    a: int

    @model_serializer(mode="wrap")
    def wrap(self, handler: Any) -> Any:
        return {"wrapped": handler(self)}


class Node(BaseModel):
    name: str
    children: list["Node"] = []


class Page(BaseModel, Generic[T]):
    items: list[T]
    total: int


class Names(RootModel[list[str]]):
    pass


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    miau: str


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    wuff: str


class Extra(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


@dataclass
class Place:
    name: str
    n: int = 1


class Record(TypedDict, total=False):
    name: str
    n: int


def item() -> Item:
    return Item(id=1, title="名", tags=[Tag(name="é"), Tag(name="中", weight=2)], by_name={"ключ": Tag(name="x")})


class Row:
    """An object as of an ORM, which pydantic reads by its attributes."""

    id = 5
    title = "行"


MODELS: dict[str, tuple[Any, Callable[[], Any]]] = {
    "model": (Item, item),
    "model from dict": (Item, lambda: {"id": 7, "tïtle": "é", "tags": [{"name": "中"}], "note": None}),
    "model by alias": (Item, lambda: Item(id=1, tïtle="中", note="n")),
    "subclass": (Item, lambda: Child(id=1)),
    "from attributes": (Item, Row),
    "list of models": (list[Item], lambda: [item(), {"id": 2}]),
    "dict of models": (dict[str, Tag], lambda: {"é": Tag(name="a"), "b": {"name": "ю"}}),
    "int keys": (dict[int, str], lambda: {1: "a", "2": "é"}),
    "optional": (Item | None, lambda: None),
    "union": (Cat | Dog, lambda: {"kind": "dog", "wuff": "é"}),
    "discriminated": (
        list[Annotated[Cat | Dog, Field(discriminator="kind")]],
        lambda: [Cat(miau="ю"), {"kind": "dog", "wuff": "é"}],
    ),
    "serializer": (Serialized, lambda: {"at": "2026-11-21"}),
    "model serializer": (list[Wrapped], lambda: [{"a": 1}]),
    "recursive": (Node, lambda: {"name": "é", "children": [{"name": "中", "children": [{"name": "x"}]}]}),
    "generic": (Page[Tag], lambda: {"items": [{"name": "é"}], "total": 1}),
    "root model": (Names, lambda: ["é", "中"]),
    "extra": (Extra, lambda: {"a": 1, "ü": ["é", None], "z": datetime.date(2026, 1, 2)}),
    "dataclass": (Place, lambda: Place("é")),
    "dataclass from dict": (list[Place], lambda: [{"name": "é", "n": 2}]),
    "typed dict": (Record, lambda: {"name": "é"}),
    "scalar": (int, lambda: "12"),
    "text": (str, lambda: "né 中 😀 \x00\x7f\u2028"),
    "any": (Any, lambda: {"a": [1, {"b": datetime.date(2026, 1, 2)}], "é": None}),
    "bare list": (list, lambda: [1, "é", Tag(name="a")]),
    "bare dict": (dict, lambda: {"a": {"é": Tag(name="a")}, "_sa": 1}),
    "object": (object, lambda: {"a": 1}),
    "enum": (Colour, lambda: "röt"),
    "invalid": (Item, lambda: {"id": "keine Zahl", "tags": 3}),
    "invalid none": (Tag, lambda: None),
    "unserializable": (Any, lambda: {"a": object()}),
    "response": (Item, lambda: PlainTextResponse("é")),
}

OPTIONS: dict[str, dict[str, Any]] = {
    "none": {},
    "unset": {"response_model_exclude_unset": True},
    "defaults": {"response_model_exclude_defaults": True},
    "no none": {"response_model_exclude_none": True},
    "by name": {"response_model_by_alias": False},
    "include": {"response_model_include": {"id", "name", "title", "items"}},
    "exclude": {"response_model_exclude": {"tags": {0: {"weight"}}, "note": True, "a": True}},
    "all": {
        "response_model_exclude_unset": True,
        "response_model_exclude_none": True,
        "response_model_by_alias": False,
        "response_model_exclude": {"id"},
    },
}
CLASSES = {"default": None, "JSONResponse": JSONResponse, "SSRJSONResponse": SSRJSONResponse}


def build(response_class: Any = None, **options: Any) -> FastAPI:
    app = FastAPI(**({} if response_class is None else {"default_response_class": response_class}))

    def add(name: str, model: Any, value: Callable[[], Any]) -> None:
        async def in_loop():
            return value()

        def in_thread():
            return value()

        app.add_api_route(f"/async/{name}", in_loop, response_model=model, **options)
        app.add_api_route(f"/sync/{name}", in_thread, response_model=model, **options)

    for name, (model, value) in MODELS.items():
        add(name, model, value)
    return app


PATHS = [f"/{kind}/{name}" for kind in ("async", "sync") for name in MODELS]


@pytest.mark.parametrize("response_class", CLASSES.values(), ids=CLASSES)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_model_with_each_option_answers_as_stock(options: dict[str, Any], response_class: Any) -> None:
    answers = assert_twins_answer_alike(lambda: build(response_class, **options), PATHS)
    assert sum(found.status == 200 for found in answers) > len(PATHS) - 12
    assert any(found.error is not None and found.error[0] == "ResponseValidationError" for found in answers)


def test_model_is_encoded_by_the_core_and_keeps_no_utf8_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    tag = Tag(name="中" * 100)
    app = FastAPI()

    @app.get("/")
    async def endpoint() -> Tag:
        return tag

    setup(app)
    answer(app, "/")
    assert (counter.models, counter.values) == (1, 0)
    assert utf8_cache_size(tag.name) == 0


def test_model_is_left_to_pydantic_where_setup_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    assert_twins_answer_alike(build, PATHS[:8], response_models=False)
    assert counter.models == 0


class Shouting(JSONResponse):
    def render(self, content: Any) -> bytes:
        return super().render(content).upper()


def test_model_for_a_response_class_of_its_own_is_left_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    assert_twins_answer_alike(lambda: build(Shouting), PATHS)
    assert counter.models == 0


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The options of each encoder that is made."""
    from ssrjson_web._models.adapter import AdapterEncoder

    made: list[dict[str, Any]] = []

    class Recorded(AdapterEncoder):
        def __init__(self, *args: Any, **options: Any) -> None:
            made.append(options)
            super().__init__(*args, **options)

    monkeypatch.setattr("ssrjson_web._models.adapter.AdapterEncoder", Recorded)
    return made


def test_model_encoder_is_made_once_for_all_requests(made: list[dict[str, Any]]) -> None:
    app = build(**OPTIONS["exclude"])
    setup(app)
    for _ in range(3):
        answer(app, "/async/model")
    assert len(made) == 1
    assert made[0]["exclude"] == OPTIONS["exclude"]["response_model_exclude"]


def test_model_excluded_fields_changed_in_place_are_seen(made: list[dict[str, Any]]) -> None:
    excluded = {"note"}

    def build() -> FastAPI:
        app = FastAPI()

        @app.get("/", response_model=Tag, response_model_exclude=excluded)
        async def endpoint():
            return {"name": "é"}

        return app

    theirs, ours = build(), build()
    setup(ours)
    assert answer(ours, "/").body == answer(theirs, "/").body == '{"name":"é","weight":1}'.encode()
    excluded.add("weight")
    assert answer(ours, "/").body == answer(theirs, "/").body == '{"name":"é"}'.encode()
    assert len(made) == 2


@pytest.mark.skipif(not hasattr(TypeAdapter, "rebuild"), reason="before pydantic 2.10 an adapter needs it at once")
def test_model_defined_later_is_encoded_once_it_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)

    class Later(BaseModel):
        other: "Other"

    def build() -> FastAPI:
        app = FastAPI()

        async def endpoint():
            return {"other": {"text": "é"}}

        app.add_api_route("/", endpoint, response_model=Later)
        return app

    theirs, ours = build(), build()
    setup(ours)
    before = [answer(app, "/") for app in (theirs, ours)]
    assert before[0].error is not None
    assert before[1].error is not None
    assert before[1].error[0] == before[0].error[0]

    class Other(BaseModel):
        text: str

    Later.model_rebuild(_types_namespace={"Other": Other})
    for app in (theirs, ours):
        route: Any = next(route for route in app.routes if getattr(route, "path", "") == "/")
        field = getattr(route, "secure_cloned_response_field", None) or route.response_field
        field._type_adapter.rebuild(force=True, _types_namespace={"Later": Later, "Other": Other})
    assert answer(ours, "/").body == answer(theirs, "/").body == '{"other":{"text":"é"}}'.encode()
    assert counter.models == 1


def test_model_status_and_headers_of_an_injected_response_answer_as_stock() -> None:
    from fastapi import Response

    def build() -> FastAPI:
        app = FastAPI()

        @app.get("/", response_model=Tag, status_code=202)
        async def endpoint(response: Response, status: int = 201):
            response.status_code = status
            response.headers["x-a"] = "b"
            response.set_cookie("c", "d")
            return Tag(name="é")

        return app

    answers = assert_twins_answer_alike(build, ["/", "/?status=203", "/?status=204", "/?status=304"])
    assert [found.status for found in answers] == [201, 203, 204, 304]
    assert answers[0].headers["x-a"] == "b"


class Page(BaseModel, Generic[T]):
    items: list[T] = []
    total: int = 0
    note: str | None = None


class SubPage(Page[T], Generic[T]):
    more: int = 1


class PageLike(BaseModel):
    items: list[Any] = []
    total: int = 0
    note: str | None = None


class Pages(BaseModel):
    one: Page[Tag] = Page[Tag]()
    many: list[Page[Tag]] = []
    by_name: dict[str, Page[Tag]] = {}


def pages() -> list[Any]:
    """Pages of each kind, of which some fields are set."""
    tag = Tag(name="é")
    kinds: list[Any] = [Page, Page[Any], Page[Tag], Page[int], SubPage, SubPage[Tag], SubPage[Any], PageLike]
    made = [
        kind.model_construct(**values)
        for kind in kinds
        for values in ({}, {"items": []}, {"items": [tag], "note": None})
    ]
    for page in made[::7]:
        page.total = 3
    return made


@pytest.mark.parametrize(
    "options",
    [{}, {"response_model_exclude_unset": True}, {"response_model_exclude_defaults": True}],
    ids=["all", "unset", "defaults"],
)
def test_generic_model_of_another_parametrization_answers_as_stock(options: dict[str, Any]) -> None:
    def build_pages() -> FastAPI:
        app = FastAPI()
        made = pages()
        wrapped: dict[str, tuple[Any, Callable[[Any], Any]]] = {
            "one": (Page[Tag], lambda page: page),
            "list": (list[Page[Tag]], lambda page: [page, page]),
            "dict": (dict[str, Page[Tag]], lambda page: {"k": page}),
            "nested": (Pages, lambda page: Pages.model_construct(one=page, many=[page])),
            "in-dict": (Pages, lambda page: {"one": page, "many": [page], "by_name": {"k": page}}),
        }
        for path, (declared, wrap) in wrapped.items():
            for place, page in enumerate(made):
                endpoint = functools.partial(wrap, page)
                app.get(f"/{path}/{place}", response_model=declared, **options)(lambda endpoint=endpoint: endpoint())
        return app

    paths = [f"/{path}/{i}" for path in ("one", "list", "dict", "nested", "in-dict") for i in range(len(pages()))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_twins_answer_alike(build_pages, paths)


class Reals(BaseModel):
    one: float = 1.0
    many: list[float] = []
    by_name: dict[str, float] = {}
    places: tuple[float, ...] = ()
    text: str = "é"


@pytest.mark.parametrize("response_class", [None, JSONResponse, SSRJSONResponse])
def test_model_with_numbers_of_other_types_answers_as_stock(response_class: Any) -> None:
    def build_reals() -> FastAPI:
        app = FastAPI()
        options: dict[str, Any] = {} if response_class is None else {"response_class": response_class}

        def get(held: Any) -> Callable[[], Any]:
            def endpoint() -> Any:
                reals = Reals()
                reals.one, reals.many, reals.by_name, reals.places = held, [held], {"a": held}, (held,)
                return reals

            return endpoint

        for path, held in {"decimal": decimal.Decimal("1.5"), "fraction": fractions.Fraction(1, 2), "int": 1}.items():
            app.get(f"/{path}", response_model=Reals, **options)(get(held))
        return app

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert_twins_answer_alike(build_reals, ["/decimal", "/fraction", "/int"])
    texts = [str(one.message) for one in caught if "serializer" in str(one.message)]
    assert texts[::2] == texts[1::2]  # stock's and ours in turn


needs_polymorphic = pytest.mark.skipif(
    "polymorphic_serialization" not in ConfigDict.__annotations__, reason="pydantic 2.13 and later"
)


@needs_polymorphic
@pytest.mark.parametrize("response_class", [None, JSONResponse, SSRJSONResponse])
def test_polymorphic_model_answers_as_stock(response_class: Any) -> None:
    class Parent(BaseModel):
        model_config = ConfigDict(polymorphic_serialization=True)  # type: ignore[typeddict-unknown-key, unused-ignore]
        a: int = 1

    class Child(Parent):
        b: str = "é"

    class Outer(BaseModel):
        one: Parent
        many: list[Parent]

    def build_polymorphic() -> FastAPI:
        app = FastAPI()
        options: dict[str, Any] = {} if response_class is None else {"response_class": response_class}
        app.get("/one", response_model=Parent, **options)(Child)
        app.get("/many", response_model=list[Parent], **options)(lambda: [Child(), Parent()])
        app.get("/nested", response_model=Outer, **options)(lambda: Outer(one=Child(), many=[Child()]))
        app.get("/untyped", **options)(lambda: {"k": Outer(one=Child(), many=[Child()])})
        return app

    answers = assert_twins_answer_alike(build_polymorphic, ["/one", "/many", "/nested", "/untyped"])
    assert all(b'"b":' in one.body for one in answers)
