"""Plans of schemas that dump objects: the core makes the dicts, and asks marshmallow where it must."""

from __future__ import annotations

import collections
import functools
import inspect
from collections.abc import Callable
from typing import Any

from marshmallow import missing

from ssrjson_web._core import _RecordReader
from ssrjson_web._known.functions import stands_in_for
from ssrjson_web._models.language import Accepted, ReadField, ReadRecord, StepWay
from ssrjson_web.marshmallow._basis import Bound
from ssrjson_web.marshmallow._fields.describer import maker_of, read_acceptance
from ssrjson_web.marshmallow._fields.nested import read_nested
from ssrjson_web.marshmallow._plans import SchemaPlan
from ssrjson_web.marshmallow._stock import DICT_CLASSES, OF_FIELD_DUMP, field_keeps, schema_keeps

__all__ = ["ReadPlan"]

_GETTERS = ("get_value", "_get_value_for_key", "_get_value_for_keys")
stands_in_for(*(f"marshmallow.utils.{name}" for name in _GETTERS), left="what schemas dump")

_MISSING = Accepted(type(missing))


def _leave(value: Any) -> Any:
    raise ValueError("it is left to the field")


_ANY_BUT_MISSING = (Accepted(type(missing), "call", validator=_leave), Accepted(object))


class ReadPlan(SchemaPlan):
    """How a schema dumps."""

    def __init__(self, schema: Any, key: None = None, *, nests: bool = True) -> None:
        """Raises TypeError and ValueError where the core cannot do it, with the reason."""
        super().__init__(schema, "dump_fields", nests=nests)
        self.basis.watch_functions("marshmallow.schema", "get_value")
        self.basis.watch_functions("marshmallow.utils", *_GETTERS)
        self.basis.watch_modules("marshmallow.fields", "utils")
        record = self._record(0)
        self._finish(record.fields, "serializes", _MISSING)
        self._reader = _RecordReader(record)

    # What it is made of

    def _record(self, number: int) -> ReadRecord:
        schema = self.basis.objects[number]
        if type(schema.dump_fields) not in DICT_CLASSES:
            raise TypeError("its fields are in a class of its own")
        made = tuple(self._field(number, name) for name in schema.dump_fields)
        return ReadRecord(made, way_of, missing)

    def _field(self, schema: int, name: str) -> ReadField:
        number = self.basis.add(schema, "dump_fields", name)
        field = self.basis.objects[number]
        key = field.data_key if field.data_key is not None else name
        steps = tuple((name if field.attribute is None else field.attribute).split("."))
        reason = self._reason_to_give(self.basis.objects[schema], field)
        if reason is None:
            acceptance = read_nested(self.basis, number, self._record)
            acceptance, is_known = read_acceptance(self.basis, number) if acceptance is None else (acceptance, True)
            if is_known:
                self._notice(acceptance)
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
        maker = maker_of(self.basis.objects[number])
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

    # What it does

    def read(self, bound: Bound, thing: Any) -> Any:
        """The dict of an object; NotImplemented where this build of the core makes none."""
        made = self._reader.read(thing, self._resolve(bound.objects))
        return made if self._dict_class is None or made is NotImplemented else self._dict_class(made)

    def read_all(self, bound: Bound, things: list[Any]) -> Any:
        made = self._reader.read_all(things, self._resolve(bound.objects))
        return made if self._dict_class is None or made is NotImplemented else list(map(self._dict_class, made))


# Calls of the core


def _serializing(name: str, schema: Any, field: Any, run: None) -> Callable[..., Any]:
    serialize, accessor = field.serialize, schema.get_attribute
    return lambda thing: serialize(name, thing, accessor=accessor)


def _converting(name: str, schema: Any, field: Any, run: None) -> Callable[..., Any]:
    serialize = field._serialize

    def convert(value: Any) -> Any:
        if value is missing:
            default = field.dump_default
            value = default() if callable(default) else default
            if value is missing:
                return value
        return serialize(value, name, None)

    return convert


def _resuming(name: str, steps: tuple[str, ...], schema: Any, field: Any, run: None) -> Callable[..., Any]:
    convert = _converting(name, schema, field, run)

    def resume(thing: Any, found: Any, n_steps: int, error: Exception | None) -> Any:
        if error is not None:
            found = _after_error(found, steps[n_steps], error)
            n_steps += 1
        for step in steps[n_steps:]:
            found = _value_for_key(found, step)
        return convert(found)

    return resume


# Ways to values

_NO_STR_ITEMS: tuple[Any, ...] = (tuple.__getitem__, list.__getitem__, str.__getitem__, bytes.__getitem__)
"""Raise TypeError for a str, without code of a subclass."""


_BUILTIN = (object, dict, collections.OrderedDict, collections.defaultdict, tuple, list, str, bytes, int, float)
_GETATTRIBUTE = tuple(cls.__getattribute__ for cls in (*_BUILTIN, type(None)))
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
