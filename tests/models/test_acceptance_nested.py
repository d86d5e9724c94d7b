"""Models within themselves, unions whose choice a tag names, tuples: accepted as they are, or left to pydantic."""

from __future__ import annotations

import enum
import gc
from typing import Annotated, Any, Literal, Optional

import pytest
from helpers.builds import CLASSES_ARE_IMMORTAL
from helpers.pydantic_outcome import models_of, text_of
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, TypeAdapter, create_model, field_validator

from ssrjson_web import _core
from ssrjson_web._models.adapter import AdapterEncoder, models_acceptance
from ssrjson_web._models.language import Accepted, AcceptedField, AcceptedModel


class Comment(BaseModel):
    id: int
    text: str = Field("…", alias="body")
    parent: Optional[Comment] = None  # noqa: UP045
    replies: list[Comment] = []
    by_author: dict[str, Comment] = {}


class Folder(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    files: list[File] = []


class File(BaseModel):
    size: int
    folder: Optional[Folder] = None  # noqa: UP045
    links: list[File] = []


Folder.model_rebuild()


class Cat(BaseModel):
    kind: Literal["cat", "lion"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str
    friends: list[Pet] = []


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]
Dog.model_rebuild()


class Shop(BaseModel):
    best: Optional[Pet] = None  # noqa: UP045
    pets: list[Pet] = []
    by_name: dict[str, Pet] = {}


class Row:
    """An object of no model, such as one of a database."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


def comment(n_levels: int, **more: Any) -> dict[str, Any]:
    replies = [comment(n_levels - 1)] if n_levels else []
    return {"id": n_levels, "body": "é中", "replies": replies, **more}


# ---- models within themselves

TREES: dict[str, tuple[Any, Any]] = {
    "leaf": (Comment, {"id": 1}),
    "levels": (Comment, comment(20)),
    "list": (list[Comment], [comment(2), comment(0)]),
    "all ways": (
        Comment,
        comment(2, parent=comment(1), by_author={"a": comment(1, parent={"id": 3}), "b": {"id": 4}}),
    ),
    "keys that are dropped": (Comment, {"x": 1, "id": 1, "replies": [{"replies": [], "y": 2, "id": 2}]}),
    "two models": (
        Folder,
        {"files": [{"size": 1, "folder": {"name": "b", "files": [{"links": [{"size": 3}], "size": 2}]}}], "name": "a"},
    ),
    "from the other": (File, {"size": 1, "folder": {"name": "a", "files": [{"size": 2}]}}),
}


@pytest.mark.parametrize(("declared", "value"), TREES.values(), ids=TREES)
def test_models_within_themselves_are_accepted(declared: Any, value: Any) -> None:
    for options in ({}, {"exclude_none": True}, {"exclude_unset": True}, {"by_alias": False}):
        assert text_of(declared, value, **options) is not None
    assert models_of(declared, value) is not NotImplemented


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        (Comment, comment(1, replies=[comment(1, replies=[{"id": "1"}])])),
        (Comment, comment(1, replies=[comment(1, replies=[None])])),
        (Comment, comment(1, by_author={1: comment(0)})),
        (Folder, {"name": "a", "files": [{"size": 1, "folder": {"name": "b", "more": 1}}]}),
    ],
    ids=["another type", "null", "a key that is no str", "a refused key"],
)
def test_fault_at_any_level_leaves_all_to_pydantic(declared: Any, value: Any) -> None:
    assert text_of(declared, value) is None
    assert models_of(declared, value) is NotImplemented


def test_deep_and_endless_values_are_left_to_pydantic() -> None:
    assert text_of(Comment, comment(30)) is not None
    assert text_of(Comment, comment(40)) is None
    assert models_of(Comment, comment(30)) is not NotImplemented
    assert models_of(Comment, comment(40)) is NotImplemented
    endless = comment(0)
    endless["replies"].append(endless)
    row = Row(id=1, body="a", parent=None, by_author={})
    row.replies = [row]  # type: ignore[attr-defined]
    for value in (endless, row):
        adapter = TypeAdapter(Comment)
        assert AdapterEncoder(adapter, like_dump_json=True).encode_unvalidated(value) is None
        acceptance = models_acceptance(adapter)
        assert acceptance is not None
        assert acceptance.for_models(value) is NotImplemented


def row(n_levels: int, **more: Any) -> Row:
    replies = [row(n_levels - 1)] if n_levels else []
    return Row(**{"id": 1, "body": "é中", "parent": None, "replies": replies, "by_author": {}} | more)


def test_objects_within_themselves_are_read() -> None:
    assert text_of(list[Comment], [row(3), comment(1), row(0, parent=row(1), by_author={"a": row(0)})]) is not None
    assert text_of(Comment, row(30)) is not None
    assert text_of(Comment, row(40)) is None
    assert text_of(Comment, row(0, parent=row(0, id="1"))) is None


def test_instances_within_themselves_are_written() -> None:
    assert text_of(Comment, Comment(**comment(2))) is not None
    assert text_of(list[Comment], [comment(1), comment(1, replies=[Comment(**comment(2))])]) is not None


def test_validator_within_leaves_all_to_pydantic() -> None:
    class Checked(BaseModel):
        name: str
        within: list[Checked] = []

        @field_validator("name")
        @classmethod
        def check(cls, name: str) -> str:
            return name.upper()

    namespace = {"Checked": Checked}
    Checked.model_rebuild(_types_namespace=namespace)
    value = {"name": "a", "within": [{"name": "b"}]}
    assert text_of(Checked, value) is None
    assert models_of(Checked, value) is NotImplemented


# ---- unions whose choice a tag names

PETS: dict[str, Any] = {
    "each": {"pets": [{"kind": "cat"}, {"kind": "lion", "lives": 1}, {"name": "é中", "kind": "dog"}]},
    "optional": {"best": {"kind": "dog", "name": "Rex"}},
    "null": {"best": None},
    "values": {"by_name": {"a": {"lives": 3, "kind": "cat"}, "b": {"kind": "dog", "name": "b", "x": 1}}},
    "within": {"pets": [{"kind": "dog", "name": "a", "friends": [{"kind": "cat"}, {"kind": "dog", "name": "b"}]}] * 2},
}


@pytest.mark.parametrize("value", PETS.values(), ids=PETS)
def test_dicts_are_accepted_by_their_tags(value: Any) -> None:
    for options in ({}, {"exclude_none": True}, {"exclude_unset": True}):
        assert text_of(Shop, value, **options) is not None
    assert models_of(Shop, value) is not NotImplemented


def test_union_with_tags_at_the_root() -> None:
    assert text_of(Pet, {"kind": "cat"}) == b'{"kind":"cat","lives":9}'
    assert type(models_of(Pet, {"kind": "dog", "name": "a"})) is Dog


class Word(str):
    __slots__ = ()


class Species(str, enum.Enum):
    CAT = "cat"


@pytest.mark.parametrize(
    "pet",
    [
        *({}, {"lives": 1}, {"kind": "cow"}, {"kind": None}, {"kind": 1}, {"kind": Word("cat")}, {"kind": Species.CAT}),
        *({"kind": []}, {"kind": "cat", "lives": "x"}, {"kind": "dog"}, {1: 2, "kind": "cat"}),
        *(Cat(), Dog(kind="dog", name="é"), Row(kind="cat", lives=1), [], "cat", None, 1),
    ],
    ids=lambda pet: repr(pet)[:40] if type(pet) is not Row else "row",
)
def test_other_tags_and_values_are_left_to_pydantic(pet: Any) -> None:
    assert text_of(Shop, {"pets": [pet]}) is None
    assert models_of(Shop, {"pets": [pet]}) is NotImplemented


def test_tags_under_an_alias_are_left_to_pydantic() -> None:
    class Left(BaseModel):
        side: Literal["l"] = Field(alias="Seite")

    class Right(BaseModel):
        side: Literal["r"] = Field(alias="Seite")

    assert text_of(list[Annotated[Left | Right, Field(discriminator="side")]], [{"Seite": "l"}, {"Seite": "r"}]) is None


def test_tags_that_are_no_text_and_tags_that_code_finds_are_left_to_pydantic() -> None:
    class One(BaseModel):
        v: Literal[1]

    class Two(BaseModel):
        v: Literal[2]

    class Upper(BaseModel):
        v: Literal["a"]
        name: str

        @field_validator("name")
        @classmethod
        def check(cls, name: str) -> str:
            return name.upper()

    class Plain(BaseModel):
        v: Literal["b"]

    def found(value: Any) -> str:
        return "one" if value.get("v") == 1 else "two"

    by_number = Annotated[One | Two, Field(discriminator="v")]
    by_code = Annotated[Annotated[One, Tag("one")] | Annotated[Two, Tag("two")], Discriminator(found)]
    with_code = Annotated[Upper | Plain, Field(discriminator="v")]
    for declared, value in ((by_number, {"v": 1}), (by_code, {"v": 2}), (with_code, {"v": "b"})):
        made = create_model("Made", part=(declared, ...))
        assert text_of(made, {"part": value}) is None


def test_union_of_a_tagged_one_and_others_is_told_apart_by_type() -> None:
    class Tagged(BaseModel):
        part: Pet | int | str

    assert text_of(Tagged, {"part": {"kind": "cat"}}) is not None
    assert text_of(Tagged, {"part": 1}) is not None

    class Unclear(BaseModel):
        part: Pet | dict[str, Any]

    assert text_of(Unclear, {"part": {"kind": "cat"}}) is None


# ---- tuples


class Places(BaseModel):
    point: tuple[float, float] = (0.0, 0.0)
    pairs: list[tuple[str, Optional[Comment]]] = []  # noqa: UP045
    numbers: Annotated[tuple[int, ...], Field(max_length=3)]
    nothing: tuple[()] = ()


TUPLES: dict[str, Any] = {
    "tuples": {"point": (1.5, 2), "numbers": (1, 2, 3), "pairs": [("é", None), ("中", {"id": 1})], "nothing": ()},
    "lists": {"point": [1.5, 2], "numbers": [], "pairs": [["é", comment(1)]], "nothing": []},
}


@pytest.mark.parametrize("value", TUPLES.values(), ids=TUPLES)
def test_tuples_and_lists_in_their_place_are_written(value: Any) -> None:
    for options in ({}, {"exclude_none": True}):
        assert text_of(Places, value, **options) is not None
    models_of(Places, value)


@pytest.mark.parametrize(
    "change",
    [
        *({"point": (1.5,)}, {"point": [1.5, 2.0, 3.0]}, {"point": (1.5, "2")}, {"point": {1.5, 2.5}}, {"point": None}),
        *({"numbers": (1, 2, 3, 4)}, {"numbers": ("1",)}, {"numbers": range(2)}, {"nothing": (1,)}, {"pairs": [()]}),
    ],
    ids=repr,
)
def test_other_tuples_are_left_to_pydantic(change: Any) -> None:
    assert text_of(Places, {"point": (0.0, 1.0), "numbers": (), "nothing": ()} | change) is None


def test_lists_are_no_tuples_where_types_are_strict() -> None:
    class Exact(BaseModel):
        pair: tuple[int, int] = Field(strict=True)

    assert text_of(Exact, {"pair": (1, 2)}) is not None
    assert text_of(Exact, {"pair": [1, 2]}) is None


# ---- descriptions


def _model(*inner: Accepted) -> AcceptedModel:
    return AcceptedModel(Cat, (AcceptedField("a", "a", None, "a", inner, (None,)),))


@pytest.mark.parametrize("number", [0, -1, 2, 2**70])
def test_number_of_no_model_around_raises(number: int) -> None:
    within = _model(Accepted(dict, "model", enclosing=number))
    with pytest.raises(ValueError, match="not within"):
        _core._Acceptance((Accepted(dict, "model", model=within),))


@pytest.mark.parametrize(
    ("key", "choices"),
    [(1, {}), (None, {}), ("a", None), ("a", ()), ("a", {1: (Accepted(int),)}), ("a", {"b": 1}), (Word("a"), {})],
    ids=repr,
)
def test_wrong_tags_raise(key: Any, choices: Any) -> None:
    with pytest.raises(TypeError):
        _core._Acceptance((Accepted(dict, "tagged", tags=choices, tag_key=key),))


@pytest.mark.parametrize("choices", [None, [], (1,), {}], ids=repr)
def test_wrong_places_raise(choices: Any) -> None:
    with pytest.raises(TypeError):
        _core._Acceptance((Accepted(tuple, "places", places=choices),))


@pytest.mark.skipif(CLASSES_ARE_IMMORTAL, reason="this CPython never frees functions of classes")
def test_models_within_themselves_are_released() -> None:
    def count() -> int:
        gc.collect()
        return sum(type(one) is _core._Acceptance for one in gc.get_objects())

    before = count()
    for declared in (Comment, Shop, Places):
        adapter = TypeAdapter(declared)
        made = [AdapterEncoder(adapter, like_dump_json=True), models_acceptance(adapter)]
        assert count() > before
        del made, adapter
    assert count() == before
