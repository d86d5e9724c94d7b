"""Schemas of marshmallow that `python -m bench schemas` times, and what it does with them."""

from __future__ import annotations

import datetime as dt
import decimal
import gc
import io
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from flask import Flask, Response, jsonify, request
from marshmallow import Schema, ValidationError, fields
from werkzeug.test import EnvironBuilder

from bench.command_output import say
from ssrjson_web.flask import SSRJSON
from ssrjson_web.marshmallow import disabled, setup, teardown

N_ROWS = 100


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


ROWS = [Row(n) for n in range(N_ROWS)]
BOOKS = [book(n) for n in range(N_ROWS)]


def errors_of(schema: Schema, data: Any) -> Any:
    try:
        return schema.load(data, many=True)
    except ValidationError as error:
        return error.messages


def requests(schema: Schema, body: bytes) -> dict[str, Callable[[], bytes]]:
    """Whole requests to a Flask application, without a client."""
    app = Flask("bench")
    SSRJSON(app)

    @app.get("/rows")
    def rows() -> Response:
        return jsonify(schema.dump(ROWS, many=True))

    @app.get("/row")
    def row() -> Response:
        return jsonify(RowSchema().dump(ROWS[0]))

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


def cases() -> Mapping[str, Callable[[], Any]]:
    """What is timed: each call returns what is compared."""
    row_schema, book_schema = RowSchema(), BookSchema()
    with disabled():
        rows = row_schema.dump(ROWS, many=True)
        body = row_schema.dumps(ROWS, many=True).encode()
    wrong = [{**row, "id": "x", "price": "y"} for row in rows]
    return {
        "dump, 100 rows": lambda: row_schema.dump(ROWS, many=True),
        "load, 100 rows": lambda: row_schema.load(rows, many=True),
        "dump, 100 nested rows": lambda: book_schema.dump(BOOKS, many=True),
        "load, 100 nested rows": lambda: book_schema.load(BOOKS, many=True),
        "load, 100 rows with two errors each": lambda: errors_of(row_schema, wrong),
        "dump, one row": lambda: row_schema.dump(ROWS[0]),
        "load, one row": lambda: row_schema.load(rows[0]),
        "a new schema, which dumps one row": lambda: RowSchema().dump(ROWS[0]),
        "a new schema, which loads one row": lambda: RowSchema().load(rows[0]),
        "a new schema, which dumps one nested row": lambda: BookSchema().dump(BOOKS[0]),
        "a new schema, which loads one nested row": lambda: BookSchema().load(BOOKS[0]),
        **requests(row_schema, body),
    }


def check(call: Callable[[], Any]) -> None:
    """Raises SystemExit where ours gives something else."""
    results = [call() for _ in range(3)]
    with disabled():
        expected = call()
    if any(repr(result) != repr(expected) for result in results):
        raise SystemExit("ours and marshmallow give different values: nothing was timed")


def microseconds(call: Callable[[], Any], n: int) -> float:
    """CPU time of a call, the mean of n."""
    began = time.thread_time_ns()
    for _ in range(n):
        call()
    return (time.thread_time_ns() - began) / n / 1000


def measured(call: Callable[[], Any], n_rounds: int) -> tuple[float, float]:
    """The fastest round of marshmallow alone, and with ours."""
    stock: list[float] = []
    ours: list[float] = []
    n = max(1, int(5000 / microseconds(call, 3)))
    gc.collect()
    for _ in range(n_rounds):
        with disabled():
            stock.append(microseconds(call, n))
        ours.append(microseconds(call, n))
    return min(stock), min(ours)


def compare(n_rounds: int) -> None:
    """Print a line for each case: the CPU time of marshmallow alone and with ours, in microseconds."""
    setup()
    try:
        say(f"{'us':42} {'stock':>8} {'ours':>8}")
        for name, call in cases().items():
            check(call)
            stock, ours = measured(call, n_rounds)
            say(f"{name:42} {stock:8.1f} {ours:8.1f}  {stock / ours:5.2f} x")
    finally:
        teardown()
