"""Encode plans: which attribute of an object is written under which key. The C core asks once for a class.

One module a model library; none of the libraries is imported before a class of it is met.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import Any, Literal

from ssrjson_web._models.plan import Plan

__all__ = ["plan_of"]


def _is_of(cls: type, module: str, name: str) -> bool:
    """Whether a class inherits from another one, in a module that is imported if so."""
    base = getattr(sys.modules.get(module), name, None)
    return isinstance(base, type) and issubclass(cls, base)


def plan_of(cls: Any, models: Literal["none", "all", "pydantic"]) -> Plan | None:
    """The plan of a class that looks like a model's; None where it is none of those that are asked for.

    "none": dataclasses, pydantic's too, by `dataclasses.fields`. "pydantic": besides, `pydantic.BaseModel`. "all":
    those of every library, by the library's own account.
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
