"""Fields that only pydantic can validate, in models that need no validation beside them."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import functools
import ipaddress
import json
import logging
import math
import uuid
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import pytest
from helpers.pydantic_outcome import models_of, text_of
from pydantic import (
    AfterValidator,
    AliasChoices,
    AnyUrl,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    HttpUrl,
    Json,
    SecretStr,
    Tag,
    TypeAdapter,
    computed_field,
    create_model,
    field_serializer,
    field_validator,
)
from typing_extensions import NotRequired, TypedDict

from ssrjson_web._core import _Acceptance
from ssrjson_web._models.adapter import AdapterEncoder, bodies_maker, models_acceptance, models_obstacle
from ssrjson_web._models.language import Accepted, AcceptedField, AcceptedModel


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str


class Open(BaseModel):
    model_config = ConfigDict(extra="allow", str_strip_whitespace=True)
    name: str


class Renamed(BaseModel):
    name: str = Field(validation_alias=AliasChoices("first", "second"))


class Node(BaseModel):
    name: str
    children: list[Node] = []


class Weekday(enum.Enum):
    MONDAY = "mo"


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


PARTS: dict[str, tuple[Any, Any]] = {
    "url": (HttpUrl, "http://例え.jp/a b"),
    "urls": (list[AnyUrl], ["http://a.b", "ftp://c"]),
    "address": (ipaddress.IPv4Address, "10.0.0.1"),
    "secret": (SecretStr, "geheim"),
    "set": (set[str], ["é", "é"]),
    "frozenset": (frozenset[int], [1, 2]),
    "tuple": (tuple[int, str], [1, "中"]),
    "tuple of any length": (tuple[float, ...], [1, 2.5]),
    "tagged union": (Annotated[Cat | Dog, Field(discriminator="kind")], {"kind": "dog", "name": "Rex"}),
    "union of models": (Cat | Dog, {"kind": "cat"}),
    "union of dates": (datetime.datetime | datetime.date, "2026-11-23"),
    "tree": (Node, {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}),
    "model with a config": (Open, {"name": " n ", "more": [1]}),
    "aliases": (list[Renamed], [{"first": "a"}, {"second": "b"}]),
    "dataclass": (Point, {"x": 1}),
    "dict of numbers": (dict[int, str], {"1": "a"}),
    "dict of enums": (dict[Weekday, float], {"mo": 0.5}),
    "JSON": (Json[dict[str, int]], '{"a": 1}'),
    "optional": (HttpUrl | None, None),
}
TEXT = ("url", "address", "secret", "union of dates", "JSON", "optional")


def model_with(declared: Any) -> type[BaseModel]:
    made: type[BaseModel] = create_model("Made", before=(str, "a"), part=(declared, ...), after=(list[int], []))
    return made


WRONG: list[Any] = [{"a": 1}, "\ud800", "", math.nan, [[]], 10**30, True, None]


@pytest.mark.parametrize(("declared", "value"), PARTS.values(), ids=PARTS)
def test_models_are_made_with_parts_of_pydantics(declared: Any, value: Any) -> None:
    bodies = [{"part": value}, {"after": [1], "part": value, "before": "é"}]
    assert models_of(list[model_with(declared)], bodies) is not NotImplemented  # type: ignore[misc]
    for wrong in WRONG:  # which pydantic may convert
        models_of(model_with(declared), {"part": wrong})


@pytest.mark.parametrize("name", TEXT)
def test_texts_are_written_with_parts_of_pydantics(name: str) -> None:
    declared, value = PARTS[name]
    rows = [{"part": value}, {"after": [1], "part": value, "before": "é"}]
    assert text_of(list[model_with(declared)], rows) is not None  # type: ignore[misc]
    for options in ({"exclude_none": True}, {"exclude_unset": True}):
        assert text_of(model_with(declared), rows[0], **options) is not None
    for wrong in WRONG:
        text_of(model_with(declared), {"part": wrong})


def test_parts_of_text_are_scalars_and_sets_of_them_only() -> None:
    once = iter(["a"])
    assert text_of(model_with(set[str]), {"part": once}) is None
    assert text_of(model_with(frozenset[int]), {"part": [1]}) is not None
    assert text_of(model_with(frozenset[int]), {"part": [[]]}) is None
    assert text_of(model_with(frozenset[int]), {"part": {1: 2}}) is None
    assert text_of(model_with(frozenset[tuple[int, ...]]), {"part": [(1,)]}) is None
    assert list(once) == ["a"]


def test_part_is_made_of_attributes_where_the_whole_would_be() -> None:
    class Page(BaseModel):  # which old versions of pydantic make of any object
        items: list[int] = []

    for value in (uuid.UUID(int=7), datetime.date(2026, 11, 23), datetime.timedelta(1)):
        text_of(model_with(float | Page | Any), {"part": value})


@pytest.mark.parametrize("real", [math.inf, -math.inf, math.nan, 1.5])
def test_number_that_becomes_null_is_not_left_out(real: float) -> None:
    declared = Annotated[Sequence[int] | float, Field(union_mode="left_to_right")] | None
    text_of(model_with(declared), {"part": real}, exclude_none=True)


def test_parts_with_code_of_users_are_left_to_pydantic() -> None:
    calls: list[Any] = []

    def check(value: Any) -> Any:
        calls.append(value)
        return value

    class Made(BaseModel):
        tags: set[Annotated[str, AfterValidator(check)]]

    class WithFactory(BaseModel):
        tags: set[int]
        n: int = Field(default_factory=lambda: check(3))

    class Constructed(BaseModel):
        n: int

        def __new__(cls, *args: Any, **named: Any) -> Any:
            check(cls)
            return super().__new__(cls)

    for declared, value in (
        (Annotated[HttpUrl, AfterValidator(check)], "http://a.b"),
        (set[Annotated[str, AfterValidator(check)]], ["a"]),
        (set[Annotated[str, AfterValidator(logging.warning)]], ["a"]),  # which would be logged twice
        (set[Annotated[int, AfterValidator(functools.partial(check))]], [1]),
        (tuple[Made, ...], [{"tags": ["a"]}]),
        (tuple[WithFactory, ...], [{"tags": [1]}]),
        (tuple[Constructed, ...], [{"n": 1}]),
        (
            Annotated[
                Annotated[Cat, Tag("cat")] | Annotated[Dog, Tag("dog")],
                Discriminator(lambda value: check(value["kind"])),
            ],
            {"kind": "cat"},
        ),
    ):
        model = model_with(declared)
        acceptance = models_acceptance(TypeAdapter(model))
        calls.clear()
        assert acceptance is None or acceptance.for_models({"part": value}) is NotImplemented, declared
        assert text_of(model, {"part": value}) is None, declared
        assert calls == [], declared


def test_serializers_of_users_matter_for_the_text_alone() -> None:
    class Shown(BaseModel):
        tags: set[int]
        n: int

        @field_serializer("tags", "n")
        def show(self, value: Any) -> str:
            return repr(value)

    assert models_of(Shown, {"tags": [1], "n": 2}) is not NotImplemented
    assert text_of(Shown, {"tags": [1], "n": 2}) is None


class Made(BaseModel):
    key: uuid.UUID = Field(default_factory=uuid.uuid4)
    at: datetime.datetime = Field(default_factory=datetime.datetime.now)
    names: list[str] = Field(default_factory=list)
    n: int = 1


def test_factories_without_effects_make_defaults() -> None:
    acceptance = models_acceptance(TypeAdapter(Made))
    assert acceptance is not None
    one, two = acceptance.for_models({"n": 2}), acceptance.for_models({"names": ["a"]})
    assert [type(value) for value in (one, one.key, one.at)] == [Made, uuid.UUID, datetime.datetime]
    assert one.key != two.key
    assert one.names == []
    assert one.model_fields_set == {"n"}
    encoder = AdapterEncoder(TypeAdapter(Made), like_dump_json=True)
    bodies = [encoder.encode_unvalidated({"n": 2}) for _ in range(2)]
    assert bodies[0] != bodies[1]
    assert [list(json.loads(body or b"")) for body in bodies] == [["key", "at", "names", "n"]] * 2


def test_factories_of_wrong_values_are_left_to_pydantic() -> None:
    class Wrong(BaseModel):
        n: int = Field(default_factory=uuid.uuid4)

    encoder = AdapterEncoder(TypeAdapter(Wrong), like_dump_json=True)
    assert encoder.encode_unvalidated({}) is None


class Free(BaseModel):
    any: Any
    values: list[Any] = []
    by_name: dict[str, Any] = {}


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def test_plain_values_of_no_declared_type_are_written() -> None:
    plain = {"a": [1, 2.5, "中", None, True, {"b": {}}], "é": 10**30}
    for value in (plain, [plain], {}, [], nested(15)):
        assert text_of(Free, {"any": value, "values": [value], "by_name": {"k": value}}) is not None
        for options in ({"exclude_none": True}, {"exclude_unset": True}, {"by_alias": False}):
            assert text_of(Free, {"any": value}, **options) is not None


def test_other_values_of_no_declared_type_are_left_to_pydantic() -> None:
    class Text(str):
        pass

    for value in ([math.nan], [(1,)], {1: 2}, {Text("a"): 1}, [Text("a")], [{1}], [Cat(kind="cat")], nested(40)):
        assert text_of(Free, {"any": value}) is None
    once = iter([1])
    assert text_of(Free, {"any": [once]}) is None
    assert list(once) == [1]


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Typed(TypedDict):
    n: int


@pytest.mark.parametrize(("within", "value"), [(Open, {"x": 1}), (Typed, {"n": 1}), (list[Typed], [{"n": "1"}])])
def test_what_pydantic_validates_by_itself_is_no_obstacle_to_bodies(within: Any, value: Any) -> None:
    model = create_model("Model", one=(within, ...))
    adapter = TypeAdapter(model)
    assert models_obstacle(adapter) == ""
    maker = bodies_maker(adapter)
    assert maker is not None
    assert maker.make({"one": value})[0] == adapter.validate_python({"one": value})


class Defaulted(BaseModel):
    n: int = 1
    text: str | None = None

    @field_validator("text")
    @classmethod
    def check(cls, text: Any, info: Any) -> Any:
        return text


def test_field_that_is_accepted_only_where_it_is_absent_is_an_obstacle() -> None:
    adapter = TypeAdapter(Defaulted)
    maker = bodies_maker(adapter)
    assert maker is not None
    assert maker.make({"n": 2})[0] == Defaulted(n=2)
    assert maker.make({"text": "a"}) == (NotImplemented, None)
    assert models_obstacle(adapter) == "Defaulted.text: the validator Defaulted.check"
    assert AdapterEncoder(adapter, like_dump_json=True).obstacle == "Defaulted.text: the validator Defaulted.check"


# ---- TypedDicts


class Spot(BaseModel):
    x: int


class Line(TypedDict):
    sku: str
    n: NotRequired[int | None]
    at: NotRequired[datetime.date]


class Closed(TypedDict, total=False):
    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]
    lines: tuple[Line, ...]
    of: Spot


class Holder(BaseModel):
    closed: Closed
    first: Line | None = None


@pytest.mark.parametrize("exclude_none", [False, True])
@pytest.mark.parametrize(
    ("declared", "value", "is_accepted"),
    [
        (Line, {"sku": "a"}, True),
        (Line, {"n": None, "sku": "a", "at": datetime.date(2026, 1, 2)}, True),
        (Line, {"more": object, "sku": "a"}, True),
        (Line, {"n": 1}, False),
        (Line, {"sku": 1}, False),
        (Line, {"sku": "a", 1: 2}, False),
        (list[Line], [{"sku": "a", "n": 1}, {"n": 2, "sku": "b"}], True),
        (Closed, {}, True),
        (Closed, {"lines": ({"sku": "a"},), "of": {"x": 1, "more": 2}}, True),
        (Closed, {"more": 1}, False),
        (Holder, {"closed": {"lines": [{"n": None, "sku": "a"}]}, "first": {"sku": "b"}}, True),
        (dict[str, Closed | None], {"a": None, "b": {}}, True),
    ],
)
def test_typed_dict_is_written_in_the_order_of_its_fields(
    declared: Any, value: Any, is_accepted: bool, exclude_none: bool
) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(declared)
    encoder = AdapterEncoder(adapter, like_dump_json=True, exclude_none=exclude_none)
    assert encoder.obstacle == ""
    text = encoder.encode_unvalidated(value)
    assert (text is not None) == is_accepted
    if text is not None:
        assert text == adapter.dump_json(adapter.validate_python(value), exclude_none=exclude_none)


def test_typed_dict_that_keeps_other_keys_is_left_to_pydantic() -> None:
    class Kept(TypedDict):
        __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]
        n: int

    adapter = TypeAdapter(list[Kept])
    assert AdapterEncoder(adapter, like_dump_json=True).encode_unvalidated([{"n": 1}]) is None


# ---- obstacles


@pytest.mark.parametrize(
    "declared", [list[Spot | Holder], list[str | Spot | Holder], dict[str, Spot | Holder], Spot | Holder]
)
def test_union_of_models_within_a_container_is_an_obstacle(declared: Any) -> None:
    encoder = AdapterEncoder(TypeAdapter(declared), like_dump_json=True)
    assert encoder.obstacle in ("the type union", "its type")
    assert not encoder.takes_instances


def test_obstacle_names_the_field_whose_union_is_within_a_container() -> None:
    declared = create_model("Outer", inner=(list[Spot | Holder], ...))
    assert AdapterEncoder(TypeAdapter(declared), like_dump_json=True).obstacle == "Outer.inner: the type union"


def test_model_is_made_of_no_dict_without_a_field_that_only_its_text_may_lack() -> None:
    fields = (AcceptedField("x", "x", None, "x", None, may_be_absent=True),)
    acceptance = _Acceptance((Accepted(dict, "model", model=AcceptedModel(Spot, fields)),))
    assert acceptance.for_text({}) == {}
    assert acceptance.for_models({}) is NotImplemented
    assert acceptance.for_models({"x": 1}) == Spot(x=1)


@pytest.mark.parametrize(("held", "obstacle"), [(Line, ""), (Closed, "Computed.held: the type typed-dict")])
def test_typed_dict_of_containers_is_an_obstacle_where_models_are_made(held: Any, obstacle: str) -> None:
    class Computed(BaseModel):
        held: Any

        @computed_field  # type: ignore[prop-decorator]
        @property
        def n(self) -> int:
            return 1

    declared = create_model("Computed", __base__=Computed, held=(held, ...))
    encoder = AdapterEncoder(TypeAdapter(declared), like_dump_json=True)
    assert encoder.obstacle == obstacle
    assert (
        encoder.validated({"held": {"lines": []} if held is Closed else {"sku": "a"}})[0] is NotImplemented
    ) == bool(obstacle)
