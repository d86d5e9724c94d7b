"""Request bodies whose schemas the core makes."""

from __future__ import annotations

from typing import Any

from ninja.params.models import BodyModel, ParamModel

from ssrjson_web._core import _Acceptance
from ssrjson_web.ninja._derived import Shortcut, derived_model, shortcut_of, validates_as_stock
from ssrjson_web.ninja._schemas import BodyReader, is_getter_stock

__all__ = ["with_made_bodies"]

_RESOLVE: Any = ParamModel.resolve


class _BodyShortcut(Shortcut):
    """Makes the bodies that need no validation; every other one is validated by Ninja as a whole."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        # one attribute for the acceptance and what it is of, because threads may share an operation
        self._made: tuple[_Acceptance | None, Any] | None = None

    def take(self, value: Any, options: dict[str, Any]) -> tuple[Any, Any]:
        acceptance = self._acceptance()
        if acceptance is None or options.keys() - {"context"} or not is_getter_stock():
            return NotImplemented, value
        return acceptance.for_models(value), value

    def _acceptance(self) -> _Acceptance | None:
        schema = self.model.__pydantic_core_schema__  # a rebuild replaces it
        made = self._made
        if made is None or made[1] is not schema:
            made = self._made = (BodyReader(schema).read({}) if isinstance(schema, dict) else None, schema)
        return made[0]


def with_made_bodies(models: list[Any]) -> list[Any]:
    """An operation's models of parameters, those of JSON bodies with a shortcut."""
    return [_derived(model) if _is_of_json(model) else model for model in models]


def _derived(model: Any) -> Any:
    return derived_model(model, _BodyShortcut(model))


def _is_of_json(model: Any) -> bool:
    return (
        shortcut_of(model) is None
        and model.__bases__ == (BodyModel,)
        and getattr(model.resolve, "__func__", None) is _RESOLVE.__func__
        and validates_as_stock(model)
    )
