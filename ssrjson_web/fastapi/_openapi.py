"""The route of `/openapi.json`, whose body is encoded once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ssrjson_web._shared.alike import are_alike
from ssrjson_web.fastapi._carrier import CarriedBody, CarriedResponse
from ssrjson_web.fastapi._seams import are_seams_stock, is_openapi_known
from ssrjson_web.starlette import SSRJSONResponse
from ssrjson_web.starlette._routes import routes_of

__all__ = ["replace_openapi_route"]

_SEEN_LEVELS = 3


def _shallow_copy(content: Any, n_levels: int) -> Any:
    """A copy of the first levels of dicts and lists. Deeper levels are shared."""
    if n_levels == 0:
        return content
    if type(content) is dict:
        return {key: _shallow_copy(value, n_levels - 1) for key, value in content.items()}
    if type(content) is list:
        return [_shallow_copy(value, n_levels - 1) for value in content]
    return content


class _EncodedSchema:
    """The JSON of a schema, kept until the schema changes.

    A change is another schema object, or a difference in its first three levels: its sections, their entries (paths,
    fields of `info`, servers, tags, kinds of components) and the entries' own entries (operations, components).
    """

    def __init__(self) -> None:
        self._schema: Any = None
        self._copy: Any = None
        self._body: bytes | None = None

    def body_of(self, schema: Any) -> bytes:
        # comparing the copy takes microseconds: equality is immediate for values that are the same object
        if self._body is None or schema is not self._schema or schema != self._copy:
            body = SSRJSONResponse(schema).body
            self._schema, self._copy, self._body = schema, _shallow_copy(schema, _SEEN_LEVELS), bytes(body)
        return self._body


def _openapi_endpoint(
    app: FastAPI, stock: Callable[[Request], Awaitable[Response]]
) -> Callable[[Request], Awaitable[Response]]:
    encoded = _EncodedSchema()

    async def openapi(req: Request) -> Response:
        if req.scope.get("root_path", "").rstrip("/") or not are_seams_stock():
            return await stock(req)  # the schema may name that path among its servers
        content = CarriedBody()
        content.body = encoded.body_of(app.openapi())
        # a JSONResponse, for code that calls this endpoint and changes its response
        response: Response = CarriedResponse(content)
        return response

    return openapi


def replace_openapi_route(app: FastAPI) -> None:
    """Give FastAPI's route of the schema an endpoint that keeps the encoded bytes. Other routes stay as they are."""
    for route in routes_of(app.router):
        if type(route) is Route and route.path == app.openapi_url and _is_stock(route):
            endpoint = _openapi_endpoint(app, route.endpoint)
            route.app = Route(route.path, endpoint).app
            route.endpoint = endpoint
            return


def _is_stock(route: Route) -> bool:
    """Whether it calls the endpoint that FastAPI defines, and by an application that the route made of it."""
    codes = getattr(getattr(FastAPI.setup, "__code__", None), "co_consts", ())
    is_endpoint_stock = getattr(route.endpoint, "__code__", None) in codes and is_openapi_known()
    return is_endpoint_stock and are_alike(Route(route.path, route.endpoint).app, route.app, {})
