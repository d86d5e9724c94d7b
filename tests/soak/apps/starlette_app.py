"""On Starlette, with our route and responses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from soaked import async_rows, page, rows, tasks, told
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ssrjson_web import Decoder
from ssrjson_web.starlette import SSRJSONLinesResponse, SSRJSONRequest, SSRJSONRoute, SSRJSONStreamingResponse


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


@dataclass
class Item:
    a: Any
    tags: list[str] = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)
    inner: Item | None = None


async def take_items(request: SSRJSONRequest) -> Any:
    return told([item async for item in request.json_items(lines="lines" in request.url.path, max_item_size=None)])


async def take_parts(request: SSRJSONRequest) -> Any:
    try:
        return told(await request.json(only=("/a/*/a", "/*/0", "/more")))
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, ascii(str(error))) from error


def taking(decode: Callable[[bytes], Any]) -> Callable[[Request], Any]:
    async def take(request: Request) -> Any:
        try:
            return told(decode(await request.body()))
        except (ValueError, RecursionError) as error:
            raise HTTPException(422, ascii(str(error))) from error

    return take


TAKING = {
    "/items": take_items,
    "/items/lines": take_items,
    "/only": take_parts,
    "/typed": taking(Decoder(type=Item).decode),
    "/jsonc": taking(Decoder(jsonc=True).decode),
}

app = Starlette(
    routes=[
        SSRJSONRoute("/page", show_page),
        SSRJSONRoute("/echo", echo, methods=["POST"]),
        SSRJSONRoute("/stream", stream),
        SSRJSONRoute("/lines", lines),
        SSRJSONRoute("/tasks", show_tasks),
        *(SSRJSONRoute(path, take, methods=["POST"]) for path, take in TAKING.items()),
    ]
)
