"""A response of one JSON document."""

from __future__ import annotations

from typing import Any, ClassVar

from starlette.responses import JSONResponse

from ssrjson_web._core import Encoder

__all__ = ["STOCK_ENCODER", "SSRJSONResponse"]

STOCK_ENCODER = Encoder(allow_nan=False, escape_surrogates=True)
"""Writes what `JSONResponse` writes, and raises what it raises, but for lone surrogates: those are escaped."""


class SSRJSONResponse(JSONResponse):
    """A `JSONResponse` with the same bytes and the same exceptions, that leaves no UTF-8 copy in the content's strings.

    A subclass may set another `encoder`, for types beyond JSON's. Half a surrogate pair, which a client may send and
    UTF-8 cannot hold, is escaped, where stock raises UnicodeEncodeError.

    `FastAPI(default_response_class=SSRJSONResponse)` adopts it for an application. FastAPI then
    takes the path it takes for any explicit response class: `yield` endpoints must name their own.
    """

    encoder: ClassVar[Encoder] = STOCK_ENCODER

    def render(self, content: Any) -> bytes:
        return self.encoder._with_escaped_surrogates().encode(content)
