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
from ssrjson_web.rest_framework._conditions import getter_of_settings, zone_in_use
from ssrjson_web.rest_framework._stock import keeper

__all__ = ["Kind", "Now", "class_attributes_of", "is_hashable", "kind_of", "now", "read_settings"]

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
    class_attributes: tuple[str, ...] = ()
    """What decides, too, and may be an attribute of the class that is assigned later."""


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


_OF_BOOLEAN = ("_lower_if_str", "TRUE_VALUES", "FALSE_VALUES")
_OF_DECIMAL = ("coerce_to_string", "quantize")
_OF_DATETIME = ("enforce_timezone", "default_timezone")
_keeps_boolean = keeper(fields.BooleanField, *_OF_BOOLEAN)
_keeps_decimal = keeper(fields.DecimalField, "quantize")
_keeps_datetime = keeper(fields.DateTimeField, *_OF_DATETIME)


def _boolean(field: Any, now: Now) -> Options | None:
    return () if _keeps_boolean(type(field)) else None


def _big_integer(field: Any, now: Now) -> Options:
    return (bool(getattr(field, "coerce_to_string", api_settings.COERCE_BIGINT_TO_STRING)),)


def _accept_big_integer(is_text: bool) -> Acceptance:
    return () if is_text else (Accepted(int),)


_MAX_DIGITS = 10_000


def _decimal(field: Any, now: Now) -> Options | None:
    is_text = getattr(field, "coerce_to_string", api_settings.COERCE_DECIMAL_TO_STRING)
    if field.localize or field.normalize_output or not _keeps_decimal(type(field)):
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


def _datetime(field: Any, now: Now) -> Options | None:
    options = _format(field, "DATETIME_FORMAT")
    if options is None or not _keeps_datetime(type(field)):
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


_F = fields
_KINDS: dict[Any, Kind] = {
    _F.CharField.to_representation: Kind(_no_options, _only(str), str),
    _F.BooleanField.to_representation: Kind(_boolean, _only(bool), None, _OF_BOOLEAN),
    _F.IntegerField.to_representation: Kind(_no_options, _only(int), int),
    _F.FloatField.to_representation: Kind(_no_options, _only(float), float),
    _F.DecimalField.to_representation: Kind(_decimal, _accept_decimal, None, _OF_DECIMAL),
    _F.DateTimeField.to_representation: Kind(_datetime, _accept_datetime, None, ("format", "timezone", *_OF_DATETIME)),
    _F.DateField.to_representation: Kind(_date, _accept_date, None, ("format",)),
    _F.TimeField.to_representation: Kind(_time, _accept_time, None, ("format",)),
    _F.UUIDField.to_representation: Kind(_uuid, _accept_uuid),
    _F.ChoiceField.to_representation: Kind(_choice, _accept_choice),
    _F.JSONField.to_representation: Kind(_json, _anything, _same),
    _F.ReadOnlyField.to_representation: Kind(_no_options, _anything, _same),
    _F._UnvalidatedField.to_representation: Kind(_no_options, _anything, _same),
    relations.StringRelatedField.to_representation: Kind(_no_options, _nothing, str),
}
if hasattr(_F, "BigIntegerField"):
    _KINDS[_F.BigIntegerField.to_representation] = Kind(_big_integer, _accept_big_integer, None, ("coerce_to_string",))


def class_attributes_of(cls: type[Field]) -> tuple[str, ...]:
    """The names of the class's attributes that decide how its values are read."""
    kind = _KINDS.get(cls.to_representation)
    return () if kind is None else kind.class_attributes


def kind_of(field: Field) -> Kind | None:
    """How a field's values become representations. None: by its own `to_representation`."""
    return _KINDS.get(type(field).to_representation) if "to_representation" not in vars(field) else None
