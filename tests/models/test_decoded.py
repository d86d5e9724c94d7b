"""What is made of JSON: by `TypedDecoder` as `validate_json`, of a decoded body as `validate_python` makes it."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import uuid
from typing import Annotated, Any, Literal, Optional, Union

import pytest
from check_models.bodies import RandomBody
from helpers.pydantic_outcome import assert_alike, models_of, outcome
from pydantic import BaseModel, ConfigDict, Field, SecretStr, TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError
from typing_extensions import TypeAliasType, TypedDict

from ssrjson_web._models.type_key import TypeKey
from ssrjson_web.models import TypedDecoder, _decode_message, _encode_message


class Item(BaseModel):
    id: int
    title: str = ""


class Nothing(enum.Enum):
    NONE = None
    RED = "red"


TEXT_KINDS = {
    uuid.UUID: "12345678-1234-5678-1234-567812345678",
    datetime.date: "2020-01-02",
    datetime.datetime: "2020-01-02T03:04:05Z",
    datetime.time: "20:15",
    datetime.timedelta: "P1DT2H",
    decimal.Decimal: "1.50",
    SecretStr: "x",
    Nothing: "red",
    Literal["red"]: "red",
}


def made(declared: Any, text: str) -> Any:
    """What a decoder makes of a text. It and what is made of the decoded text are compared with pydantic."""
    try:
        adapter = TypeAdapter(declared)
    except PydanticSchemaGenerationError:  # this pydantic does not know the type
        return None
    ours, theirs = outcome(lambda: TypedDecoder(adapter).decode(text)), outcome(lambda: adapter.validate_json(text))
    assert ours[0] == theirs[0], (declared, text)
    if ours[0] == "value":
        assert_alike(ours[1], theirs[1])
    else:
        assert ours == theirs
    models_of(declared, json.loads(text))
    return ours[1]


def in_places(declared: Any) -> dict[Any, str]:
    """Types with one within, and how a text of it is within theirs."""
    alias = TypeAliasType("alias", declared)  # type: ignore[misc] # made of a value
    Body = type("Body", (BaseModel,), {"__annotations__": {"field": declared}, "__module__": __name__})
    return {
        declared: "%s",
        list[Body]: '[{"field": %s}]',
        dict[str, Union[alias, int]]: '{"a": %s}',  # noqa: UP007
    }


def test_union_of_str_and_what_text_means() -> None:
    for kind, text in TEXT_KINDS.items():
        optional = Optional[kind]  # noqa: UP045
        described = Annotated[optional, Field(description="a")]
        for one in (kind, described, TypeAliasType("one", optional)):  # type: ignore[misc]
            for declared in (Union[one, str], Union[str, one, int, None]):  # noqa: UP007
                for whole, shape in in_places(declared).items():
                    for value in (json.dumps(text), '"é"', '""', "null", "1"):
                        made(whole, shape.replace("%s", value))


def test_text_mode_prefers_the_uuid_and_python_mode_the_str() -> None:
    declared, text = uuid.UUID | str, json.dumps(TEXT_KINDS[uuid.UUID])
    assert TypedDecoder(declared).decode(text) == uuid.UUID(json.loads(text))
    assert models_of(list[declared], [json.loads(text)]) == [json.loads(text)]


@pytest.mark.parametrize("mode", ["smart", "left_to_right"])
def test_union_of_scalars(mode: Literal["smart", "left_to_right"]) -> None:
    kinds = [bool, int, float, str, None, decimal.Decimal, Literal[1], Literal["1", True], Nothing, Item, bytes, Any]
    values = ["true", "1", "1.0", '"1"', "null", "0", "2.5", '"x"', '{"id": 1}', '{"value": null}', "[]", "NaN"]
    for one in (bool, float, str, Nothing, Item):
        for other in kinds:
            if one is other:
                continue
            choices = Union[one, Annotated[Optional[other], Field(description="b")]]  # noqa: UP007, UP045
            declared = Annotated[choices, Field(union_mode=mode)]
            for value in values:
                made(list[declared], f"[{value}]")


def test_nullable_secret_beside_str_is_a_secret() -> None:
    secret = Annotated[Optional[SecretStr], Field(description="a")]  # noqa: UP045
    for choice in (secret, TypeAliasType("secret", secret), TypeAliasType("bare", Optional[SecretStr])):  # type: ignore[misc] # noqa: UP045
        body = models_of(list[Union[choice, str]], ["x", None])  # noqa: UP007
        assert body is NotImplemented or body == [SecretStr("x"), None]


def test_extra_key_is_refused_where_fields_share_a_key() -> None:
    class Shared(BaseModel):
        model_config = ConfigDict(extra="forbid")
        a: int = Field(1, validation_alias="k")
        b: int = Field(2, validation_alias="k")

    class Crossed(BaseModel):
        model_config = ConfigDict(extra="forbid", populate_by_name=True)
        a: int = Field(1, alias="b")
        b: int = Field(2, alias="a")

    class Named(BaseModel):
        model_config = ConfigDict(extra="forbid", populate_by_name=True)
        a: int = Field(1, alias="b")
        c: int = Field(2, alias="a")

    for cls in (Shared, Crossed, Named):
        for keys in ("k x", "k", "a x", "b x", "a b", "a b x", "a c", "b c", "c x", ""):
            made(cls, json.dumps(dict.fromkeys(keys.split(), 1)))
    assert "x" in made(Shared, '{"k": 1, "x": 2}')


def test_repeated_key_is_validated_as_in_json() -> None:
    class Known(TypedDict):
        id: int

    @dataclasses.dataclass
    class Data:
        id: int

    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")
        id: int = Field(alias="n")

    values = ["1", '"x"', '{"id": 1, "id": "x"}']
    types = [dict[str, int], dict[str, Item], Item, Known, Data, Strict, Any, list[Item | str]]
    for declared in types:
        for key in ("id", "n", "é"):
            for first in values:
                for second in values:
                    text = f'{{"{key}": {first}, "{key}": {second}}}'
                    made(declared, text)
                    made(list[declared], f"[{text}]")
    with pytest.raises(ValidationError):
        TypedDecoder(dict[str, int]).decode('{"a": "x", "a": 1}')


def test_part_of_a_number_is_made_of_its_text() -> None:
    class Coerced(BaseModel):
        model_config = ConfigDict(coerce_numbers_to_str=True)
        one: str
        several: set[str] = set()

    numbers = [
        "0.1",
        "1.0",
        "1e22",
        "1.10",
        "123456789012345678901234567890.5",
        "1E5",
        "2",
        "-0",
        "1e400",
        "9223372036854775808",
        "true",
    ]
    parts = (decimal.Decimal, fractions.Fraction, int, float, Coerced, datetime.datetime, datetime.timedelta, Nothing)
    for number in numbers:
        for kind in parts:
            for declared in (set[kind], tuple[kind, ...], list[kind], dict[kind, str]):
                shape = '{"%s": ""}' if declared.__origin__ is dict else "[%s]"
                made(declared, shape % number)
        made(Coerced, f'{{"one": {number}, "several": [{number}]}}')


def test_lone_surrogate_is_refused_where_pydantic_does() -> None:
    class Coerced(BaseModel):
        model_config = ConfigDict(coerce_numbers_to_str=True)
        text: str = ""
        short: Annotated[str, Field(max_length=9)] = ""
        texts: dict[str, str] = {}

    for value in ({"text": "\ud800"}, {"short": "\ud800"}, {"texts": {"\ud800": "a"}}, {"texts": {"a": "\udfff"}}):
        models_of(Coerced, value)
        models_of(list[dict[str, Coerced]], [{"\ud800": value}])


def test_long_number_is_refused_where_pydantic_does() -> None:
    numbers = [sign + "1" * n + end for sign in ("", "-") for n in (4299, 4300, 4301) for end in ("", ".5", "e-4000")]
    adapter: TypeAdapter[Any] = TypeAdapter(list[Any])
    for number in [*numbers, "0." + "1" * 9000]:
        for before in (0, 2047, 5000):
            for text in (f'["{"x" * before}", {number}]', f"[{number}]{' ' * before}".encode()):
                theirs = outcome(lambda text=text: adapter.validate_json(text))
                assert outcome(lambda text=text: TypedDecoder(adapter).decode(text)) == theirs


@pytest.mark.skipif(not hasattr(TypeAdapter, "rebuild"), reason="this pydantic does not rebuild adapters")
def test_decoder_follows_a_rebuilt_adapter() -> None:
    class Later(BaseModel):
        model_config = ConfigDict(defer_build=True)
        n: "Count"  # type: ignore[name-defined] # noqa: F821, UP037

    adapter = TypeAdapter(Later)
    decoder = TypedDecoder(adapter)
    Later.model_rebuild(_types_namespace={"Count": int})
    assert decoder.decode('{"n": "1"}').n == 1
    for rebuild in (Later.model_rebuild, adapter.rebuild):
        Later.__annotations__["n"] = Later.model_fields["n"].annotation = str
        rebuild(force=True, _types_namespace={"Count": str})
        for text in ('{"n": 1}', '{"n": "a"}'):
            theirs = outcome(lambda text=text: adapter.validate_json(text))
            assert outcome(lambda text=text: decoder.decode(text)) == theirs


def test_adapter_of_a_class_of_its_own_decodes_itself() -> None:
    class Adapter(TypeAdapter[Any]):
        def validate_json(self, data: Any, **options: Any) -> Any:
            return "own"

    assert TypedDecoder(Adapter(list[int])).decode("[1]") == "own"


def test_factory_that_equals_list_is_called_each_time() -> None:
    class Counting:
        n = 0

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return hash(list)

        def __call__(self) -> list[int]:
            self.n += 1
            return [self.n]

    class Counted(BaseModel):
        numbers: list[int] = Field(default_factory=Counting())

    decoder = TypedDecoder(list[Counted])
    assert [one.numbers for one in decoder.decode("[{}, {}]")] == [[1], [2]]
    assert [one.numbers for one in decoder.decode("[{}, {}]")] == [[3], [4]]


class A(BaseModel):
    n: int = 1


class B(BaseModel):
    n: int = 1


def test_messages_of_equal_types_are_told_apart() -> None:
    assert A | B == B | A
    for first, second in ((A, B), (B, A)):
        assert type(_decode_message("{}", first | second)) is first
        assert type(_decode_message("[{}]", list[first | second])[0]) is first
        assert type(_decode_message('{"a": {}}', dict[str, list[first] | first | second])["a"]) is first

    class Metadata:  # equal to all others, and without a hash, so that typing does not keep the first
        def __init__(self, schema: Any) -> None:
            self.schema = schema

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

        def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
            return self.schema

    assert _decode_message("1", Annotated[Any, Metadata({"type": "int"})]) == 1
    assert _decode_message("1", Annotated[Any, Metadata({"type": "float"})]).hex() == "0x1.0000000000000p+0"
    assert _encode_message(1, Annotated[Any, Metadata({"type": "float"})]) == b"1.0"
    assert _decode_message("1", Literal[1]) is not _decode_message("true", Literal[True])


def test_message_of_a_type_that_has_no_hash() -> None:
    declared = Annotated[int, Field(gt=0, json_schema_extra={"a": []})]
    assert _decode_message("1", declared) == 1
    assert _encode_message(1, declared) == b"1"


def test_message_of_a_rebuilt_model() -> None:
    class Changing(BaseModel):
        n: int

    assert _decode_message('{"n": 1}', Changing).n == 1
    Changing.model_fields["n"].annotation = str
    Changing.model_rebuild(force=True)
    expected = outcome(lambda: TypeAdapter(Changing).validate_json('{"n": "a"}'))
    ours = outcome(lambda: _decode_message('{"n": "a"}', Changing))
    assert repr(ours) == repr(expected)


def test_key_of_a_type_is_found_again() -> None:
    for make in (lambda: A | B, lambda: list[A | None], lambda: dict[str, list[A]], lambda: A, lambda: Optional[A]):  # noqa: UP045
        assert TypeKey(make()) == TypeKey(make())
        assert hash(TypeKey(make())) == hash(TypeKey(make()))
    assert TypeKey(tuple[A, B]) != TypeKey(tuple[B, A])
    assert TypeKey(list[A]) != A


def test_random_bodies() -> None:
    bodies = [body for seed in range(150) if (body := RandomBody.of(seed)) is not None]
    assert sum(body.check(text) for body in bodies for text in body.texts(8)) > 200
