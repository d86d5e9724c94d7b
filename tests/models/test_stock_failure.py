"""Errors, warnings and copies as a `TypeAdapter` has them, and models that are rebuilt."""

from __future__ import annotations

import copy
import pickle
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, computed_field, field_serializer, model_serializer

from ssrjson_web import Encoder
from ssrjson_web._models.jsonable import JsonableEncoder
from ssrjson_web.models import TypedDecoder, TypedEncoder

n_calls = 0


def fail() -> int:
    global n_calls
    n_calls += 1
    raise ValueError("no")


class Computed(BaseModel):
    @computed_field  # type: ignore[prop-decorator]
    @property
    def n(self) -> int:
        return fail()


class Serialized(BaseModel):
    a: int = 1

    @field_serializer("a")
    def serialize(self, _: int) -> int:
        return fail()


class SerializedAlone(BaseModel):
    a: int = 1

    @field_serializer("a", when_used="json")
    @staticmethod
    def serialize(_: int) -> int:
        return fail()


class Whole(BaseModel):
    @model_serializer
    def serialize(self) -> int:
        return fail()


class Within(BaseModel):
    items: list[Computed] = [Computed()]
    by_name: dict[str, Serialized] = {}


FAILING: tuple[Callable[[], Any], ...] = (Computed, Serialized, SerializedAlone, Whole, Within)


def outcome_of(call: Callable[[], Any]) -> Any:
    global n_calls
    n_calls = 0
    try:
        return call()
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        assert len({frame.name for frame in frames}) >= len(frames) - 1  # no frame is there again and again
        chain = [repr(one) for one in (error.__cause__, error.__context__)]
        return type(error), str(error), chain, error.__suppress_context__, n_calls


@pytest.mark.parametrize("make", FAILING)
def test_code_that_fails_is_called_once_and_its_error_is_stocks(make: Callable[[], Any]) -> None:
    value = make()
    adapter: TypeAdapter[Any] = TypeAdapter(type(value))
    encoder: TypedEncoder[Any] = TypedEncoder(adapter)
    expected = outcome_of(lambda: adapter.dump_json(value))
    assert expected[-1] == 1
    for _ in range(3):
        assert outcome_of(lambda: encoder.encode(value)) == expected
        outcome_of(lambda: Encoder(models=True).encode(value))
        assert n_calls == 1


def test_error_raised_where_one_is_handled_has_that_as_its_context_alone() -> None:
    encoder: TypedEncoder[Any] = TypedEncoder(Computed)

    def encode() -> None:
        try:
            raise KeyError("before")
        except KeyError:
            encoder.encode(Computed())

    error = outcome_of(encode)
    assert error[2] == ["None", "KeyError('before')"]


def test_value_that_pydantic_refuses_is_refused_without_a_context() -> None:
    adapter = TypeAdapter(Any)
    expected = outcome_of(lambda: adapter.dump_json([object()]))
    assert outcome_of(lambda: TypedEncoder(adapter).encode([object()])) == expected


class Inner(BaseModel):
    n: int = 1


class Outer(BaseModel):
    text: str = "é"
    n: int = 1
    inner: Inner = Inner()
    others: list[Inner] = []


def ill_typed() -> Outer:
    inner = Inner.model_construct(n="y")
    return Outer.model_construct(n="x", others=[inner], inner=inner)


def warned(call: Callable[[], Any]) -> list[tuple[Any, str, str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [(one.category, str(one.message), one.filename) for one in caught]


def test_warnings_of_a_typed_encoder_are_those_of_its_adapter() -> None:
    for declared, value in ((Outer, ill_typed()), (list[Outer], [ill_typed(), Outer(), ill_typed()])):
        adapter: TypeAdapter[Any] = TypeAdapter(declared)
        expected = warned(lambda adapter=adapter, value=value: adapter.dump_json(value))  # type: ignore[misc]
        assert len(expected) == 1
        encoder: TypedEncoder[Any] = TypedEncoder(adapter)
        for _ in range(2):
            assert warned(lambda encoder=encoder, value=value: encoder.encode(value)) == expected  # type: ignore[misc]


def test_warnings_of_other_encoders_are_those_of_the_models_own_method() -> None:
    expected = warned(lambda: ill_typed().model_dump(mode="json"))
    assert warned(lambda: Encoder(models=True).encode([ill_typed()])) == expected
    assert warned(lambda: Encoder(models="python").encode(ill_typed())) == expected
    assert warned(lambda: JsonableEncoder().encode([ill_typed()])) == expected


def test_filters_by_module_hold() -> None:
    for module, encode in (
        ("pydantic.type_adapter", TypedEncoder(Outer).encode),
        ("pydantic.main", Encoder(models=True).encode),
        ("pydantic.main", JsonableEncoder().encode),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", category=UserWarning, module=module.replace(".", r"\."))
            assert encode(ill_typed())
            warnings.filterwarnings("error", category=UserWarning, module=module.replace(".", r"\."))
            with pytest.raises(UserWarning, match="Pydantic serializer warnings"):
                encode(ill_typed())


COPIES: tuple[Callable[[Any], Any], ...] = (copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)))


class Item(BaseModel):
    name: str = Field("é", alias="Name")
    n: int = 1


@pytest.mark.parametrize("copied", COPIES)
def test_encoder_and_decoder_are_copied_as_an_adapter_is(copied: Callable[[Any], Any]) -> None:
    try:
        copied(TypeAdapter(Item))
    except Exception as error:
        with pytest.raises(type(error)):
            copied(TypedEncoder(Item))
        return
    encoder: TypedEncoder[Any] = TypedEncoder(Item, by_alias=True, exclude={"n"})
    decoder: TypedDecoder[Any] = TypedDecoder(Item)
    item = Item(Name="é")
    for _ in range(2):
        assert copied(encoder).encode(item) == encoder.encode(item) == '{"Name":"é"}'.encode()
        assert copied(decoder).decode(b'{"Name":"a"}') == decoder.decode(b'{"Name":"a"}') == Item(Name="a")
    objects = copied(TypedEncoder(Item, from_attributes=True))
    assert objects.encode(type("Row", (), {"Name": "a", "n": 2})()) == b'{"name":"a","n":2}'


def test_copy_of_a_subclass_has_its_attributes() -> None:
    class Named(TypedEncoder[Any]):
        name = "?"

    encoder = Named(Item)
    encoder.name = "items"
    assert copy.copy(encoder).name == copy.deepcopy(encoder).name == "items"


def model(alias: str) -> Any:
    class Rebuilt(BaseModel):
        a: int = Field(1, serialization_alias=alias)

    return Rebuilt


@pytest.mark.parametrize("kind", ["model", "list", "dict"])
def test_adapter_goes_on_with_a_class_as_it_was_before_a_rebuild(kind: str) -> None:
    cls = model("before")
    declared: Any = {"model": cls, "list": list.__class_getitem__(cls), "dict": dict.__class_getitem__((str, cls))}[
        kind
    ]
    value: Any = {"model": cls(), "list": [cls()], "dict": {"x": cls()}}[kind]
    adapter: TypeAdapter[Any] = TypeAdapter(declared)
    encoder: TypedEncoder[Any] = TypedEncoder(adapter, by_alias=True)
    expected = adapter.dump_json(value, by_alias=True)
    assert encoder.encode(value) == expected
    cls.model_fields["a"].serialization_alias = "after"
    cls.model_rebuild(force=True)
    for _ in range(2):
        assert encoder.encode(value) == adapter.dump_json(value, by_alias=True)
        assert Encoder(models=True, by_alias=True).encode(cls()) == cls().model_dump_json(by_alias=True).encode()
    assert TypedEncoder(declared, by_alias=True).encode(value) == TypeAdapter(declared).dump_json(value, by_alias=True)


def test_adapter_that_is_rebuilt_is_followed() -> None:
    cls = model("before")
    adapter: TypeAdapter[Any] = TypeAdapter(cls)
    if not hasattr(adapter, "rebuild"):
        return
    encoder: TypedEncoder[Any] = TypedEncoder(adapter, by_alias=True)
    assert encoder.encode(cls()) == b'{"before":1}'
    cls.model_fields["a"].serialization_alias = "after"
    cls.model_rebuild(force=True)
    adapter.rebuild(force=True)
    for _ in range(2):
        assert encoder.encode(cls()) == adapter.dump_json(cls(), by_alias=True) == b'{"after":1}'


def test_class_that_is_built_later_is_encoded() -> None:
    class Later(BaseModel):
        model_config = ConfigDict(defer_build=True)
        a: int = 1

    for declared in (Later, list[Later]):
        value: Any = Later() if declared is Later else [Later()]
        encoder: TypedEncoder[Any] = TypedEncoder(declared)
        decoder: TypedDecoder[Any] = TypedDecoder(declared)
        for _ in range(3):
            assert encoder.encode(value) == TypeAdapter(declared).dump_json(value)
            assert decoder.decode(encoder.encode(value)) == value


def test_name_that_is_resolved_later_is_followed() -> None:
    class Holder(BaseModel):
        later: Unresolved | None = None

    encoder: TypedEncoder[Any] = TypedEncoder(Any)

    class Unresolved(BaseModel):
        a: int = 1

    Holder.model_rebuild(_types_namespace={"Unresolved": Unresolved})
    value = Holder(later=Unresolved())
    for _ in range(2):
        assert encoder.encode(value) == TypedEncoder(Holder).encode(value) == b'{"later":{"a":1}}'
        assert Encoder(models=True).encode(value) == b'{"later":{"a":1}}'
