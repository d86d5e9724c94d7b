"""Rows of Django's models in responses: the bytes, errors and queries of Ninja, with and without validation."""

from __future__ import annotations

import contextlib
import datetime
import decimal
import uuid
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage
from django.db import connection, connections, models
from django.db.models import F, QuerySet, Value
from django.test.utils import CaptureQueriesContext
from django.utils.functional import cached_property
from helpers.ninja_apis import Twins, responded, returning
from helpers.pydantic_outcome import text_of
from ninja import ModelSchema, Schema
from pydantic import BaseModel, ConfigDict

MOMENT = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=datetime.timezone.utc)


class Author(models.Model):
    name = models.CharField(max_length=20)

    class Meta:
        app_label = "rows"

    def __str__(self) -> str:
        return self.name

    @property
    def shout(self) -> str:
        return self.name.upper()

    @cached_property
    def slow(self) -> str:
        return f"{self.name} {Author.objects.count()}"


class Tag(models.Model):
    name = models.CharField(max_length=20)

    class Meta:
        app_label = "rows"

    def __str__(self) -> str:
        return self.name


class Book(models.Model):
    title = models.CharField(max_length=20)
    author = models.ForeignKey(Author, models.CASCADE, null=True)
    price = models.DecimalField(max_digits=6, decimal_places=2)
    added = models.DateTimeField()
    day = models.DateField(null=True)
    key = models.UUIDField()
    rating = models.FloatField()
    details = models.JSONField(default=dict)
    cover = models.FileField(storage=InMemoryStorage(base_url="/media/"))
    tags = models.ManyToManyField(Tag)

    class Meta:
        app_label = "rows"

    def __str__(self) -> str:
        return self.title


class AuthorOut(Schema):
    id: int
    name: str


class TagOut(Schema):
    name: str


class Plain(Schema):
    id: int
    title: str
    author_id: int | None
    price: decimal.Decimal
    added: datetime.datetime
    day: datetime.date | None
    key: uuid.UUID
    rating: float


class WithKey(Schema):
    pk: int
    title: str


class WithAuthor(Schema):
    title: str
    author: AuthorOut | None


class WithTags(Schema):
    title: str
    tags: list[TagOut]


class WithCover(Schema):
    title: str
    cover: str | None


class WithDotted(Schema):
    title: str
    name: str | None = None
    written_by: str = ""

    @staticmethod
    def resolve_written_by(book: Any) -> str:
        return str(book.author)


class Shouting(Schema):
    name: str
    shout: str


class Slow(Schema):
    name: str
    slow: str


class Titled(Schema):
    title: str
    length: int = 3


class Page(Schema):
    items: list[Plain]
    count: int


class Model(ModelSchema):
    class Meta:
        model = Book
        fields: ClassVar[Any] = ["id", "title", "author", "price", "added", "day", "key", "rating", "details"]


@pytest.fixture(scope="module", autouse=True)
def database() -> Iterator[None]:
    """Tables in SQLite, with three books."""
    before = connections.settings
    connections.settings = connections.configure_settings(
        {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
    )
    with contextlib.suppress(AttributeError):  # nobody has used it yet
        del connections["default"]
    with connection.schema_editor() as editor:
        for model in (Author, Tag, Book):
            editor.create_model(model)
    author, tag = Author.objects.create(name="曹雪芹"), Tag.objects.create(name="é")
    for n in range(3):
        book = Book.objects.create(
            title=f"红楼梦 {n}",
            author=author if n else None,
            price=decimal.Decimal("12.50"),
            added=MOMENT,
            day=MOMENT.date() if n else None,
            key=uuid.UUID(int=n),
            rating=n / 3,
            details={"é": [1, 2.5, None]},
        )
        if n:
            book.tags.add(tag)
            book.cover.save(f"{n}.png", ContentFile(b"png"))
    yield
    connection.close()
    connections.settings = before
    del connections["default"]


def books() -> QuerySet[Book]:
    return Book.objects.order_by("pk")


class Iterating(QuerySet[Book]):
    """A queryset that runs its query each time."""

    def __iter__(self) -> Any:
        return iter([*self.iterator()])


def broken() -> Any:
    return Book.objects.extra(where=["no_such_column = 1"])


def assigned() -> Any:
    book = books()[0]
    book.rating = F("rating") + 1  # type: ignore[assignment]
    return book


def with_text_for_date() -> Any:
    return Book(id=5, title="x", price="1.50", added="2026-01-02T03:04:05Z", key=str(uuid.UUID(int=5)), rating=1)


CASES: dict[str, tuple[Any, Callable[[], Any]]] = {
    "queryset": (list[Plain], books),
    "manager": (list[Plain], lambda: Book.objects),
    "rows": (list[Plain], lambda: list(books())),
    "one": (Plain, lambda: books()[1]),
    "values": (list[Plain], lambda: books().values()),
    "values_list": (list[Plain], lambda: books().values_list()),
    "related": (list[Plain], lambda: books().select_related("author")),
    "deferred": (list[Plain], lambda: books().defer("title", "rating")),
    "only": (list[Plain], lambda: books().only("title")),
    "annotated": (list[Titled], lambda: books().annotate(length=Value(7))),
    "not annotated": (list[Titled], books),
    "key": (list[WithKey], books),
    "author": (list[WithAuthor], books),
    "author loaded": (list[WithAuthor], lambda: books().select_related("author")),
    "tags": (list[WithTags], lambda: books().prefetch_related("tags")),
    "cover": (list[WithCover], books),
    "resolver": (list[WithDotted], books),
    "property": (list[Shouting], lambda: Author.objects.all()),
    "cached property": (list[Slow], lambda: Author.objects.all()),
    "model schema": (list[Model], books),
    "page": (Page, lambda: {"items": books()[:2], "count": 3, "more": books()}),
    "page of deferred": (Page, lambda: {"items": books().defer("title"), "count": 3}),
    "wrong page": (Page, lambda: {"items": books(), "count": "x"}),
    "custom queryset": (list[Plain], lambda: Iterating(Book).order_by("pk")),
    "broken": (list[Plain], broken),
    "broken page": (Page, lambda: {"items": broken(), "count": 3}),
    "expression": (Plain, assigned),
    "text": (Plain, with_text_for_date),
    "queryset for one": (Plain, books),
    "wrong": (list[AuthorOut], books),
}


def answered(twins: Twins, make: Callable[[], Any], which: str) -> tuple[Any, list[str]]:
    """The response, and the queries that were run for it."""
    with CaptureQueriesContext(connection) as queries:
        return responded(getattr(twins, which), make()), [query["sql"] for query in queries]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("options", [{}, {"exclude_unset": True}, {"exclude_none": True}], ids=str)
def test_rows_are_answered_as_by_ninja_with_the_same_queries(name: str, options: dict[str, Any]) -> None:
    declared, make = CASES[name]
    twins = returning(declared, **options)
    for _ in range(2):
        assert answered(twins, make, "ours") == answered(twins, make, "stock")


@pytest.mark.parametrize(
    ("name", "is_bypassed"),
    [
        *(
            (name, True)
            for name in ("queryset", "rows", "one", "values", "related", "annotated", "model schema", "page", "text")
        ),
        *((name, False) for name in ("deferred", "author", "tags", "cover", "resolver", "key", "broken", "wrong page")),
    ],
)
def test_loaded_rows_bypass_pydantic(name: str, is_bypassed: bool) -> None:
    declared, make = CASES[name]
    twins = returning(declared)
    answered(twins, make, "ours")
    assert twins.n_bypassed == is_bypassed


def test_cached_property_is_read_where_it_was_computed() -> None:
    twins = returning(Slow)
    author = Author.objects.get()
    expected = f'{{"name": "{author.name}", "slow": "{author.slow}"}}'.encode("ascii", "backslashreplace")
    assert responded(twins.ours, author)[1] == (200, expected)
    assert twins.n_bypassed == 1


class Read(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    title: str
    author_id: int | None
    added: datetime.datetime


def test_models_of_pydantics_own_are_made_of_rows() -> None:
    assert text_of(list[Read], list(books())) is not None
    assert text_of(list[Read], list(books().defer("author"))) is None


def test_rows_do_not_change() -> None:
    twins = returning(list[Plain])
    rows = list(books().only("title"))
    before = [set(row.get_deferred_fields()) for row in rows]
    responded(twins.ours, [rows[0], "no row"])
    responded(returning(list[Titled]).ours, rows)
    assert [set(row.get_deferred_fields()) for row in rows[1:]] == before[1:]
