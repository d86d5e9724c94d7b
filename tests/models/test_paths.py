"""Fields that are found by a path, or in several places: the first that has a value counts, as with pydantic."""

from __future__ import annotations

import enum
import random
import sys
from typing import Any

import pytest
from check_models.functions import Row, called
from helpers.pydantic_outcome import assert_alike, models_of, text_of
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, TypeAdapter, create_model

from ssrjson_web import dumps
from ssrjson_web._models.adapter import AdapterEncoder, models_acceptance


class Run(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    dag: str = Field(validation_alias=AliasPath("model", "name"))
    first: int = Field(0, validation_alias=AliasPath("items", 0))
    last: int = Field(0, validation_alias=AliasPath("items", -1, "n"))
    text: str | None = Field(None, validation_alias=AliasChoices("text", AliasPath("texts", 1), "Text", "TEXT"))


RIGHT: list[Any] = [
    {"id": 1, "model": {"name": "é", "more": 1}, "items": [7, {"n": 5}], "text": "a"},
    {"id": 1, "model": {"name": "é"}, "items": [7], "texts": ["a", "b"]},
    {"id": 1, "model": {"name": "é"}, "items": (7, {"n": 2}), "TEXT": "x", "Text": "y"},
    {"id": 1, "model": {"name": "é"}, "items": [], "texts": ["a"], "TEXT": "x"},
    {"model": {"name": "é"}, "id": 1, "dag": "other", "first": 5},
    {"id": 1, "model": {"name": "é"}, "items": {"0": 1}},
]


@pytest.mark.parametrize("value", RIGHT, ids=repr)
def test_dicts_bypass_validation(value: dict[str, Any]) -> None:
    assert text_of(Run, value) is not None
    assert text_of(Run, value, exclude_unset=True, by_alias=False) is not None
    assert text_of(list[Run], [value, value]) is not None
    assert models_of(Run, value) is not NotImplemented


class Slotted:
    __slots__ = ("name",)

    def __init__(self, name: Any) -> None:
        self.name = name


class WithProperty:
    @property
    def name(self) -> str:
        return "made"


class MadeUp:
    def __getattr__(self, name: str) -> str:
        return "made"


class Word(str):
    name = "é"


class Named(BaseModel):
    name: str


class Missing(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "made"


@pytest.mark.parametrize(
    ("model", "is_read"),
    [
        (Row(name="é"), True),
        (Slotted("é"), True),
        (Named(name="é"), True),
        ({"name": "é"}, True),
        (Row(name=5), False),
        (Row(), False),
        (None, False),
        ({}, False),
        ("text", False),
        (Word(), sys.version_info >= (3, 12)),  # whose subclasses of str keep attributes as other classes do
        (WithProperty(), False),
        (MadeUp(), False),
        (Missing(), False),
        (Named, False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_objects_that_a_path_goes_through(model: Any, is_read: bool) -> None:
    values = {"id": 1, "items": [3, Row(n=1)], "text": "a"}
    for value in (Row(**values, model=model), {**values, "items": [3], "model": model}):
        encoder = AdapterEncoder(TypeAdapter(Run), like_dump_json=True)
        ours = encoder.encode_unvalidated(value)
        theirs = called(lambda: TypeAdapter(Run).validate_python(value, from_attributes=True))  # noqa: B023
        if ours is not None:
            assert ours == TypeAdapter(Run).dump_json(theirs.value, by_alias=True)
        assert (ours is not None) == (is_read if isinstance(value, Row) else type(model) is dict and is_read)


def test_extra_keys_are_refused_as_by_pydantic() -> None:
    class Closed(Run):
        model_config = ConfigDict(extra="forbid")

    assert text_of(Closed, {"id": 1, "model": {"name": "é"}, "items": [3]}) is None  # two fields of one key

    class OneEach(BaseModel):
        model_config = ConfigDict(extra="forbid")
        id: int
        dag: str = Field("none", validation_alias=AliasChoices(AliasPath("model", "name"), "dag"))

    for value, is_right in (
        ({"id": 1, "model": {"name": "é"}}, True),
        ({"id": 1, "dag": "é"}, True),
        ({"id": 1, "dag": "é", "model": {}}, False),
        ({"id": 1, "dag": "é", "model": {"name": "a"}}, False),
        ({"id": 1, "model": {"other": 1}}, False),
    ):
        assert (text_of_or_none(OneEach, value) is not None) == is_right
        assert (called(lambda: TypeAdapter(OneEach).validate_python(value)).error is None) == is_right  # noqa: B023


def text_of_or_none(declared: Any, value: Any) -> bytes | None:
    return AdapterEncoder(TypeAdapter(declared), like_dump_json=True).encode_unvalidated(value)


def test_names_are_places_too_where_the_config_says_so() -> None:
    class ByName(Run):
        model_config = ConfigDict(populate_by_name=True)

    for value in (*RIGHT, {"id": 1, "dag": "é"}, {"id": 1, "dag": "é", "model": {}}):
        assert text_of(ByName, value) is not None


STEPS: tuple[Any, ...] = ("a", "b", 0, 1, -1)


def _random_alias(r: random.Random) -> Any:
    paths = [AliasPath(r.choice("abc"), *r.choices(STEPS, k=r.randrange(3))) for _ in range(r.randrange(1, 4))]
    return paths[0] if len(paths) == 1 else AliasChoices(*paths)


def _random_value(r: random.Random, depth: int, least: int = 0) -> Any:
    which = r.randrange(least, 7 if depth else 3)
    if which < 3:
        return r.choice((1, 2, 3, 4, 5, 6, "a", None, 1.5))
    if which == 3:
        return [_random_value(r, depth - 1) for _ in range(r.randrange(3))]
    if which == 4:
        return tuple(_random_value(r, depth - 1) for _ in range(r.randrange(3)))
    values = {key: _random_value(r, depth - 1) for key in "abc" if r.random() < 0.9}
    return Row(**values) if which == 5 else values


def test_random_paths() -> None:
    n_texts, n_made = (sum(of_kind) for of_kind in zip(*map(_check_random_paths, range(100)), strict=True))
    assert n_texts > 200
    assert n_made > 150


def _check_random_paths(seed: int) -> tuple[int, int]:
    """The numbers of texts and of models that are made without validation; all must be those of pydantic."""
    n_texts = n_made = 0
    r = random.Random(seed)
    declared = create_model(
        "Declared",
        __config__=ConfigDict(extra=r.choice(("ignore", "ignore", "forbid")), populate_by_name=r.random() < 0.3),
        **{
            name: (
                Any if r.random() < 0.4 else int | None,
                Field(r.choice((..., 3, None)), validation_alias=_random_alias(r)),
            )
            for name in "xyz"[: r.randrange(1, 4)]
        },
    )
    adapter = TypeAdapter(declared)
    encoder = AdapterEncoder(adapter, like_dump_json=True)
    acceptance = models_acceptance(adapter)
    for _ in range(30):
        value = _random_value(r, 3, 5)
        text = encoder.encode_unvalidated(value)
        n_texts += text is not None
        if text is not None:
            assert text == adapter.dump_json(adapter.validate_python(value, from_attributes=True))
        made = NotImplemented if acceptance is None else acceptance.for_models(value)
        n_made += made is not NotImplemented
        if made is not NotImplemented:
            assert_alike(made, adapter.validate_python(value))
    return n_texts, n_made


class Key(str, enum.Enum):
    ITEM = "item"
    PRICE = "price"


class ByMembers(BaseModel):
    """Its aliases are of subclasses of str and int."""

    one: int = Field(1, validation_alias=Key.ITEM)
    step: int = Field(1, validation_alias=AliasPath("nested", Key.PRICE))
    first: int = Field(1, validation_alias=AliasChoices(AliasPath(Key.PRICE, True), "other", "more"))
    written: int = Field(1, alias=Key.PRICE.value, serialization_alias=Key.PRICE)


def test_members_of_enums_as_aliases() -> None:
    value = {"item": 5, "nested": {"price": 6}, "price": 7, "other": 8}
    adapter = TypeAdapter(ByMembers)
    made = adapter.validate_python(value)
    assert (made.one, made.step, made.first) == (5, 6, 8)
    assert models_of(ByMembers, value) == made
    assert dumps(made, models=True, by_alias=True) == made.model_dump_json(by_alias=True)
    assert text_of(ByMembers, value) == adapter.dump_json(made, by_alias=True)
