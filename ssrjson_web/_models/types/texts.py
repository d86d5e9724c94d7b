"""Values made of their texts, each strictly in one form; what is in no such form raises ValueError."""

from __future__ import annotations

import base64
import binascii
import datetime
import decimal
import math
import re
import uuid

_SHOWN_CHARS = 40

_DATE = r"(\d{4})-(\d\d)-(\d\d)"
_TIME = r"(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:([Zz])|([+-])(\d\d):(\d\d))?"
_EXAMPLES = {
    "date": "a date such as '2026-11-23'",
    "time": "a time such as '12:30:00'",
    "datetime": "a datetime such as '2026-11-23T12:30:00Z'",
    "uuid": "a UUID, with hyphens or 32 digits",
    "decimal": "a Decimal such as '12.50'",
}
_FORMS = {
    "date": re.compile(_DATE, re.ASCII),
    "time": re.compile(_TIME, re.ASCII),
    "datetime": re.compile(f"{_DATE}[Tt ]{_TIME}", re.ASCII),
    "uuid": re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32}", re.ASCII),
    "decimal": re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII),
}
_INT = re.compile(r"-?(?:0|[1-9]\d*)", re.ASCII)
_FLOAT = re.compile(rf"{_INT.pattern}(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)", re.ASCII)
"""With a fraction or an exponent."""


def _matched(form: str, text: str) -> re.Match[str]:
    match = _FORMS[form].fullmatch(text)
    if match is None:
        raise ValueError(f"Expected {_EXAMPLES[form]}, got {text[:_SHOWN_CHARS]!r}")
    return match


def _time_of(groups: tuple[str | None, ...]) -> tuple[datetime.time, bool]:
    """The time of the groups of `_TIME`, and whether its digits round up to the next microsecond."""
    hour, minute, second, fraction, zulu, sign, zone_hours, zone_minutes = groups
    zone: datetime.tzinfo | None = datetime.timezone.utc if zulu else None
    if sign is not None and zone_hours is not None and zone_minutes is not None:
        if int(zone_minutes) > 59:
            raise ValueError("minute of the offset must be in 0..59")
        offset = datetime.timedelta(hours=int(zone_hours), minutes=int(zone_minutes))
        zone = datetime.timezone(-offset if sign == "-" else offset) if offset else datetime.timezone.utc
    digits = (fraction or "").ljust(7, "0")
    time = datetime.time(int(hour or 0), int(minute or 0), int(second or 0), int(digits[:6]), zone)
    return time, digits[6] >= "5"


def date_of(text: str) -> datetime.date:
    year, month, day = _matched("date", text).groups()
    return datetime.date(int(year), int(month), int(day))


def time_of(text: str) -> datetime.time:
    """The time of a text; digits after those of microseconds are dropped."""
    return _time_of(_matched("time", text).groups())[0]


def datetime_of(text: str) -> datetime.datetime:
    """The datetime of a text, rounded to microseconds."""
    year, month, day, *rest = _matched("datetime", text).groups()
    time, rounds_up = _time_of(tuple(rest))
    moment = datetime.datetime.combine(datetime.date(int(year), int(month), int(day)), time)
    try:
        return moment + datetime.timedelta(microseconds=1) if rounds_up else moment
    except OverflowError as error:
        raise ValueError("Expected a datetime before the year 10000") from error


def uuid_of(text: str) -> uuid.UUID:
    return uuid.UUID(_matched("uuid", text)[0])


def decimal_of(text: str) -> decimal.Decimal:
    return decimal.Decimal(_matched("decimal", text)[0])


def bytes_of(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("Expected base64") from error


def bytearray_of(text: str) -> bytearray:
    return bytearray(bytes_of(text))


def memoryview_of(text: str) -> memoryview:
    return memoryview(bytes_of(text))


def int_of_key(key: str) -> int | str:
    """The int that the key of an object is, otherwise the key."""
    return int(key) if _INT.fullmatch(key) is not None else key


def number_of_key(key: str) -> int | float | str:
    """The int or the float, which is finite, that the key of an object is, otherwise the key."""
    if _FLOAT.fullmatch(key) is None:
        return int_of_key(key)
    value = float(key)
    return value if math.isfinite(value) else key
