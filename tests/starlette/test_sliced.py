"""SSRJSONResponse.sliced against JSONResponse: the same answer, while the event loop runs other tasks."""

from __future__ import annotations

import asyncio
import copy
import gc
import gzip
import json
import weakref
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from helpers.asgi_exchange import Exchange, call, sent
from helpers.bodies import CONTENTS
from helpers.call_outcome import assert_same, outcome
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ssrjson_web import Encoder, dumps_to_bytes, utf8_cache_size
from ssrjson_web.starlette import SSRJSONResponse, SSRJSONRoute

SLICED = SSRJSONResponse.sliced(slice_ms=1e-9, slice_from=0)
LARGE = [{"id": i, "名": f"n{i}" * 20, "tags": ["a", None, 1.5]} for i in range(10_000)]
"""About 1 MB."""
ENCODABLE = [name for name in CONTENTS if outcome(JSONResponse, CONTENTS[name])[0] == "value"]


def whole(messages: list[dict[str, Any]]) -> tuple[Any, bytes]:
    """The first message and the body; the last message says that it is the last."""
    assert [message.get("more_body", False) for message in messages[1:]] == [True] * (len(messages) - 2) + [False]
    return messages[0], b"".join(message["body"] for message in messages[1:])


@pytest.mark.parametrize("name", CONTENTS)
def test_sliced_answer_or_error_equals_json_response(name: str) -> None:
    for slice_from in (0, 10, 1 << 18):
        response_class = SSRJSONResponse.sliced(slice_ms=1e-9, slice_from=slice_from)
        got = outcome(lambda: whole(sent(response_class(CONTENTS[name]))))  # noqa: B023
        assert_same(got, outcome(lambda: whole(sent(JSONResponse(CONTENTS[name])))), (name, slice_from))


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"status_code": 201},
        {"status_code": 204},
        {"status_code": 304},
        {"headers": {"x-a": "b", "Content-Type": "application/problem+json"}},
        {"headers": {"content-length": "3"}},
        {"media_type": "application/vnd.api+json"},
        {"media_type": "text/plain"},
    ],
    ids=str,
)
def test_large_sliced_answer_with_each_argument_equals_json_response(arguments: dict[str, Any]) -> None:
    got = sent(SLICED(LARGE, **arguments))
    assert len(got) > 3
    assert whole(got) == whole(sent(JSONResponse(LARGE, **arguments)))


def test_small_answer_is_one_message_and_large_one_is_several() -> None:
    assert len(sent(SSRJSONResponse.sliced()(LARGE[:1000]))) == 2
    assert len(sent(SSRJSONResponse.sliced()(LARGE))) > 3


def test_tasks_run_while_a_sliced_answer_is_made() -> None:
    async def main() -> tuple[int, int]:
        n_turns = 0

        async def others() -> None:
            nonlocal n_turns
            while True:
                n_turns += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(others())
        exchange = Exchange()
        n_at_start = 0

        async def send(message: Any) -> None:
            nonlocal n_at_start
            n_at_start = n_at_start or n_turns
            await exchange.send(message)

        await SLICED(LARGE)(exchange.scope, exchange.receive, send)
        task.cancel()
        return n_at_start, n_turns

    n_at_start, n_turns = asyncio.run(main())
    assert 20 < n_at_start < n_turns


def test_headers_and_cookies_that_are_set_before_are_sent() -> None:
    got, expected = SLICED(LARGE), JSONResponse(LARGE)
    for response in (got, expected):
        response.headers["x-a"] = "b"
        response.set_cookie("c", "d")
        response.status_code = 418
    assert whole(sent(got)) == whole(sent(expected))


def test_body_that_is_read_before_is_the_text_and_is_sent() -> None:
    response = SLICED(LARGE)
    assert "content-length" not in response.headers
    assert response.body == JSONResponse(LARGE).body
    assert response.headers["content-length"] == str(len(response.body))
    for _ in range(2):
        assert sent(response) == sent(JSONResponse(LARGE))


def test_body_that_is_set_before_is_sent() -> None:
    response = SLICED(LARGE)
    response.body = b"[]"  # type: ignore[misc]
    assert sent(response)[1]["body"] == b"[]"


def test_body_after_it_was_sent_in_slices_is_not_kept() -> None:
    response = SLICED(LARGE)
    sent(response)
    with pytest.raises(AttributeError, match="is not kept: read it before the response is sent"):
        response.body  # noqa: B018
    with pytest.raises(RuntimeError, match="can be sent once: make one for each request"):
        sent(response)


def test_copy_of_a_sliced_response_is_not_sent_in_part() -> None:
    value = ["é" * 99] * 10_000
    response = SSRJSONResponse.sliced()(value)
    other = copy.copy(response)
    assert whole(sent(response))[1] == dumps_to_bytes(["é" * 99] * 10_000)
    with pytest.raises(RuntimeError, match="can be sent once"):
        sent(other)


def test_small_response_can_be_sent_again() -> None:
    response = SSRJSONResponse.sliced()([1])
    assert sent(response) == sent(response) == sent(JSONResponse([1]))
    assert sent(copy.copy(response)) == sent(response)


def test_encoder_of_the_class_writes_the_text() -> None:
    class Own(SSRJSONResponse):
        encoder = Encoder(default=sorted)

    assert sent(Own.sliced(slice_ms=1, slice_from=0)([{2, 1}, LARGE]))[1]["body"].startswith(b"[[1,2],[")
    assert issubclass(Own.sliced(), Own)


def test_render_of_a_subclass_of_a_sliced_class_is_called() -> None:
    class Own(SLICED):  # type: ignore[valid-type, misc]
        def render(self, content: Any) -> bytes:
            return b")]}'" + super().render(content)

    assert Own(LARGE).body == b")]}'" + JSONResponse(LARGE).body


def test_sliced_of_a_class_with_its_own_render_raises() -> None:
    class Own(SSRJSONResponse):
        def render(self, content: Any) -> bytes:
            return b"1"

    with pytest.raises(TypeError, match=r"Own\.render makes the whole text at once: only its encoder can be another"):
        Own.sliced()


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"slice_ms": 0}, ValueError, "slice_ms must be more than 0, not 0"),
        ({"slice_ms": None}, TypeError, "slice_ms must be a number of milliseconds, not None"),
        ({"slice_from": -1}, ValueError, "slice_from must be 0 or more, not -1"),
        ({"slice_from": 1.5}, TypeError, "slice_from must be a number of bytes, not 1.5"),
        ({"slice_from": True}, TypeError, "slice_from must be a number of bytes, not True"),
    ],
    ids=str,
)
def test_sliced_with_wrong_arguments_raises(arguments: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        SSRJSONResponse.sliced(**arguments)
    assert str(raised.value) == text


def test_lone_surrogate_in_a_late_part_is_escaped() -> None:
    assert whole(sent(SLICED([LARGE, "\ud800"])))[1].endswith(b'"\\ud800"]')


def test_no_string_keeps_a_utf8_cache() -> None:
    text = "中" * 50
    whole(sent(SLICED([LARGE, text])))
    assert utf8_cache_size(text) == 0


def test_content_is_released_before_the_answer_is_sent() -> None:
    class Row(dict[str, Any]):
        pass

    row = Row(a=1)
    watched = weakref.ref(row)
    response = SLICED([LARGE, [row]])
    del row
    alive: list[bool] = []

    async def send(message: Any) -> None:
        alive.append(watched() is not None)

    exchange = Exchange()
    asyncio.run(response(exchange.scope, exchange.receive, send))
    assert not any(alive)


def test_content_that_others_have_is_not_changed() -> None:
    content = {"rows": [[i] for i in range(200_000)], "more": {str(i): [i] for i in range(100)}}
    kept = content["rows"]
    assert whole(sent(SLICED(content)))[1] == JSONResponse(content).body
    assert len(kept) == 200_000
    assert len(content["more"]) == 100
    response = SLICED(content)
    del content
    whole(sent(response))
    assert kept[-1] == [199_999]


# ---- in an application -------------------------------------------------------------------------


def app_with(
    endpoint: Callable[[Request], Any], *middleware: Middleware, handlers: Any = None, route: Any = Route
) -> Starlette:
    return Starlette(
        routes=[route("/", endpoint, methods=["GET", "HEAD"])],
        middleware=list(middleware),
        exception_handlers=handlers or {},
    )


async def large(request: Request) -> Response:
    return SLICED(LARGE, headers={"x-a": "b"})


async def adding(request: Request, call_next: Any) -> Response:
    response: Response = await call_next(request)
    response.headers["x-b"] = response.headers["content-length"]
    return response


def test_base_http_middleware_sees_the_length_and_passes_the_body() -> None:
    response = call(app_with(large, Middleware(BaseHTTPMiddleware, dispatch=adding)), "/")
    assert response.content == JSONResponse(LARGE).body
    assert response.headers["x-b"] == response.headers["content-length"] == str(len(response.content))


def test_gzip_middleware_compresses_the_body() -> None:
    app = app_with(large, Middleware(GZipMiddleware))
    messages = asyncio.run(Exchange(headers=[(b"accept-encoding", b"gzip")]).run(app)).messages
    assert gzip.decompress(b"".join(m["body"] for m in messages[1:])) == JSONResponse(LARGE).body
    assert b"content-length" not in dict(messages[0]["headers"])


def test_background_task_runs_after_the_answer() -> None:
    done: list[int] = []

    async def endpoint(request: Request) -> Response:
        return SLICED(LARGE, background=BackgroundTask(done.append, 1))

    exchange = asyncio.run(Exchange().run(app_with(endpoint)))
    assert exchange.is_complete
    assert done == [1]


def test_error_in_a_late_part_is_a_500_of_the_application() -> None:
    async def failing(request: Request) -> Response:
        return SLICED([LARGE, {1, 2}])

    assert call(app_with(failing), "/").status_code == 500

    async def refused(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": type(error).__name__}, 418)

    response = call(app_with(failing, handlers={TypeError: refused}), "/")
    assert (response.status_code, response.json()) == (418, {"error": "JSONEncodeTypeError"})


def test_error_in_the_first_part_is_raised_by_the_constructor() -> None:
    with pytest.raises(ValueError, match="Out of range float values"):
        SSRJSONResponse.sliced()([float("nan"), LARGE])


def test_dict_that_changes_size_is_an_error_before_anything_is_sent() -> None:
    content = {"rows": LARGE, "n": 1}

    async def main() -> Exchange:
        exchange = Exchange()
        task = asyncio.create_task(exchange.run(SLICED(content)))
        for _ in range(3):
            await asyncio.sleep(0)
        content["new"] = 1
        with pytest.raises(RuntimeError, match="dictionary changed size during iteration"):
            await task
        return exchange

    assert asyncio.run(main()).messages == []


def test_head_gets_the_headers_of_get() -> None:
    assert sent(SLICED(LARGE), "HEAD")[0] == sent(JSONResponse(LARGE), "HEAD")[0]


def test_route_with_a_sliced_class_answers_from_threads_too() -> None:
    def endpoint(request: Request) -> Any:
        return LARGE

    class SlicedRoute(SSRJSONRoute):
        def __init__(self, path: str, endpoint: Any, **options: Any) -> None:
            super().__init__(path, endpoint, response_class=SLICED, **options)

    response = call(app_with(endpoint, route=SlicedRoute), "/")
    assert response.content == JSONResponse(LARGE).body


def test_refusal_of_a_websocket_is_sent_whole() -> None:
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    scope = {"type": "websocket", "headers": [], "path": "/"}
    asyncio.run(SLICED(LARGE, 403)(scope, Exchange().receive, send))
    assert [message["type"] for message in messages] == [
        "websocket.http.response.start",
        "websocket.http.response.body",
    ]
    assert messages[1]["body"] == JSONResponse(LARGE).body
    assert dict(messages[0]["headers"])[b"content-length"] == str(len(messages[1]["body"])).encode()


def test_client_that_leaves_ends_the_answer() -> None:
    async def main() -> Exchange:
        exchange = Exchange(spec_version="2.4", leaves_after=2)
        with pytest.raises(OSError, match="the client left"):
            await exchange.run(SLICED(LARGE))
        return exchange

    assert len(asyncio.run(main()).messages) == 2


def test_cancelled_answer_releases_its_content() -> None:
    class Row(dict[str, Any]):
        pass

    row = Row(a=1)
    watched = weakref.ref(row)
    response: Any = SLICED([LARGE, [row]])
    del row

    async def main(response: Any) -> None:
        task = asyncio.create_task(Exchange().run(response))
        for _ in range(3):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main(response))
    del response
    gc.collect()
    assert watched() is None


def test_trio_server_gets_the_answer() -> None:
    trio = pytest.importorskip("trio", reason="trio is not installed")
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    async def main() -> None:
        await SLICED(LARGE)({"type": "http", "method": "GET", "headers": []}, None, send)  # type: ignore[arg-type]

    trio.run(main)
    assert json.loads(whole(messages)[1]) == LARGE
