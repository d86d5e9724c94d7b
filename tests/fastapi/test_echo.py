"""Every value that a client may send, echoed: by routes of each kind, and by the 422 that names it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from fastapi import Body, FastAPI
from fastapi.responses import JSONResponse
from helpers.client_bodies import BODIES, NON_FINITE, SURROGATES, Answer, assert_as_stock_or_better, failures
from helpers.fastapi_twins import FASTAPI_VERSION, JSON, Call, answer
from pydantic import BaseModel, ConfigDict

from ssrjson_web.fastapi import SSRJSONResponse, setup

ANY: Any = Body()


class Holder(BaseModel):
    name: str = "é"
    data: Any = None


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    n: int


def build(**options: Any) -> FastAPI:
    app = FastAPI(**options)

    @app.post("/any")
    async def echo(body: Any = ANY) -> Any:
        return body

    @app.post("/sync", response_model=None)
    def echo_in_thread(body: Any = ANY) -> Any:
        return body

    @app.post("/model", response_model=Any)
    async def echo_as_model(body: Any = ANY) -> Any:
        return body

    @app.post("/holder", response_model=Holder)
    async def echo_in_model(body: Any = ANY) -> Any:
        return {"data": body}

    @app.post("/instance")
    async def echo_in_instance(body: Any = ANY) -> dict[str, Holder]:
        return {"a": Holder(data=body)}

    @app.post("/response", response_model=Any, response_class=JSONResponse)
    async def echo_by_class(body: Any = ANY) -> Any:
        return body

    @app.post("/int")
    async def take_int(body: list[int]) -> Any:
        return body

    @app.post("/strict")
    async def take_strict(body: Strict) -> Any:
        return body

    @app.post("/keys")
    async def take_keys(body: dict[str, dict[str, int]]) -> Any:
        return body

    @app.post("/texts")
    async def take_texts(body: str = ANY) -> Any:
        return {"body": body}

    return app


def answer_of(app: FastAPI, path: str, body: bytes) -> Answer:
    got = answer(app, Call("POST", path, body, JSON))
    if got.error is not None:
        return Answer(500, "", repr(got.error).encode())
    return Answer(got.status, got.headers["content-type"], got.body)


stock = build()
ours = build()
setup(ours)
by_class = build(default_response_class=SSRJSONResponse)


@pytest.mark.parametrize("path", ["/any", "/sync", "/model", "/response"])
def test_echo_is_as_stocks_or_better(path: str) -> None:
    answers = []
    for name, body in BODIES.items():
        expected = answer_of(stock, path, body)
        answers.append((name, expected))
        assert_as_stock_or_better(name, expected, answer_of(ours, path, body))
    assert failures(answers) >= SURROGATES.keys()


@pytest.mark.parametrize("path", ["/holder", "/instance"])
def test_echo_within_models_is_as_stocks_or_better(path: str) -> None:
    for name, body in BODIES.items():
        expected, got = answer_of(stock, path, body), answer_of(ours, path, body)
        if expected.is_failure and not got.is_failure:
            value = json.loads(got.body.decode())
            data = value["data"] if path == "/holder" else value["a"]["data"]
            if not name.startswith("nested"):
                assert data == json.loads(body), name
        else:
            assert got == expected, name
        assert name in NON_FINITE or not got.is_failure, (name, got)


@pytest.mark.parametrize("path", ["/any", "/model", "/response"])
def test_response_class_alone_echoes_what_a_class_can(path: str) -> None:
    named = build(default_response_class=JSONResponse)
    for name, body in BODIES.items():
        expected, got = answer_of(named, path, body), answer_of(by_class, path, body)
        if path == "/response" or (expected.is_failure and name.startswith(("nested", "half as key", "key that"))):
            assert got == expected, name  # of stock's class; or pydantic fails before a class is asked
        else:
            assert_as_stock_or_better(name, expected, got)


@pytest.mark.parametrize("path", ["/int", "/strict", "/keys", "/texts"])
def test_422_names_every_value_and_never_fails(path: str) -> None:
    n_better = n_same = 0
    for name, body in BODIES.items():
        for sent in (body, b'{"n": ' + body + b"}", b'{"n": 1, "extra": ' + body + b"}", b"[" + body + b"]"):
            expected, got = answer_of(stock, path, sent), answer_of(ours, path, sent)
            if expected.is_failure:
                n_better += 1
                assert (got.status, got.content_type) in ((422, JSON), (200, JSON)), (name, sent[:60], got)
                json.loads(got.body.decode("utf-8"), parse_constant=pytest.fail)
            else:
                n_same += 1
                assert got == expected, (name, sent[:60])
    assert n_same > 50
    assert n_better >= len(SURROGATES) - 2


def test_422_writes_what_json_has_no_form_for_as_null_and_escapes_halves_of_pairs() -> None:
    got = answer_of(ours, "/int", b'["\\ud800", 1e400]')
    assert got.status == 422
    assert [error["input"] for error in json.loads(got.body)["detail"]] == ["\ud800", None]
    assert b'"input":"\\ud800"' in got.body


@pytest.mark.skipif(FASTAPI_VERSION < (0, 134), reason="JSON lines came with FastAPI 0.134")
def test_json_lines_echo_every_value_as_stock_or_better() -> None:
    def lines() -> FastAPI:
        app = FastAPI()

        @app.post("/typed")
        async def typed(body: Any = ANY) -> AsyncIterator[Holder]:
            yield Holder(data=body)

        @app.post("/untyped", response_model=None)
        async def untyped(body: Any = ANY) -> AsyncIterator[Any]:
            yield body

        return app

    theirs, with_ours = lines(), lines()
    setup(with_ours)
    n_better = 0
    for path in ("/typed", "/untyped"):
        for name, body in BODIES.items():
            expected, got = answer_of(theirs, path, body), answer_of(with_ours, path, body)
            if expected.is_failure and path == "/typed":
                n_better += 1
                assert got.status == 200, (name, got)
                json.loads(got.body.decode("utf-8"))
            else:
                assert got == expected, (path, name)
    assert n_better >= len(SURROGATES)
