"""Classes derived from the models that Ninja makes for an operation, with another `model_validate`."""

from __future__ import annotations

import warnings
from typing import Any

from pydantic import BaseModel
from pydantic_core import SchemaSerializer

from ssrjson_web._models.pydantic.plugins import listener_of
from ssrjson_web._shared.validation_counter import ValidationCounter
from ssrjson_web.django._report import SHORTCUT

__all__ = ["Shortcut", "derived_model", "shortcut_of", "validates_as_stock"]

_STOCK: Any = BaseModel.model_validate


class Shortcut:
    """Makes what `model_validate` of a model returns, of values that need no validation."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.counter = ValidationCounter()

    def take(self, value: Any, options: dict[str, Any]) -> tuple[Any, Any]:
        """The result for a value and the named arguments, and the value.

        The result is NotImplemented where the model must validate. Then it validates the value that is returned.
        """
        raise NotImplementedError


def shortcut_of(model: Any) -> Shortcut | None:
    """The shortcut of a class that `derived_model` made; None of any other."""
    shortcut: Shortcut | None = vars(model).get(SHORTCUT) if isinstance(model, type) else None
    return shortcut


def validates_as_stock(model: Any) -> bool:
    """Whether a model is complete, validated and dumped by pydantic, and no plugin hears of its values."""
    return (
        getattr(model.model_validate, "__func__", None) is _STOCK.__func__
        and model.model_dump is BaseModel.model_dump
        and not listener_of(model.__pydantic_validator__)
        and type(model.__pydantic_serializer__) is SchemaSerializer
    )


def derived_model(model: Any, shortcut: Shortcut) -> Any:
    """A model that is the same to everyone, but takes the shortcut where there is one.

    It is `model` itself where pydantic cannot make the class.
    """
    counter = shortcut.counter

    def model_validate(cls: Any, obj: Any, **options: Any) -> Any:
        made, obj = shortcut.take(obj, options)
        if made is not NotImplemented:
            counter.n_bypassed += 1
            return made
        counter.n_validated += 1
        return super(derived, cls).model_validate(obj, **options)

    validate: Any = model_validate

    namespace = {
        "__module__": model.__module__,
        "__qualname__": model.__qualname__,
        "__doc__": model.__doc__,
        "model_validate": classmethod(validate),
        SHORTCUT: shortcut,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names of fields: Ninja's class has given the warning
        try:
            derived = type(model)(model.__name__, (model,), namespace)
        except Exception:  # code of a type that is declared there may raise any
            return model
    return derived
