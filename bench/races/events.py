"""The documents of `events`: chunks of a model's answer in two languages, alone and streamed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import BaseModel
from starlette.responses import StreamingResponse

from bench.kit.asgi import scope_of
from bench.races.race import Contender, Document
from bench.timing import Clock
from ssrjson_web import Encoder
from ssrjson_web.starlette import SSRJSONEventResponse

_TOKENS: Mapping[str, Sequence[str]] = {
    "English": (" the", " quick", " brown", "fox", " jumps", " over", '"', " lazy", " dogs", ".\n"),
    "Chinese": ("你好", "，", "我", "是", "一个", "语言", "模型", "。", "“好”", "\n"),
}


class Delta(BaseModel):
    """What a chunk adds to the answer."""

    role: str | None = None
    content: str | None = None


class Choice(BaseModel):
    """One of the answers."""

    index: int
    delta: Delta
    finish_reason: str | None = None


class ChatChunk(BaseModel):
    """A `chat.completion.chunk`."""

    id: str
    object: str = "chat.completion.chunk"
    created: int
    model: str
    choices: list[Choice]


def chunks_of(language: str, n: int) -> list[ChatChunk]:
    """New chunks, whose texts no other object refers to."""
    tokens = _TOKENS[language]
    return [
        ChatChunk(
            id="".join(["chatcmpl-", "B9MBs8CjcvOU2jLn4n570S5qMJKcT"]),
            created=1_741_569_952 + i,
            model="".join(["example-", "4"]),
            choices=[Choice(index=0, delta=Delta(content="".join([tokens[i % len(tokens)], " " * (i % 2)])))],
        )
        for i in range(n)
    ]


_ENCODER = Encoder(models=True, escape_surrogates=True)


def _ours(chunks: Sequence[ChatChunk]) -> list[bytes]:
    """The events of our encoder, without what a response does for them."""
    return [b"data: " + _ENCODER.encode(chunk) + b"\n\n" for chunk in chunks]


def _dumped(chunks: Sequence[ChatChunk]) -> list[bytes]:
    """The events as servers make them."""
    return [_text_of(chunk).encode() for chunk in chunks]


def _text_of(chunk: ChatChunk) -> str:
    return "data: " + chunk.model_dump_json() + "\n\n"


def documents(size: int) -> Iterator[Document]:
    """Answers of `size` chunks."""
    for language in _TOKENS:
        expected = b"".join(_dumped(chunks_of(language, size)))

        def document(name: str, *contenders: Contender, language: str = language, body: bytes = expected) -> Document:
            return Document(
                name=f"{language}, {name}",
                contenders=contenders,
                make=partial(chunks_of, language, size),
                is_right=lambda events: b"".join(events) == body,
                n_bytes=len(body),
                n_items=size,
                max_batch=1,
            )

        yield document("alone", Contender(name="ours", call=_ours), Contender(name="model_dump_json", call=_dumped))
        for waits, source in ((True, "from a source that waits"), (False, "from a source that is ready")):
            yield document(f"streamed {source}", _streamed("ours", waits), _streamed("model_dump_json", waits))


def _streamed(name: str, waits: bool) -> Contender:
    """A response that is sent by ASGI, without a socket; only the sending is timed."""

    def stock(items: AsyncIterator[ChatChunk]) -> Any:
        return StreamingResponse((_text_of(chunk) async for chunk in items), media_type="text/event-stream")

    def ours(items: AsyncIterator[ChatChunk]) -> Any:
        return SSRJSONEventResponse(items, encoder=_ENCODER)

    make: Callable[[AsyncIterator[ChatChunk]], Any] = ours if name == "ours" else stock

    def loop(batch: Sequence[Any], clock: Clock) -> int:
        return sum(asyncio.run(_sent(make(_from(chunks, waits=waits)), clock))[0] for chunks in batch)

    def call(chunks: Sequence[ChatChunk]) -> list[bytes]:
        return asyncio.run(_sent(make(_from(chunks, waits=waits)), lambda: 0))[1]

    return Contender(name=name, call=call, loop=loop)


async def _from(chunks: Sequence[ChatChunk], *, waits: bool) -> AsyncIterator[ChatChunk]:
    for chunk in chunks:
        if waits:
            await asyncio.sleep(0)
        yield chunk


async def _sent(response: Any, clock: Clock) -> tuple[int, list[bytes]]:
    """What sending takes, and the chunks of the body."""
    sent: list[bytes] = []

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))

    scope = scope_of("GET", "/")
    start = clock()
    await response(scope, receive, send)
    return clock() - start, sent
