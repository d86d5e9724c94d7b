"""What takes the place of methods of `Serializer` and `ListSerializer` that validate data."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import count, islice
from typing import Any, TypeAlias

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.fields import Field
from rest_framework.serializers import ListSerializer, Serializer
from rest_framework.settings import DEFAULTS, api_settings
from rest_framework.validators import UniqueValidator

from ssrjson_web.rest_framework._load_run import load_dict, load_dicts
from ssrjson_web.rest_framework._plan_in_use import (
    HandedOverFields,
    has_validators,
    hide_again,
    plan_in_use,
)
from ssrjson_web.rest_framework._stock import is_of_stock, keeps

__all__ = [
    "fields_by_plan",
    "list_to_internal_value_by_plan",
    "run_validators_by_plan",
    "to_internal_value_by_plan",
]

Stock: TypeAlias = Callable[[Any, Any], Any]
"""A method that is replaced."""

_VALIDATORS_MODULE = UniqueValidator.__module__


def fields_by_plan(stock: Any) -> HandedOverFields:
    """A `Serializer.fields`."""
    made = HandedOverFields(stock.func)
    made.__set_name__(Serializer, "fields")
    return made


def to_internal_value_by_plan(stock: Stock) -> Stock:
    """A `Serializer.to_internal_value`."""

    def to_internal_value(self: Any, data: Any) -> Any:
        plan = plan_in_use(self) if type(data) is dict else None
        result = NotImplemented if plan is None else load_dict(self, plan, data, stock)
        return stock(self, data) if result is NotImplemented else result

    return to_internal_value


def run_validators_by_plan(stock: Stock) -> Stock:
    """A `Serializer.run_validators`, which does not ask for the fields where none is only read and has a default."""

    def run_validators(self: Any, value: Any) -> Any:
        if type(value) is not dict or "fields" in self.__dict__ or type(self).validators is not Field.validators:
            return stock(self, value)
        plan = plan_in_use(self, 0)
        if plan is None or plan.has_read_only_defaults:
            return stock(self, value)
        if has_validators(self, plan) is False:
            return None
        super(Serializer, self).run_validators(dict(value))
        if all(type(validator).__module__ == _VALIDATORS_MODULE for validator in self.validators):
            hide_again(self)
        return None

    return run_validators


# ---- lists ------------------------------------------------------------------------------------

_HAS_ERROR_DICTS = "LIST_SERIALIZER_ERRORS_AS_DICT" in DEFAULTS  # REST framework 3.18


def list_to_internal_value_by_plan(stock: Stock) -> Stock:
    """A `ListSerializer.to_internal_value`.

    It has the loop of stock, too, because stock warns of the caller of the caller of its caller.
    """

    def to_internal_value(self: Any, data: Any) -> Any:
        if not isinstance(data, list) or not is_of_stock(type(self)) or not _has_right_length(self, len(data)):
            return stock(self, data)
        n, results, errors = _load_by_plan(self, data)
        for index, item in islice(enumerate(data), n, None):
            try:
                validated = self.run_child_validation(item)
            except ValidationError as error:
                errors[index] = error.detail
            else:
                results.append(validated)
        if not errors:
            return results
        if not _WARNS or api_settings.LIST_SERIALIZER_ERRORS_AS_DICT:
            return _told_by_stock(self, data, stock, results, errors)
        # stock warns of the caller of the caller of its caller, so it must not be called from here
        warnings.warn(_DEPRECATION, serializers.RemovedInDRF320Warning, stacklevel=4)
        raise ValidationError([errors.get(index, {}) for index in range(len(data))])

    return to_internal_value


_WARNS = "LIST_SERIALIZER_ERRORS_AS_DICT" in DEFAULTS  # REST framework 3.18.1
_DEPRECATION = (
    "The list-based error format for `ListSerializer` is deprecated and will be removed in DRF 3.20. Set "
    '`REST_FRAMEWORK["LIST_SERIALIZER_ERRORS_AS_DICT"]` to `True` to use the dictionary-based error format.'
)


def _told_by_stock(serializer: Any, data: list[Any], stock: Stock, results: list[Any], errors: dict[int, Any]) -> Any:
    """What stock makes of the outcomes of all items: how errors are told differs by its version."""
    places = count()
    following = iter(results)

    def run_child_validation(_: Any) -> Any:
        place = next(places)
        if place in errors:
            raise ValidationError(errors[place])
        return next(following)

    serializer.run_child_validation = run_child_validation
    try:
        return stock(serializer, data)
    finally:
        del serializer.run_child_validation


def _has_right_length(serializer: Any, n: int) -> bool:
    """Whether a ListSerializer takes n items. Stock tells the error otherwise."""
    return (
        (serializer.allow_empty or n != 0)
        and (serializer.max_length is None or n <= serializer.max_length)
        and (serializer.min_length is None or n >= serializer.min_length)
    )


def _load_by_plan(serializer: Any, data: list[Any]) -> tuple[int, list[Any], dict[int, Any]]:
    """The number of items that are validated, what they are then, and the errors by their places."""
    child = serializer.child
    if (
        not keeps(type(serializer), ListSerializer, "run_child_validation")
        or "run_child_validation" in serializer.__dict__
        or not isinstance(child, Serializer)
        or not keeps(type(child), Serializer, "run_validation", "to_internal_value", "validate_empty_values")
        or child.read_only
        or type(data) is not list
        or not data
    ):
        return 0, [], {}
    # where the first item is no dict, stock makes no fields yet
    plan = plan_in_use(child, len(data) if type(data[0]) is dict else 0)
    return (0, [], {}) if plan is None else load_dicts(child, plan, data)
