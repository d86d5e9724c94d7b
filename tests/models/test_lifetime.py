"""Classes that are made at run time end when nobody uses them any more: what the core knows of them ends with them."""

from __future__ import annotations

import copy
import dataclasses
import enum
import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

import attrs
import pydantic
import pytest
from helpers.builds import CLASSES_ARE_IMMORTAL
from helpers.structs import msgspec
from pydantic import BaseModel, RootModel, TypeAdapter, computed_field
from typing_extensions import TypedDict

from ssrjson_web import Encoder
from ssrjson_web.models import TypedDecoder, TypedEncoder, _decode_message, _encode_message

N_CLASSES = 10
PYDANTIC = tuple(map(int, pydantic.VERSION.split(".")[:2]))
T = TypeVar("T")
Made = tuple[Any, Any, Any]
"""A class, what pydantic knows as the type of the value, and a value."""


class Box(BaseModel, Generic[T]):
    content: T


def base_model() -> Made:
    class Colour(enum.Enum):
        RED = "é"

    class Item(BaseModel):
        name: str = "é"
        colour: Colour = Colour.RED
        prices: dict[str, float] = {}
        next: Item | None = None

        @computed_field  # type: ignore[prop-decorator]
        @property
        def n(self) -> int:
            return 1

    Item.model_rebuild()
    return Item, Item, Item(next=Item())


def root_model() -> Made:
    class Item(RootModel[list[str]]):
        pass

    return Item, Item, Item(["é"])


def parametrisation() -> Made:
    class Item(BaseModel):
        n: int = 1

    return Box[Item], Box[Item], Box[Item](content=Item())


def pydantic_dataclass() -> Made:
    @pydantic.dataclasses.dataclass
    class Item:
        name: str = "é"

    return Item, Item, Item()


def stdlib_dataclass() -> Made:
    @dataclasses.dataclass
    class Item:
        name: str = "é"

    return Item, Item, Item()


def slotted_dataclass() -> Made:
    @dataclasses.dataclass(slots=True)
    class Item:
        name: str = "é"

    return Item, Item, Item()


def typed_dict() -> Made:
    class Item(BaseModel):
        n: int = 1

    make: Any = TypedDict  # in a class, the name would be resolved in the module
    return Item, make("Items", {"first": Item}), {"first": Item()}


def named_tuple() -> Made:
    class Item(NamedTuple):
        n: int = 1

    return Item, Item, Item()


def enumeration() -> Made:
    item: Any = enum.Enum("item", {"RED": "é"})
    return item, item, item.RED


def attrs_class() -> Made:
    @attrs.define
    class Item:
        name: str = "é"

    return Item, None, Item()


def struct() -> Made:
    class Item(msgspec.Struct):
        name: str = "é"

    return Item, None, Item()


def tagged_struct() -> Made:
    class Item(msgspec.Struct, tag=True):
        name: str = "é"

    return Item, None, Item()


def encode(_: Any, value: Any) -> None:
    for options in ({"models": True}, {"models": True, "by_alias": True}, {"models": "python", "exclude_none": True}):
        encoder = Encoder(enum="value", dataclass=True, **options)
        assert encoder.encode([value, value]) == encoder.encode([value, value])
        b"".join(encoder.iterencode([value, value]))
    Encoder(enum="name", default=str).encode([value, value])


def encode_typed(declared: Any, value: Any) -> None:
    if declared is not None:
        assert TypedEncoder(declared).encode(value) == TypeAdapter(declared).dump_json(value)
        with pytest.raises(pydantic.ValidationError):
            TypedEncoder(declared).encode(object())


def decode_typed(declared: Any, value: Any) -> None:
    if declared is not None:
        text = TypeAdapter(declared).dump_json(value)
        decoder = TypedDecoder(declared)
        assert decoder.decode(text) == decoder.decode(text)
        with pytest.raises(pydantic.ValidationError):
            decoder.decode(b"5x")


def exchange(declared: Any, value: Any) -> None:
    """As a WebSocket's messages of the type."""
    if declared is not None:
        text = _encode_message(value, declared)
        assert text == _encode_message(value, declared)
        assert _encode_message(_decode_message(text, declared), declared) == text


MAKERS = (
    *(base_model, root_model, parametrisation, pydantic_dataclass, stdlib_dataclass, slotted_dataclass),
    *(typed_dict, named_tuple, enumeration, attrs_class, struct, tagged_struct),
)


@pytest.mark.skipif(CLASSES_ARE_IMMORTAL, reason="this CPython never frees classes")
@pytest.mark.parametrize("use", [encode, encode_typed, decode_typed, exchange])
@pytest.mark.parametrize("make", MAKERS)
def test_class_that_was_used_is_collected(make: Callable[[], Made], use: Callable[[Any, Any], None]) -> None:
    if PYDANTIC < (2, 10) and make in (base_model, enumeration):
        pytest.skip("this pydantic keeps such models itself, and an Enum's last adapters for a while")
    references = []
    for _ in range(N_CLASSES):
        cls, declared, value = make()
        references.append(weakref.ref(cls))
        use(declared, value)
        del cls, declared, value
    gc.collect()
    assert [reference() for reference in references if reference() is not None] == []


def test_slotted_copy_of_a_class_that_was_encoded_is_encoded() -> None:
    @dataclasses.dataclass
    class Item:
        name: str = "é"

    encoder = Encoder(models=True)
    assert encoder.encode(Item()) == '{"name":"é"}'.encode()
    slotted = dataclasses.dataclass(slots=True)(Item)
    for _ in range(2):
        assert encoder.encode([slotted(), Item()]) == '[{"name":"é"},{"name":"é"}]'.encode()
    assert slotted.__ssrjson_plans__ is not Item.__ssrjson_plans__  # type: ignore[attr-defined]


@pytest.mark.parametrize("change", ["clear", "remove", "replace", "fill"])
def test_plans_of_a_class_may_be_changed_by_anybody(change: str) -> None:
    class Item(BaseModel):
        name: str = "é"

    encoder = Encoder(models=True)
    expected = '{"name":"é"}'.encode()
    assert encoder.encode(Item()) == expected
    known: Any = Item
    if change == "clear":
        known.__ssrjson_plans__.clear()
    elif change == "remove":
        del known.__ssrjson_plans__
    elif change == "replace":
        known.__ssrjson_plans__ = (1,)
    else:
        known.__ssrjson_plans__[:] = [None, 1, Item]
    for _ in range(3):
        assert encoder.encode(Item()) == expected


def test_plans_are_none_in_a_pickle_or_copy_of_the_namespace() -> None:
    class Item(BaseModel):
        name: str = "é"

    Encoder(models=True).encode(Item())
    plans: Any = vars(Item)["__ssrjson_plans__"]
    assert len(plans) == 1
    assert pickle.loads(pickle.dumps(plans)) == copy.deepcopy(plans) == [None]


def test_metaclass_is_not_asked_to_keep_a_plan() -> None:
    class Meta(type):
        def __setattr__(cls, name: str, value: Any) -> None:
            if name.startswith("__ssrjson"):
                raise AttributeError(name)
            super().__setattr__(name, value)

    @dataclasses.dataclass
    class Item(metaclass=Meta):
        name: str = "é"

    for _ in range(2):
        assert Encoder(models=True).encode([Item(), Item()]) == '[{"name":"é"},{"name":"é"}]'.encode()


def test_class_with_plans_of_each_kind_of_models_keeps_all() -> None:
    @dataclasses.dataclass
    class Item:
        name: str = "é"

    for _ in range(2):
        for options in ({"models": True}, {"dataclass": True}, {"models": "pydantic", "dataclass": True}):
            assert Encoder(**options).encode(Item()) == '{"name":"é"}'.encode()
    assert len(vars(Item)["__ssrjson_plans__"]) == 3
