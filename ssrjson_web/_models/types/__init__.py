"""Plans of declared types, by which `loads(type=)` makes dataclasses, TypedDicts, NamedTuples, attrs and Structs.

`describer.py` reads a type and writes `nodes.py`'s language; `classes.py` knows the classes of each library, `hints.py`
their annotations, `texts.py` the values that JSON has as text. `faults.py` makes the error.
"""

from __future__ import annotations

import functools
import typing
from typing import Any

from ssrjson_web._core import _TypePlan
from ssrjson_web._models.types.describer import Describer
from ssrjson_web._models.types.nodes import runs_code

__all__ = ["plan_of"]


def _new_plan(declared: Any) -> _TypePlan:
    nodes = Describer().describe(declared)
    return _TypePlan(nodes, any(runs_code(node) for node in nodes))


@functools.lru_cache(maxsize=512)
def _kept_plan(declared: Any) -> tuple[Any, _TypePlan]:
    return declared, _new_plan(declared)


def plan_of(declared: Any) -> _TypePlan:
    """The plan of a type, which is kept for the next call. Raises TypeError for one whose values cannot be made."""
    try:
        known, plan = _kept_plan(declared)
    except TypeError:  # it is refused, or cannot be hashed
        return _new_plan(declared)
    # a metaclass may say that a class is equal to another one; list[int] is a type, too, in Python 3.10
    is_class = isinstance(declared, type) and typing.get_origin(declared) is None
    return plan if known is declared or not is_class else _new_plan(declared)
