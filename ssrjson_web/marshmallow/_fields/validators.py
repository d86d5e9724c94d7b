"""marshmallow's own validators, as far as the core applies them: bounds, choices, and calls that have no effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ssrjson_web._known.functions import stands_in_for
from ssrjson_web._models.language import Accepted
from ssrjson_web.marshmallow._basis import Basis
from ssrjson_web.marshmallow._stock import own_name

__all__ = ["NotKnownError", "checked_by_core"]

_CALLED = ("Regexp", "URL", "Email")
"""Validators of a str that raise an error, or do nothing."""

_MAX_INT = 2**63 - 1

stands_in_for(
    *(f"marshmallow.validate.{name}.__call__" for name in ("Length", "Range", "OneOf", *_CALLED)),
    left="what fields with such a validator load",
)


class NotKnownError(Exception):
    """Raised for fields that look at more than their values, and for validators that the core does not apply."""


def checked_by_core(basis: Basis, alternatives: tuple[Accepted, ...], field: Any) -> tuple[Accepted, ...] | None:
    """What of the alternatives lets all validators of a field pass; None where somebody else must call them.

    Whatever does not pass is left to the library, which then calls them again: only those without an effect are here.
    """
    validators = field.validators
    if getattr(field, "post_load", None):
        return None
    if not validators:
        return alternatives
    bounded = tuple(filter(None, (_bounded(accepted, validators) for accepted in alternatives)))
    if not bounded:
        return None
    for validator in validators:
        basis.watch_class(type(validator))
        choices = getattr(validator, "choices", None)
        basis.watch_shared(vars(validator), *([choices] if type(choices) in (list, set, dict) else []))
    return bounded


def _bounded(accepted: Accepted, validators: list[Any]) -> Accepted | None:
    rule = _RULES.get((accepted.exact_type, accepted.op))
    if rule is None:
        return None
    try:
        for validator in validators:
            accepted = rule(accepted, validator)
    except NotKnownError:
        return None
    return accepted


def _kind(validator: Any) -> str:
    """The name of the validator's class, if that is marshmallow's and calls marshmallow's own function."""
    cls = type(validator)
    known = own_name(cls, "__call__")
    return cls.__qualname__ if known == f"marshmallow.validate.{cls.__qualname__}.__call__" else ""


def _with_bounds(accepted: Accepted, least: Any, greatest: Any) -> Accepted:
    for bound in (least, greatest):
        if bound is not None and (type(bound) is not int or not -_MAX_INT <= bound <= _MAX_INT):
            raise NotKnownError
    if accepted.least is not None:
        least = accepted.least if least is None else max(least, accepted.least)
    if accepted.greatest is not None:
        greatest = accepted.greatest if greatest is None else min(greatest, accepted.greatest)
    return accepted._replace(least=least, greatest=greatest)


def _length(accepted: Accepted, validator: Any) -> Accepted:
    if _kind(validator) != "Length":
        raise NotKnownError
    if validator.equal is not None:
        return _with_bounds(accepted, validator.equal, validator.equal)
    return _with_bounds(accepted, validator.min, validator.max)


def _text(accepted: Accepted, validator: Any) -> Accepted:
    """A str: `text` has bounds, `among` has choices, and `whole` has a validator that is called."""
    if _kind(validator) == "Length" and accepted.among is None:
        op = "text" if accepted.op == "type" else accepted.op
        return _length(accepted._replace(op=op), validator)
    if _kind(validator) == "OneOf" and accepted.op == "type":
        return accepted._replace(op="among", among=_choices(validator, str))
    if _kind(validator) in _CALLED and accepted.validator is None and accepted.among is None:
        return accepted._replace(op="whole", validator=validator)
    raise NotKnownError


def _choices(validator: Any, cls: type) -> frozenset[Any]:
    choices = validator.choices
    if type(choices) not in (list, tuple, set, frozenset, dict) or not all(type(value) is cls for value in choices):
        raise NotKnownError
    return frozenset(choices)


def _int(accepted: Accepted, validator: Any) -> Accepted:
    if _kind(validator) == "OneOf" and accepted.op == "type":
        return accepted._replace(op="among", among=_choices(validator, int))
    if _kind(validator) != "Range" or accepted.op == "among":
        raise NotKnownError
    least, greatest = validator.min, validator.max
    if type(least) is int and not validator.min_inclusive:
        least += 1
    if type(greatest) is int and not validator.max_inclusive:
        greatest -= 1
    return _with_bounds(accepted._replace(op="int"), least, greatest)


def _float(accepted: Accepted, validator: Any) -> Accepted:
    if _kind(validator) != "Range":
        raise NotKnownError
    for bound, is_inclusive in ((validator.min, validator.min_inclusive), (validator.max, validator.max_inclusive)):
        if bound is not None and (type(bound) not in (int, float) or abs(bound) >= 2**53 or not is_inclusive):
            raise NotKnownError
    least, greatest = validator.min, validator.max
    if accepted.least is not None or accepted.greatest is not None:
        raise NotKnownError
    return accepted._replace(least=least, greatest=greatest)


_RULES: dict[tuple[type, str], Callable[[Accepted, Any], Accepted]] = {
    (str, "type"): _text,
    (int, "type"): _int,
    (float, "float"): _float,
    (list, "items"): _length,
    (list, "load"): _length,
    (dict, "values"): _length,
}
