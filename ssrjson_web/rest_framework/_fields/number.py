"""Fields of numbers."""

from __future__ import annotations

import decimal
from typing import Any

from rest_framework import fields

from ssrjson_web._known.functions import stands_in_for
from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web.rest_framework._basis import keeps
from ssrjson_web.rest_framework._fields.describer import NOTHING, Describer, stock
from ssrjson_web.rest_framework._fields.validators import VALUES, all_of, pure_validators

__all__: list[str] = []


def _read_integer(field: Any, describer: Describer) -> Acceptance:
    return (Accepted(int),)


_OF_DECIMALS = r"\.0*\s*$"


def _load_integer(field: Any, describer: Describer) -> Acceptance:
    found = pure_validators(field, VALUES)
    if found.others or getattr(field.re_decimal, "pattern", "") != _OF_DECIMALS:  # stock applies it to an int's text
        return NOTHING
    return (Accepted(int, "int", least=found.least, greatest=found.greatest),)


def _read_big_integer(field: Any, describer: Describer) -> Acceptance:
    is_text = getattr(field, "coerce_to_string", describer.setting("COERCE_BIGINT_TO_STRING"))
    return NOTHING if is_text else (Accepted(int),)


stock(fields.IntegerField, reads=_read_integer, function=int, loads=_load_integer)
if hasattr(fields, "BigIntegerField"):  # REST framework 3.17
    stock(fields.BigIntegerField, reads=_read_big_integer, loads=_load_integer)


def _read_float(field: Any, describer: Describer) -> Acceptance:
    return (Accepted(float),)


def _load_float(field: Any, describer: Describer) -> Acceptance:
    found = pure_validators(field, VALUES, (int, float))
    if found.others:
        return NOTHING
    return (
        Accepted(float, "float", least=found.least, greatest=found.greatest),
        Accepted(int, "real", least=found.least, greatest=found.greatest),
    )


stock(fields.FloatField, reads=_read_float, function=float, loads=_load_float)

_MAX_DIGITS = 10_000
_MAX_STRING_LENGTH = 1000


def _has_digits(field: Any) -> bool:
    digits, places = field.max_digits, field.decimal_places
    return type(places) is type(digits) is int and 0 <= places <= digits <= _MAX_DIGITS


def _read_decimal(field: Any, describer: Describer) -> Acceptance:
    is_text = getattr(field, "coerce_to_string", describer.setting("COERCE_DECIMAL_TO_STRING"))
    if field.localize or field.normalize_output or not keeps(type(field), fields.DecimalField, "quantize"):
        return NOTHING
    if field.decimal_places is None:
        return (Accepted(decimal.Decimal, "decimal_text" if is_text else "type"),)
    # without max_digits the precision of the decimal context counts, which may be another one at each call
    if not _has_digits(field):
        return NOTHING
    check: Any = "decimal_text" if is_text else "quantized"
    return (Accepted(decimal.Decimal, check, least=field.max_digits, greatest=field.decimal_places),)


def _load_decimal(field: Any, describer: Describer) -> Acceptance:
    if field.localize or field.MAX_STRING_LENGTH != _MAX_STRING_LENGTH or not _has_digits(field):
        return NOTHING
    places = field.decimal_places
    validator = all_of(pure_validators(field, {}).others)
    return tuple(
        Accepted(of, "decimal", least=field.max_digits - places, greatest=places, validator=validator)
        for of in (str, int, float)
    )


stands_in_for(*(f"rest_framework.fields.DecimalField.{name}" for name in ("quantize", "validate_precision")))
stock(fields.DecimalField, reads=_read_decimal, loads=_load_decimal)
