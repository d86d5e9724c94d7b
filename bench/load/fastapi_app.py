"""The application on FastAPI."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, cast

from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse

from bench.demo.app import Record
from bench.kit.engines import compact_dumps, peer, response_class_of
from bench.load.plan import Setting
from bench.load.shelf import Shelf, receipt

if TYPE_CHECKING:
    from ssrjson_web.fastapi import SSRJSONRequest


def create(setting: Setting, shelf: Shelf) -> FastAPI:
    """Endpoints as FastAPI's users write them; a peer is a response class, ours is `setup(app)`."""
    library = peer(setting.engine)
    if library is None:  # with an explicit response class, even stock's own, FastAPI does not encode models by pydantic
        app = FastAPI(openapi_url=None)
    else:
        app = FastAPI(openapi_url=None, default_response_class=response_class_of(library))
    if setting.engine == "ssrjson_web":
        from ssrjson_web.fastapi import setup

        setup(app)

    @app.get("/about", response_model=None)
    async def about() -> dict[str, Any]:
        return shelf.about()

    @app.get("/resident/{script}", response_model=None)
    async def resident(script: str, first: int, count: int) -> dict[str, Any]:
        return {"first": first, "records": shelf.resident(script, first, count)}

    @app.get("/models/{script}", response_model=list[Record])
    async def models(script: str, first: int, count: int) -> Any:
        return shelf.resident(script, first, count)

    @app.get("/transient/{script}", response_model=None)
    async def transient(script: str, first: int, count: int) -> dict[str, Any]:
        return {"first": first, "records": shelf.fresh(script, first, count)}

    add_streams(app, setting, shelf)
    if library is None:

        @app.post("/orders", response_model=None)
        async def order(records: list[dict[str, Any]]) -> dict[str, int]:
            return receipt(records)

    else:

        @app.post("/orders", response_model=None)
        async def order_of_peer(request: Request) -> dict[str, int]:
            return receipt(library.loads(await request.body()))

    return app


def add_streams(app: FastAPI, setting: Setting, shelf: Shelf) -> None:
    """Server-sent events, and an upload. Only ours decodes it while it arrives: the others read the whole body."""
    if setting.engine == "ssrjson_web":
        from ssrjson_web.starlette import SSRJSONEventResponse

        @app.get("/events/{script}")
        async def events(script: str, first: int, count: int) -> Response:
            return SSRJSONEventResponse(shelf.resident(script, first, count))

        @app.post("/imports", response_model=None)
        async def imports(request: Request) -> dict[str, int]:
            total = Counter[str]()
            async for record in cast("SSRJSONRequest", request).json_items():  # `setup` has made it one
                total.update(receipt([record]))
            return dict(total)

        return
    library = peer(setting.engine)
    dumps = compact_dumps if library is None else library.dumps
    loads = json.loads if library is None else library.loads

    @app.get("/events/{script}")
    async def events_of_peer(script: str, first: int, count: int) -> Response:
        async def lines() -> AsyncIterator[bytes]:
            for record in shelf.resident(script, first, count):
                yield b"data: " + dumps(record) + b"\n\n"

        return StreamingResponse(lines(), media_type="text/event-stream")

    @app.post("/imports", response_model=None)
    async def imports_of_peer(request: Request) -> dict[str, int]:
        return receipt(loads(await request.body()))
