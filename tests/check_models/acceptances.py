"""A random model: what is written and made of random values without validation, compared with pydantic."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from helpers.pydantic_outcome import assert_alike, dumped, is_unclear, outcome
from pydantic import BaseModel, TypeAdapter

from check_models import ill_typed
from check_models import models as random_models
from check_models.ill_typed import outcome_with_warnings
from ssrjson_web._models.adapter import AdapterEncoder, models_acceptance
from ssrjson_web._models.pydantic.traits import schema_parts

__all__ = ["RandomAcceptance"]


class RandomAcceptance:
    """The adapter of a seed's model, with random options of its encoder."""

    def __init__(self, seed: int, adapter: TypeAdapter[Any], make: Callable[[random.Random], Any]) -> None:
        self._random = r = random.Random(seed)
        self._adapter, self._make = adapter, make
        self._options = random_models.options(r)
        self._is_dump_json = r.random() < 0.5
        self._encoder = AdapterEncoder(adapter, like_dump_json=self._is_dump_json, **self._options)
        self._models = models_acceptance(adapter)
        kinds = {part["type"] for part in schema_parts(adapter.core_schema) if isinstance(part.get("type"), str)}
        self._has_unions = not kinds.isdisjoint(("union", "tagged-union"))

    @classmethod
    def of(cls, seed: int) -> RandomAcceptance | None:
        """None where pydantic refuses the model, such as for one of its defaults."""
        try:
            return cls(seed, *random_models.made_of_typed(seed))
        except Exception:
            return None

    def inputs(self, n: int) -> Iterator[Any]:
        """At most n values: objects and dicts as an endpoint returns them, and dicts as JSON gives them."""
        r = self._random
        for _ in range(n):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    value = self._make(r)
                    is_json, by_alias = r.random() < 0.4, r.random() < 0.5
                    made = (
                        self._adapter.dump_python(value, mode="json", by_alias=by_alias)
                        if is_json
                        else random_models.as_dicts(r, value)
                    )
                except Exception:
                    continue
            yield made

    def has_text(self, value: Any) -> bool:
        """Whether a value is written without validation. Raises AssertionError if that text is not pydantic's."""
        ours = outcome(lambda: self._encoder.encode_unvalidated(value))
        if not ours[1]:  # None, or empty where pydantic must dump it
            return False

        def expected() -> bytes:
            validated = self._adapter.validate_python(value, from_attributes=True)
            if self._is_dump_json:
                return self._adapter.dump_json(validated, **self._options)
            return dumped(self._adapter, validated, self._options)

        theirs = outcome(expected)
        if is_unclear(theirs):
            return False
        assert theirs == ours, (self._options, value)
        return ours[0] == "value"

    def has_models(self, value: Any) -> bool:
        """Whether models are made of a value without validation. Raises AssertionError if they are not pydantic's."""
        made = NotImplemented if self._models is None else self._models.for_models(value)
        if made is NotImplemented:
            return False
        assert_alike(made, self._adapter.validate_python(value))
        return True

    def instances(self, n: int) -> Iterator[Any]:
        """At most n instances as they may be after assignments: values of other types, objects of derived classes."""
        r = self._random
        for _ in range(n):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    value = self._make(r)
                    models = _models_within(value)
                    for model in r.sample(models, min(len(models), r.randrange(3))):
                        name = r.choice(list(model.__dict__) or ["x"])
                        model.__dict__[name] = r.choice(ill_typed.VALUES)
                        if model.__pydantic_extra__ is not None and r.random() < 0.3:
                            model.__pydantic_extra__[name] = r.choice(ill_typed.VALUES)
                except Exception:
                    continue
            yield value

    def is_dumped_alike(self, value: Any) -> bool:
        """Whether pydantic dumps an instance. Raises AssertionError if ours has another text, error or warning."""
        if self._is_dump_json:
            theirs = outcome_with_warnings(self._adapter.dump_json, value, **self._options)
        else:
            theirs = outcome_with_warnings(dumped, self._adapter, value, self._options)
        if is_unclear(theirs[0]) or "surrogates" in str(theirs[0]):
            return False
        ours = outcome_with_warnings(self._encoder.encode, value)
        if theirs[0][0] != "value":  # of two values that are refused another one may come first
            assert ours[0][0] != "value", (ours, theirs, self._options, value)
            return False
        # what a union tries before it takes a choice may warn, too
        n_compared = 1 if self._has_unions else 2
        assert ours[:n_compared] == theirs[:n_compared], (ours, theirs, self._options, value)
        return True


def _models_within(value: Any) -> list[BaseModel]:
    if isinstance(value, BaseModel):
        return [value, *_models_within(list(value.__dict__.values()))]
    held = list(value.values()) if isinstance(value, dict) else value
    return [one for each in held for one in _models_within(each)] if isinstance(held, (list, tuple)) else []
