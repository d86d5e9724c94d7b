"""What pydantic's calls give, with and without what bypasses validation, in a form that is compared."""

from __future__ import annotations

import collections
import dataclasses
import json
import warnings
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, TypeAdapter

from ssrjson_web._models.adapter import AdapterEncoder, models_acceptance
from ssrjson_web._shared.surrogates import to_utf8


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    """The result, or the type and text of the exception; for one of ours, the builtin type that it is of too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of values that are not as declared: told by both
        try:
            return "value", call()
        except Exception as error:
            theirs = next(cls for cls in type(error).__mro__ if not cls.__module__.startswith("ssrjson_web"))
            return theirs.__name__, str(error)


def dumped(adapter: TypeAdapter[Any], value: Any, options: dict[str, Any]) -> bytes:
    """What Starlette's JSONResponse sends for dump_python, and for surrogates what ours does."""
    content = adapter.dump_python(value, mode="json", **options)
    return to_utf8(json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def is_unclear(expected: tuple[str, Any]) -> bool:
    """Whether pydantic stumbles over a tag of a wrong type, asdict over a dict, FastAPI before 0.116 over a root that
    is a number, or two keys become one."""
    if expected[0] != "value":
        stumbles = ("unhashable", "must be callable", "cannot pickle", "argument of type")
        return any(text in expected[1] for text in stumbles)
    repeated = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        repeated.append(len(dict(pairs)) < len(pairs))

    json.loads(expected[1], object_pairs_hook=look)
    return any(repeated)


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
