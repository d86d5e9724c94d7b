"""A request whose JSON is read by the core."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any, ClassVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from ssrjson_web._core import JSONDepthError, loads

__all__ = ["SSRJSONRequest"]

# The standard library refuses deep nesting, by a limit that depends on the interpreter and on the stack: it is asked.
_STDLIB_READS = 200


class SSRJSONRequest(Request):
    """A `Request` with the values and the errors of its `json()`.

    `max_body_size` in bytes: a longer body is a 413. `max_depth` of nesting: deeper JSON is a 400. None: no limit.
    """

    max_body_size: ClassVar[int | None] = None
    max_depth: ClassVar[int | None] = None

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = self._decoded(await self.body())
        return self._json

    async def stream(self) -> AsyncGenerator[bytes, None]:
        limit = self.max_body_size
        if limit is None or hasattr(self, "_body"):
            async for chunk in super().stream():
                yield chunk
            return
        declared = self.headers.get("content-length", "")
        n_bytes = int(declared) if declared.isdecimal() else 0
        if n_bytes > limit:
            raise self._too_large()
        n_bytes = 0
        async for chunk in super().stream():
            n_bytes += len(chunk)
            if n_bytes > limit:
                raise self._too_large()
            yield chunk

    def _too_large(self) -> HTTPException:
        return HTTPException(413, f"The body is larger than {self.max_body_size} bytes")

    def _decoded(self, body: bytes) -> Any:
        limit = self.max_depth
        try:
            return loads(body, max_depth=_STDLIB_READS if limit is None else limit)
        except JSONDepthError as error:
            if limit is not None:
                raise HTTPException(400, f"The JSON is nested deeper than {limit} levels") from error
            return json.loads(body)
        except Exception:
            return json.loads(body)
