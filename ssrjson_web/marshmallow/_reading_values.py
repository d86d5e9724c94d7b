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

from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web._plans.known import stands_in_for
from ssrjson_web.marshmallow._stock import is_instance_changed, library_name, own_name
from ssrjson_web.marshmallow._watch import Basis

__all__ = ["DECIMAL_DIGITS", "read_acceptance"]

DECIMAL_DIGITS = 28
"""The digits of a Decimal that is padded: those of the usual context."""

_NONE = Accepted(NoneType)
_TEXT = (_NONE, Accepted(str), Accepted(uuid.UUID, "uuid_text"))
_Values = Callable[[Basis, int], "tuple[Accepted, ...] | None"]
_OF = "marshmallow.fields."


def read_acceptance(basis: Basis, number: int) -> tuple[tuple[Accepted, ...] | None, bool]:
    """What a field's own `_serialize` makes of values, and whether that is known at all.

    Where it is known, the acceptance leaves out whatever it cannot say, and None means any value.
    """
    field = basis.objects[number]
    values = _VALUES.get(own_name(type(field), "_serialize"))
    if values is None or is_instance_changed(field):
        return (), False
    basis.watch_field(number)
    try:
        return values(basis, number), True
    except _NotKnownError:
        return (), False


class _NotKnownError(Exception):
    """Raised for a field that looks at more than its value."""


def _any(basis: Basis, number: int) -> None:
    return None


def _text(basis: Basis, number: int) -> tuple[Accepted, ...]:
    basis.watch_functions("marshmallow.utils", "ensure_text_type")
    return _TEXT


def _uuid(basis: Basis, number: int) -> tuple[Accepted, ...]:
    return _TEXT


def _number(basis: Basis, number: int) -> tuple[Accepted, ...]:
    field = basis.objects[number]
    called = tuple(own_name(type(field), name) for name in ("_format_num", "_to_string"))
    if called == (f"{_OF}Decimal._format_num", f"{_OF}Decimal._to_string"):
        return _decimal(field)
    if called != (f"{_OF}Number._format_num", f"{_OF}Number._to_string"):
        raise _NotKnownError
    kind = inspect.getattr_static(type(field), "num_type", None)
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
_ISO_OF_VERSION_3 = {
    "marshmallow.utils.isoformat": dt.datetime,
    "marshmallow.utils.to_iso_date": dt.date,
    "marshmallow.utils.to_iso_time": dt.time,
}


def _moment(basis: Basis, number: int) -> tuple[Accepted, ...]:
    field = basis.objects[number]
    functions = field.SERIALIZATION_FUNCS
    basis.watch_shared(functions)
    function = functions.get(field.format or field.DEFAULT_FORMAT)
    kind = _ISO.get(function) or _ISO_OF_VERSION_3.get(library_name(function))
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
    if not read_acceptance(basis, basis.add(number, "field"))[1]:
        raise _NotKnownError
    if field.by_value not in (True, False):
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
    if getattr(field, "mapping_type", None) is not dict:
        return (_NONE,)
    if not found:
        return (_NONE, Accepted(dict, "call", validator=dict))
    if found.get("key_field", _TEXT) is not _TEXT or found.get("value_field") == ():
        return (_NONE,)
    return (_NONE, Accepted(dict, "values", inner=found.get("value_field")))


def _nested(basis: Basis, number: int) -> tuple[Accepted, ...]:
    return ()


_VALUES: dict[str, _Values] = {
    "marshmallow.fields.Field._serialize": _any,
    "marshmallow.fields.String._serialize": _text,
    "marshmallow.fields.UUID._serialize": _uuid,
    "marshmallow.fields.Number._serialize": _number,
    "marshmallow.fields.Boolean._serialize": _boolean,
    "marshmallow.fields.DateTime._serialize": _moment,
    "marshmallow.fields._TemporalField._serialize": _moment,
    "marshmallow.fields.TimeDelta._serialize": _none_only,
    "marshmallow.fields.IP._serialize": _address,
    "marshmallow.fields.IPInterface._serialize": _address,
    "marshmallow.fields.Enum._serialize": _enum,
    "marshmallow.fields.List._serialize": _list,
    "marshmallow.fields.Tuple._serialize": _tuple,
    "marshmallow.fields.Mapping._serialize": _mapping,
    "marshmallow.fields.Nested._serialize": _nested,
    "marshmallow.fields.Pluck._serialize": _nested,
}
stands_in_for(*_VALUES, *_ISO_OF_VERSION_3, "marshmallow.utils.ensure_text_type", left="what such fields dump")
stands_in_for(
    *(f"{_OF}{name}.{method}" for name in ("Number", "Decimal") for method in ("_format_num", "_to_string")),
    left="what such fields dump",
)
