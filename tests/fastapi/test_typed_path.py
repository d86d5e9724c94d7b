"""Response models and bodies that bypass pydantic where validation would change and refuse nothing."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import uuid
from typing import Annotated, Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import Body, Depends, FastAPI
from helpers.bodies import nearly_right
from helpers.fastapi_twins import Call, Counter, answer, assert_same_answers, assert_twins_answer_alike
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator

from ssrjson_web import utf8_cache_size
from ssrjson_web._models.adapter import bodies_maker
from ssrjson_web._shared.route_report import ValidationCount
from ssrjson_web.fastapi import route_report, setup


class Colour(enum.Enum):
    RED = "rot"


class Seller(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    name: str
    rating: int = Field(3, alias="Wertung", ge=0)


class Item(BaseModel):
    id: int
    title: str
    price: float
    made: datetime.datetime
    key: uuid.UUID
    colour: Colour = Colour.RED
    seller: Seller | None = None
    tags: list[str] = []


class Checked(Seller):
    @field_validator("name")
    def check(cls, name: str) -> str:
        return name.strip()


@dataclasses.dataclass
class Row:
    id: int
    title: str
    price: float
    made: datetime.datetime
    key: uuid.UUID
    colour: Colour = Colour.RED
    seller: Any = None
    tags: Any = dataclasses.field(default_factory=list)


MOMENT = datetime.datetime(2026, 11, 23, 1, 2, 3, tzinfo=datetime.timezone.utc)


def row(**changes: Any) -> dict[str, Any]:
    made = {"id": 1, "title": "名前", "price": 1.5, "made": MOMENT, "key": uuid.UUID(int=7), "seller": {"name": "é"}}
    return made | changes


VALUES: dict[str, Any] = {
    "dict": row(),
    "whole": row(colour=Colour.RED, seller=None, tags=["中"]),
    "other order": dict(reversed(row().items())),
    "extra": row(more=1),
    "object": Row(**row()),
    "instance": Item(**row()),
    "as in JSON": row(made="2026-11-23T01:02:03Z", key="00000000-0000-0000-0000-000000000007", price=2),
    "by alias": row(seller={"name": "é", "Wertung": 4}),
    "by name": row(seller={"name": "é", "rating": 4}),
    "of another type": row(id="5", tags=("a", "b")),
    "wrong": row(id="x"),
    "wrong below": row(seller={"name": "é", "rating": -1}),
    "missing": {"id": 1},
    "nan": row(price=float("nan")),
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        *({f"response_model_{name}": True} for name in ("exclude_unset", "exclude_defaults", "exclude_none")),
        *({"response_model_by_alias": False}, {"response_model_include": {"id", "title"}}),
    ],
    ids=lambda options: ",".join(options) or "plain",
)
def test_responses_are_stocks(value: Any, options: dict[str, Any]) -> None:
    def build() -> FastAPI:
        app = FastAPI()

        @app.get("/one", response_model=Item, **options)
        async def one() -> Any:
            return value

        @app.get("/list", response_model=list[Item], **options)
        def several() -> Any:
            return [value, value]

        @app.get("/mapping", response_model=dict[str, Item | None], **options)
        async def mapping() -> Any:
            return {"é": value, "none": None}

        return app

    assert_twins_answer_alike(build, ("/one", "/list", "/mapping"))


def test_answers_are_written_without_validation_from_the_first_on(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    app = FastAPI()
    held = row(title="中" * 50)

    @app.get("/", response_model=list[Item])
    async def endpoint() -> Any:
        return [held]

    setup(app)
    bodies = {answer(app, "/").body for _ in range(3)}
    assert len(bodies) == 1
    assert (counter.models, counter.unvalidated) == (3, 3)
    assert utf8_cache_size(held["title"]) == 0


def test_validators_of_a_model_run_for_each_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    app = FastAPI()

    @app.get("/", response_model=Checked)
    async def endpoint() -> Any:
        return {"name": " é "}

    setup(app)
    assert {answer(app, "/").body for _ in range(3)} == {'{"name":"é","Wertung":3}'.encode()}
    assert counter.unvalidated == 0


def test_model_that_is_rebuilt_is_read_anew() -> None:
    class Growing(BaseModel):
        name: str

    app = FastAPI()

    @app.get("/", response_model=Growing)
    async def endpoint() -> Any:
        return {"name": "é", "rating": 1}

    setup(app)
    before = [answer(app, "/").body for _ in range(2)]
    Growing.model_fields["name"].annotation = int
    assert before == ['{"name":"é"}'.encode()] * 2
    assert answer(app, "/").body == before[0]


BODIES = {
    "whole": row(colour="rot", tags=["中"]),
    **nearly_right(row),
}


async def below(item: Annotated[Item, Body(embed=True)]) -> Item:
    return item


def beside(of: Annotated[Item, Depends(below)], seller: Annotated[Seller | None, Body(embed=True)] = None) -> Any:
    return [seller, of]


def posting() -> FastAPI:
    app = FastAPI()
    app.state.log = []

    def shown(value: Any) -> str:
        if isinstance(value, BaseModel):
            return f"{value!r} {sorted(value.model_fields_set)} {value.model_dump_json()}"
        return repr([shown(one) for one in value]) if isinstance(value, list) else repr(value)

    @app.post("/one")
    async def one(item: Item) -> Any:
        app.state.log.append(shown(item))
        return item.id

    @app.post("/list")
    def several(items: list[Item]) -> Any:
        app.state.log.append(shown(items))
        return len(items)

    @app.post("/embedded")
    async def embedded(item: Annotated[Item, Body(embed=True)], n: Annotated[int, Body()] = 1) -> Any:
        app.state.log.append((shown(item), n))
        return item

    @app.post("/dependencies")
    async def dependencies(of: Annotated[Any, Depends(beside)], item: Annotated[Item, Depends(below)]) -> Any:
        app.state.log.append((shown(of), shown(item), of[1] is item))
        return item

    @app.post("/optional")
    async def optional(item: Item | None = None) -> Any:
        app.state.log.append(shown(item))
        return item

    return app


def body_of(value: Any) -> bytes:
    return json.dumps(TypeAdapter(Any).dump_python(value, mode="json"), ensure_ascii=False).encode()


@pytest.mark.parametrize("value", BODIES.values(), ids=BODIES)
def test_bodies_give_stocks_models_and_errors(value: Any) -> None:
    body = body_of(value)
    calls = [
        Call("POST", "/one", body, "application/json"),
        Call("POST", "/list", b"[" + body + b"," + body + b"]", "application/json"),
        Call("POST", "/embedded", b'{"item":' + body + b"}", "application/json"),
        Call("POST", "/embedded", b'{"item":' + body + b',"n":"x"}', "application/json"),
        Call("POST", "/optional", body, "application/json"),
        Call("POST", "/dependencies", b'{"item":' + body + b"}", "application/json"),
        Call("POST", "/dependencies", b'{"item":' + body + b',"seller":{"name":"x"}}', "application/json"),
    ]
    theirs, ours = posting(), posting()
    setup(ours)
    for _ in range(2):
        assert_same_answers(theirs, ours, calls)


class Recording:
    """A maker that notes what it made."""

    def __init__(self, maker: Any, made: list[Any]) -> None:
        self.maker, self.made = maker, made

    def make(self, value: Any) -> Any:
        result = self.maker.make(value)
        self.made.append(result[0])
        return result


def test_bodies_of_plain_values_do_not_go_through_pydantic(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(
        "ssrjson_web._models.adapter.bodies_maker", lambda adapter: Recording(bodies_maker(adapter), made)
    )
    app = posting()
    setup(app)
    for value, is_made in ((BODIES["whole"], True), (BODIES["converted"], False), (BODIES["wrong"], False)):
        answer(app, Call("POST", "/one", body_of(value), "application/json"))
        assert (made.pop() is not NotImplemented) == is_made
        assert not made


def test_bodies_of_dependencies_do_not_go_through_pydantic() -> None:
    app = posting()
    setup(app)
    for _ in range(3):
        call = Call("POST", "/dependencies", b'{"item":' + body_of(BODIES["whole"]) + b"}", "application/json")
        assert answer(app, call).status == 200
    (report,) = (route for route in route_report(app) if route.path == "/dependencies")
    assert report.bodies == ValidationCount(around=6, validated=0)  # `below` is solved twice and runs once a request


def test_requests_false_leaves_bodies_to_fastapi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ssrjson_web.fastapi._body.AcceptingField.validate", lambda *_, **__: pytest.fail("called"))
    app = posting()
    setup(app, requests=False)
    assert answer(app, Call("POST", "/one", body_of(BODIES["whole"]), "application/json")).status == 200
