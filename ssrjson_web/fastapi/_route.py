"""The route that encodes and decodes by the core."""

from __future__ import annotations

import copy
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, ClassVar

from fastapi import routing
from fastapi.datastructures import Default, DefaultPlaceholder
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ssrjson_web.fastapi._carrier import CarriedResponse
from ssrjson_web.fastapi._endpoint import carrying_endpoint, is_coroutine_endpoint, is_generator_endpoint
from ssrjson_web.fastapi._field import EncodingField, has_adapter
from ssrjson_web.starlette import SSRJSONRequest, SSRJSONResponse

__all__ = ["SSRJSONRoute"]

Handler = Callable[[Request], Coroutine[Any, Any, Response]]

# Where FastAPI keeps a route as an inclusion makes it: with the prefix, dependencies and classes of its routers.
# A version without it has nothing of the kind, or keeps it elsewhere and then builds its own handlers.
_inclusion = getattr(routing, "_effective_route_context_var", None)

_STAND_INS = "_ssrjson_stand_ins"


class SSRJSONRoute(APIRoute):
    """An `APIRoute` with the same responses, made without `jsonable_encoder` and without pydantic's UTF-8 copies.

    For one router: `APIRouter(route_class=SSRJSONRoute)`. For an application: `setup`. Routes whose response class
    is neither `JSONResponse` nor `SSRJSONResponse` answer as FastAPI has them.
    """

    request_class: ClassVar[type[Request] | None] = SSRJSONRequest
    """What requests become before the body is read; None leaves them as they are."""
    encodes_response_models: ClassVar[bool] = True
    """Whether response models are encoded by the core; False leaves them to pydantic."""

    def get_route_handler(self) -> Handler:
        """FastAPI's own handler, built from stand-ins for what it encodes with."""
        inclusion = None if _inclusion is None else _inclusion.get()
        if inclusion is not None and getattr(inclusion, "original_route", None) is self:
            token = _inclusion.set(_with_stand_ins(inclusion, type(self)))  # type: ignore[union-attr]
            try:
                handler = super().get_route_handler()
            finally:
                _inclusion.reset(token)  # type: ignore[union-attr]
        else:
            # a copy: schema, inclusions and other threads go on to read the originals from this route
            handler = super(SSRJSONRoute, _with_stand_ins(self, type(self))).get_route_handler()
        request_class = self.request_class
        return handler if request_class is None else _handler_of(request_class, handler)


def _handler_of(request_class: type[Request], handler: Handler) -> Handler:
    async def handle(request: Request) -> Response:
        if type(request) is Request:
            # a new object would not share the body: a handler of errors that awaits it would wait for ever
            request.__class__ = request_class
        return await handler(request)

    return handle


def _with_stand_ins(state: Any, route_class: type[SSRJSONRoute]) -> Any:
    """A shallow copy of a route, or of its inclusion, with what `_stand_ins` says.

    Stand-ins are made once: some versions of FastAPI build the handler of an included route for each request.
    """
    field_name = "secure_cloned_response_field" if hasattr(state, "secure_cloned_response_field") else "response_field"
    made_of = (
        route_class,
        state.dependant,
        state.dependant.call,
        state.response_class,
        getattr(state, field_name),
        getattr(state, "stream_item_field", None),
    )
    known = getattr(state, _STAND_INS, None)
    if known is not None and all(a is b for a, b in zip(known[0], made_of, strict=True)):
        stand_ins = known[1]
    else:
        stand_ins = _stand_ins(state, field_name, route_class)
        with suppress(AttributeError):  # a class with slots
            setattr(state, _STAND_INS, (made_of, stand_ins))
    changed = copy.copy(state)
    for name, stand_in in stand_ins.items():
        setattr(changed, name, stand_in)
    return changed


def _stand_ins(state: Any, field_name: str, route_class: type[SSRJSONRoute]) -> dict[str, Any]:
    """The attributes of a route, or of its inclusion, to build its handler with instead of its own."""
    field = getattr(state, field_name)
    response_class = state.response_class
    is_default = isinstance(response_class, DefaultPlaceholder)
    if is_generator_endpoint(state.dependant):
        item_field = getattr(state, "stream_item_field", None)
        if has_adapter(item_field) and route_class.encodes_response_models:
            return {"stream_item_field": EncodingField(item_field)}
        return {}
    if (response_class.value if is_default else response_class) not in (JSONResponse, SSRJSONResponse):
        return {}
    if field is None:
        dependant = copy.copy(state.dependant)
        dependant.call = carrying_endpoint(dependant.call, is_coroutine=is_coroutine_endpoint(state.dependant))
        return {"dependant": dependant, "response_class": CarriedResponse}
    if has_adapter(field) and route_class.encodes_response_models:
        # FastAPI >= 0.130 has the field encode where the class is a default, and so must see one
        carrier_class = Default(CarriedResponse) if is_default else CarriedResponse
        return {field_name: EncodingField(field), "response_class": carrier_class}
    return {}
