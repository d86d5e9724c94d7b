"""Serializers that validate data by the core: the methods of `Serializer` and `ListSerializer` that are replaced.

A plan is made of the fields of one instance, and used for all instances of the class whose fields must be the same. It
holds as long as nobody has asked such an instance for its `fields`, because they may be changed then. So the fields
that a run needs, to validate a value that the core does not know, are *hidden*: the instance has them under another
name, until somebody asks for them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from itertools import count, islice
from typing import Any, TypeAlias

from django.core.exceptions import ValidationError as DjangoValidationError
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.fields import CharField, Field, SkipField, get_error_detail
from rest_framework.serializers import ListSerializer, Serializer, as_serializer_error
from rest_framework.settings import DEFAULTS, api_settings
from rest_framework.validators import UniqueValidator

from ssrjson_web._models.django.lookup import queries
from ssrjson_web.rest_framework._basis import is_disabled, is_of_stock, keeps, notice_changes
from ssrjson_web.rest_framework._fields.relation import looking_up, lookup_of
from ssrjson_web.rest_framework._fields.validators import is_pure
from ssrjson_web.rest_framework._load_plan import (
    CHECK,
    CONFIRM,
    FAIL,
    FINISH,
    IS_SUPPORTED,
    ON_ERROR,
    OTHER,
    SKIPPED,
    LoadPlan,
)
from ssrjson_web.rest_framework._templates import (
    OWN_PLAN,
    TEMPLATE,
    fields_to_hide,
    has_own_fields,
    hide_again,
    is_worth_plans,
    known_of,
    may_have_plan,
    template_of,
)

__all__ = ["list_to_internal_value_by_plan", "run_validators_by_plan", "to_internal_value_by_plan"]

Stock: TypeAlias = Callable[[Any, Any], Any]
"""A method that is replaced."""

# ---- the plan in use ----------------------------------------------------------------------------

_PLENTY = 8
"""Dicts for which it is worth to make a plan of an instance's own fields: it takes as long as stock does for four."""
_MAX_PLANS = 3


class _OwnPlan:
    """The plan of an instance whose fields may be others than those of its class."""

    def __init__(self) -> None:
        self.n_dicts = 0
        """Validated by the instance while it had its fields."""
        self.n_plans = 0
        self.plan: LoadPlan | None = None

    def __reduce__(self) -> tuple[type[_OwnPlan], tuple[()]]:
        return _OwnPlan, ()  # serializers can be pickled


def plan_in_use(serializer: Any, n_dicts: int = 1) -> LoadPlan | None:
    """The plan by which a serializer validates a dict, or several in a list; None: it validates as stock does."""
    cls, attributes = type(serializer), serializer.__dict__
    is_at_once = n_dicts >= _PLENTY
    if not IS_SUPPORTED or is_disabled() or not (is_at_once or _may_have_plan(cls, attributes, n_dicts)):
        return None
    notice_changes()
    if not known_of(cls).now().can_be_loaded:
        return None
    is_partial = bool(getattr(_root_of(serializer), "partial", False))
    template = template_of(serializer, at_once=is_at_once)
    plan: LoadPlan | None
    if template is None:
        plan = _plan_of_own(serializer, is_partial, n_dicts)
    else:
        attributes[TEMPLATE] = template
        plans = template.loading_partially if is_partial else template.loading
        plan = plans.find(lambda: LoadPlan(cls, template.pristine.fields, is_partial))
    return plan if plan is not None and attributes.keys().isdisjoint(plan.own_names) else None


def _may_have_plan(cls: type, attributes: dict[str, Any], n_dicts: int) -> bool:
    """Whether a dict alone, or a few, may have a plan, by few looks."""
    if "fields" not in attributes:
        return OWN_PLAN in attributes or may_have_plan(cls)
    is_worth_plans(cls, n_dicts)  # the first dict of an instance is counted when it makes its fields
    own: _OwnPlan = attributes.setdefault(OWN_PLAN, _OwnPlan())
    own.n_dicts += n_dicts
    return own.n_dicts >= _PLENTY


def _root_of(serializer: Any) -> Any:
    while serializer.parent is not None:
        serializer = serializer.parent
    return serializer


def _plan_of_own(serializer: Any, is_partial: bool, n_dicts: int) -> LoadPlan | None:
    attributes = serializer.__dict__
    own: _OwnPlan = attributes.setdefault(OWN_PLAN, _OwnPlan())
    plan = own.plan
    if plan is not None and "fields" not in attributes and plan.is_partial == is_partial and plan.holds():
        return plan
    if max(own.n_dicts, n_dicts) < _PLENTY or own.n_plans == _MAX_PLANS:
        return None
    if n_dicts != 1 and "fields" not in attributes:
        return None  # code of the user's may make them, and raise an error that is the first item's
    own.n_plans += 1
    try:
        own.plan = LoadPlan(type(serializer), serializer.fields, is_partial)
    except ValueError:
        own.plan = None
    hide_again(serializer)
    return own.plan


_STOCK_MODULE = Serializer.__module__
_OF_VALIDATORS = (
    "get_unique_for_date_validators",
    "get_unique_together_constraints",
    "get_unique_together_validators",
    "get_validators",
)
"""The methods by which a serializer makes its validators."""


def has_validators(serializer: Any, plan: LoadPlan) -> bool | None:
    """Whether a serializer with a plan has validators; None: code of the user's says which."""
    attributes = serializer.__dict__
    if "_validators" in attributes:
        return bool(attributes["_validators"])
    if plan.has_no_validators:
        return False
    if "fields" in attributes or not _makes_usual_validators(type(serializer)):
        return None
    template = template_of(serializer)
    try:
        # of the pristine one, because this one need not make its fields then
        found = bool((serializer if template is None else template.pristine).validators)
    except Exception:  # raised again where stock needs them
        return None
    finally:
        hide_again(serializer)
    plan.has_no_validators = not found and not has_own_fields(serializer)
    return found


def _makes_usual_validators(cls: Any) -> bool:
    """Whether the validators of a class are made without code of the user's."""
    methods = [getattr(cls, name, None) for name in _OF_VALIDATORS]
    return cls.validators is Field.validators and all(
        method is None or getattr(method, "__module__", None) == _STOCK_MODULE for method in methods
    )


# ---- a run --------------------------------------------------------------------------------------


class _Stop(BaseException):
    """Ends a run: somebody has asked for the serializer's fields. Or an error is no field's."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self.error = error


class _Run:
    """Dicts that are loaded one after the other, and the calls for them."""

    def __init__(self, serializer: Any, plan: LoadPlan, stock: Stock) -> None:
        self.serializer = serializer
        self.plan = plan
        self.stock = stock
        self.data: dict[str, Any] = {}
        """The dict that is being loaded."""
        self._calls: dict[int, Callable[..., Any]] = {ON_ERROR: _on_error, FAIL: _fail}
        self._outcomes: dict[int, Callable[[], Any]] = {}
        """What calls have given, by their numbers, where the same dict may have to be loaded again."""
        self._before: dict[str, Any] = {}
        """The dict as it was before these calls."""

    def load(self, data: dict[str, Any]) -> Any:
        """What `Serializer.to_internal_value` makes of a dict; NotImplemented where the core makes nothing."""
        self.data = data
        self._outcomes.clear()
        try:
            return self.plan.loader.load(data, self._resolve)
        except _Stop as stop:
            error = stop.error
        if error is not None:
            raise error
        return self._go_on()

    def _resolve(self, number: int) -> Callable[..., Any]:
        call = self._calls.get(number)
        if call is None:
            call = self._call(number)
            if self.plan.runs_user_code and number != OTHER:
                call = self._noting(number, call)
            self._calls[number] = call
        return call

    def _call(self, number: int) -> Callable[..., Any]:
        if number == OTHER:
            return lambda value, index: self.stock(self.serializer, value)
        described, kind = self.plan.call_of(number)
        if kind == CHECK:
            check: Callable[[Any], Any] = getattr(self.serializer, f"validate_{described.key}")
            return check
        field = fields_to_hide(self.serializer)[described.key]
        if kind == CONFIRM:
            return _confirming(field, [validator for validator in field.validators if not is_pure(validator)])
        return _getting_own(field) if described.of_whole_dict else _loading(field, self.plan.lookups)

    def _noting(self, number: int, call: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A function that notes what a call gives, and ends the run if somebody has asked for the fields."""
        attributes = self.serializer.__dict__
        outcomes = self._outcomes

        def noted(value: Any) -> Any:
            if not outcomes:
                self._before = self.data.copy()
            try:
                result = call(value)
            except Exception as error:
                outcomes[number] = partial(_raise, error)
                if "fields" in attributes:
                    raise _Stop from None
                raise
            outcomes[number] = lambda: result
            if "fields" in attributes:
                raise _Stop
            return result

        return noted

    def _go_on(self) -> dict[str, Any]:
        """Load the dict to its end: with what calls have given so far, and the rest as stock does it."""
        place = self.plan.place_of(max(self._outcomes))
        errors, result = self.plan.finishing(place).load(self._before, self._resolve_again)
        _load_rest(self.serializer, self.plan, place, self.data, errors, result)
        return _fail(errors, result)

    def _resolve_again(self, number: int) -> Callable[..., Any]:
        if number == ON_ERROR:
            return _on_error
        if number == FAIL:
            return lambda errors, result: (errors, result)
        if number == FINISH:
            return lambda result: ({}, result)
        outcome = self._outcomes.get(number)
        return self._call(number) if outcome is None else lambda _: outcome()


def _on_error(error: Exception, errors: dict[Any, Any], key: Any, index: int | None) -> Any:
    if isinstance(error, ValidationError):
        errors[key] = error.detail
    elif isinstance(error, DjangoValidationError):
        errors[key] = get_error_detail(error)
    elif not isinstance(error, SkipField):
        raise error
    return SKIPPED


def _fail(errors: dict[Any, Any], result: dict[str, Any]) -> dict[str, Any]:
    if errors:  # a field that is skipped leaves none
        raise ValidationError(errors)
    return result


def _raise(error: Exception) -> Any:
    raise error


def _load_rest(
    serializer: Any, plan: LoadPlan, place: int, data: dict[str, Any], errors: dict[str, Any], result: dict[str, Any]
) -> None:
    """Load the fields after the one at a place, as stock does, whose dict of fields must not change its size."""
    fields = serializer.fields
    if len(fields) != plan.n_fields:
        raise RuntimeError("dictionary changed size during iteration")
    following = iter(fields.values())
    for field in following:
        if field.field_name == plan.fields[place].key:
            break
    for field in following:
        if field.read_only:
            continue
        check = getattr(serializer, "validate_" + field.field_name, None)
        value = field.get_value(data)
        try:
            value = field.run_validation(value)
            if check is not None:
                value = check(value)
        except (ValidationError, DjangoValidationError, SkipField) as error:
            _on_error(error, errors, field.field_name, None)
        else:
            serializer.set_value(result, field.source_attrs, value)


def _loading(field: Any, lookups: dict[str, Any]) -> Callable[[Any], Any]:
    """A function that loads a value of which the core does not know what the field makes."""
    validate: Callable[[Any], Any] = field.run_validation
    name = field.field_name
    if name not in lookups:
        lookups[name] = lookup_of(field)
    lookup = lookups[name]
    return looking_up(field, lookup) if lookup is not None and queries.are_known() else validate


def _getting_own(field: Any) -> Callable[[Any], Any]:
    """A function that loads the value that a field takes from the dict in a way of its own."""

    def load(data: dict[str, Any]) -> Any:
        try:
            value = field.get_value(data)
        except Exception as error:
            raise _Stop(error) from None
        return field.run_validation(value)

    return load


def _confirming(field: Any, validators: list[Any]) -> Callable[[Any], Any]:
    """A function that calls validators as `Field.run_validators` does, and gives the value that the core has loaded."""
    is_text = isinstance(field, CharField)

    def confirm(value: Any) -> Any:
        if value is None or (is_text and value == ""):
            return value
        errors: list[Any] = []
        for validator in validators:
            try:
                if getattr(validator, "requires_context", False):
                    validator(value, field)
                else:
                    validator(value)
            except ValidationError as error:
                if isinstance(error.detail, dict):
                    raise
                errors.extend(error.detail)
            except DjangoValidationError as error:
                errors.extend(get_error_detail(error))
        if errors:
            raise ValidationError(errors)
        return value

    return confirm


# ---- what is replaced: of Serializer ------------------------------------------------------------


def to_internal_value_by_plan(stock: Stock) -> Stock:
    """A `Serializer.to_internal_value`."""

    def to_internal_value(self: Any, data: Any) -> Any:
        plan = plan_in_use(self) if type(data) is dict else None
        result = NotImplemented if plan is None else _Run(self, plan, stock).load(data)
        return stock(self, data) if result is NotImplemented else result

    return to_internal_value


_VALIDATORS_MODULE = UniqueValidator.__module__


def run_validators_by_plan(stock: Stock) -> Stock:
    """A `Serializer.run_validators`, which does not ask for the fields where none is only read and has a default."""

    def run_validators(self: Any, value: Any) -> Any:
        if type(value) is not dict or "fields" in self.__dict__ or type(self).validators is not Field.validators:
            return stock(self, value)
        plan = plan_in_use(self, 0)
        if plan is None or plan.has_read_only_defaults:
            return stock(self, value)
        if has_validators(self, plan) is False:
            return None
        super(Serializer, self).run_validators(dict(value))
        if all(type(validator).__module__ == _VALIDATORS_MODULE for validator in self.validators):
            hide_again(self)
        return None

    return run_validators


# ---- what is replaced: of ListSerializer --------------------------------------------------------


def list_to_internal_value_by_plan(stock: Stock) -> Stock:
    """A `ListSerializer.to_internal_value`.

    It has the loop of stock, too, because stock warns of the caller of the caller of its caller.
    """

    def to_internal_value(self: Any, data: Any) -> Any:
        if not isinstance(data, list) or not is_of_stock(type(self)) or not _has_right_length(self, data):
            return stock(self, data)
        results: list[Any] = []
        errors: dict[int, Any] = {}
        _load_rows(self, data, results, errors)
        for index, item in islice(enumerate(data), len(results) + len(errors), None):
            try:
                validated = self.run_child_validation(item)
            except ValidationError as error:
                errors[index] = error.detail
            else:
                results.append(validated)
        if not errors:
            return results
        if not _WARNS or api_settings.LIST_SERIALIZER_ERRORS_AS_DICT:
            return _told_by_stock(self, stock, results, errors)
        # stock warns of the caller of the caller of its caller, so it must not be called from here
        warnings.warn(_DEPRECATION, serializers.RemovedInDRF320Warning, stacklevel=4)
        raise ValidationError([errors.get(index, {}) for index in range(len(data))])

    return to_internal_value


_WARNS = "LIST_SERIALIZER_ERRORS_AS_DICT" in DEFAULTS  # REST framework 3.18.1
_DEPRECATION = (
    "The list-based error format for `ListSerializer` is deprecated and will be removed in DRF 3.20. Set "
    '`REST_FRAMEWORK["LIST_SERIALIZER_ERRORS_AS_DICT"]` to `True` to use the dictionary-based error format.'
)


def _told_by_stock(serializer: Any, stock: Stock, results: list[Any], errors: dict[int, Any]) -> Any:
    """What stock makes of the outcomes of all items: how errors are told differs by its version."""
    places = count()
    following = iter(results)

    def run_child_validation(_: Any) -> Any:
        place = next(places)
        if place in errors:
            raise ValidationError(errors[place])
        return next(following)

    serializer.run_child_validation = run_child_validation
    try:
        return stock(serializer, [None] * (len(results) + len(errors)))  # the list may be of a class of the user's
    finally:
        del serializer.run_child_validation


def _has_right_length(serializer: Any, data: list[Any]) -> bool:
    """Whether a ListSerializer takes a list of this length. Stock tells the error otherwise."""
    return (
        (serializer.allow_empty or len(data) != 0)
        and (serializer.max_length is None or len(data) <= serializer.max_length)
        and (serializer.min_length is None or len(data) >= serializer.min_length)
    )


def _load_rows(serializer: Any, data: list[Any], results: list[Any], errors: dict[int, Any]) -> None:
    """Validate items of a list by a plan, until somebody asks for the fields: what they are then, or their errors."""
    child = serializer.child
    if (
        not keeps(type(serializer), ListSerializer, "run_child_validation")
        or "run_child_validation" in serializer.__dict__
        or not isinstance(child, Serializer)
        or not keeps(type(child), Serializer, "run_validation", "to_internal_value", "validate_empty_values")
        or child.read_only
        or type(data) is not list
        or not data
    ):
        return
    # where the first item is no dict, stock makes no fields yet
    plan = plan_in_use(child, len(data) if type(data[0]) is dict else 0)
    if plan is None:
        return
    cls, attributes = type(child), child.__dict__
    has_usual_validators = keeps(cls, Serializer, "run_validators", "validators") and not plan.has_read_only_defaults
    is_done = has_usual_validators and keeps(cls, Serializer, "validate") and has_validators(child, plan) is False
    load = _Run(child, plan, _to_internal_value_of(cls)).load
    for index, row in enumerate(data):
        try:
            if type(row) is not dict:
                value = child.run_validation(row)
            else:
                value = load(row)
                if value is NotImplemented:
                    value = child.run_validation(row)
                elif not is_done or plan.runs_user_code:
                    value = _finish(child, plan, value, has_usual_validators)
        except ValidationError as error:
            errors[index] = error.detail
        else:
            results.append(value)
        if "fields" in attributes:
            return


def _to_internal_value_of(cls: Any) -> Stock:
    function = cls.to_internal_value
    return getattr(function, "__wrapped__", function)  # type: ignore[no-any-return]


def _finish(serializer: Any, plan: LoadPlan, value: Any, has_usual_validators: bool) -> Any:
    """What `Serializer.run_validation` makes of what `to_internal_value` has made."""
    try:
        if not has_usual_validators or has_validators(serializer, plan) is not False:
            serializer.run_validators(value)
        value = serializer.validate(value)
        assert value is not None, ".validate() should return the validated data"
    except (ValidationError, DjangoValidationError) as error:
        raise ValidationError(detail=as_serializer_error(error))  # noqa: B904  stock has no `from` either
    return value
