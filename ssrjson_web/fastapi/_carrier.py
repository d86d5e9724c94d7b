"""Values and bodies that pass FastAPI's own conversion untouched, and the response that takes them out again.

`jsonable_encoder` and every copy of it in FastAPI give a `str` back as it is, subclasses included.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse, Response

from ssrjson_web._models.jsonable import JsonableEncoder
from ssrjson_web.fastapi._seams import are_seams_stock
from ssrjson_web.starlette import SSRJSONResponse

__all__ = ["CarriedBody", "CarriedResponse", "CarriedValue", "JsonableResponse", "carried"]

_JSONABLE = JsonableEncoder()


class CarriedValue(str):
    """What an endpoint returned, not yet encoded."""

    __slots__ = ("value",)
    value: Any


class CarriedBody(str):
    """A body that is encoded already."""

    __slots__ = ("body",)
    body: bytes


def carried(result: Any) -> Any:
    """A Response as it is, anything else within a `CarriedValue`, unless the application encodes in its own way."""
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
    """The response to what `carried` and `CarriedBody` brought; other content is rendered as `JSONResponse` has it."""

    def render(self, content: Any) -> bytes:
        if type(content) is CarriedValue:
            return super().render(content.value)
        if type(content) is CarriedBody:
            return content.body
        return JSONResponse.render(self, content)
