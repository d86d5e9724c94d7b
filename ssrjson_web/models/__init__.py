"""Encode plans: which attribute of an object is written under which key. The C core asks once for a class.

One module a model library.
"""

from ssrjson_web.models import dataclass

__all__ = ["PlanFields", "plan_fields"]

PlanFields = tuple[tuple[str, str], ...]
"""Pairs of attribute and key, in the order in which they are written."""


def plan_fields(cls: type) -> PlanFields:
    """The plan of a class that the core takes for a model. Raises TypeError where it is none."""
    return dataclass.plan_fields(cls)
