"""How the attributes of other objects are read, of which pydantic's `from_attributes` makes models."""

from __future__ import annotations

import operator
import sys
import types
from collections.abc import Iterable, Mapping
from typing import Any

from ssrjson_web._models.language import AcceptedField, ReadingWay
from ssrjson_web._models.pydantic.plans import find_in_class

__all__ = ["AttributesWay", "keys_of"]

_GET_ATTRIBUTE = vars(object)["__getattribute__"]


class AttributesWay:
    """How pydantic's `from_attributes` finds attributes of objects of a class, where it runs no code of the class."""

    def __init__(self, kept: tuple[type, ...], names: list[tuple[str, str | None]]) -> None:
        """`kept` are the classes whose objects validation does not read so: it keeps them, or what they say is set."""
        self._kept = kept
        self._names = names

    @classmethod
    def of_model(cls, schema: Mapping[str, Any], fields: Iterable[AcceptedField]) -> AttributesWay:
        """That of objects of which a model with these fields is made."""
        pairs = [zip(keys, (*keys[1:], None), strict=True) for keys in map(keys_of, fields)]
        return cls(_kept_classes(schema), [pair for of_field in pairs for pair in of_field])

    @classmethod
    def of_steps(cls, fields: Iterable[AcceptedField]) -> AttributesWay | None:
        """That of objects that the paths of fields go through; None where there are no paths."""
        names = {step: None for field in fields for path in field.paths for step in path[1:] if isinstance(step, str)}
        return cls((), [(name, None) for name in names]) if names else None

    def __call__(self, cls: type) -> ReadingWay:
        if cls.__module__ == "builtins" or find_in_class(cls, "__getattribute__") is not _GET_ATTRIBUTE:
            return "library"
        if issubclass(cls, (Mapping, type, types.ModuleType, *self._kept)):
            return "library"
        for name, other in self._names:
            # an alias that the class makes up would come before the name
            if other is not None and (hasattr(cls, "__getattr__") or find_in_class(cls, name) is not None):
                return "library"
        names = [name for names in self._names for name in names if name is not None]
        found = {name: find_in_class(cls, name) for name in names}
        if all(one is None for one in found.values()):
            return "own"
        descriptors = {name: one for name, one in found.items() if hasattr(type(one), "__get__")}
        if all(isinstance(one, types.MemberDescriptorType) for one in descriptors.values()):
            return "getattribute"
        are_loaded = all(_takes_from_dict(one, name) for name, one in descriptors.items())
        return "dict" if are_loaded else "library"


def keys_of(field: AcceptedField) -> tuple[str, ...]:
    """The keys of a field in a dict, in the order in which they are looked for; of a path the first."""
    if field.paths:
        return tuple(str(path[0]) for path in field.paths)
    return (field.key,) if field.other_key is None else (field.key, field.other_key)


def _kept_classes(schema: Mapping[str, Any]) -> tuple[type, ...]:
    """The classes whose objects are no other objects to the schema of a model: its own, and that which it parametrizes.

    `Page[Item]` is made of a `Page` or a `Page[Any]` by its fields, and the same ones of them are set.
    """
    origin = schema.get("generic_origin")
    return (schema["cls"],) if origin is None else (schema["cls"], origin)


def _takes_from_dict(descriptor: Any, name: str) -> bool:
    """Whether the attribute is the value of its name in `__dict__` if it is there."""
    cls = type(descriptor)
    if not hasattr(cls, "__set__") and not hasattr(cls, "__delete__"):
        return True  # Python prefers the value in `__dict__`
    return _is_column_of_sqlalchemy(descriptor, name) or _is_column_of_django(descriptor, name)


def _is_column_of_django(descriptor: Any, name: str) -> bool:
    """Whether a descriptor is a foreign key's column, or another that Django reads in the same way."""
    query_utils: Any = sys.modules.get("django.db.models.query_utils")
    column = getattr(query_utils, "DeferredAttribute", None)
    return (
        isinstance(column, type)
        and isinstance(descriptor, column)
        and find_in_class(type(descriptor), "__get__") is vars(column).get("__get__")
        and getattr(getattr(descriptor, "field", None), "attname", None) == name
    )


def _is_column_of_sqlalchemy(descriptor: Any, name: str) -> bool:
    attributes: Any = sys.modules.get("sqlalchemy.orm.attributes")
    return (
        attributes is not None
        and type(descriptor) is getattr(attributes, "InstrumentedAttribute", None)
        and descriptor.key == name
        and isinstance(getattr(attributes, "instance_dict", None), operator.attrgetter)
        and bool(getattr(getattr(descriptor, "impl", None), "supports_population", False))
    )
