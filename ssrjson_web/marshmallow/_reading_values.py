"""What becomes of the values that fields serialize: the `Acceptance` of each of marshmallow's field classes."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import inspect
import ipaddress
import uuid
from collections.abc import Callable
from operator import attrgetter
from types import NoneType
from typing import Any

from marshmallow import fields, utils

from ssrjson_web._models.acceptance import Acceptance, Accepted
from ssrjson_web.marshmallow._stock import is_instance_changed
from ssrjson_web.marshmallow._watch import Basis

__all__ = ["DECIMAL_DIGITS", "read_acceptance"]

DECIMAL_DIGITS = 28
"""The digits of a Decimal that is padded: those of the usual context."""

_NONE = Accepted(NoneType)
_TEXT = (_NONE, Accepted(str), Accepted(uuid.UUID, "uuid_text"))
_Values = Callable[[Basis, int], "tuple[Accepted, ...] | None"]


def read_acceptance(basis: Basis, number: int) -> tuple[tuple[Accepted, ...] | None, bool]:
    """What a field's own `_serialize` makes of values, and whether that is known at all.

    Where it is known, the acceptance leaves out whatever it cannot say, and None means any value.
    """
    field = basis.objects[number]
    values = _VALUES.get(inspect.getattr_static(type(field), "_serialize", None))
    if values is None or is_instance_changed(field):
        return (), False
    basis.watch_field(number)
    try:
        return values(basis, number), True
    except _NotKnownError:
        return (), False


class _NotKnownError(Exception):
    """Raised for a field that looks at more than its value."""


def _static(field: Any, name: str) -> Any:
    return inspect.getattr_static(type(field), name, None)


def _any(basis: Basis, number: int) -> None:
    return None


def _text(basis: Basis, number: int) -> tuple[Accepted, ...]:
    return _TEXT


def _uuid(basis: Basis, number: int) -> tuple[Accepted, ...]:
    return _TEXT


def _number(basis: Basis, number: int) -> tuple[Accepted, ...]:
    field = basis.objects[number]
    if _static(field, "_format_num") is _DECIMAL_FORMAT and _static(field, "_to_string") is _DECIMAL_TEXT:
        return _decimal(field)
    if _static(field, "_format_num") is not _NUMBER_FORMAT or _static(field, "_to_string") is not _NUMBER_TEXT:
        raise _NotKnownError
    kind = _static(field, "num_type")
    if kind is int:
        return (_NONE, Accepted(int, "call", validator=str) if field.as_string else Accepted(int))
    if kind is float:
        if field.as_string:
            return (_NONE, Accepted(float, "call", validator=str))
        return (_NONE, Accepted(float), Accepted(int, "call", validator=float))
    return (_NONE,)


def _decimal(field: Any) -> tuple[Accepted, ...]:
    if field.allow_nan:
        return (_NONE,)
    if field.places is None:
        return (_NONE, Accepted(decimal.Decimal, "decimal_text" if field.as_string else "type"))
    n_places = -field.places.as_tuple().exponent
    if not field.as_string or not 0 <= n_places <= 15 or field.places.as_tuple().digits != (1,):
        return (_NONE,)
    return (_NONE, Accepted(decimal.Decimal, "decimal_text", least=DECIMAL_DIGITS, greatest=n_places))


def _boolean(basis: Basis, number: int) -> tuple[Accepted, ...]:
    """marshmallow 3, whose booleans are made of truthy and falsy values when they are serialized, too."""
    field = basis.objects[number]
    basis.watch_shared(*(values for values in (field.truthy, field.falsy) if isinstance(values, (set, list, dict))))
    if not all(isinstance(values, (set, frozenset)) for values in (field.truthy, field.falsy)):
        return (_NONE,)
    is_kept = all(field._serialize(value, None, None) is value for value in (True, False))
    return (_NONE, Accepted(bool)) if is_kept else (_NONE,)


_ISO: dict[Any, type] = {
    dt.datetime.isoformat: dt.datetime,
    dt.date.isoformat: dt.date,
    dt.time.isoformat: dt.time,
}
if hasattr(utils, "isoformat"):  # marshmallow 3
    _OF_VERSION_3 = {"isoformat": dt.datetime, "to_iso_date": dt.date, "to_iso_time": dt.time}
    _ISO |= {getattr(utils, _name): _kind for _name, _kind in _OF_VERSION_3.items()}


def _moment(basis: Basis, number: int) -> tuple[Accepted, ...]:
    field = basis.objects[number]
    functions = field.SERIALIZATION_FUNCS
    basis.watch_shared(functions)
    kind = _ISO.get(functions.get(field.format or field.DEFAULT_FORMAT))
    return (_NONE, Accepted(kind, "iso")) if kind is not None else (_NONE,)


def _none_only(basis: Basis, number: int) -> tuple[Accepted, ...]:
    return (_NONE,)


def _address(basis: Basis, number: int) -> tuple[Accepted, ...]:
    text = attrgetter("exploded" if basis.objects[number].exploded else "compressed")
    return (_NONE, *(Accepted(cls, "call", validator=text) for cls in _ADDRESSES))


_ADDRESSES = (ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Interface, ipaddress.IPv6Interface)


def _enum(basis: Basis, number: int) -> tuple[Accepted, ...]:
    field = basis.objects[number]
    cls = field.enum
    name = "value" if field.by_value else "name"
    if field.by_value not in (True, False):
        inner = basis.add(number, "field")
        if not read_acceptance(basis, inner)[1]:
            raise _NotKnownError
        return (_NONE,)
    if inspect.getattr_static(cls, name, None) is not inspect.getattr_static(enum.Enum, name):
        return (_NONE,)
    return (_NONE, Accepted(cls, "call", validator=attrgetter(f"_{name}_")))


def _list(basis: Basis, number: int) -> tuple[Accepted, ...]:
    inner, is_known = read_acceptance(basis, basis.add(number, "inner"))
    if not is_known:
        raise _NotKnownError
    if inner == ():
        return (_NONE,)
    return (_NONE, *(Accepted(cls, "items", inner=inner) for cls in (list, tuple)))


def _tuple(basis: Basis, number: int) -> tuple[Accepted, ...]:
    for place in range(len(basis.objects[number].tuple_fields)):
        if not read_acceptance(basis, basis.add(number, "tuple_fields", place))[1]:
            raise _NotKnownError
    return (_NONE,)


def _mapping(basis: Basis, number: int) -> tuple[Accepted, ...]:
    field = basis.objects[number]
    parts = [(name, getattr(field, name)) for name in ("key_field", "value_field")]
    found: dict[str, Acceptance] = {}
    for name, part in parts:
        if part:
            found[name], is_known = read_acceptance(basis, basis.add(number, name))
            if not is_known:
                raise _NotKnownError
    if field.mapping_type is not dict:
        return (_NONE,)
    if not found:
        return (_NONE, Accepted(dict, "call", validator=dict))
    if found.get("key_field", _TEXT) is not _TEXT or found.get("value_field") == ():
        return (_NONE,)
    return (_NONE, Accepted(dict, "values", inner=found.get("value_field")))


def _nested(basis: Basis, number: int) -> tuple[Accepted, ...]:
    return ()


def _own(cls: Any, name: str) -> Any:
    return inspect.getattr_static(cls, name)


_NUMBER_FORMAT = _own(fields.Number, "_format_num")
_NUMBER_TEXT = _own(fields.Number, "_to_string")
_DECIMAL_FORMAT = _own(fields.Decimal, "_format_num")
_DECIMAL_TEXT = _own(fields.Decimal, "_to_string")

_VALUES: dict[Any, _Values] = {
    _own(fields.Field, "_serialize"): _any,
    _own(fields.String, "_serialize"): _text,
    _own(fields.UUID, "_serialize"): _uuid,
    _own(fields.Number, "_serialize"): _number,
    _own(fields.DateTime, "_serialize"): _moment,
    _own(fields.TimeDelta, "_serialize"): _none_only,
    _own(fields.IP, "_serialize"): _address,
    _own(fields.IPInterface, "_serialize"): _address,
    _own(fields.Enum, "_serialize"): _enum,
    _own(fields.List, "_serialize"): _list,
    _own(fields.Tuple, "_serialize"): _tuple,
    _own(fields.Mapping, "_serialize"): _mapping,
    _own(fields.Nested, "_serialize"): _nested,
    _own(fields.Pluck, "_serialize"): _nested,
}
if _own(fields.Boolean, "_serialize") is not _own(fields.Field, "_serialize"):
    _VALUES[_own(fields.Boolean, "_serialize")] = _boolean
