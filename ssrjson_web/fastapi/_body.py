"""FastAPI's field of a body, with models that the core makes."""

from __future__ import annotations

import copy
from typing import Any

from ssrjson_web._core import _Acceptance
from ssrjson_web._models.adapter import models_acceptance
from ssrjson_web.fastapi._field import has_adapter
from ssrjson_web.fastapi._seams import is_field_class_stock

__all__ = ["with_accepting_body"]


class AcceptingField:
    """Replaces a `ModelField` of a body. Values that need no validation do not go through pydantic.

    Every other value is validated by the field as a whole, so that errors are FastAPI's own.
    """

    def __init__(self, field: Any) -> None:
        self._field = field
        # one attribute for the acceptance and what it is of, because threads may share a route
        self._made: tuple[_Acceptance | None, Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._field, name)

    def validate(self, value: Any, *values: Any, **named: Any) -> Any:
        acceptance = self._acceptance() if is_field_class_stock(type(self._field)) else None
        made = NotImplemented if acceptance is None else acceptance.for_models(value)
        return self._field.validate(value, *values, **named) if made is NotImplemented else (made, [])

    def _acceptance(self) -> _Acceptance | None:
        adapter = self._field._type_adapter
        core_schema = adapter.core_schema  # a rebuild replaces it
        made = self._made
        if made is None or made[1] is not adapter or made[2] is not core_schema:
            made = self._made = (models_acceptance(adapter), adapter, core_schema)
        return made[0]


def with_accepting_body(dependant: Any) -> Any:
    """A copy of a route's dependant whose body fields are `AcceptingField`s; itself where there is none to replace."""
    fields = getattr(dependant, "body_params", None) or []
    if not any(map(has_adapter, fields)):
        return dependant
    changed = copy.copy(dependant)
    changed.body_params = [AcceptingField(field) if has_adapter(field) else field for field in fields]
    return changed
