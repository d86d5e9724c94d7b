"""A bookshop's Starlette application: a catalogue to page through, to export, to watch and to talk to.

python examples/starlette_app.py            # then: curl http://127.0.0.1:8000/books
curl http://127.0.0.1:8000/export           # one JSON array, streamed
curl http://127.0.0.1:8000/export.jsonl     # JSON Lines, streamed
curl -N http://127.0.0.1:8000/prices        # server-sent events
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket

from ssrjson_web.starlette import (
    SSRJSONEventResponse,
    SSRJSONLinesResponse,
    SSRJSONRequest,
    SSRJSONRoute,
    SSRJSONStreamingResponse,
    SSRJSONWebSocketRoute,
    json_event,
)

TITLES = ["红楼梦", "吾輩は猫である", "Мастер и Маргарита", "À la recherche du temps perdu", "Middlemarch 📖"]
N_BOOKS = 20_000


@contextlib.asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
    """The catalogue in an in-memory database, which lives as long as the application."""
    with contextlib.closing(sqlite3.connect(":memory:", check_same_thread=False)) as database:
        database.row_factory = sqlite3.Row
        database.execute("CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, price REAL)")
        titles = itertools.cycle(TITLES)
        books = ((i, f"{next(titles)}, vol. {i}", 5 + i % 40) for i in range(1, N_BOOKS + 1))
        database.executemany("INSERT INTO books VALUES (?, ?, ?)", books)
        yield {"database": database}


def rows(request: Request) -> Iterator[dict[str, Any]]:
    """All books, read one by one. The responses below read them in the threadpool."""
    with contextlib.closing(request.state.database.cursor()) as cursor:
        for row in cursor.execute("SELECT id, title, price FROM books ORDER BY id"):
            yield dict(row)


async def list_books(request: Request) -> dict[str, Any]:
    """The first books. Plain data is sent as JSON."""
    return {"books": list(itertools.islice(rows(request), 5)), "total": N_BOOKS}


async def add_book(request: Request) -> dict[str, Any]:
    """Add a book with a title and a price. A body of more than 10 kB is refused while it arrives."""
    book = await request.json()
    if not isinstance(book, dict) or set(book) != {"title", "price"}:
        raise HTTPException(422, "A book has a title and a price")
    statement = "INSERT INTO books (title, price) VALUES (:title, :price) RETURNING id"
    (number,) = request.state.database.execute(statement, book).fetchone()
    return {"id": number, **book}


async def export_array(request: Request) -> Response:
    return SSRJSONStreamingResponse(rows(request), headers={"Content-Disposition": 'attachment; filename="books.json"'})


async def export_lines(request: Request) -> Response:
    return SSRJSONLinesResponse(rows(request))


async def prices(request: Request) -> Response:
    """A ticker. A browser that reconnects sends the number of the last tick that it saw."""
    last = request.headers.get("last-event-id", "0")
    start = int(last) if last.isdecimal() and len(last) < 10 else 0

    async def ticks() -> AsyncIterator[bytes]:
        for tick in itertools.count(start + 1):
            price = {"title": random.choice(TITLES), "price": round(random.uniform(5, 50), 2)}
            yield json_event(price, event="price", id=str(tick))
            await asyncio.sleep(0.2)

    return SSRJSONEventResponse(ticks())


async def counter(websocket: WebSocket) -> None:
    """Echo what a customer says, with the number of messages up to now."""
    await websocket.accept()
    number = 0
    async for said in websocket.iter_json():
        number += 1
        await websocket.send_json({"number": number, "said": said})


app = Starlette(
    routes=[
        SSRJSONRoute("/books", list_books),
        SSRJSONRoute(
            "/books",
            add_book,
            methods=["POST"],
            request_class=SSRJSONRequest.limited(max_body_size=10_000, max_depth=8),
        ),
        SSRJSONRoute("/export", export_array),
        SSRJSONRoute("/export.jsonl", export_lines),
        SSRJSONRoute("/prices", prices),
        SSRJSONWebSocketRoute("/counter", counter),
    ],
    lifespan=lifespan,
)

if __name__ == "__main__":
    import uvicorn

    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
