"""On Litestar, with our classes."""

from __future__ import annotations

from typing import Any

from litestar import Litestar, get, post
from soaked import page, tasks

from ssrjson_web.litestar import SSRJSONRequest, SSRJSONResponse


@get("/page")
async def show_page() -> Any:
    return page()


@post("/echo", status_code=200)
async def echo(data: Any) -> Any:
    return {"got": data}


@get("/tasks")
async def show_tasks() -> Any:
    return tasks()


app = Litestar(
    [show_page, echo, show_tasks],
    openapi_config=None,
    request_class=SSRJSONRequest,
    response_class=SSRJSONResponse,
    request_max_body_size=None,
)
