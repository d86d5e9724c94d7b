"""Decoder(partial=...): the value so far of a document that arrives in any chunks, and its end."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import random
import threading
import tracemalloc
from typing import Any, Literal

import pytest
from helpers import decode_checks, json_documents, stdlib_json
from helpers.call_outcome import Outcome, assert_same, outcome
from helpers.partial_document import decode_part
from helpers.threads import in_threads

from ssrjson_web import Decoder, JSONDecodeError, JSONDepthError, JSONSizeError, _core, dumps

pytestmark = pytest.mark.usefixtures("isa")

Mode = Literal["on", "trailing-strings"]
MODES: list[Mode] = ["on", "trailing-strings"]
NOTHING = "nothing"


def value_of(decoder: Decoder) -> Any:
    try:
        return decoder.value
    except LookupError:
        return NOTHING


def expected_value(part: bytes, mode: Mode) -> Any:
    try:
        return decode_part(part, trailing_strings=mode == "trailing-strings")
    except LookupError:
        return NOTHING


def chunks_of(data: Any, source: random.Random, longest: int) -> list[Any]:
    chunks = []
    while data:
        n = source.randint(1, longest)
        chunks.append(data[:n])
        data = data[n:]
    return chunks


def random_string(source: random.Random) -> str:
    return "".join(source.choices('ab "\\/\n\x01\x7fé中😀\u2028', k=source.randrange(8)))


def random_value(source: random.Random, depth: int) -> Any:
    kind = source.randrange(9 if depth > 0 else 6)
    if kind >= 6:
        n = source.randrange(6)
        if kind == 6:
            return [random_value(source, depth - 1) for _ in range(n)]
        if kind == 7:  # rows of the same keys
            return [{"id": i, "name": random_string(source), "x": random_value(source, depth - 1)} for i in range(n)]
        return {random_string(source): random_value(source, depth - 1) for _ in range(n)}
    if kind == 0:
        return source.choice([True, False, None, float("nan"), float("inf"), float("-inf")])
    if kind == 1:
        return source.randrange(-(10 ** source.randrange(1, 30)), 10**9)
    if kind == 2:
        return source.uniform(-1, 1) * 10 ** source.randrange(-30, 30)
    return random_string(source)


def random_document(source: random.Random) -> bytes:
    value = random_value(source, 4)
    indent = source.choice([None, None, 1])
    return json.dumps(value, ensure_ascii=source.random() < 0.5, indent=indent).encode()


def same(left: Any, right: Any) -> bool:
    return repr(left) == repr(right)  # NaN too


@pytest.mark.parametrize("mode", MODES)
def test_value_after_each_byte(mode: Mode) -> None:
    source = random.Random(1)
    for _ in range(60):
        text = random_document(source)
        decoder = Decoder(partial=mode)
        for i in range(len(text)):
            decoder.feed(text[i : i + 1])
            assert same(value_of(decoder), expected_value(text[: i + 1], mode)), text[: i + 1]
        assert same(decoder.close(), json.loads(text))


@pytest.mark.parametrize("mode", MODES)
def test_value_after_some_chunks(mode: Mode) -> None:
    source = random.Random(2)
    for _ in range(300):
        text = random_document(source)
        decoder = Decoder(partial=mode)
        part = b""
        held: list[tuple[Any, str]] = []
        for chunk in chunks_of(text, source, source.choice([3, 10, 40])):
            decoder.feed(chunk)
            part += chunk
            if source.random() < 0.6:
                value = value_of(decoder)
                assert same(value, expected_value(part, mode)), part
                if source.random() < 0.3:
                    held.append((value, repr(value)))
        assert same(decoder.close(), json.loads(text))
        for value, text_of_value in held:
            assert repr(value) == text_of_value, "a look that is held has changed"


@pytest.mark.parametrize("mode", MODES)
def test_values_are_those_of_jiter(mode: Mode) -> None:
    jiter = pytest.importorskip("jiter", reason="jiter is not installed")
    source = random.Random(3)
    for _ in range(500):
        text = random_document(source)
        cut = source.randrange(len(text) + 1)
        decoder = Decoder(partial=mode)
        for chunk in chunks_of(text[:cut], source, 12):
            decoder.feed(chunk)
        try:
            expected = jiter.from_json(text[:cut], partial_mode=mode)
        except ValueError:
            expected = NOTHING
        assert same(value_of(decoder), expected), text[:cut]


def fed_to_the_end(chunks: list[Any], **options: Any) -> Any:
    decoder = Decoder(partial="on", **options)
    for chunk in chunks:
        decoder.feed(chunk)
    return decoder.close()


def without_document(result: Outcome) -> Outcome:
    """An outcome without the document of an error, of which feed knows the first part only."""
    return tuple(part for i, part in enumerate(result) if not (result[0] == "JSONDecodeError" and i == 5))


@pytest.mark.parametrize("is_str", [False, True])
def test_end_is_that_of_the_whole_document(is_str: bool) -> None:
    source = random.Random(4)
    texts = [*json_documents.VALID, *json_documents.MALFORMED, '{"é": ["中", "😀", 1.5]}', "\ufeff1", " ", "", "1 2"]
    texts += ['["\\ud83d\\ude00", "\\ud83d", "\\ud83d\\n", "\\ud8"]', '["\\u12"]', '["\\u123', "[1.]", "[1e]", "-"]
    texts += [" [ ] ", "{ }", "[ 1 , 2 ]", '{ "a" : [ ] , "b" : { } }', "[ , ]", "{ , }", "[1 , ]", '{"a" : 1 , }']
    for text in texts:
        if not is_str and not decode_checks.is_encodable(text):
            continue
        whole: Any = text if is_str else text.encode()
        expected = without_document(outcome(stdlib_json.loads, whole))
        for longest in (1, 2, 5, 100):
            for _ in range(3):
                chunks = chunks_of(whole, source, longest)
                assert_same(without_document(outcome(fed_to_the_end, chunks)), expected, chunks)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_other_encodings(encoding: str) -> None:
    data = '{"é": ["中", 1]}'.encode(encoding)
    decoder = Decoder(partial="on")
    for i in range(len(data)):
        decoder.feed(data[i : i + 1])
        value = value_of(decoder)
        assert value == NOTHING or encoding == "utf-8-sig" or (i == 0 and value == {})
    assert decoder.close() == {"é": ["中", 1]}


@pytest.mark.parametrize("hooks", decode_checks.HOOK_CHOICES, ids=decode_checks.names)
def test_hooks_are_called_as_for_the_whole_document(hooks: dict[str, Any]) -> None:
    source = random.Random(5)
    for text in decode_checks.CORPUS:
        if not decode_checks.is_encodable(text):
            continue
        expected = without_document(outcome(_core.loads, text.encode(), **hooks))
        chunks = chunks_of(text.encode(), source, 4)
        assert_same(without_document(outcome(fed_to_the_end, chunks, **hooks)), expected, chunks)


def test_hooks_see_each_finished_value_once() -> None:
    calls: list[Any] = []

    def note(value: Any) -> Any:
        calls.append(value)
        return value

    decoder = Decoder(partial="on", object_hook=note, parse_int=note)
    for byte in b'[{"a": 12}, {"b": 345}]':
        decoder.feed(bytes([byte]))
    assert decoder.close() == [{"a": "12"}, {"b": "345"}]
    assert calls == ["12", {"a": "12"}, "345", {"b": "345"}]


@pytest.mark.parametrize("options", [{"allow_surrogates": False}, {"duplicate_keys": "error"}, {"allow_nan": False}])
def test_refusals_are_those_of_the_whole_document(options: dict[str, Any]) -> None:
    texts = ['["\\ud83d\\ude00"]', '["\\ud83d x"]', '["\\ud83d"]', '["\\ude00"]', '{"\\ud83d": 1}', "[NaN]", "[1e999]"]
    texts += ['{"a": 1, "b": [], "a": 2}', '[[{"x": 1}], {"a": {"a": 1}, "a": 2}]']
    for text in texts:
        expected = without_document(outcome(_core.loads, text, **options))
        for longest in (1, 3, 50):
            chunks = chunks_of(text.encode(), random.Random(longest), longest)
            assert_same(without_document(outcome(fed_to_the_end, chunks, **options)), expected, chunks)


def test_errors_come_as_soon_as_they_can_be_told() -> None:
    for text in (
        "[1}",
        "[1 2",
        '{"a" 1',
        '["\n',
        '["\\x',
        "nul ",
        "[1,]",
        "{1",
        '{"a":1,}',
        "[01",
        "1 x",
        "[-x",
        '["\\ud8zz aaaaaaaaa',
    ):
        decoder = Decoder(partial="on")
        with pytest.raises(JSONDecodeError):
            decoder.feed(text)
        assert value_of(decoder) == NOTHING, "what was fed is dropped"
        decoder.feed("[2]")
        assert decoder.close() == [2]


def test_malformed_utf8() -> None:
    decoder = Decoder(partial="trailing-strings")
    decoder.feed(b'["\xe4\xb8')
    assert decoder.value == [""]
    with pytest.raises(UnicodeDecodeError):
        decoder.feed(b'"]')
    decoder.feed(b'["\xff')
    with pytest.raises(UnicodeDecodeError):
        _ = decoder.value
    assert value_of(decoder) == NOTHING


def test_limits() -> None:
    decoder = Decoder(partial="on", max_depth=2, max_size=10)
    decoder.feed("[[1,")
    with pytest.raises(JSONDepthError) as depth:
        decoder.feed("[")
    assert depth.value.pos == 4
    decoder.feed(b"[1,2,3,4,5")
    with pytest.raises(JSONSizeError):
        decoder.feed(b"]")
    decoder.feed('"中中中中中中中')
    with pytest.raises(JSONSizeError):
        decoder.feed('中中"')


def test_bytes_and_str_are_not_mixed() -> None:
    decoder = Decoder(partial="on")
    decoder.feed("[1")
    with pytest.raises(TypeError, match="all bytes or all str"):
        decoder.feed(b"]")
    with pytest.raises(TypeError, match="must be str, bytes or bytearray"):
        decoder.feed(5)  # type: ignore[arg-type]
    decoder.feed(bytearray(b"[1"))
    decoder.feed(memoryview(b",2]"))
    assert decoder.close() == [1, 2]


def test_chunk_that_changes_later() -> None:
    chunk = bytearray(b'["abc')
    decoder = Decoder(partial="trailing-strings")
    decoder.feed(chunk)
    chunk[:] = b"xxxxx"
    decoder.feed(b'"]')
    assert decoder.close() == ["abc"]


def test_deep_nesting() -> None:
    depth = 100_000
    decoder = Decoder(partial="on")
    decoder.feed("[" * depth)
    value = decoder.value
    for _ in range(depth - 1):
        (value,) = value
    assert value == []
    decoder.feed("]" * depth)
    value = decoder.close()
    while value:
        (value,) = value


def test_rows_within_deep_nesting() -> None:
    """More levels than those in which shapes are learnt after a pause."""
    value: Any = [{"id": i, "name": "n"} for i in range(20)]
    for i in range(150):
        value = {"a": value, "b": [{"id": i, "name": "m"}]} if i % 2 else [value, {"id": i, "name": "m"}]
    text = json.dumps(value).encode()
    source = random.Random(9)
    for longest in (1, 7, 200):
        decoder = Decoder(partial="on")
        for chunk in chunks_of(text, source, longest):
            decoder.feed(chunk)
            if source.random() < 0.1:
                _ = decoder.value
        assert decoder.close() == value


def test_finished_values_are_shared_and_open_ones_are_not() -> None:
    decoder = Decoder(partial="on")
    decoder.feed('{"done": [1, 2], "open": [3')
    first = decoder.value
    decoder.feed(", 4")
    second = decoder.value
    assert (first, second) == ({"done": [1, 2], "open": [3]}, {"done": [1, 2], "open": [3, 4]})
    assert first["done"] is second["done"]
    first["open"].append("mine")
    decoder.feed("], ")
    assert second["open"] == [3, 4]
    third = decoder.value
    assert third == {"done": [1, 2], "open": [3, 4]}
    assert first["open"] == [3, "mine"]
    decoder.feed('"last": 1}')
    value = decoder.value
    assert decoder.close() is value


def spoil(look: Any, n_open: int) -> None:
    """Change the open containers of a look, as a receiver may. The finished ones are shared and stay as they are."""
    for _ in range(n_open):
        if isinstance(look, list):
            newest = look[-1] if look else None
            look[:] = [*look[1:], "mine"]
        else:
            newest = list(look.values())[-1] if look else None
            look.clear()
            look["mine"] = newest
        look = newest


@pytest.mark.parametrize("n_held", [0, 1, 3])
@pytest.mark.parametrize("mode", MODES)
def test_look_that_was_changed_is_not_used_again(mode: Mode, n_held: int) -> None:
    text = b'[1, 2, {"a": [3, {"b": {"c": [4, [5, [6, "seven"], 8.5], 9]}, "d": "\\u00e9t"}, 10], "a": 11}, 12, []]'
    for n in (1, 2, 5, 9):
        decoder = Decoder(partial=mode)
        held: list[Any] = []
        for end in range(n, len(text), n):
            decoder.feed(text[end - n : end])
            for _ in range(2):
                look = decoder.value
                assert look == expected_value(text[:end], mode)
                held = [*held, look][-n_held:] if n_held else []
                counts = {bracket: text[:end].count(bracket) for bracket in (b"[", b"{", b"]", b"}")}
                spoil(look, counts[b"["] + counts[b"{"] - counts[b"]"] - counts[b"}"])
                del look
        decoder.feed(text[end:])
        assert decoder.close() == json.loads(text)


def test_inner_look_that_is_held_does_not_change() -> None:
    decoder = Decoder(partial="on")
    decoder.feed('{"a": {"b": [1')
    inner = decoder.value["a"]
    for i in range(5):
        decoder.feed(f", {i}")
        assert decoder.value["a"]["b"][-1] == i
        assert inner == {"b": [1]}


def test_key_whose_value_is_given_up() -> None:
    decoder = Decoder(partial="on")
    decoder.feed('{"a": 1, "b": 2, "a": 3')
    values = [copy.deepcopy(decoder.value)]
    for chunk in (".", "5", "e", "1", "}"):
        decoder.feed(chunk)
        values.append(copy.deepcopy(decoder.value))
    a = [value["a"] for value in values]
    assert a == [3, 1, 3.5, 1, 35.0, 35.0]
    assert all(list(value) == ["a", "b"] for value in values)


def test_value_without_the_option() -> None:
    decoder = Decoder()
    decoder.feed("[1")
    with pytest.raises(ValueError, match="partial"):
        _ = decoder.value
    with pytest.raises(ValueError, match="partial"):
        decoder.take_items()
    with pytest.raises(ValueError, match="one of"):
        Decoder(partial="some")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="partial"):
        _core.loads("1", partial="on")  # type: ignore[call-arg]
    assert Decoder(partial="off").decode("[1]") == [1]


def test_decode_beside_feed() -> None:
    decoder = Decoder(partial="on")
    decoder.feed("[1, ")
    assert decoder.decode("[5]") == [5]
    assert decoder.decode_lines("1\n2") == [1, 2]
    decoder.feed("2]")
    assert decoder.close() == [1, 2]
    with pytest.raises(JSONDecodeError):
        decoder.close()


def test_copies_have_the_option_and_no_chunks() -> None:
    decoder = Decoder(partial="trailing-strings")
    decoder.feed('["a')
    for other in (copy.copy(decoder), pickle.loads(pickle.dumps(decoder))):
        assert repr(other) == repr(decoder) == "Decoder(partial='trailing-strings')"
        assert value_of(other) == NOTHING
        other.feed('["b')
        assert other.value == ["b"]
    assert decoder.value == ["a"]


def test_hook_that_uses_the_decoder() -> None:
    raised: list[Exception] = []

    def hook(value: Any) -> Any:
        for use in (lambda: decoder.feed("1"), lambda: decoder.value, decoder.close, decoder.take_items):
            with pytest.raises(RuntimeError, match="is decoding") as error:
                use()
            raised.append(error.value)
        return value

    decoder = Decoder(partial="on", object_hook=hook)
    decoder.feed('[{"a": 1}')
    assert decoder.value == [{"a": 1}]
    decoder.feed("]")
    assert decoder.close() == [{"a": 1}]
    assert len(raised) == 4


def test_hook_that_raises() -> None:
    def hook(value: Any) -> Any:
        raise KeyError(value["a"])

    decoder = Decoder(partial="on", object_hook=hook)
    decoder.feed('[1, {"a": 1')
    with pytest.raises(KeyError):
        decoder.feed("}")
    decoder.feed("[2]")
    assert decoder.close() == [2]


def test_collector_sees_what_is_held() -> None:
    class Box:
        value: Any

    def held() -> None:
        box = Box()
        box.value = Decoder(partial="on", object_hook=lambda value: box)
        box.value.feed('[{"a": 1}, [')
        _ = box.value.value

    gc.collect()
    n = len([1 for o in gc.get_objects() if type(o).__name__ == "Box"])
    for _ in range(5):
        held()
    gc.collect()
    assert len([1 for o in gc.get_objects() if type(o).__name__ == "Box"]) == n


def test_nothing_leaks() -> None:
    text = dumps([{"a": [1, 2.5, {"b": "é" * 50}], "long key number": None}] * 20).encode()
    source = random.Random(7)

    def run() -> None:
        decoder = Decoder(partial="trailing-strings")
        for chunk in chunks_of(text, source, 30):
            decoder.feed(chunk)
            _ = decoder.value
        decoder.close()
        decoder.feed(text[:500])
        _ = decoder.value
        decoder.take_items()
        with pytest.raises(ValueError):  # noqa: PT011 (it may be within a character)
            decoder.feed(b'\x01"}}}')

    for _ in range(3):
        run()
    gc.collect()
    tracemalloc.start()
    try:
        run()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(20):
            run()
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 5_000
    finally:
        tracemalloc.stop()


# ---- items ----------------------------------------------------------------------------------------------------------


def test_items_of_an_array() -> None:
    source = random.Random(8)
    for _ in range(200):
        items = [random_value(source, 3) for _ in range(source.randrange(8))]
        text = json.dumps(items, ensure_ascii=False, indent=source.choice([None, 2])).encode()
        decoder = Decoder(partial="on")
        taken: list[Any] = []
        for chunk in chunks_of(text, source, source.choice([1, 5, 30])):
            decoder.feed(chunk)
            if source.random() < 0.7:
                taken += decoder.take_items()
            if source.random() < 0.3 and value_of(decoder) != NOTHING:
                assert isinstance(decoder.value, list)
        assert same(taken + decoder.close(), items)


def test_taken_items_free_their_text() -> None:
    decoder = Decoder(partial="on")
    item = dumps({"name": "中文" * 500, "n": [1, 2, 3]}).encode()
    decoder.feed(b"[" + item)
    n = 0
    tracemalloc.start()
    try:
        for _ in range(2000):
            decoder.feed(b",\n" + item)
            n += len(decoder.take_items())
            assert tracemalloc.get_traced_memory()[0] < 300_000
    finally:
        tracemalloc.stop()
    with pytest.raises(JSONDecodeError) as error:
        decoder.feed(b", x")
    text = (b"[" + (item + b",\n") * 2000 + item + b", x").decode()
    with pytest.raises(JSONDecodeError) as expected:
        _core.loads(text)
    assert str(error.value) == str(expected.value)
    for name in ("msg", "pos", "lineno", "colno"):
        assert getattr(error.value, name) == getattr(expected.value, name)
    assert n == 2001


def test_comma_after_taken_items_wants_a_value() -> None:
    for filler in ("1", '"' + "x" * 20_000 + '"'):
        decoder = Decoder(partial="on")
        decoder.feed(f"[{filler},")
        assert len(decoder.take_items()) == 1
        decoder.feed("  ")
        with pytest.raises(JSONDecodeError):
            decoder.feed("]")


def position_of(error: JSONDecodeError) -> tuple[str, str, int, int, int]:
    return str(error), error.msg, error.pos, error.lineno, error.colno


def test_errors_after_text_was_dropped_name_the_position_in_the_whole() -> None:
    items = ["1,", '"中",', "\n [1, {}],", '\n"\\",",']
    spaces = ["", "\n ", " \n" * 3000]
    ends = ["]", " x", "}", ",", "[,", "[1,]", '{"a":1,}', '{"a":1 "b"', "tru]", "-]", '"\n', "1 2", "1]]"]
    for item in items:
        for space in spaces:
            for end in ends:
                head = "[" + item * 3000
                with pytest.raises(JSONDecodeError) as expected:
                    _core.loads((head + space + end).encode())
                for pieces in ([head + space, end], [head, space, end], [head, space + end], [head, space, *end]):
                    decoder = Decoder(partial="on")
                    with pytest.raises(JSONDecodeError) as error:  # noqa: PT012
                        for piece in pieces:
                            decoder.feed(piece.encode())
                            decoder.take_items()
                        decoder.close()
                    assert position_of(error.value) == position_of(expected.value)


def test_malformed_utf8_after_text_was_dropped_has_its_position_in_the_whole() -> None:
    for mark in (b"", b"\xef\xbb\xbf"):
        for end in (b'"\xff"]', b'"\xe4\xb8"]', '"é'.encode() + b'\xc0\xaf"]'):
            whole = mark + b"[" + b'"\xc3\xa9",' * 2000 + end
            with pytest.raises(UnicodeDecodeError) as expected:
                _core.loads(whole)
            decoder = Decoder(partial="on")
            decoder.feed(whole[: -len(end)])
            assert decoder.take_items() == ["é"] * 2000
            with pytest.raises(UnicodeDecodeError) as error:
                decoder.feed(end)
            for name in ("encoding", "start", "end", "reason"):
                assert getattr(error.value, name) == getattr(expected.value, name)


def test_items_of_what_is_no_array() -> None:
    for text in ('{"a": 1}', '{"a"', '"abc"', "12 ", "null"):
        decoder = Decoder(partial="on")
        decoder.feed(" " + text)
        with pytest.raises(JSONDecodeError, match=r"Expecting an array: line 1 column 2 \(char 1\)"):
            decoder.take_items()
    decoder = Decoder(partial="on")
    decoder.feed("[1, 2]")
    assert decoder.take_items() == [1, 2]
    assert decoder.take_items() == []
    assert decoder.close() == []


def test_threads_feed_their_own_decoders() -> None:
    text = dumps([{"a": i, "b": [str(i)] * 3} for i in range(200)]).encode()

    def work() -> None:
        source = random.Random(threading.get_ident())
        for _ in range(10):
            decoder = Decoder(partial="on")
            for chunk in chunks_of(text, source, 200):
                decoder.feed(chunk)
                _ = value_of(decoder)
            assert decoder.close() == json.loads(text)

    in_threads(work, 4)
