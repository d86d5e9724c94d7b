"""One application built twice, stock and set up, and what both answer to the same requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import fastapi
import pytest
from starlette.types import Message

from helpers.call_outcome import Outcome, assert_same, error_outcome
from ssrjson_web.fastapi import setup

FASTAPI_VERSION = tuple(int(part) for part in fastapi.__version__.split(".")[:2])
JSON = "application/json"

STOCK_FAILURES = ("ValueError", "UnicodeEncodeError", "PydanticSerializationError")
"""What stock raises where it cannot encode a value that a client sent."""

Build = Callable[[], Any]


@dataclass
class Call:
    """A request."""

    method: str
    path: str
    body: bytes | list[bytes] = b""
    content_type: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    root_path: str = ""


@dataclass
class Answer:
    """What an application sent, and what it raised."""

    messages: list[Message]
    error: Outcome | None

    @property
    def status(self) -> int:
        assert self.messages, self.error
        return int(self.messages[0]["status"])

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode("latin-1"): value.decode("latin-1") for name, value in self.messages[0]["headers"]}

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.messages[1:])


def _scope(call: Call) -> dict[str, Any]:
    path, _, query = call.path.partition("?")
    headers = dict(call.headers)
    if call.content_type is not None:
        headers["content-type"] = call.content_type
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": call.method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": call.root_path,
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("test", 80),
    }


async def exchange(app: Any, call: Call) -> Answer:
    chunks = [call.body] if isinstance(call.body, bytes) else list(call.body)
    messages: list[Message] = []

    async def receive() -> Message:
        if chunks:
            return {"type": "http.request", "body": chunks.pop(0), "more_body": bool(chunks)}
        await asyncio.Event().wait()  # a client that stays: it is the application that ends
        raise AssertionError

    async def send(message: Message) -> None:
        messages.append(dict(message))

    try:
        await app(_scope(call), receive, send)
    except Exception as error:
        stock = next(cls for cls in type(error).__mro__ if not cls.__module__.startswith("ssrjson_web"))
        return Answer(messages, (stock.__name__, *error_outcome(error)))
    return Answer(messages, None)


def answer(app: Any, call: Call | str) -> Answer:
    """What the application answers to the call; a text is the path of a GET."""
    return asyncio.run(exchange(app, Call("GET", call) if isinstance(call, str) else call))


def assert_same_answers(theirs: Any, ours: Any, calls: Iterable[Call | str]) -> list[Answer]:
    """Both applications answer each call alike, to the headers' order, and do alike to `app.state.log`."""
    answers = []
    for call in calls:
        expected, got = answer(theirs, call), answer(ours, call)
        assert_same(got.error, expected.error, call)
        if expected.messages or got.messages:
            assert_same(got.body, expected.body, call)
        assert got.messages == expected.messages, call
        answers.append(expected)
    assert answers, "nothing was called"
    assert getattr(ours.state, "log", None) == getattr(theirs.state, "log", None)
    return answers


def assert_twins_answer_alike(build: Build, calls: Iterable[Call | str], **options: Any) -> list[Answer]:
    """The answers of the stock application, to which those of one that is set up are equal.

    Each call is made twice: from the second answer on, a response model may be written without validation.
    """
    theirs, ours = build(), build()
    setup(ours, **options)
    calls = list(calls)
    answers = assert_same_answers(theirs, ours, calls)
    assert_same_answers(theirs, ours, calls)
    return answers


def assert_twins_answer_alike_or_better(build: Build, calls: Iterable[Call | str], **options: Any) -> list[Answer]:
    """As `assert_twins_answer_alike`, but a 422 that stock fails to write, for the value in it, is one.

    The answers are those of the application that is set up.
    """
    theirs, ours = build(), build()
    setup(ours, **options)
    answers = []
    for call in calls:
        expected, got = answer(theirs, call), answer(ours, call)
        fails = expected.error is not None and expected.error[0] in STOCK_FAILURES
        if fails and not (got.error == expected.error and options.get("errors") is False):  # FastAPI's own handler
            assert got.status in (200, 422), call  # by version, pydantic takes half a surrogate pair
            assert got.headers["content-type"] == JSON
            answered = json.loads(got.body.decode("utf-8"))
            assert got.status == 200 or answered["detail"][0]["loc"], call
        else:
            assert_same(got.error, expected.error, call)
            assert got.messages == expected.messages, call
        answers.append(got)
    assert answers, "nothing was called"
    return answers


class Counter:
    """Counts what the encoders encoded: values, response models, and of these the ones without validation."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from ssrjson_web._models.adapter import AdapterEncoder
        from ssrjson_web._models.jsonable import JsonableEncoder

        self.values = self.models = self.unvalidated = 0

        def encode(encoder: Any, value: Any) -> bytes:
            self.models += 1
            return AdapterEncoder.encode(encoder, value)

        def encode_unvalidated(encoder: Any, value: Any) -> bytes | None:
            body = AdapterEncoder.encode_unvalidated(encoder, value)
            self.models += body is not None
            self.unvalidated += body is not None
            return body

        monkeypatch.setattr("ssrjson_web.fastapi._carrier._JSONABLE", _Counted(self, JsonableEncoder()))
        errors_encoder = _Counted(self, JsonableEncoder(nan_as_null=True))
        monkeypatch.setattr("ssrjson_web.fastapi._errors._ERRORS_ENCODER", errors_encoder)
        methods = {"encode": encode, "encode_unvalidated": encode_unvalidated}
        counted_adapter = type("AdapterEncoder", (AdapterEncoder,), methods)
        monkeypatch.setattr("ssrjson_web._models.adapter.AdapterEncoder", counted_adapter)


class _Counted:
    def __init__(self, counter: Counter, encoder: Any) -> None:
        self.counter, self.encoder = counter, encoder

    def encode(self, value: Any) -> bytes:
        self.counter.values += 1
        return bytes(self.encoder.encode(value))
