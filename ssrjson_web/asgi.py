"""What JSON costs an ASGI application, in time and memory: figures of every request, and where to see them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from time import perf_counter_ns
from typing import Any

from ssrjson_web._core import Recorder, current_recorder
from ssrjson_web.monitor.endpoints import EVENT_STREAM_HEADERS, Answer, Endpoints
from ssrjson_web.monitor.middleware import Middleware

__all__ = ["MemoryMiddleware"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

EVENT_EVERY_SECONDS = 1.0
STREAM_SECONDS = 15.0
"""A stream of events ends then, and the page asks for the next: a server that shuts down waits for no longer."""
MOST_STREAMS = 8


class MemoryMiddleware(Middleware[Application]):
    """An ASGI application around another, which it measures; see docs/middleware.md for the options.

    Without `enabled` it does nothing but call the other. Raises TypeError or ValueError for wrong options.
    """

    _n_streams = 0  # of events, that are open

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        monitor = self.monitor
        if monitor is None or scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        sampler = monitor.sampler
        if not sampler.is_running:
            sampler.start()
        if self._endpoints is not None and self._prefix in scope["path"]:
            responder = self._responder(self._endpoints, scope)
            if responder is not None:
                await responder(receive, send)
                return

        recorder = Recorder()
        bytes_in = bytes_out = 0
        is_open = True
        has_server_timing = self._has_server_timing

        async def counted_receive() -> Message:
            nonlocal bytes_in
            message = await receive()
            if "body" in message:
                bytes_in += len(message["body"])
            return message

        # a plain function: what it returns is awaited as its own would be, a coroutine less
        def counted_send(message: Message) -> Awaitable[None]:
            nonlocal bytes_out, is_open
            if message["type"] == "http.response.body":
                if "body" in message:
                    bytes_out += len(message["body"])
                if is_open and not message.get("more_body", False):
                    is_open = False
                    monitor.totals.add(recorder, perf_counter_ns() - started_ns, bytes_in, bytes_out, False)
            elif has_server_timing and message["type"] == "http.response.start":
                message = _with_server_timing(message, recorder.json_ns, perf_counter_ns() - started_ns)
            return send(message)

        token = current_recorder.set(recorder)
        is_failed = True
        started_ns = perf_counter_ns()
        try:
            await self.app(scope, counted_receive, counted_send)
            is_failed = False
        finally:
            current_recorder.reset(token)
            if is_open:
                is_open = False  # a task of the application's may still send
                monitor.totals.add(recorder, perf_counter_ns() - started_ns, bytes_in, bytes_out, is_failed)

    def _responder(
        self, endpoints: Endpoints, scope: MutableMapping[str, Any]
    ) -> Callable[[Receive, Send], Awaitable[None]] | None:
        """What answers a request for an endpoint; None where the application is to."""
        path: str = scope["path"]
        root = scope.get("root_path", "")
        if root and path.startswith(root):
            path = path[len(root) :]
        headers = dict(scope["headers"])
        authorization = headers.get(b"authorization", b"").decode("latin-1")
        if endpoints.is_event_stream(scope["method"], path, authorization) and _is_on_asyncio():
            return lambda receive, send: self._stream(endpoints, receive, send)
        action = endpoints.action(scope["method"], path, authorization)
        if action is None:
            return None
        return lambda _, send: _answer(action, send)

    async def _stream(self, endpoints: Endpoints, receive: Receive, send: Send) -> None:
        """Events until the client goes, or for STREAM_SECONDS."""
        if self._n_streams >= MOST_STREAMS:
            busy = Answer(status=429, headers=[("retry-after", str(round(STREAM_SECONDS)))], body=b"")
            await _send_answer(busy, send)
            return
        self._n_streams += 1
        leaving = asyncio.ensure_future(_left(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _encoded(EVENT_STREAM_HEADERS)})
            for _ in range(round(STREAM_SECONDS / EVENT_EVERY_SECONDS)):
                await send({"type": "http.response.body", "body": endpoints.event(), "more_body": True})
                await asyncio.wait([leaving], timeout=EVENT_EVERY_SECONDS)
                if leaving.done():
                    break
            await send({"type": "http.response.body", "body": b""})
        except OSError:
            pass  # the client has gone
        finally:
            leaving.cancel()
            self._n_streams -= 1


async def _left(receive: Receive) -> None:
    """Wait until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _is_on_asyncio() -> bool:
    """Not on Trio, which some servers offer: the event loop waits for scans there, and the page asks instead."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _answer(action: Callable[[], Answer], send: Send) -> None:
    await _send_answer(await asyncio.to_thread(action) if _is_on_asyncio() else action(), send)


async def _send_answer(answer: Answer, send: Send) -> None:
    headers = [*answer.headers, ("content-length", str(len(answer.body)))]
    await send({"type": "http.response.start", "status": answer.status, "headers": _encoded(headers)})
    await send({"type": "http.response.body", "body": answer.body})


def _encoded(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]


def _with_server_timing(message: Message, json_ns: int, app_ns: int) -> Message:
    timing = b"json;dur=%.3f, app;dur=%.3f" % (json_ns / 1e6, app_ns / 1e6)
    return {**message, "headers": [*message.get("headers", ()), (b"server-timing", timing)]}
