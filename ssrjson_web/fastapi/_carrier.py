"""Values and bodies that FastAPI's conversion does not change, and the response that unpacks them.

They are hidden in subclasses of `str`, which `jsonable_encoder` and every copy of it in FastAPI return unchanged.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from starlette.responses import JSONResponse, Response

from ssrjson_web._models.jsonable import JsonableEncoder
from ssrjson_web.fastapi._seams import are_seams_stock
from ssrjson_web.starlette import SSRJSONResponse

__all__ = ["CarriedBody", "CarriedResponse", "CarriedValue", "JsonableResponse", "carried", "carrier_class"]

_JSONABLE = JsonableEncoder()


class CarriedValue(str):
    """What an endpoint returned, not yet encoded."""

    __slots__ = ("value",)
    value: Any


class CarriedBody(str):
    """A body that is already encoded."""

    __slots__ = ("body",)
    body: bytes


def carried(result: Any) -> Any:
    """A Response unchanged, any other value in a `CarriedValue`, unless the application replaced FastAPI's encoding."""
    if isinstance(result, Response) or not are_seams_stock():
        return result
    carrier = CarriedValue()
    carrier.value = result
    return carrier


class JsonableResponse(SSRJSONResponse):
    """A response whose content goes through `jsonable_encoder` first."""

    def render(self, content: Any) -> bytes:
        return _JSONABLE.encode(content)


class CarriedResponse(JsonableResponse):
    """Renders `CarriedValue` and `CarriedBody`. It renders other content as `JSONResponse` does.

    The made response is an object of `final_class`, so that route classes, middleware and telemetry see stock's.
    """

    final_class: ClassVar[type[Response]] = JSONResponse

    def __new__(cls, *args: Any, **options: Any) -> Any:
        made: Any = object.__new__(cls.final_class)
        made.render = partial(cls.render, made)  # without the GIL, to change its class later would stop all threads
        try:
            made.__init__(*args, **options)
        finally:
            del made.render
        return made

    def render(self, content: Any) -> bytes:
        if type(content) is CarriedValue:
            return _JSONABLE.encode(content.value)
        if type(content) is CarriedBody:
            return content.body
        return JSONResponse.render(self, content)


class _CarriedSSRJSONResponse(CarriedResponse):
    final_class = SSRJSONResponse


def carrier_class(response_class: type[Response]) -> type[CarriedResponse]:
    """The class that renders in place of `JSONResponse` or `SSRJSONResponse`."""
    return _CarriedSSRJSONResponse if response_class is SSRJSONResponse else CarriedResponse
