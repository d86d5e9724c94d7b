"""`ssrjson_web.models`: the bytes, values and errors of a `TypeAdapter`."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import json
import pickle
import random
import uuid
from typing import Any

import pytest
from check_models import models as random_models
from helpers.pydantic_outcome import assert_alike, outcome
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ssrjson_web import utf8_cache_size
from ssrjson_web.models import TypedDecoder, TypedEncoder

SEEDS = st.integers(0, 2**32)
MORE = settings(max_examples=max(300, settings().max_examples))


class Seller(BaseModel):
    name: str
    rating: float = 3


class Item(BaseModel):
    id: int
    title: str = Field(alias="Titel")
    made: datetime.datetime
    day: datetime.date
    key: uuid.UUID
    seller: Seller | None = None


def row(i: int = 0, **changes: Any) -> dict[str, Any]:
    offset = datetime.timezone(datetime.timedelta(minutes=90 * (i % 3)))
    made = datetime.datetime(2026, 11, 23, 1, 2, 3, 4 * (i % 2), tzinfo=offset if i % 4 else None)
    values = {"id": i, "Titel": "名前", "made": made, "day": made.date(), "key": uuid.UUID(int=2**100 + i)}
    return {**values, "seller": {"name": "é"}, **changes}


ADAPTER = TypeAdapter(list[Item])
ROWS = [row(i) for i in range(12)]


@pytest.mark.parametrize(
    "options",
    [{}, {"by_alias": True}, {"exclude_none": True}, {"exclude_unset": True}, {"exclude_defaults": True}],
    ids=lambda options: ",".join(options) or "plain",
)
def test_encoder_gives_the_adapters_bytes_and_errors(options: dict[str, Any]) -> None:
    encoder = TypedEncoder(list[Item], **options)
    values = (ROWS, [row(seller=None)], [row(id="5")], ADAPTER.validate_python(ROWS), [], [row(id="x")], [{}], None)
    for value in values:
        assert outcome(lambda value=value: encoder.encode(value)) == outcome(  # type: ignore[misc]
            lambda value=value: ADAPTER.dump_json(ADAPTER.validate_python(value), **options)  # type: ignore[misc]
        )


def test_encoder_takes_adapters_and_their_config() -> None:
    class Named(BaseModel):
        model_config = ConfigDict(serialize_by_alias=True)
        n: int = Field(alias="N")

    adapter = TypeAdapter(dict[str, Named])
    for options in ({}, {"by_alias": True}, {"by_alias": False}):
        expected = adapter.dump_json({"a": Named(N=1)}, **options)
        assert TypedEncoder(adapter, **options).encode({"a": {"N": 1}}) == expected
    assert TypedEncoder(int).encode("5") == b"5"


@dataclasses.dataclass
class Row:
    name: str
    rating: float = 1.5


def test_encoder_reads_attributes_where_it_is_told() -> None:
    assert TypedEncoder(Seller, from_attributes=True).encode(Row("é")) == '{"name":"é","rating":1.5}'.encode()
    with pytest.raises(ValidationError):
        TypedEncoder(Seller).encode(Row("é"))


def test_encoder_leaves_no_copies() -> None:
    rows = json.loads(json.dumps([{"name": f"名前{i}"} for i in range(5)]))
    TypedEncoder(list[Seller]).encode(rows)
    assert sum(utf8_cache_size(value["name"]) for value in rows) == 0


@pytest.mark.parametrize("as_type", [bytes, bytearray, bytes.decode])
def test_decoder_gives_the_adapters_values(as_type: Any) -> None:
    decoder = TypedDecoder(list[Item])
    body = ADAPTER.dump_json(ADAPTER.validate_python(ROWS), by_alias=True)
    for _ in range(2):
        made, expected = decoder.decode(as_type(body)), ADAPTER.validate_json(body)
        assert sum(utf8_cache_size(one.title) for one in made) == 0
        assert_alike(made, expected)
        assert [str(one.made.utcoffset()) for one in made] == [str(one.made.utcoffset()) for one in expected]
        assert [(hash(one.key), one.key.is_safe) for one in made] == [
            (hash(one.key), one.key.is_safe) for one in expected
        ]
        assert_alike(pickle.loads(pickle.dumps(made)), expected)
        assert_alike(copy.deepcopy(made), expected)


BROKEN: list[Any] = [
    *(b"", b"[", b"[{}]", b"nul", b"\xff", b'["\\ud800"]', b"\xef\xbb\xbf[]", "[]".encode("utf-16"), b"[\0]", b"[1] 2"),
    *(b'[{"id":1}]', b"[" * 300 + b"]" * 300, b"\0[\0]", b'[{"id":1,"Titel":"\xed\xa0\x80"}]'),
    *(b"[1" + b"0" * 5000 + b"]", "[", "\ufeff[]", "[]\ud800", None, 5, memoryview(b"[]")),
]


@pytest.mark.parametrize("data", BROKEN, ids=range(len(BROKEN)))
def test_decoder_gives_the_adapters_errors(data: Any) -> None:
    decoder = TypedDecoder(ADAPTER)
    assert outcome(lambda: decoder.decode(data)) == outcome(lambda: ADAPTER.validate_json(data))


def test_decoder_makes_values_of_no_model() -> None:
    for declared, data in (
        (list[int], b"[1,2]"),
        (dict[str, float], b'{"a":1}'),
        (int | str, b'"5"'),
        (Any, b"[[null]]"),
        (datetime.date, b'"2026-11-23"'),
        (bytes, b'"a"'),
    ):
        expected = TypeAdapter(declared).validate_json(data)
        for _ in range(2):
            assert_alike(TypedDecoder(declared).decode(data), expected)


@MORE
@given(SEEDS)
def test_random_values_are_encoded_and_decoded_as_by_the_adapter(seed: int) -> None:
    try:
        adapter, make = random_models.made_of_typed(seed)
    except Exception:
        assume(False)
    r = random.Random(seed)
    encoder: TypedEncoder[Any] = TypedEncoder(adapter)
    decoder: TypedDecoder[Any] = TypedDecoder(adapter)
    for _ in range(3):
        value = random_models.as_dicts(r, make(r))
        kind, text = outcome(lambda value=value: adapter.dump_json(adapter.validate_python(value)))
        body = outcome(lambda value=value: encoder.encode(value))
        assert body[0] == kind
        if kind == "value":
            assert body[1] == text or has_repeated_key(text)
            expected = outcome(lambda text=text: adapter.validate_json(text))
            made = outcome(lambda text=text: decoder.decode(text))
            assert made[0] == expected[0]
            if made[0] == "value":
                assert_alike(made[1], expected[1])
            else:
                assert made == expected


def has_repeated_key(text: bytes) -> bool:
    """Whether pydantic has written a key twice: that of a field, and of an extra value with the field's name."""
    repeated = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        repeated.append(len(dict(pairs)) < len(pairs))

    json.loads(text, object_pairs_hook=look)
    return any(repeated)
