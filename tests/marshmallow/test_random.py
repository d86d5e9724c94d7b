"""Random schemas, held against marshmallow: a sample of what `make check-marshmallow` compares."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import partial

import pytest
from check_marshmallow.random_fields import of_parts, scalar
from check_marshmallow.run import Counts, check_seed
from marshmallow import fields

from ssrjson_web.marshmallow._fields.describer import _DESCRIBING, _MAKING


@pytest.mark.parametrize("first", range(1, 161, 20))
def test_random_schemas_dump_and_load_as_marshmallow_does(first: int) -> None:
    counts = Counts()
    for seed in range(first, first + 20):
        check_seed(seed, 20, counts)
    assert counts.by_plan > 100


DRAWN_OTHERWISE = {"Constant", "Function", "Method", "Nested", "Pluck"}
"""By `random_schemas.py`: with schemas within, or of no attribute."""


def test_random_fields_are_of_each_class_that_ours_describe() -> None:
    drawn: set[type] = set()
    for seed in range(1000):
        for draw in (scalar, partial(of_parts, depth=3)):
            with suppress(ValueError):  # a default that the class refuses
                drawn.update(type(draw(random.Random(seed)).field).__mro__)
    described = {name.removeprefix("marshmallow.fields.").partition(".")[0] for name in (*_DESCRIBING, *_MAKING)}
    missing = {name for name in described if getattr(fields, name, None) not in {*drawn, None}}
    assert missing <= DRAWN_OTHERWISE, "no case in check_marshmallow/random_fields.py"
