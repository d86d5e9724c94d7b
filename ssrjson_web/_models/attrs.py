"""attrs classes: all fields, in their order, as `attrs.asdict` takes them."""

from __future__ import annotations

import sys
from typing import Any

from ssrjson_web._models.plan import Plan, PlanField


def plan_of(cls: Any) -> Plan:
    """The plan that writes each field under its name."""
    names = [sys.intern(str(attribute.name)) for attribute in cls.__attrs_attrs__]
    return Plan("attributes", tuple(PlanField(name, name, name) for name in names))
