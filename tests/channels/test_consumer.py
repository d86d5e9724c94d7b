"""Consumers of Django Channels against the stock ones: the same values and exceptions."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("django", reason="Django is not installed")
pytest.importorskip("channels", reason="Django Channels is not installed")

import helpers.django_project  # noqa: F401  (settings)
from asgiref.testing import ApplicationCommunicator
from channels.generic.websocket import AsyncJsonWebsocketConsumer, JsonWebsocketConsumer
from helpers.call_outcome import outcome
from pydantic import BaseModel, ValidationError

from ssrjson_web import utf8_cache_size
from ssrjson_web.channels import SSRJSONAsyncWebsocketConsumer, SSRJSONWebsocketConsumer

VALUES: list[Any] = [{"名": "值", "n": [1, 2.5, None]}, [], "é", 1e400, {1: 2}, {"a"}, {(1,): 2}]
TEXTS = ['{"名": "值"}', "[1, NaN]", "{", "", "nul", '"\\ud800"', "[" * 3 + "]" * 3]


class Say(BaseModel):
    text: str


class Echo(SSRJSONWebsocketConsumer):
    def receive_json(self, content: Any, **_: Any) -> None:
        self.send_json({"echo": content})


class AsyncEcho(SSRJSONAsyncWebsocketConsumer):
    async def receive_json(self, content: Any, **_: Any) -> None:
        await self.send_json({"echo": content})


class TypedEcho(SSRJSONAsyncWebsocketConsumer):
    receives = sends = Say

    async def receive_json(self, content: Say, **_: Any) -> None:
        assert type(content) is Say
        await self.send_json(content)


class StockEcho(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    async def receive_json(self, content: Any, **_: Any) -> None:
        await self.send_json({"echo": content})


def test_values_and_errors_equal_stock() -> None:
    for text in TEXTS:
        assert outcome(Echo.decode_json, text) == outcome(JsonWebsocketConsumer.decode_json, text)
        assert outcome(lambda text=text: asyncio.run(AsyncEcho.decode_json(text))) == outcome(json.loads, text)  # type: ignore[misc]
    for value in VALUES:
        stock = outcome(lambda value=value: json.loads(JsonWebsocketConsumer.encode_json(value)))  # type: ignore[misc]
        assert outcome(lambda value=value: json.loads(Echo.encode_json(value))) == stock  # type: ignore[misc]
        assert outcome(lambda value=value: json.loads(asyncio.run(AsyncEcho.encode_json(value)))) == stock  # type: ignore[misc]
    assert Echo.encode_json({"名": "\ud800"}) == '{"名":"\\ud800"}'


def answers(consumer: Any, *messages: str) -> list[str]:
    async def run() -> list[str]:
        communicator = ApplicationCommunicator(consumer.as_asgi(), {"type": "websocket", "path": "/", "headers": []})
        await communicator.send_input({"type": "websocket.connect"})
        assert (await communicator.receive_output(10))["type"] == "websocket.accept"
        found = []
        for message in messages:
            await communicator.send_input({"type": "websocket.receive", "text": message})
            found.append((await communicator.receive_output(10))["text"])
        await communicator.send_input({"type": "websocket.disconnect", "code": 1000})
        await communicator.wait(10)
        return found

    return asyncio.run(run())


@pytest.mark.parametrize("consumer", [Echo, AsyncEcho])
def test_exchange(consumer: Any) -> None:
    messages = ['{"名": "值"}', "[1]"]
    assert answers(consumer, *messages) == ['{"echo":{"名":"值"}}', '{"echo":[1]}']
    stock = [json.loads(answer) for answer in answers(StockEcho, *messages)]
    assert [json.loads(answer) for answer in answers(consumer, *messages)] == stock


def test_typed_exchange() -> None:
    assert answers(TypedEcho, '{"text": "é"}') == ['{"text":"é"}']
    with pytest.raises(ValidationError):
        answers(TypedEcho, '{"text": 5}')
    with pytest.raises(ValidationError):
        asyncio.run(TypedEcho.encode_json({"no": 1}))


def test_no_copy_stays() -> None:
    text = "".join(["红", "楼"])
    Echo.encode_json({"text": text})
    asyncio.run(TypedEcho.encode_json(Say(text=text)))
    assert utf8_cache_size(text) == 0
