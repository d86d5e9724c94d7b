"""What a record asks the library for: the fields of a serializer do the rest, from where the core has come.

Each function takes the serializer that has the field, and a function that returns the field, and returns a callable.
Only what needs the field asks for it, because a serializer makes its fields at the first access to one of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from functools import partial
from operator import attrgetter
from typing import Any, TypeAlias

from django.core.exceptions import ObjectDoesNotExist
from rest_framework.fields import BuiltinSignatureError, Field, SkipField, empty, get_attribute, is_simple_callable
from rest_framework.relations import PKOnlyObject

__all__ = ["RESUME", "SKIPPED", "convert_key", "convert_value", "converter_of", "method_getter", "represent_whole"]

GetField: TypeAlias = Callable[[], Any]


class _Skipped:
    """The result of a field that is left out."""


SKIPPED = _Skipped()


def method_getter(name: str) -> Callable[[Any, GetField], Callable[..., Any]]:
    """For the method of the serializer that a SerializerMethodField calls."""
    return lambda serializer, get_field: getattr(serializer, name)


def convert_value(serializer: Any, get_field: GetField) -> Callable[..., Any]:
    """For a value that has been found."""
    return partial(_represent, get_field())


def converter_of(function: Callable[[Any], Any] | None) -> Callable[[Any, GetField], Callable[..., Any]]:
    """For a function that does what the field's `to_representation` would. None: there is no such function."""
    if function is None:
        return convert_value

    def convert(value: Any) -> Any:
        checked = value.pk if isinstance(value, PKOnlyObject) else value
        return None if checked is None else function(value)

    return lambda serializer, get_field: convert


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
    """For a field with `Field.get_attribute`."""
    return partial(_resume, _attribute_from, get_field())


def _resume_key(serializer: Any, get_field: GetField) -> Callable[..., Any]:
    return partial(_resume, _key_from, get_field())


def _resume_many(serializer: Any, get_field: GetField) -> Callable[..., Any]:
    field = get_field()
    return lambda instance, found, n_steps, error: _represent_whole(field, instance)


RESUME: Mapping[str, Callable[[Any, GetField], Callable[..., Any]]] = {"key": _resume_key, "keys": _resume_many}
"""By the shape of the field."""


def resume_attribute(names: tuple[Any, ...]) -> Callable[[Any, GetField], Callable[..., Any]]:
    """For what `attrgetter` does with an object."""

    def resume(instance: Any, found: Any, n_steps: int, error: Exception | None) -> Any:
        if error is not None:
            raise error
        rest = names[n_steps:]
        return attrgetter(".".join(rest))(found) if rest else found

    return lambda serializer, get_field: resume


def _resume(
    find: Callable[..., Any], field: Any, instance: Any, found: Any, n_steps: int, error: Exception | None
) -> Any:
    try:
        attribute = find(field, instance, found, n_steps, error)
    except SkipField:
        return SKIPPED
    return _represent(field, attribute)


def _walk(found: Any, names: list[str], n_steps: int, error: Exception | None) -> Any:
    """What `get_attribute` finds from there on."""
    if error is not None:
        if isinstance(error, ObjectDoesNotExist):
            return None
        raise error
    if n_steps and is_simple_callable(found):
        try:
            found = found()
        except (AttributeError, KeyError) as exc:
            raise ValueError(  # noqa: B904 - as REST framework raises it
                f'Exception raised in callable attribute "{names[n_steps - 1]}"; original exception was: {exc}'
            )
    return get_attribute(found, names[n_steps:])


def _attribute_from(field: Any, instance: Any, found: Any, n_steps: int, error: Exception | None) -> Any:
    """What `Field.get_attribute` returns; its errors have the same texts."""
    if n_steps == 0 and error is None:
        return field.get_attribute(instance)
    try:
        return _walk(found, field.source_attrs, n_steps, error)
    except BuiltinSignatureError as exc:
        raise type(exc)(  # noqa: B904
            f"Field source for `{field.parent.__class__.__name__}.{field.field_name}` maps to a built-in "
            "function type and is invalid. Define a property or method on "
            f"the `{instance.__class__.__name__}` instance that wraps the call to the built-in "
            "function."
        )
    except (KeyError, AttributeError) as exc:
        if field.default is not empty:
            return field.get_default()
        if field.allow_null:
            return None
        if not field.required:
            raise SkipField()  # noqa: B904
        raise type(exc)(  # noqa: B904
            f"Got {type(exc).__name__} when attempting to get a value for field "
            f"`{field.field_name}` on serializer `{field.parent.__class__.__name__}`.\nThe serializer "
            "field might be named incorrectly and not match "
            f"any attribute or key on the `{instance.__class__.__name__}` instance.\n"
            f"Original exception text was: {exc}."
        )


def _key_from(field: Any, instance: Any, found: Any, n_steps: int, error: Exception | None) -> Any:
    """What `RelatedField.get_attribute` returns for a field that needs the key alone."""
    if n_steps == 0 and error is None:
        return field.get_attribute(instance)
    names = field.source_attrs
    with contextlib.suppress(AttributeError):
        if error is not None and n_steps == len(names) - 1:
            raise error
        if error is None and n_steps == len(names):
            value = found
        else:
            value = _walk(found, names[:-1], n_steps, error).serializable_value(names[-1])
        if is_simple_callable(value):
            value = value()
        return PKOnlyObject(pk=getattr(value, "pk", value))
    return _GET_ATTRIBUTE(field, instance)


_GET_ATTRIBUTE = Field.get_attribute
