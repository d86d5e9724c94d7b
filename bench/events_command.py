"""Events of OpenAI-style chunks: what one chunk of a model's answer costs, alone and in a streamed response.

    python -m bench events
    python -m bench events --rounds 31

A chunk is a pydantic model with the text of one token. The rival is what servers do: `model_dump_json`, in a line of
text. Each call gets a chunk of its own, made while the clock is stopped; the bytes of both are compared first. Both
take turns in each round; the lines have the medians of the thread's CPU time.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from bench.command_output import say
from ssrjson_web import Encoder

TOKENS: Mapping[str, Sequence[str]] = {
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
    tokens = TOKENS[language]
    return [
        ChatChunk(
            id="".join(["chatcmpl-", "B9MBs8CjcvOU2jLn4n570S5qMJKcT"]),
            created=1_741_569_952 + i,
            model="".join(["example-", "4"]),
            choices=[Choice(index=0, delta=Delta(content="".join([tokens[i % len(tokens)], " " * (i % 2)])))],
        )
        for i in range(n)
    ]


def dumped(chunk: ChatChunk) -> bytes:
    """The event as servers make it."""
    return ("data: " + chunk.model_dump_json() + "\n\n").encode()


ENCODER = Encoder(models=True, escape_surrogates=True)


def ours(chunk: ChatChunk) -> bytes:
    """The event of our encoder, without what a response does for it."""
    return b"data: " + ENCODER.encode(chunk) + b"\n\n"


def time_alone(make: Callable[[Any], bytes], chunks: Sequence[ChatChunk]) -> float:
    """Nanoseconds of an event."""
    start = time.thread_time_ns()
    for chunk in chunks:
        make(chunk)
    return (time.thread_time_ns() - start) / len(chunks)


async def _text_of(items: Any) -> AsyncIterator[str]:
    async for chunk in items:
        yield "data: " + chunk.model_dump_json() + "\n\n"


async def _from(chunks: Sequence[ChatChunk], *, waits: bool) -> AsyncIterator[ChatChunk]:
    for chunk in chunks:
        if waits:
            await asyncio.sleep(0)
        yield chunk


def stock_response(items: AsyncIterator[ChatChunk]) -> Any:
    from starlette.responses import StreamingResponse

    return StreamingResponse(_text_of(items), media_type="text/event-stream")


def our_response(items: AsyncIterator[ChatChunk]) -> Any:
    from ssrjson_web.starlette import SSRJSONEventResponse

    return SSRJSONEventResponse(items, encoder=ENCODER)


async def _sent(response: Any) -> tuple[float, list[bytes]]:
    """Nanoseconds in which the response is sent by ASGI, without a socket, and its chunks."""
    sent: list[bytes] = []

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))

    scope = {"type": "http", "method": "GET", "asgi": {"version": "3.0", "spec_version": "2.3"}}
    start = time.thread_time_ns()
    await response(scope, receive, send)
    return time.thread_time_ns() - start, sent


def time_streamed(make: Callable[[Any], Any], chunks: Sequence[ChatChunk], *, waits: bool) -> tuple[float, bytes]:
    """Nanoseconds of an event in a streamed response, and the body."""
    elapsed, sent = asyncio.run(_sent(make(_from(chunks, waits=waits))))
    return elapsed / len(chunks), b"".join(sent)


def race(measures: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """The time of each rival in each round; the first in a round changes."""
    times: dict[str, list[float]] = {name: [] for name in measures}
    names = list(measures)
    for number in range(rounds + 1):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            gc.collect()
            elapsed = measures[name]()
            if number:  # the first round warms up: plans of classes are made
                times[name].append(elapsed)
    return times


def line_of(times: Mapping[str, Sequence[float]]) -> str:
    """The medians of rivals and their ratio, with the ratio of the fastest rounds."""
    (stock_name, stock), (own_name, own) = times.items()
    medians = statistics.median(stock), statistics.median(own)
    return (
        f"{stock_name} {medians[0] / 1000:.2f} us, {own_name} {medians[1] / 1000:.2f} us, "
        f"x{medians[0] / medians[1]:.2f} (fastest rounds x{min(stock) / min(own):.2f})"
    )


def check(language: str) -> None:
    """Raises AssertionError where our bytes are not the rival's."""
    chunks = chunks_of(language, 200)
    expected = [dumped(chunk) for chunk in chunks]
    assert [ours(chunk) for chunk in chunks] == expected
    for waits in (False, True):
        for make in (stock_response, our_response):
            assert time_streamed(make, chunks, waits=waits)[1] == b"".join(expected)


def _start(options: argparse.Namespace) -> int:
    n = options.chunks
    gc.disable()
    try:
        for language in TOKENS:
            check(language)
            alone = {
                "model_dump_json": lambda language=language: time_alone(dumped, chunks_of(language, n)),
                "ssrjson_web": lambda language=language: time_alone(ours, chunks_of(language, n)),
            }
            say(f"{language}, an event: {line_of(race(alone, options.rounds))}")
            for waits, source in ((True, "that waits for each chunk"), (False, "that is always ready")):
                streamed = {
                    name: lambda make=make, language=language, waits=waits: time_streamed(
                        make, chunks_of(language, n), waits=waits
                    )[0]
                    for name, make in (("StreamingResponse", stock_response), ("SSRJSONEventResponse", our_response))
                }
                say(f"{language}, streamed from a source {source}: {line_of(race(streamed, options.rounds))}")
    finally:
        gc.enable()
    return 0


def add_command(commands: Any) -> None:
    """Adds `events` to an `argparse` subparsers object."""
    made = commands.add_parser("events", help="a chunk of a model's answer as a server-sent event")
    made.add_argument("--rounds", type=int, default=21, metavar="N", help="default 21")
    made.add_argument("--chunks", type=int, default=500, metavar="N", help="of an answer; default 500")
    made.set_defaults(start=_start)
