"""One Falcon API in two versions, stock and with our handler, for WSGI and for ASGI."""

from __future__ import annotations

from typing import Any

import falcon
import falcon.asgi

from ssrjson_web.falcon import setup

VALUES: dict[str, Any] = {
    "page": {"rows": [{"id": n, "标题": f"红楼梦 {n} “—” é 😀", "price": n / 7} for n in range(20)]},
    "numbers": [0, -1, 10**30, 1.0, -0.0, 1e16, 1e-7, float("nan"), -float("inf")],
    "keys": {1: "int", 2.5: "float", None: "none", "s": (True, None)},
    "text": '"\\/\b\f\n\r\t\0\x1f\x7f\u2028',
    "object": [object],
    "tuple as key": {(1, 2): 3},
    "none": None,
    "empty": [],
}


class Values:
    def on_get(self, request: Any, response: Any, name: str) -> None:
        response.media = VALUES[name]


class AsyncValues:
    async def on_get(self, request: Any, response: Any, name: str) -> None:
        response.media = VALUES[name]


class Echo:
    def on_post(self, request: Any, response: Any) -> None:
        response.media = {"got": repr(request.get_media())}

    def on_put(self, request: Any, response: Any) -> None:
        response.media = {"got": repr(request.get_media(default_when_empty="nothing"))}

    def on_get(self, request: Any, response: Any) -> None:
        response.media = request.get_param_as_media("q")


class AsyncEcho:
    async def on_post(self, request: Any, response: Any) -> None:
        response.media = {"got": repr(await request.get_media())}

    async def on_put(self, request: Any, response: Any) -> None:
        response.media = {"got": repr(await request.get_media(default_when_empty="nothing"))}

    async def on_get(self, request: Any, response: Any) -> None:
        response.media = request.get_param_as_media("q")

    async def on_websocket(self, request: Any, websocket: Any) -> None:
        await websocket.accept()
        await websocket.send_media([await websocket.receive_media()])


class Refusal:
    def on_get(self, request: Any, response: Any) -> None:
        raise falcon.HTTPBadRequest(title="Übel", description="没有", code=7, href="http://a/é")


class AsyncRefusal:
    async def on_get(self, request: Any, response: Any) -> None:
        raise falcon.HTTPBadRequest(title="Übel", description="没有", code=7, href="http://a/é")


def build(kind: Any, *resources: Any) -> Any:
    made = kind()
    for path, resource in zip(("/values/{name}", "/echo", "/refusal"), resources, strict=True):
        made.add_route(path, resource)
    return made


stock = build(falcon.App, Values(), Echo(), Refusal())
ours = build(falcon.App, Values(), Echo(), Refusal())
setup(ours)
async_stock = build(falcon.asgi.App, AsyncValues(), AsyncEcho(), AsyncRefusal())
async_ours = build(falcon.asgi.App, AsyncValues(), AsyncEcho(), AsyncRefusal())
setup(async_ours)
