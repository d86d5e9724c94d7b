"""Streams of every adapter in this process: what they send, when, how they end, and which arguments they refuse."""

from __future__ import annotations

import asyncio
import json
import math
import threading
import tracemalloc
from collections.abc import AsyncIterator
from typing import Any

import pytest
from helpers.streams import Watched
from helpers.streams_in_process import IN_A_LOOP, IN_PROCESS, InProcess


@pytest.fixture(params=IN_PROCESS)
def way(request: pytest.FixtureRequest) -> InProcess:
    return IN_PROCESS[request.param]()


@pytest.fixture(params=IN_A_LOOP)
def served(request: pytest.FixtureRequest) -> InProcess:
    return IN_PROCESS[request.param]()


def array_of(values: list[Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()


def lines_of(values: list[Any]) -> bytes:
    return b"".join(array_of(value) + b"\n" for value in values)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 100])
@pytest.mark.parametrize("chunk_size", [1, 70, 65536])
def test_stream_sends_each_item_once_in_order(way: InProcess, n: int, chunk_size: int) -> None:
    for stream, text_of, content_type in (
        (way.array, array_of, "application/json"),
        (way.lines, lines_of, "application/jsonl"),
    ):
        source = Watched(n)
        response = way.make(stream, source.of(way.kind), chunk_size=chunk_size)
        assert way.content_type(response) == content_type
        chunks: list[bytes] = []
        way.send(response, chunks)
        assert b"".join(chunks) == text_of(source.values)
        assert source.closed == 1
        if chunk_size == 1:
            assert len(chunks) >= n


def test_stream_chunks_hold_what_was_asked_and_a_little_more(way: InProcess) -> None:
    source = Watched(5000, n_chars=50)
    chunks = way.chunks(way.array, source.of(way.kind), chunk_size=10_000, flush_interval=60)
    assert all(10_000 <= len(chunk) < 11_000 for chunk in chunks[:-1])
    assert json.loads(b"".join(chunks)) == source.values


def test_stream_sends_an_item_that_comes_late_at_once(way: InProcess) -> None:
    late = [(Watched(4, pause_seconds=0.02), 0.01), (Watched(4), 0)]
    for source, interval in late[: 1 if way.sends_together else 2]:
        chunks = way.chunks(way.lines, source.of(way.kind), flush_interval=interval)
        assert [len(chunk.splitlines()) for chunk in chunks if chunk] == [1, 1, 1, 1]


@pytest.mark.parametrize("name", ["array", "lines"])
@pytest.mark.parametrize("error_at", [0, 1, 50])
def test_stream_error_is_raised_after_the_items_before_it(way: InProcess, name: str, error_at: int) -> None:
    source = Watched(100, error_at=error_at)
    response = way.make(getattr(way, name), source.of(way.kind))
    sent: list[bytes] = []
    with pytest.raises(RuntimeError, match="the source broke"):
        way.send(response, sent)
    assert source.closed == 1
    values = source.values[:error_at]
    assert b"".join(sent) == (lines_of(values) if name == "lines" else array_of(values)[:-1] if values else b"")


def test_stream_item_that_cannot_be_encoded_ends_it_and_closes_the_source(way: InProcess) -> None:
    class Odd(Watched):
        def _item(self, i: int) -> Any:
            return {1} if i == 3 else super()._item(i)

    source = Odd(100)
    with pytest.raises(TypeError, match="Object of type set is not JSON serializable"):
        way.chunks(way.array, source.of(way.kind))
    assert (source.pulled, source.closed) == (3, 1)


def test_stream_takes_a_chunk_of_memory(way: InProcess) -> None:
    class Counted(list[bytes]):
        """Keeps no chunks. `extend` of a list calls no `append`."""

        n_bytes = 0

        def append(self, chunk: bytes) -> None:
            self.n_bytes += len(chunk)

        def extend(self, chunks: Any) -> None:
            for chunk in chunks:
                self.append(chunk)

    way.send(way.make(way.array, Watched(3).of(way.kind)), Counted())  # what is made once does not count
    counted = Counted()
    response = way.make(way.array, Watched(20_000, n_chars=500).of(way.kind))  # 20 MB
    tracemalloc.start()
    try:
        way.send(response, counted)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert counted.n_bytes > 20_000_000
    assert peak < 3_000_000


class Left(Exception):
    pass


class Leaving(list[bytes]):
    """A client that leaves with the first chunk."""

    def append(self, chunk: bytes) -> None:
        raise Left

    def extend(self, chunks: Any) -> None:
        for chunk in chunks:
            self.append(chunk)


@pytest.mark.parametrize("name", ["array", "lines"])
def test_stream_that_is_left_closes_its_source(way: InProcess, name: str) -> None:
    source = Watched(10**9)
    response = way.make(getattr(way, name), source.of(way.kind), chunk_size=100)
    error: Any = None
    try:
        way.send(response, Leaving())
    except Exception as raised:
        error = raised
    # older Starlettes raise a group
    assert [type(one) for one in getattr(error, "exceptions", [error])] == [Left]
    assert source.closed == 1
    assert source.pulled < 10


@pytest.mark.parametrize("pause_seconds", [0.0, 0.01])
def test_stream_whose_task_is_cancelled_closes_its_source(served: InProcess, pause_seconds: float) -> None:
    source = Watched(10**9, pause_seconds=pause_seconds)
    response = served.make(served.array, source.of(served.kind))

    async def run() -> None:
        task = asyncio.ensure_future(served.serve(response, []))
        while source.pulled < 3:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while not source.closed:
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(run(), 30))
    assert source.closed == 1


def test_stream_of_a_source_that_waits_lets_others_run(served: InProcess) -> None:
    source = Watched(10, pause_seconds=0.02)
    response = served.make(served.array, source.of(served.kind))

    async def run() -> int:
        task = asyncio.ensure_future(served.serve(response, []))
        n_turns = 0
        while not task.done():
            n_turns += 1
            await asyncio.sleep(0.005)
        return n_turns

    assert asyncio.run(run()) >= 10
    assert (threading.get_ident() in source.threads) is (served.kind == "async")


@pytest.mark.parametrize("name", [name for name in IN_A_LOOP if "async" in name])
def test_async_stream_that_never_waits_lets_others_run_between_chunks(name: str) -> None:
    async def endless() -> AsyncIterator[int]:
        while True:
            yield 1

    served = IN_PROCESS[name]()
    response = served.make(served.array, endless(), chunk_size=1000)

    async def run() -> None:
        task = asyncio.ensure_future(served.serve(response, []))
        for _ in range(20):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(run(), 20))


@pytest.mark.parametrize("name", ["array", "lines", "events"])
def test_stream_of_what_is_no_iterable_of_items_is_a_type_error(way: InProcess, name: str) -> None:
    for items in ("text", b"bytes", bytearray(b"a"), {"a": 1}, 5, None):
        with pytest.raises(TypeError, match="a stream is made of an iterable of items"):
            way.make(getattr(way, name), items)


@pytest.mark.parametrize("name", ["array", "lines", "events"])
def test_stream_of_wrong_arguments_is_a_value_error_at_once(way: InProcess, name: str) -> None:
    wrong: dict[str, Any] = {"chunk_size": [0]}
    wrong |= {"keep_alive": [0, -1]} if name == "events" else {"flush_interval": [-1, math.nan]}
    least = {"chunk_size": "1 or more", "flush_interval": "0 or more", "keep_alive": "more than 0"}
    for argument, values in wrong.items():
        for value in values:
            with pytest.raises(ValueError, match=f"{argument} must be {least[argument]}"):
                way.make(getattr(way, name), [], **{argument: value})


def test_events_are_written_with_their_fields(way: InProcess) -> None:
    items = [{"名": "\u2028"}, way.event([1], event="x", id="7", retry=5), b"id: 9\n\n", way.event(comment="c")]
    for options in way.event_options:
        response = way.make(way.events, items, **options)
        sent: list[bytes] = []
        way.send(response, sent)
        text = b"".join(sent).decode()
        assert text == 'data: {"名":"\\u2028"}\n\nevent: x\ndata: [1]\nid: 7\nretry: 5\n\nid: 9\n\n: c\n\n'
        assert way.content_type(response).startswith("text/event-stream")
        assert (response.headers["Cache-Control"], response.headers["X-Accel-Buffering"]) == ("no-cache", "no")
