"""Values and bodies that FastAPI's conversion does not change, and the response that unpacks them.

They are hidden in subclasses of `str`, which `jsonable_encoder` and every copy of it in FastAPI return unchanged.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any, ClassVar

from starlette.responses import JSONResponse, Response

from ssrjson_web._models.jsonable import JsonableEncoder, JsonableText
from ssrjson_web._shared.slices import CHUNK_SIZE
from ssrjson_web.fastapi._seams import are_seams_stock
from ssrjson_web.starlette import SSRJSONResponse
from ssrjson_web.starlette._sliced import LateText, Sliced

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


class _SlicedText:
    """What a sliced response of a carrier begins with."""

    def _text_of(self, content: Any) -> LateText | bytes:
        if type(content) is CarriedValue:
            text = JsonableText()
            return LateText(content.value, text.chunks(content.value, CHUNK_SIZE), text.instead)
        return content.body if type(content) is CarriedBody else JSONResponse.render(self, content)  # type: ignore[arg-type]


@cache
def _sliced_carrier(slice_ms: float, slice_from: int) -> type[CarriedResponse]:
    """The class that renders carried values in slices."""
    sliced = SSRJSONResponse.sliced(slice_ms=slice_ms, slice_from=slice_from)
    final_class = type(SSRJSONResponse.__name__, (_SlicedText, sliced), {"__module__": SSRJSONResponse.__module__})
    return type(CarriedResponse.__name__, (CarriedResponse,), {"final_class": final_class})


def carrier_class(response_class: type[Response], slices: tuple[float, int] | None = None) -> type[CarriedResponse]:
    """The class that renders in place of `JSONResponse` or `SSRJSONResponse`.

    `slices` are the arguments of `SSRJSONResponse.sliced`. `response_class` may be a class that it has made.
    """
    if issubclass(response_class, Sliced):
        return _sliced_carrier(response_class.slice_ms, response_class.slice_from)
    if slices is not None:
        return _sliced_carrier(*slices)
    return _CarriedSSRJSONResponse if response_class is SSRJSONResponse else CarriedResponse
