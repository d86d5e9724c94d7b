"""On aiohttp, with our functions."""

from __future__ import annotations

import sys

from aiohttp import web
from soaked import page, tasks

from ssrjson_web.aiohttp import json_response, loads


async def show_page(request: web.Request) -> web.Response:
    return json_response(page())


async def echo(request: web.Request) -> web.Response:
    try:
        got = await request.json(loads=loads)
    except (ValueError, RecursionError) as error:
        return json_response({"error": type(error).__name__}, status=400)
    return json_response({"got": got})


async def show_tasks(request: web.Request) -> web.Response:
    return json_response(tasks())


app = web.Application(client_max_size=4_000_000)
app.router.add_get("/page", show_page)
app.router.add_post("/echo", echo)
app.router.add_get("/tasks", show_tasks)

if __name__ == "__main__":
    web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]))
