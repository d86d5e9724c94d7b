"""A second validation that calls no function of the application twice.

Where the core has called some functions and cannot go on, pydantic validates the value from its start. A validator of
the same schema, whose functions know what the first of them have returned or raised, then gives pydantic's result or
errors.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BaseModel, TypeAdapter
from pydantic_core import SchemaError, SchemaValidator

from ssrjson_web._models.pydantic.facts import schema_facts
from ssrjson_web._models.pydantic.functions import (
    WithHandler,
    WithInfo,
    is_called_by_core,
    is_given_handler,
    post_init_by_name,
)
from ssrjson_web._models.pydantic.traits import USERS_VALUES, schema_parts

__all__ = ["Outcomes", "Replay", "can_replay", "can_replay_schema", "replaying_validator"]

Outcomes: TypeAlias = "list[tuple[Any, ...]]"
"""What functions have made, in the order of their calls: (function, result), or (function, None, exception)."""


class _UnderWay:
    """Where a second validation stands."""

    def __init__(self, outcomes: Outcomes) -> None:
        self.outcomes = deque(outcomes)
        """Those that the next functions have had already."""
        self.makes_model = False
        """Whether the fields of a model were validated, which is made next."""


_UNDER_WAY: ContextVar[_UnderWay] = ContextVar("_UNDER_WAY")


def _under_way() -> _UnderWay:
    """That of now. An iterator validates its items after the validation that made it: nothing is known of them."""
    found = _UNDER_WAY.get(None)
    if found is None:
        found = _UnderWay([])
        _UNDER_WAY.set(found)
    return found


class _RememberingFunction:
    """A function of a schema: it gives the outcome that it has had in the first validation, or is called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        for name in ("__name__", "__qualname__"):  # the titles of errors have it
            if hasattr(function, name):
                setattr(self, name, getattr(function, name))

    def __call__(self, value: Any, *info: Any) -> Any:
        """`info` may be a handler."""
        outcomes = _under_way().outcomes
        if not outcomes:
            return self._function(value, *info)
        called, result, *raised = outcomes.popleft()
        function = called.function if type(called) in (WithInfo, WithHandler) else called
        if function is not self._function:  # pydantic calls them in another order: nothing is known of this one
            outcomes.clear()
            return self._function(value, *info)
        if raised:
            raise raised[0]
        return result


def _with_post_init(model: dict[str, Any], name: str) -> dict[str, Any]:
    """The schema of a model whose `post_init` is a function that gives the outcome of the first validation.

    Two functions, because pydantic calls it only of models that it makes: it makes one when the fields are validated.
    """
    fields = _function_after(_note_fields, model["schema"])
    within = {key: value for key, value in model.items() if key not in ("post_init", "ref")}
    made = _function_after(_PostInit(post_init_by_name(name)), {**within, "schema": fields})
    return {**made, "ref": model["ref"]} if "ref" in model else made


def _function_after(function: Callable[[Any], Any], schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function-after", "function": {"type": "no-info", "function": function}, "schema": schema}


def _note_fields(fields: Any) -> Any:
    _under_way().makes_model = True
    return fields


class _PostInit(_RememberingFunction):
    """A function of a model: it returns one that pydantic has not made, but kept."""

    def __call__(self, value: Any, *info: Any) -> Any:
        replay = _under_way()
        if not replay.makes_model:
            return value
        replay.makes_model = False
        return super().__call__(value, *info)


class Replay:
    """Stands for an adapter where a value is validated for the second time, with the outcomes of the first."""

    def __init__(self, validate: Callable[..., Any], outcomes: Outcomes) -> None:
        self._validate = validate
        self._outcomes = outcomes

    def validate_python(self, value: Any, **options: Any) -> Any:
        under_way = _UNDER_WAY.set(_UnderWay(self._outcomes))
        try:
            return self._validate(value, **options)
        finally:
            _UNDER_WAY.reset(under_way)


def replaying_validator(validator: Any) -> Callable[..., Any]:
    """The `validate_python` of the same schema with functions that remember their outcomes within a `Replay`."""
    within = getattr(validator, "_schema_validator", validator)  # of a plugin that listens to nothing
    schema, config = within.__reduce__()[1][:2]
    replaying = _with_remembering(schema, {})
    made = _built(replaying, config)
    has_info = any(part.get("type") == "with-info" for part in schema_parts(schema))
    if made.title != within.title and not has_info:  # an error has the title, and an info the config
        made = _built(replaying, {**(config or {}), "title": within.title})
    return made.validate_python


def _built(schema: Any, config: Any) -> SchemaValidator:
    try:
        # otherwise the validators that classes have would be taken in place of what their schemas say here
        return SchemaValidator(schema, config, _use_prebuilt=False)
    except TypeError:  # before pydantic 2.11 there was no other way
        return SchemaValidator(schema, config)


@functools.cache
def can_replay() -> bool:
    """Whether this pydantic validates with the functions of a schema that is given."""

    class Probe(BaseModel):
        n: Annotated[int, AfterValidator(_negated)]

    adapter = TypeAdapter(list[Probe])
    try:
        validate = replaying_validator(adapter.validator)
    except (SchemaError, TypeError, ValueError):
        return False
    replayed = Replay(validate, [(_negated, 7)]).validate_python([{"n": 1}, {"n": 1}])
    return [one.n for one in replayed] == [7, -1]


def _negated(n: int) -> int:
    return -n


def can_replay_schema(schema: Any) -> bool:
    """Whether a second validation by a schema has pydantic's errors.

    Those of a union name its choices by their validators, and a model with a `post_init` has another one there.
    """
    facts = schema_facts(schema).names
    return can_replay() and not {"post_init", "a union of such"} <= facts


def _with_remembering(part: Any, made: dict[int, Any]) -> Any:
    """A copy of a part of a schema. `made` has the copies so far, so that one that is shared is copied once."""
    if not isinstance(part, (dict, list, tuple)):
        return part
    if id(part) in made:
        return made[id(part)]
    if not isinstance(part, dict):
        copy: Any = type(part)(_with_remembering(one, made) for one in part) if type(part) in (list, tuple) else part
    else:
        is_schema = isinstance(part.get("type"), str)
        copy = {
            key: value if is_schema and key in _KEPT else _with_remembering(value, made) for key, value in part.items()
        }
        if is_schema and isinstance(part.get("function"), dict) and (is_called_by_core(part) or is_given_handler(part)):
            copy["function"] = {**part["function"], "function": _RememberingFunction(part["function"]["function"])}
        if is_schema and part["type"] == "model" and part.get("post_init"):
            copy = _with_post_init(copy, part["post_init"])
    made[id(part)] = copy
    return copy


_KEPT = (*USERS_VALUES, "serialization", "config")
