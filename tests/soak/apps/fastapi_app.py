"""On FastAPI, with our set-up."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body, FastAPI
from soaked import async_rows, page, rows, tasks
from starlette.responses import Response

from ssrjson_web.fastapi import setup
from ssrjson_web.starlette import SSRJSONLinesResponse, SSRJSONStreamingResponse

app = FastAPI(openapi_url=None)
setup(app)


@app.get("/page", response_model=None)
async def show_page() -> Any:
    return page()


@app.post("/echo", response_model=None)
def echo(got: Annotated[Any, Body()]) -> Any:
    return {"got": got}


@app.get("/stream")
async def stream() -> Response:
    return SSRJSONStreamingResponse(rows())


@app.get("/lines")
async def lines() -> Response:
    return SSRJSONLinesResponse(async_rows())


@app.get("/tasks", response_model=None)
async def show_tasks() -> Any:
    return tasks()
