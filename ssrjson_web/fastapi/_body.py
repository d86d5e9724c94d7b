"""FastAPI's field of a body, with models that the core makes."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from ssrjson_web._core import _Acceptance
from ssrjson_web._models.adapter import models_acceptance
from ssrjson_web._shared.route_report import ValidationCounter
from ssrjson_web.fastapi._field import NoErrors, has_adapter
from ssrjson_web.fastapi._seams import is_field_class_stock

__all__ = ["accepting_fields", "with_accepting_body"]


class AcceptingField:
    """Replaces a `ModelField` of a body. Values that need no validation do not go through pydantic.

    The first valid value, and every other one, is validated by the field as a whole: errors are FastAPI's own, and so
    is what stands for their absence.
    """

    def __init__(self, field: Any) -> None:
        self._field = field
        self.name, self.field_info = field.name, field.field_info  # read at each request
        # one attribute for the acceptance and what it is of, because threads may share a route
        self._made: tuple[_Acceptance | None, Any, Any] | None = None
        self._no_errors = NoErrors()
        self.counter = ValidationCounter()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._field, name)

    def validate(self, value: Any, *values: Any, **named: Any) -> Any:
        if self._no_errors.is_known and is_field_class_stock(type(self._field)):
            acceptance = self._acceptance()
            made = NotImplemented if acceptance is None else acceptance.for_models(value)
            if made is not NotImplemented:
                self.counter.n_around += 1
                return made, self._no_errors.make()
        self.counter.n_validated += 1
        return self._no_errors.learn(self._field.validate(value, *values, **named))

    def _acceptance(self) -> _Acceptance | None:
        adapter = self._field._type_adapter
        core_schema = adapter.core_schema  # a rebuild replaces it
        made = self._made
        if made is None or made[1] is not adapter or made[2] is not core_schema:
            made = self._made = (models_acceptance(adapter), adapter, core_schema)
        return made[0]


def with_accepting_body(dependant: Any) -> Any:
    """A copy of a route's dependant whose body fields, and those of its dependencies, are `AcceptingField`s.

    It is the dependant itself where there is none to replace.
    """
    fields = getattr(dependant, "body_params", None) or []
    dependencies = [with_accepting_body(one) for one in dependant.dependencies]
    is_same = all(made is one for made, one in zip(dependencies, dependant.dependencies, strict=True))
    if is_same and not any(map(has_adapter, fields)):
        return dependant
    changed = copy.copy(dependant)
    changed.body_params = [AcceptingField(field) if has_adapter(field) else field for field in fields]
    changed.dependencies = dependencies
    return changed


def accepting_fields(dependant: Any) -> Iterator[AcceptingField]:
    """The fields that `with_accepting_body` has put into a dependant and its dependencies."""
    for field in getattr(dependant, "body_params", None) or []:
        if isinstance(field, AcceptingField):
            yield field
    for one in getattr(dependant, "dependencies", ()):
        yield from accepting_fields(one)
