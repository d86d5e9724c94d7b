"""A bookshop's Quart application: a catalogue to page through, to add to, to export and to watch.

python examples/quart_app.py                     # hypercorn; then: curl http://127.0.0.1:8000/books
uvicorn --app-dir examples quart_app:app
curl http://127.0.0.1:8000/export                # one JSON array, streamed
curl -N http://127.0.0.1:8000/prices.jsonl       # JSON Lines, one every now and then
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import itertools
import random
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

from quart import Quart, Response, abort, jsonify, request, websocket

from ssrjson_web.quart import SSRJSON, stream_array, stream_lines

TITLES = ["红楼梦", "吾輩は猫である", "Мастер и Маргарита", "À la recherche du temps perdu", "Middlemarch 📖"]
N_BOOKS = 20_000

app = Quart(__name__)
app.config["MAX_CONTENT_LENGTH"] = 10_000
SSRJSON(app, mode="fast", max_depth=8)


@app.while_serving
async def catalogue() -> AsyncIterator[None]:
    """The catalogue in an in-memory database, which lives as long as the application."""
    with contextlib.closing(sqlite3.connect(":memory:", check_same_thread=False)) as database:
        database.row_factory = sqlite3.Row
        database.execute("CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, price REAL)")
        titles = itertools.cycle(TITLES)
        books = ((i, f"{next(titles)}, vol. {i}", 5 + i % 40) for i in range(1, N_BOOKS + 1))
        database.executemany("INSERT INTO books VALUES (?, ?, ?)", books)
        app.extensions["database"] = database
        yield


def rows() -> Iterator[dict[str, Any]]:
    """All books, read one by one. The export reads them in a thread."""
    with contextlib.closing(app.extensions["database"].cursor()) as cursor:
        for row in cursor.execute("SELECT id, title, price FROM books ORDER BY id"):
            yield dict(row)


@app.get("/books")
async def list_books() -> dict[str, Any]:
    """The first books. Plain data is sent as JSON."""
    return {"books": list(itertools.islice(rows(), 5)), "on": datetime.date(2026, 1, 1), "total": N_BOOKS}


@app.post("/books")
async def add_book() -> tuple[Response, int]:
    """Add a book with a title and a price. Quart answers invalid JSON, and JSON nested too deeply, with status 400."""
    book = await request.get_json()
    if not isinstance(book, dict) or set(book) != {"title", "price"}:
        abort(422, "A book has a title and a price")
    statement = "INSERT INTO books (title, price) VALUES (:title, :price) RETURNING id"
    (number,) = app.extensions["database"].execute(statement, book).fetchone()
    return jsonify(id=number, **book), 201


@app.get("/export")
async def export_array() -> Response:
    return stream_array(rows())


@app.get("/prices.jsonl")
async def prices() -> Response:
    """A ticker that runs while the client listens."""

    async def ticks() -> AsyncIterator[dict[str, Any]]:
        for tick in itertools.count(1):
            yield {"tick": tick, "title": random.choice(TITLES), "price": round(random.uniform(5, 50), 2)}
            await asyncio.sleep(0.2)

    return stream_lines(ticks())


@app.websocket("/counter")
async def counter() -> None:
    """Echo what a customer says, with the number of messages up to now."""
    for number in itertools.count(1):
        await websocket.send_json({"said": await websocket.receive_json(), "number": number})


if __name__ == "__main__":
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    config = Config()
    config.bind = [f"127.0.0.1:{sys.argv[1] if len(sys.argv) > 1 else 8000}"]
    asyncio.run(serve(app, config))
