"""Chunks of streamed items, without a framework: how large they are, when they are complete, how they end."""

from __future__ import annotations

import asyncio
import json
import math
from collections import UserDict
from collections.abc import AsyncIterator, Callable, Iterator
from types import MappingProxyType
from typing import Any

import pytest
from helpers.call_outcome import lasting_repr

from ssrjson_web import Encoder, Fragment, dumps_to_bytes
from ssrjson_web._shared import streaming
from ssrjson_web._shared.streaming import (
    ARRAY,
    LINES,
    AsyncChunks,
    Batch,
    Chunks,
    chunks_of,
    escape_line_ends,
    line_encoder,
    line_encoding,
)

KINDS = ["sync", "async"]


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(streaming, "monotonic", clock)
    return clock


class Source:
    """Items, sync and async, that are counted, with an error when they are closed."""

    def __init__(self, items: Any, *, close_error: Exception | None = None, before_each: Any = lambda: None) -> None:
        self._items = iter(items)
        self._close_error = close_error
        self._before_each = before_each
        self.n_closed = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        self._before_each()
        return next(self._items)

    def close(self) -> None:
        self.n_closed += 1
        if self._close_error is not None:
            raise self._close_error

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            return next(self)
        except StopIteration:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        self.close()


def chunks_by(kind: str, items: Any, batch: Batch) -> Chunks | AsyncChunks:
    return chunks_of(items, dumps_to_bytes, batch, prefers_async=kind == "async")


def read(chunks: Chunks | AsyncChunks, between: Callable[[], object] = lambda: None) -> list[bytes]:
    """All chunks, with a call after each, as of a server that sends it."""
    got: list[bytes] = []

    def take(chunk: bytes) -> None:
        got.append(chunk)
        between()

    async def read_async(chunks: AsyncChunks) -> None:
        async for chunk in chunks:
            take(chunk)

    if isinstance(chunks, AsyncChunks):
        asyncio.run(read_async(chunks))
    else:
        for chunk in chunks:
            take(chunk)
    return got


@pytest.mark.parametrize("kind", KINDS)
def test_source_that_is_sync_and_async_is_read_as_preferred(kind: str) -> None:
    assert type(chunks_by(kind, Source([]), Batch(ARRAY, 10, 1))) is (Chunks if kind == "sync" else AsyncChunks)


@pytest.mark.parametrize(
    "items",
    ["text", b"", bytearray(), memoryview(b""), {}, MappingProxyType({}), UserDict(), 5, None],
    ids=lasting_repr,
)
@pytest.mark.parametrize("kind", KINDS)
def test_one_value_or_none_is_a_type_error_that_names_its_class(kind: str, items: Any) -> None:
    with pytest.raises(TypeError, match=f"an iterable of items, sync or async, not of {type(items).__name__}$"):
        chunks_by(kind, items, Batch(ARRAY, 10, 1))


@pytest.mark.parametrize("interval", [-1, -0.001, math.nan])
def test_interval_that_is_negative_or_nan_is_a_value_error(interval: float) -> None:
    with pytest.raises(ValueError, match=f"flush_interval must be 0 or more, not {interval}$"):
        Batch(ARRAY, 1, interval)


@pytest.mark.parametrize("newline", [b"\n", b"\r", b"\r\n"])
def test_lines_of_an_encoder_that_breaks_them_are_a_value_error(newline: bytes) -> None:
    with pytest.raises(ValueError, match="each item on one line: indent, separators and append_newline"):
        line_encoding(lambda item: dumps_to_bytes(item) + newline)
    assert line_encoding(dumps_to_bytes)(1) == b"1\n"


@pytest.mark.parametrize("kind", KINDS)
def test_empty_lines_are_no_chunk(kind: str) -> None:
    assert read(chunks_by(kind, Source([]), Batch(LINES, 10, 1))) == []
    assert read(chunks_by(kind, Source([]), Batch(ARRAY, 10, 1))) == [b"[]"]


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_of_no_bytes_do_not_end_the_stream(kind: str) -> None:
    chunks = chunks_of(Source([b"", b"", b"a"]), lambda item: item, Batch(LINES, 10, 0), prefers_async=kind == "async")
    assert read(chunks) == [b"a"]


@pytest.mark.parametrize("kind", KINDS)
def test_time_that_a_chunk_takes_to_send_leaves_the_next_one_its_size(kind: str, clock: Clock) -> None:
    def send_slowly() -> None:
        clock.now += 60

    chunks = read(chunks_by(kind, Source([1] * 12), Batch(LINES, 4, 0.05)), send_slowly)
    assert chunks == [b"1111"] * 3


@pytest.mark.parametrize("kind", KINDS)
def test_items_that_come_slower_than_the_interval_are_a_chunk_each(kind: str, clock: Clock) -> None:
    def wait() -> None:
        clock.now += 0.06

    assert read(chunks_by(kind, Source([1, 2], before_each=wait), Batch(ARRAY, 100, 0.05))) == [b"[1", b",2", b"]"]


@pytest.mark.parametrize("kind", KINDS)
def test_source_that_fails_to_close_after_its_last_item_raises_after_the_items(kind: str) -> None:
    source = Source([1, 2], close_error=RuntimeError("not closed"))
    chunks = chunks_by(kind, source, Batch(ARRAY, 100, 60))
    got: list[bytes] = []

    async def read_async(chunks: AsyncChunks) -> None:
        got.append(await anext(chunks))
        await anext(chunks)

    def read_both() -> None:
        if isinstance(chunks, AsyncChunks):
            asyncio.run(read_async(chunks))
        else:
            got.append(next(chunks))
            next(chunks)

    with pytest.raises(RuntimeError, match="not closed"):
        read_both()
    assert got == [b"[1,2"]
    assert read(chunks) == []
    assert source.n_closed == 1


@pytest.mark.parametrize("kind", KINDS)
def test_error_of_the_items_is_raised_rather_than_that_of_closing_them(kind: str) -> None:
    source = Source([1, {2}], close_error=RuntimeError("not closed"))
    with pytest.raises(TypeError, match="set is not JSON serializable"):
        read(chunks_by(kind, source, Batch(ARRAY, 100, 60)))
    assert source.n_closed == 1


def test_chunks_that_are_closed_after_an_error_end() -> None:
    source = Source([1, {2}])
    chunks = Chunks(source, dumps_to_bytes, Batch(ARRAY, 100, 60))
    assert next(chunks) == b"[1"
    chunks.close()
    assert list(chunks) == []
    assert source.n_closed == 1


def test_async_source_that_is_always_ready_lets_others_run_within_a_chunk(clock: Clock) -> None:
    def work() -> None:
        clock.now += 0.004

    async def run() -> int:
        reading = asyncio.ensure_future(anext(chunks))
        n_turns = 0
        while not reading.done():
            n_turns += 1
            await asyncio.sleep(0)
        assert reading.result() == b"[" + b",".join([b"1"] * 100) + b"]"
        return n_turns

    chunks = AsyncChunks(Source([1] * 100, before_each=work), dumps_to_bytes, Batch(ARRAY, 10**6, 60))
    assert asyncio.run(run()) >= 30


def test_lines_are_whole_for_clients_that_use_splitlines() -> None:
    items = ["a\x85b", {"c\u2028": "\u2029"}, "é中😀\x0b\x1c\r", "ascii"]
    lines = [line_encoding(dumps_to_bytes)(item) for item in items]
    assert lines == [dumps_to_bytes(item, line_safe=True) + b"\n" for item in items]
    assert [json.loads(line) for line in b"".join(lines).decode().splitlines()] == items


def test_lines_with_a_fragment_are_whole_for_each_reader() -> None:
    ends = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
    value = [Fragment(f'{{"é{ends}":{ends[:7]}[1]}}'), {"a": Fragment(f"{ends}2".encode())}, Fragment(f'"{ends}')]
    encoders = [Encoder(), Encoder(ensure_ascii=True), Encoder(natives=True, separators=(", ", ": "))]
    for encode in [
        line_encoding(dumps_to_bytes),
        *map(line_encoder, encoders),
        *map(line_encoding, [e.encode for e in encoders]),
    ]:
        line = encode(value)
        assert line.endswith(b"\n")
        assert line.decode().splitlines() == [line.decode()[:-1]]
    assert json.loads(line_encoding(dumps_to_bytes)(value[0])) == {f"é{ends}": [1]}


def test_lines_of_separators_with_any_end_of_line_are_a_value_error() -> None:
    for end in "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029":
        for separators in ((f",{end}", ":"), (",", f":{end}")):
            with pytest.raises(ValueError, match="each item on one line"):
                line_encoder(Encoder(separators=separators))


def test_escape_line_ends_keeps_all_other_text() -> None:
    text = "".join(map(chr, range(0x20, 0x3100))).encode("utf-8", "ignore")
    escapes = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
    assert escape_line_ends(text).decode() == text.decode().translate(escapes)
