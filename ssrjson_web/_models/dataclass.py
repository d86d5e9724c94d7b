"""Dataclasses: all fields, in their order, as `dataclasses.asdict` takes them."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

from ssrjson_web._models.plan import Plan, PlanField


def plan_of(cls: Any) -> Plan:
    """The plan that writes each field under its name. Raises TypeError where `cls` is not a dataclass."""
    names = [sys.intern(str(field.name)) for field in dataclasses.fields(cls)]
    return Plan("attributes", tuple(PlanField(name, name, name) for name in names))
