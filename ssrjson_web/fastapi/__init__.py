"""FastAPI's JSON, encoded and decoded by the core, with the same bytes, headers and errors."""

from typing import TYPE_CHECKING

try:
    import fastapi as _fastapi  # noqa: F401
    import pydantic as _pydantic  # noqa: F401
except ImportError as _error:
    raise ImportError("ssrjson_web.fastapi needs FastAPI and pydantic: pip install 'ssrjson_web[fastapi]'") from _error

from ssrjson_web._shared.lazy import imported_when_used
from ssrjson_web.fastapi._request import SSRJSONRequest
from ssrjson_web.fastapi._route import SSRJSONRoute
from ssrjson_web.fastapi._setup import setup
from ssrjson_web.starlette import ORJSONResponse, SSRJSONResponse

if TYPE_CHECKING:
    from ssrjson_web._shared.route_report import RouteReport
    from ssrjson_web.fastapi._report import route_report
else:
    __getattr__, __dir__ = imported_when_used(
        __name__,
        {"RouteReport": "ssrjson_web._shared.route_report", "route_report": "ssrjson_web.fastapi._report"},
    )

__all__ = [
    "ORJSONResponse",
    "RouteReport",
    "SSRJSONRequest",
    "SSRJSONResponse",
    "SSRJSONRoute",
    "route_report",
    "setup",
]
