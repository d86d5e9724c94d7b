"""FastAPI by HttpArena's rules: `ARENA_ENGINE` is dict, pydantic, stock or orjson.

`dict` and `pydantic` return values to FastAPI, which converts the first with `jsonable_encoder`, and gives the others
to pydantic, because their type is declared. `stock` returns a `JSONResponse`, and `orjson` one that is made by orjson.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Annotated, Any

import asyncpg
from fastapi import FastAPI, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse

from bench.httparena.rivals.database import MAX_ITEMS, QUERY, answer_of

ENGINE = os.environ["ARENA_ENGINE"]
ITEMS: list[dict[str, Any]] = json.loads(Path(os.environ["DATASET_PATH"]).read_text(encoding="utf-8"))
IS_ORJSON = ENGINE == "orjson"
if IS_ORJSON:  # no engine is charged with the memory of another's imports
    import orjson
    from starlette_compress import CompressMiddleware
else:
    from starlette.middleware.gzip import GZipMiddleware


class ORJSONAnswer(JSONResponse):
    """A response made by orjson; FastAPI's own is deprecated."""

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content)


answer: Any = {"stock": JSONResponse, "orjson": ORJSONAnswer}.get(ENGINE, lambda value: value)
DECLARED = Any if ENGINE == "pydantic" else None
app = FastAPI()
if IS_ORJSON:
    app.add_middleware(CompressMiddleware, minimum_size=1, zstd=False, brotli=False, gzip_level=5)
else:
    app.add_middleware(GZipMiddleware, minimum_size=1, compresslevel=5)


class Database:
    """A pool of connections, opened by the first request that can have one."""

    def __init__(self) -> None:
        self._pool: Any = None
        self._opening = asyncio.Lock()

    async def rows(self, *arguments: int) -> list[Any]:
        if self._pool is None:
            async with self._opening:
                most = int(os.environ["DATABASE_MAX_CONN"]) * 9 // 10 // len(os.sched_getaffinity(0))
                self._pool = self._pool or await asyncpg.create_pool(
                    os.environ["DATABASE_URL"], min_size=1, max_size=most, init=_set_up_connection
                )
        rows: list[Any] = await self._pool.fetch(QUERY.format("$1", "$2", "$3"), *arguments)
        return rows


async def _set_up_connection(connection: Any) -> None:
    decoder = orjson.loads if IS_ORJSON else json.loads
    await connection.set_type_codec("jsonb", schema="pg_catalog", encoder=json.dumps, decoder=decoder)


database = Database()


@app.get("/pipeline", response_class=PlainTextResponse)
async def pipeline() -> str:
    return "ok"


@app.get("/baseline11", response_class=PlainTextResponse)
async def total(a: int, b: int) -> str:
    return str(a + b)


@app.post("/baseline11", response_class=PlainTextResponse)
async def total_with_body(a: int, b: int, request: Request) -> str:
    return str(a + b + int(await request.body()))


@app.get("/json/{count}", response_model=DECLARED)
async def items(count: int, m: int = 1) -> Any:
    chosen = [{**item, "total": item["price"] * item["quantity"] * m} for item in ITEMS[:count]]
    return answer({"items": chosen, "count": len(chosen)})


@app.get("/async-db", response_model=DECLARED)
async def items_of_database(
    low: Annotated[int, Query(alias="min")] = 10, high: Annotated[int, Query(alias="max")] = 50, limit: int = MAX_ITEMS
) -> Any:
    try:
        rows = await database.rows(low, high, min(max(limit, 1), MAX_ITEMS))
    except (OSError, KeyError, asyncpg.PostgresError, asyncpg.InterfaceError):
        rows = []
    return answer(answer_of(rows))


@app.post("/upload", response_class=PlainTextResponse)
async def upload(request: Request) -> str:
    n_bytes = 0
    async for chunk in request.stream():
        n_bytes += len(chunk)
    return str(n_bytes)
