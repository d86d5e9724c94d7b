"""redis-py, Django's cache, aiocache and fastapi-cache keep what the core writes."""

from __future__ import annotations

import asyncio
import datetime
import json
import re
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any

import pytest
from ecosystem.page import TEXT, VALUE, fresh_value, has_no_copy, recorded, run_section


def test_redis(redis_port: int) -> None:
    redis = pytest.importorskip("redis", reason="redis is not installed")
    value = fresh_value()
    with redis.Redis(port=redis_port) as client:
        assert run_section("redis-py", client=client, book=value)["same"] == VALUE
        assert client.get("book:1") == json.dumps(VALUE, ensure_ascii=False, separators=(",", ":")).encode()
    assert has_no_copy(value)


def test_django_cache(redis_port: int) -> None:
    pytest.importorskip("redis", reason="redis is not installed")
    pytest.importorskip("django", reason="Django is not installed")
    import helpers.django_project  # noqa: F401  (settings)
    from django.core.cache import caches
    from django.test import override_settings

    value = fresh_value()
    settings = run_section("Django's cache", location=f"redis://127.0.0.1:{redis_port}/2")
    with override_settings(CACHES=settings["CACHES"]), recorded() as recorder:
        caches["default"].set("book", value)
        assert caches["default"].get("book") == VALUE
    assert (recorder.encodes, recorder.decodes) == (1, 1)
    assert has_no_copy(value)


def test_aiocache(redis_port: int) -> None:
    pytest.importorskip("aiocache", reason="aiocache is not installed")
    pytest.importorskip("redis", reason="redis is not installed")
    value = fresh_value()

    async def run() -> None:
        cache = run_section("aiocache", endpoint="127.0.0.1", port=redis_port)["cache"]
        with recorded() as recorder:
            await cache.set("book", value, ttl=60)
            assert await cache.get("book") == VALUE
            assert await cache.get("none") is None
        assert (recorder.encodes, recorder.decodes) == (1, 1)
        await cache.close()

    asyncio.run(run())
    assert has_no_copy(value)


def test_fastapi_cache() -> None:
    pytest.importorskip("fastapi_cache", reason="fastapi-cache2 is not installed")
    pytest.importorskip("httpx", reason="httpx is not installed")
    from fastapi import FastAPI
    from fastapi.responses import JSONResponse
    from fastapi_cache import FastAPICache
    from fastapi_cache.backends.inmemory import InMemoryBackend
    from fastapi_cache.decorator import cache
    from helpers.asgi_exchange import call
    from pydantic import BaseModel

    class Book(BaseModel):
        title: str
        price: Decimal
        sold: datetime.date

    class Plain:
        def __init__(self) -> None:
            self.n = 1

    calls: list[int] = []
    app = FastAPI()

    @app.get("/")
    @cache(expire=60)
    async def book() -> Book:
        calls.append(1)
        return Book(title=TEXT, price=Decimal("1.50"), sold=datetime.date(2026, 1, 2))

    @app.get("/response")
    @cache(expire=60)
    async def response() -> Any:
        return JSONResponse({"title": TEXT}, status_code=201)

    @app.get("/values")
    @cache(expire=60)
    async def values() -> Any:
        return {
            "set": {TEXT},
            "bytes": b"b",
            "path": PurePosixPath("/a"),
            "pattern": re.compile("a"),
            "object": Plain(),
        }

    coder: Any = run_section("fastapi-cache", backend=InMemoryBackend())["SSRJSONCoder"]
    expected = {"set": [TEXT], "bytes": "b", "path": "/a", "pattern": "a", "object": {"n": 1}}
    try:
        for path, content in (("/response", {"title": TEXT}), ("/values", expected)):
            for _ in range(2):
                reply = call(app, path)
                assert (reply.status_code < 300, reply.json()) == (True, content)
        replies = [call(app, "/") for _ in range(2)]
        assert replies[0].json() == replies[1].json() == {"title": TEXT, "price": "1.50", "sold": "2026-01-02"}
        assert len(calls) == 1
        assert FastAPICache.get_coder() is coder
    finally:
        FastAPICache.reset()
    value = fresh_value()
    assert coder.decode(coder.encode(value)) == VALUE
    assert has_no_copy(value)
