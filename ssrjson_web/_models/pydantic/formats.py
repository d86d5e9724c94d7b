"""Formats that a config gives to what is written: `ser_json_timedelta` and the like.

A value of a declared type is written in the formats of the config around it: of its model, dataclass or TypedDict, or
of what has that within. A value of no declared type is written in those of the outermost serializer, the root.
"""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from pydantic_core import SchemaError, SchemaSerializer

from ssrjson_web._core import Encoder
from ssrjson_web._models.pydantic.features import FLOATS, KNOWN, SCALARS, writes_alike

__all__ = [
    "ARE_RESOLVED",
    "HAVE_TYPED_DICTS_FORMATS",
    "USUAL",
    "Formats",
    "format_of",
    "formats_of",
    "has_own_nan",
    "writer_of",
]

Formats: TypeAlias = tuple[tuple[str, Any], ...]
"""The formats of a config that are not the usual ones, by their keys."""

_USUAL = {
    "ser_json_timedelta": "iso8601",
    "ser_json_temporal": "iso8601",
    "ser_json_bytes": "utf8",
    "ser_json_inf_nan": "null",
}
USUAL: Formats = ()


def formats_of(config: Mapping[str, Any] | None) -> Formats:
    """The formats that a config chooses."""
    given = {key: config[key] for key in _USUAL if key in config} if config else {}
    unusual = {key: value for key, value in given.items() if value != _USUAL[key]}
    if "ser_json_timedelta" in unusual and "ser_json_temporal" in given:  # which comes first, the usual one, too
        unusual["ser_json_temporal"] = given["ser_json_temporal"]
    return tuple(sorted(unusual.items()))


def has_own_nan(formats: Formats) -> bool:
    """Whether floats that are not finite are written otherwise than as null."""
    return any(key == "ser_json_inf_nan" for key, _ in formats)


@functools.cache
def format_of(kind: str, formats: Formats) -> Literal["usual", "seconds", "own"]:
    """How values of a scalar schema are written.

    `usual`: as the core writes their type. `seconds`: a timedelta as its seconds. `own`: as only pydantic knows.
    """
    if kind not in KNOWN:
        return "own"
    if not formats or writes_alike(kind, SCALARS[kind][1], dict(formats)):
        return "usual"
    return "seconds" if kind == "timedelta" and _writes_seconds(formats) else "own"


def _writes_seconds(formats: Formats) -> bool:
    encoder = Encoder(models=True, floats=FLOATS)
    serializer = SchemaSerializer({"type": "timedelta"}, dict(formats))  # type: ignore[arg-type]
    samples = [*SCALARS["timedelta"][1], *(datetime.timedelta(microseconds=sign * 10**16 // 7) for sign in (1, -1))]
    return all(serializer.to_json(one) == encoder.encode(one.total_seconds()) for one in samples)


def writer_of(kind: str, formats: Formats) -> Callable[[Any], Any]:
    """Makes what `dump_python(mode="json")` does of a value of exactly the type of a scalar schema."""
    if format_of(kind, formats) == "seconds":
        return datetime.timedelta.total_seconds
    schema: Any = {"type": kind}
    config: Any = dict(formats)
    return functools.partial(SchemaSerializer(schema, config).to_python, mode="json")


class _Probe:
    """An object of a model, as its serializer sees one."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)
        self.__pydantic_extra__ = None
        self.__pydantic_fields_set__ = set(fields)


def _text_of_probe(inner: Any, outer: Any, *, is_model: bool) -> bytes:
    """The text of a typed and an untyped day within a config, which is within another one."""
    day = datetime.timedelta(days=1)
    kind = "model-field" if is_model else "typed-dict-field"
    fields = {
        "typed": {"type": kind, "schema": {"type": "timedelta"}},
        "untyped": {"type": kind, "schema": {"type": "any"}},
    }
    schema: Any = {"type": "typed-dict", "fields": fields, **inner}
    if is_model:
        schema = {"type": "model", "cls": _Probe, "schema": {"type": "model-fields", "fields": fields}, **inner}
    values = {"typed": day, "untyped": day}
    value = _Probe(**values) if is_model else values
    return SchemaSerializer({"type": "list", "items_schema": schema}, outer).to_json([value])


def _are_resolved() -> bool:
    """Whether this pydantic takes formats from the configs that this module says."""
    iso, seconds = {"ser_json_timedelta": "iso8601"}, {"ser_json_timedelta": "float"}
    try:
        made = [
            *(_text_of_probe({}, outer, is_model=False) for outer in (seconds, None)),
            *(
                _text_of_probe({"config": inner}, outer, is_model=True)
                for inner in (iso, seconds)
                for outer in (iso, seconds)
            ),
        ]
    except SchemaError:
        return False
    number, text = "86400.0", '"P1D"'
    expected = [(number, number), (text, text), (text, text), (text, number), (number, text), (number, number)]
    return made == [f'[{{"typed":{typed},"untyped":{untyped}}}]'.encode() for typed, untyped in expected]


ARE_RESOLVED = _are_resolved()
"""Whether the formats of each value are known. Otherwise pydantic writes all that has a config with formats."""
HAVE_TYPED_DICTS_FORMATS = b"86400.0" in _text_of_probe(
    {"config": {"ser_json_timedelta": "float"}}, None, is_model=False
)
"""Whether the formats of a TypedDict's own config hold for its values. Otherwise those of what is around it do."""
