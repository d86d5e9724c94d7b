"""encode_async: the bytes and errors of dumps_to_bytes, made while other tasks run and may change the object."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import threading
import weakref
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from helpers import json_documents
from helpers.builds import IS_FREE_THREADED
from helpers.call_outcome import assert_same, outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import Encoder, JSONEncodeRuntimeError, Recorder, _core, dumps_to_bytes, encode_async
from ssrjson_web._shared import slices

pytestmark = pytest.mark.usefixtures("isa")

ALWAYS = 1e-9
"""Milliseconds: each chunk ends a slice."""
ROWS = [{"id": i, "名": f"n{i}", "tags": ["a", None, 1.5], "in": {"x": [i] * 3}} for i in range(3_000)]


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(coroutine)


async def _with_turns(work: Coroutine[Any, Any, Any], at_turn: Callable[[int], None]) -> Any:
    """The result of some work, beside a task that calls a function in each turn of the loop."""

    async def others() -> None:
        turn = 0
        while True:
            at_turn(turn)
            turn += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(others())
    await asyncio.sleep(0)
    try:
        return await work
    finally:
        task.cancel()


@given(json_documents.values, json_documents.options)
def test_encode_async_of_any_document_equals_dumps_to_bytes(value: Any, options: dict[str, Any]) -> None:
    got = outcome(lambda: run(encode_async(value, slice_ms=ALWAYS, **options)))
    assert_same(got, outcome(_core.dumps_to_bytes, value, **options), (value, options))


@pytest.mark.parametrize("options", [{}, {"indent": 2}, {"sort_keys": True}, {"append_newline": True}], ids=str)
def test_encode_async_of_a_large_object_equals_dumps_to_bytes_while_tasks_run(options: Any) -> None:
    turns: list[int] = []
    got = run(_with_turns(encode_async(ROWS, slice_ms=ALWAYS, **options), turns.append))
    assert got == dumps_to_bytes(ROWS, **options)
    assert len(turns) > len(got) // (2 * slices.CHUNK_SIZE)


def test_encode_async_with_an_encoder_uses_its_options() -> None:
    assert run(encode_async({1, 2}, encoder=Encoder(default=sorted))) == b"[1,2]"


def test_encode_async_of_a_small_object_is_done_without_a_pause() -> None:
    with pytest.raises(StopIteration) as done:
        encode_async({"a": 1}).send(None)
    assert done.value.value == b'{"a":1}'


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"slice_ms": 0}, ValueError, "slice_ms must be more than 0, not 0"),
        ({"slice_ms": float("nan")}, ValueError, "slice_ms must be more than 0, not nan"),
        ({"slice_ms": True}, TypeError, "slice_ms must be a number of milliseconds, not True"),
        ({"slice_ms": "2"}, TypeError, "slice_ms must be a number of milliseconds, not '2'"),
        ({"encoder": Encoder(), "indent": 2}, TypeError, "encode_async() takes an encoder or options, not both"),
    ],
    ids=str,
)
def test_encode_async_with_wrong_arguments_raises(arguments: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        run(encode_async([], **arguments))
    assert str(raised.value) == text


def test_encode_async_of_what_json_refuses_raises_what_dumps_does() -> None:
    value = [ROWS, {"a": {1}}]
    got = outcome(lambda: run(encode_async(value, slice_ms=ALWAYS)))
    assert_same(got, outcome(dumps_to_bytes, value), "a set")
    assert got[0] == "TypeError"


@pytest.mark.parametrize("n", [0, 2_000, 100_000])
def test_stop_iteration_of_a_hook_does_not_cut_the_text(n: int) -> None:
    async def encoded() -> bytes:
        return await encode_async(["é" * 9] * n + [object()], default=lambda value: next(iter(())))

    with pytest.raises(RuntimeError, match="generator raised StopIteration"):
        asyncio.run(encoded())


def test_encode_async_under_trio_lets_its_tasks_run() -> None:
    trio = pytest.importorskip("trio", reason="trio is not installed")

    async def main() -> tuple[bytes, int]:
        n_turns = 0

        async def others() -> None:
            nonlocal n_turns
            while True:
                n_turns += 1
                await trio.lowlevel.checkpoint()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(others)
            text = await encode_async(ROWS, slice_ms=ALWAYS)
            nursery.cancel_scope.cancel()
        return text, n_turns

    text, n_turns = trio.run(main)
    assert text == dumps_to_bytes(ROWS)
    assert n_turns > 10
    assert run(encode_async(ROWS, slice_ms=ALWAYS)) == text  # trio is loaded, but this is asyncio


# ---- changes meanwhile -------------------------------------------------------------------------


def test_dict_that_grows_while_it_is_written_raises_runtime_error() -> None:
    value = {str(i): "x" * 100 for i in range(2_000)}
    with pytest.raises(JSONEncodeRuntimeError, match="dictionary changed size during iteration"):
        run(_with_turns(encode_async(value, slice_ms=ALWAYS), lambda turn: value.update({f"new {turn}": ""})))


def test_list_that_shrinks_while_it_is_written_ends_early() -> None:
    value = [[i, "x" * 100] for i in range(2_000)]
    expected = list(value)

    def shrink(turn: int) -> None:
        if turn == 3:
            del value[1_000:]

    text = run(_with_turns(encode_async(value, slice_ms=ALWAYS), shrink))
    assert json.loads(text) == expected[:1_000]


def test_list_that_grows_while_it_is_written_has_the_new_items() -> None:
    value: list[Any] = ["x" * 100 for _ in range(2_000)]

    def grow(turn: int) -> None:
        if turn == 3:
            value.append("new")

    text = run(_with_turns(encode_async(value, slice_ms=ALWAYS), grow))
    assert json.loads(text)[-1] == "new"


@given(st.integers(0, 1 << 32), st.integers(1, 400))
def test_changes_of_any_kind_give_valid_json_or_the_error_of_a_loop(seed: int, chunk_size: int) -> None:
    draw = random.Random(seed)
    root: list[Any] = [{"k": [{"a": i, "b": ["x"] * 3}], str(i): {"c": {}}} for i in range(30)]

    def containers() -> list[Any]:
        found, waiting = [], [root]
        while waiting:
            found.append(waiting.pop())
            waiting += [
                part
                for part in (found[-1].values() if isinstance(found[-1], dict) else found[-1])
                if isinstance(part, (dict, list))
            ]
        return found

    def change() -> None:
        target = draw.choice(containers())
        kind = draw.randrange(4)
        if isinstance(target, list):
            if kind == 0:
                target.clear()
            elif kind == 1 and target:
                del target[draw.randrange(len(target)) :]
            elif kind == 2:
                target.extend([{}, [None], "é" * 50])
            else:
                target.reverse()
        elif kind == 0:
            target.clear()
        elif kind == 1 and target:
            target[draw.choice(list(target))] = ["new"]
        else:
            target[str(draw.randrange(1000))] = {"中": 1}

    parts: list[bytes] = []

    def encode() -> None:
        for part in Encoder().iterencode(root, chunk_size):
            parts.append(part)
            change()
            if draw.randrange(10) == 0:
                gc.collect(0)

    got = outcome(encode)
    if got[0] == "value":
        json.loads(b"".join(parts))
    else:
        assert got == ("RuntimeError", "dictionary changed size during iteration")


def test_encoding_that_is_cancelled_releases_the_object() -> None:
    class Row(dict[str, Any]):
        pass

    async def main() -> weakref.ref[Row]:
        row = Row(a="x" * 100)
        watched = weakref.ref(row)
        task = asyncio.create_task(encode_async([[1] * 100_000, row, ROWS], slice_ms=ALWAYS))
        del row
        for _ in range(3):
            await asyncio.sleep(0)
        assert watched() is not None
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return watched

    watched = run(main())
    gc.collect()
    assert watched() is None


def test_two_encodings_of_one_object_take_turns() -> None:
    async def main() -> list[bytes]:
        return await asyncio.gather(*(encode_async(ROWS, slice_ms=ALWAYS) for _ in range(3)))

    assert set(run(main())) == {dumps_to_bytes(ROWS)}


def test_recorder_counts_one_text() -> None:
    recorder = Recorder()
    token = _core.current_recorder.set(recorder)
    try:
        run(encode_async(ROWS, slice_ms=ALWAYS))
    finally:
        _core.current_recorder.reset(token)
    assert (recorder.encodes, recorder.encoded_bytes) == (1, len(dumps_to_bytes(ROWS)))


# ---- parts that are joined and released --------------------------------------------------------


@given(st.lists(st.binary(max_size=50)), st.integers(1, 60))
def test_text_of_chunks_gives_them_in_pieces_of_any_size(chunks: list[bytes], n_bytes: int) -> None:
    part_bytes, slices._PART_BYTES = slices._PART_BYTES, 64
    try:
        text = slices.LongText()
        for chunk in chunks:
            text.add(chunk)
        expected = b"".join(chunks)
        assert text.n_bytes == len(expected)
        pieces = list(text.pieces(n_bytes))
    finally:
        slices._PART_BYTES = part_bytes
    assert b"".join(pieces) == expected
    assert all(0 < len(piece) <= n_bytes for piece in pieces)


@given(st.lists(st.binary(max_size=50)))
def test_filled_bytes_are_those_that_were_put(parts: list[bytes]) -> None:
    expected = b"".join(parts)
    filled = _core._FilledBytes(len(expected))
    for part in parts:
        filled.put(memoryview(part))
    with pytest.raises(ValueError, match="more bytes than there is room for"):
        filled.put(b"x")
    assert filled.take() == expected
    with pytest.raises(ValueError, match="taken before"):
        filled.take()
    with pytest.raises(ValueError, match="more bytes"):
        filled.put(b"")


def test_filled_bytes_that_are_not_all_set_are_not_given() -> None:
    filled = _core._FilledBytes(3)
    filled.put(b"ab")
    with pytest.raises(ValueError, match="not all bytes are set"):
        filled.take()
    filled.put(bytearray(b"c"))
    assert filled.take() == b"abc"


@pytest.mark.parametrize("arguments", [(), ("1",), (1.5,), (1, 2)], ids=str)
def test_filled_bytes_with_wrong_arguments_raise_type_error(arguments: Any) -> None:
    with pytest.raises(TypeError):
        _core._FilledBytes(*arguments)
    with pytest.raises(ValueError, match="n must be 0 or more, not -1"):
        _core._FilledBytes(-1)
    with pytest.raises(TypeError):
        _core._FilledBytes(1).put("a")  # type: ignore[arg-type]


class Noted:
    """Counts those that are alive."""

    n_alive = 0

    def __init__(self) -> None:
        Noted.n_alive += 1

    def __del__(self) -> None:
        Noted.n_alive -= 1


def noted_tree(draw: random.Random, depth: int = 4) -> Any:
    kind = draw.randrange(4) if depth else 3
    n = draw.choice((0, 1, 3, 70 if depth == 4 else 5))
    if kind == 0:
        return [noted_tree(draw, depth - 1) for _ in range(n)]
    if kind == 1:
        return {f"k{i}": noted_tree(draw, depth - 1) for i in range(n)}
    return (noted_tree(draw, depth - 1), Noted()) if kind == 2 else Noted()


def copied(value: Any) -> Any:
    """A copy of the containers."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


@given(st.integers(0, 1 << 32), st.integers(1, 20))
def test_release_leaves_what_others_have_and_releases_the_rest(seed: int, n: int) -> None:
    draw = random.Random(seed)
    gc.collect()
    n_before = Noted.n_alive
    shared = noted_tree(draw)
    n_shared = Noted.n_alive
    before = copied(shared)
    held = [[noted_tree(draw), shared, noted_tree(draw)], {"a": {"b": shared}, "c": noted_tree(draw)}]
    while not _core._release_part(held, n):
        pass
    assert held == []
    assert shared == before
    assert Noted.n_alive == n_shared
    del shared, before
    assert Noted.n_alive == n_before


def test_release_of_an_object_whose_finalizer_empties_the_list_ends() -> None:
    held: list[Any] = []

    class Hostile:
        def __del__(self) -> None:
            held.clear()

    held += [[1, 2], [[Hostile()], {"a": Hostile()}], {str(i): Hostile() for i in range(100)}]
    while not _core._release_part(held, 1):
        pass
    assert held == []


def test_release_takes_nothing_out_of_what_another_thread_may_have() -> None:
    """Without the GIL the count of an object of another thread cannot be read at one moment."""
    held: list[Any] = []
    made, done = threading.Event(), threading.Event()

    def make() -> None:
        held.append([[i] for i in range(1_000)])
        made.set()
        done.wait()

    thread = threading.Thread(target=make)
    thread.start()
    made.wait()
    assert _core._release_part(held, 50) is IS_FREE_THREADED
    done.set()
    thread.join()
    while not _core._release_part(held, 50):
        pass
    assert held == []


def test_release_of_a_deep_tree_does_not_recurse() -> None:
    value: Any = []
    for _ in range(200_000):
        value = [value, {"a": 1}]
    held = [value]
    del value
    n_calls = 0
    while not _core._release_part(held, 1_000):
        n_calls += 1
    assert n_calls > 200


@pytest.mark.parametrize("arguments", [(), ([],), ((), 1), ([], "1"), ([], 1.5)], ids=str)
def test_release_with_wrong_arguments_raises_type_error(arguments: Any) -> None:
    with pytest.raises(TypeError):
        _core._release_part(*arguments)
