"""What FastAPI's jsonable_encoder makes of a value, written by the core without making it."""

from __future__ import annotations

import threading
from collections import deque
from enum import Enum
from pathlib import PurePath
from types import GeneratorType
from typing import Any

from fastapi.encoders import ENCODERS_BY_TYPE, jsonable_encoder

from ssrjson_web._core import Encoder, JSONEncodeError

__all__ = ["JsonableEncoder"]


_REPEATABLE = {deque, dict, list, set, tuple, frozenset, *ENCODERS_BY_TYPE} - {GeneratorType}
"""Types whose values jsonable_encoder converts the same way each time."""


class _Converted(threading.local):
    """How many values a thread has had converted that may give something else the second time."""

    n = 0


class JsonableEncoder:
    """Encodes what an endpoint returns: the bytes, or the error, of JSONResponse for `jsonable_encoder(value)`.

    JSON's own types, pydantic models and dataclasses are written as they are; any other value is converted by
    `jsonable_encoder`, one by one. Lone surrogates are escaped, where JSONResponse raises.

    `nan_as_null`: NaN and infinities are null, where JSONResponse raises.
    """

    def __init__(self, *, nan_as_null: bool = False) -> None:
        self._converted = _Converted()
        self._encoder = Encoder(
            default=self._convert,
            models="pydantic",
            by_alias=True,
            exact_types=True,
            sqlalchemy_safe=True,
            allow_nan=False,
            nan_as_null=nan_as_null,
            escape_surrogates=True,
        )
        self._plain = Encoder(allow_nan=False, nan_as_null=nan_as_null, escape_surrogates=True)

    def _convert(self, value: Any) -> Any:
        if type(value) not in _REPEATABLE and not isinstance(value, (Enum, PurePath)):
            self._converted.n += 1
        return jsonable_encoder(value)

    def encode(self, value: Any) -> bytes:
        n_before = self._converted.n
        try:
            return self._encoder.encode(value)
        except (JSONEncodeError, RecursionError, UnicodeEncodeError):
            # not what hooks, generators and models raise: stock raises that too
            if self._converted.n != n_before:
                raise  # what was converted may have been iterated, and be empty now
        return self._plain.encode(jsonable_encoder(value))
