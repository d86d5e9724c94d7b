"""Histogram: quantiles within 6 % of the exact ones, and sums of several."""

from __future__ import annotations

import random

import pytest

from ssrjson_web.monitor.histogram import Histogram


@pytest.mark.parametrize("spread", [(0, 20), (1, 10**4), (10**5, 10**7), (1, 10**12)])
def test_quantile_is_near_the_exact_one(spread: tuple[int, int]) -> None:
    chance = random.Random(5)
    durations = sorted(chance.randint(*spread) for _ in range(10_001))
    histogram = Histogram()
    for ns in durations:
        histogram.add(ns)
    shares = (0.01, 0.5, 0.9, 0.99, 1.0)
    for share, found in zip(shares, histogram.quantiles(*shares), strict=True):
        exact = durations[max(0, round(share * len(durations)) - 1)]
        assert found is not None
        assert abs(found - exact) <= 0.07 * exact + 1


def test_quantiles_before_anything_are_none_and_of_one_are_that() -> None:
    histogram = Histogram()
    assert histogram.quantiles(0.5, 0.99) == [None, None]
    histogram.add(0)
    assert histogram.quantiles(0.0, 0.5, 1.0) == [0, 0, 0]


def test_durations_of_hours_are_counted_in_the_last_bucket() -> None:
    histogram = Histogram()
    for ns in (2**42 - 1, 2**42, 2**60):
        histogram.add(ns)
    assert [count for _, count in histogram.counts()] == [1, 2]


def test_merge_adds_and_passes_over_buckets_that_are_not_there() -> None:
    one, two = Histogram(), Histogram()
    for ns in (5, 100, 100):
        one.add(ns)
    two.add(100)
    two.merge(one.counts())
    two.merge([(-1, 7), (10**6, 7)])
    assert sum(two.buckets) == 4
    assert two.quantiles(0.1) == [5]
