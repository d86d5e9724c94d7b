"""iterencode: the chunks joined are the text, even if object or iterator change or are dropped meanwhile."""

from __future__ import annotations

import gc
import sys
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import pytest
from helpers import json_documents
from helpers.all_outputs import in_chunks
from helpers.call_outcome import assert_same, outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

PLAIN = _core.Encoder()
VALUE: Any = {
    "é": [1, 2.5, None, True, "中" * 100, [[]], {}],
    "b": {"c": (1, {"d": [{"e": 10**30}]}), 5: "x" * 3000, None: [1.5] * 20},
    "z": [[1.5, 2.5], [3.5], [None] * 10, OrderedDict(a=1)],
}


def test_chunks_of_every_size_together_are_the_text() -> None:
    for options in (
        {},
        {"indent": 2},
        {"ensure_ascii": True},
        {"separators": ("，", "：😀")},
        {"append_newline": True},
    ):
        expected = _core.dumps_to_bytes(VALUE, **options)
        for size in [*range(1, 70), 1000, 5000, 10_000, 65536]:
            assert_same(in_chunks(VALUE, size, **options), expected, (size, options))


@given(json_documents.values, json_documents.options, st.integers(1, 200))
def test_chunks_of_any_document_together_are_its_text(value: Any, options: dict[str, Any], size: int) -> None:
    got = outcome(in_chunks, value, size, **options)
    assert_same(got, outcome(_core.dumps_to_bytes, value, **options), (value, options, size))


@given(
    st.recursive(
        json_documents.scalars, lambda inner: json_documents.containers(inner, json_documents.texts), max_leaves=15
    ),
    st.integers(1, 200),
)
def test_chunks_of_any_sorted_document_together_are_its_text(value: Any, size: int) -> None:
    expected = _core.dumps_to_bytes(value, sort_keys=True, html_safe=True)
    assert_same(in_chunks(value, size, sort_keys=True, html_safe=True), expected, (value, size))


def test_chunk_is_little_longer_than_its_size_and_never_empty() -> None:
    values: list[Any] = ["x" * 10] * 1000
    for size in (1, 100, 1000):
        chunks = list(PLAIN.iterencode(values, size))
        assert min(map(len, chunks)) > 0
        assert max(map(len, chunks)) <= size + 20
    hooked: list[Any] = [{1}, [{1}, [{1}]]]
    for value in hooked:
        assert all(_core.Encoder(default=lambda _: "text").iterencode(value, 1))


def test_size_out_of_range_or_of_a_wrong_type_raises() -> None:
    for size, error in (
        (0, ValueError),
        (-1, ValueError),
        (2**31, ValueError),
        (2**70, OverflowError),
        (1.5, TypeError),
    ):
        with pytest.raises(error):
            PLAIN.iterencode([], size)  # type: ignore[arg-type]
    assert list(PLAIN.iterencode([], chunk_size=5)) == [b"[]"]
    wrong: list[Any] = [lambda: PLAIN.iterencode(), lambda: PLAIN.iterencode([], 1, 2)]  # type: ignore[call-arg]
    wrong += [lambda: PLAIN.iterencode([], size=1), lambda: PLAIN.iterencode([], None)]  # type: ignore[call-arg, arg-type]
    for call in wrong:
        with pytest.raises(TypeError):
            call()


def test_iterator_is_one_and_is_not_made_by_hand() -> None:
    chunks = PLAIN.iterencode([1])
    assert iter(chunks) is chunks
    with pytest.raises(TypeError):
        type(chunks)()
    assert [next(chunks), next(chunks, None), next(chunks, None)] == [b"[1]", None, None]


def test_object_and_encoder_are_kept_alive() -> None:
    chunks = _core.Encoder(indent="é" * 2, default=lambda thing: ["hook"] * 2).iterencode(
        [["item"] * 3, {"k": object()}], 1
    )
    gc.collect()
    expected = _core.dumps_to_bytes([["item"] * 3, {"k": ["hook"] * 2}], indent="é" * 2)
    assert b"".join(chunks) == expected


def test_error_comes_in_its_place_and_ends_the_chunks() -> None:
    chunks = PLAIN.iterencode([1, {2}, 3], 1)
    assert next(chunks) + next(chunks) == b"[1"
    with pytest.raises(_core.JSONEncodeTypeError):
        next(chunks)
    assert list(chunks) == []
    chunks = PLAIN.iterencode(["é", "\ud800", 1], 1)
    with pytest.raises(UnicodeEncodeError):
        list(chunks)
    assert list(chunks) == []


def test_hook_that_raises_ends_the_chunks() -> None:
    def hook(thing: Any) -> Any:
        raise KeyError("hook")

    chunks = _core.Encoder(default=hook).iterencode([1, {2}], 1)
    with pytest.raises(KeyError):
        list(chunks)
    assert next(chunks, None) is None


def test_dict_that_changes_its_size_between_chunks_raises_runtime_error() -> None:
    for change in (lambda d: d.clear(), lambda d: d.update(new=1), lambda d: d.pop("a"), lambda d: d.popitem()):
        for value in ({"a": 1, "b": [2], "c": 3}, {"a": 1, 2: 3, None: 4}):
            chunks = PLAIN.iterencode([value], 1)
            next(chunks)
            next(chunks)
            change(value)
            with pytest.raises(RuntimeError, match="changed size during iteration"):
                list(chunks)
            assert list(chunks) == []


def test_dict_that_is_rebuilt_at_the_same_size_between_chunks_does_no_harm() -> None:
    value: Any = {f"k{n}": [str(n)] for n in range(50)}
    got = b""
    for n, chunk in enumerate(PLAIN.iterencode(value, 1)):
        got += chunk
        key = next(iter(value))
        del value[key]
        value[f"new {n}"] = {"x": [n]}
        gc.collect()
    assert isinstance(_core.loads(got), dict)


def test_list_that_changes_between_chunks_is_read_as_it_is() -> None:
    def shrunk(items: list[Any]) -> None:
        items.clear()

    def grown(items: list[Any]) -> None:
        items.extend(["new"] * 3)

    for change, expected in ((shrunk, [["a"]]), (grown, [["a", "b", "new", "new", "new"]])):
        items = ["a", "b"]
        chunks = PLAIN.iterencode([items], 1)
        got = [next(chunks), next(chunks), next(chunks)]
        assert b"".join(got) == b'[["a"'
        change(items)
        assert _core.loads(b"".join([*got, *chunks])) == expected


def test_containers_that_are_dropped_between_chunks_are_kept() -> None:
    for sort_keys in (False, True):
        value: Any = {"a": [[["x" * 50], {"k": ["y" * 50]}], "after"], "b": {"c": {"d": ["z" * 50]}}}
        expected = _core.dumps_to_bytes(value, sort_keys=sort_keys)
        got = b""
        for n, chunk in enumerate(_core.Encoder(sort_keys=sort_keys).iterencode(value, 1)):
            got += chunk
            if n == 3:
                value = None
                gc.collect()
        assert got == expected


def test_iterators_are_advanced_as_chunks_are_requested() -> None:
    pulled: list[int] = []

    def numbers() -> Iterator[int]:
        for n in range(5):
            pulled.append(n)
            yield n

    chunks = _core.Encoder(iterables=True).iterencode(numbers(), 1)
    assert pulled == []
    assert next(chunks) == b"["
    for n in range(5):
        assert next(chunks) == (b"%d" % n if n == 0 else b",%d" % n)
        assert pulled == list(range(n + 1))
    assert list(chunks) == [b"]"]


def test_iterator_that_is_abandoned_gives_back_what_it_holds() -> None:
    class Item:
        pass

    items = [Item() for _ in range(3)]
    references = [weakref.ref(item) for item in items]
    closed: list[str] = []

    def generator() -> Iterator[Any]:
        try:
            yield 1
            yield 2
        finally:
            closed.append("closed")

    value: Any = {"a": [items[0]], "b": {"c": (items[1], generator())}, "d": items[2]}
    chunks = _core.Encoder(natives=True, default=lambda _: "item").iterencode(value, 1)
    while b"2" not in next(chunks):
        pass
    del value, items, chunks
    gc.collect()
    assert closed == ["closed"]
    assert [reference() for reference in references] == [None] * 3


MAKERS: list[Any] = [lambda: [1], lambda: {"k": [1]}, lambda: {5}, lambda: iter([1, 2]), lambda: {object(): 1}]


def test_iterator_in_a_cycle_is_collected() -> None:
    class Node:
        pass

    def hook(thing: Any) -> Any:
        return thing.inner

    for n_chunks in range(8):
        for make in MAKERS:
            for sort_keys in (False, True):
                node: Any = Node()
                node.inner = [make(), node.__dict__, [1]]
                node.me = node
                encoder = _core.Encoder(natives=True, default=hook, skipkeys=True, sort_keys=sort_keys)
                node.chunks = encoder.iterencode([node, {"a": node}], 1)
                reference = weakref.ref(node)
                for _ in range(n_chunks):
                    outcome(next, node.chunks)
                del node
                gc.collect()
                assert reference() is None


def test_iterator_run_from_within_itself_raises_value_error() -> None:
    errors: list[str] = []

    def hook(thing: Any) -> Any:
        errors.append(str(outcome(next, chunks)))
        errors.append(str(outcome(list, chunks)))
        return "hook"

    chunks = _core.Encoder(default=hook).iterencode([{1}, 2], 1)
    assert b"".join(chunks) == b'["hook",2]'
    assert errors == ["('ValueError', 'iterencode() is already running')"] * 2


def test_iterator_of_itself_raises() -> None:
    encoder = _core.Encoder(natives=True)
    value: list[Any] = []
    chunks = encoder.iterencode(value, 1)
    value.append(chunks)
    with pytest.raises(ValueError, match="already running"):
        list(chunks)
    value.clear()


def test_iterator_of_an_iterator_of_an_iterator_is_run_or_refused_and_freed() -> None:
    encoder = _core.Encoder(iterables=True, bytes="base64")
    assert b"".join(encoder.iterencode(encoder.iterencode([1]))) == b'["WzFd"]'
    chunks: Any = iter([1])
    for _ in range(100_000):
        chunks = encoder.iterencode(chunks)
    with pytest.raises(RecursionError):
        list(chunks)
    del chunks


def test_hook_that_clears_the_dict_being_walked_raises_runtime_error() -> None:
    for key in ("k", 5):
        members: dict[Any, Any] = {key: {1}, "after": ["x"]}

        def hook(thing: Any, members: dict[Any, Any] = members) -> Any:
            members.clear()
            gc.collect()
            return ["hook" * 20]

        with pytest.raises(RuntimeError):
            b"".join(_core.Encoder(default=hook).iterencode([members], 1))


def test_many_iterators_at_once_do_not_mix() -> None:
    values = [[n, {"k": "é" * n}, [str(n)] * n] for n in range(30)]
    streams = [(PLAIN.iterencode(value, 5), []) for value in values]  # type: ignore[var-annotated]
    while any(chunk is not None for chunk in [take(*stream) for stream in streams]):
        pass
    for (_, got), value in zip(streams, values, strict=True):
        assert b"".join(got) == _core.dumps_to_bytes(value)


def take(chunks: Iterator[bytes], got: list[bytes]) -> bytes | None:
    chunk = next(chunks, None)
    if chunk is not None:
        got.append(chunk)
    return chunk


def test_container_100_000_deep_in_chunks() -> None:
    value: Any = []
    for n in range(100_000):
        value = [value] if n % 2 else {"k": value}
    assert in_chunks(value, 1000) == _core.dumps_to_bytes(value)


def test_references_are_given_back() -> None:
    text, key = "é" * 50, "k" * 30
    value: Any = {key: [text, {key: {text}}], text: (key, 1.5)}
    things = [text, key, value, value[key]]

    def call() -> None:
        encoder = _core.Encoder(natives=True, sort_keys=True)
        list(encoder.iterencode(value, 1))
        for n in range(6):
            chunks = encoder.iterencode([value, object()], 1)
            for _ in range(n):
                next(chunks)
        outcome(list, encoder.iterencode([value, object()], 1))

    call()
    before = [sys.getrefcount(thing) for thing in things]
    for _ in range(50):
        call()
    assert [sys.getrefcount(thing) for thing in things] == before


@pytest.mark.parametrize("n", [0, 10, 20_000])
def test_stop_iteration_of_a_hook_is_no_end_of_the_chunks(n: int) -> None:
    value = ["é" * 9] * n + [object()] + [1] * 9
    encoder = _core.Encoder(default=lambda value: next(iter(())))
    chunks = encoder.iterencode(value, chunk_size=64)
    with pytest.raises(RuntimeError, match=r"^generator raised StopIteration$") as raised:
        b"".join(chunks)
    assert isinstance(raised.value.__cause__, StopIteration)
    with pytest.raises(StopIteration):
        next(chunks)
    with pytest.raises(StopIteration):
        encoder.encode(value)
