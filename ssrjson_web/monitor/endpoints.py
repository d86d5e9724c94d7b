"""The endpoints under the prefix, for any protocol."""

from __future__ import annotations

import hmac
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ssrjson_web._core import Encoder
from ssrjson_web.monitor.gate import TooSoon
from ssrjson_web.monitor.monitor import Monitor
from ssrjson_web.monitor.page import page_headers, page_html
from ssrjson_web.monitor.prometheus import exposition

__all__ = ["EVENT_STREAM_HEADERS", "Answer", "Endpoints"]

_encoder = Encoder(append_newline=True, line_safe=True)
_NO_STORE = [("cache-control", "no-store"), ("x-content-type-options", "nosniff")]
EVENT_STREAM_HEADERS = [("content-type", "text/event-stream"), *_NO_STORE, ("x-accel-buffering", "no")]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A complete response."""

    status: int = 200
    headers: list[tuple[str, str]]
    """(name, value): names in lower case, without content-length."""
    body: bytes


def _json(value: Any, *, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    return Answer(
        status=status,
        headers=[("content-type", "application/json"), *_NO_STORE, *headers],
        body=_encoder.encode(value),
    )


class Endpoints:
    """Which requests are for the endpoints, and the answers to them."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        self._prefix = monitor.options.prefix + "/"
        self._page_name = self._prefix.rsplit("/", 2)[1] + "/"
        self._token = (monitor.options.token or "").encode()
        # with the default prefix: GET /ssrjson/stats, GET /ssrjson/metrics, POST /ssrjson/trim, POST /ssrjson/scan
        self._actions: dict[tuple[str, str], Callable[[], Answer]] = {
            ("GET", "stats"): lambda: _json(monitor.stats(with_samples=True)),
            ("GET", "metrics"): lambda: _metrics(monitor),
            ("POST", "trim"): lambda: _unless_too_soon(monitor.trim),
            ("POST", "scan"): lambda: _unless_too_soon(monitor.scan),
        }

    def action(self, method: str, path: str, authorization: str) -> Callable[[], Answer] | None:
        """The function that answers a request to `path`; None where the application answers.

        Without the token the application answers everything but the page, which holds no secret.
        The function may take as long as a scan does; it may run in any thread.
        """
        if not self._token:
            return None
        if path + "/" == self._prefix:
            return self._redirect_to_page if self._has_page(method) else None
        if not path.startswith(self._prefix):
            return None
        name = path[len(self._prefix) :]
        if name == "":
            return _page if self._has_page(method) else None
        action = self._actions.get((method, name))
        return action if self._is_authorized(authorization) else None

    def is_event_stream(self, method: str, path: str, authorization: str) -> bool:
        """Whether the request is for the stream of events, with the token."""
        return method == "GET" and path == self._prefix + "events" and self._is_authorized(authorization)

    def event(self) -> bytes:
        """The current figures as a server-sent event."""
        return b"data: " + _encoder.encode(self._monitor.stats()) + b"\n"

    def _has_page(self, method: str) -> bool:
        return method == "GET" and self._monitor.options.page

    def _redirect_to_page(self) -> Answer:
        """From `/ssrjson` to `/ssrjson/`: the location is relative, so that it holds under any root path."""
        return Answer(status=307, headers=[("location", self._page_name), *_NO_STORE], body=b"")

    def _is_authorized(self, authorization: str) -> bool:
        scheme, _, token = authorization.partition(" ")
        given = token.strip().encode("utf-8", "surrogateescape")
        is_same = hmac.compare_digest(given, self._token)
        return bool(self._token) and is_same and scheme.lower() == "bearer"


def _page() -> Answer:
    return Answer(headers=[*page_headers(), *_NO_STORE], body=page_html())


def _metrics(monitor: Monitor) -> Answer:
    try:
        content_type, body = exposition(monitor.stats())
    except ImportError as error:
        return Answer(
            status=404, headers=[("content-type", "text/plain; charset=utf-8"), *_NO_STORE], body=f"{error}\n".encode()
        )
    return Answer(headers=[("content-type", content_type), *_NO_STORE], body=body)


def _unless_too_soon(action: Callable[[], dict[str, Any]]) -> Answer:
    try:
        return _json(action())
    except TooSoon as error:
        seconds = math.ceil(error.seconds)
        return _json({"retry_after": seconds}, status=429, headers=(("retry-after", str(seconds)),))
