"""Chunks of events without a framework: comments while a source is silent, what one chunk holds, how a source ends."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import ContextVar
from typing import Any

import pytest
from helpers.streams import Watched, wait_until

from ssrjson_web import dumps_to_bytes
from ssrjson_web._shared.event_chunks import AsyncEventChunks, ThreadEventChunks
from ssrjson_web._shared.events import KEEP_ALIVE_CHUNK, NOTHING, SSRJSONEvent, check_keep_alive, event_encoding
from ssrjson_web._shared.streaming import LINES, Batch, chunks_of

WAYS = ["thread", "sync", "async"]
"""In a thread of its own, and under asyncio from a sync and an async source."""
encode = event_encoding(dumps_to_bytes)


async def run_in_thread(function: Callable[[], Any]) -> Any:
    return await asyncio.get_running_loop().run_in_executor(None, function)


def kind_of(way: str) -> str:
    return "async" if way == "async" else "sync"


def event_chunks(way: str, items: Any, *, chunk_size: int = 65536, keep_alive: float | None = 15.0) -> Any:
    batch = Batch(LINES, chunk_size, 0)
    source: Any = chunks_of(items, encode, batch)
    if way == "thread":
        return ThreadEventChunks(source, batch, keep_alive=15.0 if keep_alive is None else keep_alive)
    return AsyncEventChunks(source, batch, keep_alive=keep_alive, run=run_in_thread)


def read(way: str, items: Any, *, stop_after: int | None = None, send_seconds: float = 0.0, **options: Any) -> Any:
    """The chunks, as of a server that needs a time to send each and closes in the end, and the error in their place."""
    got: list[Any] = []

    async def read_async(chunks: Any) -> None:
        try:
            async for chunk in chunks:
                got.append(chunk)
                await asyncio.sleep(send_seconds)
                if len(got) == stop_after:
                    break
        except RuntimeError as error:
            got.append(error)
        finally:
            await chunks.aclose()

    async def run() -> None:
        await read_async(event_chunks(way, items, **options))

    def read_sync(chunks: Any) -> None:
        try:
            for chunk in chunks:
                got.append(chunk)
                time.sleep(send_seconds)
                if len(got) == stop_after:
                    break
        except RuntimeError as error:
            got.append(error)
        finally:
            chunks.close()

    if way == "thread":
        read_sync(event_chunks(way, items, **options))
    else:
        asyncio.run(asyncio.wait_for(run(), 30))
    return got


def text_of(values: list[Any]) -> bytes:
    return b"".join(encode(value) for value in values)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [0, 1, 2, 1000])
@pytest.mark.parametrize("chunk_size", [1, 100, 65536])
def test_each_event_is_sent_once_in_order_without_a_comment(way: str, n: int, chunk_size: int) -> None:
    source = Watched(n)
    got = read(way, source.of(kind_of(way)), chunk_size=chunk_size)
    assert b"".join(got) == text_of(source.values)
    wait_until(lambda: source.closed == 1, "the source was not closed")
    assert all(len(chunk) < chunk_size + 100 for chunk in got)


@pytest.mark.parametrize("way", WAYS)
def test_comment_is_sent_for_each_silent_interval(way: str) -> None:
    source = Watched(2, pause_seconds=0.5)
    got = read(way, source.of(kind_of(way)), keep_alive=0.1)
    assert [chunk for chunk in got if chunk != KEEP_ALIVE_CHUNK] == [encode(value) for value in source.values]
    assert 4 <= got.count(KEEP_ALIVE_CHUNK) <= 10
    assert got[-1] != KEEP_ALIVE_CHUNK


@pytest.mark.parametrize("way", ["sync", "async"])
def test_without_keep_alive_no_comment_is_sent(way: str) -> None:
    source = Watched(3, pause_seconds=0.05)
    assert read(way, source.of(kind_of(way)), keep_alive=None) == [encode(value) for value in source.values]


@pytest.mark.parametrize("way", WAYS)
def test_events_that_come_while_a_chunk_is_sent_are_one_chunk(way: str) -> None:
    source = Watched(100, pause_seconds=0.002)
    got = read(way, source.of(kind_of(way)), send_seconds=0.05)
    assert b"".join(got) == text_of(source.values)
    assert len(got) < 30


@pytest.mark.parametrize("way", WAYS)
def test_source_is_at_most_a_chunk_ahead_of_a_client_that_does_not_read(way: str) -> None:
    source = Watched(10**9, n_chars=500)  # an event takes a thousand bytes
    got = read(way, source.of(kind_of(way)), chunk_size=10_000, stop_after=3, send_seconds=0.1)
    n_sent = sum(chunk.count(b"data: ") for chunk in got)
    assert source.pulled - n_sent <= 12
    wait_until(lambda: source.closed == 1, "the source was not closed")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("error_at", [0, 1, 50])
def test_error_comes_after_the_events_before_it(way: str, error_at: int) -> None:
    source = Watched(100, error_at=error_at)
    *chunks, error = read(way, source.of(kind_of(way)))
    assert b"".join(chunks) == text_of(source.values[:error_at])
    assert error is source.error
    assert source.closed == 1


@pytest.mark.parametrize("way", WAYS)
def test_source_that_waits_is_closed_when_the_client_leaves(way: str) -> None:
    source = Watched(10**9, pause_seconds=0.05)
    read(way, source.of(kind_of(way)), stop_after=2)
    wait_until(lambda: source.closed == 1, "the source was not closed")
    pulled = source.pulled
    time.sleep(0.2)
    assert source.pulled == pulled <= 4


@pytest.mark.parametrize("way", WAYS)
def test_source_that_was_never_iterated_is_closed(way: str) -> None:
    closed: list[str] = []

    class Source:
        def close(self) -> None:
            closed.append("sync")

        async def aclose(self) -> None:
            closed.append("async")

    class Sync(Source):
        def __iter__(self) -> Iterator[int]:
            raise AssertionError

    class Async(Source):
        def __aiter__(self) -> AsyncIterator[int]:
            raise AssertionError

    async def close() -> None:
        chunks = event_chunks(way, Async() if way == "async" else Sync())
        await chunks.aclose()
        await chunks.aclose()
        assert [chunk async for chunk in chunks] == []

    if way == "thread":
        chunks = event_chunks(way, Sync())
        chunks.close()
        chunks.close()
        assert list(chunks) == []
    else:
        asyncio.run(close())
    assert closed == [kind_of(way)]


@pytest.mark.parametrize("way", ["sync", "async"])
def test_error_in_closing_is_raised(way: str) -> None:
    class Source:
        def __iter__(self) -> Iterator[int]:
            return iter([1])

        def close(self) -> None:
            raise RuntimeError("could not be closed")

        async def aclose(self) -> None:
            self.close()

        async def __aiter__(self) -> AsyncIterator[int]:
            yield 1

    async def close() -> None:
        with pytest.raises(RuntimeError, match="could not be closed"):
            await event_chunks(way, Source()).aclose()

    asyncio.run(close())


def test_error_in_closing_a_source_whose_client_left_goes_to_the_hook_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: seen.append(args.exc_value))

    def items() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            raise RuntimeError("could not be closed")

    read("thread", items(), stop_after=1)
    wait_until(lambda: seen, "nobody was told of the error")
    assert str(seen[0]) == "could not be closed"


def test_async_source_runs_in_one_task_with_the_context_of_the_first_pull() -> None:
    variable: ContextVar[str] = ContextVar("variable")
    tasks: set[Any] = set()

    async def items() -> AsyncIterator[str]:
        token = variable.set(variable.get() + "!")
        try:
            for _ in range(3):
                tasks.add(asyncio.current_task())
                yield variable.get()
                await asyncio.sleep(0.01)
        finally:
            tasks.add(asyncio.current_task())
            variable.reset(token)

    variable.set("here")
    assert read("async", items(), stop_after=2) == [b'data: "here!"\n\n'] * 2
    assert len(tasks) == 1


def test_async_source_that_never_waits_lets_others_run() -> None:
    async def endless() -> AsyncIterator[int]:
        while True:
            yield 1

    async def run() -> None:
        chunks = event_chunks("async", endless(), chunk_size=10**9)
        pulling = asyncio.ensure_future(anext(chunks))
        for _ in range(10):
            await asyncio.sleep(0)
        pulling.cancel()
        await chunks.aclose()

    asyncio.run(asyncio.wait_for(run(), 20))


@pytest.mark.parametrize("keep_alive", [0, -1, float("nan")])
def test_keep_alive_that_is_no_interval_is_a_value_error(keep_alive: float) -> None:
    with pytest.raises(ValueError, match=f"keep_alive must be more than 0, or None, not {keep_alive}"):
        check_keep_alive(keep_alive)


def test_event_without_data_stays_one_when_it_is_copied() -> None:
    event = SSRJSONEvent(id="1")
    for same in (copy.deepcopy(event), pickle.loads(pickle.dumps(event))):
        assert same == event
        assert same.data is NOTHING
        assert encode(same) == b"id: 1\n\n"
