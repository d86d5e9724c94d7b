"""One Litestar application in two versions: stock, and with our classes."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
from typing import Any

import attrs
import msgspec
import pydantic
from litestar import Litestar, MediaType, Request, Response, get, post
from litestar.plugins.pydantic import PydanticPlugin

from ssrjson_web.litestar import SSRJSONRequest, SSRJSONResponse


class Row(msgspec.Struct, rename="camel"):
    row_id: int
    title: str = "é"


@dataclasses.dataclass
class Point:
    x: float
    label: str = "点"


@attrs.define
class Pair:
    left: Any
    right: Any = None


class Book(pydantic.BaseModel):
    title: str = "红楼梦"
    price: decimal.Decimal = decimal.Decimal("12.50")
    isbn: str | None = pydantic.Field(None, serialization_alias="ISBN")


class Money:
    def __init__(self, cents: int) -> None:
        self.cents = cents


@get("/values", sync_to_thread=False)
def values() -> Any:
    return {
        "models": [Row(1), Point(1e16), Pair(b"\xff", {1, 2}), Book()],
        "when": datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc),
        "nan": float("nan"),
        7: [decimal.Decimal("1.50"), datetime.timedelta(hours=5), Money(5)],
    }


@get("/fails", sync_to_thread=False)
def fails() -> Any:
    return {"a": [object()]}


@get("/nothing", status_code=204, sync_to_thread=False)
def nothing() -> None:
    return None


@get("/text", media_type=MediaType.TEXT, sync_to_thread=False)
def text() -> str:
    return "é"


@get("/response/{status:int}", sync_to_thread=False)
def response(status: int) -> Response[Any]:
    return Response({"status": status}, status_code=status, headers={"x-a": "1"}, media_type="application/vnd.a+json")


@post("/data", sync_to_thread=False)
def take_any(data: Any) -> Any:
    return {"got": repr(data)}


@post("/row", sync_to_thread=False)
def take_row(data: Row) -> Row:
    return data


@post("/book", sync_to_thread=False)
def take_book(data: Book) -> Book:
    return data


@post("/request")
async def take_request(request: Request[Any, Any, Any]) -> Any:
    return {"got": repr([await request.json(), await request.json()])}


def build(**options: Any) -> Litestar:
    handlers = [values, fails, nothing, text, response, take_any, take_row, take_book, take_request]
    return Litestar(
        handlers,
        plugins=[PydanticPlugin()],
        type_encoders={Money: lambda money: {"cents": money.cents}},
        openapi_config=None,
        **options,
    )


stock = build()
ours = build(response_class=SSRJSONResponse, request_class=SSRJSONRequest)
