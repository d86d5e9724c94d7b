"""Fields of lists, dicts and JSON, and those that take any value."""

from __future__ import annotations

import datetime
import decimal
import uuid
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from rest_framework import fields

from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web.rest_framework._fields.describer import NOTHING, Describer, stock
from ssrjson_web.rest_framework._fields.validators import LENGTHS, has_pure, pure_validators

__all__: list[str] = []

# ---- lists and dicts ----------------------------------------------------------------------------


def _read_list(field: Any, describer: Describer) -> Acceptance:
    items = describer.value_of(field.child)
    return tuple(Accepted(cls, "items", inner=items) for cls in (list, tuple)) if items else NOTHING


def _read_dict(field: Any, describer: Describer) -> Acceptance:
    values = describer.value_of(field.child)
    return (Accepted(dict, "values", inner=values),) if values else NOTHING


def _load_list(field: Any, describer: Describer) -> Acceptance:
    found = pure_validators(field, LENGTHS)
    items = describer.value_of(field.child)
    if found.others or items == ():
        return NOTHING
    least = found.least if field.allow_empty else max(found.least or 0, 1)
    return (Accepted(list, "items", least=least, greatest=found.greatest, inner=items),)


def _load_dict(field: Any, describer: Describer) -> Acceptance:
    values = describer.value_of(field.child)
    if has_pure(field) or values == ():
        return NOTHING
    return (Accepted(dict, "values", least=None if field.allow_empty else 1, inner=values),)


stock(fields.ListField, reads=_read_list, loads=_load_list)
stock(fields.DictField, reads=_read_dict)
stock(fields.DictField, fields.HStoreField, loads=_load_dict)

# ---- any value ----------------------------------------------------------------------------------

_ANYTHING = tuple(
    map(
        Accepted,
        (
            *(str, int, float, bool, list, dict, tuple, set, bytes, decimal.Decimal, uuid.UUID),
            *(datetime.datetime, datetime.date, datetime.time, datetime.timedelta),
        ),
    )
)
"""Other objects may be proxies, which `isinstance` evaluates."""
_OF_JSON = tuple(Accepted(cls) for cls in (str, int, float, bool, list, dict))


def _read_anything(field: Any, describer: Describer) -> Acceptance:
    return _ANYTHING


def _load_unvalidated(field: Any, describer: Describer) -> Acceptance:
    return NOTHING if field.validators else _OF_JSON


def _read_json(field: Any, describer: Describer) -> Acceptance:
    return NOTHING if field.binary else _ANYTHING


def _load_json(field: Any, describer: Describer) -> Acceptance:
    if has_pure(field) or field.binary or (field.encoder is not None and field.encoder is not DjangoJSONEncoder):
        return NOTHING
    return (
        *(Accepted(str), Accepted(bool), Accepted(int, "int"), Accepted(float, "float")),
        *(Accepted(list, "plain"), Accepted(dict, "plain")),
    )


stock(fields.JSONField, reads=_read_json, loads=_load_json)
stock(fields.ReadOnlyField, reads=_read_anything)
stock(fields._UnvalidatedField, reads=_read_anything, loads=_load_unvalidated)
