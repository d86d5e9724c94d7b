"""FastAPI's JSON, encoded and decoded by the core, with the same bytes, headers and errors."""

try:
    import fastapi as _fastapi  # noqa: F401
    import pydantic as _pydantic  # noqa: F401
except ImportError as _error:
    raise ImportError("ssrjson_web.fastapi needs FastAPI and pydantic: pip install 'ssrjson_web[fastapi]'") from _error

from ssrjson_web._shared.route_report import RouteReport
from ssrjson_web.fastapi import _counts as _counts  # the memory middleware looks for it
from ssrjson_web.fastapi._report import route_report
from ssrjson_web.fastapi._request import SSRJSONRequest
from ssrjson_web.fastapi._route import SSRJSONRoute
from ssrjson_web.fastapi._setup import setup
from ssrjson_web.starlette import ORJSONResponse, SSRJSONResponse

__all__ = [
    "ORJSONResponse",
    "RouteReport",
    "SSRJSONRequest",
    "SSRJSONResponse",
    "SSRJSONRoute",
    "route_report",
    "setup",
]
