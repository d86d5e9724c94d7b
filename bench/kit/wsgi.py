"""Requests to WSGI applications in this process, without a socket. It imports the standard library alone."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any


def ask(application: Any, path: str, body: bytes | None) -> tuple[str, bytes]:
    """Status and body of the answer to a GET, or to a POST of JSON."""
    statuses: list[str] = []
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "GET" if body is None else "POST",
        "PATH_INFO": path,
        "SERVER_NAME": "bench",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body or b""),
        "CONTENT_LENGTH": str(len(body or b"")),
        "CONTENT_TYPE": "application/json",
    }
    parts: Iterable[bytes] = application(environ, lambda status, headers: statuses.append(status))
    answer = b"".join(parts)
    if (close := getattr(parts, "close", None)) is not None:
        close()
    return statuses[0], answer
