"""Fields of dates, times, datetimes and durations."""

from __future__ import annotations

import copy
import datetime
import zoneinfo
from collections.abc import Callable
from typing import Any

from rest_framework import ISO_8601, fields

from ssrjson_web._known.functions import stands_in_for
from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web.rest_framework._basis import keeps
from ssrjson_web.rest_framework._fields.describer import NOTHING, Describer, stock
from ssrjson_web.rest_framework._fields.validators import converted, pure_validators

__all__: list[str] = []


def _is_iso(form: Any) -> bool:
    return isinstance(form, str) and form.lower() == ISO_8601


def _reads_iso(field: Any, describer: Describer, setting: str) -> bool | None:
    """Whether a field writes ISO 8601. None: it leaves values as they are, or nobody knows what it does."""
    form = getattr(field, "format", describer.setting(setting))
    return True if _is_iso(form) else False if form is None else None


def _loads_iso(field: Any, describer: Describer, setting: str) -> bool:
    """Whether the first format that a field tries is ISO 8601."""
    formats = getattr(field, "input_formats", describer.setting(setting))
    return isinstance(formats, (list, tuple)) and _is_iso(next(iter(formats), None))


# ---- dates and times ----------------------------------------------------------------------------


def _read_date(field: Any, describer: Describer) -> Acceptance:
    return _alone(datetime.date, _reads_iso(field, describer, "DATE_FORMAT"))


def _read_time(field: Any, describer: Describer) -> Acceptance:
    return _alone(datetime.time, _reads_iso(field, describer, "TIME_FORMAT"))


def _alone(cls: type, is_iso: bool | None) -> Acceptance:
    return NOTHING if is_iso is None else (Accepted(cls, "iso" if is_iso else "type"),)


def _load_date(field: Any, describer: Describer) -> Acceptance:
    if not _loads_iso(field, describer, "DATE_INPUT_FORMATS"):
        return NOTHING
    others = pure_validators(field, {}).others
    return (Accepted(str, "call" if others else "date", validator=converted(fields.parse_date, others)),)


def _load_time(field: Any, describer: Describer) -> Acceptance:
    if not _loads_iso(field, describer, "TIME_INPUT_FORMATS"):
        return NOTHING
    return (Accepted(str, "call", validator=converted(fields.parse_time, pure_validators(field, {}).others)),)


def _load_duration(field: Any, describer: Describer) -> Acceptance:
    return (Accepted(str, "call", validator=converted(fields.parse_duration, pure_validators(field, {}).others)),)


stock(fields.DateField, reads=_read_date, loads=_load_date)
stock(fields.TimeField, reads=_read_time, loads=_load_time)
stock(fields.DurationField, loads=_load_duration)

# ---- datetimes ----------------------------------------------------------------------------------


def _read_datetime(field: Any, describer: Describer) -> Acceptance:
    is_iso = _reads_iso(field, describer, "DATETIME_FORMAT")
    if is_iso is None or not keeps(type(field), fields.DateTimeField, *_OF_ZONES):
        return NOTHING
    if not is_iso:
        return (Accepted(datetime.datetime),)
    zone = field.timezone if hasattr(field, "timezone") else describer.zone()
    if not (zone is None or isinstance(zone, datetime.tzinfo)):
        return NOTHING
    return (Accepted(datetime.datetime, "iso_z", zone=zone),)


def _load_datetime(field: Any, describer: Describer) -> Acceptance:
    if not _loads_iso(field, describer, "DATETIME_INPUT_FORMATS"):
        return NOTHING
    others = pure_validators(field, {}).others
    zone = field.timezone if hasattr(field, "timezone") else describer.zone()
    moment = _reader_of_moments(field, zone)
    if others or not (zone is None or _is_utc(zone)):
        return (Accepted(str, "call", validator=converted(moment, others)),)

    def same_moment(text: str) -> Any:
        made = moment(text)
        # the core takes the tzinfo for other texts with the same offset, whose numbers then must stay as they are
        if made is None or not text.startswith(made.replace(tzinfo=None).isoformat()[:_MINUTES]):
            raise ValueError(text)
        return made

    return (Accepted(str, "datetime", validator=same_moment),)


def _reader_of_moments(field: Any, zone: Any) -> Callable[[str], Any]:
    """What a DateTimeField makes of a text; None where it is none of ISO 8601."""
    detached = copy.copy(field)
    detached.parent = None  # the serializer, and so the request
    enforce, parse = detached.enforce_timezone, fields.parse_datetime

    def moment(text: str) -> Any:
        parsed = parse(text)
        if parsed is None or parsed.tzinfo is None or zone is None:
            return None if parsed is None else enforce(parsed)
        return parsed.astimezone(zone)

    return moment


_MINUTES = len("2026-11-27T05:10")
_OF_ZONES = ("enforce_timezone", "default_timezone")


def _is_utc(zone: Any) -> bool:
    """Whether a time zone is UTC, of a class that is known."""
    return zone is datetime.timezone.utc or (type(zone) is zoneinfo.ZoneInfo and zone.key == "UTC")


stands_in_for(*(f"rest_framework.fields.DateTimeField.{name}" for name in _OF_ZONES))
stock(fields.DateTimeField, reads=_read_datetime, loads=_load_datetime)
