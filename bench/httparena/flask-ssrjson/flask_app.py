"""Flask with `ssrjson_web.flask.SSRJSON`: an entry of HttpArena."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import psycopg
from flask import Flask, request
from flask_compress import Compress
from psycopg.types.json import set_json_loads
from psycopg_pool import ConnectionPool

from ssrjson_web import loads
from ssrjson_web.flask import SSRJSON

ITEMS: list[dict[str, Any]] = json.loads(Path(os.environ.get("DATASET_PATH", "/data/dataset.json")).read_text())
QUERY = (
    "SELECT id, name, category, price, quantity, active, tags, rating_score, rating_count"
    " FROM items WHERE price BETWEEN %s AND %s LIMIT %s"
)
COLUMNS = ("id", "name", "category", "price", "quantity", "active", "tags")
EMPTY: dict[str, Any] = {"items": [], "count": 0}
MAX_ITEMS = 50
UPLOAD_CHUNK = 1 << 18
TEXT = {"Content-Type": "text/plain; charset=utf-8"}

set_json_loads(loads)
app = Flask(__name__, static_folder=None)
SSRJSON(app, mode="fast")
# clients of HttpArena accept gzip and br; gzip has the best score for its time
app.config.update(COMPRESS_ALGORITHM=["gzip"], COMPRESS_LEVEL=5, COMPRESS_MIN_SIZE=1)
Compress(app)


class Database:
    """A pool of connections, opened by the first request that needs one."""

    def __init__(self) -> None:
        self._pool: ConnectionPool | None = None
        self._opening = threading.Lock()

    def rows(self, *arguments: int) -> list[Any]:
        with self._opening:
            self._pool = self._pool or ConnectionPool(
                os.environ["DATABASE_URL"], min_size=1, max_size=_connections_of_a_worker(), timeout=5, open=True
            )
        with self._pool.connection() as connection:
            return connection.execute(QUERY, arguments).fetchall()


def _connections_of_a_worker() -> int:
    most, workers = int(os.environ.get("DATABASE_MAX_CONN", "256")), len(os.sched_getaffinity(0))
    return max(1, most * 9 // 10 // workers)


database = Database()


@app.get("/pipeline")
def pipeline() -> Any:
    return "ok", TEXT


@app.route("/baseline11", methods=["GET", "POST"])
def total() -> Any:
    numbers = [int(request.args["a"]), int(request.args["b"])]
    if request.method == "POST":
        numbers.append(int(request.get_data()))
    return str(sum(numbers)), TEXT


@app.get("/json/<int:count>")
def items(count: int) -> Any:
    m = request.args.get("m", 1, type=int)
    chosen = [{**item, "total": item["price"] * item["quantity"] * m} for item in ITEMS[:count]]
    return {"items": chosen, "count": len(chosen)}


@app.get("/async-db")
def items_of_database() -> Any:
    low, high = request.args.get("min", 10, type=int), request.args.get("max", 50, type=int)
    limit = min(max(request.args.get("limit", MAX_ITEMS, type=int), 1), MAX_ITEMS)
    try:
        rows = database.rows(low, high, limit)
    except (OSError, KeyError, psycopg.Error):
        return EMPTY
    found = [_item_of(row) for row in rows]
    return {"items": found, "count": len(found)}


def _item_of(row: Any) -> dict[str, Any]:
    *values, score, count = row
    item = dict(zip(COLUMNS, values, strict=True))
    item["rating"] = {"score": score, "count": count}
    return item


@app.post("/upload")
def upload() -> Any:
    n_bytes = 0
    while chunk := request.stream.read(UPLOAD_CHUNK):
        n_bytes += len(chunk)
    return str(n_bytes), TEXT
