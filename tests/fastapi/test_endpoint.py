"""Endpoints of every kind of callable, in errors, telemetry, background tasks and dependencies."""

import functools
import inspect
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any
from unittest.mock import Mock

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import BackgroundTasks, Depends, FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError, ResponseValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from helpers.call_outcome import family
from helpers.fastapi_twins import (
    FASTAPI_VERSION,
    JSON,
    Call,
    Counter,
    answer,
    assert_twins_answer_alike,
    assert_twins_answer_alike_or_better,
)
from pydantic import BaseModel
from starlette.background import BackgroundTask

from ssrjson_web.fastapi import setup
from ssrjson_web.fastapi._endpoint import carrying_endpoint, is_coroutine_endpoint


async def in_loop(n: int):
    return {"é": n}


def in_thread(n: int):
    return {"é": n}


class AsyncObject:
    async def __call__(self, n: int):
        return {"object": n}

    async def method(self, n: int):
        return {"method": n}

    @classmethod
    async def of_class(cls, n: int):
        return {"class": cls.__name__, "n": n}

    @staticmethod
    def static(n: int):
        return {"static": n}


class SyncObject:
    def __call__(self, n: int):
        return {"object": n}

    def method(self, n: int):
        return {"method": n}


class Constructed:
    def __init__(self, n: int) -> None:
        self.n = n


def with_wraps(call: Any) -> Any:
    @functools.wraps(call)
    async def wrapper(*args: Any, **values: Any) -> Any:
        return {"wrapped": await call(*args, **values)}

    return wrapper


def sync_around_async(call: Any) -> Any:
    @functools.wraps(call)
    def wrapper(*args: Any, **values: Any) -> Any:
        return call(*args, **values)

    return wrapper


def with_signature_only(call: Any) -> Any:
    def wrapper(**values: Any) -> Any:
        return {"around": call(**values)}

    wrapper.__signature__ = inspect.signature(call)
    wrapper.__name__ = "made"
    return wrapper


ENDPOINTS: dict[str, Any] = {
    "async function": in_loop,
    "function": in_thread,
    "lambda": lambda n: {"lambda": n},
    "async partial": functools.partial(in_loop, n=5),
    "partial": functools.partial(in_thread, n=6),
    "partial of object": functools.partial(SyncObject(), n=6),
    "async object": AsyncObject(),
    "object": SyncObject(),
    "async method": AsyncObject().method,
    "method": SyncObject().method,
    "class method": AsyncObject.of_class,
    "static method": AsyncObject.static,
    "class": Constructed,
    "wrapped": with_wraps(in_loop),
    "sync around async": sync_around_async(in_loop),
    "sync around sync": sync_around_async(in_thread),
    "without __wrapped__": with_signature_only(in_thread),
}


def add_endpoints(app: FastAPI) -> FastAPI:
    for name, endpoint in ENDPOINTS.items():
        # routes need no names here, and objects have none
        app.add_api_route(f"/{name}", endpoint, response_model=None, name=name, methods=["GET", "POST"])
    return app


@pytest.mark.parametrize("name", ENDPOINTS)
def test_endpoint_of_each_kind_answers_as_stock(name: str) -> None:
    calls = [Call(method, f"/{name}?n={n}") for method in ("GET", "POST") for n in ("3", "x", "")]
    assert_twins_answer_alike(lambda: add_endpoints(FastAPI()), [*calls, f"/{name}"])


def test_endpoint_errors_name_the_users_function() -> None:
    def build() -> FastAPI:
        app = add_endpoints(FastAPI())

        @app.exception_handler(RequestValidationError)
        async def show(request: Request, error: RequestValidationError):
            return PlainTextResponse(f"{getattr(error, 'endpoint_ctx', None)} {error}", 422)

        return app

    answers = assert_twins_answer_alike(build, [f"/{name}?n=x" for name in ENDPOINTS])
    if FASTAPI_VERSION >= (0, 124):
        assert __file__.encode() in answers[0].body
        assert b"in_loop" in answers[0].body


def test_endpoint_wrapped_has_the_names_and_source_of_the_call() -> None:
    for call in ENDPOINTS.values():
        carrying = carrying_endpoint(call, is_coroutine=False)
        assert carrying.__module__ == getattr(call, "__module__", type(call).__module__)
        assert carrying.__qualname__ == getattr(call, "__qualname__", type(call).__qualname__)
        if hasattr(call, "__code__"):
            assert inspect.getsourcefile(carrying) == inspect.getsourcefile(call)
            assert inspect.getsourcelines(carrying) == inspect.getsourcelines(call)
            assert inspect.signature(carrying) == inspect.signature(call)
            assert carrying.__name__ == call.__name__


def test_endpoint_that_raises_shows_no_line_of_another_file() -> None:
    def failing() -> None:
        raise ZeroDivisionError

    carrying = carrying_endpoint(failing, is_coroutine=False)
    with pytest.raises(ZeroDivisionError) as caught:
        carrying()
    entry = caught.traceback[1]
    assert str(entry.path) == __file__
    assert entry.lineno + 1 == failing.__code__.co_firstlineno


class Nameless:
    """An object that is the value of each of its attributes, its name too."""

    def __getattr__(self, name: str) -> Any:
        if name in functools.WRAPPER_ASSIGNMENTS or not name.startswith("__"):
            return self
        raise AttributeError(name)

    def __call__(self):
        return {"é": 1}


def test_endpoint_without_a_name_of_text_answers_as_stock() -> None:
    def build() -> FastAPI:
        app = FastAPI()
        app.add_api_route("/", Nameless(), name="nameless", response_model=None)
        app.add_api_route("/mock", Mock(return_value={"é": 1}), response_model=None)
        return app

    assert_twins_answer_alike(build, ["/", "/mock?args=1&kwargs=2"])


def test_endpoint_class_of_an_interactive_session_answers_as_stock(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = type("Typed", (), {"__module__": "__main__", "__init__": lambda self: setattr(self, "n", 1)})
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    with pytest.raises(OSError, match="source code"):
        inspect.getfile(typed)

    def build() -> FastAPI:
        app = FastAPI()
        app.add_api_route("/", typed)
        return app

    assert assert_twins_answer_alike(build, ["/"])[0].body == b'{"n":1}'


def test_endpoint_detection_agrees_with_what_fastapi_does_with_the_wrapped() -> None:
    app = add_endpoints(FastAPI())
    setup(app)
    for route in app.routes:
        if not hasattr(route, "dependant"):
            continue
        handler = route.get_route_handler()
        while "handler" in handler.__code__.co_freevars:
            handler = inspect.getclosurevars(handler).nonlocals["handler"]
        seen = inspect.getclosurevars(handler).nonlocals["is_coroutine"]
        assert seen == is_coroutine_endpoint(route.dependant), route.path


def test_endpoint_of_the_route_stays_the_users() -> None:
    app = add_endpoints(FastAPI())
    before = {
        route.path: (route.dependant.call, vars(route).copy())
        for route in app.routes
        if hasattr(route, "endpoint") and hasattr(route, "dependant")
    }
    setup(app)
    for route in app.routes:
        if hasattr(route, "dependant"):
            call, attributes = before[route.path]
            assert route.endpoint is call
            assert route.dependant.call is call
            for name in ("response_class", "response_field", "dependant", "endpoint", "body_field"):
                assert getattr(route, name) is attributes[name], name


def test_scope_names_the_users_endpoint_and_the_route() -> None:
    def build() -> FastAPI:
        app = FastAPI()

        @app.get("/{n}")
        async def endpoint(request: Request, n: int):
            scope = request.scope
            return [scope["endpoint"].__name__, scope["route"].path, scope["path_params"]]

        return app

    answers = assert_twins_answer_alike(build, ["/5"])
    assert answers[0].body == b'["endpoint","/{n}",{"n":"5"}]'


def test_background_tasks_run_after_the_response_and_in_order() -> None:
    def build() -> FastAPI:
        app = FastAPI()
        app.state.log = []

        @app.get("/injected")
        async def injected(tasks: BackgroundTasks):
            app.state.log.append("endpoint")
            tasks.add_task(app.state.log.append, "first")
            tasks.add_task(app.state.log.append, "second")
            return {"é": 1}

        @app.get("/own")
        def own(tasks: BackgroundTasks):
            tasks.add_task(app.state.log.append, "lost")
            return JSONResponse({}, background=BackgroundTask(app.state.log.append, "own"))

        @app.get("/direct")
        def direct(tasks: BackgroundTasks) -> Response:
            tasks.add_task(app.state.log.append, "kept")
            return PlainTextResponse("é")

        @app.get("/unencodable")
        async def unencodable(tasks: BackgroundTasks):
            tasks.add_task(app.state.log.append, "never")
            return {"a": float("nan")}

        @app.get("/failing-task")
        async def failing_task(tasks: BackgroundTasks):
            tasks.add_task(lambda: 1 // 0)
            tasks.add_task(app.state.log.append, "never")
            return {"é": 1}

        return app

    theirs, ours = build(), build()
    setup(ours)
    for path in ("/injected", "/own", "/direct", "/unencodable", "/failing-task"):
        expected, got = answer(theirs, path), answer(ours, path)
        assert (got.messages, got.error) == (expected.messages, expected.error)
    assert ours.state.log == theirs.state.log == ["endpoint", "first", "second", "own", "kept"]


def test_dependencies_with_yield_end_in_the_same_order() -> None:
    def build() -> FastAPI:
        app = FastAPI()
        log = app.state.log = []

        async def outer() -> AsyncIterator[str]:
            log.append("outer in")
            try:
                yield "é"
            except Exception as error:
                log.append(f"outer {family(error)}")
                raise
            finally:
                log.append("outer out")

        def inner(text: Annotated[str, Depends(outer)]) -> Iterator[str]:
            log.append("inner in")
            yield text + "中"
            log.append("inner out")

        @app.get("/{what}")
        async def endpoint(what: str, text: Annotated[str, Depends(inner)], tasks: BackgroundTasks, response: Response):
            log.append("endpoint")
            tasks.add_task(log.append, "task")
            response.headers["x-what"] = what
            if what == "refuse":
                raise HTTPException(418, {"warum": text}, {"x-a": "b"})
            if what == "fail":
                raise KeyError(text)
            return {"text": text, "nan": float("nan")} if what == "unencodable" else {"text": text}

        return app

    answers = assert_twins_answer_alike(build, ["/ok", "/refuse", "/fail", "/unencodable"])
    assert [found.status for found in answers] == [200, 418, 500, 500]


def test_dependency_overrides_are_respected() -> None:
    def real() -> str:
        return "echt"

    def build() -> FastAPI:
        app = FastAPI()

        @app.get("/")
        async def endpoint(text: Annotated[str, Depends(real)]):
            return [text]

        app.dependency_overrides[real] = lambda: "falsch"
        return app

    assert assert_twins_answer_alike(build, ["/"])[0].body == b'["falsch"]'


def test_injected_response_gives_status_headers_and_cookies() -> None:
    def build() -> FastAPI:
        app = FastAPI()

        def dependency(response: Response) -> None:
            response.headers["x-dependency"] = "é".encode().decode("latin-1")
            response.set_cookie("from", "dependency")

        @app.api_route("/async", methods=["GET", "HEAD"], status_code=201, dependencies=[Depends(dependency)])
        async def in_loop(response: Response, status: int = 0):
            if status:
                response.status_code = status
            response.headers["content-language"] = "de"
            return {"é": status}

        @app.get("/sync", dependencies=[Depends(dependency)])
        def in_thread(response: Response, status: int = 0):
            response.status_code = status or None
            response.headers["content-type"] = "application/problem+json"
            return {"é": status}

        return app

    paths = [f"/{kind}?status={status}" for kind in ("async", "sync") for status in (0, 202, 204, 205, 304, 404)]
    calls = [*paths, *(Call("HEAD", path) for path in paths)]
    answers = assert_twins_answer_alike(build, calls)
    assert answers[0].status == 201
    assert answers[1].status == 202


def test_errors_of_endpoints_are_raised_as_stock() -> None:
    class OwnError(Exception):
        pass

    def build() -> FastAPI:
        app = FastAPI()

        @app.exception_handler(OwnError)
        async def own(request: Request, error: OwnError):
            return JSONResponse({"own": str(error)}, 409)

        @app.get("/{kind}")
        async def endpoint(kind: str):
            if kind == "http":
                raise HTTPException(404, detail=[{"é": 1}], headers={"x-a": "b"})
            if kind == "empty":
                raise HTTPException(304)
            if kind == "nan":
                raise HTTPException(400, detail={"a": float("nan")})
            if kind == "object":
                raise HTTPException(400, detail={"a": object})
            if kind == "own":
                raise OwnError("é")
            if kind == "response":
                raise ResponseValidationError([{"a": 1}])
            raise RuntimeError("é")

        return app

    calls = [f"/{kind}" for kind in ("http", "empty", "nan", "object", "own", "response", "other")]
    answers = assert_twins_answer_alike(build, [*calls, "/a/b", Call("POST", "/http")])
    assert [found.status for found in answers] == [404, 304, 500, 500, 409, 500, 500, 404, 405]
    assert_twins_answer_alike(build, calls, errors=False)


def test_exception_handlers_of_the_application_are_kept() -> None:
    def build() -> FastAPI:
        async def refuse(request: Request, error: Exception):
            return PlainTextResponse(f"eigen: {type(error).__name__}", 499)

        app = FastAPI(exception_handlers={RequestValidationError: refuse})
        app.add_exception_handler(404, refuse)

        @app.get("/{n}")
        async def endpoint(n: int):
            raise HTTPException(400 + n, "é")

        return app

    answers = assert_twins_answer_alike(build, ["/x", "/4", "/9", "/a/b"])
    assert [found.status for found in answers] == [499, 499, 409, 499]


class Login(BaseModel):
    user: str
    age: int


def test_validation_errors_echo_their_input_as_stock_or_better() -> None:
    def build() -> FastAPI:
        app = FastAPI()

        @app.post("/")
        async def endpoint(login: Login, q: float):
            return login

        return app

    bodies = [
        '{"user":"é","age":"中"}',
        '{"user":{"a":[1,null]},"age":NaN}',
        '{"user":"\\ud800","age":1.5}',
        "[]",
        "NaN",
        '"é"',
        "",
        '{"user":1e999}',
    ]
    calls = [Call("POST", f"/?q={q}", body.encode(), JSON) for body in bodies for q in ("1", "x", "é")]
    answers = assert_twins_answer_alike_or_better(build, calls)
    assert {found.status for found in answers} == {422}


@pytest.mark.skipif(FASTAPI_VERSION < (0, 160), reason="this FastAPI has no telemetry")
def test_telemetry_names_the_users_function() -> None:
    telemetry = pytest.importorskip("opentelemetry.sdk.trace", reason="OpenTelemetry's SDK is not installed")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    def names(is_ours: bool) -> list[Any]:
        exporter = InMemorySpanExporter()
        provider = telemetry.TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        app = add_endpoints(FastAPI(telemetry={"tracer_provider": provider}))
        if is_ours:
            setup(app)
        for name in ENDPOINTS:
            answer(app, f"/{name}?n=1")
        return [(span.name, dict(span.attributes or {})) for span in exporter.get_finished_spans()]

    expected, got = names(False), names(True)
    assert got == expected
    assert expected


def test_endpoint_values_are_counted_as_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    app = add_endpoints(FastAPI())
    setup(app)
    n_answered = sum(answer(app, f"/{name}?n=1").status == 200 for name in ENDPOINTS)
    assert counter.values >= n_answered > 10
