"""A bookshop's Flask application whose books are marshmallow schemas.

python examples/marshmallow_app.py               # werkzeug; then: curl http://127.0.0.1:8000/books
gunicorn --chdir examples --threads 4 marshmallow_app:app
curl http://127.0.0.1:8000/books -H 'Content-Type: application/json' -d '{"title": "Faust", "price": "7.50"}'
curl http://127.0.0.1:8000/schemas               # which fields marshmallow itself serves, and why
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import sys
from typing import Any

from flask import Flask, Response, jsonify, request
from marshmallow import Schema, ValidationError, fields, post_load, validate

from ssrjson_web.flask import SSRJSON
from ssrjson_web.marshmallow import schema_report, setup

TITLES = ["红楼梦", "吾輩は猫である", "Мастер и Маргарита", "À la recherche du temps perdu", "Middlemarch 📖"]
ADDED = datetime.datetime(2026, 1, 1, 9, 30, tzinfo=datetime.timezone.utc)

setup()  # for every schema, also those that are defined later


@dataclasses.dataclass
class Book:
    title: str
    price: decimal.Decimal
    tags: list[str] = dataclasses.field(default_factory=list)
    added: datetime.datetime = ADDED
    id: int = 0


class BookSchema(Schema):
    id = fields.Int(dump_only=True)
    title = fields.Str(required=True, validate=validate.Length(min=1, max=80))
    price = fields.Decimal(required=True, places=2, as_string=True, validate=validate.Range(min=0))
    tags = fields.List(fields.Str())
    added = fields.AwareDateTime(dump_only=True)
    label = fields.Method("label_of")

    def label_of(self, book: Book) -> str:
        return f"{book.title} ({book.price} EUR)"

    @post_load
    def make_book(self, data: dict[str, Any], **kwargs: Any) -> Book:
        return Book(**data)


app = Flask(__name__)
SSRJSON(app)
book_schema = BookSchema()
books = [
    Book(f"{TITLES[n % 5]}, vol. {n + 1}", decimal.Decimal(500 + n) / 100, ["classic"], ADDED, n + 1)
    for n in range(200)
]


@app.get("/books")
def list_books() -> Response:
    return jsonify(books=book_schema.dump(books, many=True))


@app.post("/books")
def add_book() -> tuple[Response, int]:
    book: Book = book_schema.load(request.get_json())
    book.id = len(books) + 1
    books.append(book)
    return jsonify(book_schema.dump(book)), 201


@app.get("/schemas")
def schemas() -> Response:
    return jsonify([dataclasses.asdict(report) for report in schema_report(BookSchema)])


@app.errorhandler(ValidationError)
def invalid(error: ValidationError) -> tuple[Response, int]:
    return jsonify(errors=error.messages), 422


if __name__ == "__main__":
    app.run(port=int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
