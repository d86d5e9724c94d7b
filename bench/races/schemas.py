"""The documents of `schemas`: what marshmallow's schemas do with rows, and with ours within `disabled()`."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from flask import Flask, Response, jsonify, request
from marshmallow import Schema, ValidationError, fields
from werkzeug.test import EnvironBuilder

from bench.races.race import Contender, Document
from ssrjson_web.flask import SSRJSON
from ssrjson_web.marshmallow import disabled, setup, teardown


class RowSchema(Schema):
    id = fields.Int()
    name = fields.Str()
    price = fields.Decimal(as_string=True)
    at = fields.DateTime()
    day = fields.Date()
    ok = fields.Bool()
    weight = fields.Float()
    key = fields.UUID()
    tags = fields.List(fields.Str())
    note = fields.Str()


class AuthorSchema(Schema):
    id = fields.Int(required=True)
    name = fields.Str()
    mail = fields.Str()


class TagSchema(Schema):
    id = fields.Int()
    label = fields.Str()


class BookSchema(Schema):
    id = fields.Int()
    title = fields.Str()
    author = fields.Nested(AuthorSchema)
    tags = fields.List(fields.Nested(TagSchema))
    more = fields.Nested(TagSchema, many=True)


class Row:
    def __init__(self, n: int) -> None:
        self.id = n
        self.name = f"名前 {n}"
        self.price = decimal.Decimal(n) / 100
        self.at = dt.datetime(2026, 11, 27, 9, 5, 3, n, dt.timezone.utc)
        self.day = dt.date(2026, 11, 27)
        self.ok = n % 2 == 0
        self.weight = n / 3
        self.key = uuid.UUID(int=n << 64)
        self.tags = ["a", "b"]
        self.note = "n"


def book(n: int) -> dict[str, Any]:
    tag = {"id": 1, "label": "novel"}
    author = {"id": n, "name": "Eliot", "mail": "m@example.com"}
    return {"id": n, "title": "Middlemarch", "author": author, "tags": [tag] * 3, "more": [tag] * 2}


def errors_of(schema: Schema, data: Any) -> Any:
    try:
        return schema.load(data, many=True)
    except ValidationError as error:
        return error.messages


def requests(schema: Schema, rows: list[Row], body: bytes) -> dict[str, Callable[[], bytes]]:
    """Whole requests to a Flask application, without a client."""
    app = Flask("bench")
    SSRJSON(app)

    @app.get("/rows")
    def many() -> Response:
        return jsonify(schema.dump(rows, many=True))

    @app.get("/row")
    def one() -> Response:
        return jsonify(RowSchema().dump(rows[0]))

    @app.post("/rows")
    def add() -> Response:
        return jsonify(n=len(schema.load(request.get_json(), many=True)))

    def call(method: str, path: str, sent: bytes = b"") -> bytes:
        environ = EnvironBuilder(path, method=method, data=sent, content_type="application/json").get_environ()
        environ["wsgi.input"] = io.BytesIO(sent)
        return b"".join(app.wsgi_app(environ, lambda *started: None))  # type: ignore[arg-type]

    return {
        "Flask: jsonify(schema.dump(rows))": lambda: call("GET", "/rows"),
        "Flask: schema.load(request.get_json())": lambda: call("POST", "/rows", body),
        "Flask: a new schema and one row": lambda: call("GET", "/row"),
    }


def calls_on(n: int) -> Mapping[str, Callable[[], Any]]:
    """What is timed; each call returns what is compared."""
    row_schema, book_schema = RowSchema(), BookSchema()
    rows, books = [Row(number) for number in range(n)], [book(number) for number in range(n)]
    with disabled():
        dumped = row_schema.dump(rows, many=True)
        body = row_schema.dumps(rows, many=True).encode()
    wrong = [{**row, "id": "x", "price": "y"} for row in dumped]
    return {
        "dump, rows": lambda: row_schema.dump(rows, many=True),
        "load, rows": lambda: row_schema.load(dumped, many=True),
        "dump, nested rows": lambda: book_schema.dump(books, many=True),
        "load, nested rows": lambda: book_schema.load(books, many=True),
        "load, rows with two errors each": lambda: errors_of(row_schema, wrong),
        "dump, one row": lambda: row_schema.dump(rows[0]),
        "load, one row": lambda: row_schema.load(dumped[0]),
        "a new schema, which dumps one row": lambda: RowSchema().dump(rows[0]),
        "a new schema, which loads one row": lambda: RowSchema().load(dumped[0]),
        "a new schema, which dumps one nested row": lambda: BookSchema().dump(books[0]),
        "a new schema, which loads one nested row": lambda: BookSchema().load(books[0]),
        **requests(row_schema, rows, body),
    }


def documents(size: int) -> Iterator[Document]:
    """Of `size` rows. `setup()` is taken back at the end."""
    setup()
    try:
        for name, call in calls_on(size).items():
            yield document(name, call)
    finally:
        teardown()


def document(name: str, call: Callable[[], Any]) -> Document:
    """The same call with ours and without. Both give the same."""
    with disabled():
        result = call()
    expected = repr(result)
    return Document(
        name=name,
        contenders=[
            Contender(name="ours", call=lambda _: call()),
            Contender(name="marshmallow", call=lambda _: call(), within=disabled),
        ],
        make=lambda: None,
        is_right=lambda result: repr(result) == expected,
        n_bytes=len(result if isinstance(result, bytes) else expected.encode()),
    )
