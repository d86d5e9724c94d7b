"""One operation of Ninja's twice, as it is and with ours in place of validation, and what both make of a value."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.test import RequestFactory
from ninja import Body, NinjaAPI
from ninja.operation import Operation
from ninja.renderers import JSONRenderer

from ssrjson_web.ninja._bodies import with_made_bodies
from ssrjson_web.ninja._derived import shortcut_of
from ssrjson_web.ninja._responses import with_dumped_responses

__all__ = ["Twins", "called", "responded", "returning", "taking", "values_of"]

REQUEST = RequestFactory().get("/")
API: Any = NinjaAPI(renderer=JSONRenderer(), urls_namespace="of operations", version="of operations")


class Twins(NamedTuple):
    stock: Any
    ours: Any

    @property
    def n_around(self) -> int:
        """How many responses and bodies went around pydantic."""
        models = [*self.ours.models, *self.ours.response_models.values()]
        return sum(shortcut.counter.n_around for shortcut in map(shortcut_of, models) if shortcut is not None)


def _operation(view: Callable[..., Any], **options: Any) -> Any:
    operation: Any = Operation("/", ["POST"], view, **options)
    operation.api = API
    return operation


def returning(declared: Any, **options: Any) -> Twins:
    """Operations with a response of a type. Raises what Ninja does."""

    def view(request: Any) -> Any:
        raise NotImplementedError

    stock, ours = (_operation(view, response=declared, **options) for _ in range(2))
    ours.response_models = with_dumped_responses(ours)
    return Twins(stock, ours)


def taking(**declared: Any) -> Twins:
    """Operations with bodies of these types. Raises what Ninja does."""

    names = ", ".join(f"{name}=Body(...)" for name in declared)
    namespace: dict[str, Any] = {"Body": Body}
    exec(f"def view(request, {names}): raise NotImplementedError", namespace)
    view = namespace["view"]
    view.__annotations__.update(declared)
    stock, ours = (_operation(view) for _ in range(2))
    ours.models = with_made_bodies(ours.models)
    return Twins(stock, ours)


def called(call: Callable[[], Any]) -> tuple[Any, ...]:
    """The result, or the type and text of the exception; and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result: tuple[Any, ...] = ("value", call())
        except Exception as error:
            result = (type(error).__name__, _without_numbers(error))
    return *result, [(_without_numbers(one.message), one.category, one.filename, one.lineno) for one in caught]


def _without_numbers(message: Any) -> str:
    """Without the addresses of objects, and the numbers of random classes."""
    return re.sub(r" at 0x[0-9a-f]+|(?<=Sub)\d+", "", str(message))


def responded(operation: Any, value: Any) -> tuple[Any, ...]:
    """Status and bytes of the response to what a view returned, or the exception."""

    def respond() -> tuple[int, bytes]:
        response = operation._result_to_response(REQUEST, value, HttpResponse())
        return response.status_code, response.content

    return called(respond)


def values_of(operation: Any, body: bytes) -> tuple[Any, ...]:
    """The arguments that a view gets for a body, or the exception."""
    request = RequestFactory().post("/", body, content_type="application/json")
    return called(lambda: operation._get_values(request, {}, HttpResponse()))
