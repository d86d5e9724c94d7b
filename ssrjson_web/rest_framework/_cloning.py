"""Fields made like others, without a call of their classes.

A serializer makes its fields of the fields that its class declares, by `deepcopy`, which calls the class of each with
copies of its arguments; or of a model's fields. What the same arguments give is known from a *pattern*, a field that
was made so once. A clone has what another call would have given: the same objects where the call would share them, new
ones where it would make them.
"""

from __future__ import annotations

import copy
import datetime
import decimal
import enum
import re
import types
import uuid
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, TypeAlias

from django.core import validators as django_validators
from django.utils.functional import Promise
from rest_framework.fields import Field
from rest_framework.utils.formatting import lazy_format
from rest_framework.validators import ProhibitSurrogateCharactersValidator, UniqueValidator

__all__ = [
    "PURE_VALIDATORS",
    "NotCloneableError",
    "cloner_of",
    "fields_within",
    "is_atom",
    "is_immutable",
    "maker_of",
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
_SHARED_ARGUMENTS = ("validators", "regex")
"""Arguments that `Field.__deepcopy__` does not copy."""
_BOUND = ("child", "child_relation")


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


def cloner_of(pattern: Field, declared: Field | None, states: States, copied: Container[str] = ()) -> Callable[[], Any]:
    """A function that returns a new field.

    `states` has the attributes that new fields have; the pattern's may have changed since. `declared` is what the
    pattern is a deep copy of. Without it a ModelSerializer has made the pattern: then its arguments are shared, but for
    new lists and dicts, and for those that are `copied`. Raises NotCloneableError.
    """
    return _Cloner(pattern, declared, states, copied).clone


def maker_of(pattern: Field, copied: Container[str]) -> Callable[[], Any]:
    """A function that returns a new field by calling the class of one that a ModelSerializer has made.

    Raises NotCloneableError where it is not known how it was called.
    """
    cls, args, kwargs = type(pattern), pattern._args, pattern._kwargs
    if any(isinstance(value, Field) for value in kwargs.values()):
        raise NotCloneableError(cls)
    arguments = [
        (key, value, _deep_copy(value) if key in copied and not is_immutable(value) else _copy_of_built(key, value, {}))
        for key, value in kwargs.items()
    ]

    def make() -> Any:
        made: dict[int, Any] = {}
        return cls(*args, **{key: value if copy_it is None else copy_it(made) for key, value, copy_it in arguments})

    return make


class _Cloner:
    def __init__(self, pattern: Field, declared: Field | None, states: States, copied: Container[str] = ()) -> None:
        self._cls = type(pattern)
        self._pattern = pattern  # held, because parts of it are known by their ids
        self._is_built = declared is None
        self._copied = copied
        self._states = states
        origin = pattern if declared is None else declared
        if len(origin._args) != len(pattern._args) or origin._kwargs.keys() != pattern._kwargs.keys():
            raise NotCloneableError("a field that changes its arguments")
        given = pattern._kwargs.get("validators") or ()
        if self._is_built and "validators" in copied and not all(map(is_immutable, given)):
            raise NotCloneableError("validators that are copied")
        self._given_validators = {id(one) for one in given}
        self._known: dict[int, Copy] = {}
        args = [self._argument("", value, made) for value, made in zip(origin._args, pattern._args, strict=True)]
        kwargs = {key: self._argument(key, origin._kwargs[key], made) for key, made in pattern._kwargs.items()}
        self._shared = [value for value, copy_it in (*args, *kwargs.values()) if copy_it is None]
        attributes = {name: (value, self._attribute(name, value)) for name, value in self._attributes().items()}
        is_shared = all(copy_it is None for _, copy_it in args)
        self._make = _dict_of(
            {
                "_args": (tuple(value for value, _ in args), None if is_shared else _tuple_of(args)),
                "_kwargs": (None, _dict_of(kwargs)),
                **attributes,
            }
        )
        self._children = [name for name in _BOUND if isinstance(attributes.get(name, _NONE)[0], Field)]

    def clone(self) -> Any:
        return self.clone_within({})

    def clone_within(self, made: dict[int, Any]) -> Any:
        field = object.__new__(self._cls)
        field.__dict__ = attributes = self._make(made)
        for name in self._children:
            attributes[name].__dict__["parent"] = field
        attributes["_creation_counter"] = Field._creation_counter
        Field._creation_counter += 1
        return field

    def _attributes(self) -> dict[str, Any]:
        """Those of a new field, but for its arguments and its number."""
        others = ("_args", "_kwargs", "_creation_counter")
        own = self._states.get(id(self._pattern), vars(self._pattern))
        return {name: value for name, value in own.items() if name not in others} | {"parent": None}

    def _argument(self, key: str, value: Any, made: Any) -> tuple[Any, Copy | None]:
        """An argument's value, and how it is copied. It becomes known what the pattern's is."""
        copy_it: Copy | None
        if self._is_built and key not in self._copied:
            copy_it = _copy_of_built(key, value, self._states)
        elif is_immutable(value) or (key in _SHARED_ARGUMENTS and not self._is_built):
            copy_it = None
        else:
            copy_it = _noting(made, self._within(made, value) if isinstance(value, Field) else _deep_copy(value))
        if copy_it is not None:
            self._known[id(made)] = _recalling(made)
        return (made if copy_it is None else value), copy_it

    def _attribute(self, name: str, value: Any) -> Copy | None:
        """How an attribute of a new field gets its value. None: it is the pattern's."""
        if id(value) in self._known:
            return self._known[id(value)]
        if is_immutable(value) or any(value is shared for shared in self._shared):
            return None
        if getattr(self._cls, name, None) is value:
            return None  # the class's own, as `initial` mostly is
        if name == "_validators":
            return _list_of([(one, self._validator(one)) for one in value])
        if isinstance(value, Field):
            return self._within(value, None if name not in _BOUND else value)
        return _fresh(value)

    def _within(self, pattern: Field, declared: Field | None) -> Copy:
        return _Cloner(pattern, declared, self._states).clone_within

    def _validator(self, validator: Any) -> Copy | None:
        if id(validator) in self._given_validators:
            return _recalling(validator) if self._is_built and type(validator) is UniqueValidator else None
        if is_immutable(validator) or any(validator is one for one in self._cls.default_validators):
            return None
        if type(validator) not in PURE_VALIDATORS:
            raise NotCloneableError(type(validator))
        return _copy_of_validator(validator)


_NONE = (None, None)


def _noting(pattern: Any, copy_it: Copy) -> Copy:
    place = id(pattern)

    def copied(made: dict[int, Any]) -> Any:
        if place not in made:  # the fields within may have the same argument
            made[place] = copy_it(made)
        return made[place]

    return copied


def _recalling(pattern: Any) -> Copy:
    place = id(pattern)
    return lambda made: made[place]


def _list_of(items: list[tuple[Any, Copy | None]]) -> Copy:
    return lambda made: [one if copy_it is None else copy_it(made) for one, copy_it in items]


def _tuple_of(items: list[tuple[Any, Copy | None]]) -> Copy:
    copy_items = _list_of(items)
    return lambda made: tuple(copy_items(made))


def _dict_of(items: Mapping[str, tuple[Any, Copy | None]]) -> Copy:
    pattern = {key: value for key, (value, _) in items.items()}
    copied = [(key, copy_it) for key, (_, copy_it) in items.items() if copy_it is not None]

    def make(made: dict[int, Any]) -> dict[str, Any]:
        new = pattern.copy()
        for key, copy_it in copied:
            new[key] = copy_it(made)
        return new

    return make


def _deep_copy(value: Any) -> Copy:
    try:
        return _fresh(value)
    except NotCloneableError:
        return lambda made: copy.deepcopy(value)


def _fresh(value: Any) -> Copy:
    """How to make a new list, dict or text like one that has only immutable objects and such lists and dicts."""
    if type(value) is list:
        return _list_of([(one, None if is_immutable(one) else _fresh(one)) for one in value])
    if type(value) is dict:
        return _dict_of({key: (one, None if is_immutable(one) else _fresh(one)) for key, one in value.items()})
    if type(value) is lazy_format and value.result is None and not value.args:
        text, kwargs = value.format_string, value.kwargs
        return lambda made: lazy_format(text, **kwargs)
    raise NotCloneableError(type(value))


def _copy_of_built(key: str, value: Any, states: States) -> Copy | None:
    """What of a built field's arguments is made for each field: the lists and dicts that `get_field_kwargs` makes."""
    if key == "style" and type(value) is dict:
        return _noting(value, lambda made: value.copy())
    if key == "validators" and type(value) is list:
        of_each = [(one, _noting(one, _shallow(one)) if type(one) is UniqueValidator else None) for one in value]
        return _noting(value, _list_of(of_each))
    if isinstance(value, Field):
        return _noting(value, _Cloner(value, None, states).clone_within)
    if hasattr(value, "_result_cache"):  # a QuerySet with limit_choices_to
        return _noting(value, lambda made: copy.deepcopy(value))
    return None


def _shallow(value: Any) -> Copy:
    return lambda made: copy.copy(value)


def _copy_of_validator(validator: Any) -> Copy:
    """How to make a validator like one that a field has made for itself, which has a lazy text."""
    cls = type(validator)
    attributes = dict(vars(validator))
    message = attributes.get("message")
    copy_message = None if is_immutable(message) else _fresh(message)
    given: tuple[Any, Mapping[str, Any]] | None = attributes.get("_constructor_args")

    def copied(made: dict[int, Any]) -> Any:
        new = object.__new__(cls)
        new.__dict__.update(attributes)
        if copy_message is not None:
            text = new.__dict__["message"] = copy_message(made)
            if given is not None:
                args, kwargs = given
                new.__dict__["_constructor_args"] = (args, {**kwargs, "message": text})
        return new

    return copied
