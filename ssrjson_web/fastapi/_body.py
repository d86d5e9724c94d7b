"""FastAPI's field of a body, with models that the core makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ssrjson_web._shared.delegation import attribute_of
from ssrjson_web._shared.validation_counter import ValidationCounter
from ssrjson_web.fastapi._field import import_models, no_errors_of, validating
from ssrjson_web.fastapi._seams import is_field_class_stock

if TYPE_CHECKING:
    from ssrjson_web._models.pydantic.models_maker import ModelsMaker

__all__ = ["AcceptingField"]


class AcceptingField:
    """Replaces a `ModelField` of a body. Values that need no validation do not go through pydantic.

    Every other value is validated by the field as a whole: errors are FastAPI's own.
    """

    def __init__(self, field: Any) -> None:
        import_models()
        self._field = field
        self.name, self.field_info = field.name, field.field_info  # read at each request
        # one attribute for the maker and what it is of, because threads may share a route
        self._known: tuple[ModelsMaker | None, Any, Any] | None = None
        self.counter = ValidationCounter()

    def __getattr__(self, name: str) -> Any:
        return attribute_of(self, "_field", name)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._field,)  # a copy learns by itself what it knows beside the field

    def validate(self, value: Any, *values: Any, **named: Any) -> Any:
        replay = None
        maker = self._maker() if is_field_class_stock(type(self._field)) else None
        if maker is not None:
            made, replay = maker.make(value)
            if made is not NotImplemented:
                self.counter.n_bypassed += 1
                return made, no_errors_of(self._field)
        self.counter.n_validated += 1
        return validating(self._field, replay).validate(value, *values, **named)

    def _maker(self) -> ModelsMaker | None:
        adapter = self._field._type_adapter
        core_schema = adapter.core_schema  # a rebuild replaces it
        known = self._known
        if known is None or known[1] is not adapter or known[2] is not core_schema:
            from ssrjson_web._models.adapter import bodies_maker
            from ssrjson_web._models.pydantic.late_types import complete

            complete(adapter)
            known = self._known = (bodies_maker(adapter), adapter, adapter.core_schema)
        return known[0]
