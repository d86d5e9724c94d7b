"""One aiohttp server with a stock and with our way to each thing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aiohttp import web

from ssrjson_web.aiohttp import dumps, json_response, loads

PAGE = {"rows": [{"id": n, "标题": f"红楼梦 {n} “—” é 😀", "price": n / 7} for n in range(20)]}


async def stock_page(request: web.Request) -> web.Response:
    return web.json_response(PAGE)


async def page(request: web.Request) -> web.Response:
    return json_response(PAGE)


async def echo(request: web.Request) -> web.Response:
    """The repr of the value, for a body in any charset; of the error, with a 400."""
    options: dict[str, Any] = {} if request.path == "/stock/echo" else {"loads": loads}
    try:
        return web.json_response({"got": repr(await request.json(**options))})
    except ValueError as error:
        return web.json_response({"error": str(error)}, status=400)


async def raw(request: web.Request) -> web.Response:
    """The request's body and content-type, as they came."""
    return web.Response(body=await request.read(), headers={"X-Content-Type": request.headers.get("Content-Type", "")})


async def frames(request: web.Request) -> web.WebSocketResponse:
    websocket = web.WebSocketResponse()
    await websocket.prepare(request)
    await websocket.send_json([await websocket.receive_json(loads=loads)], dumps=dumps)
    await websocket.close()
    return websocket


async def typed(request: web.Request) -> web.Response:
    """A response of the query's status, content-type and hexadecimal body."""
    asked = request.query
    headers = {"Content-Type": asked["type"]} if "type" in asked else {}
    return web.Response(body=bytes.fromhex(asked.get("hex", "")), status=int(asked.get("status", 200)), headers=headers)


async def shop(request: web.Request) -> web.Response:
    """For the example in docs/clients.md."""
    return json_response({"sent": list(await request.json(loads=loads))})


async def broken(request: web.Request) -> web.Response:
    return web.Response(body=b"<html>", headers={"Content-Type": "text/html"})


def build(words: Sequence[str] = ()) -> web.Application:
    made = web.Application()
    made.router.add_get("/stock/page", stock_page)
    made.router.add_get("/page", page)
    made.router.add_post("/stock/echo", echo)
    made.router.add_post("/echo", echo)
    made.router.add_post("/raw", raw)
    made.router.add_get("/frames", frames)
    made.router.add_get("/typed", typed)
    made.router.add_post("/shop/books", shop)
    made.router.add_post("/broken/books", broken)
    return made
