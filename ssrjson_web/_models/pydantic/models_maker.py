"""`validate_python` of an adapter, by the core where that and functions of the application are enough."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ssrjson_web._core import _Acceptance
from ssrjson_web._models.pydantic.replay import Outcomes, Replay, replaying_validator

__all__ = ["ModelsMaker"]


class ModelsMaker:
    """Makes the values that a validator would. It calls each validator of the application once, where pydantic does."""

    def __init__(self, acceptance: _Acceptance, validator: Any) -> None:
        self._acceptance = acceptance
        self._validator = validator
        self._replaying: Callable[..., Any] | None = None

    def make(self, value: Any) -> tuple[Any, Replay | None]:
        """The validated value; or NotImplemented where pydantic has to decide.

        If functions of the application were called before that, it has to decide by the `Replay`.
        """
        outcomes: Outcomes = []
        made = self._acceptance.for_models(value, outcomes)
        return made, Replay(self._validate, outcomes) if made is NotImplemented and outcomes else None

    def _validate(self, value: Any, **options: Any) -> Any:
        validate = self._replaying
        if validate is None:  # most applications never need it
            validate = self._replaying = replaying_validator(self._validator)
        return validate(value, **options)
