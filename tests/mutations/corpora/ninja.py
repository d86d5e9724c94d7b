"""Requests of a Ninja API."""

# no annotations as text: Ninja reads those of the views
import datetime as dt
import decimal
import uuid
from collections.abc import Callable
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test import Client
from django.urls import path
from ninja import Body, NinjaAPI, Query, Schema
from ninja.errors import HttpError
from pydantic import field_validator

from mutations.project import urls
from ssrjson_web.ninja import setup

LIBRARIES = ("ninja", "django", "pydantic")
APPS = ("ninja",)
PRELOADED = ("asgiref.sync", "asgiref.local", "sqlparse", "typing_extensions", "annotated_types")

MOMENT = dt.datetime(2026, 11, 28, 1, 2, 3, 456789, dt.timezone.utc)


class Author(Schema):
    name: str
    born: dt.date | None = None


class Book(Schema):
    title: str
    price: decimal.Decimal = decimal.Decimal("1.50")
    added: dt.datetime = MOMENT
    key: uuid.UUID = uuid.UUID(int=1)
    author: Author = Author(name="é")
    tags: list[str] = []  # noqa: RUF012


class Checked(Schema):
    name: str

    @field_validator("name")
    @classmethod
    def strip(cls, value: str) -> str:
        return value.strip()


class Resolved(Schema):
    name: str

    @staticmethod
    def resolve_name(row: Any) -> str:
        return f"{row.get('name')}é"


class Kind(Schema):
    id: int
    model: str


class Holder:
    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


def book() -> dict[str, Any]:
    return {"title": "é", "price": decimal.Decimal("2.50"), "author": {"name": "中"}, "tags": ["a"]}


def add_answers(api: NinjaAPI) -> None:
    @api.get("/value")
    def value(request: Any) -> Any:
        return {
            "é": [1, 2.5, None],
            "at": MOMENT,
            "day": MOMENT.date(),
            "key": uuid.UUID(int=1),
            "model": Author(name="é"),
        }

    @api.get("/decimal")
    def of_decimal(request: Any) -> Any:
        return {"d": decimal.Decimal("1.50"), "t": dt.timedelta(seconds=5)}

    @api.get("/book", response=Book)
    def one(request: Any) -> Any:
        return book()

    @api.get("/books", response=list[Book])
    def many(request: Any) -> Any:
        return [book(), Holder(**{**book(), "author": Holder(name="n")}), Book(title="a")]

    @api.get("/short", response={200: Book, 201: Author}, exclude_none=True, exclude_unset=True)
    def short(request: Any) -> Any:
        return 201, Author(name="é")

    @api.get("/checked", response=Checked)
    def checked(request: Any) -> Any:
        return {"name": " a "}

    @api.get("/resolved", response=Resolved)
    def resolved(request: Any) -> Any:
        return {"name": "a"}

    @api.get("/kinds", response=list[Kind])
    def kinds(request: Any) -> Any:
        return ContentType.objects.order_by("id")

    @api.get("/kind", response=Kind)
    def kind(request: Any) -> Any:
        return ContentType.objects.get(pk=1)

    @api.get("/refused")
    def refused(request: Any) -> Any:
        raise HttpError(418, "é")


def add_bodies(api: NinjaAPI) -> None:
    @api.post("/echo", response=Book)
    def echo(request: Any, body: Book) -> Any:
        return body

    @api.post("/two")
    def two(request: Any, author: Author, n: int = Body(...), q: int = Query(0)) -> Any:
        return {"author": author, "n": n, "q": q}

    @api.post("/list")
    def of_list(request: Any, authors: list[Author]) -> Any:
        return {"n": [author.name for author in authors]}

    @api.post("/checked-body")
    def checked_body(request: Any, body: Checked) -> Any:
        return {"name": body.name}


def build(is_ours: bool) -> NinjaAPI:
    name = "ours" if is_ours else "stock"
    api = NinjaAPI(urls_namespace=name, version=name)
    if is_ours:
        setup(api)
    add_answers(api)
    add_bodies(api)
    return api


PATHS = ("/value", "/decimal", "/book", "/books", "/short", "/checked", "/resolved", "/kinds", "/kind", "/refused")
FULL = '{"title": "é", "price": "2.5", "added": "2026-11-28T01:02:03Z", "author": {"name": "a"}, "tags": ["b"]}'
BODIES = {
    "echo": ("/echo", FULL),
    "wrong": ("/echo", '{"title": 3, "é": "中"}'),
    "malformed": ("/echo", '{"title'),
    "two": ("/two?q=3", '{"author": {"name": "é"}, "n": 2}'),
    "wrong two": ("/two?q=x", '{"author": {}, "n": 2}'),
    "list": ("/list", '[{"name": "a", "born": "2026-11-28"}]'),
    "checked": ("/checked-body", '{"name": " a "}'),
}


def _sent(path: str, body: str | None = None) -> Any:
    client = Client()
    response = (
        client.get(path)
        if body is None
        else client.generic("POST", path, body.encode(), content_type="application/json")
    )
    return response.status_code, sorted(response.items()), response.content.decode()


def calls() -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Each request to an API of Ninja's, and to ours."""
    with connection.schema_editor() as editor:
        editor.create_model(ContentType)
    for n in range(3):
        ContentType.objects.create(app_label="a", model=f"é{n}")
    urls.urlpatterns = [path("stock/", build(False).urls), path("ours/", build(True).urls)]  # type: ignore[attr-defined]
    sent = {name: (name, None) for name in PATHS} | BODIES
    return {
        name: (
            (lambda path=path, body=body: _sent(f"/stock{path}", body)),
            (lambda path=path, body=body: _sent(f"/ours{path}", body)),
        )  # type: ignore[misc]
        for name, (path, body) in sent.items()
    }
