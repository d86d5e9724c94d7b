"""Plans of declared types, by which `loads(type=)` makes dataclasses, TypedDicts, NamedTuples, attrs and Structs.

`describer.py` reads a type and writes `nodes.py`'s language; `classes.py` knows the classes of each library, `hints.py`
their annotations, `texts.py` the values that JSON has as text. `faults.py` makes the error.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ssrjson_web._core import _TypePlan
from ssrjson_web._models.types.describer import Describer
from ssrjson_web._models.types.hints import has_own_equality
from ssrjson_web._models.types.nodes import runs_code
from ssrjson_web._shared.kept_by_class import kept_by_class

__all__ = ["plan_of"]


class _Plan(NamedTuple):
    declared: Any
    compiled: _TypePlan
    may_be_shared: bool
    """By types that are equal and not the same."""


def _new_plan(declared: Any) -> _Plan:
    describer = Describer()
    nodes = describer.describe(declared)
    return _Plan(declared, _TypePlan(nodes, any(runs_code(node) for node in nodes)), describer.may_be_shared)


_kept_plan = kept_by_class(512)(_new_plan)


def plan_of(declared: Any) -> _TypePlan:
    """The plan of a type, which is kept for the next call. Raises TypeError for one whose values cannot be made."""
    try:
        plan = _kept_plan(declared)
    except TypeError:  # it is refused, or cannot be hashed
        return _new_plan(declared).compiled
    may_be_shared = plan.may_be_shared and not has_own_equality(declared)
    return plan.compiled if plan.declared is declared or may_be_shared else _new_plan(declared).compiled
