"""Schemas of pydantic for classes that it does not know: their values are read by the plans of `_models/types/`."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import functools
import inspect
import typing
import uuid
from collections.abc import Callable
from typing import Any, Literal

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

from ssrjson_web._core import JSONDepthError, JSONTypeError
from ssrjson_web._models.pydantic.json_type_classes import written
from ssrjson_web._models.types import plan_of
from ssrjson_web._models.types.classes import ClassFields, FieldType, class_fields

__all__ = ["core_schema_of"]

_ERROR_TYPES = {"missing": "missing", "unknown": "extra_forbidden"}
_SCALARS: dict[Any, Callable[[], Any]] = {
    bool: core_schema.bool_schema,
    int: core_schema.int_schema,
    float: core_schema.float_schema,
    str: core_schema.str_schema,
    type(None): core_schema.none_schema,
    None: core_schema.none_schema,
    datetime.date: core_schema.date_schema,
    datetime.datetime: core_schema.datetime_schema,
    datetime.time: core_schema.time_schema,
    uuid.UUID: core_schema.uuid_schema,
    decimal.Decimal: core_schema.str_schema,
    bytes: core_schema.str_schema,
    bytearray: core_schema.str_schema,
    memoryview: core_schema.str_schema,
}
_LISTS = (list, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection, collections.deque)
_SETS = (set, frozenset, collections.abc.Set, collections.abc.MutableSet)
_BOUNDS = ("gt", "ge", "lt", "le", "multiple_of", "min_length", "max_length", "pattern")


def _at(value: Any, steps: tuple[str | int, ...]) -> Any:
    """What steps lead to in decoded JSON; the last that there is, where one leads nowhere."""
    for step in steps:
        try:
            value = value[step]
        except (LookupError, TypeError):
            break
    return value


def _validation_error(title: str, error: JSONTypeError, value: Any) -> ValidationError:
    """The error of pydantic that has the place in its `loc`, and goes into that of what is around."""
    is_missing = error.reason == "missing" and error.expected is not None
    loc = (*error.steps, error.expected) if is_missing and error.expected is not None else error.steps
    message = "Field required" if is_missing else error.msg.rsplit(" at $", 1)[0]
    kind = _ERROR_TYPES.get(error.reason, f"{error.reason}_error")
    told: Any = PydanticCustomError(kind, "{message}", {"message": message})
    details = InitErrorDetails(type=told, loc=loc, input=_at(value, error.steps))
    return ValidationError.from_exception_data(title, [details])


def _error_of_depth(title: str) -> ValidationError:
    """The error of pydantic for a value that is nested too deep, which a client can send."""
    kind = "recursion_depth_exceeded"
    told: Any = PydanticCustomError(kind, "Input is nested too deep")
    return ValidationError.from_exception_data(title, [InitErrorDetails(type=told, loc=(), input=None)])


def _ref_of(cls: Any, arguments: tuple[Any, ...]) -> str:
    """The name of a class among the definitions of a schema."""
    names = [cls.__qualname__, *(getattr(one, "__name__", str(one)) for one in arguments)]
    return f"{cls.__module__}.{'_'.join(names)}:{id(cls)}"


class _SchemaMaker:
    """Makes a schema of pydantic of a type, from which pydantic makes the JSON Schema. It validates nothing."""

    def __init__(self) -> None:
        self._definitions: dict[Any, Any] = {}  # of classes

    def schema_of(self, cls: Any, arguments: tuple[Any, ...]) -> Any:
        """The schema of a class, which whoever asks for it knows under `_ref_of` already."""
        found = class_fields(cls, arguments, "")
        if found is None or found.is_array:
            inner = self._class(cls, arguments)
        else:
            self._definitions[_ref_of(cls, arguments)] = None
            inner = self._record(cls, found, None)
        definitions = [one for one in self._definitions.values() if one is not None]
        return core_schema.definitions_schema(inner, definitions) if definitions else inner

    def _schema(self, hint: Any) -> Any:
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if isinstance(hint, (type, type(None))) and hint in _SCALARS:
            return _SCALARS[hint]()
        if hasattr(hint, "__metadata__"):
            return self._annotated(hint)
        if hasattr(hint, "__supertype__"):
            return self._schema(hint.__supertype__)
        if getattr(origin, "_name", None) in ("Final", "Required", "NotRequired", "ReadOnly"):
            return self._schema(arguments[0])
        if origin is Literal:
            return core_schema.literal_schema(list(arguments))
        if origin is typing.Union or type(hint).__name__ == "UnionType":
            return self._union(arguments)
        return self._container(origin or hint, arguments) or self._class(origin or hint, arguments)

    def _annotated(self, hint: Any) -> Any:
        schema = self._schema(hint.__origin__)
        for meta in hint.__metadata__:
            if type(meta).__module__ == "msgspec" or type(meta).__name__ == "Meta":
                bounds = {name: getattr(meta, name, None) for name in _BOUNDS}
                schema.update({name: bound for name, bound in bounds.items() if bound is not None})
        return schema

    def _union(self, arguments: tuple[Any, ...]) -> Any:
        members = [one for one in arguments if getattr(one, "__name__", "") != "UnsetType"]
        told = [self._schema(one) for one in members if one is not type(None)]
        union = told[0] if len(told) == 1 else core_schema.union_schema(told)
        return core_schema.nullable_schema(union) if type(None) in members else union

    def _container(self, cls: Any, arguments: tuple[Any, ...]) -> Any:
        if cls in _LISTS or cls in _SETS:
            item = self._schema(arguments[0]) if arguments else None
            return core_schema.set_schema(item) if cls in _SETS else core_schema.list_schema(item)
        if cls is tuple:
            is_long = len(arguments) == 2 and arguments[1] is Ellipsis
            if is_long or not arguments:
                return core_schema.list_schema(self._schema(arguments[0]) if arguments else None)
            return core_schema.tuple_schema([self._schema(one) for one in arguments])
        if cls in (dict, collections.abc.Mapping, collections.abc.MutableMapping):
            return core_schema.dict_schema(values_schema=self._schema(arguments[1]) if arguments else None)
        return None

    def _class(self, cls: Any, arguments: tuple[Any, ...]) -> Any:
        if not isinstance(cls, type):
            return core_schema.any_schema()
        if issubclass(cls, enum.Enum):
            return core_schema.enum_schema(cls, list(cls.__members__.values()))
        found = class_fields(cls, arguments, "")
        if found is None:
            return core_schema.any_schema()
        if found.is_array:
            return core_schema.tuple_schema([self._schema(field.hint) for field in found.fields])
        ref = _ref_of(cls, arguments)
        if ref not in self._definitions:
            self._definitions[ref] = None  # it may be within itself
            self._definitions[ref] = self._record(cls, found, ref)
        return core_schema.definition_reference_schema(ref)

    def _record(self, cls: type, found: ClassFields, ref: str | None) -> Any:
        fields = {}
        if found.tag is not None:
            key, value = found.tag
            fields[key] = core_schema.typed_dict_field(core_schema.literal_schema([value]), required=False)
        for field in found.fields:
            inner = self._with_default(self._schema(field.hint), field, cls)
            fields[field.key] = core_schema.typed_dict_field(inner, required=field.required)
        extra: Literal["forbid", "ignore"] = "forbid" if found.forbids_unknown else "ignore"
        return core_schema.typed_dict_schema(fields, extra_behavior=extra, ref=ref)

    def _with_default(self, schema: Any, field: FieldType, cls: type) -> Any:
        default = field.default or _default_of(cls, field.name)
        if not default or type(default[0]).__name__ in ("UnsetType", "Factory", "_Nothing"):
            return schema
        return core_schema.with_default_schema(schema, default=default[0])


def _default_of(cls: Any, name: str) -> tuple[Any, ...]:
    """The default of a field that its class fills in by itself."""
    for one in getattr(cls, "__attrs_attrs__", ()):
        if name in (one.name, getattr(one, "alias", None)):
            return (one.default,)
    field = getattr(cls, "__dataclass_fields__", {}).get(name)
    return () if field is None or field.default is dataclasses.MISSING else (field.default,)


def core_schema_of(cls: Any, source: Any) -> Any:
    """The schema of a class, or of one with arguments. Raises TypeError for one whose values cannot be made."""
    plan = plan_of(source)
    title = getattr(cls, "__name__", "value")

    def validate(value: Any) -> Any:
        if isinstance(value, cls):
            return value
        try:
            return plan.make(value)
        except JSONTypeError as error:
            raise _validation_error(title, error, value) from error
        except JSONDepthError as error:
            raise _error_of_depth(title) from error
        except RecursionError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
                raise  # by code of the application
            raise _error_of_depth(title) from error

    return core_schema.no_info_plain_validator_function(
        validate,
        ref=_ref_of(cls, typing.get_args(source)),
        serialization=core_schema.plain_serializer_function_ser_schema(written, when_used="json"),
        metadata={"pydantic_js_functions": [functools.partial(_json_schema_of, cls, typing.get_args(source))]},
    )


def _json_schema_of(cls: Any, arguments: tuple[Any, ...], schema: Any, handler: Any) -> Any:
    made = handler(_SchemaMaker().schema_of(cls, arguments))
    own_doc = vars(cls).get("__doc__")
    if own_doc:
        made.setdefault("description", inspect.cleandoc(own_doc))
    return made
