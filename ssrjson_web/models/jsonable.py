"""What FastAPI's `jsonable_encoder` makes of a value, as JSON."""

from __future__ import annotations

from typing import Any

from fastapi.encoders import jsonable_encoder

from ssrjson_web._core import dumps_to_bytes

__all__ = ["JsonableEncoder"]


class JsonableEncoder:
    """Encodes what a FastAPI endpoint without a response model may return."""

    def __init__(self) -> None: ...

    def encode(self, value: Any) -> bytes:
        """The bytes, or the exception, of `JSONResponse.render(jsonable_encoder(value))`."""
        return dumps_to_bytes(jsonable_encoder(value), allow_nan=False)
