"""Our classes with Starlette's own middleware, in its test client, with a lifespan."""

from __future__ import annotations

import contextlib
import gzip
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("pytest_asyncio", reason="pytest-asyncio is not installed")

from helpers.asgi_exchange import Exchange
from helpers.streams import Watched
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.testclient import TestClient

from ssrjson_web.starlette import (
    SSRJSONEventResponse,
    SSRJSONLinesResponse,
    SSRJSONRequest,
    SSRJSONRoute,
    SSRJSONStreamingResponse,
)

CLASSES = [SSRJSONStreamingResponse, SSRJSONLinesResponse, SSRJSONEventResponse]
KINDS = ["sync", "async"]


async def pass_on(request: Request, call_next: Any) -> Any:
    return await call_next(request)


async def read_first(request: Request, call_next: Any) -> Any:
    await request.body()
    return await call_next(request)


def streaming_app(watched: Watched, kind: str, cls: Any, *middleware: Middleware) -> Starlette:
    async def stream(request: Request) -> Any:
        return cls(watched.of(kind))

    return Starlette(routes=[SSRJSONRoute("/", stream)], middleware=list(middleware))


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cls", [SSRJSONStreamingResponse, SSRJSONLinesResponse])
async def test_stream_wrapped_by_gzip_is_the_same_document(cls: Any, kind: str) -> None:
    headers = [(b"accept-encoding", b"gzip")]
    app = streaming_app(Watched(5000), kind, cls, Middleware(GZipMiddleware))
    exchange = await Exchange(headers=headers).run(app)
    assert (b"content-encoding", b"gzip") in exchange.messages[0]["headers"]
    plain = await Exchange().run(cls(Watched(5000).of(kind)))
    assert gzip.decompress(exchange.text) == plain.text
    assert len(exchange.text) < len(plain.text) / 2


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cls", CLASSES)
async def test_stream_wrapped_by_gzip_that_breaks_raises_without_an_end(cls: Any, kind: str) -> None:
    watched = Watched(5000, error_at=4000)
    exchange = Exchange(headers=[(b"accept-encoding", b"gzip")])
    with pytest.raises(RuntimeError, match="the source broke"):
        await exchange.run(streaming_app(watched, kind, cls, Middleware(GZipMiddleware)))
    assert (exchange.is_complete, watched.closed) == (False, 1)


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
async def test_stream_wrapped_by_base_http_middleware_that_breaks_raises_and_is_no_whole_document(kind: str) -> None:
    watched = Watched(5000, error_at=4000)
    exchange = Exchange()
    middleware = Middleware(BaseHTTPMiddleware, dispatch=pass_on)
    with pytest.raises(RuntimeError, match="the source broke"):
        await exchange.run(streaming_app(watched, kind, SSRJSONStreamingResponse, middleware))
    assert watched.closed == 1
    # this middleware completes the response and then raises: only the missing bracket shows the error
    assert exchange.text.endswith(b"}")


@pytest.mark.asyncio
@pytest.mark.parametrize("spec_version", ["2.3", "2.4"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cls", CLASSES)
async def test_stream_wrapped_by_base_http_middleware_whose_client_leaves_closes_the_source(
    cls: Any, kind: str, spec_version: str
) -> None:
    watched = Watched(10**6)
    exchange = Exchange(spec_version=spec_version, leaves_after=4, send_seconds=0.01)
    app = streaming_app(watched, kind, cls, Middleware(BaseHTTPMiddleware, dispatch=pass_on))
    with contextlib.suppress(
        BaseException
    ):  # versions of Starlette differ in how they pass on the error of a server of 2.4
        await exchange.run(app)
    assert (exchange.is_complete, watched.closed) == (False, 1)
    assert watched.pulled < 20_000


@pytest.mark.asyncio
async def test_stream_wrapped_by_base_http_middleware_is_not_iterated_ahead() -> None:
    watched = Watched(10**6)
    exchange = Exchange(leaves_after=5, send_seconds=0.02)
    await exchange.run(
        streaming_app(watched, "async", SSRJSONStreamingResponse, Middleware(BaseHTTPMiddleware, dispatch=pass_on))
    )
    n_bytes = len(JSONResponse(Watched(watched.pulled).values).body)
    assert n_bytes <= len(exchange.text) + 3 * 70_000


@pytest.mark.asyncio
@pytest.mark.parametrize("dispatch", [pass_on, read_first])
@pytest.mark.parametrize("limit", [5, 4])
async def test_request_wrapped_by_base_http_middleware_is_read_and_limited(dispatch: Any, limit: int) -> None:
    async def echo(request: Request) -> Any:
        return await request.json()

    route = SSRJSONRoute("/", echo, methods=["POST"], request_class=SSRJSONRequest.limited(max_body_size=limit))
    app = Starlette(routes=[route], middleware=[Middleware(BaseHTTPMiddleware, dispatch=dispatch)])
    exchange = await Exchange("POST", body=(b"[1,", b"2]")).run(app)
    assert exchange.messages[0]["status"] == (200 if limit == 5 else 413)
    assert exchange.text == (b"[1,2]" if limit == 5 else b"The request body is longer than 4 bytes")


def test_application_in_the_test_client_streams_and_keeps_its_lifespan() -> None:
    states: list[str] = []

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
        states.append("up")
        yield {"rows": Watched(1000).values}
        states.append("down")

    async def stream(request: Request) -> Any:
        return SSRJSONStreamingResponse(request.state.rows)

    async def broken(request: Request) -> Any:
        return SSRJSONStreamingResponse(Watched(5, error_at=2).items())

    app = Starlette(routes=[SSRJSONRoute("/", stream), SSRJSONRoute("/broken", broken)], lifespan=lifespan)
    with TestClient(app) as client:
        assert client.get("/").json() == Watched(1000).values
        with client.stream("GET", "/") as reply:
            assert json.loads(b"".join(reply.iter_bytes())) == Watched(1000).values
        with pytest.raises(RuntimeError, match="the source broke"):
            client.get("/broken")
    assert states == ["up", "down"]
