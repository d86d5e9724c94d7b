"""What a field's value becomes when it is read: descriptions of fields, and acceptances that are made of them.

A description is a tuple of all that decides how a field is read: its name, its source, its `Kind` and that kind's own
options, settings among them. Fields with equal descriptions are read alike, so what is compiled of one serves all.
Beyond that only calls are needed, which the field of the instance at hand gets.
"""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeAlias

from rest_framework import ISO_8601, fields, relations
from rest_framework.fields import Field
from rest_framework.settings import api_settings

from ssrjson_web._models.acceptance import Acceptance, Accepted
from ssrjson_web._plans.basis import has_own_methods, owner_of
from ssrjson_web.rest_framework._conditions import getter_of_settings, zone_in_use
from ssrjson_web.rest_framework._stock import is_of_stock, keeps

__all__ = ["Kind", "Now", "is_hashable", "kind_of", "now", "read_settings"]

Options: TypeAlias = "tuple[Hashable, ...]"


class Now(NamedTuple):
    """What descriptions depend on beyond fields."""

    settings: tuple[Any, ...]
    zone: Any


def now() -> Now:
    """Settings and time zone as they are."""
    return Now(read_settings(), zone_in_use())


read_settings = getter_of_settings(
    (
        "DATETIME_FORMAT",
        "DATE_FORMAT",
        "TIME_FORMAT",
        "DURATION_FORMAT",
        "COERCE_DECIMAL_TO_STRING",
        "COERCE_BIGINT_TO_STRING",
    )
)


def is_hashable(value: Any) -> bool:
    """Whether a description may have a value as it is."""
    try:
        hash(value)
    except Exception:
        return False
    return True


class Kind(NamedTuple):
    """How the values of a field class become representations."""

    options_of: Callable[[Any, Now], Options | None]
    """Of a field. None: it is left to the library."""
    acceptance_of: Callable[..., Acceptance]
    """Of the options. It accepts values that are not None."""
    function: Callable[[Any], Any] | None = None
    """What `to_representation` calls, if it needs nothing of the field."""


def _no_options(field: Any, now: Now) -> Options:
    return ()


def _only(exact_type: type) -> Callable[[], Acceptance]:
    acceptance = (Accepted(exact_type),)
    return lambda: acceptance


def _nothing(*_: Any) -> Acceptance:
    return ()


def _anything() -> Acceptance:
    return _ANYTHING


_ANYTHING: Acceptance = tuple(
    map(
        Accepted,
        (
            *(str, int, float, bool, list, dict, tuple, set, bytes, decimal.Decimal, uuid.UUID),
            *(datetime.datetime, datetime.date, datetime.time, datetime.timedelta),
        ),
    )
)
"""Other objects may be proxies, which `isinstance` evaluates."""


def _same(value: Any) -> Any:
    return value


def _boolean(field: Any, now: Now) -> Options | None:
    if not keeps(type(field), fields.BooleanField, "_lower_if_str"):
        return None
    is_usual = True in field.TRUE_VALUES and False in field.FALSE_VALUES and False not in field.TRUE_VALUES
    return () if is_usual else None


def _big_integer(field: Any, now: Now) -> Options:
    return (bool(getattr(field, "coerce_to_string", api_settings.COERCE_BIGINT_TO_STRING)),)


def _accept_big_integer(is_text: bool) -> Acceptance:
    return () if is_text else (Accepted(int),)


_MAX_DIGITS = 10_000


def _decimal(field: Any, now: Now) -> Options | None:
    is_text = getattr(field, "coerce_to_string", api_settings.COERCE_DECIMAL_TO_STRING)
    if field.localize or field.normalize_output or not keeps(type(field), fields.DecimalField, "quantize"):
        return None
    places, digits = field.decimal_places, field.max_digits
    if places is None:
        return (bool(is_text), None, None)
    # without max_digits the precision of the decimal context counts, which may be another one at each call
    if type(places) is not int or type(digits) is not int or not 0 <= places <= digits <= _MAX_DIGITS:
        return None
    return (bool(is_text), digits, places)


def _accept_decimal(is_text: bool, digits: int | None, places: int | None) -> Acceptance:
    if not is_text:
        return (
            (Accepted(decimal.Decimal),)
            if places is None
            else (Accepted(decimal.Decimal, "quantized", least=digits, greatest=places),)
        )
    return (Accepted(decimal.Decimal, "decimal_text", least=digits, greatest=places),)


def _format(field: Any, setting: str) -> Options | None:
    """The format, for None and ISO 8601 alone."""
    own = getattr(field, "format", getattr(api_settings, setting))
    if own is None:
        return (None,)
    return (ISO_8601,) if isinstance(own, str) and own.lower() == ISO_8601 else None


_OF_ZONES = ("enforce_timezone", "default_timezone")


def _datetime(field: Any, now: Now) -> Options | None:
    options = _format(field, "DATETIME_FORMAT")
    if options is None or not keeps(type(field), fields.DateTimeField, *_OF_ZONES):
        return None
    if options == (None,):
        return (None, None)
    zone = field.timezone if hasattr(field, "timezone") else now.zone
    return (ISO_8601, zone) if zone is None or isinstance(zone, datetime.tzinfo) else None


def _accept_datetime(form: str | None, zone: datetime.tzinfo | None) -> Acceptance:
    return (Accepted(datetime.datetime),) if form is None else (Accepted(datetime.datetime, "iso_z", zone=zone),)


def _date(field: Any, now: Now) -> Options | None:
    return _format(field, "DATE_FORMAT")


def _accept_date(form: str | None) -> Acceptance:
    return (Accepted(datetime.date),) if form is None else (Accepted(datetime.date, "iso"),)


def _time(field: Any, now: Now) -> Options | None:
    return _format(field, "TIME_FORMAT")


def _accept_time(form: str | None) -> Acceptance:
    return (Accepted(datetime.time),) if form is None else (Accepted(datetime.time, "iso"),)


def _uuid(field: Any, now: Now) -> Options:
    return (field.uuid_format == "hex_verbose",)


def _accept_uuid(is_verbose: bool) -> Acceptance:
    return (Accepted(uuid.UUID, "uuid_text"),) if is_verbose else ()


class Same:
    """A value that is equal to itself alone, and can be hashed."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def _choice(field: Any, now: Now) -> Options | None:
    known = field.choice_strings_to_values
    if type(known) is not dict or not all(type(key) is str for key in known):
        return None
    # 1 equals True and 1.0
    return tuple((key, value if type(value) is str else Same(value)) for key, value in known.items())


def _accept_choice(*known: tuple[str, Any]) -> Acceptance:
    values = {key: value.value if isinstance(value, Same) else value for key, value in known}
    return (
        Accepted(str, "mapped_or_same", mapping={key: value for key, value in values.items() if key != ""}),
        Accepted(int, "mapped_or_same", mapping={int(key): value for key, value in values.items() if _is_number(key)}),
    )


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isdecimal() and digits.isascii() and len(digits) < 19 and str(int(text)) == text


def _json(field: Any, now: Now) -> Options | None:
    return () if not field.binary else None


_KINDS: dict[Any, Kind] = {
    fields.CharField: Kind(_no_options, _only(str), str),
    fields.BooleanField: Kind(_boolean, _only(bool)),
    fields.IntegerField: Kind(_no_options, _only(int), int),
    fields.FloatField: Kind(_no_options, _only(float), float),
    fields.DecimalField: Kind(_decimal, _accept_decimal),
    fields.DateTimeField: Kind(_datetime, _accept_datetime),
    fields.DateField: Kind(_date, _accept_date),
    fields.TimeField: Kind(_time, _accept_time),
    fields.UUIDField: Kind(_uuid, _accept_uuid),
    fields.ChoiceField: Kind(_choice, _accept_choice),
    fields.JSONField: Kind(_json, _anything, _same),
    fields.ReadOnlyField: Kind(_no_options, _anything, _same),
    fields._UnvalidatedField: Kind(_no_options, _anything, _same),
    relations.StringRelatedField: Kind(_no_options, _nothing, str),
}
"""By the class that has the `to_representation`."""
if hasattr(fields, "BigIntegerField"):
    _KINDS[fields.BigIntegerField] = Kind(_big_integer, _accept_big_integer)


def kind_of(field: Field) -> Kind | None:
    """How a field's values become representations. None: by its own `to_representation`."""
    if has_own_methods(field) or not is_of_stock(type(field)):
        return None
    return _KINDS.get(owner_of(type(field), "to_representation"))
