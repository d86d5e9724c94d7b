"""The route that encodes and decodes by the core."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from fastapi import routing
from fastapi.datastructures import Default, DefaultPlaceholder
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ssrjson_web._core import _are_same
from ssrjson_web._models.pydantic.json_type_classes import is_json_type
from ssrjson_web._shared.change_of_class import of_class
from ssrjson_web._shared.validation_counter import ValidationCounter
from ssrjson_web.fastapi._body import AcceptingField
from ssrjson_web.fastapi._carrier import carried, carrier_class
from ssrjson_web.fastapi._dependant import accepting_fields, has_wrapped_call, renew_call, replaced_dependant
from ssrjson_web.fastapi._endpoint import carrying_endpoint, is_coroutine_endpoint, is_generator_endpoint
from ssrjson_web.fastapi._field import EncodingField, expected_of, has_adapter
from ssrjson_web.fastapi._request import SSRJSONRequest
from ssrjson_web.fastapi._seams import are_handlers_known
from ssrjson_web.starlette import SSRJSONResponse
from ssrjson_web.starlette._sliced import Sliced

if TYPE_CHECKING:
    from ssrjson_web._compare.comparison import Comparison

__all__ = [
    "REACHED",
    "SSRJSONRoute",
    "comparison_of",
    "encodes_response_models_of",
    "encoding_fields",
    "name_of_route",
    "request_class_of",
    "response_field_of",
    "validation_counters",
]

Handler = Callable[[Request], Coroutine[Any, Any, Response]]

# Here FastAPI keeps an included route, with the prefix, dependencies and classes of its routers.
# Versions without it have no such routes, or keep them elsewhere and build their own handlers.
_inclusion = getattr(routing, "_effective_route_context_var", None)

_REPLACEMENTS = "_ssrjson_replacements"
_CALL = "call"
"""What wraps the call of the dependant, among the replacements of a response."""
REACHED = "_ssrjson_reached"
"""The attribute of a route whose handler was built by `SSRJSONRoute`."""


class SSRJSONRoute(APIRoute):
    """An `APIRoute` with the same responses, made without `jsonable_encoder` and without pydantic's UTF-8 caches.

    Use `APIRouter(route_class=SSRJSONRoute)` for one router and `setup` for an application. Routes whose response class
    is neither `JSONResponse` nor `SSRJSONResponse` respond as in FastAPI.
    """

    request_class: ClassVar[type[Request] | None] = SSRJSONRequest
    """The class that requests get before the body is read. None leaves their class."""
    encodes_response_models: ClassVar[bool] = True
    """Whether the core encodes response models. False leaves them to pydantic."""
    slices: ClassVar[tuple[float, int] | None] = None
    """The arguments of `SSRJSONResponse.sliced`, for answers without a response model; None: they are not sliced."""
    comparison: ClassVar[Comparison | None] = None
    """Of which requests stock and the core are compared; None: of none."""

    def get_route_handler(self) -> Handler:
        """FastAPI's own handler, built from replacements of the attributes that encode."""
        vars(self)[REACHED] = True
        inclusion = None if _inclusion is None else _inclusion.get()
        is_included = inclusion is not None and getattr(inclusion, "original_route", None) is self
        state: Any = inclusion if is_included else self
        # a copy, because the schema, inclusions and other threads read the original attributes of this route
        changed = _with_replacements(state, type(self))
        if is_included:
            token = _inclusion.set(changed)  # type: ignore[union-attr]
            try:
                handler = super().get_route_handler()
            finally:
                _inclusion.reset(token)  # type: ignore[union-attr]
        else:
            handler = super(SSRJSONRoute, changed).get_route_handler()
        request_class, comparison = request_class_of(type(self)), comparison_of(type(self))
        if comparison is not None:
            from ssrjson_web.fastapi._compare import handler_with_trials

            handler = handler_with_trials(handler, comparison, name_of_route(state), decodes=request_class is not None)
            request_class = request_class if comparison.serves_core else None
        view = changed.dependant if has_wrapped_call(changed.dependant) else None
        is_wrapped = type(self).get_route_handler is not SSRJSONRoute.get_route_handler
        if not (is_wrapped or _takes_request(state.dependant)):
            request_class = None  # its change costs more than all else that we do for a small answer
        return handler if request_class is None and view is None else _handler_of(request_class, handler, view)


def request_class_of(route_class: type[APIRoute]) -> type[Request] | None:
    """The `request_class` of a route class of ours. A class that is mixed in may have another use for the name."""
    return _attribute_of_ours(route_class, "request_class")  # type: ignore[no-any-return]


def encodes_response_models_of(route_class: type[APIRoute]) -> bool:
    """The `encodes_response_models` of a route class of ours."""
    return bool(_attribute_of_ours(route_class, "encodes_response_models"))


def comparison_of(route_class: type[APIRoute]) -> Comparison | None:
    """The `comparison` of a route class of ours."""
    return _attribute_of_ours(route_class, "comparison")  # type: ignore[no-any-return]


def name_of_route(state: Any) -> str:
    """The methods and the path of a route, or of its inclusion: `POST /orders`."""
    return f"{','.join(sorted(state.methods or ()))} {state.path}"


def _attribute_of_ours(route_class: type[APIRoute], name: str) -> Any:
    return next(vars(cls)[name] for cls in route_class.__mro__ if issubclass(cls, SSRJSONRoute) and name in vars(cls))


def _is_sliced(response_class: Any) -> bool:
    """Whether a class is `SSRJSONResponse` itself with slices."""
    return SSRJSONResponse in getattr(response_class, "__bases__", ()) and Sliced in response_class.__bases__


def _handler_of(request_class: type[Request] | None, handler: Handler, view: Any) -> Handler:
    """The handler of a route, or of its inclusion, with requests of the class, if there is one.

    `view` is the dependant with the wrapped call, or None.
    """

    replacement = None if view is None else view._ssrjson

    async def handle(request: Request) -> Response:
        if replacement is not None and replacement.original.call is not replacement.wrapped:
            renew_call(view)
        if request_class is not None and type(request) is Request:
            # one that does not share the body would make an error handler that awaits it wait forever
            request = of_class(request, request_class)
        return await handler(request)

    return handle


def _takes_request(dependant: Any) -> bool:
    """Whether an endpoint or one of its dependencies takes the request or a part of its body."""
    names = ("request_param_name", "http_connection_param_name", "body_params")
    return any(getattr(dependant, name, True) for name in names) or any(map(_takes_request, dependant.dependencies))


class _Known:
    """The replacements of a route, and what they were made of. A deep copy of the route, as cadwyn makes, shares it."""

    def __init__(self, made_of: tuple[Any, ...], replacements: dict[str, Any]) -> None:
        self.made_of, self.replacements = made_of, replacements

    def __deepcopy__(self, memo: object) -> _Known:
        return self


def _with_replacements(state: Any, route_class: type[SSRJSONRoute]) -> Any:
    """A shallow copy of a route, or of its inclusion, with the attributes of `_replacements`.

    They are made once, because some versions of FastAPI build the handler of an included route for each request.
    """
    field_name = _name_of_response_field(state)
    made_of = (
        route_class,
        state.dependant,
        state.dependant.call,
        state.response_class,
        getattr(state, field_name),
        getattr(state, "stream_item_field", None),
    )
    known = getattr(state, _REPLACEMENTS, None)
    if known is not None and _are_same(known.made_of, made_of):
        replacements = known.replacements
    else:
        _warn_of_queries(state.dependant, getattr(state, "path", ""))
        replacements = _replacements(state, field_name, route_class)
        with suppress(AttributeError):  # a class with slots
            setattr(state, _REPLACEMENTS, _Known(made_of, replacements))
    changed = copy.copy(state)
    for name, value in replacements.items():
        setattr(changed, name, value)
    return changed


def _name_of_response_field(state: Any) -> str:
    return "secure_cloned_response_field" if hasattr(state, "secure_cloned_response_field") else "response_field"


def response_field_of(state: Any) -> Any:
    """The field of the response model by which FastAPI validates and writes answers of a route, or of its inclusion."""
    return getattr(state, _name_of_response_field(state))


def _warn_of_queries(dependant: Any, path: str) -> None:
    """Warn of classes of `json_type` that FastAPI reads from the query, because it knows none of them for a body."""
    for field in getattr(dependant, "query_params", ()):
        annotation = getattr(getattr(field, "field_info", None), "annotation", None)
        for one in (annotation, *get_args(annotation)):
            if is_json_type(one):
                warnings.warn(
                    f"{path}: FastAPI reads {field.name} from the query; for the body write "
                    f"{field.name}: Annotated[{one.__name__}, Body()]",
                    stacklevel=2,
                )
    for inner in getattr(dependant, "dependencies", ()):
        _warn_of_queries(inner, path)


def validation_counters(state: Any) -> tuple[list[ValidationCounter], list[ValidationCounter]]:
    """The counters of a route, or of its inclusion, whose handler was built: of answers and of bodies."""
    answers = [field.counter for field in encoding_fields(state)]
    return answers, [field.counter for field in accepting_fields(_known_replacements(state).get("dependant"))]


def encoding_fields(state: Any) -> list[EncodingField]:
    """The fields that encode answers of a route, or of its inclusion; none before its handler was built."""
    return [value for value in _known_replacements(state).values() if isinstance(value, EncodingField)]


def _known_replacements(state: Any) -> dict[str, Any]:
    known = getattr(state, _REPLACEMENTS, None)
    return {} if known is None else known.replacements


def _replacements(state: Any, field_name: str, route_class: type[SSRJSONRoute]) -> dict[str, Any]:
    """Attributes that replace those of a route, or of its inclusion, while its handler is built."""
    replaced = _response_replacements(state, field_name, route_class)
    comparison = comparison_of(route_class)
    accepting: Any = AcceptingField
    if comparison is not None:
        replaced = _compared_replacements(comparison, state, field_name, replaced)
        from ssrjson_web.fastapi._compare import ComparedBody

        accepting = partial(ComparedBody, serves_core=comparison.serves_core)
    dependant = replaced_dependant(
        state.dependant,
        accepts_bodies=request_class_of(route_class) is not None,
        wrap_call=replaced.pop(_CALL, None),
        accepting=accepting,
    )
    return replaced if dependant is state.dependant else {**replaced, "dependant": dependant}


def _compared_replacements(comparison: Comparison, state: Any, field_name: str, ours: dict[str, Any]) -> dict[str, Any]:
    """Those of a route whose answers are compared, made of those by which the core encodes them."""
    from ssrjson_web.fastapi._compare import ComparedAnswers

    if not ours or "stream_item_field" in ours:
        is_streamed = is_generator_endpoint(state.dependant)
        reason = "its items are streamed" if is_streamed else "the core does not encode its answers"
        comparison.leave_out(name_of_route(state), reason)
        return ours if comparison.serves_core else {}
    answers = ComparedAnswers(state, getattr(state, field_name), ours.get(field_name))
    carries = comparison.serves_core and _CALL in ours

    def carry(result: Any) -> Any:
        answers.compare(result)
        return carried(result) if carries else result

    wrap = partial(carrying_endpoint, is_coroutine=is_coroutine_endpoint(state.dependant), carry=carry)
    return {**(ours if comparison.serves_core else {}), _CALL: wrap}


def _response_replacements(state: Any, field_name: str, route_class: type[SSRJSONRoute]) -> dict[str, Any]:
    """Those that encode responses; none for a route whose responses are not ours to make."""
    if not are_handlers_known():
        return {}
    field = getattr(state, field_name)
    response_class = state.response_class
    is_default = isinstance(response_class, DefaultPlaceholder)
    encodes_models = encodes_response_models_of(route_class)
    if is_generator_endpoint(state.dependant):
        item_field = getattr(state, "stream_item_field", None)
        if has_adapter(item_field) and encodes_models:
            return {"stream_item_field": EncodingField(item_field, expected_of(state))}
        return {}
    named_class = response_class.value if is_default else response_class
    if named_class is not JSONResponse and named_class is not SSRJSONResponse and not _is_sliced(named_class):
        return {}
    carrier = carrier_class(named_class, _attribute_of_ours(route_class, "slices"))
    if field is None:
        is_coroutine = is_coroutine_endpoint(state.dependant)
        return {_CALL: partial(carrying_endpoint, is_coroutine=is_coroutine), "response_class": carrier}
    if has_adapter(field) and encodes_models:
        # FastAPI >= 0.130 lets the field encode where the class is a default, so it must see a default
        encoding_field = EncodingField(field, expected_of(state))
        return {field_name: encoding_field, "response_class": Default(carrier) if is_default else carrier}
    return {}
