"""The adapters' servers: how each is started, and its known errors."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

APPS = Path(__file__).parent / "apps"

_UVICORN = ("-m", "uvicorn", "--host", "127.0.0.1", "--port", "{port}", "--no-access-log", "--log-level", "warning")
_GUNICORN = ("-m", "gunicorn", "-b", "127.0.0.1:{port}", "--threads", "4", "--no-control-socket", "--timeout", "120")
_HYPERCORN = ("-m", "hypercorn", "-b", "127.0.0.1:{port}", "--keep-alive", "1")
_SANIC = ("-m", "sanic", "--single-process", "--host", "127.0.0.1", "--port", "{port}", "--no-access-logs")

_NO_INFINITY = "an application that answers with inf gets ValueError, as from the framework's own class"
_STARLETTES = {"huge exponent": _NO_INFINITY, "NaN": _NO_INFINITY}
_STARLETTES_ERRORS = ("ValueError", "ssrjson_web.JSONEncodeValueError")
_CHUNKS = {"broken chunks": "reading the body raises the server's own error, which is neither ours nor the framework's"}
_CHUNK_ERRORS = ("gunicorn.http.errors.ChunkMissingTerminator", "gunicorn.http.errors.NoMoreData", "OSError")
_NOT_UTF_8 = "Quart decodes the body before a provider sees it, and lets UnicodeDecodeError through"
_QUARTS = dict.fromkeys(("bad UTF-8", "encoded surrogate", "UTF-16 without an end"), _NOT_UTF_8)


@dataclass(frozen=True, kw_only=True)
class Server:
    """An application under a server."""

    name: str
    words: Sequence[str]
    """Arguments of the interpreter; `{port}` is the port."""
    prefix: str = ""
    has_streams: bool = True
    parts: Sequence[str] = ()
    """The paths that take a body in another way than `/echo`, and answer what shows its value."""
    has_loop: bool = True
    """Whether `/tasks` counts the tasks of the loop that serves."""
    known: Mapping[str, str] = field(default_factory=dict)
    """Kinds of visit that give a 500 with stock's classes too, each with the reason."""
    known_errors: Sequence[str] = ()
    """The exceptions that those visits put into the log."""

    @property
    def command(self) -> list[str]:
        """The command, which runs in `APPS`."""
        return [sys.executable, *self.words]


SERVERS: Sequence[Server] = (
    Server(
        name="starlette",
        words=(*_UVICORN, "starlette_app:app"),
        parts=("/items", "/items/lines", "/only", "/typed", "/jsonc"),
        known=_STARLETTES,
        known_errors=_STARLETTES_ERRORS,
    ),
    Server(name="fastapi", words=(*_UVICORN, "fastapi_app:app"), known=_STARLETTES, known_errors=_STARLETTES_ERRORS),
    Server(
        name="django-wsgi",
        words=(*_GUNICORN, "django_app:wsgi"),
        has_loop=False,
        known=_CHUNKS,
        known_errors=_CHUNK_ERRORS,
    ),
    Server(name="django-asgi", words=(*_UVICORN, "--lifespan", "off", "django_app:asgi")),
    Server(
        name="rest_framework",
        words=(*_GUNICORN, "django_app:wsgi"),
        prefix="/rest",
        has_streams=False,
        has_loop=False,
        known={**_CHUNKS, "huge exponent": _NO_INFINITY},
        known_errors=(*_CHUNK_ERRORS, *_STARLETTES_ERRORS),
    ),
    Server(
        name="ninja",
        words=(*_GUNICORN, "django_app:wsgi"),
        prefix="/ninja",
        has_streams=False,
        has_loop=False,
        known=_CHUNKS,
        known_errors=_CHUNK_ERRORS,
    ),
    Server(
        name="flask", words=(*_GUNICORN, "flask_app:app"), has_loop=False, known=_CHUNKS, known_errors=_CHUNK_ERRORS
    ),
    Server(
        name="flask-werkzeug",
        words=("flask_app.py", "{port}"),
        has_loop=False,
        known=_CHUNKS,
        known_errors=_CHUNK_ERRORS,
    ),
    Server(name="quart", words=(*_HYPERCORN, "quart_app:app"), known=_QUARTS, known_errors=("UnicodeDecodeError",)),
    Server(name="litestar", words=(*_UVICORN, "litestar_app:app"), has_streams=False),
    Server(name="falcon", words=(*_UVICORN, "falcon_app:app"), has_streams=False),
    Server(name="aiohttp", words=("aiohttp_app.py", "{port}"), has_streams=False),
    Server(name="sanic", words=(*_SANIC, "sanic_app:app"), has_streams=False),
)
