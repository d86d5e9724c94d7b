"""timedelta as an ISO 8601 duration, as pydantic writes it below a year, and as seconds."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from helpers.all_outputs import assert_encoded_as
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

DURATION = re.compile(
    r"(?P<sign>-?)P(?:(?P<days>\d+)D)?(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+)(?:\.(?P<fraction>\d{1,6}))?S)?)?"
)
EXAMPLES = {
    timedelta(0): "PT0S",
    timedelta(days=1): "P1D",
    timedelta(days=-1): "-P1D",
    timedelta(seconds=-1): "-PT1S",
    timedelta(microseconds=1): "PT0.000001S",
    timedelta(microseconds=-1): "-PT0.000001S",
    timedelta(days=1, hours=2, minutes=3, seconds=4, microseconds=500_000): "P1DT2H3M4.5S",
    timedelta(hours=1, microseconds=10): "PT1H0.00001S",
    timedelta(days=-1, microseconds=1): "-PT23H59M59.999999S",
    timedelta.max: "P999999999DT23H59M59.999999S",
    timedelta.min: "-P999999999D",
}


def value_of(text: str) -> timedelta:
    """The duration that a text of ISO 8601 stands for."""
    match = DURATION.fullmatch(text)
    assert match, text
    assert not text.endswith(("P", "T")), text
    parts = {name: int(match[name] or 0) for name in ("days", "hours", "minutes", "seconds")}
    microseconds = int((match["fraction"] or "0").ljust(6, "0"))
    return timedelta(**parts, microseconds=microseconds) * (-1 if match["sign"] else 1)


def test_duration_is_written_in_every_output() -> None:
    for duration, text in EXAMPLES.items():
        assert value_of(text) == duration
        assert_encoded_as(text, duration, timedelta="iso")


def test_seconds_are_written_as_a_float() -> None:
    for duration in EXAMPLES:
        assert_encoded_as(duration.total_seconds(), duration, timedelta="seconds")


@given(st.timedeltas())
def test_any_duration_reads_back(duration: timedelta) -> None:
    text = _core.dumps(duration, timedelta="iso")
    assert value_of(text.strip('"')) == duration
    assert _core.dumps(duration, timedelta="seconds") == repr(duration.total_seconds())


@given(st.timedeltas(timedelta(days=-364), timedelta(days=364)))
def test_any_duration_below_a_year_equals_pydantic(duration: timedelta) -> None:
    pydantic = pytest.importorskip("pydantic")
    assert _core.dumps_to_bytes(duration, timedelta="iso") == pydantic.TypeAdapter(timedelta).dump_json(duration)


def test_subclass_that_says_other_seconds_is_heard() -> None:
    class Minutes(timedelta):
        def total_seconds(self) -> float:
            return "minutes"  # type: ignore[return-value]

    assert _core.dumps([Minutes(1)], timedelta="seconds") == '["minutes"]'
    assert _core.dumps([Minutes(1)], timedelta="iso") == '["P1D"]'
