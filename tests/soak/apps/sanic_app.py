"""On Sanic, with our functions."""

from __future__ import annotations

from sanic import Request, Sanic, json
from sanic.response import HTTPResponse
from soaked import page, tasks

from ssrjson_web.sanic import dumps, loads

app = Sanic("soak", dumps=dumps, loads=loads)


@app.get("/page")
async def show_page(request: Request) -> HTTPResponse:
    return json(page())


@app.post("/echo")
async def echo(request: Request) -> HTTPResponse:
    return json({"got": request.json})


@app.get("/tasks")
async def show_tasks(request: Request) -> HTTPResponse:
    return json(tasks())
