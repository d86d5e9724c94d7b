"""Routes whose endpoints get requests and WebSockets of the core and may return plain data."""

from __future__ import annotations

import functools
import inspect
import json
import sys
from collections.abc import Callable
from typing import Any, TypeGuard

from starlette.endpoints import HTTPEndpoint, WebSocketEndpoint
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute, get_name
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from ssrjson_web._known.functions import Seams
from ssrjson_web._shared.change_of_class import of_class
from ssrjson_web._shared.stdlib_decoding import decode
from ssrjson_web.starlette._requests import SSRJSONRequest
from ssrjson_web.starlette._responses import SSRJSONResponse
from ssrjson_web.starlette._websockets import SSRJSONWebSocket

if sys.version_info >= (3, 13):  # Starlette's function that decides which endpoints run in the threadpool
    from inspect import iscoroutinefunction
else:
    from asyncio import iscoroutinefunction

__all__ = ["SSRJSONRoute", "SSRJSONWebSocketRoute"]

_DECODE = Seams(
    lambda: (WebSocketEndpoint.decode, json.loads),
    *("starlette.endpoints.WebSocketEndpoint.decode", "json.loads"),
    left="the JSON of WebSockets",
)
_METHODS = frozenset({"get", "head", "post", "put", "patch", "delete", "options", "query"})


class SSRJSONRoute(Route):
    """A `Route` whose endpoint gets an `SSRJSONRequest` and may return any value that JSON can hold.

    The value becomes the content of an `SSRJSONResponse`. A response, or any other ASGI application, is sent as it
    is. Endpoints may be async functions, functions for the threadpool, and methods of an `HTTPEndpoint`.

    `request_class` may have limits (`SSRJSONRequest.limited`). `response_class` encodes plain values. The other
    arguments are those of `Route`.
    """

    def __init__(
        self,
        path: str,
        endpoint: Callable[..., Any],
        *,
        name: str | None = None,
        request_class: type[SSRJSONRequest] = SSRJSONRequest,
        response_class: Callable[[Any], Response] = SSRJSONResponse,
        **options: Any,
    ) -> None:
        serve = functools.partial(_serving, request_class=request_class, response_class=response_class)
        served: Callable[..., Any]
        if _is_class_of(endpoint, HTTPEndpoint):
            served = type(endpoint.__name__, (_Endpoint, endpoint), {"_serve": staticmethod(serve)})
        elif _is_function(endpoint):
            served = serve(endpoint)
        else:
            served = endpoint  # an ASGI application
        super().__init__(path, served, name=get_name(endpoint) if name is None else name, **options)
        self.endpoint = endpoint


class SSRJSONWebSocketRoute(WebSocketRoute):
    """A `WebSocketRoute` whose endpoint gets an `SSRJSONWebSocket`.

    The endpoint may be a function or a `WebSocketEndpoint`. The core decodes its `encoding = "json"`.
    Arguments are those of `WebSocketRoute`.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], *, name: str | None = None, **options: Any) -> None:
        served: Callable[..., Any] = endpoint
        if _is_class_of(endpoint, WebSocketEndpoint):
            served = type(endpoint.__name__, (_WebSocketEndpoint, endpoint), {})
        elif _is_function(endpoint):

            @functools.wraps(endpoint)
            async def served(websocket: WebSocket) -> None:
                await endpoint(SSRJSONWebSocket.of(websocket))

        super().__init__(path, served, name=get_name(endpoint) if name is None else name, **options)
        self.endpoint = endpoint


class _Endpoint(HTTPEndpoint):
    """An `HTTPEndpoint` whose handler may return any value."""

    _serve: Callable[[Callable[..., Any]], Callable[..., Any]]

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        super().__init__(scope, receive, send)
        method = scope["method"].lower()
        if method == "head" and not hasattr(self, "head"):
            method = "get"
        handler = getattr(self, method, None) if method in _METHODS else None
        if handler is not None:
            setattr(self, method, self._serve(handler))


class _WebSocketEndpoint(WebSocketEndpoint):
    async def on_connect(self, websocket: WebSocket) -> None:
        await super().on_connect(SSRJSONWebSocket.of(websocket))

    async def decode(self, websocket: WebSocket, message: Message) -> Any:
        if self.encoding == "json" and message.get("text") is not None and _DECODE.are_known():
            try:
                return decode(message["text"])
            except ValueError:
                pass  # the endpoint itself handles the result
        return await super().decode(websocket, message)


def _serving(
    endpoint: Callable[..., Any],
    *,
    request_class: type[SSRJSONRequest],
    response_class: Callable[[Any], Response],
) -> Callable[..., Any]:
    """The endpoint that Starlette calls instead. It is async if the original is."""

    def answer(result: Any) -> Any:
        return result if isinstance(result, Response) or callable(result) else response_class(result)

    if _is_async(endpoint):

        @functools.wraps(endpoint)
        async def serve_async(request: Request) -> Any:
            return answer(await endpoint(of_class(request, request_class)))

        return serve_async

    @functools.wraps(endpoint)
    def serve(request: Request) -> Any:
        return answer(endpoint(of_class(request, request_class)))

    return serve


def _innermost(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    while isinstance(endpoint, functools.partial):
        endpoint = endpoint.func
    return endpoint


def _is_async(endpoint: Callable[..., Any]) -> bool:
    return iscoroutinefunction(_innermost(endpoint))


def _is_function(endpoint: Callable[..., Any]) -> bool:
    """Whether Starlette calls it with the connection, and not as an ASGI application."""
    return inspect.isfunction(_innermost(endpoint)) or inspect.ismethod(_innermost(endpoint))


def _is_class_of(endpoint: Any, base: type[Any]) -> TypeGuard[type[Any]]:
    return isinstance(endpoint, type) and issubclass(endpoint, base)
