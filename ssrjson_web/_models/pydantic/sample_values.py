"""A value of a type, made up of its JSON schema, to time what is done with such values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

__all__ = ["sample_value"]

N_ITEMS = 20
"""Of a list that says no number. Lists within it have fewer."""
_MAX_LEVELS = 16
_TEXTS: Mapping[str, str] = {
    "date-time": "2026-01-02T03:04:05Z",
    "date": "2026-01-02",
    "time": "03:04:05",
    "duration": "P1DT2H",
    "uuid": "12345678-1234-4678-9234-567812345678",
    "email": "name@example.com",
    "uri": "https://example.com/path",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
}
_TEXT = "Liberté, égalité, fraternité"


class _NoValueError(Exception):
    """Nothing is known that such a schema accepts."""


def sample_value(adapter: TypeAdapter[Any]) -> Any:
    """A valid value, made by validation. Raises where none can be made up, pydantic's errors included."""
    schema = adapter.json_schema(mode="validation")
    return adapter.validate_python(_Maker(schema.get("$defs", {})).make(schema, 0))


class _Maker:
    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._under_way: list[str] = []

    def make(self, schema: Mapping[str, Any], level: int) -> Any:
        if level > _MAX_LEVELS:
            raise _NoValueError("it is nested deep")
        if "$ref" in schema:
            return self._defined(schema["$ref"].rpartition("/")[2], level)
        for name in ("examples", "enum"):
            if schema.get(name):
                return schema[name][0]
        if "const" in schema:
            return schema["const"]
        for name in ("anyOf", "oneOf", "allOf"):
            if name in schema:
                return self._one_of(schema[name], level)
        makers = {
            "object": self._object,
            "array": self._array,
            "string": self._text,
            "integer": self._number,
            "number": self._number,
            "boolean": lambda *_: True,
            "null": lambda *_: None,
        }
        kind = schema.get("type")
        return makers[kind](schema, level) if isinstance(kind, str) else _TEXT

    def _defined(self, name: str, level: int) -> Any:
        if name in self._under_way:
            raise _NoValueError("it is nested in itself")
        self._under_way.append(name)
        try:
            return self.make(self._definitions[name], level + 1)
        finally:
            self._under_way.pop()

    def _one_of(self, choices: list[Any], level: int) -> Any:
        """What the first one accepts that is no null, and not too deep."""
        for choice in choices:
            if choice.get("type") != "null":
                try:
                    return self.make(choice, level)
                except _NoValueError:
                    continue
        if any(choice.get("type") == "null" for choice in choices):
            return None
        raise _NoValueError("none of its choices is known")

    def _object(self, schema: Mapping[str, Any], level: int) -> dict[str, Any]:
        required = schema.get("required", ())
        made: dict[str, Any] = {}
        for name, inner in schema.get("properties", {}).items():
            try:
                made[name] = self.make(inner, level + 1)
            except _NoValueError:
                if name in required:
                    raise
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            made["key"] = self.make(more, level + 1)
        return made

    def _array(self, schema: Mapping[str, Any], level: int) -> list[Any]:
        if "prefixItems" in schema:
            return [self.make(inner, level + 1) for inner in schema["prefixItems"]]
        usual = N_ITEMS if level == 0 else 3
        n = max(schema.get("minItems", 0), min(usual, schema.get("maxItems", usual)))
        try:
            items = [self.make(schema.get("items", {}), level + 1) for _ in range(n)]
        except _NoValueError:
            if schema.get("minItems"):
                raise
            return []
        return items[:1] if schema.get("uniqueItems") else items

    def _text(self, schema: Mapping[str, Any], _: int) -> str:
        if "pattern" in schema:
            raise _NoValueError("its texts must match a pattern")
        text = _TEXTS.get(schema.get("format", ""), _TEXT)
        return text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength")]

    def _number(self, schema: Mapping[str, Any], _: int) -> Any:
        step = schema.get("multipleOf", 1)
        least = schema.get("minimum", schema.get("exclusiveMinimum", 1) + ("exclusiveMinimum" in schema) * step)
        most = schema.get("maximum", schema.get("exclusiveMaximum", least) - ("exclusiveMaximum" in schema) * step)
        number = min(max(least, 1), most) if "maximum" in schema or "exclusiveMaximum" in schema else max(least, 1)
        if "multipleOf" in schema:
            return -(-number // step) * step
        return number if schema["type"] == "integer" or number != 1 else 1.5
