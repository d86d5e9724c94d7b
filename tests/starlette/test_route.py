"""SSRJSONRoute and SSRJSONWebSocketRoute against Route and WebSocketRoute."""

from __future__ import annotations

import functools
import threading
from typing import Any

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from helpers.asgi_exchange import call
from helpers.bodies import CONTENTS
from helpers.builds import IS_FREE_THREADED
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.endpoints import HTTPEndpoint, WebSocketEndpoint
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, Router, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from ssrjson_web import Encoder
from ssrjson_web.starlette import (
    SSRJSONRequest,
    SSRJSONResponse,
    SSRJSONRoute,
    SSRJSONWebSocket,
    SSRJSONWebSocketRoute,
)


async def echo(request: Request) -> Any:
    return {"got": await request.json(), "as": type(request).__name__}


def thread_of(request: Request) -> Any:
    return {"thread": threading.current_thread().name, "as": type(request).__name__}


async def content(request: Request) -> Any:
    return CONTENTS[request.path_params["name"]]


class Items(HTTPEndpoint):
    async def get(self, request: Request) -> Any:
        return ["é", type(request).__name__]

    def post(self, request: Request) -> Any:
        return {"thread": threading.current_thread().name, "as": type(request).__name__}

    async def put(self, request: Request) -> Response:
        return PlainTextResponse(str(await request.json()), 201)


class Methods:
    async def show(self, request: Request) -> Any:
        return [type(request).__name__]


async def asgi(scope: Any, receive: Any, send: Any) -> None:
    await PlainTextResponse("an application")(scope, receive, send)


class Application:
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await PlainTextResponse("an object")(scope, receive, send)


@pytest.mark.parametrize("name", CONTENTS)
def test_route_sends_plain_data_as_json_response(name: str) -> None:
    async def stock(request: Request) -> Response:
        return JSONResponse(CONTENTS[name])

    ours = call(Starlette(routes=[SSRJSONRoute("/{name}", content)]), f"/{name}")
    theirs = call(Starlette(routes=[Route("/{name}", stock)]), f"/{name}")
    assert (ours.status_code, ours.headers.raw, ours.content) == (
        theirs.status_code,
        theirs.headers.raw,
        theirs.content,
    )


def test_route_gives_the_endpoint_our_request() -> None:
    app = Starlette(routes=[SSRJSONRoute("/", echo, methods=["POST"])])
    assert call(app, "/", "POST", content='{"é": [1]}').json() == {"got": {"é": [1]}, "as": "SSRJSONRequest"}


def test_route_runs_sync_endpoints_in_the_threadpool() -> None:
    reply = call(Starlette(routes=[SSRJSONRoute("/", thread_of)]), "/").json()
    assert reply["as"] == "SSRJSONRequest"
    assert reply["thread"] != threading.current_thread().name


@pytest.mark.parametrize(
    "endpoint",
    [
        functools.partial(echo),
        functools.partial(functools.partial(thread_of)),
        Methods().show,
        lambda request: [type(request).__name__],
    ],
    ids=["partial", "partial of partial", "method", "lambda"],
)
def test_route_takes_every_kind_of_function(endpoint: Any) -> None:
    reply = call(Starlette(routes=[SSRJSONRoute("/", endpoint)]), "/", content="1")
    assert reply.status_code == 200
    assert b"SSRJSONRequest" in reply.content


def test_route_sends_responses_and_applications_as_they_are() -> None:
    done: list[int] = []

    async def respond(request: Request) -> Any:
        return PlainTextResponse("text", 418, {"x-a": "b"}, background=BackgroundTask(done.append, 1))

    async def delegate(request: Request) -> Any:
        return asgi

    app = Starlette(routes=[SSRJSONRoute("/response", respond), SSRJSONRoute("/application", delegate)])
    reply = call(app, "/response")
    assert (reply.status_code, reply.text, reply.headers["x-a"], done) == (418, "text", "b", [1])
    assert call(app, "/application").text == "an application"


def test_route_to_an_application_leaves_it_alone() -> None:
    app = Starlette(routes=[SSRJSONRoute("/object", Application())])
    assert call(app, "/object").text == "an object"
    assert call(app, "/object", "DELETE").text == "an object"


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "DISPATCH", "SCOPE", "__INIT__"])
def test_route_to_an_http_endpoint_serves_its_methods(method: str) -> None:
    class Stock(HTTPEndpoint):
        async def get(self, request: Request) -> Response:
            return JSONResponse(["é", "SSRJSONRequest"])

        async def post(self, request: Request) -> Response:
            return JSONResponse({})

        async def put(self, request: Request) -> Response:
            return PlainTextResponse("[1]", 201)

    ours = call(Starlette(routes=[SSRJSONRoute("/", Items)]), "/", method, content="[1]")
    theirs = call(Starlette(routes=[Route("/", Stock)]), "/", method, content="[1]")
    assert (ours.status_code, ours.headers.get("allow")) == (theirs.status_code, theirs.headers.get("allow"))
    if method == "POST":
        assert ours.json()["as"] == "SSRJSONRequest"
        assert ours.json()["thread"] != threading.current_thread().name
    else:
        assert (ours.headers.raw, ours.content) == (theirs.headers.raw, theirs.content)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"methods": ["POST"]},
        {"methods": ["get", "PUT"]},
        {"name": "other", "include_in_schema": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("endpoint", [echo, thread_of, Items, asgi, functools.partial(echo), Methods().show])
def test_route_is_what_stock_is(endpoint: Any, options: dict[str, Any]) -> None:
    ours, theirs = SSRJSONRoute("/a/{b:int}", endpoint, **options), Route("/a/{b:int}", endpoint, **options)
    assert ours == theirs
    assert (ours.name, ours.methods, ours.include_in_schema) == (theirs.name, theirs.methods, theirs.include_in_schema)
    assert ours.endpoint is endpoint
    assert repr(ours) == repr(theirs).replace("Route", "SSRJSONRoute")
    assert ours.url_path_for(ours.name, b=3) == "/a/3"
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE"):
        got = call(Starlette(routes=[ours]), "/a/x", method), call(Router(routes=[ours]), "/a/1", method)
        expected = call(Starlette(routes=[theirs]), "/a/x", method), call(Router(routes=[theirs]), "/a/1", method)
        assert [r.status_code == 405 for r in got] == [r.status_code == 405 for r in expected]
        assert [r.status_code == 404 for r in got] == [r.status_code == 404 for r in expected]


def test_route_takes_middleware() -> None:
    class Header:
        def __init__(self, app: Any, name: str) -> None:
            self.app, self.name = app, name

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            async def with_header(message: Any) -> None:
                if message["type"] == "http.response.start":
                    message["headers"].append((self.name.encode(), b"1"))
                await send(message)

            await self.app(scope, receive, with_header)

    middleware = [Middleware(Header, name="x-a"), Middleware(Header, name="x-b")]
    for endpoint in (echo, Items):
        reply = call(Starlette(routes=[SSRJSONRoute("/", endpoint, middleware=middleware)]), "/", content="1")
        assert (reply.headers["x-a"], reply.headers["x-b"]) == ("1", "1")


def test_route_refuses_what_stock_refuses() -> None:
    with pytest.raises(TypeError, match="unknown"):
        SSRJSONRoute("/", echo, unknown=1)
    with pytest.raises(TypeError, match="unknown"):
        SSRJSONWebSocketRoute("/", echo, unknown=1)


@pytest.mark.parametrize("endpoint", [echo, Items], ids=["function", "class"])
def test_route_brings_limits_and_a_response_class(endpoint: Any) -> None:
    class NativeResponse(SSRJSONResponse):
        media_type = "application/vnd.api+json"
        encoder = Encoder(natives=True)

    limited = SSRJSONRequest.limited(max_body_size=10, max_depth=3)
    route = SSRJSONRoute("/", endpoint, methods=["GET", "PUT"], request_class=limited, response_class=NativeResponse)
    app = Starlette(routes=[Mount("/m", routes=[route])])
    assert call(app, "/m/", "PUT", content="[[1]]").status_code in (200, 201)
    too_long, too_deep = call(app, "/m/", "PUT", content="[1,2,3,4,5]"), call(app, "/m/", "PUT", content="[[[[]]]]")
    assert (too_long.status_code, too_long.text) == (413, "The request body is longer than 10 bytes")
    assert (too_deep.status_code, too_deep.text) == (400, "The JSON of the request is nested deeper than 3 levels")
    assert call(app, "/m/", content="1").headers["content-type"] == "application/vnd.api+json"


def test_route_errors_reach_the_handlers_with_the_request_and_its_body() -> None:
    async def handle(request: Request, error: Exception) -> Response:
        return JSONResponse({"as": type(request).__name__, "body": (await request.body()).decode()}, 422)

    async def refuse(request: Request) -> Any:
        await request.json()
        raise HTTPException(418)

    handlers: Any = {ValueError: handle, 418: handle}
    app = Starlette(
        routes=[SSRJSONRoute("/", echo, methods=["POST"]), SSRJSONRoute("/refuse", refuse, methods=["POST"])],
        exception_handlers=handlers,
    )
    seen = "Request" if IS_FREE_THREADED else "SSRJSONRequest"  # see ssrjson_web/_shared/change_of_class.py
    assert call(app, "/", "POST", content="{").json() == {"as": seen, "body": "{"}
    assert call(app, "/refuse", "POST", content="[]").json() == {"as": seen, "body": "[]"}


# WebSockets


async def echo_socket(websocket: WebSocket) -> None:
    await websocket.accept()
    async for value in websocket.iter_json():
        await websocket.send_json([type(websocket).__name__, value])


class EchoSocket(WebSocketEndpoint):
    encoding = "json"

    async def on_receive(self, websocket: WebSocket, data: Any) -> None:
        await websocket.send_json([type(websocket).__name__, data])


class AcceptingSocket(EchoSocket):
    async def on_connect(self, websocket: WebSocket) -> None:
        await websocket.accept(subprotocol="ours")


@pytest.mark.parametrize("endpoint", [echo_socket, functools.partial(echo_socket), EchoSocket, AcceptingSocket])
def test_websocket_route_gives_the_endpoint_our_websocket(endpoint: Any) -> None:
    client = TestClient(Starlette(routes=[SSRJSONWebSocketRoute("/", endpoint)]))
    with client.websocket_connect("/") as socket:
        for value in ({"é": [1, None]}, "中", 10**30):
            socket.send_json(value)
            assert socket.receive_json() == [SSRJSONWebSocket.__name__, value]


@pytest.mark.parametrize("text", ["{", "[1] 2", "", "NaN", '"\\ud800"'])
def test_websocket_endpoint_fails_on_malformed_json_as_stock(text: str) -> None:
    outcomes = []
    for route in (SSRJSONWebSocketRoute, WebSocketRoute):
        client = TestClient(Starlette(routes=[route("/", EchoSocket)]))
        seen: list[Any] = []
        try:
            with client.websocket_connect("/") as socket:
                socket.send_text(text)
                seen.append(socket.receive_json()[1:])
        except (RuntimeError, WebSocketDisconnect, UnicodeEncodeError) as error:
            seen += [type(error), str(error)]
        outcomes.append(repr(seen))
    assert outcomes[0] == outcomes[1]


def test_websocket_endpoint_decodes_binary_messages_as_stock() -> None:
    client = TestClient(Starlette(routes=[SSRJSONWebSocketRoute("/", EchoSocket)]))
    with client.websocket_connect("/") as socket:
        socket.send_bytes('["é"]'.encode())
        assert socket.receive_json() == ["SSRJSONWebSocket", ["é"]]


def test_websocket_route_is_what_stock_is() -> None:
    for endpoint in (echo_socket, EchoSocket, functools.partial(echo_socket)):
        ours, theirs = SSRJSONWebSocketRoute("/a", endpoint), WebSocketRoute("/a", endpoint)
        assert ours == theirs
        assert (ours.name, ours.endpoint) == (theirs.name, endpoint)
        assert SSRJSONWebSocketRoute("/a", endpoint, name="n").url_path_for("n") == "/a"
