"""Texts of datetimes in records: those of `isoformat`, and what the library decides."""

from __future__ import annotations

import datetime
import zoneinfo
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core
from ssrjson_web._models.language import Accepted, ReadField, ReadRecord, StepWay

UTC = datetime.timezone.utc
LIBRARY = object()
"""What the library gives where the core leaves a value to it."""


def text_of(value: datetime.datetime, *accepted: Accepted) -> Any:
    record = ReadRecord((ReadField("at", (), accepted, 0),), lambda cls, name: StepWay("library"), None)
    return _core._RecordReader(record).read(value, lambda number: lambda value: LIBRARY)["at"]


def in_zone(value: datetime.datetime, zone: datetime.tzinfo) -> Any:
    """The text by Python's own means: as REST framework writes it."""
    try:
        text = value.astimezone(zone).isoformat()
    except Exception:
        return LIBRARY
    return text[:-6] + "Z" if text.endswith("+00:00") else text


FIXED = st.timedeltas(timedelta(hours=-23, minutes=-59), timedelta(hours=23, minutes=59)).map(datetime.timezone)
MINUTES = st.integers(-1439, 1439).map(lambda n: datetime.timezone(timedelta(minutes=n)))
NAMED = st.sampled_from(["Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Africa/Monrovia", "UTC"]).map(
    zoneinfo.ZoneInfo
)
ZONES = st.one_of(st.just(UTC), FIXED, MINUTES, NAMED)
MOMENTS = st.datetimes(timezones=ZONES, allow_imaginary=True)


@given(MOMENTS)
def test_text_in_the_own_zone_is_that_of_isoformat(value: datetime.datetime) -> None:
    assert text_of(value, Accepted(datetime.datetime, "iso")) == value.isoformat()


@given(MOMENTS, st.one_of(st.just(UTC), MINUTES, NAMED))
def test_text_in_another_zone_is_that_of_astimezone(value: datetime.datetime, zone: datetime.tzinfo) -> None:
    found = text_of(value, Accepted(datetime.datetime, "iso_z", zone=zone))
    expected = in_zone(value, zone)
    if expected is not LIBRARY and expected[-1] != "Z" and expected[-6] not in "+-":
        expected = LIBRARY  # an offset with seconds, as in years long ago
    assert found == expected


class Zone(datetime.tzinfo):
    """A zone that behaves in some way of its own."""

    def __init__(self, give: Callable[[Any], Any]) -> None:
        self.give = give

    def utcoffset(self, moment: Any) -> Any:
        return self.give(moment)

    def dst(self, moment: Any) -> Any:
        return timedelta(0)

    def fromutc(self, moment: Any) -> Any:
        return self.give(moment)


class MoreThanDelta(timedelta):
    pass


class MoreThanDatetime(datetime.datetime):
    pass


def fail(moment: Any) -> Any:
    raise ValueError("on purpose")


@pytest.mark.parametrize(
    "give",
    [
        fail,
        lambda moment: None,
        lambda moment: 3600,
        lambda moment: timedelta(days=1),
        lambda moment: timedelta(days=-1),
        lambda moment: timedelta(days=999_999_999),
        lambda moment: timedelta(hours=1, microseconds=2**64),
        lambda moment: timedelta(hours=1, microseconds=-(2**64)),
        lambda moment: MoreThanDelta(hours=1),
    ],
)
def test_strange_offset_is_left_to_the_library(give: Callable[[Any], Any]) -> None:
    value = datetime.datetime(2026, 11, 27, 1, 2, 3, tzinfo=Zone(give))
    assert text_of(value, Accepted(datetime.datetime, "iso")) is LIBRARY
    assert text_of(value, Accepted(datetime.datetime, "iso_z", zone=value.tzinfo)) is LIBRARY
    zoned = Accepted(datetime.datetime, "iso_z", zone=Zone(give))
    assert text_of(value, zoned) is LIBRARY
    assert text_of(value.replace(tzinfo=UTC), zoned) is LIBRARY


@pytest.mark.parametrize(
    "give",
    [
        lambda moment: datetime.datetime(1, 1, 1),
        lambda moment: datetime.date(1, 1, 1),
        lambda moment: MoreThanDatetime(1, 1, 1, tzinfo=UTC),
    ],
)
def test_strange_moment_of_a_zone_is_left_to_the_library(give: Callable[[Any], Any]) -> None:
    value = datetime.datetime(2026, 11, 27, 1, 2, 3, tzinfo=UTC)
    assert text_of(value, Accepted(datetime.datetime, "iso_z", zone=Zone(give))) is LIBRARY


def test_moment_of_a_zone_has_the_offset_of_the_zone_that_it_names() -> None:
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    moved = Zone(lambda moment: moment.replace(tzinfo=berlin))
    value = datetime.datetime(2026, 7, 2, 1, 2, 3, tzinfo=UTC)
    assert text_of(value, Accepted(datetime.datetime, "iso_z", zone=moved)) == "2026-07-02T01:02:03+02:00"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_is_no_exception_passes(error: type[BaseException]) -> None:
    def interrupt(moment: Any) -> Any:
        raise error

    value = datetime.datetime(2026, 11, 27, tzinfo=Zone(interrupt))
    for accepted in (
        Accepted(datetime.datetime, "iso"),
        Accepted(datetime.datetime, "iso_z", zone=value.tzinfo),
        Accepted(datetime.datetime, "iso_z", zone=UTC),
    ):
        with pytest.raises(error):
            text_of(value, accepted)
    with pytest.raises(error):
        text_of(value.replace(tzinfo=UTC), Accepted(datetime.datetime, "iso_z", zone=Zone(interrupt)))
