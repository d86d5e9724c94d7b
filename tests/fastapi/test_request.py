"""Request bodies: the same values, and the same 422s and 400s, as without us; limits."""

import json
import pickle
import sys
from types import SimpleNamespace
from typing import Annotated, Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

import fastapi.routing
from fastapi import Body, Depends, FastAPI, File, Form, Header, HTTPException, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from helpers import asgi_exchange
from helpers.builds import IS_FREE_THREADED
from helpers.fastapi_twins import (
    FASTAPI_VERSION,
    JSON,
    Call,
    answer,
    assert_twins_answer_alike,
    assert_twins_answer_alike_or_better,
)
from pydantic import BaseModel

from ssrjson_web import JSONDecodeError
from ssrjson_web.fastapi import SSRJSONRequest, SSRJSONRoute, setup


class Tag(BaseModel):
    name: str
    weight: int = 1


class Login(BaseModel):
    user: str
    age: int


BODIES: dict[str, bytes] = {
    "model": '{"name":"é中😀","weight":2}'.encode(),
    "models": b'[{"name":"a"},{"name":"b","weight":3}]',
    "spaces": b' \t\r\n{"name" : "a"} \n',
    "empty": b"",
    "blank": b"  ",
    "null": b"null",
    "number": b"12",
    "text": b'"text"',
    "list": b"[]",
    "nested": b'{"name":{"a":[1,2,{"b":null}]}}',
    "wrong types": b'{"name":1,"weight":"x"}',
    "missing": b'{"weight":1}',
    "extra": b'{"name":"a","_x":[1e400]}',
    "trailing comma": b'{"name":"a",}',
    "list comma": b"[1,]",
    "unclosed": '{"name":"é'.encode(),
    "unclosed object": b'{"name":"a"',
    "garbage at the end": b'{"name":"a"} x',
    "two documents": b"{}{}",
    "single quotes": b"{'name':'a'}",
    "bare word": b"name",
    "comment": b'{"name":"a"/**/}',
    "position in characters": '{"é中😀": "é",, }'.encode(),
    "nan": b'{"name":NaN}',
    "infinity": b"[Infinity,-Infinity,NaN]",
    "1e400": b'{"name":"a","weight":1e400}',
    "big int": b"1" * 4000,
    "int over the digit limit": b"1" * 5000,
    "bom": b"\xef\xbb\xbf{}",
    "utf-16": '{"name":"é"}'.encode("utf-16"),
    "utf-16-le": '{"name":"é"}'.encode("utf-16-le"),
    "utf-32": '{"name":"é"}'.encode("utf-32"),
    "invalid utf-8": b'{"name":"\xff"}',
    "cut utf-8": '{"name":"é'.encode()[:-1],
    "latin-1": '{"name":"é"}'.encode("latin-1"),
    "control character": b'{"name":"a\nb"}',
    "escapes": rb'{"name":"\u00e9\ud83d\ude00\n\/"}',
    "bad escape": rb'{"name":"\x"}',
    "lone surrogate": rb'{"name":"\ud800"}',
    "encoded surrogate": b'{"name":"\xed\xa0\x80"}',
    "duplicate keys": b'{"name":"a","name":"b"}',
    "zero byte": b'{"name":"a"}\x00',
    "leading zero": b'{"name":"a","weight":01}',
    "deep": b"[" * 100 + b"]" * 100,
    "deeper": b"[" * 300 + b"]" * 300,
    "too deep": b"[" * 100_000 + b"]" * 100_000,
    "deep and malformed": b"[" * 100 + b"}",
}
PATHS = ["/any", "/model", "/models", "/embed", "/dict", "/optional", "/two", "/raw", "/by-hand", "/sync"]


def build(**options: Any) -> FastAPI:
    app = FastAPI(**options)

    @app.post("/any")
    async def anything(body: Annotated[Any, Body()]):
        return {"got": repr(body)}

    @app.post("/model")
    async def model(body: Tag):
        return body

    @app.post("/sync")
    def in_thread(body: Tag) -> Tag:
        return body

    @app.post("/models")
    async def models(body: list[Tag]) -> list[Tag]:
        return body

    @app.post("/embed")
    async def embed(tag: Annotated[Tag, Body(embed=True)]):
        return {"got": tag}

    @app.post("/dict")
    async def mapping(body: dict[str, Any]):
        return {"got": repr(body)}

    @app.post("/optional")
    async def optional(body: Tag | None = None):
        return {"got": body}

    @app.post("/two")
    async def two(first: Tag, second: Annotated[int, Body()] = 3):
        return [first, second]

    @app.post("/raw")
    async def raw(body: Annotated[bytes, Body(media_type="application/octet-stream")]):
        return {"got": repr(body)}

    @app.post("/by-hand")
    async def by_hand(request: Request):
        value = await request.json()
        return {"got": repr(value), "again": await request.json() is value, "body": repr(await request.body())}

    return app


@pytest.mark.parametrize("name", BODIES)
def test_body_is_read_or_refused_as_stock(name: str) -> None:
    calls = [Call("POST", path, BODIES[name], JSON) for path in PATHS if path != "/by-hand"]
    assert_twins_answer_alike_or_better(build, calls)
    assert_twins_answer_alike_or_better(build, calls, errors=False)


@pytest.mark.parametrize("name", [name for name in BODIES if name != "too deep"])
def test_body_read_by_the_endpoint_is_stdlibs_value_or_error(name: str) -> None:
    assert_twins_answer_alike(build, [Call("POST", "/by-hand", BODIES[name], JSON)])


def test_body_table_has_each_status() -> None:
    app = build()
    setup(app)
    statuses = {answer(app, Call("POST", path, body, JSON)).status for path in PATHS[:3] for body in BODIES.values()}
    assert statuses == {200, 400, 422}


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        JSON,
        "application/json; charset=latin-1",
        "APPLICATION/JSON",
        "application/vnd.api+json",
        "application/problem+json;v=1",
        "application/jsonx",
        "text/json",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/octet-stream",
        "multipart/form-data",
        "nonsense",
    ],
)
def test_content_type_is_respected_as_in_stock(content_type: str | None) -> None:
    bodies = ["model", "unclosed", "number", "empty", "invalid utf-8"]
    calls = [Call("POST", path, BODIES[name], content_type) for path in ("/any", "/model", "/raw") for name in bodies]
    assert_twins_answer_alike(build, calls)


@pytest.mark.skipif(FASTAPI_VERSION < (0, 132), reason="FastAPI has no strict_content_type before 0.132")
@pytest.mark.parametrize("strict", [True, False])
def test_strict_content_type_is_respected_as_in_stock(strict: bool) -> None:
    calls = [Call("POST", path, BODIES["model"], content_type) for path in PATHS for content_type in (None, JSON)]
    assert_twins_answer_alike(lambda: build(strict_content_type=strict), calls)


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_body_in_chunks_is_read_as_stock(size: int) -> None:
    for body in (BODIES["model"], BODIES["position in characters"]):
        chunks = [body[at : at + size] for at in range(0, len(body), size)]
        assert_twins_answer_alike(build, [Call("POST", path, chunks, JSON) for path in PATHS])


def test_client_that_disconnects_in_its_body_ends_as_stock() -> None:
    from helpers.fastapi_twins import _scope
    from starlette.requests import ClientDisconnect

    async def call(app: Any) -> tuple[list[Any], BaseException | None]:
        sent: list[Any] = []
        incoming = [{"type": "http.request", "body": b'{"na', "more_body": True}, {"type": "http.disconnect"}]

        async def receive() -> Any:
            return incoming.pop(0)

        async def send(message: Any) -> None:
            sent.append(message)

        try:
            await app(_scope(Call("POST", "/model", content_type=JSON)), receive, send)
        except ClientDisconnect as error:
            return sent, error
        return sent, None

    import asyncio

    theirs, ours = build(), build()
    setup(ours, max_body_size=1000)
    expected, got = asyncio.run(call(theirs)), asyncio.run(call(ours))
    assert got[0] == expected[0]
    assert type(got[1]) is type(expected[1])


def test_forms_and_files_are_read_as_stock() -> None:
    def build() -> FastAPI:
        app = FastAPI()

        @app.post("/form")
        async def form(user: Annotated[str, Form()], age: Annotated[int, Form()] = 1):
            return {"user": user, "age": age}

        @app.post("/form-model")
        async def form_model(login: Annotated[Login, Form()]) -> Login:
            return login

        @app.post("/file")
        async def file(upload: UploadFile, note: Annotated[str, Form()] = ""):
            return {"name": upload.filename, "content": (await upload.read()).decode(), "note": note}

        @app.post("/bytes")
        def content(upload: Annotated[bytes, File()]):
            return {"size": len(upload)}

        return app

    multipart = (
        b'--x\r\nContent-Disposition: form-data; name="note"\r\n\r\nabc\r\n'
        b'--x\r\nContent-Disposition: form-data; name="upload"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n'
        b"\xc3\xa9\r\n--x--\r\n"
    )
    calls = []
    for path in ("/form", "/form-model", "/file", "/bytes"):
        calls += [
            Call("POST", path, b"user=%C3%A9&age=3", "application/x-www-form-urlencoded"),
            Call("POST", path, b"age=x", "application/x-www-form-urlencoded"),
            Call("POST", path, multipart, "multipart/form-data; boundary=x"),
            Call("POST", path, multipart[:40], "multipart/form-data; boundary=x"),
            Call("POST", path, multipart, "multipart/form-data"),
            Call("POST", path, BODIES["model"], JSON),
        ]
    answers = assert_twins_answer_alike(build, calls)
    assert {200, 400, 422} <= {found.status for found in answers}
    assert_twins_answer_alike(build, calls, max_body_size=10_000)


def test_request_class_is_ours_for_endpoint_and_dependencies() -> None:
    def see(request: Request) -> str:
        return type(request).__name__

    def build() -> FastAPI:
        app = FastAPI()

        @app.get("/")
        async def endpoint(request: Request, seen: Annotated[str, Depends(see)], x: Annotated[str, Header()] = "-"):
            return [isinstance(request, SSRJSONRequest), seen, x, request.url.path, dict(request.headers)]

        return app

    ours, left = build(), build()
    setup(ours)
    setup(left, requests=False)
    call = Call("GET", "/", headers={"x": "y"})
    assert answer(ours, call).body == b'[true,"SSRJSONRequest","y","/",{"x":"y"}]'
    assert answer(left, call).body == b'[false,"Request","y","/",{"x":"y"}]'


def test_request_of_another_class_is_left_alone() -> None:
    from fastapi.routing import APIRoute

    class OwnRequest(Request):
        pass

    class OwnRoute(APIRoute):
        def get_route_handler(self):
            handler = super().get_route_handler()

            async def handle(request: Request):
                return await handler(OwnRequest(request.scope, request.receive))

            return handle

    def build() -> FastAPI:
        app = FastAPI()
        app.router.route_class = OwnRoute

        @app.post("/")
        async def endpoint(request: Request, body: Tag):
            return [type(request).__name__, body]

        return app

    answers = assert_twins_answer_alike(build, [Call("POST", "/", BODIES["model"], JSON)])
    assert answers[0].body.startswith(b'["OwnRequest",')


def test_error_handler_reads_the_body_again() -> None:
    def build() -> FastAPI:
        app = FastAPI()

        @app.exception_handler(RequestValidationError)
        async def handler(request: Request, error: RequestValidationError):
            return JSONResponse({"body": repr(await request.body()), "was": repr(error.body)}, 422)

        @app.post("/")
        async def endpoint(body: Tag):
            return body

        return app

    calls = [Call("POST", "/", BODIES[name], JSON) for name in ("unclosed", "missing", "cut utf-8")]
    answers = assert_twins_answer_alike(build, calls)
    assert b"weight" in answers[1].body


def test_class_of_requests_changes_where_something_may_read_the_body() -> None:
    def seen(request: Request) -> str:
        return type(request).__name__

    def unseen() -> str:
        return "nothing"

    def nested(of: str = Depends(seen)) -> str:
        return of

    class RefusedError(Exception):
        pass

    def build() -> FastAPI:
        app = FastAPI()

        @app.exception_handler(RefusedError)
        async def refuse(request: Request, error: RefusedError):
            return JSONResponse([type(request).__name__, await request.json()])

        @app.post("/dependency")
        async def dependency(of: str = Depends(nested)):
            return of

        @app.post("/overridden")
        async def overridden(of: str = Depends(unseen)):
            return of

        @app.post("/body")
        async def body(tag: Tag):
            raise RefusedError

        @app.post("/none")
        async def none():
            raise RefusedError

        return app

    app = build()
    setup(app)
    ours = b'"SSRJSONRequest"'
    assert answer(app, Call("POST", "/dependency", b"{}", JSON)).body == ours
    assert answer(app, Call("POST", "/overridden", b"{}", JSON)).body == b'"nothing"'
    app.dependency_overrides[unseen] = seen
    # routes are made before anything is overridden
    assert answer(app, Call("POST", "/overridden", b"{}", JSON)).body == b'"Request"'
    handled = b'"Request"' if IS_FREE_THREADED else ours  # see ssrjson_web/_shared/change_of_class.py
    assert answer(app, Call("POST", "/body", BODIES["model"], JSON)).body.startswith(b"[" + handled)
    app.dependency_overrides.clear()
    # nothing of this route reads requests: the class stays FastAPI's, and the JSON is the same
    assert answer(app, Call("POST", "/none", BODIES["model"], JSON)).body.startswith(b'["Request",')
    assert_twins_answer_alike(build, [Call("POST", "/none", BODIES["nested"], JSON)])


def test_inclusion_of_another_route_does_not_say_what_reads_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    variable = getattr(fastapi.routing, "_effective_route_context_var", None)
    if variable is None:
        pytest.skip("this FastAPI keeps no inclusions")
    read: list[type | None] = []  # nothing for a route that needs no handler of ours
    monkeypatch.setattr("ssrjson_web.fastapi._route._handler_of", lambda request_class, *_: read.append(request_class))

    async def reading(body: Tag) -> Any:
        return body

    async def silent() -> Any:
        return None

    route = SSRJSONRoute("/", reading, methods=["POST"])
    other = SSRJSONRoute("/other", silent)
    token = variable.set(SimpleNamespace(original_route=other, dependant=other.dependant))
    try:
        route.get_route_handler()
    finally:
        variable.reset(token)
    assert read == [SSRJSONRequest] * 2  # each route builds one when it is made


def test_middleware_that_reads_the_body_leaves_it_to_the_endpoint() -> None:
    def build() -> FastAPI:
        app = FastAPI()

        @app.middleware("http")
        async def read(request: Request, call_next: Any):
            body = await request.body()
            response = await call_next(request)
            response.headers["x-size"] = str(len(body))
            return response

        @app.post("/")
        async def endpoint(body: Tag):
            return body

        return app

    answers = assert_twins_answer_alike(build, [Call("POST", "/", BODIES["model"], JSON)])
    assert answers[0].status == 200


@pytest.mark.parametrize("declared", [True, False])
def test_body_over_the_limit_is_a_413(declared: bool) -> None:
    app = build()
    setup(app, max_body_size=30)
    headers = {"content-length": "31"} if declared else {}
    reply = answer(app, Call("POST", "/any", [b'"' + b"x" * 20, b"x" * 9 + b'"'], JSON, headers))
    assert reply.status == 413
    assert b"30" in reply.body
    assert reply.headers["content-type"] == JSON
    fitting = Call("POST", "/any", [b'"' + b"x" * 20, b"x" * 8 + b'"'], JSON)
    assert answer(app, fitting).status == 200


def test_body_over_the_limit_is_not_read_to_its_end() -> None:
    app = build()
    setup(app, max_body_size=30)
    chunks = [b"x" * 20] * 5
    call = Call("POST", "/any", chunks, JSON)
    assert answer(app, call).status == 413

    n_received = 0

    async def receive() -> Any:
        nonlocal n_received
        n_received += 1
        return {"type": "http.request", "body": b"x" * 20, "more_body": True}

    async def send(message: Any) -> None:
        pass

    import asyncio

    from helpers.fastapi_twins import _scope

    asyncio.run(app(_scope(call), receive, send))
    assert n_received == 2


def test_json_over_the_depth_limit_is_a_400() -> None:
    app = build()
    setup(app, max_depth=10)
    assert answer(app, Call("POST", "/any", b"[" * 10 + b"]" * 10, JSON)).status == 200
    reply = answer(app, Call("POST", "/any", b"[" * 11 + b"]" * 11, JSON))
    assert reply.status == 400
    assert b"10" in reply.body


def test_limits_leave_what_is_within_them_as_stock() -> None:
    calls = [Call("POST", path, BODIES[name], JSON) for path in PATHS[:4] for name in ("model", "unclosed", "nan")]
    assert_twins_answer_alike_or_better(build, calls, max_body_size=1000, max_depth=50)


def test_http_exception_of_a_body_in_a_receive_wrapper_is_raised_as_stock() -> None:
    def build() -> FastAPI:
        app = FastAPI()

        @app.post("/")
        async def endpoint(body: Tag):
            return body

        class Refuse:
            def __init__(self, app: Any) -> None:
                self.app = app

            async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
                async def refuse() -> Any:
                    raise HTTPException(413, "zu groß")

                await self.app(scope, refuse if scope["type"] == "http" else receive, send)

        app.add_middleware(Refuse)
        return app

    answers = assert_twins_answer_alike(build, [Call("POST", "/", b"{}", JSON)])
    assert answers[0].status == 413


def test_items_of_a_body_in_a_route() -> None:
    app = FastAPI()
    setup(app)

    @app.post("/items")
    async def take(request: SSRJSONRequest) -> list[Any]:
        return [item async for item in request.json_items()]

    reply = asgi_exchange.call(
        app, "/items", "POST", content=b'[{"a": 1}, "\xe4\xb8\xad"]', headers={"content-type": "application/json"}
    )
    assert reply.json() == [{"a": 1}, "中"]
    reply = asgi_exchange.call(
        app, "/items", "POST", content=b"1\n2\n", headers={"content-type": "application/x-ndjson"}
    )
    assert reply.json() == [1, 2]


MALFORMED = [
    *(
        b"[1,2",
        b"",
        b" ",
        b'{"a":1}',
        b"1",
        b"null",
        b'"x"',
        b"[1,]",
        b"[1 2]",
        b"[NaN x]",
        b"x",
        b"]",
        b"[1]x",
        b"[01]",
    ),
    *(
        b"[1,2,3,4,5,6,x]",
        b"\xef\xbb\xbf[1",
        b"\xef\xbb\xbf\xef\xbb\xbf[1]",
        b"[1\n,\n\n2",
        '["中",'.encode(),
        b'["\n"]',
    ),
]
MISENCODED = [b'["\xff"]', b'[1,"\xc3"', b"\xff\xfe[", b'["a","\xed\xa0"]']


@pytest.mark.parametrize("limits", [{}, {"max_depth": 50, "max_body_size": 10_000}])
def test_malformed_items_are_answered_as_a_malformed_body(limits: Any) -> None:
    app = FastAPI()

    @app.post("/declared")
    async def declared(body: list[Any]) -> Any:
        return body

    async def take(request: Request) -> Any:
        return [item async for item in request.json_items()]  # type: ignore[attr-defined]

    @app.post("/caught")
    async def caught(request: SSRJSONRequest) -> Any:
        try:
            return await take(request)
        except (JSONDecodeError, UnicodeDecodeError) as error:
            copied = pickle.loads(pickle.dumps(error)) if isinstance(error, JSONDecodeError) else error
            return [str(error), str(copied)]

    app.post("/items", name="take")(take)
    setup(app, **limits)
    for body in [*MALFORMED, *MISENCODED]:
        for chunks in ([body], [bytes([byte]) for byte in body] or [b""]):
            got, expected = (answer(app, Call("POST", path, chunks, JSON)) for path in ("/items", "/declared"))
            said, copied = json.loads(answer(app, Call("POST", "/caught", chunks, JSON)).body)
            assert copied.partition(":")[0] == said.partition(":")[0]
            if body.startswith(b"{") or not body.strip() or json_is_valid(body):  # FastAPI has other answers to these
                assert got.status == 422, body
                assert json.loads(got.body)["detail"][0] | {"ctx": {}} == {
                    "type": "json_invalid",
                    "loc": ["body", len(body) if body == b" " else 0],
                    "msg": "JSON decode error",
                    "input": {},
                    "ctx": {},
                }, body
            else:
                assert (got.status, got.body) == (expected.status, expected.body), body
                assert got.status == (400 if body in MISENCODED else 422)
    lines = Call("POST", "/items", [b"1\n2", b"\n{"], "application/x-ndjson")
    assert json.loads(answer(app, lines).body)["detail"][0]["loc"] == ["body", 5]
    for call in (Call("POST", "/items", b"[" * 60, JSON), Call("POST", "/declared", b"[" * 60, JSON)) if limits else ():
        assert (answer(app, call).status, b"nested deeper" in answer(app, call).body) == (400, True)


def json_is_valid(body: bytes) -> bool:
    try:
        json.loads(body)
    except ValueError:
        return False
    return True


def test_malformed_items_reach_handlers_of_the_application() -> None:
    app = FastAPI()
    setup(app)

    @app.exception_handler(RequestValidationError)
    async def handle(request: Request, error: RequestValidationError) -> Any:
        return JSONResponse([error.errors()[0]["type"], error.body], 418)

    @app.exception_handler(ValueError)
    async def refuse(request: Request, error: ValueError) -> Any:
        return JSONResponse("value", 419)

    @app.post("/items")
    async def take(request: SSRJSONRequest) -> Any:
        return [item async for item in request.json_items()]

    @app.post("/wrong")
    async def wrong(request: SSRJSONRequest) -> Any:
        return [item async for item in request.json_items(max_item_size=0)]

    reply = answer(app, Call("POST", "/items", b"[1", JSON))
    assert (reply.status, reply.body) == (418, b'["json_invalid","[1"]')
    assert answer(app, Call("POST", "/wrong", b"[1", JSON)).status == 419  # an error of the endpoint, and of no client


@pytest.mark.skipif(not hasattr(sys, "get_int_max_str_digits"), reason="this Python takes integers of any length")
def test_number_of_too_many_digits_is_answered_as_in_a_body_that_fastapi_decodes() -> None:
    app = FastAPI()
    setup(app)

    @app.post("/items")
    async def take(request: SSRJSONRequest) -> Any:
        return [item async for item in request.json_items()]

    @app.post("/declared")
    async def declared(value: Annotated[list[int], Body()]) -> Any:
        return value

    replies = [answer(app, Call("POST", path, b"[" + b"9" * 5000 + b"]", JSON)) for path in ("/items", "/declared")]
    assert [reply.status for reply in replies] == [400, 400]
    assert replies[0].body == replies[1].body


def test_binary_bodies_where_json_is_declared_are_errors_as_in_stock() -> None:
    def build() -> FastAPI:
        app = FastAPI()

        @app.post("/model")
        async def model(tag: Tag) -> Any:
            return tag

        @app.post("/bytes")
        async def short(data: Annotated[bytes, Body(max_length=1)]) -> Any:
            return len(data)

        return app

    bodies, types = (b"\xff\xfe", b"\xed\xa0\x80", b"abc"), (None, "application/octet-stream", "text/plain")
    calls = [Call("POST", path, body, kind) for path in ("/model", "/bytes") for body in bodies for kind in types]
    assert {found.status for found in assert_twins_answer_alike(build, calls)} == {422, 500}
