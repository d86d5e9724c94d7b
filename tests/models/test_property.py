"""Random models and values: the bytes, or the error, of pydantic and of FastAPI's jsonable_encoder."""

from __future__ import annotations

import random

import pytest
from check_models import models as random_models
from helpers.pydantic_outcome import dumped, is_unclear, outcome
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

from ssrjson_web import Encoder
from ssrjson_web._models.adapter import AdapterEncoder

SEEDS = st.integers(0, 2**32)
MORE = settings(max_examples=max(200, settings().max_examples))


@MORE
@given(SEEDS)
def test_adapter_of_random_models_gives_what_pydantic_does(seed: int) -> None:
    try:
        adapter, make = random_models.made(seed)
    except Exception as error:  # a value that pydantic refuses
        assume(error is None)
    r = random.Random(seed)
    options = random_models.options(r)
    for _ in range(4):
        value = make(r)
        expected = outcome(lambda value=value: adapter.dump_json(value, **options))
        if not is_unclear(expected):
            encoder = AdapterEncoder(adapter, like_dump_json=True, **options)
            assert outcome(lambda value=value, encoder=encoder: encoder.encode(value)) == expected
        expected = outcome(lambda value=value: dumped(adapter, value, options))
        if not is_unclear(expected):
            encoder = AdapterEncoder(adapter, like_dump_json=False, **options)
            got = outcome(lambda value=value, encoder=encoder: encoder.encode(value))
            assert (got[0].removeprefix("JSONEncode"), got[1]) == expected


@MORE
@given(SEEDS)
def test_encoder_of_random_models_gives_what_model_dump_json_does(seed: int) -> None:
    r = random.Random(seed)
    make_kind = r.choice(
        [random_models.model_class, random_models.model_class, random_models.dataclass, random_models.root_model]
    )
    try:
        declared, make = make_kind(r, 3)
    except Exception as error:  # a value that pydantic refuses
        assume(error is None)
    options = random_models.options(r)
    options.pop("exclude", None)
    if r.random() < 0.5 and random_models.VERSION >= (2, 11):  # by default the config decides
        options["by_alias"] = None
    encoder = Encoder(models=True, **options)
    for _ in range(4):
        try:
            value = make(r)
        except Exception as error:  # from a base with serializers
            assume(error is None)
        if isinstance(value, BaseModel):
            expected = outcome(lambda value=value: value.model_dump_json(**options).encode())
        elif hasattr(declared, "__pydantic_serializer__"):
            expected = outcome(lambda value=value: TypeAdapter(declared).dump_json(value, **options))
        else:
            continue  # a dataclass is written as an object of its fields
        got = outcome(lambda value=value: encoder.encode(value))
        if expected[0] == "value":
            assert got == expected
        elif got[0] == "value":  # the core knows more types: a deque, for one
            assert "Unable to serialize unknown type" in expected[1]


@MORE
@given(SEEDS)
def test_jsonable_of_random_models_gives_what_fastapi_does(seed: int) -> None:
    encoders = pytest.importorskip("fastapi.encoders", reason="FastAPI is not installed")
    from starlette.responses import JSONResponse

    from ssrjson_web._models.jsonable import JsonableEncoder

    try:
        _, make = random_models.made(seed)
    except Exception as error:  # a value that pydantic refuses
        assume(error is None)
    r = random.Random(seed)
    for _ in range(4):
        value = [make(r), {"é": make(r)}]
        expected = outcome(lambda value=value: JSONResponse(encoders.jsonable_encoder(value)).body)
        if not is_unclear(expected):
            got = outcome(lambda value=value: JsonableEncoder().encode(value))
            assert (got[0].removeprefix("JSONEncode"), got[1]) == expected
