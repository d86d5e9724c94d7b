"""An API of Ninja: what it answers, what it validates, and its errors."""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Iterator
from typing import Any

from django.test import RequestFactory
from django.urls import path, resolve
from ninja import Body, NinjaAPI

from ssrjson_web._cli.verify.corpora.pydantic import Order
from ssrjson_web._cli.verify.corpora.values import BODIES, ORDER, VALUES, Pair, orders
from ssrjson_web.ninja import setup

__all__ = ["pairs"]


def _api(name: str) -> NinjaAPI:
    api = NinjaAPI(urls_namespace=name)

    @api.get("/value/{n}")
    def value(request: Any, n: int) -> Any:
        return VALUES[n]

    @api.post("/order", response=Order)
    def order(request: Any, body: Order) -> Any:
        return body

    @api.post("/models", response=Order)
    def models(request: Any, body: Body[dict[str, Any]]) -> Any:
        return body

    @api.post("/echo")
    def echo(request: Any, body: Body[dict[str, Any]]) -> Any:
        return body

    return api


def _asker(api: NinjaAPI, name: str) -> Callable[[str, str, Any], Callable[[], Any]]:
    urls: Any = types.ModuleType(name)
    urls.urlpatterns = [path("", api.urls)]
    factory = RequestFactory()

    def exchange(method: str, path_of: str, body: Any) -> Any:
        request = factory.generic(method, path_of, body or b"", content_type="application/json")
        view, args, kwargs = resolve(path_of, urlconf=urls)
        response = view(request, *args, **kwargs)
        return response.status_code, dict(response.headers), response.content

    return lambda method, path_of, body: lambda: exchange(method, path_of, body)


def pairs() -> Iterator[Pair]:
    """Values that are answered, and bodies that are validated and answered."""
    theirs, api = _api("stock"), _api("ours")
    setup(api)
    stock, ours = _asker(theirs, "stock_urls"), _asker(api, "our_urls")
    requests = [("GET", f"/value/{n}", b"") for n in range(len(VALUES))]
    requests += [("POST", where, body) for where in ("/order", "/echo") for body in BODIES]
    for where in ("/order", "/models"):
        requests += [("POST", where, json.dumps(order).encode()) for order in (*orders(), *[ORDER] * 3)]
    for request in requests:
        yield f"{request}", stock(*request), ours(*request)
