"""What JSON costs a WSGI application, in time and memory: figures of every request, and where to see them."""

from __future__ import annotations

import http
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter_ns
from typing import Any

from ssrjson_web._core import Recorder, current_recorder
from ssrjson_web.monitor.endpoints import Answer
from ssrjson_web.monitor.middleware import Middleware
from ssrjson_web.monitor.totals import Totals

__all__ = ["MemoryMiddleware"]

Environ = dict[str, Any]
StartResponse = Callable[..., Callable[[bytes], object]]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]


class MemoryMiddleware(Middleware[Application]):
    """A WSGI application around another, which it measures; see docs/middleware.md for the options.

    A request's time is what passes within the application, not while the server sends. Without `enabled` it does
    nothing but call the other. Raises TypeError or ValueError for wrong options.
    """

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        monitor = self.monitor
        if monitor is None:
            return self.app(environ, start_response)
        sampler = monitor.sampler
        if not sampler.is_running:
            sampler.start()
        if self._endpoints is not None and environ.get("PATH_INFO", "").startswith(self._prefix):
            action = self._endpoints.action(
                environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("HTTP_AUTHORIZATION", "")
            )
            if action is not None:
                return _respond(action(), start_response)
        request = _Request(monitor.totals, start_response, self._has_server_timing)
        if environ.get("CONTENT_LENGTH") not in (None, "", "0") or "HTTP_TRANSFER_ENCODING" in environ:
            environ["wsgi.input"] = _CountedInput(environ["wsgi.input"], request)
        chunks: Iterable[bytes] = request.run(self.app, environ, request.start)
        if type(chunks) is list or type(chunks) is tuple:
            request.bytes_out += sum(map(len, chunks))
            request.finish()
            return chunks
        file_wrapper = environ.get("wsgi.file_wrapper")
        if isinstance(file_wrapper, type) and isinstance(chunks, file_wrapper):
            request.bytes_out += request.content_length()  # the server may send the file without reading it here
            request.finish()
            return chunks
        return (_SizedChunks if hasattr(chunks, "__len__") else _Chunks)(chunks, request)


class _Request:
    """The figures of one request."""

    __slots__ = (
        "_has_server_timing",
        "_headers",
        "_is_open",
        "_recorder",
        "_server_start",
        "_server_write",
        "_started_ns",
        "_totals",
        "bytes_in",
        "bytes_out",
        "ns",
    )

    def __init__(self, totals: Totals, server_start: StartResponse, has_server_timing: bool) -> None:
        self._totals = totals
        self._server_start = server_start
        self._has_server_timing = has_server_timing
        self._recorder = Recorder()
        self._is_open = True
        self._headers: Sequence[tuple[str, str]] = ()
        self.bytes_in = self.bytes_out = self.ns = 0

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function of the application returns; its time is the request's."""
        token = current_recorder.set(self._recorder)
        self._started_ns = started_ns = perf_counter_ns()
        is_failed = True
        try:
            result = function(*arguments)
            is_failed = False
            return result
        finally:
            self.ns += perf_counter_ns() - started_ns
            current_recorder.reset(token)
            if is_failed:
                self.finish(is_failed=True)

    def finish(self, *, is_failed: bool = False) -> None:
        """Count the request, once."""
        if self._is_open:
            self._is_open = False
            self._totals.add(self._recorder, self.ns, self.bytes_in, self.bytes_out, is_failed)

    def start(self, status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Callable[[bytes], object]:
        """The server's `start_response`, listened to."""
        self._headers = headers
        if self._has_server_timing:
            ns = self.ns + perf_counter_ns() - self._started_ns
            timing = f"json;dur={self._recorder.json_ns / 1e6:.3f}, app;dur={ns / 1e6:.3f}"
            headers = [*headers, ("Server-Timing", timing)]
        self._server_write = self._server_start(status, headers, *exc_info)
        return self._write

    def _write(self, data: bytes) -> object:
        self.bytes_out += len(data)
        return self._server_write(data)

    def content_length(self) -> int:
        """What the response's headers say; 0 where they do not."""
        lengths = [value for name, value in self._headers if name.lower() == "content-length"]
        return int(lengths[0]) if lengths and lengths[0].isdecimal() else 0


class _Chunks:
    """What the application returned, counted as the server draws it."""

    __slots__ = ("_iterator", "_original", "_request")

    def __init__(self, original: Iterable[bytes], request: _Request) -> None:
        self._original = original
        self._request = request
        self._iterator: Iterator[bytes] | None = None

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        request = self._request
        chunk: bytes | None = request.run(self._draw)
        if chunk is None:
            request.finish()
            raise StopIteration
        request.bytes_out += len(chunk)
        return chunk

    def _draw(self) -> bytes | None:
        if self._iterator is None:
            self._iterator = iter(self._original)
        return next(self._iterator, None)

    def close(self) -> None:
        """Close what the application returned, where it can be; the request is over then at the latest."""
        try:
            close = getattr(self._original, "close", None)
            if close is not None:
                self._request.run(close)
        finally:
            self._request.finish()


class _SizedChunks(_Chunks):
    """The same with a length, from which a server may know that there is one chunk only."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(self._original)  # type: ignore[arg-type]


class _CountedInput:
    """The request's body, counted as it is read."""

    __slots__ = ("_input", "_request")

    def __init__(self, original: Any, request: _Request) -> None:
        self._input = original
        self._request = request

    def read(self, *size: int) -> bytes:
        return self._counted(self._input.read(*size))

    def readline(self, *size: int) -> bytes:
        return self._counted(self._input.readline(*size))

    def readlines(self, *hint: int) -> list[bytes]:
        lines: list[bytes] = self._input.readlines(*hint)
        self._request.bytes_in += sum(map(len, lines))
        return lines

    def __iter__(self) -> Iterator[bytes]:
        return map(self._counted, self._input)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._input, name)

    def _counted(self, data: bytes) -> bytes:
        self._request.bytes_in += len(data)
        return data


def _respond(answer: Answer, start_response: StartResponse) -> list[bytes]:
    headers = [(name.title(), value) for name, value in answer.headers]
    headers.append(("Content-Length", str(len(answer.body))))
    start_response(f"{answer.status} {http.HTTPStatus(answer.status).phrase}", headers)
    return [answer.body]
