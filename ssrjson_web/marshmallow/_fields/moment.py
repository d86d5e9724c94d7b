"""Fields of dates, times, datetimes and durations."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Callable
from typing import Any

from marshmallow import utils

from ssrjson_web._known.functions import stands_in_for
from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web.marshmallow._basis import Basis
from ssrjson_web.marshmallow._fields.describer import NULL, Loaded, stock
from ssrjson_web.marshmallow._stock import IS_VERSION_3, library_name

__all__: list[str] = []

# ---- dates, times and datetimes -----------------------------------------------------------------

_CLASSES = (dt.datetime, dt.date, dt.time)
_ISO: dict[Any, type] = {cls.isoformat: cls for cls in _CLASSES}
_ISO_OF_VERSION_3 = {
    "marshmallow.utils.isoformat": dt.datetime,
    "marshmallow.utils.to_iso_date": dt.date,
    "marshmallow.utils.to_iso_time": dt.time,
}


def _read_moment(basis: Basis, number: int) -> Acceptance:
    field = basis.objects[number]
    functions = field.SERIALIZATION_FUNCS
    basis.watch_shared(functions)
    function = functions.get(field.format or field.DEFAULT_FORMAT)
    kind = _ISO.get(function) or _ISO_OF_VERSION_3.get(library_name(function))
    return (NULL, Accepted(kind, "iso")) if kind is not None else (NULL,)


_TAKEN = {"datetime": (dt.datetime,), "date": (dt.date, dt.datetime), "time": (dt.time,)}
"""The classes of which marshmallow 4 leaves a value as it is."""


def _load_moment(basis: Basis, number: int) -> Loaded:
    field = basis.objects[number]
    basis.watch_shared(field.DESERIALIZATION_FUNCS)
    function = field.DESERIALIZATION_FUNCS.get(field.format or field.DEFAULT_FORMAT)
    parse = function if function in _PARSERS else _PARSERS_3.get(library_name(function))
    if parse is None or field.OBJ_TYPE not in _TAKEN:
        return ()
    taken = () if IS_VERSION_3 else _TAKEN[field.OBJ_TYPE]
    return (Accepted(str, "call", validator=parse), *map(Accepted, taken))


def _is_standard(text: str) -> bool:
    """Whether it is 2026-11-27T09:05:00 or 2026-11-27T09:05:00.123456, as far as `fromisoformat` does not see to it."""
    n = len(text)
    return (
        (n == 19 or (n == 26 and text[19] == "."))
        and text.isascii()
        and text[4] == text[7] == "-"
        and text[10] == "T"
        and text[13] == text[16] == ":"
        and text[11:13] != "24"
    )


def _datetime_3(text: str) -> dt.datetime:
    """`from_iso_datetime` of marshmallow 3, which uses a regular expression, for texts that both read alike."""
    if text[-1:] == "Z":
        if _is_standard(text[:-1]):
            return dt.datetime.fromisoformat(text[:-1]).replace(tzinfo=dt.timezone.utc)
    elif _is_standard(text):
        return dt.datetime.fromisoformat(text)
    made: dt.datetime = getattr(utils, "from_iso_datetime")(text)  # noqa: B009
    return made


def _date_3(text: str) -> dt.date:
    if len(text) == 10 and text.isascii() and text[4] == text[7] == "-":
        return dt.date.fromisoformat(text)
    made: dt.date = utils.from_iso_date(text)  # type: ignore[attr-defined]
    return made


_PARSERS = () if IS_VERSION_3 else tuple(cls.fromisoformat for cls in _CLASSES)
_PARSERS_3: dict[str, Callable[[str], Any]] = {}
if IS_VERSION_3:
    _PARSERS_3 = {
        "marshmallow.utils.from_iso_datetime": _datetime_3,
        "marshmallow.utils.from_iso_date": _date_3,
        "marshmallow.utils.from_iso_time": utils.from_iso_time,  # type: ignore[attr-defined]
    }


def _load_with_zone(is_aware: bool, basis: Basis, number: int) -> Loaded:
    return tuple(
        accepted._replace(validator=functools.partial(_parse_with_zone, is_aware, accepted.validator))
        for accepted in _load_moment(basis, number)
        if accepted.exact_type is str
    )


def _parse_with_zone(is_aware: bool, parse: Any, text: str) -> dt.datetime:
    made: dt.datetime = parse(text)
    if utils.is_aware(made) is not is_aware:
        raise ValueError(text)
    return made


stands_in_for(*_ISO_OF_VERSION_3, left="what such fields dump")
stands_in_for(*_PARSERS_3, left="what such fields load")
stock("DateTime", "_TemporalField", reads=_read_moment, loads=_load_moment)
stock("NaiveDateTime", loads=functools.partial(_load_with_zone, False))
stock("AwareDateTime", loads=functools.partial(_load_with_zone, True))

# ---- durations ----------------------------------------------------------------------------------


def _read_timedelta(basis: Basis, number: int) -> Acceptance:
    return (NULL,)


def _load_timedelta(basis: Basis, number: int) -> Loaded:
    field = basis.objects[number]
    kind = getattr(field, "serialization_type", float)
    make = functools.partial(_make_timedelta, field.precision, kind)
    return tuple(Accepted(cls, "call", validator=make) for cls in (int, float, str))


def _make_timedelta(precision: str, kind: type, value: Any) -> dt.timedelta:
    return dt.timedelta(**{precision: kind(value)})


stock("TimeDelta", reads=_read_timedelta, loads=_load_timedelta)
