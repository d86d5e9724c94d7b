"""Bytes of what FastAPI's jsonable_encoder returns, written by the core without that conversion."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from enum import Enum
from pathlib import PurePath
from types import GeneratorType
from typing import Any

from fastapi.encoders import ENCODERS_BY_TYPE, jsonable_encoder

from ssrjson_web._core import Encoder, JSONEncodeError
from ssrjson_web._models.pydantic.json_type_classes import is_json_type, written

__all__ = ["JsonableEncoder", "JsonableText", "write_models"]


_REPEATABLE = {deque, dict, list, set, tuple, frozenset, *ENCODERS_BY_TYPE} - {GeneratorType}
"""Types whose values jsonable_encoder converts the same way each time."""


class _Converted(threading.local):
    """The number of converted values, per thread, that a second conversion could change."""

    n = 0


_writes_models = True


def write_models(is_known: bool) -> None:
    """Whether the core writes models from now on. Otherwise `jsonable_encoder` converts them, one at a time."""
    global _writes_models
    _writes_models = is_known


_REFUSALS = (JSONEncodeError, RecursionError, UnicodeEncodeError)
"""What the core raises. Errors of hooks, generators and models pass through, as they do in stock."""


class JsonableEncoder:
    """Encodes what an endpoint returns, with the bytes and errors of JSONResponse for `jsonable_encoder(value)`.

    The core writes JSON's own types, pydantic models and dataclasses itself. `jsonable_encoder` converts any other
    value, one at a time; it refuses instances of classes of `json_type`, which are written here. Lone surrogates are
    escaped; JSONResponse raises an error.

    With `nan_as_null`, NaN and infinities are null; JSONResponse raises an error.
    """

    def __init__(self, *, nan_as_null: bool = False) -> None:
        self._converted: Any = _Converted()
        options: dict[str, Any] = {
            "default": self._convert,
            "exact_types": True,
            "sqlalchemy_safe": True,
            "allow_nan": False,
            "nan_as_null": nan_as_null,
            "escape_surrogates": True,
        }
        self._encoder = Encoder(models="pydantic", by_alias=True, **options)
        self._without_models = Encoder(models=False, **options)
        self._plain = Encoder(allow_nan=False, nan_as_null=nan_as_null, escape_surrogates=True)

    def _convert(self, value: Any) -> Any:
        if is_json_type(type(value)):
            return written(value)  # jsonable_encoder knows no Struct
        if type(value) not in _REPEATABLE and not isinstance(value, (Enum, PurePath)):
            self._converted.n += 1
        return jsonable_encoder(value)

    def encode(self, value: Any) -> bytes:
        n_before = self._converted.n
        try:
            return (self._encoder if _writes_models else self._without_models).encode(value)
        except _REFUSALS:
            if self._converted.n != n_before:
                raise  # an iterator may be used up by the conversion, and would now be empty
        return self._plain.encode(jsonable_encoder(value))


class JsonableText(JsonableEncoder):
    """Encodes one value as `JsonableEncoder` does, in chunks."""

    def __init__(self) -> None:
        super().__init__()
        self._converted = self
        self.n = 0  # other threads go on with the text, and other texts are made between its chunks

    def chunks(self, value: Any, chunk_size: int) -> Iterator[bytes]:
        encoder = self._encoder if _writes_models else self._without_models
        return encoder.iterencode(value, chunk_size)

    def instead(self, value: Any, error: Exception) -> bytes:
        """The whole text where an error ended the chunks. Raises what stock raises."""
        if not isinstance(error, _REFUSALS) or self.n != 0:
            raise error
        return self._plain.encode(jsonable_encoder(value))
