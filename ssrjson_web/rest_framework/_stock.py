"""REST framework's own classes and functions, to tell which classes keep them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rest_framework import fields, relations, serializers
from rest_framework.fields import Field, FilePathField
from rest_framework.serializers import BaseSerializer

__all__ = ["is_made_by_stock", "keeper"]

_MODULES = (fields.__name__, relations.__name__, serializers.__name__)
_MISSING = object()


def _classes(cls: type) -> Iterator[type]:
    yield cls
    derived: type
    for derived in cls.__subclasses__():
        if derived.__module__ in _MODULES:
            yield from _classes(derived)


_STOCK_CLASSES = tuple(_classes(Field))
# what runs when a field is made, beside what Python does
_MAKING = ("__init__", "__new__", "__deepcopy__", "__setattr__", "__getattribute__", "bind", "validators")
_MAKING_OF_FIELDS = (*_MAKING, "get_validators", "choices")
_ALLOWED = {
    name: tuple({id(found): found for cls in _STOCK_CLASSES for found in [getattr(cls, name, _MISSING)]}.values())
    for name in _MAKING_OF_FIELDS
}
_NOT_ALLOWED = FilePathField.__init__  # it reads a directory


def is_made_by_stock(cls: type) -> bool:
    """Whether instances of a field class are made by REST framework's code alone, which has no effect but that."""
    names = _MAKING if issubclass(cls, BaseSerializer) else _MAKING_OF_FIELDS
    if cls.__init__ is _NOT_ALLOWED:  # type: ignore[misc]
        return False
    return all(any(getattr(cls, name, _MISSING) is one for one in _ALLOWED[name]) for name in names)


def keeper(owner: type, *names: str) -> Callable[[type], bool]:
    """Tells whether a class has the attributes that another one has now, when REST framework is as it is installed."""
    known = [(name, getattr(owner, name, _MISSING)) for name in names]
    return lambda cls: all(getattr(cls, name, _MISSING) is value for name, value in known)
