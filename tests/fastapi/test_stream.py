"""Endpoints that yield: FastAPI streams them, with and without us alike."""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import BackgroundTasks, FastAPI, Response
from fastapi.responses import JSONResponse, StreamingResponse
from helpers.fastapi_twins import FASTAPI_VERSION, Counter, answer, assert_twins_answer_alike
from pydantic import BaseModel

from ssrjson_web import utf8_cache_size
from ssrjson_web.fastapi import SSRJSONResponse, setup

HAS_JSON_LINES = FASTAPI_VERSION >= (0, 134)


class Tag(BaseModel):
    name: str
    weight: int | None = None


def build(response_class: Any = None, **options: Any) -> FastAPI:
    app = FastAPI(**({} if response_class is None else {"default_response_class": response_class}))
    app.state.log = []

    @app.get("/untyped", **options)
    async def untyped():
        for n in range(3):
            yield {"é": n, "nan": float("nan")}

    @app.get("/untyped-sync", **options)
    def untyped_sync():
        yield "é"
        yield Tag(name="中")

    if not HAS_JSON_LINES:  # there a generator is a value, an async one is not, and their types are no models
        return app

    @app.get("/typed", **options)
    async def typed() -> AsyncIterable[Tag]:
        yield Tag(name="é")
        yield {"name": "中", "weight": 2}

    @app.get("/typed-sync", **options)
    def typed_sync() -> Iterable[Tag]:
        yield Tag(name="é")

    @app.get("/invalid", **options)
    async def invalid() -> AsyncIterator[Tag]:
        yield Tag(name="é")
        yield {"weight": 2}

    @app.get("/failing", **options)
    def failing() -> Iterator[Tag]:
        yield Tag(name="é")
        raise KeyError("é")

    @app.get("/with-response", status_code=201, **options)
    async def with_response(response: Response, tasks: BackgroundTasks) -> AsyncIterable[Tag]:
        response.headers["x-a"] = "b"
        tasks.add_task(app.state.log.append, "task")
        yield Tag(name="é")

    @app.get("/raw", response_class=StreamingResponse)
    async def raw():
        yield "é"
        yield b"b"

    @app.get("/raw-sync", response_class=StreamingResponse)
    def raw_sync() -> Iterable[str]:
        yield "é"

    return app


PATHS = [
    "/untyped",
    "/untyped-sync",
    "/typed",
    "/typed-sync",
    "/invalid",
    "/failing",
    "/with-response",
    "/raw",
    "/raw-sync",
]


@pytest.mark.parametrize("response_class", [None, JSONResponse, SSRJSONResponse])
@pytest.mark.parametrize("response_models", [True, False])
def test_generator_endpoint_answers_as_stock(response_class: Any, response_models: bool) -> None:
    paths = PATHS if HAS_JSON_LINES else ["/untyped-sync"]
    assert_twins_answer_alike(lambda: build(response_class), paths, response_models=response_models)


@pytest.mark.skipif(not HAS_JSON_LINES, reason="FastAPI has no JSON lines before 0.134")
def test_json_lines_are_fastapis_own_with_typed_items_encoded_by_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    tag = Tag(name="中" * 100)
    app = FastAPI()

    @app.get("/")
    async def endpoint() -> AsyncIterable[Tag]:
        yield tag
        yield tag

    setup(app)
    reply = answer(app, "/")
    assert reply.headers["content-type"] == "application/jsonl"
    assert reply.body.count(b"\n") == 2
    assert counter.models == 2
    assert utf8_cache_size(tag.name) == 0


@pytest.mark.skipif(FASTAPI_VERSION < (0, 135), reason="FastAPI has no server-sent events before 0.135")
def test_server_sent_events_answer_as_stock(monkeypatch: pytest.MonkeyPatch) -> None:
    from fastapi.sse import EventSourceResponse, ServerSentEvent

    def build() -> FastAPI:
        app = FastAPI()

        @app.get("/typed", response_class=EventSourceResponse)
        async def typed() -> AsyncIterable[Tag]:
            yield Tag(name="é")
            yield {"name": "中"}

        @app.get("/untyped", response_class=EventSourceResponse)
        def untyped():
            yield {"é": 1}
            yield ServerSentEvent(data=Tag(name="é"), event="x", id="1", retry=5)
            yield ServerSentEvent(raw_data="roh", comment="c")

        return app

    counter = Counter(monkeypatch)
    answers = assert_twins_answer_alike(build, ["/typed", "/untyped"])
    assert answers[0].headers["content-type"].startswith("text/event-stream")
    assert counter.models == 4
    assert_twins_answer_alike(build, ["/typed", "/untyped"], response_models=False)


@pytest.mark.skipif(not HAS_JSON_LINES, reason="FastAPI has no JSON lines before 0.134")
def test_generator_of_an_included_router_answers_as_stock() -> None:
    from fastapi import APIRouter

    def build_with_router() -> FastAPI:
        app, router = FastAPI(), APIRouter()
        app.state.log = []

        @router.get("/typed")
        async def typed() -> AsyncIterable[Tag]:
            yield {"name": "é"}

        @router.get("/untyped")
        def untyped():
            yield {"é": 1}

        app.include_router(router, prefix="/r")
        return app

    answers = assert_twins_answer_alike(build_with_router, ["/r/typed", "/r/untyped"])
    assert all(found.status == 200 for found in answers)


def test_streaming_response_returned_answers_as_stock() -> None:
    def build() -> FastAPI:
        app = FastAPI()

        @app.get("/")
        async def endpoint():
            async def chunks() -> AsyncIterator[bytes]:
                yield "é".encode()
                yield b"b"

            return StreamingResponse(chunks(), media_type="text/x")

        @app.get("/failing")
        def failing():
            def chunks() -> Iterator[str]:
                yield "é"
                raise KeyError("é")

            return StreamingResponse(chunks())

        return app

    assert_twins_answer_alike(build, ["/", "/failing"])
