"""The memory middleware for WSGI: what JSON costs an application, in time and memory."""

from __future__ import annotations

import http
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter_ns
from typing import Any

from ssrjson_web._core import Recorder, current_recorder
from ssrjson_web._shared.delegation import attribute_of
from ssrjson_web.monitor import outcome
from ssrjson_web.monitor.endpoints import Answer
from ssrjson_web.monitor.middleware import Middleware
from ssrjson_web.monitor.totals import Totals

__all__ = ["MemoryMiddleware"]

Environ = dict[str, Any]
StartResponse = Callable[..., Callable[[bytes], object]]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]


class MemoryMiddleware(Middleware[Application]):
    """A WSGI application that measures the application it wraps; `__init__` explains the options.

    A request's time is the time inside the application; the server's sending is not part of it. Without `enabled` it
    only calls the other. Raises TypeError or ValueError for wrong options.
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
        request = _Request(
            monitor.totals, environ.get("REQUEST_METHOD", "GET"), start_response, self._has_server_timing
        )
        if environ.get("CONTENT_LENGTH") not in (None, "", "0") or "HTTP_TRANSFER_ENCODING" in environ:
            environ["wsgi.input"] = _CountedInput(environ["wsgi.input"], request)
        try:
            chunks: Iterable[bytes] = request.run(self.app, environ, request.start)
        except BaseException as error:
            request.cut_off(error)
            raise
        if type(chunks) is list or type(chunks) is tuple:
            request.bytes_out += sum(map(len, chunks))
            request.finish()
            return chunks
        file_wrapper = environ.get("wsgi.file_wrapper")
        if isinstance(file_wrapper, type) and isinstance(chunks, file_wrapper):
            request.bytes_out += request.content_length() or 0  # the server may send the file without reading it here
            request.finish()
            return chunks
        return (_SizedChunks if hasattr(chunks, "__len__") else _Chunks)(chunks, request)


class _Request:
    """One request: its figures, and the server's `start_response` and `write` with counters around them."""

    __slots__ = (
        "_has_server_timing",
        "_headers",
        "_method",
        "_recorder",
        "_server_start",
        "_server_write",
        "_started_ns",
        "_status",
        "_totals",
        "bytes_in",
        "bytes_out",
        "is_client_gone",
        "is_open",
        "ns",
    )

    def __init__(self, totals: Totals, method: str, server_start: StartResponse, has_server_timing: bool) -> None:
        self._totals = totals
        self._method = method
        self._server_start = server_start
        self._has_server_timing = has_server_timing
        self._recorder = Recorder()
        self.is_open = True
        self._status: int | None = None
        self._headers: Sequence[tuple[str, str]] = ()
        self.is_client_gone = False
        self.bytes_in = self.bytes_out = self.ns = 0

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the application. Its time is added to the request's."""
        token = current_recorder.set(self._recorder)
        self._started_ns = started_ns = perf_counter_ns()
        try:
            return function(*arguments)
        finally:
            self.ns += perf_counter_ns() - started_ns
            current_recorder.reset(token)

    def finish(self, how: str | None = None) -> None:
        """Count the request, once, by the outcome `how`. The default is the outcome of a complete response."""
        if self.is_open:
            self.is_open = False
            if how is None:  # an application that never called start_response has the server raise
                how = outcome.RAISED if self._status is None else outcome.of_status(self._status)
            bytes_out = 0 if self._method == "HEAD" else self.bytes_out  # servers send no body then
            self._totals.add(self._recorder, self.ns, self.bytes_in, bytes_out, how)

    def cut_off(self, error: BaseException) -> None:
        """Count the request, whose response an exception ended early."""
        self.finish(outcome.of_exception(error, is_client_gone=self.is_client_gone))

    def is_whole(self) -> bool:
        """Whether the server has the whole body. It may stop iterating before the end."""
        if self._status is None:
            return False
        if outcome.has_no_body(self._method, self._status):
            return True
        length = self.content_length()
        return length is not None and self.bytes_out >= length

    def start(self, status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Callable[[bytes], object]:
        """Call the server's `start_response` and remember the status."""
        given = headers
        if self._has_server_timing:
            ns = self.ns + perf_counter_ns() - self._started_ns
            timing = f"json;dur={self._recorder.json_ns / 1e6:.3f}, app;dur={ns / 1e6:.3f}"
            headers = [*headers, ("Server-Timing", timing)]
        self._server_write = self._server_start(status, headers, *exc_info)
        self._headers = given
        number = status[:3]
        self._status = int(number) if number.isdecimal() else 0
        return self._write

    def _write(self, data: bytes) -> object:
        self.bytes_out += len(data)
        try:
            return self._server_write(data)
        except OSError:
            self.is_client_gone = True
            raise

    def content_length(self) -> int | None:
        """The Content-Length of the response, in bytes; None where it has none."""
        lengths = [value for name, value in self._headers if name.lower() == "content-length"]
        return int(lengths[0]) if lengths and lengths[0].isdecimal() else None


class _Chunks:
    """What the application returned, counted while the server iterates it."""

    __slots__ = ("_iterator", "_original", "_request")

    def __init__(self, original: Iterable[bytes], request: _Request) -> None:
        self._original = original
        self._request = request
        self._iterator: Iterator[bytes] | None = None

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        request = self._request
        try:
            chunk: bytes | None = request.run(self._next_chunk)
        except BaseException as error:
            request.cut_off(error)
            raise
        if chunk is None:
            request.finish()
            raise StopIteration
        request.bytes_out += len(chunk)
        return chunk

    def _next_chunk(self) -> bytes | None:
        if self._iterator is None:
            self._iterator = iter(self._original)
        return next(self._iterator, None)

    def close(self) -> None:
        """Close what the application returned, if it has `close`, and count the request."""
        request = self._request
        how = outcome.ABORTED if request.is_open and not request.is_whole() else None
        try:
            close = getattr(self._original, "close", None)
            if close is not None:
                request.run(close)
        finally:
            request.finish(how)


class _SizedChunks(_Chunks):
    """Chunks with a length. A server that sees the length 1 may set Content-Length itself."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(self._original)  # type: ignore[arg-type]


class _CountedInput:
    """The request's body. Its bytes are counted as they are read."""

    __slots__ = ("_input", "_request")

    def __init__(self, original: Any, request: _Request) -> None:
        self._input = original
        self._request = request

    def read(self, *size: int) -> bytes:
        return self._counted(self._input.read, *size)

    def readline(self, *size: int) -> bytes:
        return self._counted(self._input.readline, *size)

    def readlines(self, *hint: int) -> list[bytes]:
        lines: list[bytes] = self._called(self._input.readlines, *hint)
        self._request.bytes_in += sum(map(len, lines))
        return lines

    def __iter__(self) -> Iterator[bytes]:
        lines = iter(self._input)
        while line := self._counted(next, lines, b""):
            yield line

    def __getattr__(self, name: str) -> Any:
        return attribute_of(self, "_input", name)

    def _counted(self, read: Callable[..., bytes], *arguments: Any) -> bytes:
        data: bytes = self._called(read, *arguments)
        self._request.bytes_in += len(data)
        return data

    def _called(self, read: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return read(*arguments)
        except OSError:  # the client left before its whole body had arrived
            self._request.is_client_gone = True
            raise


def _respond(answer: Answer, start_response: StartResponse) -> list[bytes]:
    headers = [(name.title(), value) for name, value in answer.headers]
    headers.append(("Content-Length", str(len(answer.body))))
    start_response(f"{answer.status} {http.HTTPStatus(answer.status).phrase}", headers)
    return [answer.body]
