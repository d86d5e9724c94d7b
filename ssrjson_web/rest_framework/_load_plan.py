"""A plan of how serializers with the same fields validate a dict: `plan_of_fields`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from types import FunctionType
from typing import Any, NamedTuple

from rest_framework import fields, relations, serializers
from rest_framework.fields import CreateOnlyDefault, CurrentUserDefault, empty

from ssrjson_web._core import _RecordLoader
from ssrjson_web._models.records import LoadField, LoadRecord
from ssrjson_web._plans.basis import Watch, has_own_methods, owner_of
from ssrjson_web.rest_framework._accepted_input import (
    ANY_ZONE,
    acceptance_of_input,
    base_of,
    depends_on_zone,
    is_atom,
    is_of_dates,
    is_pure,
)
from ssrjson_web.rest_framework._conditions import generation, input_formats
from ssrjson_web.rest_framework._fields import users_field_classes
from ssrjson_web.rest_framework._lookup import Lookup, prepared
from ssrjson_web.rest_framework._stock import is_of_stock, keeps

__all__ = [
    "FAIL",
    "FINISH",
    "IS_SUPPORTED",
    "ON_ERROR",
    "OTHER",
    "SKIPPED",
    "FieldCalls",
    "Kind",
    "LoadPlan",
    "lookup_of",
    "plan_of_fields",
]

SKIPPED = object()
"""What a call returns where a field has no value."""

ON_ERROR, FAIL, OTHER, FINISH = 0, 1, 2, 3
_FIRST_CALL = 4


class Kind(IntEnum):
    """The calls of a field. Their numbers are in the order in which they are made."""

    LOAD = 0
    CONFIRM = 1
    CHECK = 2


_N_KINDS = len(Kind)


class FieldCalls(NamedTuple):
    """What the calls of a field need to know."""

    name: str
    gets_own_value: bool
    """The field takes its value from the dict in a way of its own."""
    lookup: Lookup | None
    """Finds the objects of a relation."""


class LoadPlan:
    """How the core validates dicts, and what the calls are for."""

    def __init__(self, record_fields: tuple[LoadField, ...], calls: tuple[FieldCalls, ...]) -> None:
        self._record = LoadRecord(
            fields=record_fields, absent=empty, skipped=SKIPPED, on_error=ON_ERROR, fail=FAIL, other=OTHER
        )
        self.loader = _RecordLoader(self._record)
        self.calls = calls
        self.n_fields = 0
        """All of them, also those that are only read."""
        self.generation = generation()
        self.formats: list[Any] | None = None
        """The settings of input formats, where a field has none of its own."""
        self.classes = Watch()
        """The user's classes of fields."""
        self.is_partial = False
        self.zone: Any = ANY_ZONE
        """The time zone that datetimes are in; or the plan is for all."""
        self.runs_user_code = False
        """Whether a call may change the serializer's fields."""
        self.has_read_only_defaults = False
        self.has_no_validators = False
        """Whether it is known that the serializers have none, unless they are given some."""
        self.method_names: tuple[str, ...] = ()
        """Of methods that validate a field, whether or not the class has them."""
        self.own_names: tuple[str, ...] = ()
        """Names of attributes that no instance may have of its own: of methods, for example."""
        self._finishing: dict[int, _RecordLoader] = {}

    def is_current(self) -> bool:
        """Whether all is as it was when the plan was made, as far as `notice_changes` has seen."""
        return (
            self.generation == generation()
            and self.classes.holds()
            and (self.formats is None or self.formats == input_formats())
        )

    def finishing(self, n_fields: int | None = None) -> _RecordLoader:
        """A loader that finishes with a call; of all fields, or of the first ones only."""
        n = len(self.calls) if n_fields is None else n_fields
        if n not in self._finishing:
            self._finishing[n] = _RecordLoader(self._record._replace(fields=self._record.fields[:n], finish=FINISH))
        return self._finishing[n]

    def call_of(self, number: int) -> tuple[FieldCalls, int]:
        """The field that a call belongs to, and the `Kind` of the call."""
        return self.calls[(number - _FIRST_CALL) // _N_KINDS], (number - _FIRST_CALL) % _N_KINDS

    def place_of(self, number: int) -> int:
        """The place of the field that a call belongs to."""
        return (number - _FIRST_CALL) // _N_KINDS


_NO_FIELDS = LoadRecord(fields=(), absent=empty, skipped=SKIPPED, on_error=ON_ERROR, fail=FAIL, other=OTHER)
IS_SUPPORTED = _RecordLoader(_NO_FIELDS).load({}, lambda number: dict) == {}
"""Whether the core loads records in this build."""


def plan_of_fields(
    serializer: Any, live: Mapping[str, Any], is_partial: bool, zone: Any, own_names: tuple[str, ...]
) -> LoadPlan | None:
    """The plan of a serializer's fields; None: what stock does with some of them cannot be told in advance."""
    watched = Watch(users_field_classes(live.values()))
    formats = input_formats() if any(map(is_of_dates, live.values())) else None
    record_fields = []
    calls: list[FieldCalls] = []
    runs_user_code = False
    for field in live.values():
        if field.read_only:
            continue
        has_check = _has_method(type(serializer), "validate_" + field.field_name)
        if has_check is None or type(field.field_name) is not str:
            return None
        call = FieldCalls(field.field_name, _gets_own_value(field), lookup_of(field))
        made = _load_field(field, call, _FIRST_CALL + _N_KINDS * len(calls), is_partial, zone)
        record_fields.append(made if has_check else made._replace(after=-1))
        calls.append(call)
        runs_user_code |= has_check or not _is_stock(field)
    if not _are_apart([field.target for field in record_fields]):
        return None
    plan = LoadPlan(tuple(record_fields), tuple(calls))
    plan.classes, plan.formats = watched, formats
    plan.n_fields = len(live)
    plan.is_partial = is_partial
    plan.zone = zone if any(depends_on_zone(field) for field in live.values()) else ANY_ZONE
    plan.runs_user_code = runs_user_code
    plan.has_read_only_defaults = any(field.read_only and field.default is not empty for field in live.values())
    plan.method_names = tuple("validate_" + call.name for call in calls)
    plan.own_names = (*own_names, *plan.method_names)
    return plan


def _has_method(cls: type, name: str) -> bool | None:
    """Whether a class has a method; None: it has something else that gives one."""
    for base in cls.__mro__:
        if name in vars(base):
            method = vars(base)[name]
            if method is None:
                return False
            return True if isinstance(method, (FunctionType, classmethod, staticmethod)) else None
    return False


_STOCK_MODULES = frozenset(module.__name__ for module in (fields, relations, serializers))


def _gets_own_value(field: Any) -> bool:
    """Whether a field's `get_value` may give anything else than the value of the field's name."""
    owner = owner_of(type(field), "get_value")
    return (
        owner in (None, fields.HiddenField)
        or owner.__module__ not in _STOCK_MODULES
        or not is_of_stock(type(field))
        or not keeps(type(field), fields.Field, "root")  # which `get_value` reads
        or has_own_methods(field)
    )


def lookup_of(field: Any) -> Lookup | None:
    """What finds the objects of a relation with a query that is compiled once."""
    base = base_of(field)
    if base is relations.ManyRelatedField:
        return lookup_of(field.child_relation)
    if base is relations.PrimaryKeyRelatedField and field.pk_field is None:
        return prepared(field.queryset)
    return prepared(field.queryset, field.slug_field) if base is relations.SlugRelatedField else None


def _load_field(field: Any, call: FieldCalls, number: int, is_partial: bool, zone: Any) -> LoadField:
    made = LoadField(
        key=field.field_name,
        target=tuple(field.source_attrs),
        acceptance=(),
        load=number + Kind.LOAD,
        after=number + Kind.CHECK,
        of_whole_dict=call.gets_own_value,
    )
    if base_of(field) is None or call.gets_own_value or not field.source_attrs:
        return made
    return made._replace(
        acceptance=acceptance_of_input(field, zone),
        confirm=-1 if all(is_pure(validator) for validator in field.validators) else number + Kind.CONFIRM,
        default=(field.default,) if not is_partial and is_atom(field.default) else (),
        may_be_absent=is_partial or (not field.required and field.default is empty),
    )


def _are_apart(targets: list[tuple[str, ...]]) -> bool:
    """Whether no target is within another one, which would have to be a dict then."""
    if all(len(target) == 1 for target in targets):
        return True
    if any(not target for target in targets) and any(len(target) > 1 for target in targets):
        return False
    known = set(targets)
    return not any(target[:n] in known for target in targets for n in range(1, len(target)))


# ---- whose code a field runs ------------------------------------------------------------------


def _is_stock(field: Any) -> bool:
    """Whether validation by a field runs nothing that might know the serializer, and change its other fields."""
    if isinstance(field, serializers.BaseSerializer):
        return False
    if base_of(field) is None and (
        type(field).__module__ not in _STOCK_MODULES or not is_of_stock(type(field)) or has_own_methods(field)
    ):
        return False
    if not _are_stock(field.validators) or not _is_stock_default(field.default):
        return False
    children = (field.__dict__.get(name) for name in ("child", "child_relation", "pk_field"))
    return all(_is_stock(child) for child in children if child is not None)


def _are_stock(validators: Iterable[Any]) -> bool:
    modules = ("rest_framework.validators", "django.core.validators")
    return all(
        (validator.__module__ if isinstance(validator, FunctionType) else type(validator).__module__) in modules
        and is_of_stock(type(validator))
        for validator in validators
    )


def _is_stock_default(default: Any) -> bool:
    if type(default) is CreateOnlyDefault:
        default = default.default
    return not callable(default) or default is empty or type(default) is CurrentUserDefault
