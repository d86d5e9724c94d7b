"""Classes derived from datetime's: read as their base if they inherit all, asked if they override a part."""

from __future__ import annotations

import dataclasses
import math
import re
import sys
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from typing import Any

import pytest
from helpers.all_outputs import assert_all_give, assert_encoded_as, assert_refused
from helpers.builds import IS_FREE_THREADED
from helpers.call_outcome import outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

TIMESPECS = ("auto", "seconds", "milliseconds", "microseconds", "auto-milliseconds")
TEXT = re.compile(r"(?P<head>.*?\d\d:\d\d:\d\d)(?:\.(?P<digits>\d+))?(?P<offset>[+-]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?")


def nan_of(_: object) -> float:
    return math.nan


class NotATime(datetime):
    """As pandas.NaT: a datetime of the year 1 by its memory, and NaN by each attribute."""

    year = month = day = hour = minute = second = microsecond = property(nan_of)  # type: ignore[assignment]
    days = seconds = microseconds = nanosecond = property(nan_of)

    def isoformat(self, *args: Any, **options: Any) -> str:
        return "NaT"

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return True

    __hash__ = datetime.__hash__
    __str__ = __repr__ = isoformat  # type: ignore[assignment]


class NotATimeByAttributes(datetime):
    year = property(nan_of)  # type: ignore[assignment]


class Nanoseconds(datetime):
    """As pandas.Timestamp: digits after the microseconds."""

    nanosecond = 789

    def isoformat(self, sep: str = "T", timespec: str = "auto") -> str:
        moment = self.replace(tzinfo=None)
        text = datetime.isoformat(moment, timespec="microseconds") + f"{self.nanosecond:03}"
        return text + datetime.isoformat(self)[len(datetime.isoformat(moment)) :]


class NanosecondsOfTime(time):
    def isoformat(self, timespec: str = "auto") -> str:
        text = time.isoformat(self.replace(tzinfo=None), timespec="microseconds") + "789"
        return text + time.isoformat(self)[len(time.isoformat(self.replace(tzinfo=None))) :]


class Duration(timedelta):
    """As pandas.Timedelta: nanoseconds, and days below zero from which the rest counts up."""

    nanoseconds = 0

    def isoformat(self) -> str:
        hours, rest = divmod(self.seconds, 3600)
        minutes, seconds = divmod(rest, 60)
        return f"P{self.days}DT{hours}H{minutes}M{seconds}.{self.microseconds:06}{self.nanoseconds:03}S"


def not_a_times() -> list[datetime]:
    values: list[datetime] = [NotATime(1, 1, 1), NotATimeByAttributes(1, 1, 1)]
    pandas = sys.modules.get("pandas")
    return values + ([pandas.NaT] if pandas is not None else [])


def expected_text(text: str, timespec: str, utc: str, naive: str | None, rfc3339: bool) -> str:
    """What the options make of a text of isoformat()."""
    match = TEXT.fullmatch(text)
    assert match, text
    digits = match["digits"] or ""
    if timespec == "auto-milliseconds":
        digits = (digits + "000")[:3] if digits[:6].strip("0") else ""
    elif timespec != "auto":
        n_digits = {"seconds": 0, "milliseconds": 3, "microseconds": 6}[timespec]
        digits = digits.ljust(n_digits, "0")[:n_digits]
    offset = match["offset"] or ("+00:00" if naive == "utc" else "")
    if offset:
        zone = datetime.fromisoformat(f"2000-01-01T00:00:00{offset}").utcoffset()
        assert zone is not None
        if rfc3339:
            sign = -1 if zone < timedelta(0) else 1
            seconds = int((abs(zone) + timedelta(microseconds=500_000)).total_seconds())
            zone = sign * timedelta(seconds=seconds)
            minutes = int(abs(zone).total_seconds()) // 60
            offset = f"{'-' if zone < timedelta(0) else '+'}{minutes // 60:02}:{minutes % 60:02}"
        if zone == timedelta(0) and utc == "Z":
            offset = "Z"
    return match["head"] + (f".{digits}" if digits else "") + offset


OFFSETS = [
    None,
    timezone.utc,
    *(
        timezone(timedelta(seconds=s, microseconds=us))
        for s, us in ((3600, 0), (-12600, 0), (1, 1), (86399, 999_999), (-86399, 0))
    ),
]


@given(
    st.datetimes(timezones=st.sampled_from(OFFSETS)),
    st.sampled_from(TIMESPECS),
    st.sampled_from(["+00:00", "Z"]),
    st.sampled_from([None, "utc"]),
    st.sampled_from(["iso", "rfc3339"]),
)
def test_own_isoformat_is_written_as_the_options_say(
    moment: datetime, timespec: Any, utc: Any, naive: Any, choice: Any
) -> None:
    own = Nanoseconds.fromisoformat(moment.isoformat())
    options: dict[str, Any] = {"timespec": timespec, "utc": utc, "naive": naive}
    expected = expected_text(own.isoformat(), timespec, utc, naive, choice == "rfc3339")
    assert _core.dumps(own, datetime=choice, **options) == f'"{expected}"'
    assert _core.dumps_to_bytes({own: [own]}, datetime=choice, **options) == f'{{"{expected}":["{expected}"]}}'.encode()
    clock = NanosecondsOfTime.fromisoformat(moment.timetz().isoformat())
    expected = expected_text(clock.isoformat(), timespec, utc, None, choice == "rfc3339")
    options["datetime"] = choice
    assert _core.dumps(clock, time="iso", **options) == f'"{expected}"'


def test_text_of_isoformat_is_written_in_every_output() -> None:
    moment = Nanoseconds(2026, 1, 2, 3, 4, 5, 6, timezone.utc)
    assert_encoded_as("2026-01-02T03:04:05.000006789+00:00", moment, natives=True)
    assert_encoded_as("2026-01-02T03:04:05.000006789Z", moment, natives=True, utc="Z")
    assert_encoded_as("2026-01-02T03:04:05.000Z", moment, natives=True, utc="Z", timespec="milliseconds")
    assert_encoded_as("P1DT0.000000003S", type("Nano", (Duration,), {"nanoseconds": 3})(1), natives=True)


class Spoken(datetime):
    text = ""

    def isoformat(self, *args: Any, **options: Any) -> str:
        return self.text


def spoken(text: Any) -> datetime:
    return type("Own", (Spoken,), {"text": text})(2026, 1, 2)  # type: ignore[no-any-return]


def test_text_that_is_not_laid_out_as_datetime_s_is_written_as_it_is() -> None:
    texts = [
        *("", "T", "noon", 'a "é"\n中', "2026-01-02", "2026-01-02T", "2026-01-02T03", "2026-01-02T03:04", "T03:04:05"),
        *("2026-01-02T03:04:05.", "2026-01-02T03:04:05+", "2026-01-02T03:04:05+01", "2026-01-02T03:04:05+01:0"),
        *("2026-01-02T03:04:05 ", "2026-01-02T03:04:05+01:00 x", "2026-01-02T03:04:05z", "x2026-01-02T03:04:05"),
        *("2026-01-02T03:04:05." + "1" * 19, "2026-01-02T03:04:0555", "2026-01-02 03:04:05.5", "2" * 100),
        "1" * 50 + "-01-02T03:04:05",
    ]
    for text in texts:
        assert_all_give(("value", repr(_core.dumps([text]))), [spoken(text)], natives=True, utc="Z", timespec="seconds")


def test_text_of_any_year_keeps_its_date_and_its_own_z() -> None:
    for text, expected in (
        ("12020-01-02T03:04:05.123456789", "12020-01-02T03:04:05.123+00:00"),
        ("-0005-01-02T03:04:05", "-0005-01-02T03:04:05.000+00:00"),
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"),
        ("2026-01-02T03:04:05.123456789012345678-23:59:59.999999", "2026-01-02T03:04:05.123-23:59:59.999999"),
        ("1" * 49 + "-01-02T03:04:05", "1" * 49 + "-01-02T03:04:05.000+00:00"),
    ):
        assert _core.dumps(spoken(text), natives=True, naive="utc", timespec="milliseconds") == f'"{expected}"'


def test_isoformat_that_raises_or_gives_no_str_raises() -> None:
    def fail(self: Any) -> Any:
        raise KeyError("own")

    failing = type("Own", (datetime,), {"isoformat": fail})(2026, 1, 2)
    for value in (failing, [failing], {failing: 1}):
        assert outcome(_core.dumps, value, natives=True) == ("KeyError", "'own'")
    for text in (None, 5, b"x"):
        assert_refused(spoken(text), TypeError, natives=True)
        assert outcome(_core.dumps, {spoken(text): 1}, natives=True)[0] == "TypeError"


def test_object_that_is_not_a_time_is_null_where_numpy_is_on() -> None:
    for value in not_a_times():
        for options in ({"natives": True}, {"numpy": True}, {"models": True, "numpy": True}):
            assert_encoded_as(None, value, **options)
            assert_all_give(("value", repr('{"null":1}')), {value: 1}, **options)


def test_object_that_is_not_a_time_goes_to_the_hook_elsewhere() -> None:
    everywhere: list[dict[str, Any]] = [
        {"natives": True, "numpy": False},
        {"models": True},
        {"datetime": "iso"},
        {"datetime": "http"},
        {"datetime": "rfc3339", "date": "iso"},
        {"date": "iso"},
        {},
    ]
    for value in not_a_times():
        for options in everywhere:
            assert_refused(value, **options)
            assert _core.dumps([value], default=lambda _: "hook", **options) == '["hook"]'
            assert outcome(_core.dumps, {value: 1}, **options)[0] == "TypeError"
            assert _core.dumps({value: 1, "a": 2}, skipkeys=True, **options) == '{"a":2}'


def test_object_that_is_not_a_time_in_fields_of_models() -> None:
    @dataclasses.dataclass
    class Row:
        when: datetime

    for value in not_a_times():
        assert _core.dumps(Row(value), natives=True) == '{"when":null}'
        assert _core.dumps(Row(value), models=True, numpy=True) == '{"when":null}'
        assert _core.dumps(Row(value), models=True, default=lambda _: "hook") == '{"when":"hook"}'
        assert outcome(_core.dumps, Row(value), models=True)[0] == "TypeError"


def test_object_that_is_not_a_time_in_fields_of_model_libraries() -> None:
    makers: list[Callable[[Any], Any]] = []
    try:
        import attrs

        makers.append(attrs.make_class("Attrs", {"when": attrs.field(type=datetime)}))
    except ImportError:
        pass
    try:
        import msgspec

        makers.append(msgspec.defstruct("Struct", [("when", datetime)]))
    except ImportError:
        pass
    try:
        import pydantic

        makers.append(lambda value: pydantic.create_model("Any", when=(Any, ...))(when=value))
        makers.append(lambda value: pydantic.create_model("Moment", when=(datetime, ...)).model_construct(when=value))
    except ImportError:
        pass
    if not makers:
        pytest.skip("no model library is installed")
    for make in makers:
        for value in not_a_times():
            for options in (
                {"models": True},
                {"models": True, "natives": True},
                {"models": "pydantic", "natives": True},
            ):
                got = outcome(_core.dumps, make(value), **options)
                assert got[0] == "TypeError" or got == ("value", repr('{"when":null}')), (got, options)


def test_attributes_alone_change_no_text_of_isoformat() -> None:
    class Own(datetime):
        year = property(lambda self: 1999)  # type: ignore[assignment]
        tzinfo = None  # type: ignore[assignment]

        def utcoffset(self) -> Any:
            return timedelta(hours=5)

    moment = Own(2026, 1, 2)
    assert moment.isoformat() == "2026-01-02T00:00:00"
    assert _core.dumps(moment, natives=True) == '"2026-01-02T00:00:00"'
    assert _core.dumps(moment, datetime="http") == '"Sat, 02 Jan 1999 00:00:00 GMT"'


def test_pydantic_formats_read_the_attributes_as_pydantic_does() -> None:
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")

    class Own(Nanoseconds):
        year = property(lambda self: 1999)  # type: ignore[assignment]
        microsecond = property(lambda self: 7)  # type: ignore[assignment]

    class Day(date):
        month = property(lambda self: 12)  # type: ignore[assignment]

    class Clock(time):
        hour = property(lambda self: 9)  # type: ignore[assignment]

    model = pydantic.create_model("Row", values=(Any, ...))
    row = model(
        values=[Own(2026, 1, 2), Day(2026, 1, 2), Clock(3), Nanoseconds(2026, 1, 2, 3, 4, 5, 6), Duration(-1, 5)]
    )
    assert _core.dumps(row, models=True) == row.model_dump_json()


def test_part_that_is_out_of_range_raises_where_it_is_asked() -> None:
    class Odd(date):
        answer: Any = None
        day = property(lambda self: self.answer)  # type: ignore[assignment]

    for Odd.answer, error in ((10**30, OverflowError), ("x", TypeError), (32, ValueError), (0, ValueError)):
        assert_refused(Odd(2026, 1, 2), error, date="http")
        assert_refused(Odd(2026, 1, 2), error, models=True)
        assert _core.dumps(Odd(2026, 1, 2), date="iso") == '"2026-01-02"'


@given(st.timedeltas(), st.integers(0, 999))
def test_duration_with_an_isoformat_of_its_own_keeps_its_nanoseconds(plain: timedelta, nanoseconds: int) -> None:
    own = Duration(plain.days, plain.seconds, plain.microseconds)
    own.nanoseconds = nanoseconds
    total = (plain // timedelta(microseconds=1)) * 1000 + nanoseconds
    seconds, rest = divmod(abs(total), 10**9)
    days, in_day = divmod(seconds, 86400)
    digits = f".{rest:09}".rstrip("0") if rest else ""
    parts = [(in_day // 3600, "", "H"), (in_day // 60 % 60, "", "M"), (in_day % 60, digits, "S")]
    clock = "".join(f"{n}{more}{letter}" for n, more, letter in parts if n or more)
    text = ("-" if total < 0 else "") + "P" + (f"{days}D" if days else "") + (f"T{clock}" if clock else "")
    assert _core.dumps(own, timedelta="iso") == f'"{text + ("T0S" if total == 0 else "")}"'
    assert _core.dumps(own, timedelta="seconds") == repr(own.total_seconds())


def test_duration_in_a_text_of_another_layout_is_written_as_it_is() -> None:
    for text in ("P1M", "P", "PT", "P1DT", "P1Y2M", "PT1D", "1D", "P1.5D", "two days", "P1DT1.5.5S", "P1DT.S", "PT1S "):
        own = type("Own", (timedelta,), {"isoformat": lambda self, text=text: text})(1)
        assert _core.dumps([{own: own}], timedelta="iso") == f'[{{"{text}":"{text}"}}]'
    own = type("Own", (timedelta,), {"isoformat": lambda self: "P1" + "0" * 30 + "D"})(1)
    assert _core.dumps(own, timedelta="iso") == f'"P1{"0" * 30}D"'


def test_subclass_that_inherits_everything_is_read_in_place() -> None:
    class Moment(datetime):
        def __str__(self) -> str:
            raise AssertionError("not asked for")

        strftime = ctime = __format__ = __repr__ = __str__  # type: ignore[assignment]

    class Day(date):
        __str__ = Moment.__str__  # type: ignore[assignment]

    class Clock(time):
        __str__ = Moment.__str__  # type: ignore[assignment]

    class Span(timedelta):
        seconds = property(lambda self: 5)  # type: ignore[assignment]

    values = [Moment(2026, 1, 2, 3), Day(2026, 1, 2), Clock(3), Span(4, 7)]
    expected = '["2026-01-02T03:00:00","2026-01-02","03:00:00","P4DT7S"]'
    assert _core.dumps(values, natives=True) == expected
    assert _core.dumps([*values[:3], Span(4)], models=True) == expected.replace("T7S", "")


def test_day_with_an_isoformat_of_its_own_is_written_as_that() -> None:
    class Week(date):
        def isoformat(self) -> str:
            return "{}-W{:02}-{}".format(*self.isocalendar())

    assert_encoded_as("2026-W01-5", Week(2026, 1, 2), natives=True)
    assert_encoded_as({"2026-W01-5": "Fri, 02 Jan 2026 00:00:00 GMT"}, {"2026-W01-5": Week(2026, 1, 2)}, date="http")
    assert _core.dumps({Week(2026, 1, 2): 1}, natives=True) == '{"2026-W01-5":1}'


def test_own_isoformat_may_change_what_is_being_written() -> None:
    values: list[Any] = []

    class Breaking(datetime):
        def isoformat(self, *args: Any, **options: Any) -> str:
            outer.clear()
            values.clear()
            return "2026-01-02T00:00:00"

    for _ in range(20):
        outer: dict[str, Any] = {"a": values, "b": 1}
        values[:] = [Breaking(2026, 1, 2), 5]
        rest = ",5" if IS_FREE_THREADED else ""  # a list is written as it was when it was reached
        assert _core.dumps(outer, natives=True) == f'{{"a":["2026-01-02T00:00:00"{rest}],"b":1}}'


def test_zone_of_a_subclass_with_its_own_isoformat_is_the_text_s() -> None:
    class Zone(tzinfo):
        def utcoffset(self, moment: datetime | None) -> timedelta:
            return timedelta(hours=1)

    assert _core.dumps(Nanoseconds(2026, 1, 2, tzinfo=Zone()), natives=True) == '"2026-01-02T00:00:00.000000789+01:00"'


def test_references_are_given_back() -> None:
    values = [Nanoseconds(2026, 1, 2), NotATime(1, 1, 1), Duration(1), spoken("x"), spoken(5)]
    before = [sys.getrefcount(value) for value in values]
    for i in range(50 * len(values)):
        for options in ({"natives": True}, {"models": True}, {"datetime": "http"}):
            for _ in range(2):
                document = [values[i % len(values)]] * 2
                outcome(_core.dumps, [document, {"k": document}], **options)
                outcome(_core.dumps, {document[0]: 1}, **options)
    del document
    assert [sys.getrefcount(value) for value in values] == before


# ---- the classes themselves, where they are installed


def test_pandas_is_written_with_its_nanoseconds_and_nat_as_null() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    stamps = [
        pandas.Timestamp("2020-01-01T00:00:00.123456789"),
        pandas.Timestamp("2020-01-01T00:00:00.123456789", tz="Europe/Berlin"),
        pandas.Timestamp("2020-01-01"),
        pandas.Timestamp("2262-04-11T23:47:16.854775807"),
    ]
    for stamp in stamps:
        assert_encoded_as(stamp.isoformat(), stamp, natives=True)
        for timespec in ("seconds", "milliseconds", "microseconds"):
            expected = stamp.isoformat(timespec=timespec)
            assert _core.dumps([{stamp: stamp}], natives=True, timespec=timespec) == f'[{{"{expected}":"{expected}"}}]'
    for text in ("1ns", "-1ns", "1D 3ns", "-1D 2h 5ms", "0s", "100D"):
        span = pandas.Timedelta(text)
        assert pandas.Timedelta(_core.dumps(span, natives=True).strip('"')).value == span.value
        assert _core.dumps(span, timedelta="seconds") == repr(span.total_seconds())
    frame = pandas.DataFrame(
        {"t": pandas.to_datetime(["2020-01-01", None]), "d": pandas.to_timedelta([1, None], unit="s")}
    )
    assert _core.dumps(frame.to_dict("records"), natives=True) == (
        '[{"t":"2020-01-01T00:00:00","d":"PT1S"},{"t":null,"d":null}]'
    )
    assert not_a_times()[-1] is pandas.NaT
    test_object_that_is_not_a_time_is_null_where_numpy_is_on()
    test_object_that_is_not_a_time_goes_to_the_hook_elsewhere()
    test_object_that_is_not_a_time_in_fields_of_models()
    for other in (pandas.NA, pandas.Period("2020-01", "M"), pandas.Series([1])):
        assert _core.dumps([other], natives=True, default=lambda _: "hook") == '["hook"]'


def test_pendulum_and_freezegun_are_written_as_isoformat() -> None:
    moments: list[Any] = []
    try:
        import pendulum

        moments += [pendulum.datetime(2020, 1, 1, 2, 3, 4, 5, tz="Europe/Paris"), pendulum.date(2020, 1, 2)]
        moments += [pendulum.time(1, 2, 3, 4)]
        for span in (pendulum.duration(months=2, days=1), pendulum.duration(days=-1, seconds=5)):
            plain = timedelta(seconds=span.total_seconds())
            assert _core.dumps(span, natives=True) == _core.dumps(plain, natives=True)
    except ImportError:
        pass
    try:
        from freezegun.api import FakeDate, FakeDatetime

        moments += [FakeDatetime(2020, 1, 2, 3, 4, 5, 6, timezone.utc), FakeDate(2020, 1, 2)]
    except ImportError:
        pass
    if not moments:
        pytest.skip("neither pendulum nor freezegun is installed")
    for moment in moments:
        assert_encoded_as(moment.isoformat(), moment, natives=True)
        assert _core.dumps({moment: 1}, natives=True) == f'{{"{moment.isoformat()}":1}}'
