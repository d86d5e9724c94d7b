"""Typed messages of Quart's WebSockets."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic import BaseModel, ValidationError
from quart import Quart, websocket

from ssrjson_web.quart import SSRJSON, receive_message, send_message

app = Quart("sockets")
SSRJSON(app, ensure_ascii=False)


class Say(BaseModel):
    text: str


@app.websocket("/echo")
async def echo() -> None:
    while True:
        try:
            say = await receive_message(Say)
        except ValidationError as error:
            await websocket.send_json({"errors": error.error_count()})
        else:
            await send_message(say, Say)


def test_messages() -> None:
    async def run() -> list[Any]:
        async with app.test_client().websocket("/echo") as client:
            answers = []
            for text in ('{"text": "é"}', '{"text": 5}', "{", '{"text": "again"}'):
                await client.send(text)
                answers.append(await client.receive())
            return answers

    assert asyncio.run(run()) == ['{"text":"é"}', '{"errors": 1}', '{"errors": 1}', '{"text":"again"}']
