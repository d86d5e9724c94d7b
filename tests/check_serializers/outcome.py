"""Descriptions of values, exceptions and serializers, which are equal where everything that one can see is equal."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.exceptions import ValidationError as DjangoValidationError
from django.db.models import Model, QuerySet
from django.utils.functional import Promise
from rest_framework.exceptions import APIException, ErrorDetail
from rest_framework.fields import Field
from rest_framework.serializers import BaseSerializer
from rest_framework.utils.serializer_helpers import BindingDict

__all__ = ["Places", "describe", "describe_error", "without_addresses"]

MAX_DEPTH = 12
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
_CONTAINERS = (dict, list, set, deque)


class Places:
    """Where mutable objects were seen first: the same object at two places is described as such."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._held: list[Any] = []

    def name(self, value: Any, place: str) -> str | None:
        """The place where the object was seen before; None at the first time."""
        known = self._names.get(id(value))
        if known is None:
            self._names[id(value)] = place
            self._held.append(value)
        return known


def describe(value: Any, places: Places | None = None, place: str = "") -> Any:
    """A value of plain tuples and texts. No code of the value's class runs, unless it is a lazy text."""
    return _described(value, Places() if places is None else places, place, 0)


def _described(value: Any, places: Places, place: str, depth: int) -> Any:
    kind = _name(type(value))
    if value is None or type(value) in (bool, int):
        return (kind, value)
    if type(value) is str:
        return (kind, without_addresses(value))
    if depth > MAX_DEPTH:
        return (kind, "...")
    if issubclass(type(value), ErrorDetail):
        return (kind, without_addresses(str.__str__(value)), value.code)
    if issubclass(type(value), Promise):
        return (kind, str(value))
    if issubclass(type(value), (*_CONTAINERS, Model)) or hasattr(type(value), "is_of_check"):
        known = places.name(value, place)
        if known is not None:
            return (kind, "as at", known)
    if issubclass(type(value), BaseSerializer):
        return _serializer(value)
    if issubclass(type(value), Field):
        return (kind, value.__dict__.get("field_name"), _name(type(value.__dict__.get("parent"))))
    if issubclass(type(value), BindingDict):
        return (kind, _described(value.fields, places, place, depth))
    if issubclass(type(value), QuerySet):
        cached = value._result_cache
        return (kind, _name(value.model), None if cached is None else len(cached))
    if issubclass(type(value), Model):
        return (
            kind,
            _attributes(value.__dict__, places, place, depth),
            getattr(value.__dict__.get("_state"), "adding", None),
        )
    if issubclass(type(value), BaseException):
        return describe_error(value)
    return (kind, *_parts(value, places, place, depth))


def _parts(value: Any, places: Places, place: str, depth: int) -> Iterator[Any]:
    if issubclass(type(value), dict):
        for number, (key, item) in enumerate(dict.items(value)):
            yield (
                _described(key, places, f"{place}k{number}", depth + 1),
                _described(item, places, f"{place}.{number}", depth + 1),
            )
    elif issubclass(type(value), (list, tuple, deque)):
        base: Any = next(each for each in (list, tuple, deque) if issubclass(type(value), each))
        for number, item in enumerate(base.__iter__(value)):
            yield _described(item, places, f"{place}.{number}", depth + 1)
    elif issubclass(type(value), (set, frozenset)):
        yield sorted(repr(_described(item, places, place, depth + 1)) for item in set(value))
    elif issubclass(type(value), str):
        yield without_addresses(str.__str__(value))
    elif issubclass(type(value), (int, float)):
        yield (int if issubclass(type(value), int) else float).__repr__(value)
    elif hasattr(type(value), "is_of_check"):
        yield _attributes(object.__getattribute__(value, "__dict__"), places, place, depth)
    elif callable(value):
        yield getattr(value, "__qualname__", "")
    else:
        try:
            yield without_addresses(repr(value))
        except Exception as error:
            yield ("no repr", describe_error(error))


def _attributes(held: Mapping[str, Any], places: Places, place: str, depth: int) -> Any:
    """Those of an object: the relations and prefetched objects that a model has loaded, too."""
    found: list[Any] = [
        (name, _described(item, places, f"{place}.{name}", depth + 1))
        for name, item in held.items()
        if name != "_state"
    ]
    state = vars(held["_state"]) if "_state" in held else {}
    cached = state.get("fields_cache") or {}
    found += [(name, _described(item, places, f"{place}.{name}", depth + 1)) for name, item in cached.items()]
    return [
        *found,
        *((name, _described(item, places, "", depth + 1)) for name, item in state.items() if name != "fields_cache"),
    ]


def _serializer(value: Any) -> Any:
    held = value.__dict__
    instance = held.get("instance")
    return (
        _name(type(value)),
        held.get("field_name"),
        _name(type(held.get("parent"))),
        _name(type(instance)),
        sorted(held.get("_context", {})),
        "initial_data" in held,
        held.get("partial"),
    )


def describe_error(error: BaseException) -> Any:
    """An exception with all that it says: its detail with codes, its cause, and what it was raised in."""
    said: list[Any] = [_name(type(error))]
    if isinstance(error, APIException):
        said += [describe(error.detail), error.status_code]
    elif isinstance(error, DjangoValidationError):
        said += [repr(error), getattr(error, "code", None)]
    else:
        said += [without_addresses(str(error))]
    for other in (error.__cause__, error.__context__):
        said.append(None if other is None else (_name(type(other)), without_addresses(str(other))))
    return tuple(said)


def without_addresses(text: str) -> str:
    """The text, the same in each process."""
    return _ADDRESS.sub("0x", text) if "0x" in text else text


def _name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
