"""asgi.MemoryMiddleware: everything passes through as it is, and is counted once."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import http as http_module
import json
from typing import Any

import pytest
from monitor.calls import (
    RAW_BEARER,
    TOKEN,
    exchange,
    http,
    made,
    not_found,
    requests_of,
    responses_of,
    run,
)

import ssrjson_web
from ssrjson_web._core import Recorder, current_recorder
from ssrjson_web.asgi import MemoryMiddleware

START = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]}


async def echo(scope: Any, receive: Any, send: Any) -> None:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    text = ssrjson_web.dumps_to_bytes(ssrjson_web.loads(body))
    await send(START)
    await send({"type": "http.response.body", "body": text})


def test_request_is_passed_on_and_counted() -> None:
    middleware = made(echo)
    messages = [
        {"type": "http.request", "body": b"[1,", "more_body": True},
        {"type": "http.request", "body": b'"\xc3\xa9"]'},
    ]
    assert run(middleware, http(), *messages) == run(echo, http(), *messages)
    figures = requests_of(middleware)
    assert (figures["count"], figures["failed"], figures["body_bytes_in"], figures["body_bytes_out"]) == (1, 0, 8, 8)
    assert (figures["encodes"], figures["encoded_bytes"], figures["decodes"], figures["decoded_bytes"]) == (1, 8, 1, 8)
    assert 0 < figures["json_ns"] < figures["total_ns"]
    assert figures["json_share"] == figures["json_ns"] / figures["total_ns"]


def test_messages_reach_the_server_as_the_very_objects_that_were_sent() -> None:
    messages = [
        {"type": "http.response.start", "status": 204},
        {"type": "http.response.body", "more_body": True},
        {"type": "http.response.body", "body": memoryview(b"xyz"), "more_body": True},
        {"type": "http.response.trailers", "headers": []},
        {"type": "http.response.body", "body": b""},
    ]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for message in messages:
            await send(message)

    middleware = made(app)
    sent = run(middleware, http())
    assert all(one is other for one, other in zip(sent, messages, strict=True))
    assert requests_of(middleware)["body_bytes_out"] == 3


def test_server_timing_is_added_on_request_only() -> None:
    messages = [{"type": "http.request", "body": b"[%s1]" % (b"1," * 20_000)}]
    (start, _) = run(made(echo, server_timing=True), http(), *messages)
    (kept, (name, value)) = start["headers"]
    assert (kept, name) == (START["headers"][0], b"server-timing")  # type: ignore[index]
    json_part, app_part = value.decode().split(", ")
    durations = [float(part.split(";dur=")[1]) for part in (json_part, app_part)]
    assert json_part.startswith("json;dur=")
    assert app_part.startswith("app;dur=")
    assert 0 < durations[0] < durations[1]
    assert len(START["headers"]) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["websocket", "lifespan"])
def test_other_scopes_pass_through_untouched(kind: str) -> None:
    seen: list[Any] = []

    async def app(*arguments: Any) -> None:
        seen.append(arguments)
        assert current_recorder.get(None) is None

    scope, receive, send = {"type": kind, "path": "/ssrjson/stats"}, object(), object()
    middleware: Any = made(app)
    asyncio.run(middleware(scope, receive, send))
    (arguments,) = seen
    assert all(one is other for one, other in zip(arguments, (scope, receive, send), strict=True))
    assert requests_of(middleware)["count"] == 0


def test_middleware_that_is_not_enabled_passes_everything_through() -> None:
    seen: list[Any] = []

    async def app(*arguments: Any) -> None:
        seen.append(arguments)

    scope, receive, send = http("/ssrjson/stats", headers=RAW_BEARER), object(), object()
    middleware: Any = MemoryMiddleware(app, token=TOKEN)
    asyncio.run(middleware(scope, receive, send))
    assert seen == [(scope, receive, send)]


@pytest.mark.parametrize("error", [RuntimeError("x"), asyncio.CancelledError(), KeyError("y")])
@pytest.mark.parametrize("n_sent", [0, 1, 2])
def test_exception_passes_through_and_counts_as_failed_unless_all_was_sent(error: BaseException, n_sent: int) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        ssrjson_web.dumps([])
        for message in [START, {"type": "http.response.body", "body": b"[]"}][:n_sent]:
            await send(message)
        raise error

    async def call() -> None:
        with pytest.raises(type(error)) as raised:
            await exchange(middleware, http())
        assert raised.value is error
        assert current_recorder.get(None) is None

    middleware = made(app)
    asyncio.run(call())
    figures = requests_of(middleware)
    how = "2xx" if n_sent == 2 else "aborted" if isinstance(error, asyncio.CancelledError) else "raised"
    assert responses_of(middleware) == {how: 1}
    assert (figures["count"], figures["failed"], figures["encodes"]) == (1, int(how == "raised"), 1)


def test_send_that_raises_because_the_client_has_gone_is_the_applications() -> None:
    async def send(message: Any) -> None:
        raise OSError("gone")

    async def receive() -> Any:
        return {"type": "http.request", "body": b"[1]"}

    middleware: Any = made(echo)
    with pytest.raises(OSError, match="gone"):
        asyncio.run(middleware(http(), receive, send))
    assert responses_of(middleware) == {"aborted": 1}
    assert requests_of(middleware)["failed"] == 0


def test_cancelled_request_is_counted_once() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(START)
        await asyncio.sleep(1000)

    async def call() -> None:
        task = asyncio.ensure_future(exchange(middleware, http()))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    middleware = made(app)
    asyncio.run(call())
    assert responses_of(middleware) == {"aborted": 1}


def replying(status: Any, *messages: dict[str, Any], error: BaseException | None = None) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status})
        for message in messages or [{}]:
            await send({"type": "http.response.body", **message})
        if error is not None:
            raise error

    return app


@pytest.mark.parametrize(
    ("status", "how"),
    [
        (101, "1xx"),
        (200, "2xx"),
        (http_module.HTTPStatus.CREATED, "2xx"),
        (204, "2xx"),
        (299, "2xx"),
        (304, "3xx"),
        (404, "4xx"),
        (499, "4xx"),
        (500, "5xx"),
        (599, "5xx"),
        (600, "other"),
        (99, "other"),
        ("200", "other"),
        (None, "other"),
    ],
)
def test_whole_response_counts_by_the_class_of_its_status(status: Any, how: str) -> None:
    middleware = made(replying(status))
    run(middleware, http())
    assert responses_of(middleware) == {how: 1}


def test_error_that_is_raised_after_a_500_counts_once_as_5xx() -> None:
    """So does Starlette's ServerErrorMiddleware, and every task that runs after the response."""
    middleware = made(replying(500, error=RuntimeError("shown to the server")))
    with pytest.raises(RuntimeError, match="shown to the server"):
        run(middleware, http())
    assert responses_of(middleware) == {"5xx": 1}


@pytest.mark.parametrize("n_sent", [0, 1, 2])
def test_application_that_returns_without_a_whole_response_has_failed(n_sent: int) -> None:
    messages = [{"type": "http.response.start", "status": 200}, {"type": "http.response.body", "more_body": True}]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for message in messages[:n_sent]:
            await send(message)

    middleware = made(app)
    run(middleware, http())
    assert responses_of(middleware) == {"raised": 1}


@pytest.mark.parametrize("error", [None, RuntimeError("client disconnected"), asyncio.CancelledError()])
def test_stream_whose_client_leaves_half_way_counts_as_aborted(error: BaseException | None) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(START)
        await send({"type": "http.response.body", "body": b"1234", "more_body": True})
        assert (await receive())["type"] == "http.disconnect"
        if error is not None:
            raise error

    middleware = made(app)
    with contextlib.suppress(RuntimeError, asyncio.CancelledError):
        run(middleware, http())
    assert responses_of(middleware) == {"aborted": 1}
    assert requests_of(middleware)["body_bytes_out"] == 4


def test_client_that_leaves_before_its_request_is_whole_counts_as_aborted() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] == "http.request":
            assert message["more_body"]
        raise RuntimeError("ClientDisconnect")

    middleware = made(app)
    with pytest.raises(RuntimeError):
        run(middleware, http(), {"type": "http.request", "body": b"123", "more_body": True})
    assert responses_of(middleware) == {"aborted": 1}
    assert requests_of(middleware)["body_bytes_in"] == 3


def test_whole_response_after_the_client_said_that_it_leaves_counts_by_its_status() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await replying(503)(scope, receive, send)

    middleware = made(app)
    run(middleware, http())
    assert responses_of(middleware) == {"5xx": 1}


@pytest.mark.parametrize(
    ("error", "how"),
    [
        (OSError("the client has gone"), "aborted"),
        (RuntimeError("shorter than Content-Length"), "raised"),
        (asyncio.CancelledError(), "2xx"),  # the server has it whole
    ],
)
def test_last_message_that_the_server_refuses_is_not_a_response(error: BaseException, how: str) -> None:
    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            raise error

    middleware: Any = made(replying(200))
    with pytest.raises(type(error)):
        asyncio.run(middleware(http(), None, send))
    assert responses_of(middleware) == {how: 1}


@pytest.mark.parametrize("kind", ["pathsend", "zerocopysend"])
def test_file_that_the_server_sends_is_a_whole_response(kind: str) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"Content-Length", b"12")]})
        if kind == "pathsend":
            await send({"type": "http.response.pathsend", "path": "/x"})
        else:
            await send({"type": "http.response.zerocopysend", "file": 3, "count": 5, "more_body": True})
            await send({"type": "http.response.zerocopysend", "file": 3, "offset": 5, "count": 7})

    middleware = made(app)
    run(middleware, http())
    assert responses_of(middleware) == {"2xx": 1}
    assert requests_of(middleware)["body_bytes_out"] == 12


@pytest.mark.parametrize(
    ("method", "status", "size"),
    [("GET", 200, 5), ("OPTIONS", 200, 5), ("POST", 500, 5), ("HEAD", 200, 0), ("HEAD", 500, 0)],
)
def test_body_of_a_head_request_is_not_sent_and_not_counted(method: str, status: int, size: int) -> None:
    middleware = made(replying(status, {"body": b"12", "more_body": True}, {"body": b"345"}))
    run(middleware, http(method=method))
    assert requests_of(middleware)["body_bytes_out"] == size
    assert responses_of(middleware) == {f"{status // 100}xx": 1}


def test_histogram_of_durations_counts_each_where_it_belongs() -> None:
    middleware = made(not_found)
    assert middleware.monitor is not None
    for ns in (0, 100_000, 100_001, 1_000_000, 59_999_999_999, 60_000_000_000, 60_000_000_001, 2**70):
        middleware.monitor.totals.add(Recorder(), ns, 2**64, 0, "2xx")
    stats = middleware.monitor.stats()
    below = stats["latency"]["le"]
    assert list(map(float, below)) == sorted(map(float, below))
    assert (below["0.0001"], below["0.00025"], below["0.0005"], below["0.001"], below["30.0"]) == (2, 3, 3, 4, 4)
    assert (below["60.0"], below["+Inf"]) == (6, 8)
    assert stats["requests"]["body_bytes_in"] == 8 * 2**64  # no counter wraps
    assert stats["requests"]["total_ns"] > 2**70


def test_failure_of_the_lifespan_passes_through_uncounted() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError("no database")

    middleware = made(app)
    with pytest.raises(RuntimeError, match="no database"):
        run(middleware, {"type": "lifespan"})
    assert responses_of(middleware) == {}


def test_application_below_a_mount_counts_its_own_requests_only() -> None:
    starlette = pytest.importorskip("starlette.applications")
    routing = pytest.importorskip("starlette.routing")
    inner = made(replying(418, {"body": b"12345"}))
    outer = made(starlette.Starlette(routes=[routing.Mount("/api", app=inner)]))
    for path in ("/api/tea", "/api/ssrjson/stats", "/nowhere"):
        run(outer, http(path, headers=RAW_BEARER if "stats" in path else (), root_path="", query_string=b""))
    assert responses_of(inner) == {"4xx": 1}
    assert responses_of(outer) == {"2xx": 1, "4xx": 2}  # to the outer, the figures of the inner are a response


def test_work_behind_the_last_message_is_no_part_of_the_request() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(START)
        await send({"type": "http.response.body", "body": ssrjson_web.dumps_to_bytes([1])})
        ssrjson_web.dumps([2])
        await asyncio.sleep(0.2)

    middleware = made(app)
    run(middleware, http())
    figures = requests_of(middleware)
    assert (figures["count"], figures["encodes"]) == (1, 1)
    assert figures["total_ns"] < 200_000_000


def test_interleaved_requests_do_not_mix_their_figures() -> None:
    timings: dict[str, list[int]] = {}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        n = int(scope["path"][1:])
        for _ in range(n):
            ssrjson_web.dumps("x" * n)
            await asyncio.sleep(0)
            await asyncio.to_thread(ssrjson_web.loads, "[" + " " * n + "]")
        recorder: Any = current_recorder.get()
        timings[scope["path"]] = [recorder.encodes, recorder.encoded_bytes, recorder.decodes, recorder.decoded_bytes]
        await send(START)
        await send({"type": "http.response.body"})

    async def both() -> None:
        await asyncio.gather(*(exchange(middleware, http(f"/{n}")) for n in (3, 7, 12)))

    middleware = made(app)
    asyncio.run(both())
    assert timings == {f"/{n}": [n, n * (n + 2), n, n * (n + 2)] for n in (3, 7, 12)}
    assert requests_of(middleware)["encodes"] == 22


def test_back_pressure_of_the_server_holds_the_application_back() -> None:
    n_sent = 0

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal n_sent
        await send(START)
        for _ in range(10):
            await send({"type": "http.response.body", "body": b"x" * 10, "more_body": True})
            n_sent += 1

    async def call() -> None:
        gate = asyncio.Semaphore(3)

        async def send(message: Any) -> None:
            await gate.acquire()

        task = asyncio.ensure_future(middleware(http(), None, send))  # type: ignore[arg-type]
        for _ in range(20):
            await asyncio.sleep(0)
        assert n_sent == 2
        for _ in range(8):
            gate.release()
        await task

    middleware = made(app)
    asyncio.run(call())
    assert n_sent == 10
    assert requests_of(middleware)["body_bytes_out"] == 100


def test_observed_library_is_shown_by_name() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        json.dumps([1])
        await send(START)
        await send({"type": "http.response.body"})

    middleware = made(app, observe=["json"])
    assert middleware.monitor is not None
    try:
        run(middleware, http())
    finally:
        middleware.monitor.observation.remove()
    stats = middleware.monitor.stats()
    assert stats["libraries"]["json"]["encodes"] == 1
    assert stats["libraries"]["ssrjson_web"]["encodes"] == 0
    assert stats["requests"]["encodes"] == 1


def test_many_requests_leave_the_memory_of_the_figures_flat() -> None:
    import tracemalloc

    async def app(scope: Any, receive: Any, send: Any) -> None:
        ssrjson_web.dumps([1])
        await send(START)
        await send({"type": "http.response.body"})

    async def receive() -> Any:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        pass

    middleware: Any = made(app)

    async def many(n: int) -> None:
        scope = http()
        for _ in range(n):
            await middleware(scope, receive, send)

    asyncio.run(many(2000))
    tracemalloc.start()
    try:
        asyncio.run(many(1000))
        gc.collect()  # of event loops, and of samplers of other tests
        before = tracemalloc.get_traced_memory()[0]
        asyncio.run(many(20_000))
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert after - before < 100_000
    assert requests_of(middleware)["count"] == 23_000
