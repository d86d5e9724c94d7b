"""FastAPI's error handlers with the core's encoder. Malformed items: `MalformedBody` in `_request.py`."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from fastapi import FastAPI, exception_handlers
from fastapi.exceptions import RequestValidationError
from fastapi.utils import is_body_allowed_for_status_code
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ssrjson_web._core import JSONEncodeError
from ssrjson_web._known.functions import is_own, stands_in_for
from ssrjson_web._models.jsonable import JsonableEncoder
from ssrjson_web.fastapi._seams import are_seams_stock
from ssrjson_web.starlette import SSRJSONResponse

__all__ = ["replace_error_handlers"]

# an error contains the value that the client sent, and no such value may make the response fail
_ERRORS_ENCODER = JsonableEncoder(nan_as_null=True)

_HTTP_EXCEPTION: Any = exception_handlers.http_exception_handler
_VALIDATION_ERROR: Any = exception_handlers.request_validation_exception_handler
_NAMES = tuple(f"fastapi.exception_handlers.{name}_exception_handler" for name in ("http", "request_validation"))
stands_in_for(*_NAMES, left="responses to errors")


async def _http_exception_handler(request: Request, exc: HTTPException) -> Response:
    if is_body_allowed_for_status_code(exc.status_code) and are_seams_stock():
        headers = getattr(exc, "headers", None)
        with suppress(JSONEncodeError):  # stdlib may know the value through a patched default
            return SSRJSONResponse({"detail": exc.detail}, status_code=exc.status_code, headers=headers)
    response: Response = await _HTTP_EXCEPTION(request, exc)
    return response


async def _request_validation_exception_handler(request: Request, exc: RequestValidationError) -> Response:
    if are_seams_stock():
        body = _ERRORS_ENCODER.encode({"detail": exc.errors()})
        return Response(body, status_code=422, media_type=SSRJSONResponse.media_type)
    response: Response = await _VALIDATION_ERROR(request, exc)
    return response


_REPLACED: tuple[tuple[Any, Any, Any], ...] = (
    (HTTPException, _HTTP_EXCEPTION, _http_exception_handler),
    (RequestValidationError, _VALIDATION_ERROR, _request_validation_exception_handler),
)


def replace_error_handlers(app: FastAPI) -> None:
    """Replace FastAPI's handlers of 422s and `HTTPException` with the core's. Handlers of the application stay.

    Raises RuntimeError where the application has started: its middleware already holds the handlers.
    """
    handlers = app.exception_handlers
    stock = [
        (error, ours)
        for (error, theirs, ours), name in zip(_REPLACED, _NAMES, strict=True)
        if handlers.get(error) is theirs and is_own(theirs, name)
    ]
    if stock and app.middleware_stack is not None:
        raise RuntimeError("setup(app) comes too late for error handlers: call it before the application starts")
    handlers.update(stock)
