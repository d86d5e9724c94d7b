"""omit_defaults: fields of dataclasses that hold their default are left out, and no code of a class decides that."""

from __future__ import annotations

import dataclasses
import enum
import math
from decimal import Decimal
from typing import Any

import pytest
from helpers.all_outputs import assert_encoded_as

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

NAN = math.nan
PRICE = Decimal("1.50")


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Angry:
    def __eq__(self, other: object) -> bool:
        raise AssertionError("no code of a class is run")

    __hash__ = None  # type: ignore[assignment]


class Text(str):
    pass


def made() -> Any:
    return "made"


def field_of(default: Any) -> Any:
    """A class with one field of this default."""
    return dataclasses.make_dataclass("Made", [("a", Any, dataclasses.field(default=default))])


def factory_of(factory: Any) -> Any:
    return dataclasses.make_dataclass("Made", [("a", Any, dataclasses.field(default_factory=factory))])


def is_omitted(cls: Any, value: Any) -> bool:
    text = _core.dumps(cls(value), natives=True, omit_defaults=True, default=lambda value: "hook")
    return text == "{}"


BIG = 10**30


@pytest.mark.parametrize(
    ("default", "omitted", "written"),
    [
        (None, [None], [0, False, "", [], ()]),
        (1, [1, int("1")], [True, 1.0, 2, "1", None]),
        (True, [True], [1, False, 1.0]),
        (BIG, [int("1" + "0" * 30)], [BIG + 1, float(BIG)]),
        (0.0, [0.0, float("0")], [-0.0, 0, False, NAN]),
        (NAN, [NAN, float("nan")], [0.0, None]),
        ("é", ["é", "aé"[1:]], [Text("é"), "e", ""]),
        (b"ab", [b"ab", bytes(bytearray(b"ab"))], [bytearray(b"ab"), "ab", b""]),
        ((), [(), tuple(iter(()))], [[], (1,), None]),
        ((1,), [], [(2,), tuple(iter([1])), [1]]),
        (frozenset(), [frozenset(), frozenset([])], [set(), frozenset([1])]),
        (Colour.RED, [Colour.RED], [Colour.BLUE, 1]),
        (PRICE, [PRICE], [Decimal("1.50"), 1.5]),
    ],
    ids=[f"case {i}" for i in range(13)],
)
def test_field_that_holds_its_default_is_left_out(default: Any, omitted: list[Any], written: list[Any]) -> None:
    cls = field_of(default)
    for value in [default, *omitted]:
        assert is_omitted(cls, value), value
    for value in written:
        assert not is_omitted(cls, value), value


@pytest.mark.parametrize("factory", [list, dict, set, frozenset, tuple])
def test_field_of_a_factory_is_left_out_where_it_is_empty(factory: Any) -> None:
    cls = factory_of(factory)
    assert is_omitted(cls, factory())
    assert not is_omitted(cls, factory([(1, 2)]))
    assert not is_omitted(cls, None)
    others = {list, dict, set, frozenset, tuple} - {factory}
    assert not any(is_omitted(cls, other()) for other in others)


def test_field_of_another_factory_is_written() -> None:
    assert not is_omitted(factory_of(made), "made")
    assert not is_omitted(factory_of(lambda: []), [])
    assert not is_omitted(factory_of(int), 0)


def test_no_code_of_a_class_is_run() -> None:
    default, value = Angry(), Angry()
    cls = dataclasses.make_dataclass("Made", [("a", Any, None)])
    cls.a = default
    cls.__dataclass_fields__["a"].default = default
    assert is_omitted(cls, default)
    assert not is_omitted(cls, value)


@dataclasses.dataclass
class Book:
    name: str  # the fields are in the order of their names, because sort_keys does not sort them
    part: Any = None
    price: float = 0.0
    tags: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Slotted:
    __slots__ = ("a", "b")
    a: int
    b: Any


def test_text_holds_the_other_fields_in_their_order() -> None:
    for options in ({"dataclass": True}, {"natives": True}, {"models": True}, {"models": "pydantic"}):
        assert_encoded_as({"name": "é"}, Book("é"), omit_defaults=True, **options)
        book = Book("中", price=1.5, part=Book("x", tags=["y"]))
        plain = {"name": "中", "part": {"name": "x", "tags": ["y"]}, "price": 1.5}
        assert_encoded_as(plain, book, omit_defaults=True, **options)
        assert_encoded_as({"a": 1, "b": None}, Slotted(1, None), omit_defaults=True, **options)


def test_object_of_defaults_is_an_empty_object_in_each_layout() -> None:
    cls = field_of(1)
    assert_encoded_as({}, cls(), dataclass=True, omit_defaults=True)
    assert_encoded_as({"name": "a"}, Book("a"), dataclass=True, omit_defaults=True, exclude_none=True)


def test_dict_keeps_all_its_items() -> None:
    assert_encoded_as({"price": 0.0, "tags": []}, {"price": 0.0, "tags": []}, dataclass=True, omit_defaults=True)


def test_option_needs_dataclasses() -> None:
    for options in ({}, {"natives": True, "dataclass": False}, {"models": False}):
        with pytest.raises(TypeError) as raised:
            _core.dumps(1, omit_defaults=True, **options)
        needed = "dataclass=True, natives=True or models=True"
        assert str(raised.value) == f"omit_defaults=True has no effect without {needed}"
    _core.dumps(1, omit_defaults=False)
    _core.dumps(1, omit_defaults=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="omit_defaults must be None or a bool"):
        _core.dumps(1, dataclass=True, omit_defaults=1)  # type: ignore[arg-type]
