"""Large answers of FastAPI with slices against FastAPI's own: the same answer, status and errors."""

from __future__ import annotations

import asyncio
import datetime
import decimal
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

import httpx
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from helpers.asgi_exchange import Exchange, call
from pydantic import BaseModel

from ssrjson_web.fastapi import setup
from ssrjson_web.starlette import SSRJSONResponse


class Book(BaseModel):
    title: str
    at: datetime.date


LARGE = [{"id": i, "名": f"n{i}", "price": decimal.Decimal(i) / 3, "book": None} for i in range(5_000)]
CONTENTS: dict[str, Any] = {
    "small": {"a": 1},
    "large": LARGE,
    "models": [Book(title=f"红{i}", at=datetime.date(2026, 1, 1)) for i in range(5_000)],
    "sets at the end": [LARGE, {1}, {"b": {2}}],
    "nan at the end": [LARGE, float("nan")],
    "object at the end": [LARGE, object()],
    "none": None,
}


def app_with(*, sliced: bool, response_class: Any = None) -> FastAPI:
    options = {} if response_class is None else {"default_response_class": response_class}
    app = FastAPI(**options)

    async def get(name: str) -> Any:
        return CONTENTS[name]

    def get_in_thread(name: str) -> Any:
        return CONTENTS[name]

    def get_books() -> Any:
        return CONTENTS["models"]

    get.__annotations__["name"] = get_in_thread.__annotations__["name"] = str
    app.get("/async/{name}", response_model=None)(get)
    app.get("/thread/{name}", response_model=None)(get_in_thread)
    app.get("/books", response_model=list[Book])(get_books)
    if sliced:
        setup(app, slice_ms=1e-9, slice_from=100)
    return app


STOCK = app_with(sliced=False)
SLICED = app_with(sliced=True)
BY_CLASS = app_with(sliced=False, response_class=SSRJSONResponse.sliced(slice_ms=1e-9, slice_from=100))
setup(BY_CLASS)


def answered(app: FastAPI, path: str) -> tuple[int, dict[str, str], bytes]:
    response = call(app, path)
    return response.status_code, dict(response.headers), response.content


@pytest.mark.parametrize("path", [f"/{kind}/{name}" for kind in ("async", "thread") for name in CONTENTS])
@pytest.mark.parametrize("app", [SLICED, BY_CLASS], ids=["setup", "class"])
def test_sliced_answer_equals_stock(app: FastAPI, path: str) -> None:
    assert answered(app, path) == answered(STOCK, path)


def test_large_answer_is_sent_in_messages_and_small_one_in_one() -> None:
    def messages(path: str) -> list[Any]:
        exchange = Exchange()
        asyncio.run(SLICED({**exchange.scope, "path": path}, exchange.receive, exchange.send))
        return exchange.messages

    assert len(messages("/async/small")) == 2
    assert len(messages("/async/large")) > 2
    assert len(messages("/books")) == 2  # with a response model it is made at once


def test_answer_with_a_response_model_equals_stock() -> None:
    for _ in range(3):
        assert answered(SLICED, "/books") == answered(STOCK, "/books")


def test_answers_at_the_same_time_do_not_mix() -> None:
    expected = {name: answered(STOCK, f"/async/{name}") for name in CONTENTS}

    async def main() -> list[tuple[str, Any]]:
        transport = httpx.ASGITransport(app=SLICED, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            names = [*CONTENTS] * 3
            got = await asyncio.gather(*(client.get(f"/async/{name}") for name in names))
            return [(name, (r.status_code, dict(r.headers), r.content)) for name, r in zip(names, got, strict=True)]

    for name, got in asyncio.run(main()):
        assert got == expected[name]


def test_iterator_that_is_used_up_is_not_read_again() -> None:
    app = FastAPI()

    @app.get("/", response_model=None)
    def get() -> Any:
        return [LARGE, iter([1, 2]), float("nan")]

    setup(app, slice_ms=1e-9, slice_from=100)
    assert call(app, "/").status_code == 500


def test_middleware_gets_the_same_answer() -> None:
    app = FastAPI()

    @app.middleware("http")
    async def look(request: Any, call_next: Any) -> Any:
        response = await call_next(request)
        response.headers["x-length"] = response.headers["content-length"]
        return response

    @app.get("/", response_model=None)
    async def get() -> Any:
        return LARGE

    setup(app, slice_ms=1)
    response = call(app, "/")
    assert response.content == call(STOCK, "/async/large").content
    assert response.headers["x-length"] == str(len(response.content))


def test_setup_with_wrong_slices_raises() -> None:
    with pytest.raises(ValueError, match="slice_ms must be more than 0, not 0"):
        setup(FastAPI(), slice_ms=0)
    with pytest.raises(ValueError, match="slice_from must be 0 or more, not -1"):
        setup(FastAPI(), slice_ms=1, slice_from=-1)
    with pytest.raises(ValueError, match="slice_from is of answers in slices: it needs slice_ms"):
        setup(FastAPI(), slice_from=1)


def test_response_of_a_sliced_route_is_a_json_response() -> None:
    from fastapi.routing import APIRoute

    seen: list[Any] = []

    class Looking(APIRoute):
        def get_route_handler(self) -> Any:
            handler = super().get_route_handler()

            async def handle(request: Any) -> Any:
                response = await handler(request)
                seen.append((isinstance(response, JSONResponse), len(response.body)))
                return response

            return handle

    app = FastAPI()
    app.router.route_class = Looking

    @app.get("/", response_model=None)
    async def get() -> Any:
        return LARGE

    setup(app, slice_ms=1e-9)
    content = call(app, "/").content
    assert content == call(STOCK, "/async/large").content
    assert seen == [(True, len(content))]
