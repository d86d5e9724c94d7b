"""datetime, date and time as ISO 8601 text: datetime's own isoformat is the oracle."""

from __future__ import annotations

import itertools
import json
import sys
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any

import pytest
from helpers.all_outputs import assert_encoded_as, assert_refused
from helpers.call_outcome import outcome
from helpers.processes import run_python
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

UTC = timezone.utc
OFFSETS = [
    timezone(timedelta(seconds=seconds, microseconds=microseconds))
    for seconds in (0, 1, -1, 59, 60, -60, 3600, -12600, 45296, 86399, -86399)
    for microseconds in (0, 1, -1, 500_000)
    if -86400 < seconds + microseconds / 1e6 < 86400
]
DATETIMES = [
    datetime(1, 1, 1),
    datetime(9999, 12, 31, 23, 59, 59, 999999),
    datetime(2026, 11, 21, 9, 8, 7),
    datetime(2026, 11, 21, 9, 8, 7, 6),
    datetime(2026, 11, 21, 9, 8, 7, 120_000, fold=1),
    datetime(1000, 2, 3, 0, 0, 0, 999, tzinfo=UTC),
    datetime(1000, 2, 3, 0, 0, 0, 1000, tzinfo=UTC),
    *(datetime(2024, 2, 29, 12, 30, 0, 5, tzinfo=offset) for offset in OFFSETS),
]
PRECISIONS = ("auto", "seconds", "milliseconds", "microseconds")


class Zone(tzinfo):
    """A time zone whose offset is whatever it was given."""

    def __init__(self, offset: Any) -> None:
        self.offset = offset

    def utcoffset(self, moment: datetime | None) -> Any:
        if isinstance(self.offset, BaseException):
            raise self.offset
        return self.offset


class OwnDatetime(datetime):
    def utcoffset(self) -> Any:
        return timedelta(days=999_999_999)

    def __str__(self, *args: Any) -> str:
        raise AssertionError("not asked for")


def test_datetime_is_written_as_isoformat_in_every_output() -> None:
    for moment in DATETIMES[:8]:
        assert_encoded_as(moment.isoformat(), moment, datetime="iso")
        assert_encoded_as(moment.isoformat(), moment, natives=True)


def test_datetime_with_each_offset_and_precision_equals_isoformat() -> None:
    for moment in DATETIMES:
        assert _core.dumps(moment, datetime="iso") == f'"{moment.isoformat()}"'
        for precision in PRECISIONS:
            expected = f'"{moment.isoformat(timespec=precision)}"'
            assert _core.dumps(moment, datetime="iso", timespec=precision) == expected  # type: ignore[arg-type]


def expected_text(moment: Any, timespec: str, utc: str, naive: str | None, is_rfc3339: bool) -> str:
    """isoformat() and what the options make of its digits and its offset."""
    auto = "milliseconds" if moment.microsecond else "seconds"
    text: str = moment.replace(tzinfo=None).isoformat(timespec=auto if timespec == "auto-milliseconds" else timespec)
    offset = moment.utcoffset()
    if offset is None and naive == "utc" and isinstance(moment, datetime):
        offset = timedelta(0)
    if offset is None:
        return text
    if is_rfc3339:
        half = timedelta(microseconds=-500_000 if offset < timedelta(0) else 500_000)
        seconds = int((offset + half) / timedelta(seconds=1))  # towards zero
        if seconds or utc != "Z":
            minutes = abs(seconds) // 60
            return f"{text}{'-' if seconds < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"
        return text + "Z"
    if not offset and utc == "Z":
        return text + "Z"
    return text + datetime(2000, 1, 1, tzinfo=timezone(offset)).isoformat()[19:]


def test_ends_of_the_calendar_with_each_offset_and_option_equal_isoformat() -> None:
    day = timedelta(hours=23, minutes=59, seconds=59, microseconds=999_999)
    offsets = [None, *(sign * size for sign in (1, -1) for size in (timedelta(0), timedelta(microseconds=1), day))]
    offsets += [timedelta(hours=5, minutes=30), timedelta(minutes=-30), timedelta(seconds=-1), timedelta(seconds=59.6)]
    ends = [datetime.min, datetime.max, datetime(1, 12, 31, 23, 59, 59), datetime(9999, 1, 1, 0, 0, 0, 1, fold=1)]
    for end in ends:
        for offset in offsets:
            moment = end.replace(tzinfo=None if offset is None else timezone(offset))
            for options in itertools.product((*PRECISIONS, "auto-milliseconds"), ("+00:00", "Z"), (None, "utc")):
                named: Any = dict(zip(("timespec", "utc", "naive"), options, strict=True))
                for choice in ("iso", "rfc3339"):
                    expected = expected_text(moment, *options, choice == "rfc3339")
                    assert _core.dumps([moment], datetime=choice, **named) == f'["{expected}"]'
                    clock = expected_text(moment.timetz(), *options, choice == "rfc3339")
                    named_time = named | {"datetime": choice, "time": "iso"}
                    assert _core.dumps({moment.timetz(): 1}, **named_time) == f'{{"{clock}":1}}'
    for end in (date.min, date.max):
        assert _core.dumps([{end: end}], date="iso") == f'[{{"{end}":"{end}"}}]'


def test_auto_milliseconds_cuts_to_three_digits_where_there_are_any() -> None:
    for microsecond, fraction in ((0, ""), (1, ".000"), (999, ".000"), (1999, ".001"), (999_999, ".999")):
        moment = datetime(2026, 1, 2, 3, 4, 5, microsecond)
        assert _core.dumps(moment, datetime="iso", timespec="auto-milliseconds") == f'"2026-01-02T03:04:05{fraction}"'
        text = _core.dumps(moment.time(), time="iso", timespec="auto-milliseconds")
        assert text == f'"03:04:05{fraction}"'


@given(st.datetimes(timezones=st.none() | st.sampled_from(OFFSETS)), st.sampled_from(PRECISIONS))
def test_any_datetime_equals_isoformat(moment: datetime, precision: Any) -> None:
    expected = f'"{moment.isoformat(timespec=precision)}"'
    assert _core.dumps(moment, datetime="iso", timespec=precision) == expected
    assert _core.dumps_to_bytes(moment, datetime="iso", timespec=precision) == expected.encode()


@given(st.dates())
def test_any_date_equals_isoformat(day: date) -> None:
    assert _core.dumps(day, date="iso") == f'"{day.isoformat()}"'


@given(st.times(timezones=st.none() | st.sampled_from(OFFSETS)), st.sampled_from(PRECISIONS))
def test_any_time_equals_isoformat(moment: time, precision: Any) -> None:
    assert _core.dumps(moment, time="iso", timespec=precision) == f'"{moment.isoformat(timespec=precision)}"'


def test_date_and_time_are_written_as_isoformat_in_every_output() -> None:
    assert_encoded_as("0001-01-01", date(1, 1, 1), date="iso")
    assert_encoded_as("09:08:07.000006+03:30", time(9, 8, 7, 6, timezone(timedelta(hours=3.5))), time="iso")


def test_zero_offset_is_z_where_asked_and_no_other_offset() -> None:
    for zone, ending in ((UTC, "Z"), (Zone(timedelta(0)), "Z"), (timezone(timedelta(0)), "Z"), (None, "")):
        moment = datetime(2026, 1, 2, tzinfo=zone)
        assert _core.dumps(moment, datetime="iso", utc="Z") == f'"2026-01-02T00:00:00{ending}"'
        assert _core.dumps(moment.timetz(), time="iso", utc="Z") == f'"00:00:00{ending}"'
    moment = datetime(2026, 1, 2, tzinfo=timezone(timedelta(microseconds=1)))
    assert _core.dumps(moment, datetime="iso", utc="Z") == f'"{moment.isoformat()}"'


def test_naive_datetime_is_in_utc_where_asked() -> None:
    for zone in (None, Zone(None)):
        moment = datetime(2026, 1, 2, tzinfo=zone)
        assert _core.dumps(moment, datetime="iso") == '"2026-01-02T00:00:00"'
        assert _core.dumps(moment, datetime="iso", naive="utc") == '"2026-01-02T00:00:00+00:00"'
        assert _core.dumps(moment, datetime="iso", naive="utc", utc="Z") == '"2026-01-02T00:00:00Z"'
    aware = datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=-5)))
    assert _core.dumps(aware, datetime="iso", naive="utc") == f'"{aware.isoformat()}"'
    assert _core.dumps(time(1), datetime="iso", time="iso", naive="utc") == '"01:00:00"'


def test_zone_is_asked_as_isoformat_asks_it() -> None:
    offsets: list[Any] = [None, timedelta(hours=1), timedelta(1), timedelta(-1), 5, "x", KeyError("zone"), ValueError()]
    for offset in [*offsets, timedelta(microseconds=-1), timedelta(hours=24, microseconds=-1)]:
        for moment in (datetime(2026, 1, 2, tzinfo=Zone(offset)), OwnDatetime(2026, 1, 2, tzinfo=Zone(offset))):
            expected = outcome(lambda m=moment: f'"{datetime.isoformat(m)}"')
            assert outcome(_core.dumps, moment, datetime="iso") == expected
            assert outcome(_core.dumps, moment.timetz(), time="iso") == outcome(
                lambda m=moment: f'"{m.timetz().isoformat()}"'
            )


def test_subclass_is_written_as_its_base() -> None:
    class Day(date):
        pass

    class Hour(time):
        pass

    assert _core.dumps([OwnDatetime(2026, 1, 2), Day(2026, 1, 2), Hour(3)], natives=True) == (
        '["2026-01-02T00:00:00","2026-01-02","03:00:00"]'
    )


def test_datetime_is_not_cut_to_a_date_where_only_dates_are_on() -> None:
    for moment in (datetime(2026, 1, 2, 3), OwnDatetime(2026, 1, 2, 3)):
        assert_refused(moment, date="iso")
        assert _core.dumps(moment, date="iso", default=lambda _: "hook") == '"hook"'


def test_type_whose_option_is_off_is_left_to_the_hook() -> None:
    for value in (datetime(2026, 1, 2), date(2026, 1, 2), time(3), timedelta(4)):
        assert_refused(value)
        assert_refused(value, natives=True, datetime=None, date=None, time=None, timedelta=None)
        assert _core.dumps([value], default=str) == f'["{value}"]'


def test_zoneinfo_equals_isoformat() -> None:
    zoneinfo = pytest.importorskip("zoneinfo")
    try:
        zone = zoneinfo.ZoneInfo("Europe/Berlin")
    except zoneinfo.ZoneInfoNotFoundError:
        pytest.skip("no time zone database here")
    for month in range(1, 13):
        moment = datetime(2026, month, 29 if month != 2 else 28, 2, 30, tzinfo=zone)
        assert _core.dumps([moment], datetime="iso") == f'["{moment.isoformat()}"]'


@pytest.mark.parametrize("name", ["datetime", "date", "time", "timedelta"])
def test_datetime_module_under_a_clock_for_tests_is_known_all_the_same(name: str, isa: str, tmp_path: Path) -> None:
    snippet = f"""
        import datetime
        real = datetime.{name}
        datetime.{name} = type("Fake", (real,), {{}})
        from ssrjson_web import dumps
        moment = dict(datetime=(2026, 1, 2, 3), date=(2026, 1, 2), time=(3,), timedelta=(4,))[{name!r}]
        fake = dumps(datetime.{name}(*moment), natives=True)
        datetime.{name} = real
        print(fake, dumps(real(*moment), natives=True))
    """
    expected = {"datetime": "2026-01-02T03:00:00", "date": "2026-01-02", "time": "03:00:00", "timedelta": "P4D"}
    done = run_python(snippet, tmp_path, SSRJSON_ISA=isa)
    assert done.stdout.split() == [f'"{expected[name]}"'] * 2, done


def test_datetime_in_python_is_written_as_the_one_in_c(isa: str, tmp_path: Path) -> None:
    snippet = """
        import sys
        sys.modules["_datetime"] = None  # as where the C code cannot be had
        from datetime import date, datetime, time, timedelta, timezone
        from ssrjson_web import dumps

        offsets = [None, timezone.utc, timezone(timedelta(hours=-3, minutes=-30)), timezone(timedelta(microseconds=-1))]
        moments = [datetime(2026, 1, 2, 3, 4, 5, n, zone) for n in (0, 1, 120_000) for zone in offsets]
        moments += [datetime.min, datetime.max] + [moment.timetz() for moment in moments]
        for moment in moments + [date(2026, 1, 2)]:
            assert dumps(moment, natives=True) == f'"{moment.isoformat()}"', moment
        for moment in moments:
            for spec in "seconds", "milliseconds", "microseconds":
                assert dumps(moment, natives=True, timespec=spec) == f'"{moment.isoformat(timespec=spec)}"', moment
        for moment in moments[:2]:
            assert dumps(moment, natives=True, utc="Z", naive="utc") == '"2026-01-02T03:04:05Z"'
        assert dumps([timedelta(-1, 1, 1), timedelta.min], natives=True) == '["-PT23H59M58.999999S","-P999999999D"]'
        assert dumps({timedelta(1): timedelta(1)}, timedelta="seconds") == '{"86400.0":86400.0}'

        class Odd(date):
            month = 12
            day = property(lambda self: answer)

        for answer, error in (10**30, OverflowError), ("x", TypeError), (32, ValueError):
            try:
                dumps([Odd(2026, 1, 2)], date="http")
            except error:
                pass
            else:
                raise AssertionError(answer)
        print(datetime.__module__, "done")
    """
    done = run_python(snippet, tmp_path, SSRJSON_ISA=isa)
    assert done.stdout.split()[1:] == ["done"], done


def test_references_are_given_back() -> None:
    zone = Zone(timedelta(hours=1))
    moment = datetime(2026, 1, 2, tzinfo=zone)
    before = [sys.getrefcount(thing) for thing in (zone, moment, zone.offset, UTC)]
    for _ in range(100):
        _core.dumps([moment, {"k": moment}, {moment: 1}], natives=True)
    assert [sys.getrefcount(thing) for thing in (zone, moment, zone.offset, UTC)] == before


def test_zones_that_run_no_python_code_equal_isoformat() -> None:
    pydantic_core = pytest.importorskip("pydantic_core", reason="pydantic is not installed")
    zoneinfo = pytest.importorskip("zoneinfo")
    zones = [timezone(timedelta(hours=3, minutes=30)), pydantic_core.TzInfo(-5400), pydantic_core.TzInfo(0)]
    if zoneinfo.available_timezones():
        zones += [zoneinfo.ZoneInfo("Europe/Paris"), zoneinfo.ZoneInfo("UTC")]
    for zone in zones:
        moments = [datetime(1900, 1, 1, tzinfo=zone), datetime(2026, 7, 1, 2, 3, 4, 5, tzinfo=zone)]
        expected = [moment.isoformat() for moment in [*moments, *(moment.timetz() for moment in moments)]]
        value = [*moments, *(moment.timetz() for moment in moments)]
        assert json.loads(_core.dumps(value, natives=True)) == expected


def test_zone_derived_from_one_that_runs_no_python_code_is_asked_itself() -> None:
    zoneinfo = pytest.importorskip("zoneinfo")
    if not zoneinfo.available_timezones():
        pytest.skip("no time zone database here")

    class Shifted(zoneinfo.ZoneInfo):  # type: ignore[name-defined, misc]
        def utcoffset(self, moment: Any) -> timedelta:
            return timedelta(hours=1)

    shifted = datetime(2026, 1, 2, tzinfo=Shifted("UTC"))
    assert _core.dumps(shifted, natives=True) == '"2026-01-02T00:00:00+01:00"' == f'"{shifted.isoformat()}"'
