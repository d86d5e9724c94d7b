"""What marshmallow's own classes do, and whether a schema or a field still does it."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from marshmallow import Schema, fields

__all__ = [
    "DICT_CLASSES",
    "IS_VERSION_3",
    "OPT_OUT",
    "REPLACED",
    "STOCK_DESERIALIZE",
    "field_keeps",
    "has_hooks",
    "is_instance_changed",
    "is_served",
    "own_dict_class",
    "schema_keeps",
]

IS_VERSION_3 = not hasattr(Schema, "dict_class") or isinstance(inspect.getattr_static(Schema, "dict_class"), property)
"""Whether it is marshmallow 3, where a schema has a context, and `ordered`."""

DICT_CLASSES = (dict, OrderedDict)
"""The classes of results that a plan can make."""

OPT_OUT = "ssrjson"
"""The attribute of a schema class that is False where it opts out."""

REPLACED: dict[str, list[Any]] = {
    name: [inspect.getattr_static(Schema, name)] for name in ("_serialize", "_deserialize")
}
"""The methods that plans replace: marshmallow's own, and ours."""

STOCK_DESERIALIZE: Callable[..., Any] = REPLACED["_deserialize"][0]
"""marshmallow's own `_deserialize`."""

_SCHEMA_METHODS = ("dump", "load", "_do_load", "get_attribute", "handle_error", "_call_and_store")
_FIELD_METHODS = (
    "serialize",
    "deserialize",
    "get_value",
    "_validate",
    "_validate_all",
    "_validate_missing",
)
_STOCK_OF_SCHEMA = {name: inspect.getattr_static(Schema, name) for name in _SCHEMA_METHODS}
_STOCK_OF_FIELD = {name: inspect.getattr_static(fields.Field, name) for name in _FIELD_METHODS}
_STOCK_DICT_CLASS = inspect.getattr_static(Schema, "dict_class")
# tuples, because threads wait for each other where they read one set
_CALLED_ON_FIELDS = (
    *_FIELD_METHODS,
    *("_serialize", "_deserialize", "make_error", "_format_num", "_validated", "_to_string", "schema"),
)
_CALLED_ON_SCHEMAS = (*_SCHEMA_METHODS, "_serialize", "_deserialize", "dict_class")


def schema_keeps(cls: type, *names: str) -> bool:
    """Whether a schema class has marshmallow's own methods of these names."""
    return all(inspect.getattr_static(cls, name, None) is _STOCK_OF_SCHEMA[name] for name in names)


def field_keeps(cls: type, *names: str) -> bool:
    """Whether a field class has the methods of marshmallow's `Field` of these names."""
    return all(inspect.getattr_static(cls, name, None) is _STOCK_OF_FIELD[name] for name in names)


def is_instance_changed(thing: Any) -> bool:
    """Whether a schema or a field has a method of its own, which its class does not have."""
    names = _CALLED_ON_SCHEMAS if isinstance(thing, Schema) else _CALLED_ON_FIELDS
    return not vars(thing).keys().isdisjoint(names)


def has_hooks(schema: Any, *tags: str) -> bool:
    """Whether a schema has hooks of these kinds. Before marshmallow 3.24 they are kept by pairs, of which that is the
    first."""
    return any(hooks and (key in tags or key[0] in tags) for key, hooks in schema._hooks.items())


def own_dict_class(schema: Any) -> type | None:
    """The class of a schema's results. None: it cannot be known without code of the schema's."""
    found = inspect.getattr_static(type(schema), "dict_class", None)
    if found is _STOCK_DICT_CLASS and isinstance(found, property):
        found = schema.dict_class
    return found if isinstance(found, type) else None


def is_served(cls: type) -> bool:
    """Whether the core may work for a schema class: it does not opt out, and has no `_serialize` of its own."""
    own = {name: inspect.getattr_static(cls, name, None) for name in REPLACED}
    return (
        all(own[name] in functions for name, functions in REPLACED.items()) and getattr(cls, OPT_OUT, True) is not False
    )
