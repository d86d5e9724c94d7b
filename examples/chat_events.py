"""A chat server that streams its answers: the events of OpenAI's API, and a ticker for browsers.

python examples/chat_events.py              # uvicorn; then: curl http://127.0.0.1:8000/
curl -N -H 'Content-Type: application/json' http://127.0.0.1:8000/v1/chat/completions \
    -d '{"model": "echo-1", "stream": true, "messages": [{"role": "user", "content": "你好"}]}'
curl -N -H 'Last-Event-ID: 40' http://127.0.0.1:8000/ticks

Clients of the first: `openai.OpenAI(base_url="http://127.0.0.1:8000/v1", api_key="none")`, httpx-sse. Of the second: a
browser's `EventSource`, which reconnects by itself and sends the id of the last event that it has seen.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import sys
import time
import uuid
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Header
from fastapi.responses import HTMLResponse
from pydantic import BaseModel

from ssrjson_web import Encoder
from ssrjson_web.fastapi import setup
from ssrjson_web.starlette import SSRJSONEvent, SSRJSONEventResponse

MODELS = Encoder(models=True)
"""Writes pydantic's models as `model_dump_json` does."""
DONE = b"data: [DONE]\n\n"
"""The end of an answer. It is no JSON, so it is a whole event in bytes."""

app = FastAPI(title="Chat")
setup(app)


class Message(BaseModel):
    """What one side said."""

    role: Literal["system", "user", "assistant"] = "assistant"
    content: str


class Question(BaseModel):
    """The body of a request."""

    model: str
    messages: list[Message]
    stream: bool = False


class Delta(BaseModel):
    """What a chunk adds to the answer."""

    role: str | None = None
    content: str | None = None


class Choice(BaseModel):
    """The only answer."""

    index: int = 0
    delta: Delta
    finish_reason: str | None = None


class ChatChunk(BaseModel):
    """A piece of an answer."""

    id: str
    object: str = "chat.completion.chunk"
    created: int
    model: str
    choices: list[Choice]


async def tokens(question: Question) -> AsyncIterator[str]:
    """A model that repeats the last message, one word or Chinese character after the other."""
    for token in re.findall(r"[\u3400-\u9fff]|\s*[^\s\u3400-\u9fff]+|\s+", question.messages[-1].content):
        await asyncio.sleep(0.01)
        yield token


async def chunks(question: Question) -> AsyncIterator[ChatChunk | bytes]:
    """The events of an answer. The generator is closed where it waits when the client leaves."""
    name, created = f"chatcmpl-{uuid.uuid4().hex}", int(time.time())

    def chunk(delta: Delta, finish_reason: str | None = None) -> ChatChunk:
        choices = [Choice(delta=delta, finish_reason=finish_reason)]
        return ChatChunk(id=name, created=created, model=question.model, choices=choices)

    yield chunk(Delta(role="assistant", content=""))
    async for token in tokens(question):
        yield chunk(Delta(content=token))
    yield chunk(Delta(), "stop")
    yield DONE


@app.post("/v1/chat/completions", response_model=None)
async def complete(question: Question) -> SSRJSONEventResponse | dict[str, Any]:
    """Answer as OpenAI's API does, at once or in chunks."""
    if question.stream:
        return SSRJSONEventResponse(chunks(question), encoder=MODELS)
    text = "".join([token async for token in tokens(question)])
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    answer = {"id": f"chatcmpl-{uuid.uuid4().hex}", "object": "chat.completion", "created": int(time.time())}
    return {**answer, "model": question.model, "choices": [choice]}


@app.get("/ticks", response_model=None)
async def ticks(last_event_id: Annotated[int, Header(ge=0)] = 0, stop: int | None = None) -> SSRJSONEventResponse:
    """A counter. A client that reconnects goes on after the event that it has seen last, within a tenth of a second.

    With `stop` the response ends there, as if the connection broke.
    """

    async def events() -> AsyncIterator[SSRJSONEvent]:
        yield SSRJSONEvent(retry=100)
        for number in itertools.count(last_event_id + 1):
            yield SSRJSONEvent({"tick": number, "says": "下一个\u2028"}, event="tick", id=str(number))
            if number == stop or number % 10 == 0:
                return
            await asyncio.sleep(0.01)

    return SSRJSONEventResponse(events(), keep_alive=5)


@app.get("/")
async def page() -> HTMLResponse:
    """A page that shows the ticks."""
    return HTMLResponse(
        """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Ticks</title>
<ol id="ticks"></ol><script>
const source = new EventSource("/ticks");
source.addEventListener("tick", (event) => {
    const item = document.createElement("li");
    item.textContent = event.lastEventId + ": " + JSON.parse(event.data).says.trim();
    document.getElementById("ticks").append(item);
    if (event.lastEventId === "25") source.close();
});
</script>"""
    )


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
