"""Starlette's JSON, encoded and decoded by the core: responses, streams, requests, routes, WebSockets."""

from typing import TYPE_CHECKING

from ssrjson_web._shared.lazy import imported_when_used

try:
    from ssrjson_web.starlette._requests import SSRJSONRequest
    from ssrjson_web.starlette._responses import ORJSONResponse, SSRJSONResponse
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] not in ("starlette", "anyio"):
        raise
    raise ImportError("ssrjson_web.starlette needs Starlette: pip install 'ssrjson_web[starlette]'") from _error

if TYPE_CHECKING:
    from ssrjson_web._shared.route_report import RouteReport
    from ssrjson_web.starlette._events import SSRJSONEvent, SSRJSONEventResponse, json_event
    from ssrjson_web.starlette._report import route_report
    from ssrjson_web.starlette._routing import SSRJSONRoute, SSRJSONWebSocketRoute
    from ssrjson_web.starlette._streaming import SSRJSONLinesResponse, SSRJSONStreamingResponse
    from ssrjson_web.starlette._websockets import SSRJSONWebSocket
else:
    __getattr__, __dir__ = imported_when_used(
        __name__,
        {
            "RouteReport": "ssrjson_web._shared.route_report",
            "SSRJSONEvent": "ssrjson_web.starlette._events",
            "SSRJSONEventResponse": "ssrjson_web.starlette._events",
            "SSRJSONLinesResponse": "ssrjson_web.starlette._streaming",
            "SSRJSONRoute": "ssrjson_web.starlette._routing",
            "SSRJSONStreamingResponse": "ssrjson_web.starlette._streaming",
            "SSRJSONWebSocket": "ssrjson_web.starlette._websockets",
            "SSRJSONWebSocketRoute": "ssrjson_web.starlette._routing",
            "json_event": "ssrjson_web.starlette._events",
            "route_report": "ssrjson_web.starlette._report",
        },
    )

__all__ = [
    "ORJSONResponse",
    "RouteReport",
    "SSRJSONEvent",
    "SSRJSONEventResponse",
    "SSRJSONLinesResponse",
    "SSRJSONRequest",
    "SSRJSONResponse",
    "SSRJSONRoute",
    "SSRJSONStreamingResponse",
    "SSRJSONWebSocket",
    "SSRJSONWebSocketRoute",
    "json_event",
    "route_report",
]
