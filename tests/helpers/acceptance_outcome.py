"""What is written and made without validation, compared with what pydantic's validation gives."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

from pydantic import BaseModel, TypeAdapter

from ssrjson_web._models.adapter import AdapterEncoder, models_acceptance

__all__ = ["assert_alike", "models_of", "text_of"]


def text_of(declared: Any, value: Any, **options: Any) -> bytes | None:
    """The bytes without validation, which must be those with it; None where pydantic decides."""
    adapter = TypeAdapter(declared)
    options.setdefault("by_alias", True)
    bodies = []
    for like_dump_json in (True, False):
        encoder = AdapterEncoder(adapter, like_dump_json=like_dump_json, **options)
        body = encoder.encode_unvalidated(value)
        if body is not None:
            assert body == encoder.encode(adapter.validate_python(value, from_attributes=True))
            expected = adapter.dump_json(adapter.validate_python(value, from_attributes=True), **options)
            assert not like_dump_json or body == expected
        bodies.append(body)
    assert (bodies[0] is None) == (bodies[1] is None)
    return bodies[0]


def models_of(declared: Any, value: Any) -> Any:
    """What is made without validation, which must be what validation makes; NotImplemented where pydantic decides."""
    adapter = TypeAdapter(declared)
    acceptance = models_acceptance(adapter)
    if acceptance is None:
        return NotImplemented
    made = acceptance.for_models(value)
    if made is not NotImplemented:
        assert_alike(made, adapter.validate_python(value))
    return made


def assert_alike(ours: Any, theirs: Any) -> None:
    """Compares values that `==` would not tell apart, too."""
    assert type(ours) is type(theirs)
    if isinstance(ours, BaseModel):
        assert_alike(ours.__dict__, theirs.__dict__)
        for name in ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__"):
            assert_alike(getattr(ours, name), getattr(theirs, name))
    elif dataclasses.is_dataclass(ours):
        for field in dataclasses.fields(ours):
            assert_alike(getattr(ours, field.name), getattr(theirs, field.name))
    elif isinstance(ours, (list, tuple, collections.deque)):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_alike(one, other)
    elif isinstance(ours, dict):
        assert [*map(repr, ours)] == [*map(repr, theirs)]  # NaN is not equal to itself
        for one, other in zip(ours.values(), theirs.values(), strict=True):
            assert_alike(one, other)
    elif isinstance(ours, (set, frozenset)):
        assert sorted(map(repr, ours)) == sorted(map(repr, theirs))
    else:  # Decimals that are equal may have other digits; NaN is not equal to itself
        assert ours is theirs or (repr(ours) == repr(theirs) and (ours == theirs or ours != ours))
