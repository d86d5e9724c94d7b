"""A plan of how serializers with the same fields validate a dict: `LoadPlan`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import Any

from rest_framework import fields, relations, serializers
from rest_framework.fields import CreateOnlyDefault, CurrentUserDefault, Field, empty

from ssrjson_web._core import _RecordLoader
from ssrjson_web._known.watch import owner_of
from ssrjson_web._models.language import MAX_DEPTH, Acceptance, LoadField, LoadRecord
from ssrjson_web.rest_framework._basis import acts_as_stock, is_of_stock, keeps, users_classes
from ssrjson_web.rest_framework._cloning import is_atom
from ssrjson_web.rest_framework._fields.describer import NOTHING, Describer, base_of, loading_of
from ssrjson_web.rest_framework._fields.validators import is_pure
from ssrjson_web.rest_framework._templates import known_of, users_field_classes

__all__ = ["CHECK", "CONFIRM", "FAIL", "FINISH", "IS_SUPPORTED", "ON_ERROR", "OTHER", "SKIPPED", "LoadPlan"]

SKIPPED = object()
"""What a call returns where a field has no value."""

ON_ERROR, FAIL, OTHER, FINISH = 0, 1, 2, 3
_FIRST_CALL = 4


LOAD, CONFIRM, CHECK = 0, 1, 2
"""The kinds of calls of a field, in the order in which they are made."""
_N_KINDS = 3
_RECORD = LoadRecord(fields=(), absent=empty, skipped=SKIPPED, on_error=ON_ERROR, fail=FAIL, other=OTHER)
IS_SUPPORTED = _RecordLoader(_RECORD).load({}, lambda number: dict) == {}
"""Whether the core loads records in this build."""


_METHODS = (
    "_read_only_defaults",
    "run_validation",
    "run_validators",
    "set_value",
    "to_internal_value",
    "validate",
    "validate_empty_values",
)
"""Methods that no instance may have of its own."""


class LoadPlan(Describer):
    """How the core validates dicts, and what the calls are for."""

    def __init__(self, cls: type, live: Mapping[str, Any], is_partial: bool) -> None:
        """Of a class and the fields of its instances.

        Raises ValueError where it cannot be told in advance what stock does with some of them.
        """
        known_of(cls)  # an attribute of the class, which must not appear later
        super().__init__([*users_classes(cls), *users_field_classes(live.values())])
        self._depth = 0
        self.is_partial = is_partial
        self.n_fields = len(live)
        """All of them, also those that are only read."""
        self.lookups: dict[str, Any] = {}
        """What finds the objects of relations, by the names of fields that have been used."""
        self.runs_user_code = False
        """Whether a call may change the serializer's fields."""
        self.has_read_only_defaults = any(field.read_only and field.default is not empty for field in live.values())
        self.has_no_validators = False
        """Whether it is known that the serializers have none, unless they are given some."""
        written = [field for field in live.values() if not field.read_only]
        self.fields = tuple(
            self._load_field(cls, field, _FIRST_CALL + _N_KINDS * place) for place, field in enumerate(written)
        )
        _check_targets([field.target for field in self.fields])
        self.own_names = (*_METHODS, *(f"validate_{field.key}" for field in self.fields))
        """Names of attributes that no instance may have of its own."""
        self.loader = _RecordLoader(_RECORD._replace(fields=self.fields))

    def _load_field(self, cls: type, field: Any, number: int) -> LoadField:
        name = field.field_name
        if type(name) is not str:
            raise ValueError(name)
        has_check = _has_method(cls, f"validate_{name}")
        gets_own_value = _gets_own_value(field)
        self.runs_user_code |= has_check or not _is_stock(field)
        made = LoadField(
            key=name,
            target=tuple(field.source_attrs),
            acceptance=NOTHING,
            load=number + LOAD,
            after=number + CHECK if has_check else -1,
            of_whole_dict=gets_own_value,
        )
        if base_of(field) is None or gets_own_value or not field.source_attrs:
            return made
        return made._replace(
            acceptance=loading_of(field, self),
            confirm=-1 if all(map(is_pure, field.validators)) else number + CONFIRM,
            default=(field.default,) if not self.is_partial and is_atom(field.default) else (),
            may_be_absent=self.is_partial or (not field.required and field.default is empty),
        )

    def value_of(self, field: Any) -> Acceptance:
        if self._depth + 1 == MAX_DEPTH or base_of(field) is None or not all(map(is_pure, field.validators)):
            return NOTHING
        self._depth += 1
        accepted = loading_of(field, self)
        self._depth -= 1
        return accepted

    def finishing(self, place: int) -> _RecordLoader:
        """A loader that finishes with a call, of the fields up to the one at a place."""
        return _RecordLoader(_RECORD._replace(fields=self.fields[: place + 1], finish=FINISH))

    def call_of(self, number: int) -> tuple[LoadField, int]:
        """The field that a call belongs to, and the kind of the call."""
        return self.fields[self.place_of(number)], (number - _FIRST_CALL) % _N_KINDS

    def place_of(self, number: int) -> int:
        """The place of the field that a call belongs to."""
        return (number - _FIRST_CALL) // _N_KINDS


def _has_method(cls: type, name: str) -> bool:
    """Whether a class has a method. Raises ValueError where it has something else that gives one."""
    method = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    if method is not None and not isinstance(method, (FunctionType, classmethod, staticmethod)):
        raise ValueError(name)
    return method is not None


_STOCK_MODULES = frozenset(module.__name__ for module in (fields, relations, serializers))


def _gets_own_value(field: Any) -> bool:
    """Whether a field's `get_value` may give anything else than the value of the field's name."""
    owner = owner_of(type(field), "get_value")
    return (
        owner in (None, fields.HiddenField)
        or owner.__module__ not in _STOCK_MODULES
        or not acts_as_stock(field)
        or not keeps(type(field), Field, "root")  # which `get_value` reads
    )


def _check_targets(targets: list[tuple[str, ...]]) -> None:
    """Raises ValueError where a target is within another one, which would have to be a dict then."""
    has_deep = any(len(target) > 1 for target in targets)
    known = set(targets)
    if has_deep and (() in known or any(target[:n] in known for target in targets for n in range(1, len(target)))):
        raise ValueError(targets)


# ---- whose code a field runs ------------------------------------------------------------------


def _is_stock(field: Any) -> bool:
    """Whether validation by a field runs nothing that might know the serializer, and change its other fields."""
    if isinstance(field, serializers.BaseSerializer):
        return False
    if base_of(field) is None and (type(field).__module__ not in _STOCK_MODULES or not acts_as_stock(field)):
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
