"""Fields made like others, without a call of their classes.

A serializer makes its fields of the fields that its class declares, by `deepcopy`, which calls the class of each with
copies of its arguments; or of a model's fields. What the same arguments give is known from two *patterns*, fields that
were made so: a clone shares the objects that both have, and has new ones where each has one of its own.
"""

from __future__ import annotations

import copy
import datetime
import decimal
import enum
import re
import types
import uuid
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from django.core import validators as django_validators
from django.utils.functional import Promise
from rest_framework.fields import ChoiceField, Field
from rest_framework.utils.formatting import lazy_format
from rest_framework.validators import ProhibitSurrogateCharactersValidator, UniqueValidator

__all__ = [
    "PURE_VALIDATORS",
    "NotCloneableError",
    "cloner_of",
    "fields_within",
    "has_plain_choices",
    "is_atom",
    "is_immutable",
    "states_of",
]

Copy: TypeAlias = "Callable[[dict[int, Any]], Any]"
"""Makes a value once more. Values that it has made for this field already are found by the ids of the pattern's."""

_ATOMS = frozenset(
    [
        *(bool, bytes, float, int, str, type(None), decimal.Decimal, uuid.UUID),
        *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta),
    ]
)
_IMMUTABLE = _ATOMS | {
    *(complex, range, re.Pattern, type(Ellipsis), datetime.timezone),
    *(types.FunctionType, types.BuiltinFunctionType),
}
PURE_VALIDATORS = frozenset(
    [
        django_validators.DecimalValidator,
        django_validators.EmailValidator,
        django_validators.MaxLengthValidator,
        django_validators.MaxValueValidator,
        django_validators.MinLengthValidator,
        django_validators.MinValueValidator,
        django_validators.ProhibitNullCharactersValidator,
        django_validators.RegexValidator,
        django_validators.URLValidator,
        ProhibitSurrogateCharactersValidator,
    ]
)
"""Classes whose objects have no effect but an error, and no state that changes."""


class NotCloneableError(Exception):
    """A field has something of which it is not known how another one would get it."""


def is_atom(value: Any) -> bool:
    """Whether it is data that cannot be changed, and that nobody calls."""
    return type(value) in _ATOMS or isinstance(value, enum.Enum)


def is_immutable(value: Any) -> bool:
    """Whether `deepcopy` returns the object itself."""
    if type(value) in _IMMUTABLE or isinstance(value, (type, Promise, enum.Enum)):
        return True
    return type(value) in (tuple, frozenset) and all(map(is_immutable, value))


States: TypeAlias = dict[int, dict[str, Any]]
"""The attributes of fields, by the ids of the fields."""


def states_of(fields: Iterable[Any]) -> States:
    """The attributes that fields have now, and the fields in them."""
    states: States = {}
    for field in fields:
        if isinstance(field, Field):
            states[id(field)] = dict(vars(field))
            states.update(states_of(fields_within(field)))
    return states


def fields_within(field: Field) -> list[Field]:
    """The fields that a field has as attributes, without its parent."""
    return [one for name, one in vars(field).items() if isinstance(one, Field) and name != "parent"]


def cloner_of(pattern: Field, other: Any, states: States, declared: Field | None) -> Callable[[], Any]:
    """A function that returns a new field like two patterns.

    `states` has the attributes that a new field has; the first pattern's may have changed since. `declared` is what
    they are deep copies of; None: a ModelSerializer has made them. Raises NotCloneableError.
    """
    copy_it = _Comparison(states).field(pattern, other, pattern if declared is None else declared)
    return lambda: copy_it({})


class _Comparison:
    """Two patterns that are compared. What it gives for a value is how to copy it; None: it is shared."""

    def __init__(self, states: States) -> None:
        self._states = states
        self._pairs: dict[int, Any] = {}
        """By the ids of values that the first pattern has of its own: what the other one has in their places."""

    def field(self, first: Field, second: Any, origin: Field) -> Copy:
        cls, place = type(first), id(first)
        if not type(second) is type(origin) is cls:
            raise NotCloneableError(cls)
        own, others = self._states.get(place, vars(first)), vars(second)
        given = [(len(one._args), one._kwargs.keys()) for one in (first, second, origin)]
        if own.keys() != others.keys() or not given[0] == given[1] == given[2]:
            raise NotCloneableError(cls)
        if isinstance(origin, ChoiceField) and not has_plain_choices(origin):
            raise NotCloneableError(cls)
        self._pairs[place] = second
        args = [self._argument(*one) for one in zip(first._args, second._args, origin._args, strict=True)]
        kwargs = [
            (key, self._argument(value, second._kwargs[key], origin._kwargs[key]))
            for key, value in first._kwargs.items()
        ]
        copies = {"_args": _tuple(first._args, args), "_kwargs": _container(first._kwargs, kwargs)}
        names = own.keys() - {*copies, "_creation_counter"}
        copies |= {name: self._copy(value, others[name]) for name, value in own.items() if name in names}
        return _object(first, own, copies)

    def _argument(self, first: Any, second: Any, origin: Any) -> Copy | None:
        """Of an argument, which `deepcopy` has copied from one that the class declares."""
        if isinstance(first, Field):
            return self._copy(first, second, origin)
        copy_it, is_known = self._copy_if_known(first, second)
        if is_known:
            return copy_it
        self._pairs[id(first)] = second
        return _noting(first, lambda made: copy.deepcopy(origin))

    def _copy_if_known(self, first: Any, second: Any) -> tuple[Copy | None, bool]:
        before = self._pairs.copy()
        try:
            return self._copy(first, second), True
        except NotCloneableError:
            self._pairs = before
            return None, False

    def _copy(self, first: Any, second: Any, origin: Any = None) -> Copy | None:
        if first is second:
            return None
        place, cls = id(first), type(first)
        if place in self._pairs and self._pairs[place] is second:
            return lambda made: made[place]
        if place in self._pairs or type(second) is not cls:
            raise NotCloneableError(cls)
        if is_immutable(first) and (isinstance(first, Promise) or first == second):
            return None
        self._pairs[place] = second
        if isinstance(first, Field):
            return self.field(first, second, first if origin is None else origin)
        if cls in (list, tuple) and len(first) == len(second):
            copies = [self._copy(*one) for one in zip(first, second, strict=True)]
            return _container(first, enumerate(copies)) if cls is list else _tuple(first, copies)
        if cls is dict and first.keys() == second.keys():
            return _container(first, [(key, self._copy(value, second[key])) for key, value in first.items()])
        if cls is lazy_format and first.result is None and not first.args and first.kwargs == second.kwargs:
            text, kwargs = first.format_string, first.kwargs
            return _noting(first, lambda made: lazy_format(text, **kwargs))
        if (cls in PURE_VALIDATORS or cls is UniqueValidator) and vars(first).keys() == vars(second).keys():
            # what is not known is shared: they have no state that changes
            others = vars(second)
            of_each = {name: self._copy_if_known(value, others[name])[0] for name, value in vars(first).items()}
            return _object(first, vars(first), of_each)
        raise NotCloneableError(cls)


def has_plain_choices(field: ChoiceField) -> bool:
    """Whether the choices are the same for each field that is made with them: an iterable of users' may give others."""
    choices = field._kwargs.get("choices", field._args[0] if field._args else ())
    return isinstance(choices, type) or type(choices) in (dict, frozenset, list, set, tuple)


def _noting(pattern: Any, copy_it: Copy) -> Copy:
    """The same, by which what it makes is found again."""
    place = id(pattern)

    def copied(made: dict[int, Any]) -> Any:
        new = made[place] = copy_it(made)
        return new

    return copied


def _container(pattern: Any, copies: Iterable[tuple[Any, Copy | None]]) -> Copy:
    """How to make a list or dict, in which some items are copied."""
    place, copied = id(pattern), [(key, copy_it) for key, copy_it in copies if copy_it is not None]

    def make(made: dict[int, Any]) -> Any:
        new = made[place] = pattern.copy()
        for key, copy_it in copied:
            new[key] = copy_it(made)
        return new

    return make


def _tuple(pattern: tuple[Any, ...], copies: list[Copy | None]) -> Copy | None:
    if not any(copies):
        return None
    make_list = _container([*pattern], enumerate(copies))
    return _noting(pattern, lambda made: tuple(make_list(made)))


def _object(pattern: Any, attributes: dict[str, Any], copies: dict[str, Copy | None]) -> Copy:
    """How to make a field or validator with these attributes."""
    cls, place, is_field = type(pattern), id(pattern), isinstance(pattern, Field)
    copied = [(name, copy_it) for name, copy_it in copies.items() if copy_it is not None]

    def make(made: dict[int, Any]) -> Any:
        new = made[place] = object.__new__(cls)
        new.__dict__ = own = attributes.copy()
        for name, copy_it in copied:
            own[name] = copy_it(made)
        if is_field:
            own["_creation_counter"] = Field._creation_counter
            Field._creation_counter += 1
        return new

    return make
