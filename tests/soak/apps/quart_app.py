"""On Quart, with our extension."""

from __future__ import annotations

from typing import Any

from quart import Quart, Response, request
from soaked import async_rows, page, rows, tasks

from ssrjson_web.quart import SSRJSON, stream_array, stream_lines

app = Quart(__name__)
SSRJSON(app, mode="fast")


@app.get("/page")
async def show_page() -> Any:
    return page()


@app.post("/echo")
async def echo() -> Any:
    return {"got": await request.get_json()}


@app.get("/stream")
async def stream() -> Response:
    return stream_array(rows())


@app.get("/lines")
async def lines() -> Response:
    return stream_lines(async_rows())


@app.get("/tasks")
async def show_tasks() -> Any:
    return tasks()
