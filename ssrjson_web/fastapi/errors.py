"""FastAPI's handlers of errors, encoding by the core."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, exception_handlers
from fastapi.exceptions import RequestValidationError
from fastapi.utils import is_body_allowed_for_status_code
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ssrjson_web.fastapi.carrier import JsonableResponse
from ssrjson_web.starlette import SSRJSONResponse

__all__ = ["replace_error_handlers"]


async def _http_exception_handler(request: Request, exc: HTTPException) -> Response:
    if not is_body_allowed_for_status_code(exc.status_code):
        return await exception_handlers.http_exception_handler(request, exc)
    headers = getattr(exc, "headers", None)
    return SSRJSONResponse({"detail": exc.detail}, status_code=exc.status_code, headers=headers)


async def _request_validation_exception_handler(request: Request, exc: RequestValidationError) -> Response:
    return JsonableResponse({"detail": exc.errors()}, status_code=422)


_REPLACED: tuple[tuple[Any, Any, Any], ...] = (
    (HTTPException, exception_handlers.http_exception_handler, _http_exception_handler),
    (
        RequestValidationError,
        exception_handlers.request_validation_exception_handler,
        _request_validation_exception_handler,
    ),
)


def replace_error_handlers(app: FastAPI) -> None:
    """Have 422s and `HTTPException`s answered by the core, where the application has FastAPI's own handlers.

    Raises RuntimeError where it has, and answers already: its middleware holds them.
    """
    handlers = app.exception_handlers
    stock = [(error, ours) for error, theirs, ours in _REPLACED if handlers.get(error) is theirs]
    if stock and app.middleware_stack is not None:
        raise RuntimeError("setup(app) comes too late for error handlers: call it before the application starts")
    handlers.update(stock)
