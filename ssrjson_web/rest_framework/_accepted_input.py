"""Which values of a request REST framework's fields take, and what they make of them: `acceptance_of_input`.

Only what the core, or a function without side effects, can decide is described. A value of any other type or form is
left to the field itself, so it may be a right one, too.
"""

from __future__ import annotations

import copy
import datetime
import decimal
import re
import uuid
import zoneinfo
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, NamedTuple

from django.core import validators as django_validators
from django.core.serializers.json import DjangoJSONEncoder
from rest_framework import ISO_8601, fields, relations
from rest_framework.settings import api_settings
from rest_framework.validators import ProhibitSurrogateCharactersValidator

from ssrjson_web._models.acceptance import MAX_DEPTH, Acceptance, Accepted
from ssrjson_web._plans.basis import has_own_methods
from ssrjson_web._plans.known import is_known
from ssrjson_web.rest_framework._stock import is_of_stock

__all__ = [
    "ANY_ZONE",
    "acceptance_of_input",
    "base_of",
    "depends_on_zone",
    "is_atom",
    "is_of_dates",
    "is_pure",
]

_NONE = Accepted(type(None))
_NOTHING: tuple[Accepted, ...] = ()
_OF_JSON = tuple(Accepted(cls) for cls in (str, int, float, bool, type(None), list, dict))

_ATOMS = frozenset(
    [
        bool,
        bytes,
        datetime.date,
        datetime.datetime,
        datetime.time,
        datetime.timedelta,
        decimal.Decimal,
        float,
        int,
        str,
        type(None),
        uuid.UUID,
    ]
)


def is_atom(value: Any) -> bool:
    """Whether instances may share a value: it cannot be changed, and `deepcopy` returns it."""
    return type(value) in _ATOMS or isinstance(value, Enum)


# ---- classes of fields ------------------------------------------------------------------------

_HARMLESS = frozenset(
    [
        "__annotations__",
        "__doc__",
        "__firstlineno__",
        "__init__",
        "__module__",
        "__qualname__",
        "__static_attributes__",
        "bind",
        "display_value",
        "default_error_messages",
        "get_attribute",
        "get_initial",
        "initial",
        "queryset",
        "to_representation",
        "use_pk_only_optimization",
    ]
)
"""What a subclass of a stock field may define, and its values are still validated as the stock field's."""


def base_of(field: Any) -> type | None:
    """The stock class by whose methods a field validates; None: its own, or those of nobody that is known."""
    if has_own_methods(field) or not is_of_stock(type(field)):
        return None
    for cls in type(field).__mro__:
        if cls in _STOCK:
            return cls
        if not _HARMLESS.issuperset(vars(cls)):
            return None
    return None


# ---- validators -------------------------------------------------------------------------------

_PURE = frozenset(
    [
        django_validators.DecimalValidator,
        django_validators.EmailValidator,
        django_validators.MaxLengthValidator,
        django_validators.MaxValueValidator,
        django_validators.MinLengthValidator,
        django_validators.MinValueValidator,
        django_validators.ProhibitNullCharactersValidator,
        django_validators.RegexValidator,
        django_validators.URLValidator,
        ProhibitSurrogateCharactersValidator,
    ]
)
_PURE_FUNCTIONS = (
    django_validators.validate_ipv4_address,
    django_validators.validate_ipv6_address,
    django_validators.validate_ipv46_address,
)
_LENGTHS = {django_validators.MinLengthValidator: "least", django_validators.MaxLengthValidator: "greatest"}
_VALUES = {django_validators.MinValueValidator: "least", django_validators.MaxValueValidator: "greatest"}
_OF_TEXT = frozenset([django_validators.ProhibitNullCharactersValidator, ProhibitSurrogateCharactersValidator])
"""The core makes these two checks of every text."""


_MAX_INT = 2**63 - 1
_EXACT_FLOATS = 2**53
"""Up to here each int is a float, too."""


class _Validators(NamedTuple):
    """The pure validators of a field: those that have no effect but an error."""

    least: Any
    """The greatest lower bound; None: there is none."""
    greatest: Any
    others: tuple[Callable[[Any], Any], ...]


def is_pure(validator: Any) -> bool:
    """Whether a validator may be called any number of times, or not at all where the core makes its check."""
    cls = type(validator)
    if cls not in _PURE:
        return any(validator is function for function in _PURE_FUNCTIONS) and is_known(
            validator, f"{django_validators.__name__}.{validator.__name__}"
        )
    if not is_of_stock(cls) or has_own_methods(validator):
        return False
    return not hasattr(validator, "limit_value") or type(validator.limit_value) in _ATOMS  # it may be a function


def _pure_validators(field: Any, bounds: dict[type, str], bound_types: tuple[type, ...] = (int,)) -> _Validators:
    """The pure validators of a field, those of `bounds` as bounds."""
    limits: dict[str, Any] = {}
    others = []
    for validator in field.validators:
        if not is_pure(validator):
            continue
        side = bounds.get(type(validator))
        if side is None or not _is_bound(validator.limit_value, bound_types):
            others.append(validator)
        else:
            limit = validator.limit_value
            limits[side] = (max if side == "least" else min)(limits.get(side, limit), limit)
    return _Validators(limits.get("least"), limits.get("greatest"), tuple(others))


def _is_bound(limit: Any, types: tuple[type, ...]) -> bool:
    """Whether the core can compare a value with a limit."""
    if type(limit) not in types or limit != limit:
        return False
    greatest = _EXACT_FLOATS if float in types else _MAX_INT
    return type(limit) is not int or ~greatest <= limit <= greatest


def _has_pure(field: Any) -> bool:
    return any(is_pure(validator) for validator in field.validators)


def _all_of(validators: Iterable[Callable[[Any], Any]]) -> Callable[[Any], Any] | None:
    """A function that calls each of these; None: there are none."""
    calls = tuple(validators)
    if len(calls) < 2:
        return calls[0] if calls else None

    def validate(value: Any) -> None:
        for call in calls:
            call(value)

    return validate


def _converted(convert: Callable[[Any], Any], validators: tuple[Callable[[Any], Any], ...]) -> Callable[[Any], Any]:
    """A function that gives the value that `convert` makes, which passes all validators. Neither may make None."""

    def validated(value: Any) -> Any:
        made = convert(value)
        if made is None:
            raise ValueError(value)
        for validator in validators:
            validator(made)
        return made

    return validated


def _detached(field: Any) -> Any:
    """A copy of a field that holds no serializer, and so no request."""
    made = copy.copy(field)
    made.parent = None
    return made


# ---- a function for each class ----------------------------------------------------------------


def _of_text(field: Any) -> tuple[Accepted, ...]:
    found = _pure_validators(field, _LENGTHS)
    others = [_fast_email(validator) for validator in found.others if type(validator) not in _OF_TEXT]
    if isinstance(field, fields.IPAddressField):
        others.insert(0, _refuse_colon)  # which IPv6 addresses have, and they are written anew
    return (
        Accepted(
            str,
            "trimmed" if field.trim_whitespace else "whole",
            least=max(found.least or 0, 1),
            greatest=found.greatest,
            among=frozenset([""]) if field.allow_blank else None,
            validator=_all_of(others),
        ),
    )


def _fast_email(validator: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same validator; of addresses, one that asks it for unusual ones only."""
    if type(validator) is not django_validators.EmailValidator:
        return validator

    def validate(value: str) -> None:
        if _is_usual_email(value) is None:
            validator(value)

    return validate


_is_usual_email = re.compile(
    r"[a-z0-9_+-]{1,64}(?:\.[a-z0-9_+-]{1,64}){0,2}@(?:[a-z0-9]{1,63}\.){1,2}[a-z]{2,63}", re.IGNORECASE | re.ASCII
).fullmatch


def _refuse_colon(value: str) -> None:
    if ":" in value:
        raise ValueError(value)


_OF_DECIMALS = r"\.0*\s*$"


def _of_integer(field: Any) -> tuple[Accepted, ...]:
    found = _pure_validators(field, _VALUES)
    if found.others or getattr(field.re_decimal, "pattern", "") != _OF_DECIMALS:  # stock applies it to an int's text
        return _NOTHING
    return (Accepted(int, "int", least=found.least, greatest=found.greatest),)


def _of_float(field: Any) -> tuple[Accepted, ...]:
    found = _pure_validators(field, _VALUES, (int, float))
    if found.others:
        return _NOTHING
    return (
        Accepted(float, "float", least=found.least, greatest=found.greatest),
        Accepted(int, "real", least=found.least, greatest=found.greatest),
    )


_MAX_STRING_LENGTH = 1000


def _of_decimal(field: Any) -> tuple[Accepted, ...]:
    digits, places = field.max_digits, field.decimal_places
    if (
        field.localize
        or field.MAX_STRING_LENGTH != _MAX_STRING_LENGTH
        or type(digits) is not int
        or type(places) is not int
        or not 0 <= places <= digits
    ):
        return _NOTHING
    validator = _all_of(_pure_validators(field, {}).others)
    return tuple(
        Accepted(of, "decimal", least=digits - places, greatest=places, validator=validator) for of in (str, int, float)
    )


def _of_boolean(field: Any) -> tuple[Accepted, ...]:
    if _has_pure(field):
        return _NOTHING
    words = {}
    for values, meaning in ((field.FALSE_VALUES, False), (field.TRUE_VALUES, True)):
        words.update({word: meaning for word in values if type(word) is str and word == word.lower()})
        if (True in values) != meaning or (False in values) == meaning:
            return _NOTHING
    return (Accepted(bool), Accepted(str, "mapped", mapping=words))


def _of_choice(field: Any) -> tuple[Accepted, ...]:
    texts = dict(field.choice_strings_to_values)
    if _has_pure(field) or not all(type(text) is str and is_atom(value) for text, value in texts.items()):
        return _NOTHING
    if None in texts.values() and field.validators:
        return _NOTHING  # a null that is sent would be confirmed, too
    if field.allow_blank:
        texts[""] = ""
    numbers = {int(text): value for text, value in texts.items() if _is_number(text)}
    accepted = (Accepted(str, "mapped", mapping=texts),)
    return (*accepted, Accepted(int, "mapped", mapping=numbers)) if numbers else accepted


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and len(text) < 19 and text.isascii() and str(int(text)) == text


def _of_choices(field: Any) -> tuple[Accepted, ...]:
    if _has_pure(field) or not all(is_atom(value) for value in field.choice_strings_to_values.values()):
        return _NOTHING
    choose = _detached(field).to_internal_value

    def chosen(values: list[Any]) -> Any:
        if any(type(value) is not str for value in values):
            raise TypeError(values)
        return choose(values)

    return (Accepted(list, "call", validator=chosen),)


def _is_iso(field: Any, setting: str) -> bool:
    """Whether the first format that a field tries is ISO 8601."""
    formats = getattr(field, "input_formats", getattr(api_settings, setting))
    first = next(iter(formats), None) if isinstance(formats, (list, tuple)) else None
    return isinstance(first, str) and first.lower() == ISO_8601


def _of_date(field: Any) -> tuple[Accepted, ...]:
    if not _is_iso(field, "DATE_INPUT_FORMATS"):
        return _NOTHING
    others = _pure_validators(field, {}).others
    return (Accepted(str, "call" if others else "date", validator=_converted(fields.parse_date, others)),)


def _of_time(field: Any) -> tuple[Accepted, ...]:
    if not _is_iso(field, "TIME_INPUT_FORMATS"):
        return _NOTHING
    others = _pure_validators(field, {}).others
    return (Accepted(str, "call", validator=_converted(fields.parse_time, others)),)


ANY_ZONE = object()
"""The time zone is looked up for each value."""


def depends_on_zone(field: Any) -> bool:
    """Whether a field makes datetimes in the time zone in use."""
    if base_of(field) is fields.DateTimeField:
        return not hasattr(field, "timezone")
    child = field.__dict__.get("child")
    return child is not None and depends_on_zone(child)


def is_of_dates(field: Any) -> bool:
    """Whether a field has input formats, which settings give where it has none of its own."""
    child = field.__dict__.get("child")
    return isinstance(field, _OF_DATES) or (child is not None and is_of_dates(child))


_OF_DATES = (fields.DateField, fields.DateTimeField, fields.TimeField)


def _of_datetime(field: Any, zone: Any) -> tuple[Accepted, ...]:
    if not _is_iso(field, "DATETIME_INPUT_FORMATS"):
        return _NOTHING
    others = _pure_validators(field, {}).others
    zone = getattr(field, "timezone", zone)
    enforce, parse = _detached(field).enforce_timezone, fields.parse_datetime

    def moment(text: str) -> Any:
        parsed = parse(text)
        if parsed is None or parsed.tzinfo is None or zone is ANY_ZONE or zone is None:
            return None if parsed is None else enforce(parsed)
        return parsed.astimezone(zone)

    if others or not (zone is None or is_utc(zone)):
        return (Accepted(str, "call", validator=_converted(moment, others)),)

    def same_moment(text: str) -> Any:
        made = moment(text)
        # the core takes the tzinfo for other texts with the same offset, whose numbers then must stay as they are
        if made is None or not text.startswith(made.replace(tzinfo=None).isoformat()[:_MINUTES]):
            raise ValueError(text)
        return made

    return (Accepted(str, "datetime", validator=same_moment),)


_MINUTES = len("2026-11-27T05:10")


def is_utc(zone: Any) -> bool:
    """Whether a time zone is UTC, of a class that is known."""
    return zone is datetime.timezone.utc or (type(zone) is zoneinfo.ZoneInfo and zone.key == "UTC")


def _of_duration(field: Any) -> tuple[Accepted, ...]:
    return (Accepted(str, "call", validator=_converted(fields.parse_duration, _pure_validators(field, {}).others)),)


def _of_uuid(field: Any) -> tuple[Accepted, ...]:
    if _has_pure(field):
        return _NOTHING
    return (Accepted(str, "uuid", validator=uuid.UUID),)


def _of_json(field: Any) -> tuple[Accepted, ...]:
    if _has_pure(field) or field.binary or (field.encoder is not None and field.encoder is not DjangoJSONEncoder):
        return _NOTHING
    return (
        Accepted(str),
        Accepted(bool),
        Accepted(int, "int"),
        Accepted(float, "float"),
        Accepted(list, "plain"),
        Accepted(dict, "plain"),
    )


def _of_list(field: Any, zone: Any, depth: int) -> tuple[Accepted, ...]:
    found = _pure_validators(field, _LENGTHS)
    inner = _acceptance_of_item(field.child, zone, depth)
    if found.others or inner == ():
        return _NOTHING
    least = found.least if field.allow_empty else max(found.least or 0, 1)
    return (Accepted(list, "items", least=least, greatest=found.greatest, inner=inner),)


def _of_dict(field: Any, zone: Any, depth: int) -> tuple[Accepted, ...]:
    inner = _acceptance_of_item(field.child, zone, depth)
    if _has_pure(field) or inner == ():
        return _NOTHING
    return (Accepted(dict, "values", least=None if field.allow_empty else 1, inner=inner),)


def _acceptance_of_item(child: Any, zone: Any, depth: int) -> Acceptance:
    if base_of(child) is None or not all(is_pure(validator) for validator in child.validators):
        return _NOTHING
    return acceptance_of_input(child, zone, depth + 1)


_SCALARS: dict[type, Callable[[Any], tuple[Accepted, ...]]] = {
    fields.BooleanField: _of_boolean,
    fields.CharField: _of_text,
    fields.ChoiceField: _of_choice,
    fields.DateField: _of_date,
    fields.DecimalField: _of_decimal,
    fields.DurationField: _of_duration,
    fields.EmailField: _of_text,
    fields.FilePathField: _of_choice,
    fields.FloatField: _of_float,
    fields.IntegerField: _of_integer,
    fields.IPAddressField: _of_text,
    fields.JSONField: _of_json,
    fields.MultipleChoiceField: _of_choices,
    fields.RegexField: _of_text,
    fields.SlugField: _of_text,
    fields.TimeField: _of_time,
    fields.URLField: _of_text,
    fields.UUIDField: _of_uuid,
}
if hasattr(fields, "BigIntegerField"):  # REST framework 3.17
    _SCALARS[fields.BigIntegerField] = _of_integer
_CONTAINERS: dict[type, Callable[[Any, Any, int], tuple[Accepted, ...]]] = {
    fields.DictField: _of_dict,
    fields.HStoreField: _of_dict,
    fields.ListField: _of_list,
}
_UNVALIDATED: type = fields._UnvalidatedField
_RELATIONS: tuple[type, ...] = (
    relations.ManyRelatedField,
    relations.PrimaryKeyRelatedField,
    relations.SlugRelatedField,
)
_STOCK = frozenset([*_SCALARS, *_CONTAINERS, *_RELATIONS, fields.DateTimeField, _UNVALIDATED])


def acceptance_of_input(field: Any, zone: Any, depth: int = 0) -> Acceptance:
    """Which values a field takes, if its validators that are not pure let them pass. An empty tuple: none is known.

    Such validators are called for no null, and for no blank text. `zone` is the time zone in use, or ANY_ZONE.
    """
    base = base_of(field)
    if base is None or depth == MAX_DEPTH or field.read_only:
        return _NOTHING
    if base is _UNVALIDATED:
        return _NOTHING if field.validators else _OF_JSON
    if base in _RELATIONS:
        return (_NONE,) if field.allow_null else _NOTHING
    if base in _CONTAINERS:
        accepted = _CONTAINERS[base](field, zone, depth)
    else:
        accepted = _of_datetime(field, zone) if base is fields.DateTimeField else _SCALARS[base](field)
    return (*accepted, _NONE) if accepted and field.allow_null else accepted
