"""The plan by which a serializer validates, if there is one: `plan_in_use`.

A plan is made of the fields of one instance, and used for all instances of the class whose fields must be the same. It
holds as long as nobody has asked such an instance for its `fields`, because they may be changed then. So the fields
that a run needs, to validate a value that the core does not know, are *hidden*: the instance has them under another
name, until somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import cached_property
from rest_framework.fields import Field
from rest_framework.serializers import Serializer

from ssrjson_web.rest_framework._accepted_input import ANY_ZONE
from ssrjson_web.rest_framework._conditions import generation, notice_changes, zone_in_use
from ssrjson_web.rest_framework._fields import (
    CHANGED_FIELDS,
    TEMPLATE,
    Template,
    has_fields_of_stock,
    is_pristine,
    known_of,
    template_of,
)
from ssrjson_web.rest_framework._load_plan import IS_SUPPORTED, LoadPlan, plan_of_fields
from ssrjson_web.rest_framework._stock import is_of_stock, keeps
from ssrjson_web.rest_framework._switch import has_opted_out, is_disabled

__all__ = ["HandedOverFields", "fields_to_hide", "has_validators", "hide_again", "is_usual", "plan_in_use"]

_HIDDEN = "_ssrjson_fields"
_USE = "_ssrjson_load_plan"


# ---- fields -----------------------------------------------------------------------------------


class HandedOverFields(cached_property):
    """The cached property `fields`, which gives the hidden fields if there are some."""

    def __get__(self, instance: Any, cls: type | None = None) -> Any:
        if instance is None:
            return self
        attributes = instance.__dict__
        found = attributes.pop(_HIDDEN, None)
        if found is None:
            found = attributes.pop(CHANGED_FIELDS, None)
        if found is None:
            template = attributes.get(TEMPLATE)
            found = self.func(instance) if template is None else template.fields_of(instance)
        attributes["fields"] = found
        return found


def fields_to_hide(serializer: Any) -> Mapping[str, Any]:
    """The fields of a serializer, which stay hidden if nobody has asked for them."""
    attributes = serializer.__dict__
    for name in ("fields", CHANGED_FIELDS, _HIDDEN):
        if name in attributes:
            found: Mapping[str, Any] = attributes[name]
            return found
    made: Mapping[str, Any] = serializer.fields
    hide_again(serializer)
    return made


def hide_again(serializer: Any) -> None:
    """Hide the fields for which only REST framework's own code has asked."""
    attributes = serializer.__dict__
    if "fields" in attributes:
        use = attributes.get(_USE)
        attributes[CHANGED_FIELDS if use is not None and use.is_own else _HIDDEN] = attributes.pop("fields")


# ---- classes ----------------------------------------------------------------------------------

_STOCK_MODULE = Serializer.__module__
_OF_VALIDATORS = (
    "get_unique_for_date_validators",
    "get_unique_together_constraints",
    "get_unique_together_validators",
    "get_validators",
)
"""The methods by which a serializer makes its validators."""

_OWN_NAMES = (
    "_read_only_defaults",
    "run_validation",
    "run_validators",
    "set_value",
    "to_internal_value",
    "validate",
    "validate_empty_values",
)
"""Methods that no instance may have of its own."""

_WATCHED = ("_read_only_defaults", "_writable_fields", "fields", "root", "set_value", "ssrjson")


def _attributes_of(cls: type, names: tuple[str, ...]) -> list[Any]:
    return [getattr(cls, name, None) for name in names]


_MOST_ZONES = 8
"""Time zones for which a class has plans of their own."""


class _ClassPlans:
    """The plans of a class, and what they hold for."""

    def __init__(self, cls: Any) -> None:
        self.n_changes = 0
        self.generation = generation()
        self.is_usual = is_usual(cls)
        self.watched: tuple[str, ...] = _WATCHED
        """Names of attributes of the class that plans depend on."""
        self.known: list[Any] = _attributes_of(cls, _WATCHED)
        self.template: Template | None = None
        self.of_partial: dict[bool, list[LoadPlan | None]] = {}
        """One each for the time zones that have been used."""

    def plan(self, serializer: Any, is_partial: bool, template: Template) -> LoadPlan | None:
        """The plan of all serializers of the class, whose fields are those of a template."""
        if self.template is not template:
            self.template, self.of_partial = template, {}
        made = [plan for plan in self.of_partial.get(is_partial, []) if plan is None or plan.is_current()]
        zone: Any = ANY_ZONE
        if made:
            if made[0] is None or made[0].zone is ANY_ZONE:
                return made[0]
            zone = zone_in_use()
            for plan in made:
                if plan is not None and plan.zone is zone:
                    return plan
        else:
            zone = zone_in_use()
        if len(made) == _MOST_ZONES:
            zone = ANY_ZONE
        plan = plan_of_fields(serializer, fields_to_hide(serializer), is_partial, zone, _OWN_NAMES)
        self.of_partial[is_partial] = [plan] if zone is ANY_ZONE else [*made, plan]
        if plan is not None:
            self.watched = (*_WATCHED, *plan.method_names)
            self.known = _attributes_of(type(serializer), self.watched)
        return plan


def is_usual(cls: Any) -> bool:
    """Whether a class keeps the methods that a plan replaces."""
    return (
        not has_opted_out(cls)
        and not hasattr(cls, "__getattr__")
        and cls.__getattribute__ is object.__getattribute__
        and isinstance(cls.fields, HandedOverFields)
        and is_of_stock(cls)
        and keeps(cls, Serializer, "_read_only_defaults", "_writable_fields", "root", "set_value")
    )


def _makes_usual_validators(cls: Any) -> bool:
    """Whether the validators of a class are made without code of the user's."""
    methods = [getattr(cls, name, None) for name in _OF_VALIDATORS]
    return cls.validators is Field.validators and all(
        method is None or getattr(method, "__module__", None) == _STOCK_MODULE for method in methods
    )


# ---- instances --------------------------------------------------------------------------------

_PLENTY = 8
"""Dicts for which it is worth to make a plan of an instance's own fields: it takes as long as stock does for four."""
_MOST_PLANS = 3


class _Use:
    """What an instance validates by."""

    def __init__(self) -> None:
        self.n_dicts = 0
        """Validated one by one."""
        self.n_plans = 0
        self.is_refused = False
        """The instance never validates by a plan."""
        self.is_own = False
        """Whether the plan is of the fields that the instance has."""
        self.plan: LoadPlan | None = None

    def __reduce__(self) -> tuple[type[_Use], tuple[()]]:
        return _Use, ()  # serializers can be pickled


def plan_in_use(serializer: Any, n_dicts: int = 1) -> LoadPlan | None:
    """The plan by which a serializer validates a dict, or several in a list; None: it validates as stock does."""
    if not IS_SUPPORTED or is_disabled():
        return None
    notice_changes()
    attributes = serializer.__dict__
    use: _Use | None = attributes.get(_USE)
    if use is not None and use.is_refused:
        return None
    is_partial = _is_partial(serializer)
    if use is None or use.plan is None or "fields" in attributes or not _holds(use.plan, is_partial):
        if use is None:
            use = attributes[_USE] = _Use()
        use.plan = _find_plan(serializer, use, is_partial, n_dicts)
    plan = use.plan
    return plan if plan is not None and attributes.keys().isdisjoint(plan.own_names) else None


def _holds(plan: LoadPlan, is_partial: bool) -> bool:
    return plan.is_partial == is_partial and plan.is_current() and (plan.zone is ANY_ZONE or plan.zone is zone_in_use())


def _is_partial(serializer: Any) -> bool:
    root = serializer
    while root.parent is not None:
        root = root.parent
    return bool(getattr(root, "partial", False))


_MOST_CHANGES = 20
"""A class that changes more often has no plans any more."""


def _plans_of(cls: type) -> _ClassPlans:
    known = known_of(cls)
    plans: _ClassPlans | None = known.loading
    if plans is not None and plans.generation == generation() and plans.known == _attributes_of(cls, plans.watched):
        return plans
    made = _ClassPlans(cls)
    if plans is not None:
        if plans.n_changes > _MOST_CHANGES:
            return plans
        made.n_changes = plans.n_changes + (plans.generation == generation())
    known.loading = made
    return made


def _find_plan(serializer: Any, use: _Use, is_partial: bool, n_dicts: int) -> LoadPlan | None:
    cls = type(serializer)
    plans = _plans_of(cls)
    if not plans.is_usual or plans.n_changes > _MOST_CHANGES or use.n_plans == _MOST_PLANS:
        use.is_refused = True
        return None
    attributes = serializer.__dict__
    if "fields" not in attributes and not use.is_own and is_pristine(serializer) and has_fields_of_stock(cls):
        template = attributes.get(TEMPLATE) or template_of(cls)
        if template is not None and template.has_stock_fields:
            attributes[TEMPLATE] = template
            return plans.plan(serializer, is_partial, template)
    use.n_dicts += n_dicts == 1
    if max(use.n_dicts, n_dicts) < _PLENTY:
        return None
    if n_dicts != 1 and "fields" not in attributes:
        return None  # code of the user's may make them, and raise an error that is the first item's
    use.n_plans += 1
    use.is_own = True
    fields = serializer.fields
    hide_again(serializer)
    return plan_of_fields(serializer, fields, is_partial, ANY_ZONE, _OWN_NAMES)


def has_validators(serializer: Any, plan: LoadPlan) -> bool | None:
    """Whether a serializer with a plan has validators; None: code of the user's says which."""
    attributes = serializer.__dict__
    if "_validators" in attributes:
        return bool(attributes["_validators"])
    if plan.has_no_validators:
        return False
    if "fields" in attributes or not _makes_usual_validators(type(serializer)):
        return None
    try:
        found = bool(serializer.validators)
    except Exception:  # raised again where stock needs them
        return None
    finally:
        hide_again(serializer)
    plan.has_no_validators = not found and not attributes[_USE].is_own
    return found
