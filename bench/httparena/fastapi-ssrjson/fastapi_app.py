"""FastAPI with `ssrjson_web.fastapi.setup`: an entry of HttpArena."""

import asyncio
import json
import os
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import asyncpg
from fastapi import FastAPI, Query, Request
from fastapi.responses import PlainTextResponse
from starlette_compress import CompressMiddleware

from ssrjson_web import loads
from ssrjson_web.fastapi import setup

ITEMS: list[dict[str, Any]] = json.loads(Path(os.environ.get("DATASET_PATH", "/data/dataset.json")).read_text())
QUERY = (
    "SELECT id, name, category, price, quantity, active, tags, rating_score, rating_count"
    " FROM items WHERE price BETWEEN $1 AND $2 LIMIT $3"
)
COLUMNS = ("id", "name", "category", "price", "quantity", "active", "tags")
EMPTY: dict[str, Any] = {"items": [], "count": 0}
MAX_ITEMS = 50


class Database:
    """A pool of connections, opened by the first request that can have one."""

    def __init__(self) -> None:
        self._pool: Any = None
        self._opening = asyncio.Lock()

    async def rows(self, *arguments: int) -> list[Any]:
        if self._pool is None:
            async with self._opening:
                self._pool = self._pool or await asyncpg.create_pool(
                    os.environ["DATABASE_URL"], min_size=1, max_size=_connections_of_a_worker(), init=_set_up_connection
                )
        rows: list[Any] = await self._pool.fetch(QUERY, *arguments)
        return rows

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.close()


def _connections_of_a_worker() -> int:
    most, workers = int(os.environ.get("DATABASE_MAX_CONN", "256")), len(os.sched_getaffinity(0))
    return max(1, most * 9 // 10 // workers)


async def _set_up_connection(connection: Any) -> None:
    await connection.set_type_codec("jsonb", schema="pg_catalog", encoder=json.dumps, decoder=loads)


database = Database()


@asynccontextmanager
async def lifespan(_: FastAPI) -> Any:
    yield
    await database.close()


app = FastAPI(lifespan=lifespan)
setup(app)
# clients of HttpArena accept gzip and br; gzip has the best score for its time
app.add_middleware(CompressMiddleware, minimum_size=1, zstd=False, brotli=False, gzip_level=5)


@app.get("/pipeline", response_class=PlainTextResponse)
async def pipeline() -> str:
    return "ok"


@app.get("/baseline11", response_class=PlainTextResponse)
async def total(a: int, b: int) -> str:
    return str(a + b)


@app.post("/baseline11", response_class=PlainTextResponse)
async def total_with_body(a: int, b: int, request: Request) -> str:
    return str(a + b + int(await request.body()))


@app.get("/json/{count}")
async def items(count: int, m: int = 1) -> Any:
    chosen = [{**item, "total": item["price"] * item["quantity"] * m} for item in ITEMS[:count]]
    return {"items": chosen, "count": len(chosen)}


@app.get("/async-db")
async def items_of_database(
    low: Annotated[int, Query(alias="min")] = 10, high: Annotated[int, Query(alias="max")] = 50, limit: int = MAX_ITEMS
) -> Any:
    try:
        rows = await database.rows(low, high, min(max(limit, 1), MAX_ITEMS))
    except (OSError, KeyError, asyncpg.PostgresError, asyncpg.InterfaceError):
        return EMPTY
    found = [_item_of(row) for row in rows]
    return {"items": found, "count": len(found)}


def _item_of(row: Any) -> dict[str, Any]:
    *values, score, count = row.values()
    item = dict(zip(COLUMNS, values, strict=True))
    item["rating"] = {"score": score, "count": count}
    return item


@app.post("/upload", response_class=PlainTextResponse)
async def upload(request: Request) -> str:
    n_bytes = 0
    async for chunk in request.stream():
        n_bytes += len(chunk)
    return str(n_bytes)
