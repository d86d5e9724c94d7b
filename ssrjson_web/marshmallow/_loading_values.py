"""What becomes of the values that fields deserialize: the `Acceptance` of each of marshmallow's field classes.

Nothing of the user's is called: where a value is not accepted, marshmallow deserializes it from the start.
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import functools
import inspect
import ipaddress
import uuid
from collections.abc import Callable
from types import NoneType
from typing import Any

from marshmallow import RAISE, Schema, missing, utils
from marshmallow.decorators import POST_LOAD, PRE_LOAD, VALIDATES, VALIDATES_SCHEMA

from ssrjson_web._models.language import REFUSE, Accepted, LoadField, LoadRecord
from ssrjson_web._plans.known import stands_in_for
from ssrjson_web.marshmallow._load_key import LoadKey, load_key
from ssrjson_web.marshmallow._stock import (
    IS_VERSION_3,
    OF_FIELD_LOAD,
    OF_LOAD,
    field_keeps,
    has_hooks,
    is_instance_changed,
    is_served,
    library_name,
    own_dict_class,
    own_name,
    schema_keeps,
)
from ssrjson_web.marshmallow._validators import with_validators
from ssrjson_web.marshmallow._watch import Basis

__all__ = ["check_targets", "checked_by_core", "load_acceptance"]

_NONE = Accepted(NoneType)
_Values = tuple[Accepted, ...]
_OF = "marshmallow.fields."
_Makers = Callable[[Basis, int], _Values]


class _NotKnownError(Exception):
    """Raised for a field that looks at more than its value."""


def load_acceptance(basis: Basis, number: int) -> tuple[_Values, bool]:
    """What a field's `_deserialize` makes of values, without its validators, and whether that is known at all."""
    field = basis.objects[number]
    values = _VALUES.get(own_name(type(field), "_deserialize"))
    if values is None or is_instance_changed(field) or not field_keeps(type(field), *OF_FIELD_LOAD):
        return (), False
    basis.watch_field(number)
    try:
        return values(basis, number), True
    except _NotKnownError:
        return (), False


def checked_by_core(basis: Basis, number: int, values: _Values) -> _Values | None:
    """What a field accepts with its validators; None where they must be called."""
    field = basis.objects[number]
    return None if getattr(field, "post_load", None) else with_validators(basis, values, field.validators)


def _inner(basis: Basis, number: int) -> _Values:
    """What an inner field accepts. Raises _NotKnownError where something of the user's is called."""
    values, is_known = load_acceptance(basis, number)
    field = basis.objects[number]
    if not is_known or getattr(field, "pre_load", None):
        raise _NotKnownError
    checked = checked_by_core(basis, number, values)
    if checked is None:
        raise _NotKnownError
    return (*checked, _NONE) if field.allow_none else checked


def _any(basis: Basis, number: int) -> _Values:
    return tuple(Accepted(cls) for cls in (str, int, float, bool, list, dict))


def _text(basis: Basis, number: int) -> _Values:
    return (Accepted(str),)


def _uuid(basis: Basis, number: int) -> _Values:
    if own_name(type(basis.objects[number]), "_validated") != f"{_OF}UUID._validated":
        raise _NotKnownError
    return (Accepted(str, "uuid", validator=uuid.UUID), Accepted(uuid.UUID))


def _number(basis: Basis, number: int) -> _Values:
    field = basis.objects[number]
    cls = type(field)
    kind = inspect.getattr_static(cls, "num_type", None), own_name(cls, "_validated"), own_name(cls, "_format_num")
    if kind == (int, f"{_OF}Integer._validated", f"{_OF}Number._format_num"):
        return (Accepted(int),) if field.strict else (Accepted(int), Accepted(str, "call", validator=int))
    if kind == (float, f"{_OF}Float._validated", f"{_OF}Number._format_num"):
        of_float = Accepted(float, "float" if field.allow_nan is False else "type")
        return of_float, Accepted(int, "call", validator=float)
    if kind == (decimal.Decimal, f"{_OF}Decimal._validated", f"{_OF}Decimal._format_num"):
        return _decimal(field)
    return ()


def _decimal(field: Any) -> _Values:
    if field.places is None:
        text = Accepted(str, "call", validator=_finite_decimal)
        return text, Accepted(int, "call", validator=_decimal_of), Accepted(float, "call", validator=_finite_decimal_of)
    n_places = -field.places.as_tuple().exponent
    if not 0 <= n_places <= 15 or field.places.as_tuple().digits != (1,):
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


def _boolean(basis: Basis, number: int) -> _Values:
    field = basis.objects[number]
    for values in (field.truthy, field.falsy):
        if type(values) is not set or not all(type(value) in (str, int, float, bool, NoneType) for value in values):
            return ()
        basis.watch_shared(values)
    if not field.truthy:
        return (Accepted(bool),)
    mapping = {**dict.fromkeys(field.falsy, False), **dict.fromkeys(field.truthy, True)}
    return tuple(
        Accepted(cls, "mapped", mapping={value: to for value, to in mapping.items() if _is_like(cls, value)})
        for cls in (bool, int, str)
    )


def _is_like(cls: type, value: Any) -> bool:
    """Whether a value of exactly this type may be equal to it."""
    return isinstance(value, str) == (cls is str) and value is not None


_DATES = {"datetime": dt.datetime, "date": dt.date, "time": dt.time}


def _moment(basis: Basis, number: int) -> _Values:
    field = basis.objects[number]
    basis.watch_shared(field.DESERIALIZATION_FUNCS)
    function = field.DESERIALIZATION_FUNCS.get(field.format or field.DEFAULT_FORMAT)
    cls = _DATES.get(field.OBJ_TYPE)
    parse = _PARSERS.get(function) or _PARSERS_3.get(library_name(function))
    if parse is None or cls is None:
        return ()
    made = {dt.datetime: (dt.datetime,), dt.date: (dt.date, dt.datetime), dt.time: (dt.time,)}[cls]
    return (Accepted(str, "call", validator=parse), *(map(Accepted, made) if _KEEPS_MOMENTS else ()))


def _naive(basis: Basis, number: int) -> _Values:
    return _with_known_awareness(_moment(basis, number), is_aware=False)


def _aware(basis: Basis, number: int) -> _Values:
    return _with_known_awareness(_moment(basis, number), is_aware=True)


def _with_known_awareness(values: _Values, *, is_aware: bool) -> _Values:
    return tuple(
        accepted._replace(validator=functools.partial(_parse_with_awareness, is_aware, accepted.validator))
        for accepted in values
        if accepted.exact_type is str
    )


def _parse_with_awareness(is_aware: bool, parse: Any, text: str) -> dt.datetime:
    made: dt.datetime = parse(text)
    if utils.is_aware(made) is not is_aware:
        raise ValueError(text)
    return made


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


_PARSERS: dict[Any, Callable[[str], Any]] = {
    dt.datetime.fromisoformat: dt.datetime.fromisoformat,
    dt.date.fromisoformat: dt.date.fromisoformat,
    dt.time.fromisoformat: dt.time.fromisoformat,
}
_KEEPS_MOMENTS = not hasattr(utils, "from_iso_datetime")
"""Whether fields take what is a datetime already, as marshmallow 4 does."""
_PARSERS_3: dict[str, Callable[[str], Any]] = {}
if not _KEEPS_MOMENTS:
    _PARSERS = {}
    _PARSERS_3 = {
        "marshmallow.utils.from_iso_datetime": _datetime_3,
        "marshmallow.utils.from_iso_date": _date_3,
        "marshmallow.utils.from_iso_time": utils.from_iso_time,  # type: ignore[attr-defined]
    }


def _enum(basis: Basis, number: int) -> _Values:
    field = basis.objects[number]
    cls = field.enum
    metaclass = type(cls)
    if not load_acceptance(basis, basis.add(number, "field"))[1]:
        raise _NotKnownError
    if field.by_value not in (True, False):
        return ()
    member = () if IS_VERSION_3 else (Accepted(cls),)
    static = inspect.getattr_static
    if any(static(metaclass, name) is not static(enum.EnumMeta, name) for name in ("__getitem__", "__call__")):
        return member
    if not field.by_value:
        mapping = {name: getattr(cls, name) for name in cls.__members__} if IS_VERSION_3 else dict(cls.__members__)
        return Accepted(str, "mapped", mapping=mapping), *member
    by_type = [(of, {m.value: m for m in cls if type(m.value) is of}) for of in (str, int)]
    if any(type(member.value) not in (str, int) for member in cls):
        by_type = []  # a value of another type may be equal to one of these
    return (*(Accepted(of, "mapped", mapping=members) for of, members in by_type if members), *member)


def _addresses(basis: Basis, number: int) -> _Values:
    cls = getattr(basis.objects[number], "DESERIALIZATION_CLASS", None)
    if cls not in (None, ipaddress.IPv4Address, ipaddress.IPv6Address):
        return ()
    return (Accepted(str, "call", validator=cls or ipaddress.ip_address),)


def _interfaces(basis: Basis, number: int) -> _Values:
    cls = getattr(basis.objects[number], "DESERIALIZATION_CLASS", None)
    if cls not in (None, ipaddress.IPv4Interface, ipaddress.IPv6Interface):
        return ()
    return (Accepted(str, "call", validator=cls or ipaddress.ip_interface),)


def _timedelta(basis: Basis, number: int) -> _Values:
    field = basis.objects[number]
    kind = getattr(field, "serialization_type", float)
    make = functools.partial(_make_timedelta, field.precision, kind)
    return tuple(Accepted(cls, "call", validator=make) for cls in (int, float, str))


def _make_timedelta(precision: str, kind: type, value: Any) -> dt.timedelta:
    return dt.timedelta(**{precision: kind(value)})


def _list(basis: Basis, number: int) -> _Values:
    inner = _inner(basis, basis.add(number, "inner"))
    return (Accepted(list, "items", inner=inner),) if inner else ()


def _tuple(basis: Basis, number: int) -> _Values:
    for place in range(len(basis.objects[number].tuple_fields)):
        _inner(basis, basis.add(number, "tuple_fields", place))
    return ()


def _mapping(basis: Basis, number: int) -> _Values:
    field = basis.objects[number]
    found = {}
    for name in ("key_field", "value_field"):
        if getattr(field, name):
            found[name] = _inner(basis, basis.add(number, name))
    if getattr(field, "mapping_type", None) is not dict:
        return ()
    if not found:
        return (Accepted(dict, "call", validator=dict),)
    if found.get("key_field", _KEYS) != _KEYS or found.get("value_field") == ():
        return ()
    return (Accepted(dict, "values", inner=found.get("value_field")),)


_KEYS = (Accepted(str),)


def _nested(basis: Basis, number: int) -> _Values:
    """A schema of which nothing calls code of the user. Where a part does not fit, marshmallow loads all of it."""
    field = basis.objects[number]
    called = {name: own_name(type(field), name) for name in ("schema", "_load", "_test_collection")}
    if any(called[name] != f"{_OF}Nested.{name}" for name in called):
        raise _NotKnownError
    if not basis.has_room() or _level(basis, number) >= _MAX_NESTED:
        return ()
    if field._schema is None:
        basis.awaited.append(number)
        return ()
    schema = field._schema
    key = load_key(
        schema.partial if basis.partial is None else basis.partial,
        schema.unknown if field.unknown is None else field.unknown,
    )
    if key is None or not _loads_by_fields(schema) or bool(schema.many) is not bool(schema.many or field.many):
        return ()
    if not key.drops_unknown and (schema.unknown if field.unknown is None else field.unknown) != RAISE:
        return ()
    place = basis.add(number, "_schema")
    basis.watch_schema(place)
    basis.watch_attributes(place, "partial", "unknown")
    partial = basis.partial
    try:
        record = _record(basis, place, key)
    except _NotKnownError:
        return ()
    finally:
        basis.partial = partial
    return (Accepted(list if schema.many else dict, "load", record=record),)


_MAX_NESTED = 4
"""Levels of schemas within schemas that are described."""


def _level(basis: Basis, number: int) -> int:
    """How many schemas are around a field."""
    return sum(isinstance(basis.objects[around], Schema) for around in basis.origins(number))


def _loads_by_fields(schema: Any) -> bool:
    """Whether `load` of a schema is what its fields make, and nothing else."""
    return (
        schema_keeps(type(schema), *OF_LOAD)
        and not has_hooks(schema, PRE_LOAD, POST_LOAD, VALIDATES, VALIDATES_SCHEMA)
        and not is_instance_changed(schema)
        and is_served(type(schema))
        and own_dict_class(schema) is dict
        and type(schema.load_fields) is dict
    )


def _record(basis: Basis, place: int, key: LoadKey) -> LoadRecord:
    """What a schema within a schema loads: the whole value is left to marshmallow where anything is not right."""
    made = tuple(_field(basis, place, name, key) for name in basis.objects[place].load_fields)
    try:
        check_targets([field.target for field in made])
    except TypeError:
        raise _NotKnownError from None
    return LoadRecord(made, missing, missing, -1, -1, -1, unknown=-1 if key.drops_unknown else REFUSE)


def _field(basis: Basis, place: int, name: str, key: LoadKey) -> LoadField:
    number = basis.add(place, "load_fields", name)
    field = basis.objects[number]
    data_key = field.data_key if field.data_key is not None else name
    basis.partial = key.passed_on(name, data_key).get("partial")
    accepted = _inner(basis, number)
    may_be_absent = key.leaves_out(name)
    default: tuple[()] | tuple[Any] = ()
    if not may_be_absent and not field.required:
        if callable(field.load_default):
            raise _NotKnownError
        may_be_absent = field.load_default is missing
        default = () if may_be_absent else (field.load_default,)
    target = tuple((field.attribute or name).split("."))
    return LoadField(data_key, target, accepted, -1, default=default, may_be_absent=may_be_absent)


def check_targets(targets: list[tuple[str, ...]]) -> None:
    """Raise TypeError where the dict that a dotted attribute is put into may be a value of another field."""
    known = set(targets)
    for target in targets:
        if any(target[:n] in known for n in range(1, len(target))):
            raise TypeError("an attribute with a dot is within that of another field")


_VALUES: dict[str, _Makers] = {
    "marshmallow.fields.Field._deserialize": _any,
    "marshmallow.fields.String._deserialize": _text,
    "marshmallow.fields.UUID._deserialize": _uuid,
    "marshmallow.fields.Number._deserialize": _number,
    "marshmallow.fields.Boolean._deserialize": _boolean,
    "marshmallow.fields.DateTime._deserialize": _moment,
    "marshmallow.fields._TemporalField._deserialize": _moment,
    "marshmallow.fields.NaiveDateTime._deserialize": _naive,
    "marshmallow.fields.AwareDateTime._deserialize": _aware,
    "marshmallow.fields.TimeDelta._deserialize": _timedelta,
    "marshmallow.fields.IP._deserialize": _addresses,
    "marshmallow.fields.IPInterface._deserialize": _interfaces,
    "marshmallow.fields.Enum._deserialize": _enum,
    "marshmallow.fields.List._deserialize": _list,
    "marshmallow.fields.Tuple._deserialize": _tuple,
    "marshmallow.fields.Mapping._deserialize": _mapping,
    "marshmallow.fields.Nested._deserialize": _nested,
}
stands_in_for(
    *(*_VALUES, *_PARSERS_3, "marshmallow.utils.ensure_text_type"),
    *(f"{_OF}{name}._validated" for name in ("UUID", "Number", "Integer", "Float", "Decimal")),
    *(f"{_OF}{name}._format_num" for name in ("Number", "Decimal")),
    *(f"{_OF}Nested.{name}" for name in ("schema", "_load", "_test_collection")),
    left="what such fields load",
)
