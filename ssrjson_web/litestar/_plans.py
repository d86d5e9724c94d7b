"""Options that follow Litestar's type encoders: which models are written by plans."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

from litestar.serialization import default_serializer
from litestar.types import Serializer

__all__ = ["WITHOUT_PLANS", "options_of"]

_WITH_PLANS: Mapping[str, Any] = {"models": "python"}  # the plug-in dumps models and msgspec writes the result
WITHOUT_PLANS: Mapping[str, Any] = {
    "exact_types": True
}  # model classes and classes derived from JSON's types go to the hook
_JSON_TYPES = (str, int, float, list, tuple, dict)
_PLAN_OPTIONS = ("exclude_defaults", "exclude_none", "exclude_unset")
_BEYOND_PLANS = ("exclude", "include", "round_trip")


def options_of(enc_hook: Serializer) -> Mapping[str, Any]:
    """Options that leave to the hook all values for which Litestar calls it."""
    if enc_hook is default_serializer:
        return _WITH_PLANS
    if not (isinstance(enc_hook, partial) and enc_hook.func is default_serializer):
        return WITHOUT_PLANS
    encoders: Mapping[Any, Any] = enc_hook.keywords.get("type_encoders") or {}
    dump = encoders.get(getattr(sys.modules.get("pydantic"), "BaseModel", None))
    return _options_beside(frozenset(cls for cls, encoder in encoders.items() if not _is_plugins(encoder)), dump)


def _is_plugins(encoder: Callable[[Any], Any]) -> bool:
    """Whether a type encoder is the one of Litestar's plug-in for pydantic, or does the same."""
    return encoder in (str, int) or (getattr(encoder, "__module__", None) or "").startswith("litestar.")


@lru_cache(maxsize=64)
def _options_beside(classes: frozenset[Any], dump: Callable[[Any], Any] | None) -> Mapping[str, Any]:
    """The options for an application with type encoders for these classes. `dump` is the one for BaseModel."""
    if any(_is_of_models(cls) or issubclass(cls, _JSON_TYPES) for cls in classes if isinstance(cls, type)):
        return WITHOUT_PLANS
    if dump is None:
        return _WITH_PLANS
    chosen = inspect.getclosurevars(dump).nonlocals if inspect.isfunction(dump) else {}  # the arguments of the plug-in
    if not chosen.keys() >= {*_PLAN_OPTIONS, "prefer_alias"} or any(map(chosen.get, _BEYOND_PLANS)):
        return WITHOUT_PLANS
    return {
        **_WITH_PLANS,
        "by_alias": chosen["prefer_alias"],
        **{name: chosen[name] for name in _PLAN_OPTIONS},
        # the plug-in dumps models only; msgspec writes None in dicts
        "exclude_none": "pydantic" if chosen["exclude_none"] else False,
    }


def _is_of_models(cls: type) -> bool:
    """Whether the core has a plan for the class or for a class that inherits from it."""
    if cls.__module__ == "builtins":
        return False
    return hasattr(cls, "__pydantic_serializer__") or any(map(_is_of_models, cls.__subclasses__()))
