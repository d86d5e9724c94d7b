"""Values that pydantic converts, because no rule covers them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from pydantic_core import PydanticSerializationError, SchemaSerializer

from ssrjson_web._core import Fragment
from ssrjson_web._models.pydantic.features import KNOWS_CONFIGURED_ALIAS

__all__ = ["ObjectConvert", "ValueConvert", "convert_object_to_text", "converter_of", "n_keys"]


def _alias_choice(by_alias: bool | None) -> bool | None:
    """`by_alias` as this pydantic takes it."""
    return by_alias if KNOWS_CONFIGURED_ALIAS else bool(by_alias)


def _has_iterator(value: Any) -> bool:
    """Whether a value is or holds an iterator, which can be iterated once."""
    if isinstance(value, dict):
        return any(map(_has_iterator, value.values()))
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(map(_has_iterator, value))
    return isinstance(value, Iterator)


def _has_decimal(value: Any) -> bool:
    """Whether a value is or holds a Decimal: where a float is declared, only dump_json writes it as a number."""
    if isinstance(value, dict):
        return any(map(_has_decimal, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_decimal, value))
    if isinstance(value, Decimal):
        return True
    return hasattr(value, "__pydantic_serializer__") and _has_decimal(getattr(value, "__dict__", None))


class ObjectConvert:
    """Converts an object by the serializer of its class."""

    def __init__(self, serializer: SchemaSerializer) -> None:
        self._serializer = serializer

    def __call__(
        self,
        value: Any,
        is_json: bool,
        by_alias: bool | None,
        exclude_unset: bool,
        exclude_defaults: bool,
        exclude_none: bool,
    ) -> Any:
        options: dict[str, Any] = {
            "by_alias": _alias_choice(by_alias),
            "exclude_unset": exclude_unset,
            "exclude_defaults": exclude_defaults,
            "exclude_none": exclude_none,
        }
        if is_json and _has_decimal(value):
            return Fragment(self._serializer.to_json(value, **options))
        return self._serializer.to_python(value, mode="json", **options)


class ValueConvert:
    """Converts the value of one field, by pydantic and the field's own schema."""

    def __init__(
        self,
        schema: Mapping[str, Any],
        definitions: Mapping[str, Mapping[str, Any]],
        config: Mapping[str, Any],
        *,
        holds_any: bool,
        has_non_str_keys: bool,
    ) -> None:
        self._schema = schema
        self._definitions = definitions
        self._config = config
        self._holds_any = holds_any
        self._has_non_str_keys = has_non_str_keys or holds_any
        self._serializer: SchemaSerializer | None = None

    def make_serializer(self) -> SchemaSerializer:
        schema: Any = self._schema
        if self._definitions:
            schema = {"type": "definitions", "schema": schema, "definitions": list(self._definitions.values())}
        return SchemaSerializer(schema, self._config)  # type: ignore[arg-type]

    def __call__(
        self,
        value: Any,
        is_json: bool,
        by_alias: bool | None,
        exclude_unset: bool,
        exclude_defaults: bool,
        exclude_none: bool,
    ) -> Any:
        serializer = self._serializer
        if serializer is None:
            serializer = self._serializer = self.make_serializer()
        options: dict[str, Any] = {
            "by_alias": _alias_choice(by_alias),
            "exclude_unset": exclude_unset,
            "exclude_defaults": exclude_defaults,
            "exclude_none": exclude_none,
        }
        if is_json and isinstance(value, (int, float, Decimal)):
            return Fragment(serializer.to_json(value, **options))  # a float field may hold an int or a Decimal
        try:
            content = serializer.to_python(value, mode="json", **options)
        except PydanticSerializationError:
            if is_json and self._holds_any and not _has_iterator(value):
                return value  # the core knows more types, and has a hook to ask
            raise
        if is_json and self._has_non_str_keys and n_keys(content) < n_keys(value):
            return Fragment(serializer.to_json(value, **options))  # 1 and "1" are one key in a dict only
        return content


def n_keys(value: Any) -> int:
    """The number of keys in all dicts that a value is made of."""
    if isinstance(value, dict):
        return len(value) + sum(map(n_keys, value.values()))
    return sum(map(n_keys, value)) if isinstance(value, (list, tuple)) else 0


def convert_object_to_text(
    value: Any, is_json: bool, by_alias: bool | None, exclude_unset: bool, exclude_defaults: bool, exclude_none: bool
) -> Any:
    """Convert a whole object to pydantic's own text, which may hold NaN or a key twice."""
    serializer: SchemaSerializer = type(value).__pydantic_serializer__
    options: dict[str, Any] = {
        "by_alias": _alias_choice(by_alias),
        "exclude_unset": exclude_unset,
        "exclude_defaults": exclude_defaults,
        "exclude_none": exclude_none,
    }
    return (
        Fragment(serializer.to_json(value, **options))
        if is_json
        else serializer.to_python(value, mode="json", **options)
    )


def converter_of(serializer: SchemaSerializer) -> Callable[..., Any]:
    """A function that calls a serializer's `to_python` with the arguments that the core gives.

    It is that method itself where pydantic knows `by_alias=None`; the plan then says `is_to_python`.
    """
    return serializer.to_python if KNOWS_CONFIGURED_ALIAS else ObjectConvert(serializer)
