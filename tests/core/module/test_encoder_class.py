"""Encoder: options checked once, the same texts as the functions, JSON Lines and bytes into a buffer."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from helpers import json_documents
from helpers.call_outcome import assert_same, outcome
from helpers.threads import in_threads
from hypothesis import given

import ssrjson_web
from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa", "utf8_cache_switch")

VALUE: Any = {"é": [1, 2.5, None, "中😀"], "b": {"c": ()}}


@given(json_documents.values, json_documents.options)
def test_encoder_gives_what_the_functions_give(value: Any, options: dict[str, Any]) -> None:
    encoder = _core.Encoder(**options)
    assert_same(outcome(encoder.encode, value), outcome(_core.dumps_to_bytes, value, **options), (value, options))
    assert_same(outcome(encoder.encode_str, value), outcome(_core.dumps, value, **options), (value, options))


def test_encoder_takes_keywords_only_and_those_of_the_function() -> None:
    for wrong in (lambda: _core.Encoder(None), lambda: _core.Encoder(**{"ident": 1}), lambda: _core.Encoder(cls=1)):  # type: ignore[call-arg, misc]
        with pytest.raises(TypeError):
            wrong()
    for name, value in (("indent", 1.5), ("separators", (",", 1)), ("default", 5), ("int53", "x"), ("natives", 1)):
        expected = outcome(_core.dumps_to_bytes, 1, **{name: value})
        assert expected[0] in ("TypeError", "ValueError")
        assert outcome(_core.Encoder, **{name: value}) == expected
    _core.Encoder(is_write_cache=True)


def test_encoder_cannot_be_changed_or_subclassed() -> None:
    encoder = _core.Encoder()
    with pytest.raises(AttributeError):
        encoder.indent = 5  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        type("Sub", (_core.Encoder,), {})
    encoder.__init__(indent=5)  # type: ignore[misc]
    assert encoder.encode([1]) == b"[1]"


def test_encoder_keeps_what_its_options_name() -> None:
    encoder = _core.Encoder(indent="é" * 3, separators=("；" * 2, "：" * 2), default=lambda thing: ["hook"] * 3)
    gc.collect()
    expected = _core.dumps(
        [{"a": {1}}], indent="é" * 3, separators=("；" * 2, "：" * 2), default=lambda _: ["hook"] * 3
    )
    assert encoder.encode_str([{"a": {1}}]) == expected


def test_encoder_follows_the_cache_switch_unless_told() -> None:
    def cached(encoder: _core.Encoder) -> bool:
        text = "".join(["é"] * 20)
        encoder.encode([text])
        b"".join(encoder.iterencode([text]))
        return _core.utf8_cache_size(text) > 0

    for is_on in (False, True):
        _core.write_utf8_cache(is_on)
        assert cached(_core.Encoder()) is is_on
        assert cached(_core.Encoder(is_write_cache=True)) is True
        assert cached(_core.Encoder(is_write_cache=False)) is False


def test_encoder_in_a_cycle_with_its_hook_is_collected() -> None:
    class Hook:
        def __call__(self, thing: Any) -> Any:
            return 1

    hook = Hook()
    hook.encoder = _core.Encoder(default=hook)  # type: ignore[attr-defined]
    reference = weakref.ref(hook)
    assert hook.encoder.encode([{1}]) == b"[1]"  # type: ignore[attr-defined]
    del hook
    gc.collect()
    assert reference() is None


def test_encoder_dropped_by_its_own_hook_goes_on() -> None:
    holder: list[Any] = []

    def hook(thing: Any) -> Any:
        holder.clear()
        gc.collect()
        return ["x" * 50]

    holder.append(_core.Encoder(default=hook))
    assert holder[0].encode([{1}, {2}]) == _core.dumps_to_bytes([["x" * 50]] * 2)


def test_encoder_in_many_threads_at_once() -> None:
    encoder = _core.Encoder(natives=True, default=lambda _: "hook")
    expected = _core.dumps_to_bytes([VALUE, "hook"] * 20)

    def work() -> None:
        for _ in range(100):
            assert encoder.encode([VALUE, object()] * 20) == expected
            assert b"".join(encoder.iterencode([VALUE, object()] * 20, 50)) == expected

    in_threads(work, 4)


def test_append_newline_ends_each_text_with_one() -> None:
    for options in ({}, {"indent": 1}, {"ensure_ascii": True}, {"separators": ("，", ":")}):
        expected = _core.dumps(VALUE, **options) + "\n"
        assert _core.dumps(VALUE, append_newline=True, **options) == expected
        assert _core.dumps_to_bytes(VALUE, append_newline=True, **options) == expected.encode()
        for size in (1, 10, 1000):
            chunks = _core.Encoder(append_newline=True, **options).iterencode(VALUE, size)
            assert b"".join(chunks) == expected.encode()
    for n in [*range(8150, 8200), 100_000]:  # where the text outgrows its first room
        for fill in "aé中😀":
            assert _core.dumps(fill * n, append_newline=True) == f'"{fill * n}"\n'
            assert _core.dumps_to_bytes(fill * n, append_newline=True) == f'"{fill * n}"\n'.encode()


# ---- lines


def test_lines_are_the_items_texts() -> None:
    values = [VALUE, [], 1, "a\nb", "é" * 3000]
    expected = b"".join(_core.dumps_to_bytes(value) + b"\n" for value in values)
    for options in ({}, {"append_newline": True}, {"separators": (",", ":")}):
        encoder = _core.Encoder(**options)
        for iterable in (values, tuple(values), iter(values), (value for value in values)):
            assert encoder.encode_lines(iterable) == expected
    assert _core.Encoder().encode_lines([]) == b""
    assert _core.Encoder(natives=True).encode_lines([{1}]) == b"[1]\n"


def test_lines_of_options_that_break_them_raise() -> None:
    for options in ({"indent": 0}, {"indent": ""}, {"separators": (",\n", ":")}, {"separators": (",", "\n:")}):
        with pytest.raises(ValueError, match="encode_lines"):
            _core.Encoder(**options).encode_lines([1])


def test_lines_whose_items_or_iterator_fail_raise() -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise KeyError("x")

    encoder = _core.Encoder()
    assert outcome(encoder.encode_lines, 5)[0] == "TypeError"
    assert outcome(encoder.encode_lines, failing())[0] == "KeyError"
    assert outcome(encoder.encode_lines, [1, {2}])[0] == "TypeError"
    assert outcome(encoder.encode_lines, ["\ud800"])[0] == "UnicodeEncodeError"


# ---- into a buffer


def test_into_writes_from_an_offset_on_and_ends_there() -> None:
    encoder = _core.Encoder()
    text = encoder.encode(VALUE)
    for before in (b"", b"ab", b"x" * 5000):
        for offset in {0, 1, len(before) // 2, len(before)}:
            if offset <= len(before):
                buffer = bytearray(before)
                assert encoder.encode_into(VALUE, buffer, offset) is None  # type: ignore[func-returns-value]
                assert buffer == before[:offset] + text
        for call in (
            lambda b: encoder.encode_into(VALUE, b, -1),
            lambda b: encoder.encode_into(VALUE, b, offset=-1),
            lambda b: encoder.encode_into(VALUE, b, offset=len(b)),
        ):
            buffer = bytearray(before)
            call(buffer)
            assert buffer == before + text
        buffer = bytearray(before)
        encoder.encode_into(VALUE, buffer)
        assert buffer == text


def test_into_that_fails_leaves_the_buffer() -> None:
    encoder = _core.Encoder()
    buffer = bytearray(b"abc")
    wrong: list[tuple[Any, ...]] = [
        (1, buffer, 4),
        (1, buffer, -2),
        (1, buffer, 2**70),
        (1, buffer, "1"),
        (1, buffer, None),
        (1, buffer, 1.0),
        (1,),
        (1, buffer, 0, 0),
        (1, b"abc"),
        (1, memoryview(buffer)),
        ({1}, buffer),
        ("\ud800", buffer),
    ]
    for arguments in wrong:
        with pytest.raises((TypeError, ValueError, OverflowError)):
            encoder.encode_into(*arguments)
        assert buffer == b"abc"
    with pytest.raises(TypeError):
        encoder.encode_into(1, buffer, place=0)  # type: ignore[call-arg]


def test_into_a_buffer_that_is_looked_at_raises_buffer_error() -> None:
    encoder = _core.Encoder()
    buffer = bytearray(b"abc")
    with memoryview(buffer):
        for offset in (0, 1, 3, -1):
            with pytest.raises(BufferError):
                encoder.encode_into("long enough to grow", buffer, offset)
        assert buffer == b"abc"
        encoder.encode_into(12, buffer, 1)  # of the same length
        assert buffer == b"a12"


def test_into_a_buffer_that_the_hook_changes() -> None:
    buffer = bytearray(b"x" * 100_000)

    def shrink(thing: Any) -> Any:
        del buffer[5:]
        return "é" * 50

    encoder = _core.Encoder(default=shrink)
    encoder.encode_into([{1}], buffer, 5)
    assert buffer == b"x" * 5 + '["{}"]'.format("é" * 50).encode()
    buffer = bytearray(b"x" * 100_000)
    with pytest.raises(ValueError, match="offset 6 is outside of a buffer of 5 bytes"):
        encoder.encode_into([{1}], buffer, 6)
    assert buffer == b"x" * 5

    def look(thing: Any) -> Any:
        views.append(memoryview(buffer))
        return 1

    views: list[memoryview] = []
    with pytest.raises(BufferError):
        _core.Encoder(default=look).encode_into([{1}], buffer, 5)
    assert buffer == b"x" * 5


def test_into_a_buffer_that_is_written_by_the_hook_too() -> None:
    buffer = bytearray(b"head ")
    inner = _core.Encoder()

    def hook(thing: Any) -> Any:
        inner.encode_into(["inner"], buffer, -1)
        return "outer"

    _core.Encoder(default=hook).encode_into([{1}], buffer, -1)
    assert buffer == b'head ["inner"]["outer"]'


# ---- errors


def test_errors_are_json_encode_errors_and_stdlibs() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    cases: list[tuple[Any, dict[str, Any], type]] = [
        ({1}, {}, _core.JSONEncodeTypeError),
        ({(): 1}, {}, _core.JSONEncodeTypeError),
        (cycle, {}, _core.JSONEncodeValueError),
        (float("nan"), {"allow_nan": False}, _core.JSONEncodeValueError),
        (2**53, {"int53": "error"}, _core.JSONEncodeValueError),
    ]
    for value, options, kind in cases:
        for encode in (_core.dumps, _core.dumps_to_bytes, lambda v, **o: list(_core.Encoder(**o).iterencode(v))):
            with pytest.raises(kind) as raised:
                encode([value], **options)
            assert isinstance(raised.value, _core.JSONEncodeError)
            assert isinstance(raised.value, TypeError) == (kind is _core.JSONEncodeTypeError)
            assert isinstance(raised.value, ValueError) == (kind is _core.JSONEncodeValueError)


def test_errors_are_pickled_and_copied() -> None:
    kinds = (
        _core.JSONEncodeError,
        _core.JSONEncodeTypeError,
        _core.JSONEncodeValueError,
        _core.JSONEncodeBufferError,
        _core.JSONEncodeRecursionError,
    )
    for kind in kinds:
        assert getattr(ssrjson_web, kind.__name__) is kind
        error = kind("text", 5)
        for other in (
            *(pickle.loads(pickle.dumps(error, n)) for n in range(6)),
            copy.copy(error),
            copy.deepcopy(error),
        ):
            assert type(other) is kind
            assert other.args == ("text", 5)
    for options in ({}, {"max_depth": 1}, {"max_size": 3}):
        with pytest.raises(_core.JSONDecodeError) as raised:
            _core.loads("[\n[1,", **options)
        failure = raised.value
        for other in (
            *(pickle.loads(pickle.dumps(failure, n)) for n in range(6)),
            copy.copy(failure),
            copy.deepcopy(failure),
        ):
            assert type(other) is type(failure)
            for name in ("args", "msg", "doc", "pos", "lineno", "colno"):
                assert getattr(other, name) == getattr(failure, name)


def test_references_are_given_back() -> None:
    text, indent, items, keys = "é" * 50, "\t" * 3, "; " * 2, "= " * 2

    def hook(thing: Any) -> Any:
        return text

    things: list[Any] = [text, indent, items, keys, hook, _core.Encoder, None]

    def call() -> None:
        encoder = _core.Encoder(default=hook, indent=indent, separators=(items, keys), html_safe=True)
        encoder.encode([{1}, text])
        encoder.encode_str([{1}, text])
        encoder._with_escaped_surrogates().encode(["\ud800", {1}])
        encoder.encode_into([{1}], bytearray())
        list(encoder.iterencode([{1}, {text: text}], 1))
        next(encoder.iterencode([{1}, {text: text}], 1))
        outcome(encoder.encode, [{1}, {(): 2}])
        outcome(_core.Encoder, default=hook, indent=indent, separators=(items, keys), int53=5)
        _core.Encoder(default=hook).encode_lines([text, {1}])

    call()
    gc.collect()  # what other tests left in cycles would be counted
    before = [sys.getrefcount(thing) for thing in things]
    for _ in range(100):
        call()
    gc.collect()
    # Other threads of the test run move the counts of None and of the type by a few. A leak moves them by 100.
    assert max(abs(sys.getrefcount(thing) - n) for thing, n in zip(things, before, strict=True)) < 50
