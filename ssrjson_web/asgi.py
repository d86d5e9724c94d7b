"""The memory middleware for ASGI: what JSON costs an application, in time and memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from time import perf_counter_ns
from typing import Any

from ssrjson_web._core import Recorder, current_recorder
from ssrjson_web._shared.application import applications_within
from ssrjson_web.monitor import outcome
from ssrjson_web.monitor.endpoints import EVENT_STREAM_HEADERS, Answer, Endpoints
from ssrjson_web.monitor.middleware import Middleware
from ssrjson_web.monitor.totals import Totals

__all__ = ["MemoryMiddleware"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

_BODIES = frozenset(["http.response.body", "http.response.pathsend", "http.response.zerocopysend"])
"""Types of messages that carry a response's body. The last two name a file that the server sends."""

EVENT_EVERY_SECONDS = 1.0
EVENTS_A_STREAM = 2
"""Events of one stream. Servers that shut down wait for open responses and do not tell the application."""
MAX_STREAMS = 8


class MemoryMiddleware(Middleware[Application]):
    """An ASGI application that measures the application it wraps; `__init__` explains the options.

    Without `enabled` it only calls the other. Raises TypeError or ValueError for wrong options.
    """

    _n_streams = 0
    """Responses of server-sent events that are open now."""

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        monitor = self.monitor
        if monitor is None or scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        sampler = monitor.sampler
        if not sampler.is_running:
            # what `add_middleware` wraps is not the application, but a part of it that does not know it
            monitor.routes.begin(*applications_within(self.app), scope.get("app"))
            sampler.start()
        if self._endpoints is not None and self._prefix in scope["path"]:
            responder = self._responder(self._endpoints, scope)
            if responder is not None:
                await responder.respond(receive, send)
                return
        request = _Request(monitor.totals, scope.get("method", "GET"), receive, send, self._has_server_timing)
        token = current_recorder.set(request.recorder)
        try:
            await self.app(scope, request.receive, request.send)
        except BaseException as error:
            request.finish(outcome.of_exception(error, is_client_gone=request.is_client_gone))
            raise
        finally:
            current_recorder.reset(token)
            if request.is_open:  # the application returned before its response was complete
                request.finish(outcome.ABORTED if request.is_client_gone else outcome.RAISED)

    def _responder(
        self, endpoints: Endpoints, scope: MutableMapping[str, Any]
    ) -> _EventStream | _EndpointAnswer | None:
        """The responder to a request for an endpoint. None means that the application answers."""
        path: str = scope["path"]
        root = scope.get("root_path", "")
        if root and path.startswith(root):
            path = path[len(root) :]
        headers = dict(scope["headers"])
        authorization = headers.get(b"authorization", b"").decode("latin-1")
        if endpoints.is_event_stream(scope["method"], path, authorization) and _is_on_asyncio():
            return _EventStream(self, endpoints)
        action = endpoints.action(scope["method"], path, authorization)
        return None if action is None else _EndpointAnswer(action)


class _EndpointAnswer:
    """The responder that sends what an endpoint's action returns."""

    __slots__ = ("_action",)

    def __init__(self, action: Callable[[], Answer]) -> None:
        self._action = action

    async def respond(self, _: Receive, send: Send) -> None:
        """Run the action in a thread, where the event loop is asyncio's, and send its answer."""
        await _send_answer(await asyncio.to_thread(self._action) if _is_on_asyncio() else self._action(), send)


class _EventStream:
    """The responder that sends the figures as server-sent events."""

    __slots__ = ("_endpoints", "_middleware")

    def __init__(self, middleware: MemoryMiddleware, endpoints: Endpoints) -> None:
        self._middleware = middleware
        self._endpoints = endpoints

    async def respond(self, receive: Receive, send: Send) -> None:
        """Send EVENTS_A_STREAM events, or fewer if the client leaves; status 429 where too many streams are open."""
        middleware = self._middleware
        if middleware._n_streams >= MAX_STREAMS:
            await _send_answer(Answer(status=429, headers=[("retry-after", "1")], body=b""), send)
            return
        middleware._n_streams += 1
        leaving = asyncio.ensure_future(_left(receive))
        try:
            await self._send_events(leaving, send)
        except OSError:
            pass  # the client has gone
        finally:
            leaving.cancel()
            middleware._n_streams -= 1

    async def _send_events(self, leaving: asyncio.Future[None], send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _encoded(EVENT_STREAM_HEADERS)})
        for number in range(EVENTS_A_STREAM):
            if number and (await asyncio.wait([leaving], timeout=EVENT_EVERY_SECONDS))[0]:
                break
            event = await asyncio.to_thread(self._endpoints.event)
            await send({"type": "http.response.body", "body": event, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


class _Request:
    """One request: its figures, and the server's `receive` and `send` with counters around them."""

    __slots__ = (
        "_bytes_in",
        "_bytes_out",
        "_ended_ns",
        "_has_server_timing",
        "_headers",
        "_method",
        "_server_receive",
        "_server_send",
        "_started_ns",
        "_status",
        "_totals",
        "is_client_gone",
        "is_open",
        "recorder",
    )

    def __init__(self, totals: Totals, method: str, receive: Receive, send: Send, has_server_timing: bool) -> None:
        self._totals = totals
        self._method = method
        self._server_receive = receive
        self._server_send = send
        self._has_server_timing = has_server_timing
        self._status: object = None
        self._headers: Iterable[tuple[bytes, bytes]] = ()
        self._bytes_in = self._bytes_out = self._ended_ns = 0
        self.is_open = True
        self.is_client_gone = False
        self.recorder = Recorder()
        self._started_ns = perf_counter_ns()

    def finish(self, how: str) -> None:
        """Count the request by its outcome, once."""
        if self.is_open:
            self.is_open = False  # a task that the application started may still send
            ns = (self._ended_ns or perf_counter_ns()) - self._started_ns
            bytes_out = 0 if self._method == "HEAD" else self._bytes_out  # servers send no body then
            self._totals.add(self.recorder, ns, self._bytes_in, bytes_out, how)

    async def receive(self) -> Message:
        """The next message of the server's `receive`. Its bytes are counted."""
        message = await self._server_receive()
        if "body" in message:
            self._bytes_in += len(message["body"])
        elif message["type"] == "http.disconnect":
            self.is_client_gone = True
        return message

    async def send(self, message: Message) -> None:
        """Give a message to the server's `send` and count its bytes."""
        is_last = False
        kind = message["type"]
        if kind == "http.response.start":
            self._status = message["status"]
            self._headers = message.get("headers", ())
            if self._has_server_timing:
                message = _with_server_timing(message, self.recorder.json_ns, perf_counter_ns() - self._started_ns)
        elif kind in _BODIES:
            self._bytes_out += len(message["body"]) if "body" in message else self._file_bytes(message)
            is_last = self.is_open and not message.get("more_body", False)
        if is_last:
            self._ended_ns = perf_counter_ns()
        try:
            await self._server_send(message)
        except Exception as error:
            if isinstance(error, OSError):
                self.is_client_gone = True
            raise
        except BaseException:  # frameworks cancel the task once the server says that the response is over
            if is_last:
                self.finish(outcome.of_status(self._status))
            raise
        if is_last:
            self.finish(outcome.of_status(self._status))

    def _file_bytes(self, message: Message) -> int:
        """The size of a file that the server sends, from the message's `count` or the response's Content-Length."""
        if message["type"] == "http.response.body":
            return 0
        if message.get("count") is not None:
            return int(message["count"])
        lengths = [value for name, value in self._headers if name.lower() == b"content-length"]
        return int(lengths[0]) if lengths and lengths[0].isdigit() else 0


async def _left(receive: Receive) -> None:
    """Wait until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _is_on_asyncio() -> bool:
    """Whether the event loop is asyncio's. On Trio, scans block the loop and the page polls for its figures."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _send_answer(answer: Answer, send: Send) -> None:
    headers = [*answer.headers, ("content-length", str(len(answer.body)))]
    await send({"type": "http.response.start", "status": answer.status, "headers": _encoded(headers)})
    await send({"type": "http.response.body", "body": answer.body})


def _encoded(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]


def _with_server_timing(message: Message, json_ns: int, app_ns: int) -> Message:
    timing = b"json;dur=%.3f, app;dur=%.3f" % (json_ns / 1e6, app_ns / 1e6)
    return {**message, "headers": [*message.get("headers", ()), (b"server-timing", timing)]}
