"""datetime and date in the format of HTTP's headers: email.utils.format_datetime is the oracle."""

from __future__ import annotations

import sys
from datetime import date, datetime, timedelta, timezone, tzinfo
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from helpers.all_outputs import assert_encoded_as, assert_refused
from helpers.processes import run_python
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

UTC = timezone.utc
OFFSETS = [
    timezone(timedelta(seconds=seconds, microseconds=microseconds))
    for seconds in (0, 1, -1, 3600, -12600, 45296, 86399, -86399)
    for microseconds in (0, 1, -1)
    if -86400 < seconds + microseconds / 1e6 < 86400
]


class Zone(tzinfo):
    """A time zone whose offset is whatever it was given."""

    def __init__(self, offset: Any) -> None:
        self.offset = offset

    def utcoffset(self, moment: datetime | None) -> Any:
        return self.offset


def expected_of(moment: datetime) -> str:
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return format_datetime(moment, usegmt=True)


@given(st.datetimes(timezones=st.none() | st.sampled_from(OFFSETS)))
def test_any_datetime_equals_what_email_writes(moment: datetime) -> None:
    try:
        expected = expected_of(moment)
    except OverflowError:
        assert _core.dumps(moment, datetime="http", default=lambda _: "hook") == '"hook"'
    else:
        assert _core.dumps(moment, datetime="http") == f'"{expected}"'


def test_every_day_of_two_leap_cycles_and_their_ends_has_its_name() -> None:
    days = [date(1, 1, 1) + timedelta(days) for days in (*range(800), *range(3_650_000, 3_652_059))]
    days += [date(year, month, 1) for year in range(1890, 2110) for month in range(1, 13)]
    for day in days:
        expected = format_datetime(datetime(day.year, day.month, day.day, tzinfo=UTC), usegmt=True)
        assert _core.dumps(day, date="http") == f'"{expected}"'


def test_offset_moves_over_the_end_of_every_month() -> None:
    for year in (1900, 2000, 2023, 2024):
        for month in range(1, 13):
            first = datetime(year, month, 1, 0, 0, 0)
            for zone in OFFSETS:
                for moment in (first.replace(tzinfo=zone), (first - timedelta(microseconds=1)).replace(tzinfo=zone)):
                    assert _core.dumps(moment, datetime="http") == f'"{expected_of(moment)}"'


def test_http_date_is_written_in_every_output() -> None:
    assert_encoded_as("Sat, 21 Nov 2026 12:34:56 GMT", datetime(2026, 11, 21, 12, 34, 56, 789), datetime="http")
    assert_encoded_as("Sat, 21 Nov 2026 00:00:00 GMT", date(2026, 11, 21), date="http")


def test_precision_and_zone_options_leave_http_dates_as_they_are() -> None:
    moment = datetime(2026, 11, 21, 12, 34, 56, 789, tzinfo=timezone(timedelta(hours=1)))
    text = _core.dumps(moment, natives=True, datetime="http", timespec="microseconds", utc="Z", naive="utc")
    assert text == '"Sat, 21 Nov 2026 11:34:56 GMT"'


def test_datetime_that_http_cannot_say_is_left_to_the_hook() -> None:
    beyond = [
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))),
        datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone(timedelta(hours=-1))),
        datetime(2026, 1, 2, tzinfo=Zone(None)),
    ]
    for moment in beyond:
        assert _core.dumps([moment], datetime="http", default=lambda _: "hook") == '["hook"]'
        assert_refused(moment, ValueError, datetime="http")
        message = "gives no offset" if moment.year == 2026 else "moved to UTC.*is outside of the years 1 to 9999"
        with pytest.raises(ValueError, match=message):
            _core.dumps({moment: 1}, datetime="http", default=lambda _: "hook")
        assert _core.dumps({moment: 1, "a": 2}, datetime="http", skipkeys=True) == '{"a":2}'


def test_last_moments_of_the_calendar_are_moved_as_far_as_it_goes() -> None:
    day = timedelta(hours=23, minutes=59, seconds=59, microseconds=999_999)
    ends = [datetime(1, 1, 1), datetime(1, 1, 1, 23, 59, 59, 999_999), datetime(1, 1, 2), datetime(9999, 12, 30, 23)]
    ends += [datetime(9999, 12, 31), datetime(9999, 12, 31, 0, 0, 0, 1), datetime.max]
    ends += [datetime(year, 12, 31, 23, 59, 59, 999_999) for year in (1, 4, 1900, 2000, 2023, 2024, 9998)]
    ends += [datetime(year, 1, 1) for year in (2, 5, 1900, 2000, 2024, 2025, 9999)]
    offsets = [
        sign * size for sign in (1, -1) for size in (timedelta(0), timedelta(microseconds=1), timedelta(1) / 2, day)
    ]
    n_written = 0
    for end in ends:
        for offset in offsets:
            moment = end.replace(tzinfo=timezone(offset))
            try:
                expected = expected_of(moment)
            except OverflowError:
                assert_refused(moment, ValueError, datetime="http")
            else:
                assert _core.dumps([{moment: moment}], datetime="http") == f'[{{"{expected}":"{expected}"}}]'
                n_written += 1
    assert n_written > 100


def test_zone_that_raises_is_heard() -> None:
    with pytest.raises(TypeError, match="utcoffset"):
        _core.dumps(datetime(2026, 1, 2, tzinfo=Zone(5)), datetime="http")


def test_format_is_of_its_own_type_only() -> None:
    assert_refused(date(2026, 1, 2), datetime="http")
    assert _core.dumps([datetime(2026, 1, 2), date(2026, 1, 2)], natives=True, date="http") == (
        '["2026-01-02T00:00:00","Fri, 02 Jan 2026 00:00:00 GMT"]'
    )
    with pytest.raises(ValueError, match="time must be None or 'iso', not 'http'"):
        _core.dumps(1, time="http")  # type: ignore[arg-type]


def test_references_are_given_back() -> None:
    zone = Zone(timedelta(hours=1))
    moment, beyond = datetime(2026, 1, 2, tzinfo=zone), datetime(1, 1, 1, tzinfo=zone)
    before = [sys.getrefcount(thing) for thing in (zone, moment, beyond, zone.offset, UTC)]
    for _ in range(100):
        _core.dumps([moment, {moment: 1}, beyond], datetime="http", default=lambda _: 1)
    assert [sys.getrefcount(thing) for thing in (zone, moment, beyond, zone.offset, UTC)] == before


def test_datetime_in_python_is_written_as_the_one_in_c(isa: str, tmp_path: Path) -> None:
    snippet = """
        import sys
        sys.modules["_datetime"] = None  # as where the C code cannot be had
        from datetime import date, datetime, timedelta, timezone
        from ssrjson_web import dumps

        moment = datetime(2026, 1, 2, 3, 4, 5, 6, timezone(timedelta(hours=4)))
        print(dumps([moment, date(2026, 1, 2)], datetime="http", date="http"))
    """
    done = run_python(snippet, tmp_path, SSRJSON_ISA=isa)
    assert done.stdout.strip() == '["Thu, 01 Jan 2026 23:04:05 GMT","Fri, 02 Jan 2026 00:00:00 GMT"]', done
