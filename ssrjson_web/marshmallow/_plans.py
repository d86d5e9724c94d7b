"""Plans of schemas. A schema's is kept with the instance, and shared by the instances of a class that are alike.

Hooks are called by marshmallow, around what a plan does. A schema within another one has a plan only without them:
`has_hooks` in `_stock.py`, which `_fields/nested.py` asks.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from ssrjson_web._models.language import Acceptance, Accepted, LoadField, ReadField, alternatives_within
from ssrjson_web.marshmallow._basis import Basis, Bound, watched_classes
from ssrjson_web.marshmallow._fields.number import DECIMAL_DIGITS
from ssrjson_web.marshmallow._stock import (
    DICT_CLASSES,
    allows_core,
    is_instance_changed,
    names_remembered,
    own_dict_class,
)

__all__ = ["KEPT", "Plans", "SchemaPlan", "passes"]

KEPT = "_ssrjson_plans"
"""The attribute of a schema that holds what is kept with it; before that, a number of items. Its class has None, which
`setup` adds. `__dict__` is not asked for it: CPython makes that when it is needed, and is slower from then on."""

_set = object.__setattr__

_OF_CLASS = "_ssrjson_shared_plans"
"""The attribute of a class. A dictionary of classes would keep them for ever, because plans lead to their class."""

FEW_ITEMS = 4
"""With fewer, the first call of a class makes no plan."""

_LEAST_GAIN = 16
"""Of the items of an instance together. To take the plan of another instance costs half as much."""

_MAX_SHARED = 16
_MAX_OF_CLASS = 64
"""Plans that are made for a class, after which only those for many items are."""
_MAX_MADE = 8
"""Plans that are made for one instance before schemas within schemas are left out of them; twice as many before it has
none."""


_Maker = Callable[..., Callable[..., Any]]


class SchemaPlan:
    """How a schema dumps or loads. It is the same for all instances of a class with the same options."""

    def __init__(self, schema: Any, fields_name: str, *, nests: bool) -> None:
        """Raises TypeError where the core cannot do it, with the reason."""
        self.basis = Basis(schema, fields_name, nests=nests)
        self._calls: list[tuple[int, int, _Maker]] = []
        self._needs_digits = False
        self.given: dict[str, str] = {}
        """Fields that marshmallow does itself, each with the reason."""
        self.gain = 0
        """About how many microseconds are saved for an item."""
        dict_class = own_dict_class(schema)
        if dict_class not in DICT_CLASSES:
            raise TypeError("it has a dict_class of its own")
        self._dict_class = None if dict_class is dict else dict_class

    def _call(self, schema: int, field: int, maker: _Maker) -> int:
        """The number of a call of the core, which is made for a schema and one of its fields."""
        self._calls.append((schema, field, maker))
        return len(self._calls) - 1

    def _resolve(self, objects: list[Any], run: Any = None) -> Callable[[int], Callable[..., Any]]:
        calls = self._calls

        def resolve(number: int) -> Callable[..., Any]:
            schema, field, maker = calls[number]
            return maker(objects[schema], objects[field], run)

        return resolve

    def _notice(self, acceptance: Acceptance) -> None:
        """Note what an acceptance needs."""
        decimals = (one for one in alternatives_within(acceptance) if one.op in ("decimal", "decimal_text"))
        self._needs_digits |= any(one.greatest is not None for one in decimals)

    def _finish(self, described: tuple[ReadField, ...] | tuple[LoadField, ...], verb: str, least: Accepted) -> None:
        """See whether the core does more than to accept `least` of some fields."""
        if len(self.given) == len(described):
            raise TypeError(f"it {verb} each of the fields" if self.given else "it has no fields")
        self.gain = sum(field.acceptance not in ((), (least,)) for field in described)
        self.basis.finish()

    def can_run(self) -> bool:
        """Whether Decimals have room for the digits that they had when the plan was made."""
        return not self._needs_digits or decimal.getcontext().prec >= DECIMAL_DIGITS


P = TypeVar("P", bound=SchemaPlan)


class _Reason:
    """Why there is no plan, which is so until a class changes."""

    def __init__(self, text: str, classes: Any) -> None:
        self.text = text
        self._classes = classes

    def holds(self) -> bool:
        fits: bool = self._classes.fits(())
        return fits


class _OfClass:
    """What the instances of a schema class share."""

    def __init__(self) -> None:
        self.plans: dict[Hashable, list[Any]] = {}
        self.reasons: dict[Hashable, _Reason] = {}
        self.n_passed: dict[Hashable, int] = {}
        """Items of an instance that marshmallow does before a plan of another one is worth its price."""
        self.n_calls = 0
        self.n_made = 0


class _Kept:
    """What is kept with an instance. A copy of the schema gets its own."""

    __slots__ = ("n_made", "plans", "reasons", "schema")

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.plans: dict[Hashable, tuple[Any, Bound]] = {}
        self.reasons: dict[Hashable, _Reason] | None = None
        self.n_made = 0

    def __reduce__(self) -> Any:
        return _Kept, (None,)

    def refuse(self, key: Hashable, reason: _Reason) -> None:
        """Keep why there is no plan."""
        if self.reasons is None:
            self.reasons = {}
        self.reasons[key] = reason


def passes(schema: Any, key: Hashable, n_items: int) -> bool:
    """Whether a plan of another instance is not worth its price yet, for so few items."""
    kept = schema._ssrjson_plans
    if kept is None:
        of_class = type(schema).__dict__.get(_OF_CLASS)
        kept = of_class.n_passed.get(key, 0) if of_class is not None and FEW_ITEMS else 0
    elif type(kept) is not int:
        return False
    if kept >= n_items > 0:
        _set(schema, KEPT, kept - n_items)
        return True
    return False


class Plans(Generic[P]):
    """The plans of one kind, each for a schema and a key, which says what else differs."""

    def __init__(self, make: Callable[..., P]) -> None:
        self._make = make

    def find(self, schema: Any, key: Hashable, n_items: int) -> tuple[P, Bound] | None:
        """The plan of a schema for a number of items; None where marshmallow does the work."""
        kept = schema._ssrjson_plans
        if type(kept) is not _Kept or kept.schema is not schema:
            kept = _Kept(schema)
            _set(schema, KEPT, kept)
        known = kept.plans.get(key)
        if known is not None:
            if known[1].holds():
                return known if known[0].can_run() else None
            kept.plans.pop(key, None)  # another thread may have done so
        elif kept.reasons is not None and (reason := kept.reasons.get(key)) is not None:
            if reason.holds():
                return None
            kept.reasons.pop(key, None)
        return self._adopt(schema, kept, key, n_items)

    def _adopt(self, schema: Any, kept: _Kept, key: Hashable, n_items: int) -> tuple[P, Bound] | None:
        """Take a plan of another instance, or make one."""
        cls = type(schema)
        of_class = cls.__dict__.get(_OF_CLASS)
        if of_class is None:
            of_class = _OfClass()
            type.__setattr__(cls, _OF_CLASS, of_class)
        shared = of_class.plans.get(key, [])
        for plan in shared:
            bound = plan.basis.bound_to(schema)
            if bound is not None:
                if shared[0] is not plan:
                    of_class.plans[key] = [plan, *(other for other in shared if other is not plan)]
                kept.plans[key] = plan, bound
                return (plan, bound) if plan.can_run() else None
        reason = of_class.reasons.get((key, *schema.fields))
        if reason is not None and reason.holds():
            kept.refuse(key, reason)
            return None
        of_class.n_calls += 1
        # a class that is used once, or always in other ways, would pay for plans and have nothing of them
        if n_items < FEW_ITEMS and (of_class.n_calls < 2 or of_class.n_made > _MAX_OF_CLASS):
            return None
        if is_instance_changed(schema):
            return None
        return self._new(schema, kept, key, of_class)

    def _new(self, schema: Any, kept: _Kept, key: Hashable, of_class: _OfClass) -> tuple[P, Bound] | None:
        kept.n_made += 1
        of_class.n_made += 1
        try:
            if kept.n_made > 2 * _MAX_MADE:
                raise TypeError("its fields change all the time")
            with names_remembered():
                if not allows_core(type(schema)):
                    raise TypeError("it opts out, or has a _serialize or _deserialize of its own")
                plan = self._make(schema, key, nests=kept.n_made <= _MAX_MADE)
            bound = plan.basis.bound_to(schema)
            if bound is None:
                raise TypeError("its fields change while they are looked at")
        except (TypeError, ValueError) as error:
            reason = _Reason(str(error), watched_classes(schema))
            kept.refuse(key, reason)
            if len(of_class.reasons) < _MAX_OF_CLASS and kept.n_made <= _MAX_MADE:
                of_class.reasons[(key, *schema.fields)] = reason
            return None
        of_class.plans[key] = [plan, *of_class.plans.get(key, ())][:_MAX_SHARED]
        of_class.n_passed[key] = max(of_class.n_passed.get(key, 0), _LEAST_GAIN // (plan.gain or 1))
        kept.plans[key] = plan, bound
        return (plan, bound) if plan.can_run() else None
