"""Random schemas, held against marshmallow: a sample of what `make check-marshmallow` compares."""

from __future__ import annotations

import pytest
from check_marshmallow.run import Counts, check_seed


@pytest.mark.parametrize("first", range(1, 161, 20))
def test_random_schemas_dump_and_load_as_marshmallow_does(first: int) -> None:
    counts = Counts()
    for seed in range(first, first + 20):
        check_seed(seed, 20, counts)
    assert counts.by_plan > 100
