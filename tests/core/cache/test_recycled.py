"""The last result, whose memory the next call takes again when nobody else can reach it, and the form of short strs."""

from __future__ import annotations

import gc
import json
import os
import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers import stdlib_json

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

Encode = Callable[[object], "bytes | str"]
ENCODERS = pytest.mark.parametrize("encode", [_core.dumps_to_bytes, _core.dumps], ids=["bytes", "str"])
N_PAUSE = 16
N_MISFITS = 9
MOST_BYTES = 2 << 20
TEXTS = ("a", "é", "中", "😀")
LENGTHS = (20, 300, 5_000, 30_000, 300_000)  # in pymalloc's blocks, in malloc's, and beyond the array on the C stack


def expected(encode: Encode, document: object) -> bytes | str:
    text = stdlib_json.dumps(document)
    return text.encode() if encode is _core.dumps_to_bytes else text


def settle(encode: Encode, document: object) -> None:
    """Bring the core to where it keeps the result of `document` and is in no pause."""
    for _ in range(N_PAUSE + N_MISFITS + 1):
        encode(document)


def references(encode: Encode, document: object) -> int:
    """References to a new result beside the caller's."""
    result = encode(document)
    other = object()  # how many references getrefcount counts for a variable depends on Python's version
    return sys.getrefcount(result) - sys.getrefcount(other)


@pytest.fixture
def recycling(objects_in_place: None) -> None:
    """Leaves out builds that make a new object for each result."""
    if _core.get_current_features()["free_threading"]:
        pytest.skip("no result is kept without the GIL")


@pytest.fixture(autouse=True)
def no_result_is_kept() -> Iterator[None]:
    for encode in (_core.dumps_to_bytes, _core.dumps):
        settle(encode, [])
    yield
    for encode in (_core.dumps_to_bytes, _core.dumps):
        settle(encode, [])


@ENCODERS
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("text", TEXTS)
def test_results_that_are_dropped_and_held_keep_their_text(encode: Encode, text: str, length: int) -> None:
    documents = [{"k": text * (length - n), "n": n} for n in range(5)]
    held = []
    for turn in range(60):
        document = documents[turn % 5]
        result = encode(document)
        assert result == expected(encode, document)
        if turn % 7 == 0:
            held.append((result, document))
        del result
    for result, document in held:
        assert result == expected(encode, document)


@ENCODERS
@pytest.mark.usefixtures("recycling")
def test_one_reference_is_kept_until_a_caller_holds_the_result(encode: Encode) -> None:
    document = ["x" * 300]
    settle(encode, document)
    assert references(encode, document) == 1
    held = encode(document)
    assert [references(encode, document) for _ in range(N_PAUSE)] == [0] * N_PAUSE
    assert references(encode, document) == 1
    assert held == expected(encode, document)


@ENCODERS
@pytest.mark.usefixtures("recycling")
def test_the_memory_is_taken_again_for_another_length(encode: Encode) -> None:
    for n in (3_000, 40_000):
        settle(encode, "x" * n)
        address = id(encode("x" * n))
        occupied = [bytes(n) for _ in range(20)]  # what malloc would give for memory that was freed
        assert id(encode("y" * (n - n // 3))) == address
        del occupied


@ENCODERS
@pytest.mark.parametrize("large", [7_000, 400_000])
@pytest.mark.usefixtures("recycling")
def test_memory_that_is_much_too_large_is_freed_in_time(encode: Encode, large: int) -> None:
    settle(encode, "x" * large)
    gc.collect()
    tracemalloc.start()
    try:
        encode("y" * (2 * large))  # new: tracemalloc knows it
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(N_MISFITS):
            encode("z" * 10)
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert before - after > large


@ENCODERS
def test_a_result_beyond_the_limit_is_not_kept(encode: Encode) -> None:
    document = "x" * (MOST_BYTES + 1)
    assert [references(encode, document) for _ in range(3)] == [0] * 3


@ENCODERS
def test_a_hash_is_that_of_the_new_text(encode: Encode) -> None:
    settle(encode, ["key", 0])
    for n in range(40):
        result = encode(["key", n])
        assert {result: n}[expected(encode, ["key", n])] == n
        del result


def test_a_str_that_was_interned_is_left_alone() -> None:
    for n in range(40):
        text = json.dumps(["interned", n], separators=(",", ":"))
        sys.intern(_core.dumps(["interned", n]))
        other = _core.dumps(["another!", n])
        assert sys.intern(text) == text
        assert other == text.replace("interned", "another!")
        del other


def test_a_str_that_got_a_utf8_cache_shows_the_new_text_in_utf8() -> None:
    for n in range(40):
        document = ["é" * 20, n % 7]
        result = _core.dumps(document)
        assert _core.utf8_cache_size(result) == 0
        _core.dumps_to_bytes(result, is_write_cache=True)
        del result
        result = _core.dumps(["ж" * 20, n % 7])
        assert _core.dumps_to_bytes(result, is_write_cache=True) == json.dumps(result, ensure_ascii=False).encode()
        del result


def test_a_view_holds_the_bytes() -> None:
    settle(_core.dumps_to_bytes, ["view", 0])
    view = memoryview(_core.dumps_to_bytes(["view", 1]))
    for n in range(40):
        _core.dumps_to_bytes(["xxxx", n])
    assert view.tobytes() == b'["view",1]'


@ENCODERS
@pytest.mark.parametrize("length", LENGTHS)
def test_a_hook_that_encodes_gets_a_result_of_its_own(encode: Any, length: int) -> None:
    class Thing:
        pass

    def hook(thing: object) -> str:
        inner = [encode("i" * length), encode(["i" * length])]
        assert inner == [expected(encode, "i" * length), expected(encode, ["i" * length])]
        return "hook"

    settle(encode, "o" * length)
    document = ["o" * length, Thing(), "p" * length, Thing()]
    for _ in range(30):
        result = encode(document, default=hook)
        assert result == expected(encode, ["o" * length, "hook", "p" * length, "hook"])
        del result


@ENCODERS
@pytest.mark.parametrize("length", LENGTHS)
def test_a_call_that_fails_leaves_a_working_core(encode: Encode, length: int) -> None:
    settle(encode, "o" * length)
    for _ in range(30):
        with pytest.raises(TypeError):
            encode(["o" * length, object()])
        result = encode(["p" * length])
        assert result == expected(encode, ["p" * length])
        del result


@ENCODERS
@pytest.mark.parametrize("n_chars", [40_000, 300_000])
def test_a_text_that_outgrows_the_memory(encode: Encode, n_chars: int) -> None:
    for n in (n_chars, 2 * n_chars, 3 * n_chars, n_chars):
        document = ["é" * (n // 2), "x" * n]
        result = encode(document)
        assert result == expected(encode, document)
        del result


def test_forms_of_strs_take_turns() -> None:
    documents: list[object] = [[text * n, "plain"] for text in TEXTS for n in (1, 30, 3_000)]
    for first in documents:
        for second in documents:
            for document in (first, first, first, second, second, first):
                result = _core.dumps(document)
                reference = stdlib_json.dumps(document)
                assert result == reference
                assert sys.getsizeof(result) == sys.getsizeof(reference)  # the narrowest form
                assert result.isascii() == reference.isascii()
                del result


@pytest.mark.parametrize("text", TEXTS)
def test_a_form_that_only_a_key_needs(text: str) -> None:
    document = {text: [{"a": 1}, {text + "b": {text: None}}]}
    for _ in range(5):
        for other in (document, {"a": 1}, document):
            assert _core.dumps(other) == stdlib_json.dumps(other)


@pytest.mark.parametrize("text", TEXTS)
def test_a_form_that_only_a_fragment_needs(text: str) -> None:
    document = [_core.Fragment(json.dumps(text * 30, ensure_ascii=False)), 1]
    reference = stdlib_json.dumps([text * 30, 1])
    for _ in range(5):
        result = _core.dumps(document)
        assert result == reference
        assert sys.getsizeof(result) == sys.getsizeof(reference)
        assert _core.dumps([1]) == "[1]"
        del result


@pytest.mark.parametrize("options", [{"indent": 1}, {"ensure_ascii": True}, {"html_safe": True}], ids=str)
def test_options_after_strs_that_were_wide(options: dict[str, Any]) -> None:
    document = ["中<", "文"]
    for _ in range(3):
        _core.dumps(document)
    plain = _core.dumps(document, **options)
    assert plain == _core.dumps(document, **options)
    assert json.loads(plain) == document


@ENCODERS
def test_threads_get_their_own_results(encode: Encode) -> None:
    errors: list[object] = []

    def work(number: int) -> None:
        for n in range(500):
            document = [f"thread {number} " * (1 + n % 900), "é" * (n % 3)]
            result = encode(document)
            if result != expected(encode, document):
                errors.append(document)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no os.fork here")
@ENCODERS
def test_a_forked_child_changes_no_result_of_its_parent(encode: Encode) -> None:
    settle(encode, ["parent", 1])
    result = encode(["parent", 1])
    child = os.fork()
    if child == 0:
        is_right = result == expected(encode, ["parent", 1])
        is_right &= encode(["child!", 2]) == expected(encode, ["child!", 2])
        os._exit(0 if is_right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert result == expected(encode, ["parent", 1])
