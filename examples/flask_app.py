"""A bookshop's Flask application: a catalogue to page through, to add to and to export.

python examples/flask_app.py                     # werkzeug; then: curl http://127.0.0.1:8000/books
gunicorn --chdir examples --threads 4 flask_app:app
curl http://127.0.0.1:8000/export                # one JSON array, streamed
curl http://127.0.0.1:8000/export.jsonl          # JSON Lines, streamed
curl http://127.0.0.1:8000/v1/books              # Flask's own JSON, for clients of an older version
"""

from __future__ import annotations

import contextlib
import datetime
import decimal
import itertools
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flask import Flask, Response, abort, jsonify, render_template_string, request, session
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from ssrjson_web.flask import SSRJSON, SSRJSONFastProvider, SSRJSONProvider, stream_array, stream_lines

TITLES = ["红楼梦", "吾輩は猫である", "Мастер и Маргарита", "À la recherche du temps perdu", "Middlemarch 📖"]
N_BOOKS = 20_000
ADDED = datetime.datetime(2026, 1, 1, 9, 30, tzinfo=datetime.timezone.utc)

folder = TemporaryDirectory(prefix="bookshop-")  # for as long as the process runs
database_file = Path(folder.name) / "books.sqlite3"


class Price:
    """An amount, in a class that is not one of JSON's types."""

    def __init__(self, cents: int) -> None:
        self.amount = decimal.Decimal(cents) / 100


class BookshopJSON(SSRJSONFastProvider):
    """The shop's JSON: UTF-8, dates as ISO 8601, and prices."""

    max_depth = 8

    @staticmethod
    def default(o: Any) -> Any:
        return {"amount": str(o.amount), "currency": "EUR"} if isinstance(o, Price) else SSRJSONProvider.default(o)


class Bookshop(Flask):
    json_provider_class = BookshopJSON


@contextlib.contextmanager
def database() -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(database_file)) as connection, connection:
        connection.row_factory = sqlite3.Row
        yield connection


def stock_the_shop() -> None:
    with database() as connection:
        connection.execute("CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, cents INTEGER)")
        titles = itertools.cycle(TITLES)
        books = ((i, f"{next(titles)}, vol. {i}", 500 + i % 4000) for i in range(1, N_BOOKS + 1))
        connection.executemany("INSERT INTO books VALUES (?, ?, ?)", books)


def rows(limit: int = -1) -> Iterator[dict[str, Any]]:
    """All books, read one by one."""
    with database() as connection:
        for row in connection.execute("SELECT * FROM books ORDER BY id LIMIT ?", (limit,)):
            added = ADDED + datetime.timedelta(minutes=row["id"])
            yield {"id": row["id"], "title": row["title"], "price": Price(row["cents"]), "added": added}


app = Bookshop(__name__)
app.config.update(SECRET_KEY="of the example", MAX_CONTENT_LENGTH=10_000)


@app.get("/books")
def list_books() -> dict[str, Any]:
    """The first books. Plain data is sent as JSON."""
    session["last_seen"] = "books: 书"
    return {"books": list(rows(5)), "total": N_BOOKS}


@app.post("/books")
def add_book() -> tuple[Response, int]:
    """Add a book with a title and a price. Flask answers invalid JSON, and JSON nested too deeply, with status 400."""
    book = request.get_json()
    if not isinstance(book, dict) or set(book) != {"title", "cents"}:
        abort(422, "A book has a title and cents")
    with database() as connection:
        (number,) = connection.execute(
            "INSERT INTO books (title, cents) VALUES (:title, :cents) RETURNING id", book
        ).fetchone()
    return jsonify(id=number, **book), 201


@app.get("/seen")
def seen() -> dict[str, Any]:
    return {"last_seen": session.get("last_seen")}


@app.get("/export")
def export_array() -> tuple[Response, dict[str, str]]:
    return stream_array(rows()), {"Content-Disposition": 'attachment; filename="books.json"'}


@app.get("/export.jsonl")
def export_lines() -> Response:
    return stream_lines(rows())


@app.get("/")
def page() -> str:
    return render_template_string(
        "<!doctype html><title>Books</title><script>let books = {{ books|tojson }}</script>", books=list(rows(2))
    )


# An older version of the API as a separate application. Its clients rely on Flask's own JSON.
first_version = Flask("first_version")
SSRJSON(first_version)


@first_version.get("/books")
def list_books_as_before() -> list[dict[str, Any]]:
    return [{**book, "price": book["price"].amount} for book in rows(2)]


app.wsgi_app = DispatcherMiddleware(app.wsgi_app, {"/v1": first_version})  # type: ignore[method-assign]
stock_the_shop()

if __name__ == "__main__":
    app.run("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
