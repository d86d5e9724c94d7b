"""One Ninja API in three versions, and one operation of Ninja's with and without validation."""

from __future__ import annotations

import datetime
import decimal
import re
import uuid
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.test import RequestFactory
from django.urls import path
from ninja import Body, NinjaAPI, Schema
from ninja.operation import Operation
from ninja.parser import Parser
from ninja.renderers import JSONRenderer

from helpers.encoder_hook_values import MAKERS
from ssrjson_web.ninja import SSRJSONParser, SSRJSONRenderer
from ssrjson_web.ninja._bodies import with_made_bodies
from ssrjson_web.ninja._derived import shortcut_of
from ssrjson_web.ninja._responses import with_dumped_responses


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


REQUEST = RequestFactory().get("/")
API: Any = NinjaAPI(renderer=JSONRenderer(), urls_namespace="of operations", version="of operations")


class Twins(NamedTuple):
    stock: Any
    ours: Any

    @property
    def n_bypassed(self) -> int:
        """How many responses and bodies bypassed pydantic."""
        models = [*self.ours.models, *self.ours.response_models.values()]
        return sum(shortcut.counter.n_bypassed for shortcut in map(shortcut_of, models) if shortcut is not None)


def _operation(view: Callable[..., Any], **options: Any) -> Any:
    operation: Any = Operation("/", ["POST"], view, **options)
    operation.api = API
    return operation


def returning(declared: Any, **options: Any) -> Twins:
    """Operations with a response of a type. Raises what Ninja does."""

    def view(request: Any) -> Any:
        raise NotImplementedError

    stock, ours = (_operation(view, response=declared, **options) for _ in range(2))
    ours.response_models = with_dumped_responses(ours)
    return Twins(stock, ours)


def taking(**declared: Any) -> Twins:
    """Operations with bodies of these types. Raises what Ninja does."""

    names = ", ".join(f"{name}=Body(...)" for name in declared)
    namespace: dict[str, Any] = {"Body": Body}
    exec(f"def view(request, {names}): raise NotImplementedError", namespace)
    view = namespace["view"]
    view.__annotations__.update(declared)
    stock, ours = (_operation(view) for _ in range(2))
    ours.models = with_made_bodies(ours.models)
    return Twins(stock, ours)


def called(call: Callable[[], Any]) -> tuple[Any, ...]:
    """The result, or the type and text of the exception; and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result: tuple[Any, ...] = ("value", call())
        except Exception as error:
            result = (type(error).__name__, _without_numbers(error))
    return *result, [(_without_numbers(one.message), one.category, one.filename, one.lineno) for one in caught]


def _without_numbers(message: Any) -> str:
    """Without the addresses of objects, and the numbers of random classes."""
    return re.sub(r" at 0x[0-9a-f]+|(?<=Sub)\d+", "", str(message))


def responded(operation: Any, value: Any) -> tuple[Any, ...]:
    """Status and bytes of the response to what a view returned, or the exception."""

    def respond() -> tuple[int, bytes]:
        response = operation._result_to_response(REQUEST, value, HttpResponse())
        return response.status_code, response.content

    return called(respond)


def values_of(operation: Any, body: bytes) -> tuple[Any, ...]:
    """The arguments that a view gets for a body, or the exception."""
    request = RequestFactory().post("/", body, content_type="application/json")
    return called(lambda: operation._get_values(request, {}, HttpResponse()))
