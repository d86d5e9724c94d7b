"""Starlette responses, and so FastAPI's, encoded by the core."""

from __future__ import annotations

from typing import Any

try:
    from starlette.responses import JSONResponse
except ImportError as error:
    raise ImportError("ssrjson_web.starlette needs Starlette: pip install 'ssrjson_web[starlette]'") from error

from ssrjson_web._core import dumps_to_bytes

__all__ = ["SSRJSONResponse"]


class SSRJSONResponse(JSONResponse):
    """A `JSONResponse` with the same bytes and the same exceptions, that leaves no UTF-8 copy in the content's strings.

    `FastAPI(default_response_class=SSRJSONResponse)` adopts it for an application. FastAPI then
    takes the path it takes for any explicit response class: `yield` endpoints must name their own.
    """

    def render(self, content: Any) -> bytes:
        return dumps_to_bytes(content, allow_nan=False)
