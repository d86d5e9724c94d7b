"""wsgi.MemoryMiddleware: everything passes through as it is, and is counted once."""

from __future__ import annotations

import io
import json
import sys
import threading
from collections.abc import Iterator
from typing import Any
from wsgiref.util import FileWrapper
from wsgiref.validate import validator

import pytest
from helpers.threads import in_threads
from monitor.calls import requests_of, responses_of

import ssrjson_web
from ssrjson_web._core import current_recorder
from ssrjson_web.wsgi import MemoryMiddleware

TOKEN = "0123456789abcdef"
HEADERS = [("Content-Type", "application/json")]


def made(app: Any, **options: Any) -> MemoryMiddleware:
    return MemoryMiddleware(app, **{"enabled": True, "token": TOKEN, "share": False, **options})


def environ(path: str = "/", method: str = "GET", body: bytes = b"", **more: Any) -> dict[str, Any]:
    return {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        **more,
    }


def run(app: Any, given: dict[str, Any]) -> tuple[str, list[tuple[str, str]], bytes]:
    """Status, headers and body as a server draws them."""
    started: list[Any] = []
    written: list[bytes] = []

    def start_response(status: str, headers: Any, exc_info: Any = None) -> Any:
        started[:] = [status, headers]
        return written.append

    result = app(given, start_response)
    try:
        written.extend(result)
    finally:
        if hasattr(result, "close"):
            result.close()
    return started[0], started[1], b"".join(written)


def echo(given: Any, start_response: Any) -> Any:
    text = ssrjson_web.dumps_to_bytes(ssrjson_web.loads(given["wsgi.input"].read()))
    start_response("200 OK", HEADERS)
    return [text]


def generating(given: Any, start_response: Any) -> Iterator[bytes]:
    value = ssrjson_web.loads(given["wsgi.input"].read(10))
    start_response("200 OK", HEADERS)
    yield ssrjson_web.dumps_to_bytes(value)
    yield b"!"


@pytest.mark.parametrize(("app", "size"), [(echo, 8), (generating, 9)])
def test_request_is_passed_on_and_counted(app: Any, size: int) -> None:
    middleware = made(app)
    body = '[1,"é"]'.encode()
    assert run(middleware, environ(body=body)) == run(app, environ(body=body))
    figures = requests_of(middleware)
    assert (figures["count"], figures["failed"], figures["body_bytes_in"], figures["body_bytes_out"]) == (1, 0, 8, size)
    assert (figures["encodes"], figures["encoded_bytes"], figures["decodes"], figures["decoded_bytes"]) == (1, 8, 1, 8)
    assert 0 < figures["json_ns"] < figures["total_ns"]
    assert current_recorder.get(None) is None


@pytest.mark.parametrize("app", [echo, generating])
def test_middleware_keeps_to_the_specification(app: Any) -> None:
    given = environ(body=b"[1]")
    del given["CONTENT_LENGTH"]
    checked = validator(made(validator(lambda given, start: app(given | {"CONTENT_LENGTH": "3"}, start))))
    given["HTTP_TRANSFER_ENCODING"] = "chunked"

    def start_response(status: str, headers: Any, exc_info: Any = None) -> Any:
        return lambda data: None

    if app is echo:  # the validator wants a size to be given to read()
        checked = validator(made(validator(lambda _, start: (start("200 OK", HEADERS), [b"x"])[1])))
    result = checked(given, start_response)
    assert b"".join(result)
    result.close()


def test_list_is_handed_on_as_it_is() -> None:
    chunks = [b"ab", b"c"]
    middleware = made(lambda _, start: (start("200 OK", []), chunks)[1])
    assert middleware(environ(), lambda *_: None) is chunks  # type: ignore[arg-type, return-value]
    assert requests_of(middleware)["body_bytes_out"] == 3


def test_iterable_with_a_length_keeps_it() -> None:
    class Sized:
        def __len__(self) -> int:
            return 1

        def __iter__(self) -> Iterator[bytes]:
            return iter([b"abc"])

    result: Any = made(lambda _, start: (start("200 OK", []), Sized())[1])(environ(), lambda *_: None)  # type: ignore[arg-type, return-value]
    assert len(result) == 1
    plain: Any = made(lambda _, start: (start("200 OK", []), iter([b""]))[1])(environ(), lambda *_: None)  # type: ignore[arg-type, return-value]
    assert not hasattr(plain, "__len__")


def test_file_wrapper_reaches_the_server_as_it_is() -> None:
    def app(given: Any, start_response: Any) -> Any:
        start_response("200 OK", [("content-LENGTH", "5")])
        return given["wsgi.file_wrapper"](io.BytesIO(b"hello"))

    middleware = made(app)
    result = middleware(environ(**{"wsgi.file_wrapper": FileWrapper}), lambda *_: None)  # type: ignore[arg-type, return-value]
    assert type(result) is FileWrapper
    assert requests_of(middleware)["body_bytes_out"] == 5


def test_file_wrapper_that_is_a_function_is_drawn_as_any_other() -> None:
    middleware = made(lambda given, start: (start("200 OK", []), given["wsgi.file_wrapper"](io.BytesIO(b"hello")))[1])
    assert run(middleware, environ(**{"wsgi.file_wrapper": lambda file: iter([file.read()])}))[2] == b"hello"
    assert requests_of(middleware)["body_bytes_out"] == 5


def test_write_callable_is_the_servers_and_counted() -> None:
    def app(_: Any, start_response: Any) -> Any:
        write = start_response("200 OK", [])
        write(ssrjson_web.dumps_to_bytes([1]))
        return [b"!"]

    middleware = made(app)
    assert run(middleware, environ())[2] == b"[1]!"
    assert requests_of(middleware)["body_bytes_out"] == 4


def test_exc_info_reaches_the_server() -> None:
    seen: list[Any] = []

    def app(_: Any, start_response: Any) -> Any:
        start_response("200 OK", [])
        start_response("500 Oops", [], (ValueError, ValueError("x"), None))
        return []

    made(app)(environ(), lambda *arguments: seen.append(arguments))  # type: ignore[arg-type, return-value]
    assert [len(arguments) for arguments in seen] == [2, 3]
    assert seen[1][2][0] is ValueError


def test_server_timing_is_added_on_request_only() -> None:
    body = b"[%s1]" % (b"1," * 20_000)
    for app in (echo, lambda given, start: (chunk for chunk in echo(given, start))):
        _, headers, _ = run(made(app, server_timing=True), environ(body=body))
        (kept, (name, value)) = headers
        durations = [float(part.split(";dur=")[1]) for part in value.split(", ")]
        assert (kept, name) == (HEADERS[0], "Server-Timing")
        assert 0 < durations[0] < durations[1]
    assert len(HEADERS) == 1


def test_time_while_the_server_sends_is_no_part_of_the_request() -> None:
    import time

    middleware = made(generating)
    result: Any = middleware(environ(body=b"[1]"), lambda *_: None)  # type: ignore[arg-type, return-value]
    for _ in result:
        time.sleep(0.1)
        assert current_recorder.get(None) is None
    result.close()
    assert requests_of(middleware)["total_ns"] < 100_000_000


@pytest.mark.parametrize("stage", ["call", "draw", "close"])
def test_exception_passes_through_and_counts_as_failed_unless_all_was_drawn(stage: str) -> None:
    error = KeyError(stage)

    class Chunks:
        def __iter__(self) -> Iterator[bytes]:
            yield ssrjson_web.dumps_to_bytes([1])
            if stage == "draw":
                raise error

        def close(self) -> None:
            if stage == "close":
                raise error

    def app(_: Any, start_response: Any) -> Any:
        start_response("200 OK", [])
        if stage == "call":
            raise error
        return Chunks()

    middleware = made(app)
    with pytest.raises(KeyError) as raised:
        run(middleware, environ())
    assert raised.value is error
    assert responses_of(middleware) == {"2xx" if stage == "close" else "raised": 1}
    assert current_recorder.get(None) is None


def test_client_that_leaves_has_the_response_closed_and_counted_once() -> None:
    closed: list[bool] = []

    def app(given: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        try:
            while True:
                yield b"x" * 10
        finally:
            closed.append(True)

    middleware = made(app)
    result: Any = middleware(environ(), lambda *_: None)  # type: ignore[arg-type, return-value]
    assert next(result) + next(result) == b"x" * 20
    result.close()
    result.close()
    assert closed == [True]
    figures = requests_of(middleware)
    assert (figures["count"], figures["failed"], figures["body_bytes_out"]) == (1, 0, 20)
    assert responses_of(middleware) == {"aborted": 1}


def replying(status: str, body: Any, headers: Any = ()) -> Any:
    def app(_: Any, start_response: Any) -> Any:
        start_response(status, list(headers))
        return body() if callable(body) else body

    return app


@pytest.mark.parametrize("kind", ["list", "iterator", "file"])
@pytest.mark.parametrize(
    ("status", "how"),
    [
        ("101 Switching Protocols", "1xx"),
        ("200 OK", "2xx"),
        ("204 No Content", "2xx"),
        ("304 Not Modified", "3xx"),
        ("404 Not Found", "4xx"),
        ("500 Internal Server Error", "5xx"),
        ("599 x", "5xx"),
        ("600 x", "other"),
        ("OK", "other"),
    ],
)
def test_whole_response_counts_by_the_class_of_its_status(status: str, how: str, kind: str) -> None:
    bodies = {"list": [b"x"], "iterator": lambda: iter([b"x"]), "file": lambda: FileWrapper(io.BytesIO(b"x"))}
    middleware = made(replying(status, bodies[kind]))
    run(middleware, environ(**{"wsgi.file_wrapper": FileWrapper}))
    assert responses_of(middleware) == {how: 1}


def test_status_that_replaces_another_is_the_one_that_counts() -> None:
    def app(_: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        try:
            raise ValueError
        except ValueError:
            start_response("500 Oops", [], sys.exc_info())
        yield b"x"

    middleware = made(app)
    run(middleware, environ())
    assert responses_of(middleware) == {"5xx": 1}


def test_status_that_comes_too_late_is_none() -> None:
    """A server raises the error itself where it has sent the headers already."""
    sent: list[str] = []

    def start(status: str, headers: Any, exc_info: Any = None) -> Any:
        if exc_info and sent:
            raise exc_info[1]
        sent.append(status)

    def app(_: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        yield b"x"
        start_response("500 Oops", [], (ValueError, ValueError("half-way"), None))

    middleware = made(app)
    with pytest.raises(ValueError, match="half-way"):
        list(middleware(environ(), start))
    assert responses_of(middleware) == {"raised": 1}


@pytest.mark.parametrize("body", [[b"x"], lambda: iter([b"x"])])
def test_application_that_never_starts_a_response_has_failed(body: Any) -> None:
    middleware = made(lambda *_: body() if callable(body) else body)
    list(middleware(environ(), lambda *_: None))  # type: ignore[arg-type, return-value]
    assert responses_of(middleware) == {"raised": 1}


@pytest.mark.parametrize(
    ("method", "status", "headers", "n_drawn", "how"),
    [
        ("GET", "200 OK", [], 1, "aborted"),
        ("GET", "200 OK", [("content-length", "6")], 1, "aborted"),
        ("GET", "200 OK", [("content-length", "6")], 2, "2xx"),  # the server has what it needs
        ("HEAD", "200 OK", [], 0, "2xx"),
        ("HEAD", "404 Not Found", [("content-length", "6")], 0, "4xx"),
        ("GET", "204 No Content", [], 0, "2xx"),
        ("GET", "304 Not Modified", [], 0, "3xx"),
    ],
)
def test_response_that_is_closed_before_its_end(method: str, status: str, headers: Any, n_drawn: int, how: str) -> None:
    middleware = made(replying(status, lambda: iter([b"123", b"456", b""]), headers))
    result: Any = middleware(environ(method=method), lambda *_: None)  # type: ignore[arg-type, return-value]
    for _ in range(n_drawn):
        next(result)
    result.close()
    assert responses_of(middleware) == {how: 1}


@pytest.mark.parametrize(("method", "size"), [("GET", 5), ("OPTIONS", 5), ("HEAD", 0)])
def test_body_of_a_head_request_is_not_sent_and_not_counted(method: str, size: int) -> None:
    middleware = made(replying("200 OK", [b"12", b"345"]))
    run(middleware, environ(method=method))
    assert requests_of(middleware)["body_bytes_out"] == size


@pytest.mark.parametrize("via", ["write", "read", "readlines", "iteration"])
def test_connection_that_breaks_while_the_application_uses_it_counts_as_aborted(via: str) -> None:
    class Broken(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, _: Any) -> int:
            raise ConnectionResetError

    def write(_: bytes) -> None:
        raise BrokenPipeError

    def app(given: Any, start_response: Any) -> Any:
        file = given["wsgi.input"]
        if via == "write":
            start_response("200 OK", [])(b"x")
        elif via == "iteration":
            list(file)
        else:
            getattr(file, via)()
        raise AssertionError

    middleware = made(app)
    given = environ(body=b"x", **{"wsgi.input": io.BufferedReader(Broken())})
    with pytest.raises(ConnectionError):
        middleware(given, lambda *_: write)
    assert responses_of(middleware) == {"aborted": 1}


def test_worker_that_is_told_to_exit_within_a_request_has_not_failed() -> None:
    def app(_: Any, start_response: Any) -> Any:
        raise SystemExit(1)

    middleware = made(app)
    with pytest.raises(SystemExit):
        run(middleware, environ())
    assert responses_of(middleware) == {"aborted": 1}


def test_counts_of_many_threads_add_up() -> None:
    statuses = ["200 OK", "302 Found", "404 Not Found", "503 Service Unavailable"]
    middleware = made(lambda given, start: (start(statuses[int(given["PATH_INFO"][1:])], []), [b"abc"])[1])

    def work(n: int) -> None:
        for _ in range(300):
            run(middleware, environ(f"/{n % 4}"))
            ssrjson_web.dumps([n])  # in no request

    in_threads(work, range(8))
    assert responses_of(middleware) == {"2xx": 600, "3xx": 600, "4xx": 600, "5xx": 600}
    figures = requests_of(middleware)
    assert (figures["body_bytes_out"], figures["encodes"], figures["failed"]) == (7200, 0, 600)


@pytest.mark.parametrize(
    "read",
    [
        lambda file: file.read(),
        lambda file: file.read(2) + file.read(),
        lambda file: file.readline() + file.readline(100),
        lambda file: b"".join(file.readlines()),
        lambda file: b"".join(file.readlines(1)) + b"".join(file),
        lambda file: b"".join(file),
    ],
)
def test_body_is_counted_however_it_is_read(read: Any) -> None:
    middleware = made(lambda given, start: (start("200 OK", []), [read(given["wsgi.input"])])[1])
    assert run(middleware, environ(body=b"one\ntwo"))[2] == b"one\ntwo"
    assert requests_of(middleware)["body_bytes_in"] == 7


def test_body_that_is_not_read_is_not_counted_and_its_file_keeps_its_attributes() -> None:
    middleware = made(lambda given, start: (start("200 OK", []), [repr(given["wsgi.input"].seekable()).encode()])[1])
    assert run(middleware, environ(body=b"abc"))[2] == b"True"
    assert requests_of(middleware)["body_bytes_in"] == 0


def test_requests_in_threads_do_not_mix_their_figures() -> None:
    barrier = threading.Barrier(4)
    seen: dict[int, Any] = {}

    def app(given: Any, start_response: Any) -> Any:
        n = int(given["PATH_INFO"][1:])
        barrier.wait(30)
        for _ in range(n):
            ssrjson_web.dumps("x" * n)
        recorder: Any = current_recorder.get()
        barrier.wait(30)
        seen[n] = (recorder.encodes, recorder.encoded_bytes)
        start_response("200 OK", [])
        return []

    middleware = made(app)
    in_threads(lambda n: run(middleware, environ(f"/{n}")), (3, 5, 8, 13))
    assert seen == {n: (n, n * (n + 2)) for n in (3, 5, 8, 13)}
    assert (requests_of(middleware)["count"], requests_of(middleware)["encodes"]) == (4, 29)


# Endpoints


def not_found(given: Any, start_response: Any) -> list[bytes]:
    start_response("404 Not Found", [("X-Own", "1")])
    return [b"nothing here"]


def test_stats_answers_with_the_token_and_the_application_without() -> None:
    middleware = made(not_found)
    status, headers, body = run(middleware, environ("/ssrjson/stats", HTTP_AUTHORIZATION=f"Bearer {TOKEN}"))
    assert status == "200 OK"
    assert dict(headers)["Content-Length"] == str(len(body))
    assert json.loads(body)["requests"]["count"] == 0
    for given in ("", "Bearer", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN):
        request = environ("/ssrjson/stats", HTTP_AUTHORIZATION=given)
        assert run(middleware, request) == run(not_found, environ("/ssrjson/stats"))
    assert requests_of(middleware)["count"] == 5


@pytest.mark.parametrize("name", ["trim", "scan"])
def test_action_answers_once_and_then_says_when_to_come_again(name: str) -> None:
    middleware = made(not_found)
    request = environ(f"/ssrjson/{name}", "POST", HTTP_AUTHORIZATION=f"Bearer {TOKEN}")
    assert run(middleware, request)[0] == "200 OK"
    status, headers, _ = run(middleware, request)
    assert status == "429 Too Many Requests"
    assert int(dict(headers)["Retry-After"]) >= 1


def test_stream_of_events_is_not_there() -> None:
    request = environ("/ssrjson/events", HTTP_AUTHORIZATION=f"Bearer {TOKEN}")
    assert run(made(not_found), request)[2] == b"nothing here"


def test_middleware_that_is_not_enabled_hands_everything_on() -> None:
    result, start = object(), object()
    seen: list[Any] = []
    middleware: Any = MemoryMiddleware(lambda *arguments: (seen.append(arguments), result)[1], token=TOKEN)  # type: ignore[arg-type, return-value]
    given = environ("/ssrjson/stats")
    assert middleware(given, start) is result
    assert seen[0][0] is given
    assert seen[0][1] is start
