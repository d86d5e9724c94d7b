"""Fields of numbers."""

from __future__ import annotations

import decimal
import inspect
from typing import Any

from ssrjson_web._known.functions import stands_in_for
from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web.marshmallow._basis import Basis
from ssrjson_web.marshmallow._fields.describer import NULL, OF, Loaded, stock
from ssrjson_web.marshmallow._fields.validators import NotKnownError
from ssrjson_web.marshmallow._stock import own_name

__all__ = ["DECIMAL_DIGITS"]

DECIMAL_DIGITS = 28
"""The digits of a Decimal that is padded: those of the usual context."""


def _read_number(basis: Basis, number: int) -> Acceptance:
    field = basis.objects[number]
    called = tuple(own_name(type(field), name) for name in ("_format_num", "_to_string"))
    if called == (f"{OF}Decimal._format_num", f"{OF}Decimal._to_string"):
        return _read_decimal(field)
    if called != (f"{OF}Number._format_num", f"{OF}Number._to_string"):
        raise NotKnownError
    kind = inspect.getattr_static(type(field), "num_type", None)
    if kind is int:
        return (NULL, Accepted(int, "call", validator=str) if field.as_string else Accepted(int))
    if kind is float:
        if field.as_string:
            return (NULL, Accepted(float, "call", validator=str))
        return (NULL, Accepted(float), Accepted(int, "call", validator=float))
    return (NULL,)


def _load_number(basis: Basis, number: int) -> Loaded:
    field = basis.objects[number]
    cls = type(field)
    kind = inspect.getattr_static(cls, "num_type", None), own_name(cls, "_validated"), own_name(cls, "_format_num")
    if kind == (int, f"{OF}Integer._validated", f"{OF}Number._format_num"):
        return (Accepted(int),) if field.strict else (Accepted(int), Accepted(str, "call", validator=int))
    if kind == (float, f"{OF}Float._validated", f"{OF}Number._format_num"):
        of_float = Accepted(float, "float" if field.allow_nan is False else "type")
        return of_float, Accepted(int, "call", validator=float)
    if kind == (decimal.Decimal, f"{OF}Decimal._validated", f"{OF}Decimal._format_num"):
        return _load_decimal(field)
    return ()


stock("Number", reads=_read_number, loads=_load_number)
for _name in ("Number", "Decimal"):
    stands_in_for(f"{OF}{_name}._to_string", left="what such fields dump")
    stands_in_for(f"{OF}{_name}._format_num", left="what such fields dump and load")
stands_in_for(
    *(f"{OF}{name}._validated" for name in ("Number", "Integer", "Float", "Decimal")), left="what such fields load"
)

# ---- Decimals -----------------------------------------------------------------------------------


def _n_places(field: Any) -> int | None:
    """The digits after the point that a field rounds to; None: it has too many, or rounds in another way."""
    digits, n_places = field.places.as_tuple().digits, -field.places.as_tuple().exponent
    return n_places if 0 <= n_places <= 15 and digits == (1,) else None


def _read_decimal(field: Any) -> Acceptance:
    if field.allow_nan:
        return (NULL,)
    if field.places is None:
        return (NULL, Accepted(decimal.Decimal, "decimal_text" if field.as_string else "type"))
    n_places = _n_places(field)
    if not field.as_string or n_places is None:
        return (NULL,)
    return (NULL, Accepted(decimal.Decimal, "decimal_text", least=DECIMAL_DIGITS, greatest=n_places))


def _load_decimal(field: Any) -> Loaded:
    if field.places is None:
        text = Accepted(str, "call", validator=_finite_decimal)
        return text, Accepted(int, "call", validator=_decimal_of), Accepted(float, "call", validator=_finite_decimal_of)
    n_places = _n_places(field)
    if n_places is None:
        return ()
    return tuple(Accepted(cls, "decimal", least=12, greatest=n_places) for cls in (str, int, float))


def _finite_decimal(text: str) -> decimal.Decimal:
    number = decimal.Decimal(text)
    if not number.is_finite():
        raise ValueError(text)
    return number


def _decimal_of(number: int) -> decimal.Decimal:
    return decimal.Decimal(str(number))


def _finite_decimal_of(number: float) -> decimal.Decimal:
    return _finite_decimal(str(number))
