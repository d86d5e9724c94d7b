"""What FastAPI's jsonable_encoder makes of a value, written by the core without making it."""

from __future__ import annotations

from typing import Any

from fastapi.encoders import jsonable_encoder

from ssrjson_web._core import Encoder, JSONEncodeError

__all__ = ["JsonableEncoder"]


class JsonableEncoder:
    """Encodes what an endpoint returns: the bytes, or the error, of JSONResponse for `jsonable_encoder(value)`.

    JSON's own types, pydantic models and dataclasses are written as they are; any other value is converted by
    `jsonable_encoder`, one by one.
    """

    def __init__(self) -> None:
        self._encoder = Encoder(
            default=jsonable_encoder,
            models="pydantic",
            by_alias=True,
            exact_types=True,
            sqlalchemy_safe=True,
            allow_nan=False,
        )
        self._plain = Encoder(allow_nan=False)

    def encode(self, value: Any) -> bytes:
        try:
            return self._encoder.encode(value)
        except (JSONEncodeError, RecursionError, UnicodeEncodeError):
            # not what hooks, generators and models raise: stock raises that too
            return self._plain.encode(jsonable_encoder(value))
