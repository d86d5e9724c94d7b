"""Which type encoders of Litestar leave models to plans."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

from litestar.serialization import default_serializer
from litestar.types import Serializer

__all__ = ["WITHOUT_PLANS", "options_of"]

_WITH_PLANS: Mapping[str, Any] = {"models": "python"}  # the plug-in dumps them, and msgspec writes that
WITHOUT_PLANS: Mapping[str, Any] = {"exact_types": True}  # classes of models, and of JSON's types, go to the hook
_JSON_TYPES = (str, int, float, list, tuple, dict)
_PLAN_OPTIONS = ("exclude_defaults", "exclude_none", "exclude_unset")
_BEYOND_PLANS = ("exclude", "include", "round_trip")


def options_of(enc_hook: Serializer) -> Mapping[str, Any]:
    """What an encoder has to be told beside the formats, to leave to the hook what the hook is asked for."""
    if enc_hook is default_serializer:
        return _WITH_PLANS
    if not (isinstance(enc_hook, partial) and enc_hook.func is default_serializer):
        return WITHOUT_PLANS
    encoders: Mapping[Any, Any] = enc_hook.keywords.get("type_encoders") or {}
    dump = encoders.get(getattr(sys.modules.get("pydantic"), "BaseModel", None))
    return _options_beside(frozenset(cls for cls, encoder in encoders.items() if not _is_plugins(encoder)), dump)


def _is_plugins(encoder: Callable[[Any], Any]) -> bool:
    """Whether a type encoder is of Litestar's plug-in for pydantic, or does what that does."""
    return encoder in (str, int) or (getattr(encoder, "__module__", None) or "").startswith("litestar.")


@lru_cache(maxsize=64)
def _options_beside(classes: frozenset[Any], dump: Callable[[Any], Any] | None) -> Mapping[str, Any]:
    """The options beside type encoders of one's own for these classes; `dump` is that of pydantic's BaseModel."""
    if any(_is_of_models(cls) or issubclass(cls, _JSON_TYPES) for cls in classes if isinstance(cls, type)):
        return WITHOUT_PLANS
    if dump is None:
        return _WITH_PLANS
    chosen = inspect.getclosurevars(dump).nonlocals if inspect.isfunction(dump) else {}  # what the plug-in was told
    if not chosen.keys() >= {*_PLAN_OPTIONS, "prefer_alias"} or any(map(chosen.get, _BEYOND_PLANS)):
        return WITHOUT_PLANS
    return {**_WITH_PLANS, "by_alias": chosen["prefer_alias"], **{name: chosen[name] for name in _PLAN_OPTIONS}}


def _is_of_models(cls: type) -> bool:
    """Whether the class is one that the core has a plan for, or is mixed into one."""
    if cls.__module__ == "builtins":
        return False
    return hasattr(cls, "__pydantic_serializer__") or any(map(_is_of_models, cls.__subclasses__()))
