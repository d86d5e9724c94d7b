"""What threads do: each makes data of its own; encoders, applications and schemas are shared, as in a server."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import functools
import json
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import ssrjson_web
from bench.kit.asgi import exchange, receiver, scope_of

Work = Callable[[int], None]
"""Makes a number of calls."""

N_ROWS = 100


@dataclasses.dataclass
class Row:
    id: int
    name: str
    tags: list[str]


def records(n: int) -> list[dict[str, Any]]:
    """Objects that no other thread refers to. Their strings are new, without a UTF-8 copy."""
    return [
        {
            "id": i,
            "name": f"name {i}",
            "city": "Zürich" * (i % 3 + 1),
            "score": i / 7,
            "tags": [f"t{i % 5}", None, True],
        }
        for i in range(n)
    ]


def calls_of(call: Callable[[], Any]) -> Work:
    """Work that makes one call again and again."""

    def work(n_calls: int) -> None:
        for _ in range(n_calls):
            call()

    return work


def _encode(n: int) -> Work:
    rows, encode = records(n), ssrjson_web.Encoder().encode
    assert json.loads(encode(rows)) == rows
    return calls_of(lambda: encode(rows))


def _decode(n: int) -> Work:
    rows, decode = records(n), ssrjson_web.Decoder().decode
    text = json.dumps(rows, ensure_ascii=False).encode()
    assert decode(text) == rows
    return calls_of(lambda: decode(text))


def _encode_models(n: int) -> Work:
    rows = [Row(i, f"name {i}", [f"t{i % 5}"]) for i in range(n)]
    encode = ssrjson_web.Encoder(natives=True).encode
    assert json.loads(encode(rows)) == [dataclasses.asdict(row) for row in rows]
    return calls_of(lambda: encode(rows))


def _spin() -> Work:
    """No library: what the machine and the interpreter give."""

    def call() -> None:
        total = 0
        for i in range(2000):
            total += i

    return calls_of(call)


# Declared types: models of pydantic, alone and in FastAPI


def orders(n: int) -> list[dict[str, Any]]:
    """Rows of types that JSON lacks, too."""
    return [
        {
            "id": i,
            "name": f"Zürich {i}",
            "price": i / 7,
            "at": datetime.datetime(2026, 11, 27, 9, 5, 3, i, datetime.timezone.utc),
            "key": uuid.UUID(int=i << 64),
            "tags": [f"t{i % 5}", "é"],
            "lines": [{"n": i, "text": "中文"}, {"n": 1, "text": "x"}],
        }
        for i in range(n)
    ]


@functools.cache
def _adapter() -> Any:
    """Of a list of models."""
    import pydantic

    class Line(pydantic.BaseModel):
        n: int
        text: str

    class Order(pydantic.BaseModel):
        id: int
        name: str
        price: float
        at: datetime.datetime
        key: uuid.UUID
        tags: list[str]
        lines: list[Line]

    return pydantic.TypeAdapter(list[Order])


@functools.cache
def _typed() -> Any:
    from ssrjson_web.models import TypedDecoder, TypedEncoder

    return TypedEncoder(_adapter()), TypedDecoder(_adapter())


def _typed_encode(n: int) -> Work:
    adapter, encoder = _adapter(), _typed()[0]
    rows = adapter.validate_python(orders(n))
    assert encoder.encode(rows) == adapter.dump_json(rows)
    return calls_of(lambda: encoder.encode(rows))


def _typed_decode(n: int) -> Work:
    adapter, decoder = _adapter(), _typed()[1]
    body = adapter.dump_json(adapter.validate_python(orders(n)))
    assert decoder.decode(body) == adapter.validate_json(body)
    return calls_of(lambda: decoder.decode(body))


@functools.cache
def _applications() -> tuple[Any, Any]:
    """With `setup(app)`, and without."""
    import fastapi

    from ssrjson_web.fastapi import setup

    declared = _adapter()._type
    made: dict[int, Any] = {n: _adapter().validate_python(orders(n)) for n in (1, N_ROWS)}

    def build() -> fastapi.FastAPI:
        app = fastapi.FastAPI()

        async def give(n: int) -> Any:
            return made[n]

        async def take(body: Any) -> Any:
            return {"n": len(body)}

        take.__annotations__["body"] = declared
        app.get("/rows", response_model=declared)(give)
        app.post("/rows", response_model=None)(take)
        return app

    ours, stock = build(), build()
    setup(ours)
    return ours, stock


async def _exchange(app: Any, method: str, query: bytes, body: bytes) -> bytes:
    """The body of an answer."""
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))] if body else []
    return (await exchange(app, scope_of(method, "/rows", query=query, headers=headers), receiver(body))).body


def _fastapi(method: str, n: int) -> Work:
    """Requests to one application, by an event loop for each thread."""
    ours, stock = _applications()
    body = b"" if method == "GET" else _adapter().dump_json(_adapter().validate_python(orders(n)))
    query = b"n=%d" % n if method == "GET" else b""
    answers = [asyncio.run(_exchange(app, method, query, body)) for app in (ours, stock)]
    assert answers[0] == answers[1] != b""

    async def drive(n_calls: int) -> None:
        for _ in range(n_calls):
            await _exchange(ours, method, query, body)

    return lambda n_calls: asyncio.run(drive(n_calls))


# Serializers


class Thing:
    """An object whose attributes are read."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.__dict__.update(row)


@functools.cache
def _serializer() -> Any:
    import django
    from django.conf import settings

    if not settings.configured:
        settings.configure(INSTALLED_APPS=["ssrjson_web.rest_framework"], USE_TZ=True)
        django.setup()
    from rest_framework import serializers

    class LineSerializer(serializers.Serializer):  # type: ignore[misc]
        n = serializers.IntegerField()
        text = serializers.CharField()

    class OrderSerializer(serializers.Serializer):  # type: ignore[misc]
        id = serializers.IntegerField()
        name = serializers.CharField(max_length=100)
        price = serializers.FloatField()
        at = serializers.DateTimeField()
        key = serializers.UUIDField()
        tags = serializers.ListField(child=serializers.CharField())
        lines = LineSerializer(many=True)

    return OrderSerializer


def _checked(call: Callable[[], Any], disabled: Callable[[], AbstractContextManager[Any]]) -> Work:
    """Calls whose result is the library's own, which they give within `disabled()`."""
    with disabled():
        expected = call()
    for _ in range(3):
        assert call() == expected
    return calls_of(call)


def _rest_rows(n: int) -> list[Thing]:
    return [Thing({**row, "lines": [Thing(line) for line in row["lines"]]}) for row in orders(n)]


def _rest_read(n: int) -> Work:
    serializer, rows = _serializer(), _rest_rows(n)
    from ssrjson_web.rest_framework import disabled

    return _checked(lambda: serializer(rows, many=True).data, disabled)


def _rest_valid(n: int) -> Work:
    serializer = _serializer()
    from ssrjson_web.rest_framework import disabled

    sent = json.loads(json.dumps(serializer(_rest_rows(n), many=True).data))

    def call() -> Any:
        made = serializer(data=sent, many=True)
        made.is_valid(raise_exception=True)
        return made.validated_data

    return _checked(call, disabled)


@functools.cache
def _schema() -> Any:
    from marshmallow import Schema, fields

    from ssrjson_web.marshmallow import setup

    class LineSchema(Schema):
        n = fields.Int()
        text = fields.Str()

    class OrderSchema(Schema):
        id = fields.Int(required=True)
        name = fields.Str()
        price = fields.Float()
        at = fields.DateTime()
        key = fields.UUID()
        tags = fields.List(fields.Str())
        lines = fields.List(fields.Nested(LineSchema))

    setup()
    return OrderSchema


def _marshmallow(n: int, *, loads: bool, is_shared: bool = False) -> Work:
    """With a schema that all threads share, or one for each."""
    from ssrjson_web.marshmallow import disabled

    schema = _shared_schema() if is_shared else _schema()()
    rows: list[Any] = orders(n)
    if loads:
        with disabled():
            rows = schema.dump(rows, many=True)

    def call() -> Any:
        return schema.load(rows, many=True) if loads else schema.dump(rows, many=True)

    return _checked(call, disabled)


@functools.cache
def _shared_schema() -> Any:
    return _schema()()


CASES: dict[str, Callable[[], Work]] = {
    "Python alone": _spin,
    "encode 1 object": lambda: _encode(1),
    "encode 100 objects": lambda: _encode(N_ROWS),
    "encode 100 dataclasses": lambda: _encode_models(N_ROWS),
    "decode 1 object": lambda: _decode(1),
    "decode 100 objects": lambda: _decode(N_ROWS),
    "TypedEncoder, 1 model": lambda: _typed_encode(1),
    "TypedEncoder, 100 models": lambda: _typed_encode(N_ROWS),
    "TypedDecoder, 1 model": lambda: _typed_decode(1),
    "TypedDecoder, 100 models": lambda: _typed_decode(N_ROWS),
    "FastAPI, an answer of 1 model": lambda: _fastapi("GET", 1),
    "FastAPI, an answer of 100 models": lambda: _fastapi("GET", N_ROWS),
    "FastAPI, a body of 1 model": lambda: _fastapi("POST", 1),
    "FastAPI, a body of 100 models": lambda: _fastapi("POST", N_ROWS),
    "REST framework, .data of 1 row": lambda: _rest_read(1),
    "REST framework, .data of 100 rows": lambda: _rest_read(N_ROWS),
    "REST framework, is_valid of 1 row": lambda: _rest_valid(1),
    "REST framework, is_valid of 100 rows": lambda: _rest_valid(N_ROWS),
    "marshmallow, dump of 1 row": lambda: _marshmallow(1, loads=False),
    "marshmallow, dump of 100 rows": lambda: _marshmallow(N_ROWS, loads=False),
    "marshmallow, load of 1 row": lambda: _marshmallow(1, loads=True),
    "marshmallow, load of 100 rows": lambda: _marshmallow(N_ROWS, loads=True),
    "marshmallow, one schema for all, dump of 1 row": lambda: _marshmallow(1, loads=False, is_shared=True),
}
