"""One run of a plan: a dict, or the dicts of a list, that a serializer validates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.core.exceptions import ValidationError as DjangoValidationError
from rest_framework.exceptions import ValidationError
from rest_framework.fields import SkipField, get_error_detail
from rest_framework.serializers import Serializer, as_serializer_error

from ssrjson_web.rest_framework._load_calls import Stop, call_of_field
from ssrjson_web.rest_framework._load_plan import (
    FAIL,
    FINISH,
    ON_ERROR,
    OTHER,
    SKIPPED,
    Kind,
    LoadPlan,
)
from ssrjson_web.rest_framework._plan_in_use import fields_to_hide, has_validators
from ssrjson_web.rest_framework._stock import keeps

__all__ = ["load_dict", "load_dicts"]

_CHECK = Kind.CHECK  # a member of an Enum is found slowly


def load_dict(serializer: Any, plan: LoadPlan, data: dict[str, Any], stock: Callable[[Any, Any], Any]) -> Any:
    """What `Serializer.to_internal_value` makes of a dict; NotImplemented where the core makes nothing."""
    return _DictRun(serializer, plan, data, stock).load()


def load_dicts(serializer: Any, plan: LoadPlan, rows: list[Any]) -> tuple[int, list[Any], dict[int, Any]]:
    """What `Serializer.run_validation` makes of the items of a list.

    Returns the number of items that have been validated, what they are then, and the errors of the others by their
    places. It may be less than all of them.
    """
    return _ListRun(serializer, plan, rows).load()


class _Run:
    """The calls of a run."""

    def __init__(self, serializer: Any, plan: LoadPlan) -> None:
        self.serializer = serializer
        self.plan = plan
        self.fields: Mapping[str, Any] | None = None
        self.outcomes: dict[int, Callable[[], Any]] = {}
        """What calls have given, by their numbers, where the same dict may have to be loaded again."""
        self.before: dict[str, Any] = {}
        """The dict as it was before these calls."""

    def current(self) -> dict[str, Any]:
        """The dict that is being loaded."""
        raise NotImplementedError

    def resolve(self, number: int) -> Callable[..., Any]:
        if number == ON_ERROR:
            return _on_error
        if number == FAIL:
            return _fail
        call = self._call(number)
        return self._noting(number, call) if self.plan.runs_user_code else call

    def _call(self, number: int) -> Callable[[Any], Any]:
        calls, kind = self.plan.call_of(number)
        if kind == _CHECK:
            check: Callable[[Any], Any] = getattr(self.serializer, "validate_" + calls.name)
            return check
        if self.fields is None:
            self.fields = fields_to_hide(self.serializer)
        return call_of_field(self.fields[calls.name], kind, calls)

    def _noting(self, number: int, call: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A function that notes what a call gives, and ends the run if somebody has asked for the fields."""
        attributes = self.serializer.__dict__
        outcomes = self.outcomes

        def noted(value: Any) -> Any:
            if not outcomes:
                self.before = self.current().copy()
            try:
                result = call(value)
            except Exception as error:
                outcomes[number] = partial(_raise, error)
                if "fields" in attributes:
                    raise Stop from None
                raise
            outcomes[number] = lambda: result
            if "fields" in attributes:
                raise Stop
            return result

        return noted

    def go_on(self) -> dict[str, Any]:
        """Load the current dict to its end: with what calls have given so far, and the rest as stock does it."""
        place = self.plan.place_of(max(self.outcomes))
        self.fields = self.serializer.fields
        errors, result = self.plan.finishing(place + 1).load(self.before, self._resolve_again)
        _load_rest(self.serializer, self.plan, place, self.current(), errors, result)
        return _fail(errors, result)

    def _resolve_again(self, number: int) -> Callable[..., Any]:
        if number == ON_ERROR:
            return _on_error
        if number == FAIL:
            return lambda errors, result: (errors, result)
        if number == FINISH:
            return lambda result: ({}, result)
        outcome = self.outcomes.get(number)
        return self._call(number) if outcome is None else lambda _: outcome()


class _DictRun(_Run):
    def __init__(self, serializer: Any, plan: LoadPlan, data: dict[str, Any], stock: Callable[[Any, Any], Any]) -> None:
        super().__init__(serializer, plan)
        self.data = data
        self.stock = stock

    def current(self) -> dict[str, Any]:
        return self.data

    def resolve(self, number: int) -> Callable[..., Any]:
        if number == OTHER:
            return lambda value, index: self.stock(self.serializer, value)
        return super().resolve(number)

    def load(self) -> Any:
        try:
            return self.plan.loader.load(self.data, self.resolve)
        except Stop as stop:
            error = stop.error
        if error is not None:
            raise error
        return self.go_on()


class _ListRun(_Run):
    def __init__(self, serializer: Any, plan: LoadPlan, rows: list[Any]) -> None:
        super().__init__(serializer, plan)
        self.rows = rows
        self.results: list[Any] = []
        self.errors: dict[int, Any] = {}
        cls = type(serializer)
        self.has_usual_validators = (
            keeps(cls, Serializer, "run_validators", "validators") and not plan.has_read_only_defaults
        )
        self.is_watching = plan.runs_user_code or cls.validate is not Serializer.validate or self._may_have_validators()
        """Whether code of the user's runs during or after a row, or queries."""
        self.is_within_row = True

    def _may_have_validators(self) -> bool:
        return not self.has_usual_validators or has_validators(self.serializer, self.plan) is not False

    def current(self) -> dict[str, Any]:
        row: dict[str, Any] = self.rows[self._place()]
        return row

    def _place(self) -> int:
        return len(self.results) + len(self.errors)

    def resolve(self, number: int) -> Callable[..., Any]:
        if number == ON_ERROR:
            return self._on_error
        if number == FAIL and self.is_watching:
            return lambda errors, result: self._finish(_fail(errors, result))
        if number == FINISH:
            return self._finish
        if number == OTHER:
            return self._load_other
        return super().resolve(number)

    def load(self) -> tuple[int, list[Any], dict[int, Any]]:
        if not self.is_watching:
            results = self.plan.loader.load_all(self.rows, self.resolve)
            if results is not NotImplemented:
                self.results = results
        else:
            try:
                self.plan.finishing().load_all(self.rows, self.resolve)
            except Stop as stop:
                error = stop.error
                has_stopped = True
            else:
                has_stopped = False
            if has_stopped and self.is_within_row:
                self._end_row(error)
        return self._place(), self.results, self.errors

    def _end_row(self, error: Exception | None) -> None:
        """Finish the row during which somebody has asked for the fields."""
        try:
            if error is not None:
                raise error
            result = finish(self.serializer, self.go_on())
        except ValidationError as raised:
            self.errors[self._place()] = raised.detail
        else:
            self.results.append(result)

    def _on_error(self, error: Exception, errors: dict[Any, Any], key: Any, index: int | None) -> Any:
        if index is None or key is not index:
            return _on_error(error, errors, key, index)
        if not isinstance(error, ValidationError):
            raise error
        self.errors[index] = error.detail
        self._end_calls()
        return SKIPPED

    def _finish(self, result: dict[str, Any]) -> Any:
        skips_validators = self.has_usual_validators and has_validators(self.serializer, self.plan) is False
        value = finish(self.serializer, result, runs_validators=not skips_validators)
        self.results.append(value)
        self._end_calls()
        return value

    def _load_other(self, value: Any, index: int | None) -> Any:
        result = self.serializer.run_validation(value)
        if self.is_watching:
            self.results.append(result)
            self._end_calls()
        return result

    def _end_calls(self) -> None:
        """End a row, and the run if somebody has asked for the fields."""
        self.outcomes.clear()
        if self.is_watching and "fields" in self.serializer.__dict__:
            self.is_within_row = False
            raise Stop


def finish(serializer: Any, value: Any, *, runs_validators: bool = True) -> Any:
    """What `Serializer.run_validation` makes of what `to_internal_value` has made."""
    try:
        if runs_validators:
            serializer.run_validators(value)
        value = serializer.validate(value)
        assert value is not None, ".validate() should return the validated data"
    except (ValidationError, DjangoValidationError) as error:
        raise ValidationError(detail=as_serializer_error(error))  # noqa: B904  stock has no `from` either
    return value


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
        if field.field_name == plan.calls[place].name:
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
