"""The application that every engine serves: pages of one resident catalogue, and the demo's own controls."""

from __future__ import annotations

import json
import os
import time
from array import array
from collections.abc import Mapping
from statistics import median
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bench.demo.engines import Engine
from bench.kit.records import PAGE_RECORDS, Catalogue, make_page
from ssrjson_web import memory, scan_utf8_cache

__all__ = ["create_app"]

_WARMUP_SEED_OFFSET = 1_000_000


class Review(BaseModel):
    author: str
    stars: int
    text: str


class Record(BaseModel):
    id: int
    sku: str
    name: str
    category: str
    description: str
    price: float
    stock: int
    updated: str
    tags: list[str]
    reviews: list[Review]


class Page(BaseModel):
    page: int
    records: list[Record]


def create_app(*, engine: Engine, catalogue: Catalogue) -> ASGIApp:
    """`GET /records?page=N`, answered by `engine`; `GET /warmup` does the same with other records.

    The endpoint returns an instance of the engine's response class, so FastAPI does not call
    `jsonable_encoder`. For pydantic the endpoint returns a dict under `response_model`.
    """
    app = FastAPI(openapi_url=None)
    stopwatch = _Stopwatch(pages=catalogue.pages)
    _add_controls(app, catalogue=catalogue, stopwatch=stopwatch)
    if engine.response_class is None:
        _add_model_pages(app, catalogue=catalogue, stopwatch=stopwatch)
        return _until_response_start(app, stopwatch=stopwatch)
    _add_pages(app, catalogue=catalogue, stopwatch=stopwatch, response_class=engine.response_class())
    return app


def _add_pages(app: FastAPI, *, catalogue: Catalogue, stopwatch: _Stopwatch, response_class: type[Response]) -> None:
    @app.get("/records")
    async def records(page: int) -> Response:
        content = {"page": page, "records": catalogue.page(page)}
        stopwatch.start(page)
        response = response_class(content)
        stopwatch.stop()
        return response

    @app.get("/warmup")
    async def warmup(page: int) -> Response:
        return response_class({"page": page, "records": _warmup_page(page, catalogue=catalogue)})


def _add_model_pages(app: FastAPI, *, catalogue: Catalogue, stopwatch: _Stopwatch) -> None:
    @app.get("/records", response_model=Page)
    async def records(page: int) -> Any:
        content = {"page": page, "records": catalogue.page(page)}
        stopwatch.start(page)
        return content

    @app.get("/warmup", response_model=Page)
    async def warmup(page: int) -> Any:
        return {"page": page, "records": _warmup_page(page, catalogue=catalogue)}


def _warmup_page(page: int, *, catalogue: Catalogue) -> list[dict[str, Any]]:
    """Records like those of the catalogue, which are freed after the response."""
    count = (page + 1) * PAGE_RECORDS
    return make_page(page, of=count, script=catalogue.script, seed=catalogue.seed + _WARMUP_SEED_OFFSET)


def _add_controls(app: FastAPI, *, catalogue: Catalogue, stopwatch: _Stopwatch) -> None:
    """The demo's own requests to its server. stdlib's json answers them: it leaves no cached UTF-8 copies."""

    @app.get("/demo/about")
    async def about() -> Response:
        sizes = {"n_bytes": catalogue.n_bytes, "text_bytes": catalogue.text_bytes}
        return _control({"records": len(catalogue.records), **sizes})

    @app.get("/demo/process")
    async def process() -> Response:
        return _control({"pid": os.getpid()})

    @app.get("/demo/trim")
    async def trim() -> Response:
        return _control({"trimmed": memory.trim()})

    @app.get("/demo/caches")
    async def caches() -> Response:
        return _control(scan_utf8_cache(catalogue.records))

    @app.get("/demo/encode-times")
    async def encode_times() -> Response:
        return _control(stopwatch.medians_us())


def _control(content: Mapping[str, Any]) -> Response:
    return Response(json.dumps(content), media_type="application/json")


class _Stopwatch:
    """Times from the records to the finished response, separately for the first time a page is served and for later."""

    def __init__(self, *, pages: int) -> None:
        self._served = bytearray(pages)
        self._first_ns = array("Q")
        self._again_ns = array("Q")
        self._page = 0
        self._started_ns = 0

    def start(self, page: int) -> None:
        self._page = page
        self._started_ns = time.perf_counter_ns()

    def stop(self) -> None:
        """Without an `await` between start and stop no other request can come between them."""
        if not self._started_ns:
            return
        elapsed_ns = time.perf_counter_ns() - self._started_ns
        self._started_ns = 0
        times = self._again_ns if self._served[self._page] else self._first_ns
        times.append(elapsed_ns)
        self._served[self._page] = 1

    def medians_us(self) -> dict[str, float | None]:
        return {
            "first": median(self._first_ns) / 1000 if self._first_ns else None,
            "again": median(self._again_ns) / 1000 if self._again_ns else None,
        }


def _until_response_start(app: ASGIApp, *, stopwatch: _Stopwatch) -> ASGIApp:
    """`app`, which stops the watch at the first byte: with response_model there is no class to time by itself."""

    async def timed(scope: Scope, receive: Receive, send: Send) -> None:
        async def stopping_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                stopwatch.stop()
            await send(message)

        await app(scope, receive, stopping_send)

    return timed
