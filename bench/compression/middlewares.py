"""Web applications that answer with one list of records, each in another compressing middleware."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from bench.kit.asgi import exchange, receiver, scope_of

__all__ = ["PACKAGES", "Answer", "Served", "served"]

PACKAGES = (
    *("fastapi", "starlette", "starlette-compress", "brotli-asgi"),
    *("flask", "flask-compress", "django", "django-http-compression", "django-compression-middleware"),
)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a client gets."""

    coding: str
    """Its `Content-Encoding`; empty where it has none."""
    body: bytes


@dataclass(frozen=True, kw_only=True)
class Served:
    """An application in a middleware, and a client that accepts one coding."""

    framework: str
    name: str
    """The middleware, with its settings."""
    coding: str
    ask: Callable[[], Answer]


@dataclass(frozen=True, kw_only=True)
class _Wrapping:
    name: str
    codings: tuple[str, ...]
    wrap: Callable[[Any], Any]
    """Puts an application, or a Django view, into the middleware."""


def served(rows: Any, missing: Callable[[str], None]) -> list[Served]:
    """Every middleware that can be imported, with each coding that it knows; `missing` gets a line for each other."""
    found: list[Served] = []
    for framework, wrappings, make in (
        ("FastAPI", _ASGI, _fastapi),
        ("Flask", _FLASK, _flask),
        ("Django", _DJANGO, _django),
    ):
        for wrapping in wrappings:
            for coding in wrapping.codings:
                try:
                    ask = make(rows, wrapping.wrap, coding)
                except ImportError as error:
                    missing(f"left out: {framework}, {wrapping.name}: {error}")
                    break
                found.append(Served(framework=framework, name=wrapping.name, coding=coding, ask=ask))
    return found


def _adds(module: str, name: str, **options: Any) -> Callable[[Any], Any]:
    def wrap(app: Any) -> Any:
        app.add_middleware(getattr(import_module(module), name), **options)
        return app

    return wrap


_ASGI = (
    _Wrapping(name="none", codings=("",), wrap=lambda app: app),
    *(
        _Wrapping(
            name=f"GZipMiddleware, level {level}",
            codings=("gzip",),
            wrap=_adds("starlette.middleware.gzip", "GZipMiddleware", compresslevel=level),
        )
        for level in (9, 5, 1)
    ),
    _Wrapping(
        name="starlette-compress, zstd 3",
        codings=("zstd", "br", "gzip"),
        wrap=_adds("starlette_compress", "CompressMiddleware", zstd_level=3),
    ),
    _Wrapping(
        name="starlette-compress, brotli 1, gzip 1",
        codings=("br", "gzip"),
        wrap=_adds("starlette_compress", "CompressMiddleware", brotli_quality=1, gzip_level=1),
    ),
    _Wrapping(name="brotli-asgi", codings=("br",), wrap=_adds("brotli_asgi", "BrotliMiddleware")),
)


def _with_flask_compress(**config: Any) -> Callable[[Any], Any]:
    def wrap(app: Any) -> Any:
        app.config.update(config)
        import_module("flask_compress").Compress(app)
        return app

    return wrap


_FLASK = (
    _Wrapping(name="none", codings=("",), wrap=lambda app: app),
    _Wrapping(name="Flask-Compress", codings=("zstd", "br", "gzip"), wrap=_with_flask_compress()),
    _Wrapping(
        name="Flask-Compress, brotli 1, gzip 1",
        codings=("br", "gzip"),
        wrap=_with_flask_compress(COMPRESS_BR_LEVEL=1, COMPRESS_LEVEL=1),
    ),
)
_DJANGO = (
    _Wrapping(name="none", codings=("",), wrap=lambda view: view),
    _Wrapping(
        name="GZipMiddleware",
        codings=("gzip",),
        wrap=lambda view: import_module("django.middleware.gzip").GZipMiddleware(view),
    ),
    _Wrapping(
        name="django-http-compression",
        codings=("zstd", "br", "gzip"),
        wrap=lambda view: import_module("django_http_compression.middleware").HttpCompressionMiddleware(view),
    ),
    _Wrapping(
        name="django-compression-middleware",
        codings=("zstd", "br", "gzip"),
        wrap=lambda view: import_module("compression_middleware.middleware").CompressionMiddleware(view),
    ),
)


def _fastapi(rows: Any, wrap: Callable[[Any], Any], coding: str) -> Callable[[], Answer]:
    from fastapi import FastAPI

    from ssrjson_web.fastapi import setup

    app = FastAPI()
    setup(app)

    @app.get("/rows")
    async def answer() -> Any:
        return rows

    wrapped = wrap(app)
    headers = [(b"accept-encoding", coding.encode())] if coding else []
    return lambda: _run(_asgi_exchange(wrapped, headers))


def _run(exchange: Any) -> Answer:
    """The result of a coroutine that never waits: no loop is started, which would take longer than the request."""
    try:
        exchange.send(None)
    except StopIteration as end:
        answer: Answer = end.value
        return answer
    exchange.close()
    raise _Waited


class _Waited(Exception):
    pass


async def _asgi_exchange(app: Any, headers: list[tuple[bytes, bytes]]) -> Answer:
    answer = await exchange(app, scope_of("GET", "/rows", headers=headers), receiver())
    return Answer(coding=(answer.header(b"content-encoding") or b"").decode(), body=answer.body)


def _flask(rows: Any, wrap: Callable[[Any], Any], coding: str) -> Callable[[], Answer]:
    from flask import Flask, jsonify
    from werkzeug.test import EnvironBuilder

    from ssrjson_web.flask import SSRJSON

    app = Flask(__name__)
    SSRJSON(app, mode="fast")
    app.add_url_rule("/rows", "rows", lambda: jsonify(rows))
    wrapped = wrap(app)
    headers = [("Accept-Encoding", coding)] if coding else []
    environ = EnvironBuilder("/rows", headers=headers).get_environ()

    def ask() -> Answer:
        codings: list[str] = []

        def start_response(status: str, headers: Any, exc_info: Any = None) -> Any:
            codings.extend(value for name, value in headers if name.lower() == "content-encoding")

        chunks = wrapped({**environ, "wsgi.input": io.BytesIO()}, start_response)
        try:
            return Answer(body=b"".join(chunks), coding="".join(codings))
        finally:
            chunks.close()

    return ask


def _django(rows: Any, wrap: Callable[[Any], Any], coding: str) -> Callable[[], Answer]:
    from django.conf import settings

    if not settings.configured:
        settings.configure()
    from django.http import HttpRequest

    from ssrjson_web.django import SSRJSONResponse

    wrapped = wrap(lambda request: SSRJSONResponse(rows, safe=False))

    def ask() -> Answer:
        request = HttpRequest()
        if coding:
            request.META["HTTP_ACCEPT_ENCODING"] = coding
        response = wrapped(request)
        return Answer(coding=response.headers.get("Content-Encoding", ""), body=response.content)

    return ask
