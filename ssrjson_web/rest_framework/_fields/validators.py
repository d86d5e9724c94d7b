"""Validators that have no effect but an error, and what the core needs to know of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django.core import validators as django_validators

from ssrjson_web._known.functions import is_known, stands_in_for
from ssrjson_web._known.watch import owner_of
from ssrjson_web.rest_framework._basis import acts_as_stock
from ssrjson_web.rest_framework._cloning import PURE_VALIDATORS, is_atom

__all__ = [
    "LENGTHS",
    "VALUES",
    "PureValidators",
    "all_of",
    "converted",
    "has_pure",
    "is_pure",
    "pure_validators",
]

_PURE_FUNCTIONS = (
    django_validators.validate_ipv4_address,
    django_validators.validate_ipv6_address,
    django_validators.validate_ipv46_address,
)
LENGTHS = {django_validators.MinLengthValidator: "least", django_validators.MaxLengthValidator: "greatest"}
VALUES = {django_validators.MinValueValidator: "least", django_validators.MaxValueValidator: "greatest"}
_CALLED: Any = [owner_of(cls, "__call__") for cls in PURE_VALIDATORS]
stands_in_for(*{f"{cls.__module__}.{cls.__qualname__}.__call__" for cls in _CALLED})

_MAX_INT = 2**63 - 1
_EXACT_FLOATS = 2**53
"""Up to here each int is a float, too."""


class PureValidators(NamedTuple):
    """The pure validators of a field: those that have no effect but an error."""

    least: Any
    """The greatest lower bound; None: there is none."""
    greatest: Any
    others: tuple[Callable[[Any], Any], ...]


def is_pure(validator: Any) -> bool:
    """Whether a validator may be called any number of times, or not at all where the core makes its check."""
    cls = type(validator)
    if cls not in PURE_VALIDATORS:
        return any(validator is function for function in _PURE_FUNCTIONS) and is_known(
            validator, f"{django_validators.__name__}.{validator.__name__}"
        )
    if not acts_as_stock(validator):
        return False
    limit = getattr(validator, "limit_value", None)  # it may be a function
    return is_atom(limit)


def has_pure(field: Any) -> bool:
    """Whether a field has a pure validator."""
    return any(is_pure(validator) for validator in field.validators)


def pure_validators(field: Any, bounds: dict[type, str], bound_types: tuple[type, ...] = (int,)) -> PureValidators:
    """The pure validators of a field, those of `bounds` as bounds."""
    limits: dict[str, Any] = {}
    others = []
    for validator in filter(is_pure, field.validators):
        side = bounds.get(type(validator))
        if side is None or not _is_bound(validator.limit_value, bound_types):
            others.append(validator)
        else:
            limit = validator.limit_value
            limits[side] = (max if side == "least" else min)(limits.get(side, limit), limit)
    return PureValidators(limits.get("least"), limits.get("greatest"), tuple(others))


def _is_bound(limit: Any, types: tuple[type, ...]) -> bool:
    """Whether the core can compare a value with a limit."""
    if type(limit) not in types or limit != limit:
        return False
    greatest = _EXACT_FLOATS if float in types else _MAX_INT
    return type(limit) is not int or ~greatest <= limit <= greatest


def all_of(validators: Iterable[Callable[[Any], Any]]) -> Callable[[Any], Any] | None:
    """A function that calls each of these; None: there are none."""
    calls = tuple(validators)
    if len(calls) < 2:
        return calls[0] if calls else None

    def validate(value: Any) -> None:
        for call in calls:
            call(value)

    return validate


def converted(convert: Callable[[Any], Any], validators: tuple[Callable[[Any], Any], ...]) -> Callable[[Any], Any]:
    """A function that gives the value that `convert` makes, which passes all validators. Neither may make None."""

    def validated(value: Any) -> Any:
        made = convert(value)
        if made is None:
            raise ValueError(value)
        for validator in validators:
            validator(made)
        return made

    return validated
