"""`include`, `exclude`, `exclude_defaults`: text without validation is pydantic's, or pydantic decides."""

from __future__ import annotations

import datetime
import enum
import random
from decimal import Decimal
from typing import Any, Optional

import pytest
from helpers.pydantic_outcome import text_of
from pydantic import BaseModel, Field, HttpUrl, TypeAdapter

from ssrjson_web._models.adapter import AdapterEncoder


class Author(BaseModel):
    name: str
    born: Optional[int] = None  # noqa: UP045


class Book(BaseModel):
    id: int
    title: str = Field(alias="Titel")
    author: Author
    made: datetime.date
    notes: list[str] = []
    hidden: str = Field("h", exclude=True)
    price: float = 1.5
    follows: Optional[Book] = None  # noqa: UP045


FIELDS = tuple(Book.model_fields)


class Colour(enum.Enum):
    RED = "r"
    BLUE = "b"


class Row:
    """An object of no model."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


def book(**more: Any) -> dict[str, Any]:
    return {"id": 1, "Titel": "é中", "author": {"name": "名"}, "made": datetime.date(2026, 11, 23)} | more


CHOSEN: dict[str, dict[str, Any]] = {
    "one": {"include": {"id"}},
    "some": {"include": frozenset(["title", "author", "follows"])},
    "none": {"include": set()},
    "no such": {"include": {"Titel", "id"}},
    "without one": {"exclude": {"author"}},
    "without what is absent": {"exclude": {"price", "x"}},
    "without nothing": {"exclude": set()},
    "both": {"include": {"id", "title"}, "exclude": {"title"}},
    "hidden": {"include": {"hidden", "id"}},
    "names": {"include": {"title"}, "by_alias": False},
    "unset": {"exclude": {"id"}, "exclude_unset": True},
    "nulls": {"exclude": {"id"}, "exclude_none": True},
}


@pytest.mark.parametrize("options", CHOSEN.values(), ids=CHOSEN)
def test_chosen_fields_are_written(options: Any) -> None:
    values = [book(), book(follows=book(price=2), extra=1), book(notes=["a"], hidden="x", price=0.5)]
    for value in values:
        assert text_of(Book, value, **options) is not None
        assert text_of(Optional[Book], value, **options) is not None  # noqa: UP045
    each = {
        name: {"__all__": chosen} if isinstance(chosen, (set, frozenset)) else chosen
        for name, chosen in options.items()
    }
    assert text_of(list[Book], values, **each) is not None


class Plain(BaseModel):
    id: int = 0
    real: float = 1.0
    name: Optional[str] = None  # noqa: UP045
    made: Optional[datetime.datetime] = None  # noqa: UP045
    colour: Colour = Colour.RED
    tags: list[str] = []
    by_name: dict[str, int] = Field(default_factory=dict)
    author: Optional[Author] = None  # noqa: UP045
    needed: str
    text: Any = "é"


MOMENT = datetime.datetime(2026, 11, 23, 1, 2, 3)
DEFAULTS: dict[str, dict[str, Any]] = {
    "absent": {},
    "given": {"id": 0, "real": 1.0, "name": None, "made": None, "colour": Colour.RED, "tags": [], "by_name": {}},
    "others": {"id": 1, "real": 1.5, "name": "中", "made": MOMENT, "colour": Colour.BLUE, "tags": ["a"]},
    "nested": {"author": {"name": "名", "born": None}, "text": None},
    "of another type": {"id": False, "text": 1},
    "author": {"author": Author(name="a")},
}


@pytest.mark.parametrize("value", DEFAULTS.values(), ids=DEFAULTS)
def test_defaults_are_left_out(value: Any) -> None:
    for more in ({}, {"exclude_unset": True}, {"exclude_none": True}, {"exclude": {"id"}}):
        text_of(list[Plain], [{"needed": "x", **value}], exclude_defaults=True, **more)


def test_most_values_with_defaults_left_out_are_written() -> None:
    value = {"needed": "x", **DEFAULTS["others"], "author": {"name": "é"}}
    assert text_of(Plain, value, exclude_defaults=True) is not None
    assert text_of(Plain, {"needed": "x"}, exclude_defaults=True) == b'{"needed":"x"}'
    assert text_of(Plain, value | {"real": 1, "made": None, "tags": []}, exclude_defaults=True) is None
    row = Row(**{"id": 0, "real": 1.0, "name": None, "made": None, "colour": Colour.RED, "tags": ["a"]})
    row.__dict__.update({"by_name": {}, "author": Row(name="é", born=3), "needed": "n", "text": ""})
    assert text_of(Plain, row, exclude_defaults=True) is not None


def test_numbers_of_another_type_that_equal_a_default_are_left_out() -> None:
    class Price(BaseModel):
        amount: Decimal = 0  # type: ignore[assignment]
        rate: Any = 0

    for value in ({"amount": Decimal("-0")}, {"amount": Decimal(1)}, {"rate": 0.0}, {"rate": False}, {"rate": []}):
        text_of(Price, value, exclude_defaults=True)
    for made in (Price(), Price(amount=Decimal("0.0")), Price(rate=Decimal(0))):
        encoder = AdapterEncoder(TypeAdapter(Price), like_dump_json=True, exclude_defaults=True)
        assert encoder.encode(made) == TypeAdapter(Price).dump_json(made, exclude_defaults=True)


def test_defaults_that_only_code_can_compare_are_left_to_pydantic() -> None:
    class Equal(BaseModel):
        n: int

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    class Holder(BaseModel):
        part: Optional[Equal] = None  # noqa: UP045
        numbers: list[int] = [1]
        url: Optional[HttpUrl] = None  # noqa: UP045

    assert text_of(Holder, {"part": {"n": 1}}, exclude_defaults=True) is None
    assert text_of(Holder, {"numbers": [1]}, exclude_defaults=True) is None
    assert text_of(Holder, {"url": "http://a/"}, exclude_defaults=True) is None
    assert text_of(Holder, {"part": {"n": 1}, "numbers": [1], "url": "http://a/"}) is not None


def test_model_within_itself_is_written_whole() -> None:
    text = text_of(Book, book(follows=book()), include={"follows"})
    assert text is not None
    assert text.startswith(b'{"follows":{"id":1,')


def test_fields_that_are_not_written_are_validated_all_the_same() -> None:
    assert text_of(Book, book(author=1), exclude={"author"}) is None
    assert text_of(Book, book(id="1"), include={"title"}) is None


def test_objects_are_read_and_instances_are_left_to_pydantic() -> None:
    row = Row(**book(notes=[], hidden="h", price=1.0, follows=None))
    assert text_of(Book, row, exclude={"author"}) is not None
    instance = Book(**book())
    for options in ({"exclude": {"author"}}, {"include": {"id"}, "exclude_unset": True}):
        assert text_of(Book, instance, **options) is None
        encoder = AdapterEncoder(TypeAdapter(Book), like_dump_json=True, by_alias=True, **options)
        assert encoder.encode(instance) == TypeAdapter(Book).dump_json(instance, by_alias=True, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"include": {"author": {"name"}}},
        {"exclude": {"author": True}},
        {"exclude": {"notes": {0}}},
        {"include": {"author": {"name"}, "id": True}, "exclude": {"id"}},
    ],
    ids=repr,
)
def test_choices_within_fields_are_left_to_pydantic(options: Any) -> None:
    assert text_of(Book, book(), **options) is None
    encoder = AdapterEncoder(TypeAdapter(Book), like_dump_json=True, **options)
    assert encoder.obstacle == ""  # the validated value is made, and written by pydantic


@pytest.mark.parametrize(
    "options", [{"exclude": {0: True}}, {"include": {0}}, {"include": {"__all__": {"id"}, 0: True}}], ids=repr
)
def test_choices_of_items_are_left_to_pydantic(options: Any) -> None:
    assert text_of(list[Book], [book()], **options) is None


def test_choices_of_other_values_are_left_to_pydantic() -> None:
    assert text_of(dict[str, Book], {"a": book()}, include={"a"}) is None
    assert text_of(Optional[int], 1, exclude={"a"}) is None  # noqa: UP045


def test_random_choices_are_written_as_pydantic_writes_them() -> None:
    r = random.Random(1)
    for _ in range(150):
        include, exclude = (
            {name for name in FIELDS if r.random() < 0.5} if r.random() < 0.7 else None for _ in range(2)
        )
        options = {"include": include, "exclude": exclude, "by_alias": r.random() < 0.5}
        more: dict[str, Any] = {"follows": book(price=r.random())} if r.random() < 0.5 else {}
        assert text_of(Book, book(**more), exclude_unset=r.random() < 0.3, **options) is not None
