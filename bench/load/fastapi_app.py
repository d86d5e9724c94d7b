"""The application on FastAPI."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from bench.load.peers import Peer, peer
from bench.load.plan import Setting
from bench.load.shelf import Shelf, receipt
from ssrjson_web._cli.demo.app import Record


def create(setting: Setting, shelf: Shelf) -> FastAPI:
    """Endpoints as FastAPI's users write them; a peer is a response class, ours is `setup(app)`."""
    library = peer(setting.engine)
    if library is None:  # with an explicit response class, even stock's own, FastAPI does not encode models by pydantic
        app = FastAPI(openapi_url=None)
    else:
        app = FastAPI(openapi_url=None, default_response_class=_response_class(library))
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

    if library is None:

        @app.post("/orders", response_model=None)
        async def order(records: list[dict[str, Any]]) -> dict[str, int]:
            return receipt(records)

    else:

        @app.post("/orders", response_model=None)
        async def order_of_peer(request: Request) -> dict[str, int]:
            return receipt(library.loads(await request.body()))

    return app


def _response_class(library: Peer) -> type[JSONResponse]:
    class PeerResponse(JSONResponse):
        def render(self, content: Any) -> bytes:
            return library.dumps(content)

    return PeerResponse
