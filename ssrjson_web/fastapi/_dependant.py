"""What an endpoint depends on as FastAPI sees it, with other body fields and another call."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

from ssrjson_web._core import _are_same
from ssrjson_web._shared.kept_by_class import kept_by_class
from ssrjson_web.fastapi._body import AcceptingField
from ssrjson_web.fastapi._field import has_adapter

__all__ = ["accepting_fields", "has_wrapped_call", "renew_call", "replaced_dependant"]

Wrap = Callable[[Any], Any]


def replaced_dependant(
    dependant: Any, *, accepts_bodies: bool, wrap_call: Wrap | None = None, accepting: Wrap = AcceptingField
) -> Any:
    """A dependant with what `accepting` makes of the fields of bodies, its dependencies' too, and with a wrapped call.

    It is the dependant itself where nothing is to be replaced. Otherwise all of it is read from the dependant at each
    request, as FastAPI does: an application may add or replace dependencies at any time. Only the wrapped call is kept
    by the view: FastAPI reads it ten times for a request, so `renew_call` is to be called once before.
    """
    if not dataclasses.is_dataclass(dependant):
        return dependant
    if wrap_call is None and not (accepts_bodies and _has_bodies(dependant)):
        return dependant
    cls: Any = type(dependant)
    view_class = _calling_view_class(cls) if wrap_call is None else _view_class(cls)
    view = view_class.__new__(view_class)
    view._ssrjson = _Replacement(dependant, accepts_bodies, wrap_call, accepting)
    if wrap_call is not None:
        renew_call(view)
    return view


def has_wrapped_call(dependant: Any) -> bool:
    """Whether a dependant is one of ours with a wrapped call."""
    replacement = getattr(dependant, "_ssrjson", None)
    return replacement is not None and replacement.wrap_call is not None


def renew_call(view: Any) -> None:
    """Wrap the dependant's call again if it is another one than before. Else another that instrumentation set stays."""
    replacement = view._ssrjson
    call = replacement.original.call
    if call is not replacement.wrapped:
        view.call = replacement.wrap_call(call)
        replacement.wrapped = call  # at last, because threads may share a route


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

    __slots__ = ("accepting", "accepts_bodies", "dependencies", "fields", "original", "wrap_call", "wrapped")

    def __init__(self, original: Any, accepts_bodies: bool, wrap_call: Wrap | None, accepting: Wrap) -> None:
        self.original = original
        self.accepting = accepting
        self.accepts_bodies = accepts_bodies
        self.wrap_call = wrap_call
        self.wrapped: Any = self  # no call is it
        # a source and what was made of it are one attribute, because threads may share a route
        self.fields: tuple[list[Any], list[Any]] = ([], [])
        self.dependencies: tuple[list[Any], list[Any]] = ([], [])

    def accepting_field(self, field: Any) -> Any:
        return self.accepting(field) if has_adapter(field) else field

    def accepting_dependant(self, dependant: Any) -> Any:
        return replaced_dependant(dependant, accepts_bodies=True, accepting=self.accepting)


def _body_params(view: Any) -> list[Any]:
    replacement = view._ssrjson
    current: list[Any] = replacement.original.body_params
    if not current or not replacement.accepts_bodies:
        return current
    replacement.fields = known = _made_of(current, replacement.fields, replacement.accepting_field)
    return known[1]


def _dependencies(view: Any) -> list[Any]:
    replacement = view._ssrjson
    current: list[Any] = replacement.original.dependencies
    if not current or not replacement.accepts_bodies:
        return current
    replacement.dependencies = known = _made_of(current, replacement.dependencies, replacement.accepting_dependant)
    return known[1]


def _made_of(current: list[Any], known: tuple[list[Any], list[Any]], make: Wrap) -> tuple[list[Any], list[Any]]:
    """The list, and one with what is made of its items: the known ones where the items are the same objects."""
    source, made = known
    if _are_same(source, current):
        return known
    by_id = dict(zip(map(id, source), made, strict=True))
    return list(current), [by_id[id(one)] if id(one) in by_id else make(one) for one in current]


@kept_by_class(64)
def _view_class(cls: Any) -> Any:
    """A subclass of a class of dependants, whose objects read and write another one's attributes, but for `call`."""
    namespace: dict[str, Any] = {
        "__slots__": ("_ssrjson",),
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__getattr__": _other_attribute,
        "__copy__": _snapshot,
        "__deepcopy__": lambda view, memo: copy.deepcopy(view._ssrjson.original, memo),
    }
    replaced = {"body_params": _body_params, "dependencies": _dependencies}
    for field in dataclasses.fields(cls):
        if field.name != "call":
            namespace[field.name] = _through(field.name, replaced.get(field.name))
    return type(cls.__name__, (cls,), namespace)


@kept_by_class(64)
def _calling_view_class(cls: Any) -> Any:
    """The same with the other one's `call`."""
    base = _view_class(cls)
    namespace = {"__slots__": (), "__module__": cls.__module__, "__qualname__": cls.__qualname__}
    return type(cls.__name__, (base,), {**namespace, "call": _through("call")})


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
