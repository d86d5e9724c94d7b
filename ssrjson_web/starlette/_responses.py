"""Responses of one JSON document."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import starlette.responses
from starlette.responses import JSONResponse

from ssrjson_web import orjson
from ssrjson_web._core import Encoder
from ssrjson_web._known.functions import is_own, stands_in_for
from ssrjson_web._shared.slices import check_slice_ms
from ssrjson_web.starlette._sliced import SLICE_FROM, SLICE_MS, Sliced

__all__ = ["STOCK_ENCODER", "ORJSONResponse", "SSRJSONResponse"]

STOCK_ENCODER = Encoder(allow_nan=False, escape_surrogates=True)
"""Writes the text of `JSONResponse` and raises its errors, except that lone surrogates are escaped."""

_RENDER = "starlette.responses.JSONResponse.render"
stands_in_for(_RENDER, "json.dumps", left="the encoding of answers")
_responses: Any = starlette.responses
_last: tuple[tuple[Any, ...], bool] = ((None, None, None), False)


def _is_stock() -> bool:
    """Look at what encodes in stock, and remember it."""
    global _last
    found = JSONResponse.render, _responses.json, json.dumps
    is_stock = _responses.json is json and is_own(JSONResponse.render, _RENDER) and is_own(json.dumps, "json.dumps")
    _last = found, is_stock
    return is_stock


class SSRJSONResponse(JSONResponse):
    """A `JSONResponse` with the same bytes and exceptions, which leaves no UTF-8 cache in the content's strings.

    A subclass may set another `encoder`, for types beyond JSON's. Lone surrogates, which UTF-8 cannot hold, are
    escaped. Stock raises UnicodeEncodeError for them.

    `FastAPI(default_response_class=SSRJSONResponse)` uses it for a whole application. FastAPI then treats it as an
    explicit response class, so endpoints with `yield` must name their own response class.
    """

    encoder: ClassVar[Encoder] = STOCK_ENCODER

    @classmethod
    def sliced(cls, *, slice_ms: float = SLICE_MS, slice_from: int = SLICE_FROM) -> type[SSRJSONResponse]:
        """A subclass whose large answers do not stop the event loop.

        What a text has after `slice_from` bytes is made when the response is sent, and pauses after each `slice_ms`
        milliseconds, so that other tasks run. The client gets one body with its content-length.

        Errors in that part are raised when the response is sent, before anything of it is. `body` is the text until
        then; to read it makes it at once. Raises TypeError for a class with a `render` of its own, TypeError and
        ValueError for wrong arguments.
        """
        check_slice_ms(slice_ms)
        if not isinstance(slice_from, int) or isinstance(slice_from, bool):
            raise TypeError(f"slice_from must be a number of bytes, not {slice_from!r}")
        if slice_from < 0:
            raise ValueError(f"slice_from must be 0 or more, not {slice_from}")
        if cls.render is not SSRJSONResponse.render:
            raise TypeError(f"{cls.__name__}.render makes the whole text at once: only its encoder can be another")
        namespace = {
            "__module__": cls.__module__,
            "slice_ms": slice_ms,
            "slice_from": slice_from,
            "sliced_render": cls.render,
        }
        bases = (cls,) if issubclass(cls, Sliced) else (Sliced, cls)
        made: type[SSRJSONResponse] = type(cls.__name__, bases, namespace)
        return made

    def render(self, content: Any) -> bytes:
        (stock, module, dumps), is_stock = _last
        # each by itself: a call for all of them would be a part of what a small answer costs
        if JSONResponse.render is not stock or _responses.json is not module or json.dumps is not dumps:
            is_stock = _is_stock()
        if not is_stock and self.encoder is STOCK_ENCODER:
            return super().render(content)
        return self.encoder._with_escaped_surrogates().encode(content)


class ORJSONResponse(JSONResponse):
    """FastAPI's `ORJSONResponse` with the same bytes and errors, which needs no orjson and leaves no UTF-8 cache.

    It writes dataclasses, datetimes, UUIDs, Enums, numpy's arrays, NaN as null, and keys of these types, as
    `ssrjson_web.orjson.dumps` does with `OPT_NON_STR_KEYS | OPT_SERIALIZE_NUMPY`.
    """

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY)
