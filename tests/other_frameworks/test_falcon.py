"""Falcon with our handler compared with stock, WSGI and ASGI; under gunicorn and uvicorn, too."""

from __future__ import annotations

import asyncio
import datetime
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("falcon", reason="Falcon is not installed")

import falcon
from falcon import testing
from falcon.media import JSONHandler, JSONHandlerWS
from helpers.bodies import BODIES, DEEP
from helpers.processes import serving
from other_frameworks import falcon_twins as twins

from ssrjson_web import Decoder, Encoder, scan_utf8_cache
from ssrjson_web.falcon import SSRJSONHandler, setup

TESTS = Path(__file__).parent.parent
JSON = {"Content-Type": "application/json; charset=utf-8"}
PAIRS = {"wsgi": (twins.stock, twins.ours), "asgi": (twins.async_stock, twins.async_ours)}


@pytest.fixture(autouse=True)
def current_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Set an event loop for the thread, which Falcon's test client needs on Python 3.10."""
    if sys.version_info >= (3, 11) or request.node.get_closest_marker("asyncio"):
        yield
        return
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


@pytest.fixture(params=PAIRS)
def clients(request: pytest.FixtureRequest) -> tuple[testing.TestClient, testing.TestClient]:
    stock, ours = PAIRS[request.param]
    return testing.TestClient(stock), testing.TestClient(ours)


def answer_of(client: testing.TestClient, method: str, path: str, **options: Any) -> tuple[Any, ...]:
    reply = client.simulate_request(method, path, **options)
    return reply.status, dict(reply.headers), reply.content


@pytest.mark.parametrize("name", twins.VALUES)
def test_media_is_sent_as_by_stock(clients: Any, name: str) -> None:
    stock, ours = (answer_of(client, "GET", f"/values/{name}") for client in clients)
    assert ours == stock


@pytest.mark.parametrize("accept", ["application/json", "application/vnd.a+json", "text/xml", "*/*", "text/html"])
@pytest.mark.parametrize("path", ["/refusal", "/nothing"])
def test_error_is_sent_as_by_stock(clients: Any, path: str, accept: str) -> None:
    stock, ours = (answer_of(client, "GET", path, headers={"Accept": accept}) for client in clients)
    assert ours == stock


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_body_gets_the_value_or_the_error_of_stock(clients: Any, method: str) -> None:
    for name, body in BODIES.items():
        stock, ours = (answer_of(client, method, "/echo", body=body, headers=JSON) for client in clients)
        if stock[0].startswith("500"):
            assert name == "open brackets"
            assert ours[0] == "400 Bad Request"
        else:
            assert ours == stock, name


@pytest.mark.parametrize("value", ["[1,%22%C3%A9%22]", "[", "%EF%BB%BF1", ""])
def test_parameter_gets_the_value_or_the_error_of_stock(clients: Any, value: str) -> None:
    stock, ours = (answer_of(client, "GET", "/echo", query_string=f"q={value}") for client in clients)
    assert ours == stock


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml"])
def test_body_of_another_type_is_refused_as_by_stock(clients: Any, content_type: str) -> None:
    stock, ours = (
        answer_of(client, "POST", "/echo", body="{}", headers={"Content-Type": content_type}) for client in clients
    )
    assert ours == stock
    assert ours[0].startswith("415")


def test_deep_body_is_a_400_where_stock_fails(clients: Any) -> None:
    stock, ours = (answer_of(client, "POST", "/echo", body=DEEP, headers=JSON) for client in clients)
    assert stock[0] == "500 Internal Server Error"
    assert ours[0] == "400 Bad Request"


def test_media_keeps_no_utf8_copies(clients: Any) -> None:
    assert answer_of(clients[1], "GET", "/values/page")[0] == "200 OK"
    assert scan_utf8_cache(twins.VALUES)["cached_strings"] == 0


def test_decoder_sets_limits_that_are_a_400(clients: Any) -> None:
    for kind, resource in ((falcon.App, twins.Echo()), (falcon.asgi.App, twins.AsyncEcho())):
        app = kind()
        app.add_route("/echo", resource)
        setup(app, decoder=Decoder(max_depth=3, max_size=100, duplicate_keys="error"))
        client = testing.TestClient(app)
        for body in (b"[[[[]]]]", b'"' + b"a" * 200 + b'"', b'{"a":1,"a":2}'):
            assert answer_of(client, "POST", "/echo", body=body, headers=JSON)[0] == "400 Bad Request"
        assert answer_of(client, "POST", "/echo", body=b"[[[]]]", headers=JSON)[0] == "200 OK"


def test_encoder_writes_types_beyond_json() -> None:
    app = falcon.App()
    app.resp_options.media_handlers["application/json"] = SSRJSONHandler(encoder=Encoder(natives=True))
    app.add_sink(lambda request, response: setattr(response, "media", {"é": datetime.date(2020, 1, 2)}))
    assert testing.TestClient(app).simulate_get("/").content == '{"é":"2020-01-02"}'.encode()


def test_subclass_may_override_what_it_will() -> None:
    class Wrapped(SSRJSONHandler):
        def serialize(self, media: Any, content_type: str | None = None) -> bytes:
            return b"wrapped"

    app = falcon.App()
    app.resp_options.media_handlers["application/json"] = handler = Wrapped()
    app.add_sink(lambda request, response: setattr(response, "media", 1))
    assert handler.serialize(1) == testing.TestClient(app).simulate_get("/").content


@pytest.mark.parametrize(
    ("options", "message"),
    [({"encoder": None}, "encoder must be an Encoder, not NoneType"), ({"decoder": 5}, "decoder must be a Decoder")],
)
def test_wrong_option_is_a_type_error_that_names_it(options: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        SSRJSONHandler(**options)
    with pytest.raises(TypeError, match=message):
        setup(falcon.App(), **options)


def test_setup_of_what_is_no_application_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"^setup takes a Falcon application, not a dict$"):
        setup({})  # type: ignore[arg-type]


@pytest.mark.asyncio
async def test_websocket_media_is_that_of_stock() -> None:
    frames = []
    for app in PAIRS["asgi"]:
        async with testing.ASGIConductor(app) as conductor, conductor.simulate_ws("/echo") as websocket:
            await websocket.send_text('{"标": [1.0, "é"]}')
            frames.append(await websocket.receive_text())
    assert frames[1] == frames[0] == '[{"标": [1.0, "é"]}]'


SERVERS = {
    "gunicorn": (["gunicorn", "-b", "127.0.0.1:{port}"], "stock", "ours"),
    "uvicorn": (["uvicorn", "--port", "{port}"], "async_stock", "async_ours"),
}


@pytest.mark.parametrize("server", SERVERS)
def test_application_under_a_server_answers_as_stock(server: str) -> None:
    words, *apps = SERVERS[server]
    answers = []
    for app in apps:
        with (
            serving([sys.executable, "-m", *words, f"other_frameworks.falcon_twins:{app}"], folder=TESTS) as address,
            httpx.Client(base_url=f"http://{address}") as client,
        ):
            replies = [
                client.get("/values/page"),
                client.post("/echo", content=BODIES["page"], headers=JSON),
                client.post("/echo", content=BODIES["truncated"], headers=JSON),
                client.get("/refusal"),
            ]
        answers.append([(each.status_code, each.headers["content-type"], each.content) for each in replies])
    assert answers[1] == answers[0]
    assert [status for status, _, _ in answers[0]] == [200, 200, 400, 400]


@pytest.mark.parametrize("make", [falcon.App, falcon.asgi.App])
def test_setup_keeps_handlers_of_the_application(make: Any) -> None:
    class Own(JSONHandler):
        pass

    def fresh(*handlers: Any) -> Any:
        app = make()
        for options, handler in zip((app.req_options, app.resp_options), handlers, strict=False):
            options.media_handlers[falcon.MEDIA_JSON] = handler
        return app

    def handlers_of(app: Any) -> list[Any]:
        return [options.media_handlers.get(falcon.MEDIA_JSON) for options in (app.req_options, app.resp_options)]

    for own in (Own(), JSONHandler(dumps=lambda media: "{}"), JSONHandler(loads=lambda text: 1), object()):
        app = fresh(own)
        setup(app)
        assert handlers_of(app)[0] is own
        assert isinstance(handlers_of(app)[1], SSRJSONHandler)
    app = fresh(JSONHandler(), JSONHandler())
    for _ in range(2):
        before = handlers_of(app)
        setup(app)
        assert all(type(one) is SSRJSONHandler and one not in before for one in handlers_of(app))
    del app.req_options.media_handlers[falcon.MEDIA_JSON]
    setup(app)
    assert handlers_of(app)[0] is None
    if make is falcon.asgi.App:
        text = falcon.WebSocketPayloadType.TEXT
        own = app.ws_options.media_handlers[text] = JSONHandlerWS(dumps=lambda media: "{}")
        setup(app)
        assert app.ws_options.media_handlers[text] is own
