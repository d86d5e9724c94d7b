"""Fields that choose: among words for true and false, or among the members of an enum."""

from __future__ import annotations

import enum
import inspect
from operator import attrgetter
from types import NoneType
from typing import Any

from ssrjson_web._models.language import Acceptance, Accepted
from ssrjson_web.marshmallow._basis import Basis
from ssrjson_web.marshmallow._fields.describer import NULL, Loaded, load_acceptance, read_within, stock
from ssrjson_web.marshmallow._fields.validators import NotKnownError
from ssrjson_web.marshmallow._stock import IS_VERSION_3

__all__: list[str] = []


def _read_boolean(basis: Basis, number: int) -> Acceptance:
    """marshmallow 3, whose booleans are made of truthy and falsy values when they are dumped, too."""
    field = basis.objects[number]
    basis.watch_shared(*(values for values in (field.truthy, field.falsy) if isinstance(values, (set, list, dict))))
    if not all(isinstance(values, (set, frozenset)) for values in (field.truthy, field.falsy)):
        return (NULL,)
    is_kept = all(field._serialize(value, None, None) is value for value in (True, False))
    return (NULL, Accepted(bool)) if is_kept else (NULL,)


def _load_boolean(basis: Basis, number: int) -> Loaded:
    field = basis.objects[number]
    for values in (field.truthy, field.falsy):
        if type(values) is not set or not all(type(value) in (str, int, float, bool, NoneType) for value in values):
            return ()
        basis.watch_shared(values)
    if not field.truthy:
        return (Accepted(bool),)
    mapping = {**dict.fromkeys(field.falsy, False), **dict.fromkeys(field.truthy, True)}
    return tuple(
        Accepted(cls, "mapped", mapping={value: to for value, to in mapping.items() if _is_like(cls, value)})
        for cls in (bool, int, str)
    )


def _is_like(cls: type, value: Any) -> bool:
    """Whether a value of exactly this type may be equal to it."""
    return isinstance(value, str) == (cls is str) and value is not None


stock("Boolean", reads=_read_boolean, loads=_load_boolean)


def _read_enum(basis: Basis, number: int) -> Acceptance:
    field = basis.objects[number]
    cls = field.enum
    name = "value" if field.by_value else "name"
    read_within(basis, number, "field")
    if field.by_value not in (True, False):
        return (NULL,)
    if inspect.getattr_static(cls, name, None) is not inspect.getattr_static(enum.Enum, name):
        return (NULL,)
    return (NULL, Accepted(cls, "call", validator=attrgetter(f"_{name}_")))


def _load_enum(basis: Basis, number: int) -> Loaded:
    field = basis.objects[number]
    cls = field.enum
    metaclass = type(cls)
    if not load_acceptance(basis, basis.add(number, "field"))[1]:
        raise NotKnownError
    if field.by_value not in (True, False):
        return ()
    member = () if IS_VERSION_3 else (Accepted(cls),)
    static = inspect.getattr_static
    if any(static(metaclass, name) is not static(enum.EnumMeta, name) for name in ("__getitem__", "__call__")):
        return member
    if not field.by_value:
        mapping = {name: getattr(cls, name) for name in cls.__members__} if IS_VERSION_3 else dict(cls.__members__)
        return Accepted(str, "mapped", mapping=mapping), *member
    by_type = [(of, {m.value: m for m in cls if type(m.value) is of}) for of in (str, int)]
    if any(type(member.value) not in (str, int) for member in cls):
        by_type = []  # a value of another type may be equal to one of these
    return (*(Accepted(of, "mapped", mapping=members) for of, members in by_type if members), *member)


stock("Enum", reads=_read_enum, loads=_load_enum)
