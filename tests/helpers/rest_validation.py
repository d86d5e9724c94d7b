"""Data validated by REST framework alone and by the core, and compared to the types of what comes out."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from rest_framework.exceptions import ErrorDetail
from rest_framework.fields import CharField, Field
from rest_framework.relations import RelatedField

from ssrjson_web.rest_framework import disabled

__all__ = ["asked_fields", "assert_same", "described", "outcome", "validate"]


def described(value: Any) -> Any:
    """A value with the types, codes and order of all that is in it."""
    if isinstance(value, ErrorDetail):
        return ("ErrorDetail", str(value), value.code)
    if isinstance(value, dict):
        return (type(value).__name__, [(key, described(item)) for key, item in value.items()])
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [described(item) for item in value])
    return (type(value).__name__, repr(value))


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returns or raises, with its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found: Any = ("returns", described(call()))
        except Exception as error:
            detail = getattr(error, "detail", None)
            found = ("raises", type(error).__name__, str(error) if detail is None else described(detail))
    return found, [(warning.category.__name__, str(warning.message), warning.filename) for warning in caught]


def assert_same(call: Callable[[], Any]) -> Any:
    """Assert that a call does the same by REST framework alone, and by the core; and what it does."""
    with disabled():
        expected = outcome(call)
    found = [outcome(call) for _ in range(3)]  # plans are made for the second serializer of a class
    for one in found:
        assert one == expected, f"{one}\n instead of\n{expected}"
    return expected[0]


def validate(serializer: Any) -> Any:
    """What `is_valid` leaves."""
    is_valid = serializer.is_valid()
    return {"is_valid": is_valid, "errors": serializer.errors, "data": serializer.validated_data}


@contextmanager
def asked_fields() -> Iterator[set[str]]:
    """The names of the fields whose own methods validate a value meanwhile."""
    names: set[str] = set()
    codes = {Field.run_validation.__code__, CharField.run_validation.__code__, RelatedField.run_validation.__code__}

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code in codes:
            names.add(frame.f_locals["self"].field_name)

    sys.setprofile(profile)
    try:
        yield names
    finally:
        sys.setprofile(None)
