"""Starlette's JSON, encoded and decoded by the core: responses, streams, requests, routes, WebSockets."""

try:
    from ssrjson_web.starlette._events import SSRJSONEventResponse, json_event
    from ssrjson_web.starlette._requests import SSRJSONRequest
    from ssrjson_web.starlette._responses import SSRJSONResponse
    from ssrjson_web.starlette._routing import SSRJSONRoute, SSRJSONWebSocketRoute
    from ssrjson_web.starlette._streaming import JSONLinesResponse, SSRJSONLinesResponse, SSRJSONStreamingResponse
    from ssrjson_web.starlette._websockets import SSRJSONWebSocket
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("starlette", "anyio"):
        raise
    raise ImportError("ssrjson_web.starlette needs Starlette: pip install 'ssrjson_web[starlette]'") from error

__all__ = [
    "JSONLinesResponse",
    "SSRJSONEventResponse",
    "SSRJSONLinesResponse",
    "SSRJSONRequest",
    "SSRJSONResponse",
    "SSRJSONRoute",
    "SSRJSONStreamingResponse",
    "SSRJSONWebSocket",
    "SSRJSONWebSocketRoute",
    "json_event",
]
