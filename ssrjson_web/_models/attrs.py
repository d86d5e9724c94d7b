"""attrs classes: all fields, in their order, as `attrs.asdict` takes them."""

from __future__ import annotations

import sys
from typing import Any

import attrs

from ssrjson_web._models.plan import Plan, PlanField, default_of


def _default(default: Any) -> tuple[()] | tuple[Any]:
    if type(default) is not attrs.Factory:
        return default_of(default, attrs.NOTHING, attrs.NOTHING)
    return () if default.takes_self else default_of(attrs.NOTHING, default.factory, attrs.NOTHING)


def plan_of(cls: Any) -> Plan:
    """The plan that writes each field under its name."""
    planned = []
    for attribute in cls.__attrs_attrs__:
        name = sys.intern(str(attribute.name))
        planned.append(PlanField(name, name, name, default=_default(attribute.default)))
    return Plan("attributes", tuple(planned))
