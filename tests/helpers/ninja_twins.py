"""One Ninja API in three versions: stock; ours with the stock's bytes; ours."""

from __future__ import annotations

import datetime
import decimal
import uuid
from typing import Any

from django.urls import path
from ninja import Body, NinjaAPI, Schema
from ninja.parser import Parser
from ninja.renderers import JSONRenderer

from helpers.encoder_hook_values import MAKERS
from ssrjson_web.ninja import SSRJSONParser, SSRJSONRenderer


class StockLayout(SSRJSONRenderer):
    ascii = True
    compact = False


class Author(Schema):
    name: str
    born: datetime.date | None = None


class Book(Schema):
    title: str
    price: decimal.Decimal
    added: datetime.datetime
    key: uuid.UUID
    author: Author
    tags: set[str]
    ratio: float = 0.5


def book() -> dict[str, Any]:
    return {
        "title": "红楼梦\u2028",
        "price": "12.50",
        "added": datetime.datetime(2020, 1, 2, 3, 4, 5, 678901, datetime.timezone.utc),
        "key": uuid.UUID(int=7),
        "author": {"name": "曹雪芹", "born": datetime.date(1715, 1, 2)},
        "tags": {"é"},
    }


class Holder:
    """An object that a schema reads attributes of."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


def build(name: str, renderer: JSONRenderer, parser: Parser) -> NinjaAPI:
    api = NinjaAPI(urls_namespace=name, renderer=renderer, parser=parser, version=name)

    @api.get("/value/{name}")
    def value(request: Any, name: str) -> Any:
        return MAKERS[name]()

    @api.get("/models")
    def models(request: Any) -> Any:
        return {"books": [Book(**book()), Book(**book())]}

    @api.get("/schema", response=list[Book])
    def schema(request: Any) -> Any:
        return [book(), Holder(**{**book(), "author": Holder(name="n", born=None)})]

    @api.get("/instance", response=Book)
    def instance(request: Any) -> Any:
        return Book(**book())

    @api.get("/asynchronous", response=Book)
    async def asynchronous(request: Any) -> Any:
        return book()

    @api.post("/any")
    def any_body(request: Any, body: Any = Body(...)) -> Any:  # noqa: B008
        return {"got": repr(body)}

    @api.post("/book", response=Book)
    def take_book(request: Any, body: Book) -> Any:
        return body

    @api.exception_handler(TypeError)
    def refused(request: Any, error: TypeError) -> Any:
        return api.create_response(request, {"refused": str(error)}, status=418)

    return api


APIS = {
    "stock": build("stock", JSONRenderer(), Parser()),
    "layout": build("layout", StockLayout(), SSRJSONParser()),
    "ours": build("ours", SSRJSONRenderer(), SSRJSONParser()),
}
urlpatterns = [path(f"{name}/", api.urls) for name, api in APIS.items()]
