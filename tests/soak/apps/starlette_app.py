"""On Starlette, with our route and responses."""

from __future__ import annotations

from typing import Any

from soaked import async_rows, page, rows, tasks
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ssrjson_web.starlette import SSRJSONLinesResponse, SSRJSONRoute, SSRJSONStreamingResponse


async def show_page(request: Request) -> Any:
    return page()


async def echo(request: Request) -> Any:
    try:
        return {"got": await request.json()}
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, "no JSON") from error


async def stream(request: Request) -> Response:
    return SSRJSONStreamingResponse(rows())


async def lines(request: Request) -> Response:
    return SSRJSONLinesResponse(async_rows())


async def show_tasks(request: Request) -> Any:
    return tasks()


app = Starlette(
    routes=[
        SSRJSONRoute("/page", show_page),
        SSRJSONRoute("/echo", echo, methods=["POST"]),
        SSRJSONRoute("/stream", stream),
        SSRJSONRoute("/lines", lines),
        SSRJSONRoute("/tasks", show_tasks),
    ]
)
