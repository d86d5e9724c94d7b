"""Responses of one JSON document."""

from __future__ import annotations

from typing import Any, ClassVar

from starlette.responses import JSONResponse

from ssrjson_web import orjson
from ssrjson_web._core import Encoder

__all__ = ["STOCK_ENCODER", "ORJSONResponse", "SSRJSONResponse"]

STOCK_ENCODER = Encoder(allow_nan=False, escape_surrogates=True)
"""Writes the text of `JSONResponse` and raises its errors, except that lone surrogates are escaped."""


class SSRJSONResponse(JSONResponse):
    """A `JSONResponse` with the same bytes and exceptions, which leaves no UTF-8 cache in the content's strings.

    A subclass may set another `encoder`, for types beyond JSON's. Lone surrogates, which UTF-8 cannot hold, are
    escaped. Stock raises UnicodeEncodeError for them.

    `FastAPI(default_response_class=SSRJSONResponse)` uses it for a whole application. FastAPI then treats it as an
    explicit response class, so endpoints with `yield` must name their own response class.
    """

    encoder: ClassVar[Encoder] = STOCK_ENCODER

    def render(self, content: Any) -> bytes:
        return self.encoder._with_escaped_surrogates().encode(content)


class ORJSONResponse(JSONResponse):
    """FastAPI's `ORJSONResponse` with the same bytes and errors, which needs no orjson and leaves no UTF-8 cache.

    It writes dataclasses, datetimes, UUIDs, Enums, numpy's arrays, NaN as null, and keys of these types, as
    `ssrjson_web.orjson.dumps` does with `OPT_NON_STR_KEYS | OPT_SERIALIZE_NUMPY`.
    """

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY)
