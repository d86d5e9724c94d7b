"""Random schemas and values: the bytes, models and errors of Ninja, with and without validation."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from check_models import models as random_models
from helpers.ninja_apis import Twins, responded, returning, taking, values_of
from helpers.pydantic_outcome import assert_alike
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ninja import Schema
from pydantic import BaseModel

SEEDS = st.integers(0, 2**32)
MORE = settings(max_examples=max(200, settings().max_examples))


class Row:
    """An object that a schema reads attributes of."""

    def __init__(self, attributes: dict[Any, Any]) -> None:
        self.__dict__.update({key: value for key, value in attributes.items() if isinstance(key, str)})


def as_rows(r: random.Random, value: Any) -> Any:
    """Objects in place of some dicts."""
    if isinstance(value, list):
        return [as_rows(r, item) for item in value]
    if type(value) is not dict:
        return value
    inner = {key: as_rows(r, item) for key, item in value.items()}
    return Row(inner) if r.random() < 0.4 else inner


def typed(seed: int) -> tuple[Any, Any]:
    base = Schema if random.Random(seed).random() < 0.9 else BaseModel
    try:
        return random_models.typed(seed, base)
    except Exception as error:  # a value that pydantic refuses
        assume(error is None)
        raise


def twins(make: Any) -> Twins:
    try:
        made: Twins = make()
    except Exception as error:  # a type that Ninja refuses
        assume(error is None)
        raise
    return made


@MORE
@given(SEEDS)
def test_responses_are_ninjas(seed: int) -> None:
    declared, make = typed(seed)
    r = random.Random(seed)
    flags = ("by_alias", "exclude_unset", "exclude_defaults", "exclude_none")
    options = {name: r.random() < 0.25 for name in flags}
    operations = twins(lambda: returning(list[declared] if r.random() < 0.3 else declared, **options))  # type: ignore[valid-type]
    for _ in range(4):
        value = as_rows(r, random_models.as_dicts(r, make(r)))
        value = [value, value] if r.random() < 0.3 else value
        expected = responded(operations.stock, value)
        got = responded(operations.ours, value)
        assert str(got) == str(expected)


@MORE
@given(SEEDS)
def test_bodies_are_ninjas(seed: int) -> None:
    declared, make = typed(seed)
    r = random.Random(seed)
    operations = twins(lambda: taking(data=declared) if r.random() < 0.7 else taking(data=declared, n=int))
    for _ in range(4):
        value = random_models.as_dicts(r, make(r))
        value = value if r.random() < 0.7 else {"data": value, "n": 1}
        body = json.dumps(value, default=str, skipkeys=True).encode()
        expected, got = values_of(operations.stock, body), values_of(operations.ours, body)
        if expected[0] == "value":
            assert got[0] == "value"
            assert_alike(got[1], expected[1])
        else:
            assert str(got) == str(expected)


@pytest.mark.parametrize("kind", ["responses", "bodies"])
def test_many_random_values_bypass_pydantic(kind: str) -> None:
    n_bypassed = n = 0
    for seed in range(150):
        try:
            declared, make = random_models.typed(seed, Schema)
            operations = returning(declared) if kind == "responses" else taking(data=declared)
        except Exception:
            continue
        r = random.Random(seed)
        value = random_models.as_dicts(r, make(r))
        if kind == "responses":
            responded(operations.ours, value)
        else:
            values_of(operations.ours, json.dumps(value, default=str, skipkeys=True).encode())
        n += 1
        n_bypassed += operations.n_bypassed
    assert n_bypassed > n / 10, (n_bypassed, n)
