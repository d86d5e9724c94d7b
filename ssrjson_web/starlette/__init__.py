"""Starlette's JSON, encoded and decoded by the core: responses, streams, requests, routes, WebSockets."""

try:
    from ssrjson_web._shared.route_report import RouteReport
    from ssrjson_web.starlette._events import SSRJSONEvent, SSRJSONEventResponse, json_event
    from ssrjson_web.starlette._report import route_report
    from ssrjson_web.starlette._requests import SSRJSONRequest
    from ssrjson_web.starlette._responses import ORJSONResponse, SSRJSONResponse
    from ssrjson_web.starlette._routing import SSRJSONRoute, SSRJSONWebSocketRoute
    from ssrjson_web.starlette._streaming import SSRJSONLinesResponse, SSRJSONStreamingResponse
    from ssrjson_web.starlette._websockets import SSRJSONWebSocket
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] not in ("starlette", "anyio"):
        raise
    raise ImportError("ssrjson_web.starlette needs Starlette: pip install 'ssrjson_web[starlette]'") from _error

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
