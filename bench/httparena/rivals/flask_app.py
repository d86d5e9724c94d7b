"""Flask by HttpArena's rules: `ARENA_ENGINE` is stock or orjson."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import psycopg
from flask import Flask, request
from flask.json.provider import DefaultJSONProvider
from flask_compress import Compress
from psycopg.rows import dict_row
from psycopg.types.json import set_json_loads
from psycopg_pool import ConnectionPool

from bench.httparena.rivals.database import MAX_ITEMS, QUERY, answer_of

ENGINE = os.environ["ARENA_ENGINE"]
ITEMS: list[dict[str, Any]] = json.loads(Path(os.environ["DATASET_PATH"]).read_text(encoding="utf-8"))
UPLOAD_CHUNK = 1 << 18
if ENGINE == "orjson":  # no engine is charged with the memory of another's imports
    import orjson
TEXT = {"Content-Type": "text/plain; charset=utf-8"}


class ORJSONProvider(DefaultJSONProvider):
    """Answers made by orjson, with the keys in the order of the dict."""

    def response(self, *args: Any, **kwargs: Any) -> Any:
        body = orjson.dumps(self._prepare_response_obj(args, kwargs), option=orjson.OPT_APPEND_NEWLINE)
        response_class: Any = self._app.response_class
        return response_class(body, mimetype=self.mimetype)


app = Flask(__name__, static_folder=None)
app.config.update(COMPRESS_ALGORITHM=["gzip"], COMPRESS_LEVEL=5, COMPRESS_MIN_SIZE=1)
if ENGINE == "orjson":
    app.json = ORJSONProvider(app)
    set_json_loads(orjson.loads)
Compress(app)


class Database:
    """A pool of connections, opened by the first request that needs one."""

    def __init__(self) -> None:
        self._pool: Any = None
        self._opening = threading.Lock()

    def rows(self, *arguments: int) -> list[Any]:
        most = int(os.environ["DATABASE_MAX_CONN"]) * 9 // 10 // len(os.sched_getaffinity(0))
        with self._opening:
            self._pool = self._pool or ConnectionPool(
                os.environ["DATABASE_URL"],
                min_size=1,
                max_size=most,
                timeout=5,
                open=True,
                kwargs={"row_factory": dict_row},
            )
        with self._pool.connection() as connection:
            rows: list[Any] = connection.execute(QUERY.format("%s", "%s", "%s"), arguments).fetchall()
        return rows


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
        rows = []
    return answer_of(rows)


@app.post("/upload")
def upload() -> Any:
    n_bytes = 0
    while chunk := request.stream.read(UPLOAD_CHUNK):
        n_bytes += len(chunk)
    return str(n_bytes), TEXT
