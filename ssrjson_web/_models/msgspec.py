"""msgspec.Struct classes: the fields under their encoded names, as `msgspec.json.encode` takes them.

The core writes the values that it writes exactly as msgspec does. This module converts all others: containers and
objects to JSON's own types, scalars to msgspec's text. A value that msgspec refuses is left to the core or its hook.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import sys
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from ssrjson_web._core import Encoder, Fragment
from ssrjson_web._models.language import Accepted, Rule
from ssrjson_web._models.plan import Plan, PlanField

_PLAIN = (str, int, bool, type(None))
_SCALARS = (
    float,
    bytes,
    bytearray,
    memoryview,
    datetime.datetime,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    uuid.UUID,
    decimal.Decimal,
)
_UTC = datetime.timezone.utc
_SAMPLES: dict[type, list[Any]] = {
    datetime.datetime: [
        datetime.datetime(999, 1, 2, 3, 4, 5),
        datetime.datetime(2020, 1, 2, 3, 4, 5, 600, _UTC),
    ],
    datetime.date: [datetime.date(999, 1, 2)],
    datetime.time: [datetime.time(1, 2, 3), datetime.time(1, 2, 3, 40, _UTC)],
    uuid.UUID: [uuid.UUID(int=5)],
    decimal.Decimal: [decimal.Decimal(text) for text in ("1.50", "1E+5", "-0", "NaN", "-Infinity", "sNaN")],
}
"""Sample values. Their text shows which types this msgspec writes as the core does. Zones other than UTC may differ."""


def _is_written_alike(samples: list[Any]) -> bool:
    encoder = Encoder(models=True)
    return all(msgspec.json.encode(value) == encoder.encode(value) for value in samples)


_RULE: Rule = (
    Accepted(object, "as_msgspec"),
    *(Accepted(cls) for cls, samples in _SAMPLES.items() if _is_written_alike(samples)),
)


def _key(key: Any) -> str:
    """A key of a dict as text. Raises TypeError for a key that msgspec refuses."""
    if type(key) is str:
        return key
    text: str = msgspec.json.decode(msgspec.json.encode({key: None})[1:-6])
    return text


def _converted_dict(value: dict[Any, Any]) -> Any:
    content = {_key(key): _converted(item) for key, item in value.items()}
    # 1 and "1" have the same text
    return content if len(content) == len(value) else Fragment(msgspec.json.encode(value))


def _attributes(value: Any) -> Iterator[str]:
    """The names of the attributes that msgspec reads from a dataclass or attrs object."""
    if dataclasses.is_dataclass(value):
        yield from (field.name for field in dataclasses.fields(value))
        return
    own = getattr(value, "__dict__", ())
    yield from (name for name in own if not name.startswith("_"))
    slots = (attribute.name for attribute in type(value).__attrs_attrs__)
    yield from (name for name in slots if name not in own and not name.startswith("_"))


def _converted(value: Any) -> Any:
    """The replacement of a value within a Struct, which the core can write."""
    cls = type(value)
    if cls in _PLAIN or isinstance(value, msgspec.Struct):
        return value
    if cls in _SCALARS:
        return Fragment(msgspec.json.encode(value))
    if isinstance(value, dict):
        return _converted_dict(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_converted(item) for item in value]
    if isinstance(value, msgspec.Raw):
        return Fragment(bytes(value))
    if isinstance(value, enum.Enum):
        return _converted(value.value)
    if not isinstance(value, type) and (dataclasses.is_dataclass(value) or hasattr(cls, "__attrs_attrs__")):
        pairs = ((name, getattr(value, name)) for name in _attributes(value))
        return {name: _converted(item) for name, item in pairs if item is not msgspec.UNSET}
    return value


def _convert(value: Any, *_options: bool | None) -> Any:
    """A field's value as the core can write it."""
    return _converted(value)


def _is_default(value: Any, field: msgspec.structs.FieldInfo) -> bool:
    """Whether `omit_defaults` leaves a value out: the default object itself, or an empty container equal to it."""
    if value is field.default:
        return True
    factory = field.default_factory
    return type(value) is factory and factory in (list, dict, set) and not value


def _object_convert(cls: type[msgspec.Struct]) -> Callable[..., Any]:
    """A function that converts an object of a Struct with a tag, or one that leaves out defaults."""
    config = cls.__struct_config__
    fields = msgspec.structs.fields(cls)

    def convert(struct: Any, *_options: bool | None) -> Any:
        values = [(field, getattr(struct, field.name)) for field in fields]
        if config.array_like:
            items = [_converted(value) for _, value in values]
            return items if config.tag is None else [config.tag, *items]
        content = {} if config.tag is None else {config.tag_field: config.tag}
        for field, value in values:
            if value is not msgspec.UNSET and not (config.omit_defaults and _is_default(value, field)):
                content[field.encode_name] = _converted(value)
        return content

    return convert


def plan_of(cls: type[msgspec.Struct]) -> Plan:
    """The plan of a Struct. Objects with tags, as arrays, or without defaults are converted one at a time."""
    config = cls.__struct_config__
    if config.tag is not None or config.array_like or config.omit_defaults:
        return Plan("opaque", convert=_object_convert(cls))
    names = zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True)
    fields = tuple(PlanField(sys.intern(name), key, key, _RULE, _convert) for name, key in names)
    return Plan("attributes", fields, unset=msgspec.UNSET)
