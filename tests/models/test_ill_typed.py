"""Instances whose values are not as declared: the bytes, errors and warnings of pydantic."""

from __future__ import annotations

import abc
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import math
import uuid
from collections.abc import Callable
from typing import Annotated, Any

import pydantic
import pytest
from check_models.ill_typed import (
    ANNOTATIONS,
    VALUES,
    Base,
    Colour,
    Derived,
    Other,
    Text,
    model_of,
    outcome_with_warnings,
)
from helpers.pydantic_outcome import dumped
from pydantic import BaseModel, Field, PlainSerializer, RootModel, TypeAdapter, field_serializer, model_serializer

from ssrjson_web import Encoder, utf8_cache_size
from ssrjson_web._models.adapter import AdapterEncoder
from ssrjson_web.models import TypedEncoder

pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")


def model_text(model: BaseModel) -> bytes:
    return model.model_dump_json().encode()


@dataclasses.dataclass
class Held:
    f: Any


@dataclasses.dataclass
class InSlots:
    __slots__ = ("f",)
    f: Any


HALF, NUMBER = fractions.Fraction(1, 2), decimal.Decimal("1.5")


@pytest.mark.parametrize(
    "options", [{}, {"exclude_none": True}, {"exclude_defaults": True}, {"by_alias": False}], ids=str
)
def test_each_value_in_each_field_is_what_pydantic_writes_and_warns_of(options: dict[str, Any]) -> None:
    chosen = {"by_alias": True, **options}
    # a few values for each annotation with options, all without
    for place, annotation in enumerate(ANNOTATIONS):
        model = model_of(annotation)
        adapter = TypeAdapter(list[model])
        as_text, as_python = (
            AdapterEncoder(adapter, like_dump_json=like_dump_json, **chosen) for like_dump_json in (True, False)
        )
        for value in VALUES if not options else VALUES[place % 5 :: 5]:
            models = [model.model_construct(f=value, after="zé"), model.model_construct(f=value)]
            theirs = outcome_with_warnings(adapter.dump_json, models, **chosen)
            ours = outcome_with_warnings(as_text.encode, models)
            assert ours == theirs, (annotation, value)
            theirs = outcome_with_warnings(dumped, adapter, models, chosen)
            ours = outcome_with_warnings(as_python.encode, models)
            assert ours == theirs, (annotation, value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: iter(["é", "b"]),
        lambda: map(str, [1, 2]),
        lambda: [1, iter([2, 3])],
        lambda: {"k": (n for n in [1, 2])},
        lambda: collections.deque([iter([1, 2])]),
        lambda: Base.model_construct(f=iter([1, 2])),
        lambda: Held(iter([1, 2])),
        lambda: InSlots(iter([1, 2])),
        lambda: enum.Enum("Made", {"ONE": iter([1, 2])})["ONE"],
    ],
    ids=[
        "iterator",
        "map",
        "in a list",
        "in a dict",
        "in a deque",
        "in a model",
        "in a dataclass",
        "in slots",
        "in an Enum",
    ],
)
def test_an_iterator_is_pulled_once_whatever_is_declared(make: Callable[[], Any]) -> None:
    for annotation in ANNOTATIONS:
        model = model_of(annotation)
        adapter = TypeAdapter(list[model])

        def models(model: Any = model) -> list[BaseModel]:
            return [model.model_construct(f=make(), after="zé"), model.model_construct(f="after")]

        for like_dump_json, stock in ((True, adapter.dump_json), (False, lambda value: dumped(adapter, value, {}))):  # noqa: B023
            encoder = AdapterEncoder(adapter, like_dump_json=like_dump_json)
            if not encoder._is_looked_into:
                continue  # pydantic converts each answer as a whole, which nothing looks into before
            ours, our_warnings = outcome_with_warnings(encoder.encode, models())
            theirs, their_warnings = outcome_with_warnings(stock, models())
            assert ours == theirs, annotation
            assert len(our_warnings) == len(their_warnings), annotation  # texts have the address of the iterator


def test_an_iterator_among_extra_fields_is_pulled_once() -> None:
    class Open(BaseModel, extra="allow"):
        f: int

    adapter = TypeAdapter(Open)

    def model() -> Open:
        made = Open(f=1)
        made.__pydantic_extra__ = {"f": iter([1, 2])}  # the key of a field
        return made

    assert AdapterEncoder(adapter, like_dump_json=True).encode(model()) == adapter.dump_json(model())


def test_encoder_writes_each_value_in_each_field_as_model_dump_json() -> None:
    encoder = Encoder(models=True)
    for annotation in ANNOTATIONS:
        model = model_of(annotation)
        for value in VALUES:
            one = model.model_construct(f=value, after="zé")
            theirs = outcome_with_warnings(model_text, one)
            if theirs[0][0] == "value":  # the core knows more types
                ours = outcome_with_warnings(encoder.encode, one)
                assert ours[0] == theirs[0], (annotation, value)
                # pydantic 2.12 does not warn of what is within a value of no declared type
                assert annotation in (Any, object) or bool(ours[1]) == bool(theirs[1]), (annotation, value)


@pytest.mark.parametrize("value", [NUMBER, HALF, True, 3], ids=repr)
def test_numbers_of_other_types_in_fields_of_floats_are_numbers(value: Any) -> None:
    for annotation, held in (
        (float, value),
        (list[float], [1.5, value]),
        (dict[str, float], {"a": value}),
        (tuple[float, ...], (value,)),
        (list[list[float]], [[value]]),
        (RootModel[list[float]], RootModel[list[float]].model_construct([value])),
    ):
        model = model_of(annotation)(after="é")
        model.f = held
        adapter = TypeAdapter(type(model))
        expected = adapter.dump_json(model)
        assert b'"1' not in expected
        ours = outcome_with_warnings(TypedEncoder(adapter).encode, model)
        assert ours == (("value", expected), [])
        ours = outcome_with_warnings(Encoder(models=True).encode, [model])
        assert ours == (("value", b"[" + expected + b"]"), [])


def test_one_warning_names_all_values_and_their_fields() -> None:
    class Outer(BaseModel):
        first: Base
        items: list[Base]

    wrong = Base.model_construct(n="x", text=3)
    outer = Outer.model_construct(first=wrong, items=[wrong, Base(), wrong])
    adapter = TypeAdapter(list[Outer])
    theirs = outcome_with_warnings(adapter.dump_json, [outer, outer])
    assert outcome_with_warnings(TypedEncoder(adapter).encode, [outer, outer]) == theirs
    assert len(theirs[1]) == 1


def test_object_of_a_derived_class_with_a_wrong_value_is_written_as_its_base() -> None:
    class Outer(BaseModel):
        base: Base

    outer = Outer.model_construct(base=Derived.model_construct(n="x"))
    for encoder in (Encoder(models=True), TypedEncoder(Outer)):
        assert outcome_with_warnings(encoder.encode, outer) == outcome_with_warnings(model_text, outer)


def test_object_with_one_wrong_value_asks_no_hook() -> None:
    one = model_of(int).model_construct(f="x")
    encoder = Encoder(models=True, default=lambda value: pytest.fail("asked"))
    assert encoder.encode(one) == b'{"f":"x","after":"z"}'


def test_value_that_a_serializer_changes_is_no_wrong_value() -> None:
    calls: list[Any] = []

    def noted(value: Any) -> str:
        calls.append(value)
        return f"<{value}>"

    class Noted(BaseModel):
        n: Annotated[int, PlainSerializer(noted)]
        text: str

    one = Noted(n=1, text="é" * 5)
    assert TypedEncoder(Noted).encode(one) == one.model_dump_json().encode()
    assert calls == [1, 1]
    text = "é" * 6
    assert Encoder(models=True).encode(Noted(n=1, text=text))
    assert utf8_cache_size(text) == 0


def test_extra_field_with_the_key_of_a_declared_one_is_written_twice_as_in_pydantic() -> None:
    class Open(BaseModel):
        model_config = {"extra": "allow"}
        n: int = 1
        renamed: int = Field(serialization_alias="other")

    class Outer(BaseModel):
        inner: Open
        anything: Any = None

    for extra in ({"n": 2}, {"other": "é"}, {"renamed": 3}, {"free": "é"}, {"n": 1, "free": Base()}):
        for by_alias in (True, False):
            one = Open(n=1, renamed=2)
            one.__pydantic_extra__.update(extra)
            for value in (one, Outer(inner=one), Outer(inner=Open(renamed=1), anything=[one]), [one], {"k": one}):
                adapter = TypeAdapter(Any)
                expected = adapter.dump_json(value, by_alias=by_alias)
                assert Encoder(models=True, by_alias=by_alias).encode(value) == expected
                assert TypedEncoder(Any, by_alias=by_alias).encode(value) == expected
                if not isinstance(value, (list, dict)):
                    assert TypedEncoder(type(value), by_alias=by_alias).encode(value) == expected
                    assert TypedEncoder(list[type(value)], by_alias=by_alias).encode([value]) == b"[" + expected + b"]"


def typed_outcome(declared: Any, value: Any, **options: Any) -> tuple[Any, Any]:
    """What `TypedEncoder` and a `TypeAdapter` do with a value, which validation may change."""
    adapter: TypeAdapter[Any] = TypeAdapter(declared)
    encoder = TypedEncoder(adapter, **options)

    def stock() -> bytes:
        return adapter.dump_json(adapter.validate_python(value), **options)

    return outcome_with_warnings(encoder.encode, value), outcome_with_warnings(stock)


def declared_with(annotation: Any, field: Any) -> Any:
    fields: Any = {"f": (annotation, field), "after": (str, "zé"), "n": (int, 1)}
    return pydantic.create_model("Declared", **fields)


def test_warnings_of_ill_typed_defaults_are_given() -> None:
    ill_typed: list[tuple[Any, Any]] = [
        (tuple[int, ...], []),
        (datetime.date, "2020-01-02"),
        (datetime.datetime, "2020-01-02T00:00:00"),
        (uuid.UUID, str(uuid.UUID(int=1))),
        (datetime.timedelta, "PT1H"),
        (int, "x"),
        (float, 1),
        (float, NUMBER),
        (Colour, "a"),
        (str, Colour.RED),
        (bool, 1),
        (dict[str, int], []),
        (list[int], {}),
        (float | None, HALF),
    ]
    for annotation, default in ill_typed:
        for field in (Field(default), Field(default_factory=lambda default=default: default)):  # type: ignore[misc]
            declared = declared_with(annotation, field)
            for options in ({}, {"exclude_defaults": True}, {"exclude_none": True}):
                for value in ({}, {"after": "é"}, declared()):
                    ours, theirs = typed_outcome(declared, value, **options)
                    assert ours == theirs, (annotation, default, options)
    for factory in (list, dict, set, tuple, str, int):
        for annotation in (tuple[int, ...], list[int], dict[str, int], set[int], str, int, float):
            ours, theirs = typed_outcome(declared_with(annotation, Field(default_factory=factory)), {})
            assert ours == theirs, (annotation, factory)


def test_defaults_of_factories_are_left_out_where_they_are_equal() -> None:
    factories: list[Callable[[], Any]] = [lambda: None, lambda: Colour.RED, lambda: 1, lambda: "a", list, lambda: [1]]
    for factory in factories:
        declared = declared_with(Any, Field(default_factory=factory))
        for value in (None, Colour.RED, Other.RED, 1, 1.0, True, "a", [], [1], NUMBER):
            one = declared(f=value, n=2)
            expected = one.model_dump_json(exclude_defaults=True).encode()
            assert Encoder(models=True, exclude_defaults=True).encode(one) == expected
            for given in (one, {"f": value, "n": 2}):
                ours, theirs = typed_outcome(declared, given, exclude_defaults=True)
                assert ours == theirs, (factory, value)


def test_defaults_of_another_type_are_left_out_where_they_are_equal() -> None:
    values = [1, 1.0, True, NUMBER, decimal.Decimal(1), Text.RED, "a", -0.0, 0.0, 0, math.nan, None, Colour.RED, HALF]
    for annotation in (int, float, bool, str, decimal.Decimal, Any, int | None, float | str):
        for default in values:
            declared = declared_with(annotation, default)
            encoder = Encoder(models=True, exclude_defaults=True)
            adapter: TypeAdapter[Any] = TypeAdapter(declared)
            typed = TypedEncoder(adapter, exclude_defaults=True)
            for value in values:
                one = declared.model_construct(f=value, n=2)
                expected = outcome_with_warnings(adapter.dump_json, one, exclude_defaults=True)
                assert outcome_with_warnings(encoder.encode, one) == expected
                assert outcome_with_warnings(typed.encode, one) == expected
                body = outcome_with_warnings(typed.encode, {"f": value, "n": 2})
                if body[0][0] == "value":
                    validated = adapter.validate_python({"f": value, "n": 2})
                    assert body == outcome_with_warnings(adapter.dump_json, validated, exclude_defaults=True)


def test_abstract_model_is_refused_each_time() -> None:
    class Abstract(BaseModel, abc.ABC):
        n: int

        @abc.abstractmethod
        def method(self) -> None: ...

    for declared, value in ((Abstract, {"n": 1}), (list[Abstract], [{"n": 1}]), (dict[str, Abstract], {"k": {"n": 1}})):
        ours, theirs = typed_outcome(declared, value)
        assert theirs[0][0] == "TypeError"
        assert ours == theirs


def test_lone_surrogates_are_refused_as_by_dump_json() -> None:
    declared = declared_with(Any, None)
    for text in ("\ud800", "a\udfffb", "é\ud800"):
        for value in (text, [text], {text: 1}, {"k": text}, declared_with(str, "")(after="x")):
            for given in (declared(f=value), {"f": value}):
                ours, theirs = typed_outcome(declared, given)
                assert ours == theirs
        for annotation, value in ((str, text), (list[str], [text]), (dict[str, int], {text: 1}), (Any, {"k": [text]})):
            ours, theirs = typed_outcome(annotation, value)
            assert ours == theirs


def test_circular_values_are_refused_as_by_dump_json() -> None:
    declared = declared_with(Any, None)
    circular: list[Any] = []
    circular.append(circular)
    itself = declared()
    itself.f = [itself]
    for annotation, value in ((Any, circular), (declared, itself), (Any, {"k": itself})):
        ours, theirs = typed_outcome(annotation, value)
        assert theirs[0][0] == "PydanticSerializationError"
        assert ours == theirs


def test_serializers_get_the_options_that_pydantic_gives() -> None:
    names = ("by_alias", "mode", "exclude_none", "exclude_unset", "exclude_defaults", "round_trip", "context")
    names += ("include", "exclude", "serialize_as_any", "polymorphic_serialization", "exclude_computed_fields")
    given: list[Any] = []

    def noted(value: Any, info: Any) -> Any:
        given.append([getattr(info, name, None) for name in names])
        return value

    class OfField(BaseModel):
        n: Annotated[int, PlainSerializer(noted)] = 1
        renamed: int = Field(1, alias="r")

    class OfMethod(BaseModel):
        n: int = 1

        @field_serializer("n")
        def _noted(self, value: Any, info: Any) -> Any:
            return noted(value, info)

    class OfModel(BaseModel):
        n: int = 1

        @model_serializer(mode="wrap")
        def _noted(self, handler: Any, info: Any) -> Any:
            return noted(handler(self), info)

    class Outer(BaseModel):
        items: list[OfField]
        by_name: dict[str, OfModel]
        anything: Any = None

    outer = Outer(items=[OfField()], by_name={"a": OfModel()}, anything=[OfMethod()])
    values: list[tuple[Any, Any]] = [(type(one), one) for one in (OfField(), OfMethod(), OfModel(), outer)]
    values += [(list[OfModel], [OfModel()]), (list[Annotated[int, PlainSerializer(noted)]], [1])]
    choices: list[dict[str, Any]] = [{"by_alias": choice} for choice in (True, False)]
    choices += [{}, {"exclude_none": True}, {"exclude_unset": True}, {"exclude_defaults": True}]
    for declared, value in values:
        adapter: TypeAdapter[Any] = TypeAdapter(declared)
        for options in choices:
            outcomes = []
            for encode in (TypedEncoder(adapter, **options).encode, lambda value: adapter.dump_json(value, **options)):  # noqa: B023
                given.clear()
                outcomes.append((encode(value), given[:]))
            assert outcomes[0] == outcomes[1], (declared, options)
