"""Requests of a FastAPI application."""

# no annotations as text: FastAPI reads those of the endpoints
import asyncio
import dataclasses
import datetime as dt
import decimal
import enum
import json
import uuid
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import fastapi
from fastapi import APIRouter, Body, Depends, FastAPI, Form, HTTPException, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse
from helpers.fastapi_twins import JSON, Answer, Call, exchange
from pydantic import BaseModel, ConfigDict, Field, computed_field, field_serializer, field_validator

from ssrjson_web.fastapi import setup

LIBRARIES = ("fastapi", "starlette", "pydantic")
PRELOADED = ("anyio", "typing_extensions", "annotated_types", "annotated_doc", "python_multipart", "httpx", "email")

MOMENT = dt.datetime(2026, 11, 28, 1, 2, 3, 456789, dt.timezone.utc)
ONE = uuid.UUID(int=1)


class Color(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.5


class Inner(BaseModel):
    text: str = "é"
    n: int = 1


class Item(BaseModel):
    name: str
    price: decimal.Decimal = decimal.Decimal("1.50")
    at: dt.datetime = MOMENT
    key: uuid.UUID = ONE
    color: Color = Color.RED
    inner: Inner = Inner()
    tags: list[str] = []
    counts: dict[str, int] = {}
    maybe: int | None = None


class Aliased(BaseModel):
    model_config = ConfigDict(populate_by_name=True, from_attributes=True)
    long_name: str = Field(alias="longName")
    n: int = Field(1, ge=0)


class Checked(BaseModel):
    name: str

    @field_validator("name")
    @classmethod
    def strip(cls, value: str) -> str:
        return value.strip()

    @field_serializer("name")
    def upper(self, value: str) -> str:
        return value.upper()

    @computed_field
    def length(self) -> int:
        return len(self.name)


VALUE = {
    "é": [1, 2.5, True, None, "中"],
    "at": MOMENT,
    "day": MOMENT.date(),
    "time": MOMENT.time(),
    "for": dt.timedelta(seconds=5),
    "decimal": decimal.Decimal("1.50"),
    "whole": decimal.Decimal("2"),
    "key": ONE,
    "color": Color.RED,
    "set": {1},
    "point": Point(1),
    "bytes": b"abc",
}
FULL = {"name": "é", "price": "2.5", "at": "2026-11-28T01:02:03Z", "key": str(ONE), "color": "red", "tags": ["a"]}


def add_values(app: Any) -> None:
    @app.get("/value")
    async def value():
        return VALUE

    @app.get("/thread")
    def thread():
        return [{"n": n, "é": "中"} for n in range(3)]

    @app.get("/models")
    async def models():
        return {"item": Item(name="é"), "inner": [Inner(), Inner(n=2)], "checked": Checked(name=" a ")}

    @app.get("/text")
    async def text():
        return "é"

    @app.get("/status", status_code=201)
    async def status(response: fastapi.Response):
        response.headers["x-é".encode().decode("latin-1")[:3]] = "1"
        return {"a": 1}

    @app.get("/direct")
    async def direct():
        return JSONResponse({"é": 1}, headers={"x-a": "1"})

    @app.get("/plain", response_class=PlainTextResponse)
    async def plain():
        return "é"

    @app.get("/named", response_class=JSONResponse)
    async def named():
        return VALUE

    @app.get("/refused")
    async def refused():
        raise HTTPException(418, {"é": 1}, headers={"x-a": "1"})

    @app.get("/nothing", status_code=204)
    async def nothing():
        return None


def add_models(app: Any) -> None:
    @app.get("/model")
    async def model() -> Item:
        return Item(name="é")

    @app.get("/dict", response_model=Item)
    def of_dict():
        return {"name": "é", "price": decimal.Decimal(2), "more": 1}

    @app.get("/list", response_model=list[Item], response_model_exclude_unset=True)
    async def of_list():
        return [{"name": "é"}, Item(name="中")]

    @app.get("/short", response_model=Item, response_model_exclude={"inner"}, response_model_exclude_none=True)
    async def short():
        return Item(name="é")

    @app.get("/aliased", response_model=Aliased, response_class=JSONResponse)
    async def aliased():
        return Aliased(longName="é")

    @app.get("/checked")
    async def checked() -> list[Checked]:
        return [Checked(name=" é ")]

    @app.get("/union")
    async def union() -> Item | Inner:
        return Inner()

    @app.get("/scalars")
    async def scalars() -> dict[str, float]:
        return {"a": 1.5, "b": 2}

    @app.get("/wrong")
    async def wrong() -> Inner:
        return {"n": "no number"}  # type: ignore[return-value]


async def common(q: Annotated[int, Query(ge=0)] = 0) -> int:
    return q


def add_bodies(app: Any) -> None:
    @app.post("/item")
    async def item(item: Item) -> Item:
        return item

    @app.post("/items")
    def items(items: list[Inner], q: Annotated[int, Depends(common)]):
        return {"items": items, "q": q}

    @app.post("/two")
    async def two(item: Inner, aliased: Aliased, n: Annotated[int, Body()] = 0):
        return {"item": item, "aliased": aliased, "n": n}

    @app.post("/embedded")
    async def embedded(checked: Annotated[Checked, Body(embed=True)]):
        return checked

    @app.post("/any")
    async def anything(value: Annotated[dict[str, Any], Body()]):
        return value

    @app.post("/raw")
    async def raw(request: Request):
        return [await request.json(), len(await request.body())]

    @app.post("/form")
    async def form(name: Annotated[str, Form()]):
        return {"name": name}


def build(is_ours: bool) -> FastAPI:
    app, router = FastAPI(), APIRouter(prefix="/in", dependencies=[Depends(common)])
    if is_ours:
        setup(app)
    for add in (add_values, add_models, add_bodies):
        add(app)
    add_models(router)
    add_bodies(router)
    app.include_router(router)
    return app


REQUESTS: Mapping[str, Call] = {
    **{
        path: Call("GET", path)
        for path in (
            *(
                "/value",
                "/thread",
                "/models",
                "/text",
                "/status",
                "/direct",
                "/plain",
                "/named",
                "/refused",
                "/nothing",
            ),
            *("/model", "/dict", "/list", "/short", "/aliased", "/checked", "/union", "/scalars", "/wrong"),
            *("/in/model", "/in/dict?q=2", "/in/list?q=x", "/missing", "/openapi.json"),
        )
    },
    "item": Call("POST", "/item", json.dumps(FULL).encode(), JSON),
    "wrong item": Call("POST", "/item", '{"name": 3, "é": "中"}'.encode(), JSON),
    "malformed": Call("POST", "/item", b'{"name": ', JSON),
    "no body": Call("POST", "/item", b"", JSON),
    "items": Call("POST", "/items?q=3", '[{"text": "é", "n": 3}, {}]'.encode(), JSON),
    "items in": Call("POST", "/in/items?q=3", b'[{"n": 3}]', JSON),
    "two": Call("POST", "/two", b'{"item": {"n": 2}, "aliased": {"longName": "a", "n": 3}, "n": 1}', JSON),
    "wrong two": Call("POST", "/two", b'{"item": {"n": 2}, "aliased": {"longName": "a", "n": -3}}', JSON),
    "embedded": Call("POST", "/embedded", b'{"checked": {"name": " a "}}', JSON),
    "any": Call("POST", "/any", b'{"a": [1, {"b": null}]}', JSON),
    "raw": Call("POST", "/raw", b'{"a": 1}', JSON),
    "malformed raw": Call("POST", "/raw", b'{"a', JSON),
    "form": Call("POST", "/form", b"name=a", "application/x-www-form-urlencoded"),
}


def _sent(app: Any, call: Call) -> Any:
    async def sent() -> Answer:
        return await exchange(app, call)

    answer = asyncio.run(sent())
    return answer.messages, answer.error


def calls() -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Each request, and one application that is built for some of them."""
    theirs, ours = build(is_ours=False), build(is_ours=True)
    pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {}
    for name, call in REQUESTS.items():
        pairs[name] = (lambda call=call: _sent(theirs, call)), (lambda call=call: _sent(ours, call))  # type: ignore[misc]

    def built(is_ours: bool) -> Any:
        app = build(is_ours=is_ours)
        return [_sent(app, REQUESTS[name]) for name in ("/value", "/model", "item")]

    pairs["build"] = (lambda: built(False)), (lambda: built(True))
    return pairs
