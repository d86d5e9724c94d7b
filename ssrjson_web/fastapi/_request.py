"""A request whose malformed items FastAPI answers as it answers a malformed body."""

from __future__ import annotations

import json
from typing import Any

from fastapi.exceptions import RequestValidationError

from ssrjson_web._core import JSONDecodeError
from ssrjson_web.starlette import SSRJSONRequest as StarletteRequest
from ssrjson_web.starlette._requests import copy_decode_error, refused_body

__all__ = ["SSRJSONRequest"]


class SSRJSONRequest(StarletteRequest):
    """A `Request` with the same JSON values and the same exceptions, decoded by the core.

    `json_items` raises a RequestValidationError for malformed JSON, which FastAPI answers with 422 as where it decodes
    a body itself, and HTTPException(400) for invalid UTF-8 and for an integer with too many digits. They are a
    JSONDecodeError, a UnicodeDecodeError and a ValueError, too.
    """

    def _refusal(self, error: ValueError) -> Exception:
        if isinstance(error, json.JSONDecodeError):
            return MalformedBody(error)
        return refused_body(error, "There was an error parsing the body")


class MalformedBody(RequestValidationError, JSONDecodeError):
    """What FastAPI raises for a malformed body, and the JSONDecodeError."""

    def __init__(self, error: json.JSONDecodeError) -> None:
        details = {
            "type": "json_invalid",
            "loc": ("body", error.pos),
            "msg": "JSON decode error",
            "input": {},
            "ctx": {"error": error.msg},
        }
        RequestValidationError.__init__(self, [details], body=error.doc)
        copy_decode_error(error, self)

    __str__ = JSONDecodeError.__str__

    def __reduce__(self) -> Any:
        return JSONDecodeError, (self.msg, self.doc, self.pos)
