"""SSRJSONWebSocket against WebSocket: the same messages, values and exceptions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")

from helpers.bodies import BODIES as OTHER_BODIES
from helpers.bodies import CONTENTS, DEEP
from helpers.call_outcome import Outcome, assert_same, error_outcome
from starlette.websockets import WebSocket, WebSocketDisconnect

from ssrjson_web import utf8_cache_size
from ssrjson_web.starlette import SSRJSONWebSocket

MODES = ["text", "binary"]
BODIES = {**OTHER_BODIES, "too deep": DEEP, "too deep and cut": b'{"a":' * 100_000}


class Line:
    """The messages that a WebSocket receives and sends."""

    def __init__(self, *messages: dict[str, Any], is_broken: bool = False) -> None:
        self.messages = [{"type": "websocket.connect"}, *messages]
        self.sent: list[dict[str, Any]] = []
        self.is_broken = is_broken

    async def receive(self) -> Any:
        return self.messages.pop(0)

    async def send(self, message: Any) -> None:
        if self.is_broken and message["type"] == "websocket.send":
            raise OSError("broken")
        self.sent.append(dict(message))

    async def socket(self, cls: type[WebSocket], *, is_accepted: bool = True) -> WebSocket:
        socket = WebSocket({"type": "websocket", "headers": []}, self.receive, self.send)  # type: ignore[arg-type]
        socket.__class__ = cls
        if is_accepted:
            await socket.accept()
        return socket


def described(error: Exception) -> Outcome:
    if isinstance(error, WebSocketDisconnect):
        return ("WebSocketDisconnect", error.code, error.reason)
    if isinstance(error, RecursionError):
        return ("RecursionError",)
    return error_outcome(error)


def both(exchange: Any, case: object) -> Outcome:
    """The outcome of the exchange, which is asserted to be the same for our class and the stock one."""

    async def run(cls: type[WebSocket]) -> Outcome:
        try:
            return ("value", repr(await exchange(cls)))
        except Exception as error:
            return described(error)

    ours, theirs = asyncio.run(run(SSRJSONWebSocket)), asyncio.run(run(WebSocket))
    assert_same(ours, theirs, case)
    return ours


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CONTENTS)
def test_websocket_sends_or_refuses_as_stock(name: str, mode: str) -> None:
    async def exchange(cls: type[WebSocket]) -> list[dict[str, Any]]:
        line = Line()
        await (await line.socket(cls)).send_json(CONTENTS[name], mode=mode)
        return line.sent[1:]

    kind, text = both(exchange, (name, mode))[:2]
    assert kind != "value" or f"'{'text' if mode == 'text' else 'bytes'}': " in str(text)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", BODIES)
def test_websocket_receives_or_refuses_as_stock(name: str, mode: str) -> None:
    body = BODIES[name]
    text = body.decode("utf-8", "surrogateescape")
    message = {"type": "websocket.receive"} | ({"text": text} if mode == "text" else {"bytes": body})

    async def exchange(cls: type[WebSocket]) -> Any:
        return await (await Line(message).socket(cls)).receive_json(mode=mode)

    both(exchange, (name, mode))


@pytest.mark.parametrize("mode", [*MODES, "json", "", None])
@pytest.mark.parametrize(
    "message",
    [
        {"type": "websocket.receive", "text": None, "bytes": b"[1]"},
        {"type": "websocket.receive", "text": "[1]", "bytes": None},
        {"type": "websocket.receive", "bytes": b"[1]"},
        {"type": "websocket.receive", "text": "[1]"},
        {"type": "websocket.receive", "text": b"[1]"},
        {"type": "websocket.disconnect", "code": 1001, "reason": "away"},
        {"type": "websocket.disconnect", "code": 1000},
        {"type": "websocket.other"},
    ],
    ids=str,
)
@pytest.mark.parametrize("is_accepted", [True, False])
def test_websocket_receives_odd_messages_as_stock(message: dict[str, Any], mode: Any, is_accepted: bool) -> None:
    async def exchange(cls: type[WebSocket]) -> Any:
        return await (await Line(message).socket(cls, is_accepted=is_accepted)).receive_json(mode)

    both(exchange, (message, mode))


@pytest.mark.parametrize("mode", [*MODES, "json"])
@pytest.mark.parametrize("state", ["new", "broken", "closed", "sent to before"])
def test_websocket_sends_in_odd_states_as_stock(state: str, mode: str) -> None:
    async def exchange(cls: type[WebSocket]) -> Any:
        line = Line(is_broken=state == "broken")
        socket = await line.socket(cls, is_accepted=state != "new")
        if state == "closed":
            await socket.close()
        if state == "sent to before":
            await socket.send_text("a")
        await socket.send_json([1], mode)
        return line.sent

    both(exchange, (state, mode))


def test_websocket_iterates_until_the_client_leaves() -> None:
    async def exchange(cls: type[WebSocket]) -> list[Any]:
        messages = [{"type": "websocket.receive", "text": text} for text in ('{"a":1}', "[2]")]
        socket = await Line(*messages, {"type": "websocket.disconnect", "code": 1000}).socket(cls)
        return [value async for value in socket.iter_json()]

    assert both(exchange, "iter_json") == ("value", "[{'a': 1}, [2]]")


@pytest.mark.parametrize("mode", MODES)
def test_websocket_leaves_no_utf8_cache(mode: str) -> None:
    texts = ["".join([char] * 100) for char in "éя中😀"]

    async def run() -> None:
        await (await Line().socket(SSRJSONWebSocket)).send_json(texts, mode)

    asyncio.run(run())
    assert [utf8_cache_size(text) for text in texts] == [0] * 4


# ---- typed messages -------------------------------------------------------------------------------------------------


def typed_socket(*messages: dict[str, Any]) -> tuple[Any, Line]:
    line = Line(*messages)
    return asyncio.run(line.socket(SSRJSONWebSocket)), line


def test_typed_messages() -> None:
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")

    class Say(pydantic.BaseModel):  # type: ignore[misc,name-defined]
        text: str
        n: int = 1

    text = '{"text": "红楼梦"}'
    message = {"type": "websocket.receive", "text": text}
    socket, line = typed_socket(message, {**message, "text": None, "bytes": text.encode()})
    assert asyncio.run(socket.receive_json(message_type=Say)) == Say(text="红楼梦")
    assert asyncio.run(socket.receive_json("binary", message_type=Say | None)) == Say(text="红楼梦")
    said = "".join(["红", "楼"])
    asyncio.run(socket.send_json(Say(text=said, n=2), message_type=Say))
    asyncio.run(socket.send_json([Say(text=said)], "binary", message_type=list[Say]))
    assert line.sent[1:] == [
        {"type": "websocket.send", "text": '{"text":"红楼","n":2}'},
        {"type": "websocket.send", "bytes": '[{"text":"红楼","n":1}]'.encode()},
    ]
    assert utf8_cache_size(said) == 0


@pytest.mark.parametrize("text", ["{", '{"n": 1}', '{"text": 5}', "null"])
def test_typed_message_that_is_refused(text: str) -> None:
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")

    class Say(pydantic.BaseModel):  # type: ignore[misc,name-defined]
        text: str

    socket, _ = typed_socket({"type": "websocket.receive", "text": text}, {"type": "websocket.receive", "text": "[]"})
    with pytest.raises(pydantic.ValidationError) as raised:
        asyncio.run(socket.receive_json(message_type=Say))
    with pytest.raises(pydantic.ValidationError) as expected:
        pydantic.TypeAdapter(Say).validate_json(text)
    assert raised.value.errors() == expected.value.errors()
    assert asyncio.run(socket.receive_json()) == [], "the connection stays open"
    with pytest.raises(pydantic.ValidationError):
        asyncio.run(socket.send_json({"text": 5}, message_type=Say))


def test_socket_of_fastapi() -> None:
    fastapi = pytest.importorskip("fastapi", reason="FastAPI is not installed")
    from fastapi.testclient import TestClient
    from pydantic import BaseModel

    class Say(BaseModel):
        text: str

    app = fastapi.FastAPI()

    @app.websocket("/echo")  # type: ignore[untyped-decorator]
    async def echo(websocket: WebSocket) -> None:
        socket = SSRJSONWebSocket.of(websocket)
        assert socket is websocket
        await socket.accept()
        say = await socket.receive_json(message_type=Say)
        await socket.send_json({"echo": say.text})
        await socket.close()

    with TestClient(app).websocket_connect("/echo") as client:
        client.send_text('{"text": "é"}')
        assert client.receive_text() == '{"echo":"é"}'
