"""Classes that pydantic does not know, made known to it. `json_types.py`, which makes schemas, is imported then."""

from __future__ import annotations

from typing import Any

from ssrjson_web._core import Encoder, loads

__all__ = ["is_json_type", "make_json_type", "written"]

_ENCODER = Encoder(models=True, natives=True, decimal="str", bytes="base64", escape_surrogates=True)


def written(value: Any) -> Any:
    """A value of a class that was made known, as decoded JSON."""
    return loads(_ENCODER.encode(value))


def make_json_type(cls: Any) -> None:
    """Give a class the method by which pydantic asks for its schema. Raises TypeError for one without fields."""
    from ssrjson_web._models.types.classes import has_fields

    if not has_fields(cls):
        raise TypeError(f"json_type needs a msgspec.Struct or an attrs class, not {cls!r}")
    cls.__get_pydantic_core_schema__ = classmethod(_core_schema_of)


def _core_schema_of(cls: Any, source: Any, handler: Any) -> Any:
    from ssrjson_web._models.pydantic.json_types import core_schema_of

    return core_schema_of(cls, source)


def is_json_type(cls: Any) -> bool:
    """Whether pydantic knows a class by `make_json_type`."""
    return getattr(getattr(cls, "__get_pydantic_core_schema__", None), "__func__", None) is _core_schema_of
