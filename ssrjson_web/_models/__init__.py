"""What the C core is told about model classes, once for each class.

All are named tuples. `language.py`: what is known of values, for validators, serializers and the walk; `pydantic/`
describes them. `plan.py`: which attribute of an object is written under which key; one module for each library makes
plans, and a library is imported only when one of its classes is encoded. `adapter.py` uses both for a `TypeAdapter`.
`types/nodes.py`: what `loads(type=)` makes.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import Any, Literal

from ssrjson_web._models.plan import Plan

__all__ = ["plan_of"]


def _is_of(cls: type, module: str, name: str) -> bool:
    """Whether a class inherits from a class of another module. If it does, that module is already imported."""
    base = getattr(sys.modules.get(module), name, None)
    return isinstance(base, type) and issubclass(cls, base)


def plan_of(cls: Any, models: Literal["none", "all", "pydantic"]) -> Plan | None:
    """The plan of a model class, or None where `models` does not include it.

    `"none"` includes dataclasses, and pydantic's dataclasses, by `dataclasses.fields`. `"pydantic"` adds
    `pydantic.BaseModel`. `"all"` includes the models of every library, written as that library writes them.
    """
    if models == "all" and "__ssrjson_plan__" in cls.__dict__:
        own: Plan = cls.__ssrjson_plan__
        return own
    if models != "none" and hasattr(cls, "__pydantic_serializer__"):
        from ssrjson_web._models import pydantic

        if models == "all":
            return pydantic.plan_of(cls)
        if pydantic.is_base_model(cls):
            return pydantic.dumped_plan_of(cls)
    if models == "all" and _is_of(cls, "msgspec", "Struct"):
        from ssrjson_web._models import msgspec

        return msgspec.plan_of(cls)
    if models == "all" and hasattr(cls, "__attrs_attrs__"):
        from ssrjson_web._models import attrs

        return attrs.plan_of(cls)
    if dataclasses.is_dataclass(cls):
        from ssrjson_web._models import dataclass

        plan = dataclass.plan_of(cls)
        if models != "pydantic" or not any(field.key.startswith("_sa") for field in plan.fields):
            return plan
    return None
