"""What the core calls for a value of which it does not know what a field makes: `call_of_field`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.core.exceptions import ValidationError as DjangoValidationError
from django.utils.encoding import smart_str
from rest_framework.exceptions import ValidationError
from rest_framework.fields import CharField, get_error_detail
from rest_framework.relations import ManyRelatedField, SlugRelatedField

from ssrjson_web.rest_framework._accepted_input import is_pure
from ssrjson_web.rest_framework._load_plan import FieldCalls, Kind
from ssrjson_web.rest_framework._lookup import Lookup
from ssrjson_web.rest_framework._stock import queries

__all__ = ["Stop", "call_of_field"]

_CONFIRM = Kind.CONFIRM  # a member of an Enum is found slowly


class Stop(BaseException):
    """Ends a run: somebody has asked for the serializer's fields. Or an error is no field's."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self.error = error


def call_of_field(field: Any, kind: int, calls: FieldCalls) -> Callable[[Any], Any]:
    """A function that loads a value, or confirms one that the core has loaded."""
    if kind == _CONFIRM:
        return _confirming(field, [validator for validator in field.validators if not is_pure(validator)])
    validate: Callable[[Any], Any] = field.run_validation
    if calls.lookup is not None and queries.are_known():
        return _looking_up(field, calls.lookup)
    if not calls.gets_own_value:
        return validate

    def validate_own(data: dict[str, Any]) -> Any:
        try:
            value = field.get_value(data)
        except Exception as error:
            raise Stop(error) from None
        return validate(value)

    return validate_own


def _confirming(field: Any, validators: list[Any]) -> Callable[[Any], Any]:
    """A function that calls validators as `Field.run_validators` does, and gives the value."""
    is_text = isinstance(field, CharField)

    def confirm(value: Any) -> Any:
        if value is None or (is_text and value == ""):
            return value
        errors: list[Any] = []
        for validator in validators:
            try:
                if getattr(validator, "requires_context", False):
                    validator(value, field)
                else:
                    validator(value)
            except ValidationError as error:
                if isinstance(error.detail, dict):
                    raise
                errors.extend(error.detail)
            except DjangoValidationError as error:
                errors.extend(get_error_detail(error))
        if errors:
            raise ValidationError(errors)
        return value

    return confirm


# ---- relations --------------------------------------------------------------------------------


def _looking_up(field: Any, lookup: Lookup) -> Callable[[Any], Any]:
    """A `run_validation` of a relation by a lookup."""
    if isinstance(field, ManyRelatedField):
        find = _finding(field.child_relation, lookup)

        def load_many(values: Any) -> Any:
            if type(values) is not list or not values:
                return field.run_validation(values)
            found = [find(value) for value in values]
            field.run_validators(found)
            return found

        return load_many
    find_one = _finding(field, lookup)
    validators = field.validators

    def load(value: Any) -> Any:
        if type(value) is not int and (type(value) is not str or value == ""):
            return field.run_validation(value)
        found = find_one(value)
        if validators:
            field.run_validators(found)
        return found

    return load


def _finding(relation: Any, lookup: Lookup) -> Callable[[Any], Any]:
    """A `to_internal_value` of a relation by a lookup."""
    by_slug = isinstance(relation, SlugRelatedField)

    def find(value: Any) -> Any:
        try:
            found = lookup.get(value)
        except ObjectDoesNotExist:  # of a receiver of a signal, for example
            found = None
        except (TypeError, ValueError):
            if by_slug:
                return relation.fail("invalid")
            return relation.fail("incorrect_type", data_type=type(value).__name__)
        if found is NotImplemented:
            return relation.to_internal_value(value)
        if found is not None:
            return found
        if by_slug:
            return relation.fail("does_not_exist", slug_name=relation.slug_field, value=smart_str(value))
        return relation.fail("does_not_exist", pk_value=value)

    return find
