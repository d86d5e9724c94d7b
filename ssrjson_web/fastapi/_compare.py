"""Routes whose bodies are validated, and whose answers are made, by FastAPI and by the core, to compare them."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Collection, Coroutine
from contextvars import ContextVar
from typing import Any

from fastapi import routing
from fastapi.datastructures import DefaultPlaceholder
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ssrjson_web._compare.comparison import Comparison, Trial, tell_of_fault
from ssrjson_web._compare.values import once_only
from ssrjson_web._models.pydantic.users_code import CodeOfAnswers, look_with, names_read_by, users_code_in
from ssrjson_web._shared.stdlib_decoding import decode
from ssrjson_web.fastapi._body import AcceptingField
from ssrjson_web.fastapi._carrier import CarriedBody, JsonableResponse
from ssrjson_web.fastapi._field import EncodingField
from ssrjson_web.fastapi._seams import are_seams_stock

__all__ = ["ComparedAnswers", "ComparedBody", "handler_with_trials"]

Handler = Callable[[Request], Coroutine[Any, Any, Response]]

_trial: ContextVar[Trial | None] = ContextVar("the trial of this request", default=None)
_REPLACED = "FastAPI's encoding is replaced"


def handler_with_trials(handler: Handler, comparison: Comparison, route: str, *, decodes: bool) -> Handler:
    """A handler of requests, some of which are compared. `decodes` says whether the core would decode their JSON."""

    async def handle(request: Request) -> Response:
        trial = comparison.begin(route)
        token = _trial.set(trial)
        try:
            return await handler(request)
        finally:
            _trial.reset(token)
            if trial is not None:
                _end(trial, request, route, decodes=decodes)

    return handle


def _end(trial: Trial, request: Request, route: str, *, decodes: bool) -> None:
    try:
        body = getattr(request, "_body", b"")
        if decodes and body and (hasattr(request, "_json") or "json" in request.headers.get("content-type", "")):
            stock, core = functools.partial(json.loads, body), functools.partial(decode, body)
            trial.compare("value of the body", stock=stock, core=core)
        trial.end()
    except Exception:
        tell_of_fault(route)


class ComparedBody(AcceptingField):
    """A field of a body that FastAPI and the core validate. One of them decides."""

    def __init__(self, field: Any, *, serves_core: bool) -> None:
        super().__init__(field)
        self._serves_core = serves_core
        self._looked_at: tuple[Any, str] = (None, "")

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(type(self), serves_core=self._serves_core), (self._field,)

    def validate(self, value: Any, *values: Any, **named: Any) -> Any:
        ways = [functools.partial(way, value, *values, **named) for way in (self._field.validate, super().validate)]
        trial = _trial.get()
        if trial is None or self._is_left_out(trial):
            return ways[self._serves_core]()
        return trial.compare(f"body `{self.name}`", stock=ways[0], core=ways[1])[self._serves_core].given()

    def _is_left_out(self, trial: Trial) -> bool:
        try:
            schema = self._field._type_adapter.core_schema
            if self._looked_at[0] is not schema:
                self._looked_at = (schema, users_code_in(schema))
            reason = self._looked_at[1]
            if reason:
                trial.leave_out(f"its body `{self.name}`: {reason}")
            return bool(reason)
        except Exception:
            tell_of_fault(f"body `{self.name}`")
            return True


class ComparedAnswers:
    """What FastAPI and the core make of the values that an endpoint returns."""

    def __init__(self, state: Any, field: Any, encoding_field: EncodingField | None) -> None:
        """`state` is the route, or what its inclusion makes of it; without a response model there are no fields."""
        self._field, self._encoding_field = field, encoding_field
        named = {
            name.removeprefix("response_model_"): value
            for name, value in ((name, getattr(state, name, None)) for name in _OPTIONS)
        }
        known = inspect.signature(routing.serialize_response).parameters
        is_default = isinstance(state.response_class, DefaultPlaceholder)
        self._writes_bytes = "dump_json" in known and is_default and field is not None
        options: dict[str, Any] = {**named, "is_coroutine": True, "dump_json": self._writes_bytes}
        self._options: dict[str, Any] = {name: value for name, value in options.items() if name in known}
        self._looked_at: tuple[Any, Any, Collection[str]] = (None, None, ())

    def compare(self, value: Any) -> None:
        """Compare what both make of a value, if the request is one that is compared. Never raises."""
        trial = _trial.get()
        if trial is None:
            return
        try:
            reason = self._reason_not_to(value)
            if reason:
                trial.leave_out(reason)
            else:
                stock, core = functools.partial(self.by_stock, value), functools.partial(self.by_core, value)
                trial.compare("answer", stock=stock, core=core)
        except Exception:
            tell_of_fault("a route of FastAPI")

    def _reason_not_to(self, value: Any) -> str:
        if isinstance(value, Response):
            return f"its endpoint returns a {type(value).__name__} that it made itself"
        if not are_seams_stock():
            return _REPLACED
        if self._field is None:
            return once_only(value, look_with(()))
        schema = self._field._type_adapter.core_schema
        if self._looked_at[0] is not schema:
            self._looked_at = (schema, CodeOfAnswers(schema), names_read_by(schema))
        _, code, names = self._looked_at
        return code.of(value) or once_only(value, look_with(names))

    def by_stock(self, value: Any) -> Any:
        """The body that FastAPI makes of a value. Raises what it raises."""
        content = self._serialized(self._field, value)
        return content if self._writes_bytes else JSONResponse.render(_NO_RESPONSE, content)

    def by_core(self, value: Any) -> Any:
        """The body that the core makes of a value."""
        if self._encoding_field is None:
            return JsonableResponse.render(_NO_RESPONSE, value)
        content = self._serialized(self._encoding_field, value)
        if isinstance(content, CarriedBody):
            return content.body
        return content if self._writes_bytes else JSONResponse.render(_NO_RESPONSE, content)

    def _serialized(self, field: Any, value: Any) -> Any:
        """What FastAPI's own function makes of a value with a field, all at once: nothing of it waits."""
        under_way = routing.serialize_response(field=field, response_content=value, **self._options)
        try:
            under_way.send(None)
        except StopIteration as done:
            return done.value
        finally:
            under_way.close()
        raise RuntimeError("FastAPI's serialize_response waits for something")


_NO_RESPONSE: Any = object.__new__(JSONResponse)
_OPTIONS = tuple(
    f"response_model_{name}"
    for name in ("include", "exclude", "by_alias", "exclude_unset", "exclude_defaults", "exclude_none")
)
