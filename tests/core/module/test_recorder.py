"""Recorder: the cost of each call is counted once, in the context whose current recorder it is."""

from __future__ import annotations

import array
import asyncio
import contextvars
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from helpers.threads import in_threads

from ssrjson_web import _core

pytestmark = [pytest.mark.usefixtures("isa"), pytest.mark.usefixtures("utf8_cache_switch")]

VALUE: Any = {"é": [1, 2.5, None, "中😀"], "b": {"c": ()}}
TEXT = _core.dumps(VALUE)
BYTES = TEXT.encode()

FIGURES = ("encodes", "encoded_bytes", "decodes", "decoded_bytes")


@contextmanager
def recorded() -> Iterator[_core.Recorder]:
    recorder = _core.Recorder()
    token = _core.current_recorder.set(recorder)
    try:
        yield recorder
    finally:
        _core.current_recorder.reset(token)


def figures(recorder: _core.Recorder) -> tuple[int, ...]:
    return tuple(getattr(recorder, name) for name in FIGURES)


def fed_and_closed(*chunks: Any) -> Any:
    decoder = _core.Decoder()
    for chunk in chunks:
        decoder.feed(chunk)
    return decoder.close()


CALLS: list[tuple[str, Callable[[], Any], tuple[int, int, int, int]]] = [
    ("dumps", lambda: _core.dumps(VALUE), (1, len(TEXT), 0, 0)),
    ("_stdlib_dumps", lambda: _core._stdlib_dumps([1, 2]), (1, 6, 0, 0)),
    ("_stdlib_dumps_in_python", lambda: _core._stdlib_dumps_in_python([1, 2]), (1, 6, 0, 0)),
    ("dumps_to_bytes", lambda: _core.dumps_to_bytes(VALUE), (1, len(BYTES), 0, 0)),
    ("encode", lambda: _core.Encoder().encode(VALUE), (1, len(BYTES), 0, 0)),
    ("encode_str", lambda: _core.Encoder().encode_str(VALUE), (1, len(TEXT), 0, 0)),
    ("encode_into", lambda: _core.Encoder().encode_into(VALUE, bytearray()), (1, len(BYTES), 0, 0)),
    ("encode_lines", lambda: _core.Encoder().encode_lines([VALUE] * 3), (3, 3 * (len(BYTES) + 1), 0, 0)),
    ("iterencode", lambda: list(_core.Encoder().iterencode([VALUE] * 50, 30)), (1, 50 * len(BYTES) + 51, 0, 0)),
    ("loads bytes", lambda: _core.loads(BYTES), (0, 0, 1, len(BYTES))),
    ("loads str", lambda: _core.loads(TEXT), (0, 0, 1, len(TEXT))),
    ("loads bytearray", lambda: _core.loads(bytearray(BYTES)), (0, 0, 1, len(BYTES))),
    ("loads memoryview", lambda: _core.loads(memoryview(BYTES)), (0, 0, 1, len(BYTES))),
    ("loads array", lambda: _core.loads(array.array("B", BYTES)), (0, 0, 1, len(BYTES))),
    ("loads options", lambda: _core.loads(BYTES, parse_int=str), (0, 0, 1, len(BYTES))),
    ("decode", lambda: _core.Decoder().decode(BYTES), (0, 0, 1, len(BYTES))),
    ("decode_lines", lambda: _core.Decoder().decode_lines(b"1\n2\n"), (0, 0, 1, 4)),
    ("raw_decode", lambda: _core.Decoder().raw_decode("x[1, 2] y", 1), (0, 0, 1, 6)),
    ("feed and close", lambda: fed_and_closed(BYTES[:5], BYTES[5:]), (0, 0, 1, len(BYTES))),
    ("feed and close str", lambda: fed_and_closed(TEXT[:5], TEXT[5:]), (0, 0, 1, len(TEXT))),
]


@pytest.mark.parametrize(("call", "expected"), [pytest.param(*rest, id=name) for name, *rest in CALLS])
def test_call_adds_its_time_count_and_bytes(call: Callable[[], Any], expected: tuple[int, ...]) -> None:
    result = call()
    with recorded() as recorder:
        assert repr(call()) == repr(result)
    assert figures(recorder) == expected
    assert (recorder.encode_ns > 0, recorder.decode_ns > 0) == (expected[0] > 0, expected[2] > 0)
    assert recorder.json_ns == recorder.encode_ns + recorder.decode_ns
    assert recorder.observed == {}


def raises(call: Callable[[], Any]) -> str:
    with pytest.raises(Exception) as raised:  # noqa: PT011 - which one is the caller's matter
        call()
    return f"{type(raised.value).__name__}: {raised.value}"


FAILING: list[tuple[Callable[[], Any], tuple[int, int]]] = [
    (lambda: _core.dumps([object()]), (1, 0)),
    (lambda: _core.dumps_to_bytes([float("nan")], allow_nan=False), (1, 0)),
    (lambda: _core.Encoder().encode_lines([1, object()]), (2, 0)),
    (lambda: list(_core.Encoder().iterencode(["x" * 100, object()], 10)), (1, 0)),
    (lambda: _core.loads(b'{"a": '), (0, 1)),
    (lambda: _core.loads(b"\xff"), (0, 1)),
    (lambda: _core.loads(5), (0, 1)),  # type: ignore[arg-type]
    (lambda: _core.loads("[1]", max_size=2), (0, 1)),
    (lambda: _core.Decoder().raw_decode("[1", 0), (0, 1)),
    (lambda: fed_and_closed(b"[1"), (0, 1)),
]


@pytest.mark.parametrize(("call", "expected"), FAILING)
def test_failed_call_raises_the_same_and_counts(call: Callable[[], Any], expected: tuple[int, int]) -> None:
    error = raises(call)
    with recorded() as recorder:
        assert raises(call) == error
    assert (recorder.encodes, recorder.decodes) == expected
    assert recorder.json_ns > 0


def test_call_outside_of_the_context_is_not_counted() -> None:
    recorder = _core.Recorder()
    _core.dumps(VALUE)
    _core.current_recorder.set(None)
    _core.dumps(VALUE)
    contextvars.copy_context().run(_core.current_recorder.set, recorder)
    _core.dumps(VALUE)
    assert figures(recorder) == (0, 0, 0, 0)


def test_current_recorder_of_another_kind_is_ignored() -> None:
    token = _core.current_recorder.set("recorder")  # type: ignore[arg-type]
    alive = _core.Recorder()
    assert _core.loads(_core.dumps(VALUE))
    _core.current_recorder.reset(token)
    assert figures(alive) == (0, 0, 0, 0)


def test_call_of_a_hook_is_a_part_of_the_outer_call() -> None:
    def hook(thing: Any) -> Any:
        return _core.Fragment(_core.dumps_to_bytes(_core.loads(BYTES)))

    with recorded() as recorder:
        text = _core.dumps_to_bytes([object()], default=hook)
    assert text == b"[" + BYTES + b"]"
    assert figures(recorder) == (1, len(text), 0, 0)
    assert recorder.decode_ns == 0
    with recorded() as recorder:
        _core.loads("[{}]", object_hook=lambda _: _core.dumps(VALUE))
        _core.dumps(1)
    assert figures(recorder) == (1, 1, 1, 4)


def test_failing_hook_leaves_the_recorder_ready_for_the_next_call() -> None:
    with recorded() as recorder:
        for _ in range(2):
            assert raises(lambda: _core.dumps(object(), default=lambda _: 1 // 0)).startswith("ZeroDivisionError")
    assert recorder.encodes == 2


def test_recorder_that_a_hook_sets_counts_the_hooks_calls_only() -> None:
    inner = _core.Recorder()

    def hook(thing: Any) -> Any:
        token = _core.current_recorder.set(inner)
        _core.dumps(VALUE)
        _core.current_recorder.reset(token)
        return 1

    with recorded() as recorder:
        _core.dumps(object(), default=hook)
    assert figures(recorder) == (1, 1, 0, 0)
    assert figures(inner) == (1, len(TEXT), 0, 0)


def test_tasks_that_interleave_do_not_mix_their_figures() -> None:
    async def request(n: int, size: int) -> _core.Recorder:
        with recorded() as recorder:
            for _ in range(n):
                _core.dumps("x" * size)
                await asyncio.sleep(0)
                await asyncio.to_thread(_core.loads, b"[" + b" " * size + b"]")
        return recorder

    async def both() -> list[_core.Recorder]:
        return await asyncio.gather(request(5, 10), request(7, 100))

    first, second = asyncio.run(both())
    assert figures(first) == (5, 5 * 12, 5, 5 * 12)
    assert figures(second) == (7, 7 * 102, 7, 7 * 102)


def test_threads_add_to_one_recorder_without_losing_any() -> None:
    recorder = _core.Recorder()

    def work() -> None:
        _core.current_recorder.set(recorder)
        for _ in range(2000):
            _core.dumps(VALUE)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        in_threads(work, 4)
    finally:
        sys.setswitchinterval(interval)
    assert figures(recorder) == (8000, 8000 * len(TEXT), 0, 0)


def test_thread_counts_while_a_hook_of_another_thread_runs() -> None:
    with recorded() as recorder:
        context = contextvars.copy_context()

        def hook(_: Any) -> Any:
            thread = threading.Thread(target=context.run, args=(_core.dumps, VALUE))
            thread.start()
            thread.join()
            return 1

        _core.dumps(object(), default=hook)
    assert figures(recorder) == (2, 1 + len(TEXT), 0, 0)


def test_observed_call_is_counted_by_library_and_holds_nested_ones_off() -> None:
    with recorded() as recorder:
        assert recorder.begin()
        assert not recorder.begin()
        _core.dumps(VALUE)
        recorder.end("orjson", "encode", 500, 1, 70)
        _core.dumps([])
        assert recorder.begin()
        recorder.end("orjson", "decode", 30, 1, 7)
    assert figures(recorder) == (1, 2, 0, 0)
    (observed,) = recorder.observed.values()
    assert (observed.encode_ns, observed.decode_ns, *figures(observed)) == (500, 30, 1, 70, 1, 7)
    assert recorder.json_ns == recorder.encode_ns + 530
    total = _core.Recorder()
    for _ in range(2):
        total.add(recorder)
    assert figures(total) == (2, 4, 0, 0)
    assert total.observed["orjson"].encode_ns == 1000
    assert total.json_ns == 2 * recorder.json_ns
    total.observed.clear()
    assert list(total.observed) == ["orjson"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((1, "encode", 1, 1, 1), TypeError, "library must be a str, not int"),
        (("x", "encoded", 1, 1, 1), ValueError, "direction must be 'encode' or 'decode', not 'encoded'"),
        (("x", None, 1, 1, 1), ValueError, "direction must be 'encode' or 'decode', not None"),
        (("x", "encode", -1, 1, 1), OverflowError, None),
        (("x", "encode", 1, "1", 1), TypeError, None),
        (("x", "encode", 1, 1), TypeError, r"end\(\) takes five arguments \(4 given\)"),
    ],
)
def test_end_with_wrong_arguments_raises_and_ends(arguments: Any, error: type[Exception], message: str | None) -> None:
    recorder = _core.Recorder()
    assert recorder.begin()
    with pytest.raises(error, match=message):
        recorder.end(*arguments)
    assert recorder.begin()


def test_recorder_takes_no_arguments_and_cannot_be_changed() -> None:
    recorder = _core.Recorder()
    with pytest.raises(TypeError, match="Recorder\\(\\) takes no arguments"):
        _core.Recorder(1)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        recorder.encodes = 5  # type: ignore[misc]
    with pytest.raises(TypeError):
        type("Sub", (_core.Recorder,), {})
    with pytest.raises(TypeError, match="other must be a Recorder, not int"):
        recorder.add(1)  # type: ignore[arg-type]


def test_stream_is_recorded_by_the_context_that_draws_it() -> None:
    with recorded() as first:
        chunks = iter(_core.Encoder().iterencode(["x" * 20] * 10, 20))
        n_bytes = len(next(chunks))
    with recorded() as second:
        rest = sum(map(len, chunks))
    assert figures(first) == (1, n_bytes, 0, 0)
    assert figures(second) == (0, rest, 0, 0)
    assert second.encode_ns > 0


def n_recorders() -> int:
    gc.collect()
    return sum(type(thing) is _core.Recorder for thing in gc.get_objects())


def test_recorder_in_a_cycle_is_freed_with_its_observed_ones() -> None:
    before = n_recorders()
    with recorded() as recorder:
        _core.dumps(VALUE)
    assert recorder.begin()
    recorder.end("orjson", "encode", 1, 1, 1)
    holder: list[Any] = [recorder]
    holder.append(holder)
    assert n_recorders() == before + 2
    del recorder, holder
    assert n_recorders() == before
