"""What marshmallow's own classes do, and whether a schema or a field still does it."""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any

from marshmallow import Schema, missing

from ssrjson_web._known.functions import known_name, stands_in_for

__all__ = [
    "DICT_CLASSES",
    "IS_VERSION_3",
    "OF_DUMP",
    "OF_FIELD_DUMP",
    "OF_FIELD_LOAD",
    "OF_LOAD",
    "OPT_OUT",
    "OURS",
    "STOCK_DESERIALIZE",
    "allows_core",
    "called_functions",
    "field_keeps",
    "has_hooks",
    "is_instance_changed",
    "library_name",
    "names_remembered",
    "own_dict_class",
    "own_name",
    "schema_keeps",
]

IS_VERSION_3 = not hasattr(Schema, "dict_class") or isinstance(inspect.getattr_static(Schema, "dict_class"), property)
"""Whether it is marshmallow 3, where a schema has a context, and `ordered`."""

DICT_CLASSES = (dict, OrderedDict)
"""The classes of results that a plan can make."""

OPT_OUT = "ssrjson"
"""The attribute of a schema class that is False where it opts out."""

OURS: set[Any] = set()
"""Our functions that `setup` puts in the place of marshmallow's."""

STOCK_DESERIALIZE: Callable[..., Any] = inspect.getattr_static(Schema, "_deserialize")
"""marshmallow's own `_deserialize`."""

OF_DUMP = ("dump", "_invoke_dump_processors", "_invoke_processors", "_has_processors")
"""What `dump` calls on a schema, besides `_serialize` and `get_attribute`."""
OF_LOAD = (
    *("load", "_do_load", "_call_and_store", "_invoke_load_processors", "_invoke_processors", "_has_processors"),
    *("_invoke_field_validators", "_invoke_schema_validators", "_run_validator"),
)
"""What `load` calls on a schema, besides `_deserialize`."""
OF_FIELD_DUMP = ("serialize", "get_value")
"""What is called on a field that is dumped, besides its own `_serialize`."""
OF_FIELD_LOAD = ("deserialize", "_validate", "_validate_all", "_validate_missing")
"""What is called on a field that is loaded, besides its own `_deserialize`."""

stands_in_for(*(f"marshmallow.schema.Schema.{name}" for name in (*OF_DUMP, "get_attribute")), left="what schemas dump")
stands_in_for(*(f"marshmallow.schema.Schema.{name}" for name in OF_LOAD), left="what schemas load")
stands_in_for("marshmallow.schema.Schema.dict_class", left="what schemas dump and load")
stands_in_for(*(f"marshmallow.fields.Field.{name}" for name in OF_FIELD_DUMP), left="what fields dump")
stands_in_for(*(f"marshmallow.fields.Field.{name}" for name in OF_FIELD_LOAD), left="what fields load")

# tuples, because threads wait for each other where they read one set
_CALLED_ON_FIELDS = (
    *(*OF_FIELD_DUMP, *OF_FIELD_LOAD, "_serialize", "_deserialize", "make_error"),
    *("_format_num", "_validated", "_to_string", "schema", "_load", "_test_collection"),
)
_CALLED_ON_SCHEMAS = (
    *(*OF_DUMP, *OF_LOAD, "_serialize", "_deserialize", "get_attribute", "handle_error", "dict_class"),
)
_CALLED_TO_DUMP = {
    *(*OF_DUMP, *OF_FIELD_DUMP, "_serialize", "get_attribute", "dict_class"),
    *("_format_num", "_to_string", "schema"),
}
_CALLED_TO_LOAD = {
    *(*OF_LOAD, *OF_FIELD_LOAD, "_deserialize", "make_error", "handle_error", "dict_class", "__call__"),
    *("_format_num", "_validated", "schema", "_load", "_test_collection"),
}


def library_name(function: Any) -> str:
    """The dotted name of marshmallow's function that this is, or that ours stands in for; empty for any other."""
    return known_name(_stock_of(function), "marshmallow")


def _stock_of(function: Any) -> Any:
    """What a function is, or, of one of ours, the one that it replaces."""
    is_ours = isinstance(function, FunctionType) and function in OURS
    return vars(function)["__wrapped__"] if is_ours else function


class _Memory(threading.local):
    names: dict[tuple[type, str], str] | None = None


_memory = _Memory()


@contextlib.contextmanager
def names_remembered() -> Iterator[None]:
    """Within it, `own_name` looks once at each class. It is for the making of one plan."""
    _memory.names = {}
    try:
        yield
    finally:
        _memory.names = None


def own_name(cls: type, name: str) -> str:
    """The dotted name of marshmallow's function that a class has under a name.

    It is empty where the class, or one that it inherits from, has another function there: `super()` may lead to that.
    """
    names = _memory.names
    if names is None:
        return _own_name(cls, name)
    if (cls, name) not in names:
        names[cls, name] = _own_name(cls, name)
    return names[cls, name]


def _own_name(cls: type, name: str) -> str:
    found = ""
    for base in cls.__mro__:
        function = base.__dict__.get(name, missing)
        if function is not missing:
            known = library_name(function)
            if not known:
                return ""
            found = found or known
    return found


def schema_keeps(cls: type, *names: str) -> bool:
    """Whether a schema class has marshmallow's own methods of these names, as far as this version has them."""
    return all(own_name(cls, name) == f"marshmallow.schema.Schema.{name}" for name in names if hasattr(Schema, name))


def field_keeps(cls: type, *names: str) -> bool:
    """Whether a field class has the methods of marshmallow's `Field` of these names."""
    return all(own_name(cls, name) == f"marshmallow.fields.Field.{name}" for name in names)


def is_instance_changed(thing: Any) -> bool:
    """Whether a schema or a field has a method of its own, which its class does not have."""
    names = _CALLED_ON_SCHEMAS if isinstance(thing, Schema) else _CALLED_ON_FIELDS
    return not vars(thing).keys().isdisjoint(names)


def has_hooks(schema: Any, *tags: str) -> bool:
    """Whether a schema has hooks of these kinds. Before marshmallow 3.24 they are kept by pairs, of which that is the
    first."""
    return any(hooks and (key in tags or key[0] in tags) for key, hooks in schema._hooks.items())


def called_functions(classes: Iterable[type], *, to_load: bool) -> Iterator[Any]:
    """What is called of marshmallow's own classes among the bases of schemas, fields and validators."""
    names = _CALLED_TO_LOAD if to_load else _CALLED_TO_DUMP
    for base in dict.fromkeys(base for cls in classes for base in cls.__mro__):
        if base.__module__.startswith("marshmallow."):
            for name in names & vars(base).keys():
                yield _stock_of(vars(base)[name])


def own_dict_class(schema: Any) -> type | None:
    """The class of a schema's results. None: it cannot be known without code of the schema's."""
    found = inspect.getattr_static(type(schema), "dict_class", None)
    if isinstance(found, property) and schema_keeps(type(schema), "dict_class"):
        found = schema.dict_class
    return found if isinstance(found, type) else None


def allows_core(cls: type) -> bool:
    """Whether the core may work for a schema class: it does not opt out, and has no `_serialize` of its own."""
    return schema_keeps(cls, "_serialize", "_deserialize") and getattr(cls, OPT_OUT, True) is not False
