"""What a record asks the library for: the fields of a serializer do the rest, from where the core has come.

Each function takes the serializer that has the field, and a function that returns the field, and returns a callable.
Only what needs the field asks for it, because a serializer makes its fields at the first access to one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any, TypeAlias

from rest_framework.fields import SkipField
from rest_framework.relations import PKOnlyObject

__all__ = [
    "SKIPPED",
    "call_method",
    "convert_by",
    "convert_key",
    "convert_value",
    "convert_with",
    "represent_whole",
    "resume_attribute",
    "resume_value",
    "resume_whole",
]

GetField: TypeAlias = Callable[[], Any]


class _Skipped:
    """The result of a field that is left out."""


SKIPPED = _Skipped()


def call_method(serializer: Any, get_field: GetField, name: str) -> Callable[..., Any]:
    """The method of the serializer that a SerializerMethodField calls."""
    return getattr(serializer, name)  # type: ignore[no-any-return]


def convert_value(serializer: Any, get_field: GetField) -> Callable[..., Any]:
    """For a value that has been found."""
    return partial(_represent, get_field())


def convert_by(serializer: Any, get_field: GetField, function: Callable[[Any], Any]) -> Callable[..., Any]:
    """For a function that does what the field's `to_representation` would."""

    def convert(value: Any) -> Any:
        checked = value.pk if isinstance(value, PKOnlyObject) else value
        return None if checked is None else function(value)

    return convert


def convert_with(
    serializer: Any, get_field: GetField, make: Callable[[Any], Callable[[Any], Any]]
) -> Callable[..., Any]:
    """For what makes such a function of the field."""
    return convert_by(serializer, get_field, make(get_field()))


def convert_key(serializer: Any, get_field: GetField) -> Callable[..., Any]:
    """For what `serializable_value` has given to a PrimaryKeyRelatedField."""
    field = get_field()
    return lambda value: _represent(field, PKOnlyObject(pk=getattr(value, "pk", value)))


def represent_whole(serializer: Any, get_field: GetField) -> Callable[..., Any]:
    """All of a field, for the object that is read."""
    return partial(_represent_whole, get_field())


def _represent_whole(field: Any, instance: Any) -> Any:
    try:
        attribute = field.get_attribute(instance)
    except SkipField:
        return SKIPPED
    return _represent(field, attribute)


def _represent(field: Any, attribute: Any) -> Any:
    checked = attribute.pk if isinstance(attribute, PKOnlyObject) else attribute
    return None if checked is None else field.to_representation(attribute)


# ---- going on from where the core has come ------------------------------------------------------


def resume_value(serializer: Any, get_field: GetField) -> Callable[..., Any]:
    """For a field with REST framework's `get_attribute`, which is given again what the core has found already."""
    field = get_field()

    def resume(instance: Any, found: Any, n_steps: int, error: Exception | None) -> Any:
        if n_steps == 0 and error is None:
            return _represent_whole(field, instance)
        return _represent_whole(field, _Again(instance, found, n_steps, error))

    return resume


def resume_whole(serializer: Any, get_field: GetField) -> Callable[..., Any]:
    """For a field whose own `get_attribute` finds its value again."""
    field = get_field()
    return lambda instance, found, n_steps, error: _represent_whole(field, instance)


def resume_attribute(serializer: Any, get_field: GetField, names: tuple[str, ...]) -> Callable[..., Any]:
    """For what `attrgetter` does with an object."""

    def resume(instance: Any, found: Any, n_steps: int, error: Exception | None) -> Any:
        if error is not None:
            raise error
        rest = names[n_steps:]
        return attrgetter(".".join(rest))(found) if rest else found

    return resume


_own = object.__getattribute__


class _Again:
    """An object that is read once more: the first steps give what they gave before, and all others are its own.

    So a property or a query does not run twice.
    """

    def __init__(self, instance: Any, found: Any, n_steps: int, error: Exception | None) -> None:
        self.instance = instance
        self.found = found
        self.error = error
        self.n_left = n_steps + (error is not None)

    def __getattribute__(self, name: str) -> Any:
        instance = _own(self, "instance")
        if name == "__class__":
            return instance.__class__
        if not _own(self, "n_left"):
            return getattr(instance, name)
        if name == "serializable_value":  # Django's, of the last step
            return lambda name: _step_again(self)
        return _step_again(self)

    def __getitem__(self, key: Any) -> Any:
        return _step_again(self) if _own(self, "n_left") else _own(self, "instance")[key]


def _step_again(again: _Again) -> Any:
    own = _own(again, "__dict__")
    own["n_left"] -= 1
    if own["n_left"]:
        return again
    if own["error"] is not None:
        raise own["error"]
    return own["found"]
