"""Scalars that pydantic's validator returns as they are, or converts without code of users'."""

from __future__ import annotations

import decimal
import enum
import math
from collections.abc import Mapping
from typing import Any

from pydantic_core import SchemaError, SchemaValidator

from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web._models.pydantic.features import KNOWN, SCALARS
from ssrjson_web._models.pydantic.known_keys import has_only
from ssrjson_web._models.pydantic.parts import SchemaPart
from ssrjson_web._models.pydantic.rules import Schema

__all__ = ["SCALAR_KINDS", "accepted_literals", "accepted_scalars", "strips_strs"]

_SAMPLES: dict[str, list[Any]] = {"bool": [True], "int": [0, 2**70], "str": ["", "é\ud800"]}


def _are_kept(kind: str) -> bool:
    """Whether this pydantic returns the very objects that are of the type already."""
    try:
        validator = SchemaValidator({"type": kind})
    except SchemaError:
        return False
    return all(validator.validate_python(one) is one for one in (*SCALARS[kind][1], *_SAMPLES.get(kind, ())))


_KEPT = frozenset(kind for kind in KNOWN if kind not in ("decimal", "bytes") and _are_kept(kind))
"""Scalar schemas whose values need no more than their type. A Decimal may be NaN, which pydantic refuses."""

_CALLED: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float,),
    "decimal": (decimal.Decimal, str, int),
    "date": (str,),
    "time": (str,),
    "datetime": (str,),
    "timedelta": (str,),
    "uuid": (str,),
    "enum": (str, int),
}
"""The types of values that a scalar schema's own validator converts or checks. It runs no code of users' for them."""

SCALAR_KINDS = frozenset((*_KEPT, *_CALLED))
"""The kinds of schemas of which `accepted_scalars` knows."""


def _int_bounds(schema: Schema) -> tuple[int | None, int | None] | None:
    """The least and the greatest int; None where a bound is no int of 64 bits."""
    least = [schema[key] + (key == "gt") for key in ("ge", "gt") if schema.get(key) is not None]
    greatest = [schema[key] - (key == "lt") for key in ("le", "lt") if schema.get(key) is not None]
    if not all(type(one) is int and abs(one) < 2**63 for one in (*least, *greatest)):
        return None
    return max(least, default=None), min(greatest, default=None)


def _float_bounds(schema: Schema) -> tuple[float | None, float | None] | None:
    given = {key: schema[key] for key in ("ge", "gt", "le", "lt") if schema.get(key) is not None}
    if not all(type(one) in (int, float) and float(one) == one and math.isfinite(one) for one in given.values()):
        return None
    steps = {"ge": 0.0, "gt": math.inf, "le": 0.0, "lt": -math.inf}
    bounds = {key: math.nextafter(one, steps[key]) if steps[key] else float(one) for key, one in given.items()}
    least = [one for key, one in bounds.items() if key in ("ge", "gt")]
    greatest = [one for key, one in bounds.items() if key in ("le", "lt")]
    return max(least, default=None), min(greatest, default=None)


def strips_strs(schema: Schema, config: Mapping[str, Any]) -> bool:
    """Whether a str schema within a config removes whitespace around a str."""
    return bool(schema.get("strip_whitespace", config.get("str_strip_whitespace")))


def _lengths(schema: Schema, config: Mapping[str, Any]) -> tuple[int | None, int | None]:
    return (
        schema.get("min_length", config.get("str_min_length")),
        schema.get("max_length", config.get("str_max_length")),
    )


def _exact(kind: str, schema: Schema, config: Mapping[str, Any]) -> tuple[Accepted, ...]:
    """Values of the type itself that are returned as they are."""
    if not has_only(schema, kind):
        return ()
    if kind == "enum":
        return (Accepted(schema["cls"]),)
    if kind == "str":
        least, greatest = _lengths(schema, config)
        if strips_strs(schema, config):
            part = {key: value for key, value in schema.items() if key not in ("ref", "metadata")}
            validate = SchemaPart(part, config, {}).validator()
            return () if validate is None else (Accepted(str, "bare", least, greatest, validator=validate),)
        return (Accepted(str, "type" if least is None and greatest is None else "text", least, greatest),)
    if kind in ("int", "float"):
        bounds = _int_bounds(schema) if kind == "int" else _float_bounds(schema)
        if bounds is None:
            return ()
        if kind == "float":  # which must be finite in any case
            return (Accepted(float, "float", *bounds),)
        return (Accepted(int, "type" if bounds == (None, None) else "int", *bounds),)
    return (Accepted(SCALARS[kind][0]),) if kind in _KEPT else ()


def accepted_scalars(kind: str, schema: Schema, config: Mapping[str, Any]) -> Acceptance:
    """Values of the type itself, and those of JSON that the schema's validator converts to it."""
    if kind == "enum" and (not issubclass(schema["cls"], enum.Enum) or schema.get("missing")):
        return ()
    exact = _exact(kind, schema, config)
    own = {one.exact_type for one in exact}
    called = [cls for cls in _CALLED.get(kind, ()) if cls not in own]
    if kind == "float" and exact:
        least, greatest = exact[0].least, exact[0].greatest
        return (*exact, Accepted(int, "real", least, greatest))
    if not called or (exact and (kind in ("str", "int") or schema.get("strict"))):
        return exact
    validate = SchemaPart(schema, config, {}).validator()
    check: Any = kind if exact and kind in ("date", "datetime", "uuid") else "call"
    return exact if validate is None else (*exact, *(Accepted(cls, check, validator=validate) for cls in called))


def accepted_literals(expected: list[Any]) -> Acceptance:
    """The values of a Literal, if they are of JSON's types."""
    if not all(type(one) in (str, int, bool, type(None)) for one in expected):
        return ()
    known = {cls: frozenset(one for one in expected if type(one) is cls) for cls in (str, int, bool)}
    if known[int] & known[bool]:  # pydantic returns one of two that are equal
        return ()
    named = tuple(Accepted(cls, "among", among=values) for cls, values in known.items() if values)
    return (*named, Accepted(type(None))) if None in expected else named
