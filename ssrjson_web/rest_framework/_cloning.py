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
from collections.abc import Callable, Container, Mapping
from typing import Any, TypeAlias

from django.core import validators as django_validators
from django.utils.functional import Promise
from rest_framework.fields import Field
from rest_framework.utils.formatting import lazy_format
from rest_framework.validators import ProhibitSurrogateCharactersValidator, UniqueValidator

__all__ = ["Copy", "NotCloneableError", "cloner_of", "is_immutable", "maker_of"]

Copy: TypeAlias = "Callable[[dict[int, Any]], Any]"
"""Makes a value once more. Values that it has made for this field already are found by the ids of the pattern's."""

_IMMUTABLE = (
    str,
    bytes,
    bool,
    int,
    float,
    complex,
    type(None),
    types.FunctionType,
    types.BuiltinFunctionType,
    re.Pattern,
    decimal.Decimal,
    datetime.date,
    datetime.datetime,
    datetime.time,
    datetime.timedelta,
    datetime.timezone,
    uuid.UUID,
    range,
    type(Ellipsis),
)
_VALIDATORS = (
    django_validators.MaxLengthValidator,
    django_validators.MinLengthValidator,
    django_validators.MaxValueValidator,
    django_validators.MinValueValidator,
    django_validators.ProhibitNullCharactersValidator,
    django_validators.EmailValidator,
    django_validators.RegexValidator,
    django_validators.URLValidator,
    ProhibitSurrogateCharactersValidator,
)
_SHARED_ARGUMENTS = ("validators", "regex")
"""Arguments that `Field.__deepcopy__` does not copy."""
_BOUND = ("child", "child_relation")


class NotCloneableError(Exception):
    """A field has something of which it is not known how another one would get it."""


def is_immutable(value: Any) -> bool:
    """Whether `deepcopy` returns the object itself."""
    if type(value) in _IMMUTABLE or isinstance(value, (type, Promise, enum.Enum)):
        return True
    return type(value) in (tuple, frozenset) and all(map(is_immutable, value))


def cloner_of(pattern: Field, declared: Field | None, copied: Container[str] = ()) -> Callable[[], Any]:
    """A function that returns a new field.

    `declared` is what the pattern is a deep copy of. Without it a ModelSerializer has made the pattern: then its
    arguments are shared, but for new lists and dicts, and for those that are `copied`. Raises NotCloneableError.
    """
    return _Cloner(pattern, declared, copied).clone


def maker_of(pattern: Field, copied: Container[str]) -> Callable[[], Any]:
    """A function that returns a new field by calling the class of one that a ModelSerializer has made.

    Raises NotCloneableError where it is not known how it was called.
    """
    cls, args, kwargs = type(pattern), pattern._args, pattern._kwargs
    if any(isinstance(value, Field) for value in kwargs.values()):
        raise NotCloneableError(cls)
    arguments = [
        (key, value, _deep_copy(value) if key in copied and not is_immutable(value) else _copy_of_built(key, value))
        for key, value in kwargs.items()
    ]

    def make() -> Any:
        made: dict[int, Any] = {}
        return cls(*args, **{key: value if copy_it is None else copy_it(made) for key, value, copy_it in arguments})

    return make


class _Cloner:
    def __init__(self, pattern: Field, declared: Field | None, copied: Container[str] = ()) -> None:
        self._cls = type(pattern)
        self._pattern = pattern  # held, because parts of it are known by their ids
        attributes = dict(vars(pattern))
        origin = pattern if declared is None else declared
        if len(origin._args) != len(pattern._args) or origin._kwargs.keys() != pattern._kwargs.keys():
            raise NotCloneableError("a field that changes its arguments")
        self._known: dict[int, Copy] = {}
        self._steps: list[tuple[str, Copy]] = []
        self._children: list[str] = [name for name in _BOUND if isinstance(attributes.get(name), Field)]
        args, kwargs = attributes.pop("_args"), attributes.pop("_kwargs")
        self._is_built = declared is None
        is_copied = declared is not None
        self._args = tuple(
            self._argument("", value, made, is_copied) for value, made in zip(origin._args, args, strict=True)
        )
        named = {
            key: self._argument(key, origin._kwargs[key], kwargs[key], is_copied or key in copied) for key in kwargs
        }
        self._arguments = [value for value, copy_it in (*self._args, *named.values()) if copy_it is None]
        self._fixed_kwargs = {key: value for key, (value, _) in named.items()}
        self._copied_kwargs = [(key, copy_it) for key, (_, copy_it) in named.items() if copy_it is not None]
        given = kwargs.get("validators") or ()
        if declared is None and "validators" in copied and not all(map(is_immutable, given)):
            raise NotCloneableError("validators that are copied")
        self._pattern_validators = {id(one) for one in given}
        attributes.pop("_creation_counter")
        attributes["parent"] = None
        self._copied_args = any(copy_it is not None for _, copy_it in self._args)
        self._fixed: dict[str, Any] = {"_args": tuple(value for value, _ in self._args)}
        for name, value in attributes.items():
            copy_it = self._attribute(name, value)
            if copy_it is None:
                self._fixed[name] = value
            else:
                self._steps.append((name, copy_it))

    def clone(self) -> Any:
        return self.clone_within({})

    def clone_within(self, made: dict[int, Any]) -> Any:
        field = object.__new__(self._cls)
        field.__dict__ = attributes = self._fixed.copy()
        if self._copied_args:
            attributes["_args"] = tuple(value if copy_it is None else copy_it(made) for value, copy_it in self._args)
        kwargs = attributes["_kwargs"] = self._fixed_kwargs.copy()
        for key, copy_it in self._copied_kwargs:
            kwargs[key] = copy_it(made)
        for name, copy_it in self._steps:
            attributes[name] = copy_it(made)
        for name in self._children:
            attributes[name].__dict__["parent"] = field
        attributes["_creation_counter"] = Field._creation_counter
        Field._creation_counter += 1
        return field

    def _argument(self, key: str, value: Any, made: Any, is_copied: bool) -> tuple[Any, Copy | None]:
        """An argument's value, and how it is copied. It becomes known what the pattern's is."""
        if not is_copied:
            copy_it = _copy_of_built(key, value)
        elif is_immutable(value) or (key in _SHARED_ARGUMENTS and not self._is_built):
            copy_it = None
        elif isinstance(value, Field):
            copy_it = _noting(made, _copy_of_field(made, value))
        else:
            copy_it = _noting(made, _deep_copy(value))
        if copy_it is not None:
            self._known[id(made)] = _recalling(made)
        return (made if copy_it is None else value), copy_it

    def _attribute(self, name: str, value: Any) -> Copy | None:
        """How an attribute of a new field gets its value. None: it is the pattern's."""
        if id(value) in self._known:
            return self._known[id(value)]
        if is_immutable(value) or any(value is shared for shared in self._arguments):
            return None
        if getattr(self._cls, name, None) is value:
            return None  # the class's own, as `initial` mostly is
        if name == "_validators":
            return _copy_of_list([self._validator(one) for one in value])
        if isinstance(value, Field):
            return _copy_of_field(value, None if name not in _BOUND else value)
        if type(value) in (list, dict, lazy_format):
            return _fresh(value)
        raise NotCloneableError(f"{name}: {type(value)}")

    def _validator(self, validator: Any) -> tuple[Any, Copy | None]:
        if id(validator) in self._pattern_validators:
            is_copied = self._is_built and type(validator) is UniqueValidator
            return validator, _recalling(validator) if is_copied else None
        if is_immutable(validator):
            return validator, None
        if any(validator is one for one in self._cls.default_validators):
            return validator, None
        if type(validator) not in _VALIDATORS:
            raise NotCloneableError(type(validator))
        return validator, _copy_of_validator(validator)


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


def _deep_copy(value: Any) -> Copy:
    fresh = _fresh_or_none(value)
    return fresh if fresh is not None else lambda made: copy.deepcopy(value)


def _fresh(value: Any) -> Copy:
    fresh = _fresh_or_none(value)
    if fresh is None:
        raise NotCloneableError(type(value))
    return fresh


def _fresh_or_none(value: Any) -> Copy | None:
    """How to make a new list, dict or text like one that has only immutable objects and such lists and dicts."""
    if type(value) is dict and all(map(is_immutable, value.values())):
        return lambda made: value.copy()
    if type(value) is list and all(map(is_immutable, value)):
        return lambda made: value.copy()
    if type(value) is list:
        items = [(one, None if is_immutable(one) else _fresh_or_none(one)) for one in value]
        whole = all(copy_it is not None or is_immutable(one) for one, copy_it in items)
        return _copy_of_list(items) if whole else None
    if type(value) is dict:
        pairs = [(key, one, None if is_immutable(one) else _fresh_or_none(one)) for key, one in value.items()]
        if not all(copy_it is not None or is_immutable(one) for _, one, copy_it in pairs):
            return None
        return lambda made: {key: one if copy_it is None else copy_it(made) for key, one, copy_it in pairs}
    if type(value) is lazy_format and value.result is None and not value.args:
        text, kwargs = value.format_string, value.kwargs
        return lambda made: lazy_format(text, **kwargs)
    return None


def _copy_of_list(items: list[tuple[Any, Copy | None]]) -> Copy:
    return lambda made: [one if copy_it is None else copy_it(made) for one, copy_it in items]


def _copy_of_field(pattern: Field, declared: Field | None) -> Copy:
    cloner = _Cloner(pattern, declared)
    return cloner.clone_within


def _copy_of_built(key: str, value: Any) -> Copy | None:
    """What of a built field's arguments is made for each field: the lists and dicts that `get_field_kwargs` makes."""
    if key == "style" and type(value) is dict:
        return _noting(value, lambda made: value.copy())
    if key == "validators" and type(value) is list:
        of_each = [(one, _noting(one, _copy_of_unique(one)) if type(one) is UniqueValidator else None) for one in value]
        return _noting(value, _copy_of_list(of_each))
    if isinstance(value, Field):
        return _noting(value, _copy_of_field(value, None))
    if hasattr(value, "_result_cache"):  # a QuerySet with limit_choices_to
        return _noting(value, lambda made: copy.deepcopy(value))
    return None


def _copy_of_unique(validator: UniqueValidator) -> Copy:
    def copied(made: dict[int, Any]) -> Any:
        new = object.__new__(UniqueValidator)
        new.__dict__.update(vars(validator))
        return new

    return copied


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
