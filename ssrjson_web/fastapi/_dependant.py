"""What an endpoint depends on as FastAPI sees it, with other body fields and another call."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from operator import attrgetter, is_
from typing import Any

from ssrjson_web._shared.kept_by_class import kept_by_class
from ssrjson_web.fastapi._body import AcceptingField
from ssrjson_web.fastapi._field import has_adapter

__all__ = ["accepting_fields", "replaced_dependant"]

Wrap = Callable[[Any], Any]


def replaced_dependant(dependant: Any, *, accepts_bodies: bool, wrap_call: Wrap | None = None) -> Any:
    """A dependant with `AcceptingField`s for the fields of bodies, its dependencies' too, and with a wrapped call.

    It is the dependant itself where nothing is to be replaced. Otherwise all of it is read from the dependant at each
    request, as FastAPI does: an application may add or replace dependencies at any time.
    """
    if not dataclasses.is_dataclass(dependant):
        return dependant
    if wrap_call is None and not (accepts_bodies and _has_bodies(dependant)):
        return dependant
    cls: Any = type(dependant)
    view_class = _view_class(cls)
    view = view_class.__new__(view_class)
    view._ssrjson = _Replacement(dependant, accepts_bodies=accepts_bodies, wrap_call=wrap_call)
    return view


def accepting_fields(dependant: Any) -> Iterator[AcceptingField]:
    """The fields that `replaced_dependant` has put into a dependant and its dependencies."""
    for field in getattr(dependant, "body_params", None) or []:
        if isinstance(field, AcceptingField):
            yield field
    for one in getattr(dependant, "dependencies", ()):
        yield from accepting_fields(one)


def _has_bodies(dependant: Any) -> bool:
    return any(map(has_adapter, dependant.body_params)) or any(map(_has_bodies, dependant.dependencies))


class _Replacement:
    """The attributes of a dependant that are replaced. Each is made again where the dependant's own has changed."""

    def __init__(self, original: Any, *, accepts_bodies: bool, wrap_call: Wrap | None) -> None:
        self.original = original
        self._accepts_bodies = accepts_bodies
        self._wrap_call = wrap_call
        # a source and what was made of it are one attribute, because threads may share a route
        self._call: tuple[Any, Any] = (None, None)
        self._fields: tuple[list[Any], list[Any]] = ([], [])
        self._dependencies: tuple[list[Any], list[Any]] = ([], [])

    def call(self) -> Any:
        call = self.original.call
        if self._wrap_call is None:
            return call
        source, made = self._call
        if source is not call or made is None:
            made = self._wrap_call(call)
            self._call = (call, made)
        return made

    def set_call(self, call: Any) -> None:
        """Instrumentation wraps the call of the dependant that FastAPI builds a handler of."""
        if self._wrap_call is None:
            self.original.call = call
        else:
            self._call = (self.original.call, call)

    def fields(self) -> list[Any]:
        self._fields = self._made_of(self.original.body_params, self._fields, _accepting)
        return self._fields[1]

    def dependencies(self) -> list[Any]:
        self._dependencies = self._made_of(self.original.dependencies, self._dependencies, _accepting_dependant)
        return self._dependencies[1]

    def _made_of(self, current: list[Any], known: tuple[list[Any], list[Any]], make: Wrap) -> Any:
        """The list, and one with what is made of its items: the known one where the items are the same objects."""
        source, made = known
        if not self._accepts_bodies:
            return current, current
        if len(source) == len(current) and all(map(is_, source, current)):
            return known
        by_id = dict(zip(map(id, source), made, strict=True))
        return list(current), [by_id[id(one)] if id(one) in by_id else make(one) for one in current]


def _accepting(field: Any) -> Any:
    return AcceptingField(field) if has_adapter(field) else field


def _accepting_dependant(dependant: Any) -> Any:
    return replaced_dependant(dependant, accepts_bodies=True)


@kept_by_class(64)
def _view_class(cls: Any) -> Any:
    """A subclass of a class of dependants, whose objects read and write the attributes of another one."""
    namespace: dict[str, Any] = {
        "__slots__": ("_ssrjson",),
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__getattr__": _other_attribute,
        "__copy__": _snapshot,
        "__deepcopy__": lambda view, memo: copy.deepcopy(view._ssrjson.original, memo),
    }
    for field in dataclasses.fields(cls):
        namespace[field.name] = _through(field.name)
    namespace["call"] = property(lambda view: view._ssrjson.call(), lambda view, call: view._ssrjson.set_call(call))
    namespace["body_params"] = _through("body_params", lambda view: view._ssrjson.fields())
    namespace["dependencies"] = _through("dependencies", lambda view: view._ssrjson.dependencies())
    return type(cls.__name__, (cls,), namespace)


def _through(name: str, read: Callable[[Any], Any] | None = None) -> property:
    def write(view: Any, value: Any) -> None:
        setattr(view._ssrjson.original, name, value)

    return property(read or attrgetter(f"_ssrjson.original.{name}"), write)


def _other_attribute(view: Any, name: str) -> Any:
    if name.startswith("_ssrjson") or (name.startswith("__") and name.endswith("__")):
        raise AttributeError(name)
    return getattr(view._ssrjson.original, name)


def _snapshot(view: Any) -> Any:
    """A copy for code that changes its own: a dependant of the original class."""
    changed = copy.copy(view._ssrjson.original)
    for name in ("call", "body_params", "dependencies"):
        setattr(changed, name, getattr(view, name))
    return changed
