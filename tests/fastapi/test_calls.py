"""How many functions of ours a request calls: what a small answer costs is calls."""

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import FastAPI
from helpers.fastapi_twins import JSON, Call, answer
from pydantic import BaseModel

import ssrjson_web
from ssrjson_web.fastapi import setup

OURS = str(Path(ssrjson_web.__file__).parent)


class Item(BaseModel):
    id: int
    name: str


def application() -> FastAPI:
    app = FastAPI()

    @app.get("/value", response_model=None)
    async def value() -> Any:
        return {"id": 1, "name": "é"}

    @app.get("/model")
    async def model() -> Item:
        return Item(id=1, name="é")

    @app.post("/body", response_model=None)
    async def body(item: Item) -> Any:
        return {"id": item.id}

    return app


CALLS = {
    "value": (Call("GET", "/value"), 10),
    "model": (Call("GET", "/model"), 20),
    "body": (Call("POST", "/body", b'{"id":1,"name":"a"}', JSON), 26),
    "wrong body": (Call("POST", "/body", b'{"id":"a","name":"a"}', JSON), 30),
}


@pytest.mark.parametrize("kind", CALLS)
def test_a_request_calls_few_functions_of_ours(kind: str) -> None:
    call, most = CALLS[kind]
    theirs, ours = application(), application()
    setup(ours)
    for _ in range(3):
        assert answer(ours, call) == answer(theirs, call)
    called: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(OURS):
            called[f"{Path(code.co_filename).name}: {code.co_name}"] += 1

    sys.setprofile(count)
    try:
        answer(ours, call)
    finally:
        sys.setprofile(None)
    assert 0 < called.total() <= most, called
