"""type=: random types and documents, right, nearly right and wrong, against a reference in plain Python."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from helpers.typed_reference import Refused, damaged, random_spec
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")


def shown(value: Any) -> Any:
    """What two equal values have in common: their text too, by which 1, 1.0 and True differ."""
    return value, repr(value), type(value)


def expected(make: Any, value: Any) -> Any:
    try:
        return shown(make(value))
    except Refused as refused:
        return refused.reason, refused.steps


def given_by(decode: Any, document: Any) -> Any:
    try:
        return shown(decode(document))
    except _core.JSONTypeError as error:
        return error.reason, error.steps


@given(st.integers(0, 2**32))
def test_random_types_make_what_the_reference_makes(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(8):
        spec = random_spec(rng, 3)
        hint = spec.hint if spec.hint is not None else type(None)  # None is no type
        decoder = _core.Decoder(type=hint)
        for _ in range(8):
            value = spec.sample(rng)
            for _ in range(rng.randint(0, 2)):
                value = damaged(rng, value)
            text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
            wanted = expected(spec.make, value)
            assert given_by(decoder.decode, text) == wanted, (hint, text)
            assert given_by(decoder.decode, text.encode()) == wanted, (hint, text)
            before = json.dumps(value)
            from_python = given_by(_plan(hint).make, value)
            assert from_python == wanted, (hint, text)
            assert json.dumps(value) == before  # what others hold is not changed


def _plan(hint: Any) -> Any:
    from ssrjson_web._models.types import plan_of

    return plan_of(hint)
