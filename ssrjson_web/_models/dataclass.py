"""Dataclasses: all fields, in their order, as `dataclasses.asdict` takes them."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

from ssrjson_web._models.plan import Plan, PlanField, default_of


def plan_of(cls: Any) -> Plan:
    """The plan that writes each field under its name. Raises TypeError where `cls` is not a dataclass."""
    planned = []
    for field in dataclasses.fields(cls):
        name = sys.intern(str(field.name))
        default = default_of(field.default, field.default_factory, dataclasses.MISSING)
        planned.append(PlanField(name, name, name, default=default))
    return Plan("attributes", tuple(planned))
