"""Plans of schemas that dump objects: the core makes the dicts, and asks marshmallow where it must."""

from __future__ import annotations

import collections
import decimal
import functools
import inspect
from collections.abc import Callable
from typing import Any

from marshmallow import fields, missing
from marshmallow.decorators import POST_DUMP, PRE_DUMP

from ssrjson_web._core import _RecordReader
from ssrjson_web._models.language import Accepted, ReadField, ReadRecord, StepWay, alternatives_within
from ssrjson_web._plans.known import stands_in_for
from ssrjson_web.marshmallow._reading_values import DECIMAL_DIGITS, read_acceptance
from ssrjson_web.marshmallow._stock import (
    DICT_CLASSES,
    IS_VERSION_3,
    OF_DUMP,
    OF_FIELD_DUMP,
    field_keeps,
    has_hooks,
    is_instance_changed,
    is_served,
    own_dict_class,
    own_name,
    schema_keeps,
)
from ssrjson_web.marshmallow._watch import Basis, Bound

__all__ = ["ReadPlan"]

_MAX_NESTED = 4
"""Levels of schemas within schemas that are described. Deeper ones have plans of their own."""

_GETTERS = ("get_value", "_get_value_for_key", "_get_value_for_keys")
stands_in_for(*(f"marshmallow.utils.{name}" for name in _GETTERS), left="what schemas dump")

_Maker = Callable[..., Callable[..., Any]]
_MISSING = Accepted(type(missing))


def _leave(value: Any) -> Any:
    raise ValueError("it is left to the field")


_ANY_BUT_MISSING = (Accepted(type(missing), "call", validator=_leave), Accepted(object))


class ReadPlan:
    """How a schema dumps. It is the same for all instances of a class with the same options."""

    def __init__(self, schema: Any, key: None = None, *, nests: bool = True) -> None:
        """Raises TypeError and ValueError where the core cannot do it, with the reason."""
        self.basis = Basis(schema, "dump_fields")
        self.basis.nests = nests
        self._calls: list[tuple[int, int, _Maker]] = []
        self._pads = False
        self.given: dict[str, str] = {}
        """Fields that marshmallow serializes, each with the reason."""
        self.gain = 0
        """About how many microseconds are saved for an object."""
        dict_class = own_dict_class(schema)
        if dict_class not in DICT_CLASSES:
            raise TypeError("it has a dict_class of its own")
        self._dict_class = None if dict_class is dict else dict_class
        self.basis.watch_functions("marshmallow.schema", "get_value")
        self.basis.watch_functions("marshmallow.utils", *_GETTERS)
        self.basis.watch_modules("marshmallow.fields", "utils")
        record = self._record(0, 0)
        if len(self.given) == len(record.fields):
            raise TypeError("it serializes each of the fields" if self.given else "it has no fields")
        self.gain = sum(field.acceptance not in ((), (_MISSING,)) for field in record.fields)
        self._reader = _RecordReader(record)
        self.basis.finish()

    # What it is made of

    def _record(self, number: int, depth: int) -> ReadRecord:
        schema = self.basis.objects[number]
        if type(schema.dump_fields) not in DICT_CLASSES:
            raise TypeError("its fields are in a class of its own")
        made = tuple(self._field(number, name, depth) for name in schema.dump_fields)
        return ReadRecord(made, way_of, missing)

    def _call(self, schema: int, field: int, maker: _Maker) -> int:
        self._calls.append((schema, field, maker))
        return len(self._calls) - 1

    def _field(self, schema: int, name: str, depth: int) -> ReadField:
        number = self.basis.add(schema, "dump_fields", name)
        field = self.basis.objects[number]
        key = field.data_key if field.data_key is not None else name
        steps = tuple((name if field.attribute is None else field.attribute).split("."))
        reason = self._reason_to_give(self.basis.objects[schema], field)
        if reason is None:
            acceptance, is_known = self._acceptance(number, depth)
            if is_known:
                self._pads |= any(accepted.greatest is not None for accepted in alternatives_within(acceptance))
                convert = self._call(schema, number, functools.partial(_converting, name))
                resume = self._call(schema, number, functools.partial(_resuming, name, steps))
                if field.dump_default is not missing and acceptance is None:
                    acceptance = _ANY_BUT_MISSING
                elif field.dump_default is missing and acceptance is not None:
                    acceptance = (_MISSING, *acceptance)
                return ReadField(key, steps, acceptance, convert, resume)
            reason = f"{type(field).__name__} has a _serialize of its own"
        return self._given_field(schema, number, name, key, reason)

    def _given_field(self, schema: int, number: int, name: str, key: str, reason: str) -> ReadField:
        """A field that marshmallow serializes."""
        field = self.basis.objects[number]
        cls = type(field)
        maker = None
        if not cls._CHECK_ATTRIBUTE and field_keeps(cls, "serialize") and not is_instance_changed(field):
            maker = _MAKERS.get(own_name(cls, "_serialize"))
        if maker is not None:
            self.basis.watch_field(number)
        else:
            self.basis.watch_attributes(number, "data_key")
            if schema == 0:
                self.given[name] = reason
        call = self._call(schema, number, functools.partial(maker or _serializing, name))
        return ReadField(key, (), (), call)

    def _reason_to_give(self, schema: Any, field: Any) -> str | None:
        """Why marshmallow serializes a field; None: the core may."""
        cls = type(field)
        if not cls._CHECK_ATTRIBUTE:
            return f"{cls.__name__} calls a function"
        if not schema_keeps(type(schema), "get_attribute"):
            return "the schema has a get_attribute of its own"
        if not field_keeps(cls, *OF_FIELD_DUMP):
            return f"{cls.__name__} has a serialize or a get_value of its own"
        return None

    def _acceptance(self, number: int, depth: int) -> tuple[tuple[Accepted, ...] | None, bool]:
        field = self.basis.objects[number]
        is_list = (
            type(field) is fields.List
            and own_name(fields.List, "_serialize") == "marshmallow.fields.List._serialize"
            and not is_instance_changed(field)
        )
        nested = self.basis.add(number, "inner") if is_list else number
        if not self._is_nested(nested):
            return read_acceptance(self.basis, number)
        self.basis.watch_field(nested)
        self.basis.watch_field(number)
        record = self._nested_record(nested, depth)
        if record is None:
            return (), True
        schema = self.basis.objects[nested]._schema
        one = Accepted(object, "read", record=record)
        none = Accepted(type(None))
        many = (none, Accepted(list, "items", inner=(one,)))
        accepted = many if schema.many or self.basis.objects[nested].many else (none, one)
        if is_list:
            return (none, Accepted(list, "items", inner=accepted)) if len(accepted) == 2 and accepted[
                1
            ] is one else (), True
        return accepted, True

    def _is_nested(self, number: int) -> bool:
        field = self.basis.objects[number]
        names = {name: own_name(type(field), name) for name in ("_serialize", "schema")}
        is_nested = all(names[name] == f"marshmallow.fields.Nested.{name}" for name in names)
        return is_nested and not is_instance_changed(field)

    def _nested_record(self, number: int, depth: int) -> ReadRecord | None:
        """The record of a nested field's schema; None where it dumps by itself."""
        field = self.basis.objects[number]
        if depth >= _MAX_NESTED or not self.basis.has_room():
            return None
        if field.dump_default is not missing:
            return None
        if field._schema is None:
            self.basis.awaited.append(number)
            return None
        if not dumps_by_plan(field._schema) or own_dict_class(field._schema) is not dict:
            return None
        schema = self.basis.add(number, "_schema")
        self.basis.watch_schema(schema)
        return self._record(schema, depth + 1)

    # What it does

    def can_run(self) -> bool:
        """Whether Decimals are padded as they were when the plan was made."""
        return not self._pads or decimal.getcontext().prec >= DECIMAL_DIGITS

    def _resolve(self, objects: list[Any]) -> Callable[[int], Callable[..., Any]]:
        calls = self._calls

        def resolve(number: int) -> Callable[..., Any]:
            schema, field, maker = calls[number]
            return maker(objects[schema], objects[field])

        return resolve

    def read(self, bound: Bound, thing: Any) -> Any:
        """The dict of an object; NotImplemented where this build of the core makes none."""
        made = self._reader.read(thing, self._resolve(bound.objects))
        return made if self._dict_class is None or made is NotImplemented else self._dict_class(made)

    def read_all(self, bound: Bound, things: list[Any]) -> Any:
        made = self._reader.read_all(things, self._resolve(bound.objects))
        return made if self._dict_class is None or made is NotImplemented else list(map(self._dict_class, made))


def dumps_by_plan(schema: Any) -> bool:
    """Whether `dump` of a schema is what its fields make, and nothing else."""
    cls = type(schema)
    return (
        schema_keeps(cls, *OF_DUMP)
        and not has_hooks(schema, PRE_DUMP, POST_DUMP)
        and not is_instance_changed(schema)
        and is_served(cls)
    )


# Calls of the core


def _serializing(name: str, schema: Any, field: Any) -> Callable[..., Any]:
    serialize, accessor = field.serialize, schema.get_attribute
    return lambda thing: serialize(name, thing, accessor=accessor)


def _converting(name: str, schema: Any, field: Any) -> Callable[..., Any]:
    serialize = field._serialize

    def convert(value: Any) -> Any:
        if value is missing:
            default = field.dump_default
            value = default() if callable(default) else default
            if value is missing:
                return value
        return serialize(value, name, None)

    return convert


def _resuming(name: str, steps: tuple[str, ...], schema: Any, field: Any) -> Callable[..., Any]:
    convert = _converting(name, schema, field)

    def resume(thing: Any, found: Any, n_steps: int, error: Exception | None) -> Any:
        if error is not None:
            found = _after_error(found, steps[n_steps], error)
            n_steps += 1
        for step in steps[n_steps:]:
            found = _value_for_key(found, step)
        return convert(found)

    return resume


def _method(name: str, schema: Any, field: Any) -> Callable[..., Any]:
    method: Callable[..., Any] | None = field._serialize_method
    return method if method is not None else lambda thing: missing


def _function(name: str, schema: Any, field: Any) -> Callable[..., Any]:
    if not IS_VERSION_3:
        function: Callable[..., Any] = field.serialize_func
        return function
    serialize = field._serialize
    return lambda thing: serialize(None, name, thing)


def _constant(name: str, schema: Any, field: Any) -> Callable[..., Any]:
    constant = field.constant
    return lambda thing: constant


_MAKERS: dict[str, _Maker] = {
    "marshmallow.fields.Method._serialize": _method,
    "marshmallow.fields.Function._serialize": _function,
    "marshmallow.fields.Constant._serialize": _constant,
}


stands_in_for(*_MAKERS, left="what such fields dump")


# Ways to values


_NO_STR_ITEMS: tuple[Any, ...] = (tuple.__getitem__, list.__getitem__, str.__getitem__, bytes.__getitem__)
"""Raise TypeError for a str, without code of a subclass."""


_BUILTIN = (
    object,
    dict,
    collections.OrderedDict,
    collections.defaultdict,
    tuple,
    list,
    str,
    bytes,
    int,
    float,
    type(None),
)
_GETATTRIBUTE = tuple(cls.__getattribute__ for cls in _BUILTIN)
"""Those of builtin classes do what that of `object` does."""


def _has_items(cls: type) -> bool:
    """Whether marshmallow asks an object of the class for an item first."""
    found = inspect.getattr_static(cls, "__getitem__", None)
    return found is not None and found not in _NO_STR_ITEMS


def way_of(cls: type, name: str) -> StepWay:
    """How marshmallow finds a value in objects of a class: it tries `thing[name]`, then `thing.name`."""
    getattribute: Any = cls.__getattribute__
    if getattribute not in _GETATTRIBUTE or hasattr(cls, "__getattr__") or issubclass(cls, type):
        return StepWay("library")
    return StepWay("item" if _has_items(cls) else "attribute")


def _value_for_key(thing: Any, key: str) -> Any:
    if not hasattr(thing, "__getitem__"):
        return getattr(thing, key, missing)
    try:
        return thing[key]
    except (KeyError, IndexError, TypeError, AttributeError):
        return getattr(thing, key, missing)


def _after_error(thing: Any, key: str, error: Exception) -> Any:
    """What is found after an item or an attribute raised an error."""
    if _has_items(type(thing)):
        if isinstance(error, (KeyError, IndexError, TypeError, AttributeError)):
            return getattr(thing, key, missing)
    elif isinstance(error, AttributeError):
        return missing
    raise error
