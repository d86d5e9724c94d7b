"""The geometry of the reports' figures."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web._cli.kit.charts import spread, ticks


@given(st.lists(st.floats(-100, 100), max_size=8), st.floats(0.1, 20))
def test_spread_keeps_the_gap_and_the_order(positions: list[float], gap: float) -> None:
    moved = spread(positions, gap=gap)
    order = sorted(range(len(positions)), key=lambda index: positions[index])
    for low, high in itertools.pairwise(order):
        assert moved[high] - moved[low] >= gap * (1 - 1e-9) - 1e-9


def test_spread_leaves_distant_positions_where_they_are() -> None:
    assert spread([5.0, 0.0, 10.0], gap=2) == [5.0, 0.0, 10.0]


def test_spread_centres_equal_positions_on_themselves() -> None:
    assert spread([3.0, 3.0, 3.0], gap=2) == [1.0, 3.0, 5.0]


@pytest.mark.parametrize("top", [0.07, 0.9, 1.0, 4.5, 27.0, 30.0, 31.0, 180.0, 9999.0])
def test_ticks_are_few_round_and_within(top: float) -> None:
    values = ticks(top)
    assert values[0] == 0
    assert values[-1] <= top * 1.001
    assert 3 <= len(values) <= 8
    leading = f"{values[1]:e}"[:3]
    assert leading in ("1.0", "2.0", "5.0")
