"""What the installed pydantic does: its version, and which of its formats are those of the core."""

from __future__ import annotations

import datetime
import decimal
import json
import uuid
from typing import Any

import pydantic
from pydantic_core import SchemaError, SchemaSerializer, SchemaValidator, ValidationError

from ssrjson_web._core import Encoder
from ssrjson_web._models.floats import layout_of_pydantic

__all__ = [
    "FLOATS",
    "IS_ANY_KNOWN",
    "KEEPS_NUMBERS",
    "KNOWN",
    "KNOWS_CONFIGURED_ALIAS",
    "LEAVES_INTS",
    "READ_ALIKE",
    "SCALARS",
    "writes_alike",
]

SCALARS: dict[str, tuple[type, list[Any]]] = {
    "bool": (bool, []),
    "int": (int, []),
    "str": (str, []),
    "decimal": (decimal.Decimal, [decimal.Decimal("1.50"), decimal.Decimal("1E+5"), decimal.Decimal("-0")]),
    "bytes": (bytes, [b"", "é".encode()]),
    "date": (datetime.date, [datetime.date(999, 1, 2)]),
    "time": (datetime.time, [datetime.time(1, 2, 3), datetime.time(1, 2, 3, 40, datetime.timezone.utc)]),
    "datetime": (
        datetime.datetime,
        [
            datetime.datetime(999, 1, 2, 3, 4, 5),
            datetime.datetime(2020, 1, 2, 3, 4, 5, 600, datetime.timezone.utc),
            *(
                datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(seconds=seconds)))
                for seconds in (-19807, -1800, -59.5)
            ),
        ],
    ),
    "timedelta": (
        datetime.timedelta,
        [
            datetime.timedelta(),
            datetime.timedelta(days=730, hours=-25, microseconds=500_000),
            datetime.timedelta(days=365),
            datetime.timedelta(microseconds=-1),
        ],
    ),
    "uuid": (uuid.UUID, [uuid.UUID(int=5)]),
}
"""The exact type of each scalar schema, and sample values whose text shows this pydantic's formats."""


def writes_alike(kind: str, values: list[Any], config: Any = None) -> bool:
    """Whether this pydantic writes values of a schema as the core's `models=True` does."""
    encoder = Encoder(models=True)
    schema: Any = {"type": kind}
    try:
        serializer = SchemaSerializer(schema, config)
    except SchemaError:
        return False  # this pydantic is older than the schema
    return all(serializer.to_json(value) == encoder.encode(value) for value in values)


def _union(*kinds: str) -> SchemaSerializer:
    choices: Any = [{"type": kind} for kind in kinds]
    return SchemaSerializer({"type": "union", "choices": choices})


KNOWN = frozenset(name for name, (_, samples) in SCALARS.items() if writes_alike(name, samples))
"""Scalar schemas whose values the core writes as this pydantic does."""
IS_ANY_KNOWN = writes_alike("any", [value for _, samples in SCALARS.values() for value in samples])
"""Whether the core writes values of no declared type as this pydantic does."""
_VERSION = tuple(map(int, pydantic.VERSION.split(".")[:2]))
KNOWS_CONFIGURED_ALIAS = _VERSION >= (2, 11)
"""Whether models have `serialize_by_alias`, and `by_alias=None` means what it says."""
LEAVES_INTS = type(SchemaSerializer({"type": "float"}).to_python(0, mode="json")) is int
"""Whether dump_python keeps an int in a float field, where dump_json writes a float."""
KEEPS_NUMBERS = [_union("float", "int").to_json(1), _union("int", "bool").to_json(True)] == [b"1", b"true"]
"""Whether a union serializes numbers only by the choice of exactly their type."""
FLOATS = layout_of_pydantic()
"""How this pydantic lays out floats: the core's option `floats`."""
_NUMBERS = ("0", "1", "-1", str(2**63 - 1), str(2**64), "1" + "0" * 30, "-0.0", "1.5", "1e22", "1e400", "NaN")
_JSON_SAMPLES = (
    *("null", "true", "false", "[]", "{}", *_NUMBERS, *(f'"{number}"' for number in _NUMBERS)),
    *('""', '"a"', '"true"', '"2020-01-02"', '"2020-01-02T03:04:05.5Z"', '"03:04:05.5"', '"P1DT2H"', '"http://a.de"'),
    '"12345678123456781234567812345678"',
)


def _is_read_alike(validator: SchemaValidator, text: str) -> bool:
    try:
        made = validator.validate_python(json.loads(text))
    except ValidationError:
        return True
    try:
        of_json = validator.validate_json(text)
    except ValidationError:
        return False
    return type(made) is type(of_json) and repr(made) == repr(of_json)


def _reads_alike(kind: str) -> bool:
    """Whether this pydantic makes of JSON what it makes of the decoded value, wherever it accepts the latter."""
    schema: Any = {"type": kind}
    try:
        validator = SchemaValidator(schema)
    except SchemaError:
        return False
    return all(_is_read_alike(validator, text) for text in _JSON_SAMPLES)


READ_ALIKE = frozenset(
    filter(
        _reads_alike,
        ("any", "bool", "float", "int", "none", "str", "date", "datetime", "time", "timedelta", "uuid", "url"),
    )
)
"""Scalar schemas that make the same of JSON and of the value that it is decoded to."""
