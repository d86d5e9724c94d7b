"""datetime="epoch" and "epoch-ms": datetimes as numbers, for each zone and for local time."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import Any

import pytest
from helpers.all_outputs import assert_encoded_as
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

UTC = timezone.utc
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
offsets = st.timedeltas(timedelta(hours=-23, minutes=-59), timedelta(hours=23, minutes=59))


@pytest.fixture
def in_paris(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if not hasattr(time, "tzset"):
        pytest.skip("this system has no tzset")
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def microseconds_of(moment: datetime) -> int:
    return (moment.astimezone(UTC) - EPOCH) // timedelta(microseconds=1)


def seconds_text(microseconds: int) -> str:
    digits = f"{abs(microseconds) // 10**6}.{abs(microseconds) % 10**6:06}".rstrip("0").rstrip(".")
    return f"-{digits}" if microseconds < 0 else digits


@given(
    st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29)),
    st.none() | st.builds(timezone, offsets),
)
def test_any_datetime_has_its_number(naive: datetime, zone: tzinfo | None) -> None:
    moment = naive.replace(tzinfo=zone)
    microseconds = microseconds_of(moment.replace(tzinfo=zone or UTC))
    options: dict[str, Any] = {} if zone else {"naive": "utc"}
    assert _core.dumps(moment, datetime="epoch", **options) == seconds_text(microseconds)
    assert _core.dumps(moment, datetime="epoch-ms", **options) == str(microseconds // 1000)


def test_digits_after_the_point_are_those_that_are_not_zero() -> None:
    texts = {0: "0", 1: "0.000001", 500_000: "0.5", 120: "0.00012", -1: "-0.000001", -1_500_000: "-1.5", 10**7: "10"}
    for microseconds, text in texts.items():
        moment = EPOCH + timedelta(microseconds=microseconds)
        assert _core.dumps(moment, datetime="epoch") == text
    for microseconds, milliseconds in {999: 0, 1000: 1, -1: -1, -1000: -1, -1001: -2}.items():
        moment = EPOCH + timedelta(microseconds=microseconds)
        assert _core.dumps(moment, datetime="epoch-ms") == str(milliseconds)


def test_values_keys_and_every_output() -> None:
    moment = datetime(2026, 11, 23, 12, 30, 15, 250_000, tzinfo=timezone(timedelta(hours=1)))
    assert_encoded_as([1795433415.25, {"1795433415.25": None}], [moment, {moment: None}], datetime="epoch")
    assert_encoded_as([1795433415250, {"1795433415250": None}], [moment, {moment: None}], datetime="epoch-ms")


@pytest.mark.usefixtures("in_paris")
def test_naive_datetimes_are_local_time() -> None:
    days = ((1, 1), (7, 1), (3, 29), (10, 25))  # in winter and summer, when clocks skip an hour, and repeat one
    hours = [datetime(2026, month, day, 2, 30, fold=fold) for month, day in days for fold in (0, 1)]
    assert [json.loads(_core.dumps(hour, datetime="epoch")) for hour in hours] == [hour.timestamp() for hour in hours]
    assert len({hour.timestamp() for hour in hours}) == 6
    far = datetime(9000, 7, 1, 2, 30, 15, 123_457)
    assert _core.dumps(far, datetime="epoch") == f"{int(far.replace(microsecond=0).timestamp())}.123457"
    assert _core.dumps(hours[0], datetime="epoch", naive="utc") == str(int(hours[0].replace(tzinfo=UTC).timestamp()))


def test_subclasses_are_read_by_their_parts() -> None:
    class Later(datetime):
        @property
        def year(self) -> int:
            return super().year + 1

    class Plain(datetime):
        pass

    assert _core.dumps(Plain(1970, 1, 2, tzinfo=UTC), datetime="epoch") == "86400"
    assert _core.dumps(Later(1970, 1, 1, tzinfo=UTC), datetime="epoch") == str(365 * 86400)


def test_dates_and_times_have_formats_of_their_own() -> None:
    assert _core.dumps([date(2026, 1, 2), EPOCH], datetime="epoch", date="iso") == '["2026-01-02",0]'
    with pytest.raises(TypeError, match="date is not JSON serializable"):
        _core.dumps(date(2026, 1, 2), datetime="epoch")


def test_zone_without_an_offset_is_for_the_hook() -> None:
    class Nowhere(tzinfo):
        def utcoffset(self, moment: datetime | None) -> None:
            return None

    moment = datetime(2026, 1, 1, tzinfo=Nowhere())
    with pytest.raises(ValueError, match="gives no offset"):
        _core.dumps(moment, datetime="epoch")
    assert _core.dumps(moment, datetime="epoch", default=lambda _: "asked") == '"asked"'


def test_zone_that_raises_is_passed_on() -> None:
    class Broken(tzinfo):
        def utcoffset(self, moment: datetime | None) -> timedelta:
            raise OSError("broken")

    with pytest.raises(OSError, match="broken"):
        _core.dumps([datetime(2026, 1, 1, tzinfo=Broken())], datetime="epoch-ms")


def test_timestamp_of_a_subclass_is_checked() -> None:
    class Odd(datetime):
        def timestamp(self) -> Any:
            return answers.pop()

    answers: list[Any] = ["a", math.nan, 1e300]
    for error in (ValueError, ValueError, TypeError):
        with pytest.raises(error):
            _core.dumps(Odd(2026, 1, 1), datetime="epoch")


def test_options_for_texts_have_no_effect() -> None:
    for options in ({"timespec": "seconds"}, {"utc": "Z"}):
        with pytest.raises(TypeError, match="has no effect"):
            _core.dumps(EPOCH, datetime="epoch", **options)
