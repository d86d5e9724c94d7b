"""Parts of a core schema that pydantic validates and serializes by themselves, without code of users'."""

from __future__ import annotations

import datetime
import decimal
import enum
import functools
import types
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic_core import SchemaError, SchemaSerializer, SchemaValidator

from ssrjson_web._models.pydantic.facts import has_untyped
from ssrjson_web._models.pydantic.features import READ_ALIKE
from ssrjson_web._models.pydantic.formats import Formats, formats_of
from ssrjson_web._models.pydantic.rules import Schema
from ssrjson_web._models.pydantic.traits import USERS_VALUES, is_dict_of_other_keys, schema_parts

__all__ = ["JSON_TYPES", "SCALAR_TYPES", "SchemaPart", "is_plain", "of_scalars"]

JSON_TYPES: tuple[type, ...] = (str, int, float, bool, type(None), list, dict)
"""The types of decoded JSON."""
SCALAR_TYPES: tuple[type, ...] = (
    *(str, int, float, bool, type(None), bytes),
    *(datetime.date, datetime.timedelta, uuid.UUID, decimal.Decimal),
)
"""Types whose values nothing changes, and whose methods are Python's own."""

_EMPTY = (list, dict, tuple, frozenset)
_OWN_MODULES = frozenset(("pydantic", "pydantic_core"))
_PLAIN_MODULES = _OWN_MODULES | {
    *("abc", "builtins", "collections", "dataclasses", "datetime", "decimal", "enum", "fractions", "ipaddress"),
    *("pathlib", "re", "types", "typing", "typing_extensions", "uuid"),
}
"""Modules whose classes have constructors without effects. Their functions may have some."""
_WITH_USERS_CODE = ("arguments", "arguments-v3", "call", "callable", "is-subclass", "missing-sentinel")
_ALIKE_IN_JSON = READ_ALIKE | {
    *("default", "definition-ref", "nullable", "list", "tuple", "set", "frozenset", "dict"),
    *("model", "model-fields", "model-field", "typed-dict", "typed-dict-field"),
    *("dataclass", "dataclass-args", "dataclass-field"),
}
"""Schemas that validate JSON as they validate the values that it is decoded to, or refuse the latter. Others may read
text otherwise, prefer another choice, or see more of a number than a float holds."""
_NEVER_CALLED = (*USERS_VALUES, "cls", "generic_origin")


class SchemaPart:
    """A schema with the definitions that it refers to, and the config that it inherits."""

    def __init__(self, schema: Schema, config: Mapping[str, Any], definitions: Mapping[str, Schema]) -> None:
        self._schema = {key: value for key, value in schema.items() if key != "ref"}
        self._config: Any = config or None
        self._definitions = _reached(self._schema, definitions)

    def is_alike_in_json(self) -> bool:
        """Whether `validate_json` of a text is known to make what `validate_python` makes of the decoded text."""
        parts = [self._config or {}, *self._parts("serialization")]
        kinds = {part["type"] for part in parts if isinstance(part.get("type"), str)}
        # a float's text has other digits there
        return kinds <= _ALIKE_IN_JSON and not any(part.get("coerce_numbers_to_str") for part in parts)

    def is_written_alike(self, root: Formats) -> bool:
        """Whether the schema alone is written as within a root of these formats."""
        return formats_of(self._config) == root or not has_untyped([self._schema, *self._definitions])

    def validator(self) -> Callable[..., Any] | None:
        """Validates as the schema does within its whole. None where that could run code of users'."""
        return self._validator(self._parts("serialization"))

    def makes_infos(self) -> bool:
        """Whether validation gives a function an `info`, or a factory of defaults what other fields are."""
        return any(part.get("type") == "with-info" or part.get("default_factory_takes_data") for part in self._parts())

    def caller(self) -> Callable[..., Any] | None:
        """Validates as the schema does within its whole, users' code included. None: no validator can be made."""
        try:
            return SchemaValidator(self._alone(), self._config).validate_python
        except SchemaError:
            return None

    def _validator(self, parts: Iterator[dict[str, Any]]) -> Callable[..., Any] | None:
        return self.caller() if all(map(_is_own_part, parts)) else None

    def text_maker(self, *, mode: str, from_attributes: bool, **options: Any) -> Callable[[Any], Any] | None:
        """Validates, and makes what `dump_python` does in that mode. None where that could run code of users'.

        `from_attributes` says whether models may be made of the attributes of any value: of a UUID's, too.
        """
        if any(part.get("type") == "generator" for part in self._parts()):  # which pulls what any value holds
            return None
        validate = self._validator(self._parts())
        if validate is None or any(map(is_dict_of_other_keys, self._parts())):  # two keys may become one
            return None
        try:
            serialize = SchemaSerializer(self._alone(), self._config).to_python
        except SchemaError:
            return None
        named: dict[str, Any] = {"from_attributes": True} if from_attributes else {}

        def make(value: Any) -> Any:
            validated = validate(value, **named)
            made = serialize(validated, mode=mode, **options)
            # infinity, or a root model of None, which exclude_none keeps
            if made is None and (value is not None or validated is not None):
                raise ValueError
            return made

        return make

    def _alone(self) -> Any:
        if not self._definitions:
            return self._schema
        return {"type": "definitions", "schema": self._schema, "definitions": self._definitions}

    def _parts(self, *skips: str) -> Iterator[dict[str, Any]]:
        return schema_parts([self._schema, *self._definitions], skips=(*USERS_VALUES, *skips))


def _reached(schema: Schema, definitions: Mapping[str, Schema]) -> list[Schema]:
    """The definitions that a schema refers to, and those that they refer to."""
    found: dict[str, Schema] = {}
    under_way = [schema]
    while under_way:
        for part in schema_parts(under_way.pop()):
            ref = part.get("schema_ref")
            if isinstance(ref, str) and ref in definitions and ref not in found:
                found[ref] = definitions[ref]
                under_way.append(definitions[ref])
    return list(found.values())


def _is_own_part(part: Mapping[str, Any]) -> bool:
    """Whether a dict of a schema names no function of users', and no class with a constructor of its own."""
    if part.get("type") in _WITH_USERS_CODE or part.get("post_init") or part.get("custom_init"):
        return False
    if "default" in part and not is_plain(part["default"]):
        return False
    cls = part.get("cls")
    if isinstance(cls, type) and part["type"] != "typed-dict" and not _is_plain_class(cls):  # of which it makes a dict
        return False
    return all(_runs_only_pydantic(value) for key, value in part.items() if key not in _NEVER_CALLED)


def of_scalars(validate: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A validator of containers that hold only what no code of users' is called for, as it may be called again."""

    def validate_scalars(value: Any) -> Any:
        if type(value) is dict and not all(type(key) is str for key in value):
            raise ValueError
        if not all(type(one) in SCALAR_TYPES for one in (value.values() if type(value) is dict else value)):
            raise ValueError
        return validate(value)

    return validate_scalars


def is_plain(value: Any) -> bool:
    """Whether copying a default runs no code of users'."""
    return type(value) in SCALAR_TYPES or isinstance(value, enum.Enum) or (type(value) in _EMPTY and not value)


def _is_plain_class(cls: type) -> bool:
    if issubclass(cls, enum.Enum) or _is_of_own_module(cls):
        return True
    return _is_of_own_module(type(cls)) and cls.__new__ is object.__new__


def _is_of_own_module(value: Any) -> bool:
    is_function = isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodType))
    module = str(getattr(value, "__module__", None)).partition(".")[0]
    return module in (_OWN_MODULES if is_function else _PLAIN_MODULES)


def _runs_only_pydantic(value: Any) -> bool:
    """Whether calling a value, if it can be called, runs only code of pydantic's, and constructors of Python's."""
    if not callable(value):
        return True
    if type(value) is functools.partial:
        given = (*value.args, *value.keywords.values())
        return _runs_only_pydantic(value.func) and all(type(one) in SCALAR_TYPES for one in given)
    if not _is_of_own_module(value):
        return False
    if isinstance(value, types.MethodType):
        return _runs_only_pydantic(value.__func__) and _runs_only_pydantic(value.__self__)
    # such as the class that a function of pydantic's makes objects of
    cells = (value.__closure__ or ()) if isinstance(value, types.FunctionType) else ()
    return all(cell.cell_contents is value or _runs_only_pydantic(cell.cell_contents) for cell in cells)
