"""Strs whose whitespace a config or field removes, and lengths that a config bounds."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import pytest
from helpers.pydantic_outcome import outcome
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter

from ssrjson_web._models.adapter import AdapterEncoder, models_acceptance

pytestmark = pytest.mark.usefixtures("isa")

TEXTS = [
    "",
    "a",
    "a b",
    "中",
    "😀",
    " a",
    "a ",
    "\ta\n",
    "\u2003中",
    "中\u3000",
    "\x1ca",
    "a\x1f",
    "\x85",
    "\u180e",
    "\ud800",
]
TEXTS += ["x" * 9, "x" * 10, "x" * 11, "  " + "x" * 9, "\u200b"]


class Stripped(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True, str_max_length=10, from_attributes=True)
    name: str
    nick: str | None = None
    tags: list[str] = Field([])


class Own(BaseModel):
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    nick: str | None = None
    tags: list[str] = Field([])


class Kept(Stripped):
    model_config = ConfigDict(str_min_length=1)
    name: Annotated[str, StringConstraints(strip_whitespace=False)]  # as it is


@pytest.mark.parametrize("model", [Stripped, Own, Kept])
@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_strs_are_stripped_as_by_pydantic(model: Any, text: str) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(model)
    encoder = AdapterEncoder(adapter, like_dump_json=True, escape_surrogates=False)
    acceptance = models_acceptance(adapter)
    assert encoder.obstacle == ""
    assert acceptance is not None
    for value in ({"name": text}, {"name": "a", "nick": text}, {"name": "a", "tags": [text, "b"]}):
        expected = outcome(lambda value=value: adapter.dump_json(adapter.validate_python(value)))
        for one in (value, type("Row", (), {"nick": None, "tags": [], **value})()):
            got = encoder.encode_unvalidated(one)
            assert got in (None, b"") or got == adapter.dump_json(adapter.validate_python(one, from_attributes=True))
        made = acceptance.for_models(value)
        if made is not NotImplemented:
            assert outcome(lambda made=made: adapter.dump_json(made)) == expected
            assert made == adapter.validate_python(value)
    if text in ("a", "a b", "中", "😀"):
        assert encoder.encode_unvalidated({"name": text}) is not None


def test_strs_with_whitespace_need_no_validation_of_the_whole() -> None:
    encoder = AdapterEncoder(TypeAdapter(Stripped), like_dump_json=True)
    assert encoder.encode_unvalidated({"name": " a "}) == b'{"name":"a","nick":null,"tags":[]}'


def test_keys_that_would_be_stripped_are_left_to_pydantic() -> None:
    class Keyed(BaseModel):
        model_config = ConfigDict(str_strip_whitespace=True)
        by_name: dict[str, int]

    adapter = TypeAdapter(Keyed)
    encoder = AdapterEncoder(adapter, like_dump_json=True)
    assert encoder.encode_unvalidated({"by_name": {" a ": 1}}) in (None, b'{"by_name":{"a":1}}')


def shout(text: str, *, mark: Any) -> str:
    return text + mark


def test_partial_of_pydantics_functions_is_no_code_of_users() -> None:
    """A length of an e-mail address is checked by a partial of a function of pydantic's."""
    from pydantic._internal import _validators

    if not hasattr(_validators, "max_length_validator"):
        pytest.skip("pydantic 2.9 checks lengths by a function that it makes")
    bounded = partial(_validators.max_length_validator, max_length=5)
    own = TypeAdapter(list[Annotated[str, AfterValidator(bounded)]])
    assert AdapterEncoder(own, like_dump_json=True).encode_unvalidated(["a"]) == b'["a"]'
    assert AdapterEncoder(own, like_dump_json=True).encode_unvalidated(["abcdef"]) is None
    users = TypeAdapter(list[Annotated[str, AfterValidator(partial(shout, mark="!"))]])
    assert AdapterEncoder(users, like_dump_json=True).encode_unvalidated(["a"]) is None
