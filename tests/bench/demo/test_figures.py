"""The geometry of the reports' figures."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.kit import charts
from bench.kit.charts import Bar, Curve, LineChart, Mark, spread, ticks


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


def numbers_of(svg: str, element: str) -> list[dict[str, str]]:
    return [dict(re.findall(r'([\w-]+)="([^"]*)"', found)) for found in re.findall(rf"<{element} [^>]*>", svg)]


def test_rules_of_charts_cross_no_text() -> None:
    """Neither headings of groups nor the texts of marks, which may be as wide as the chart."""
    rows = [Bar(label="orjson", value=1.4, note="1.4"), Bar(label="json", value=0.7, note="0.7")]
    groups = [("A heading that is as wide as the chart itself, and wider", rows), ("Another", rows)]
    for svg in (charts.ratio_chart(groups, title="x"), charts.value_chart(groups, title="x")):
        headings = [float(text["y"]) for text in numbers_of(svg, "text") if text["class"] == "group"]
        rules = [line for line in numbers_of(svg, "line") if line["class"].startswith("rule")]
        assert len(headings) == 2
        assert len(rules) >= 4
        for line in rules:
            assert not any(float(line["y1"]) < y + 2 and y - 12 < float(line["y2"]) for y in headings)
    curve = Curve(name="a", points=[(0, 0), (2, 30)], note="a", colour="red")
    marks = [Mark(seconds=1, before="before", after="after"), Mark(seconds=1.9, before="late")]
    svg = LineChart(title="x", curves=[curve], marks=marks).as_svg()
    texts = [float(text["y"]) for text in numbers_of(svg, "text") if text["class"] == "label"]
    tops = [float(line["y1"]) for line in numbers_of(svg, "line") if line["class"] == "rule"]
    assert len(texts) >= 3
    assert max(texts[:3]) < min(tops)
