"""What a run on an adapter measures: kinds of request, and who answers them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

STOCK = "stock"
Ask = Callable[[bytes | None], bytes]
"""Sends a request, with that body or none, and gives the body of the answer."""


@dataclass(frozen=True, kw_only=True)
class AdapterRival:
    """One class on one kind of request."""

    name: str
    part: Callable[[Any], Any]
    """What the class does with a value, by itself."""
    ask: Callable[[str], Ask]
    """Makes requests of a route by that name."""
    reference: Callable[[Any], Any] | None = None
    """What the part is to give for a value, where the class is ours."""


@dataclass(frozen=True, kw_only=True)
class AdapterCase:
    """A kind of request."""

    kind: str
    title: str
    rivals: Sequence[AdapterRival]
    make_value: Callable[[], Any]
    """What the JSON part gets, of strings that nobody has encoded."""
    body: bytes | None = None
    """Of a POST."""
    n_bytes: int


@dataclass(frozen=True, kw_only=True)
class AdapterGoal:
    """A rival's time over one of ours: a ratio to reach on the JSON part."""

    kind: str
    ours: str = "ssrjson_web"
    over: str
    at_least: float


@dataclass(frozen=True, kw_only=True)
class Adapter:
    """A framework: what is asked of it, by whom, and the ratios to reach."""

    title: str
    cases: Sequence[AdapterCase]
    rival_names: Sequence[str]
    ours: Sequence[str]
    goals: Sequence[AdapterGoal]
    versions: Mapping[str, str]
    request_note: str


def asked_by_wsgi(application: Any, path: str, body: bytes | None) -> bytes:
    """The body of a WSGI application's answer, without a socket. Raises RuntimeError where the status is not 200."""
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
    parts: Iterator[bytes] = application(environ, lambda status, headers: statuses.append(status))
    answer = b"".join(parts)
    parts.close()  # type: ignore[attr-defined]
    if not statuses[0].startswith("200"):
        raise RuntimeError(f"{path}: {statuses[0]}: {answer[:200]!r}")
    return answer
