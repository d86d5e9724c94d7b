"""A request whose JSON the core decodes."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from litestar.connection import Request
from litestar.exceptions import SerializationException

from ssrjson_web._core import Decoder
from ssrjson_web._shared.stdlib_decoding import USUAL_DEPTH, as_utf8
from ssrjson_web._shared.switch import left_to_stock

__all__ = ["SSRJSONRequest"]

_decode = Decoder(allow_nan=False, allow_surrogates=False, max_depth=USUAL_DEPTH).decode
_KEY = "ssrjson_web.litestar.json"
"""In the scope: the value, which all requests of one connection share."""


@left_to_stock(Request, "json")
class SSRJSONRequest(Request[Any, Any, Any]):
    """A `Request` with the same JSON values and the same errors, which Litestar answers with status 400.

    One difference: nesting too deep for Python's stack, and text that is not UTF-8, are such errors too.
    """

    async def json(self) -> Any:
        """The body's JSON value; None for an empty body. Raises SerializationException."""
        scope: Any = self.scope
        if _KEY not in scope:
            body = await self.body()
            with suppress(ValueError):  # msgspec raises its own error below
                scope[_KEY] = _decode(as_utf8(body or b"null"))
        if _KEY in scope:
            return scope[_KEY]
        try:
            return await super().json()
        except (RecursionError, UnicodeDecodeError) as error:
            raise SerializationException(str(error)) from error
