"""Calls with declared types, which threads make on models that others change: encoded, decoded, and in FastAPI.

What holds of a model while it is changed: its name begins with é, its numbers are a run, its table has pairs of a
number as str and the number.
"""

from __future__ import annotations

import asyncio
import json
import random
import warnings
from typing import Any

import fastapi
import pydantic
import pydantic_core

import ssrjson_web
from ssrjson_web.fastapi import setup
from ssrjson_web.models import TypedDecoder, TypedEncoder


class Part(pydantic.BaseModel):
    n: int
    note: str | None = None


class Item(pydantic.BaseModel):
    x: int
    name: str
    numbers: list[int]
    table: dict[str, int]
    parts: list[Part]


ITEMS = [Item(x=n, name="é", numbers=[n], table={"1": 1}, parts=[Part(n=1)]) for n in range(4)]


class Open(pydantic.BaseModel):
    """A model that is given anything, past its validation."""

    model_config = pydantic.ConfigDict(extra="allow")
    x: int = 1
    name: str | None = None
    inner: Part = Part(n=1)


OPEN = [Open() for _ in range(3)]
OPEN_ENCODER = TypedEncoder(list[Open])
WRITING = ssrjson_web.Encoder(models=True, default=str)
ENCODER = TypedEncoder(list[Item])
DECODER = TypedDecoder(list[Item])


async def give() -> Any:
    return ITEMS


async def take(body: list[Item]) -> Any:
    return body


APP = fastapi.FastAPI()
APP.get("/", response_model=list[Item])(give)
APP.post("/", response_model=list[Item])(take)
setup(APP)


def are_whole(rows: Any) -> bool:
    """Whether rows are of models that were written as they were at some moment."""
    return all(
        row["name"].startswith("é")
        and all(after - before == 1 for before, after in zip(row["numbers"], row["numbers"][1:], strict=False))
        and all(int(key) == value for key, value in row["table"].items())
        and all(part["n"] == 1 for part in row["parts"])
        for row in rows
    )


async def answer(method: str, body: bytes = b"") -> tuple[int, bytes]:
    """The status and the body that the application sends."""
    messages: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        messages.append(message)

    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "method": method, "path": "/", "query_string": b"", "headers": headers, "root_path": ""}
    await APP(scope, receive, send)
    return messages[0]["status"], b"".join(message.get("body", b"") for message in messages[1:])


def change_anything(rng: random.Random) -> None:
    """Change a model as no application should."""
    model = rng.choice(OPEN)
    value = rng.choice([1, "é", None, [1], {"a": [rng.random()]}, object(), Part(n=2), float("nan"), b"\xff"])
    action = rng.randrange(8)
    if action == 0:
        object.__setattr__(model, "__dict__", {"x": 1, "name": value, "inner": Part(n=3)})
    elif action == 1:
        model.__dict__.clear()
    elif action == 2:
        object.__setattr__(model, "__pydantic_extra__", rng.choice([None, {}, {"more": value}, {"x": value}]))
    elif action == 3:
        object.__setattr__(model, "__pydantic_fields_set__", rng.choice([set(), {"x"}, {"x", "no"}]))
    elif action == 4:
        Open.note = value  # type: ignore[attr-defined]  # a class that changes gets a new plan
    elif action == 5:
        model.__dict__.pop(rng.choice(["x", "name", "inner"]), None)
    else:
        model.__dict__[rng.choice(["x", "name", "inner", "other"])] = value


def use_anything(rng: random.Random) -> list[str]:
    """Encode models that are given anything: valid JSON, or an error of the library's."""
    errors = (pydantic.ValidationError, pydantic_core.PydanticSerializationError, AttributeError, TypeError, ValueError)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # pydantic's, of values of other types
        for encode in (OPEN_ENCODER.encode, WRITING.encode):
            try:
                json.loads(encode(OPEN))
            except errors:
                pass
            except BaseException as error:
                # where a dict changes while pydantic iterates it; that class cannot be imported
                if type(error).__name__ != "PanicException":
                    raise
    return []


def change(rng: random.Random) -> None:
    """Change a model, as one writer at a time does."""
    change_anything(rng)
    item = rng.choice(ITEMS)
    if rng.random() < 0.1:
        object.__setattr__(item, "__dict__", dict(item.__dict__))
    item.name = "é" * rng.randrange(1, 90)
    item.x = rng.randrange(1000)
    if rng.random() < 0.2:
        item.numbers.clear()
    item.numbers.append(item.numbers[-1] + 1 if item.numbers else 0)
    number = rng.randrange(60)
    if rng.random() < 0.1:
        item.table.clear()
    item.table[str(number)] = number
    item.table.pop(str(rng.randrange(60)), None)
    item.parts = [Part(n=1, note=rng.choice([None, "中"]))] * rng.randrange(4)
    if item.parts:
        item.parts[0].note = "é" * rng.randrange(9)


def use(rng: random.Random) -> list[str]:
    """Encode, decode and ask the application; gives what was wrong."""
    sent = [{"x": n, "name": "é中" * n, "numbers": [1, 2], "table": {"a": n}, "parts": [{"n": n}]} for n in range(3)]
    body = json.dumps(sent, ensure_ascii=False).encode()
    written = json.loads(ENCODER.encode(ITEMS))
    wrong = [] if are_whole(written) else [f"TypedEncoder: {written!r}"]
    if [item.model_dump(exclude_unset=True) for item in DECODER.decode(body)] != sent:
        wrong.append("TypedDecoder")

    async def requests() -> None:
        status, text = await answer("GET")
        if status != 200 or not are_whole(json.loads(text)):
            wrong.append(f"an answer: {status} {text!r}")
        status, text = await answer("POST", body)
        if status != 200 or [item["x"] for item in json.loads(text)] != [0, 1, 2]:
            wrong.append(f"a body: {status} {text!r}")
        if (await answer("POST", b'[{"x": "no"}]'))[0] != 422:
            wrong.append("an error")

    asyncio.run(requests())
    return wrong
