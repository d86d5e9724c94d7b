"""An application of Starlette: what it answers, and what it decodes of a request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from ssrjson_web._cli.verify.corpora.exchange import asker
from ssrjson_web._cli.verify.corpora.values import BODIES, VALUES, Pair
from ssrjson_web.starlette import SSRJSONResponse, SSRJSONRoute

__all__ = ["pairs"]


def _application(route_class: Any, response_class: Any) -> Starlette:
    async def value(request: Request) -> Any:
        return response_class(VALUES[request.path_params["n"]])

    async def echo(request: Request) -> Any:
        return response_class(await request.json(), status_code=201, headers={"x-of": "us"})

    routes = [route_class("/value/{n:int}", value), route_class("/echo", echo, methods=["POST"])]
    return Starlette(routes=routes)


def pairs() -> Iterator[Pair]:
    """Values that are answered, and bodies that are decoded and answered."""
    stock, ours = asker(_application(Route, JSONResponse)), asker(_application(SSRJSONRoute, SSRJSONResponse))
    requests = [("GET", f"/value/{n}", b"") for n in range(len(VALUES))]
    requests += [("POST", "/echo", body) for body in BODIES]
    for request in requests:
        yield f"{request}", stock(*request), ours(*request)
