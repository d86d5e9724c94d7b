"""feed and close: chunks in every split give the result of the whole document, errors included."""

from __future__ import annotations

import array
import gc
import itertools
import mmap
import threading
import tracemalloc
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers import decode_checks, json_documents, stdlib_json
from helpers.call_outcome import assert_same, outcome
from helpers.decode_checks import fed
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "utf-32-be")


def splits(source: Any) -> Iterator[list[Any]]:
    """Each split in two, some in three, and one in single units."""
    n = len(source)
    for i in range(n + 1):
        yield [source[:i], source[i:]]
    for i, j in itertools.combinations(range(0, n + 1, max(1, n // 6)), 2):
        yield [source[:i], source[i:j], source[j:]]
    yield [source[i : i + 1] for i in range(n)]
    yield [source]


def test_every_split_gives_what_the_whole_gives() -> None:
    texts = [
        *json_documents.VALID,
        *json_documents.MALFORMED[::3],
        '{"é": ["中", "😀", 1.5]}',
        "\ufeff1",
        '["\ud83d", "\\ude00"]',
    ]
    for text in texts:
        expected = outcome(stdlib_json.loads, text)
        for chunks in splits(text):
            assert_same(outcome(fed, chunks), expected, chunks)
        if decode_checks.is_encodable(text):
            expected = outcome(stdlib_json.loads, text.encode())
            for chunks in splits(text.encode()):
                assert_same(outcome(fed, chunks), expected, chunks)


def test_every_split_of_bytes_in_each_encoding_gives_what_the_whole_gives() -> None:
    for text in ('{"é": ["中", "😀", 1.5]}', '["é', '"a"', ""):
        for encoding in ENCODINGS:
            data = text.encode(encoding)
            expected = outcome(stdlib_json.loads, data)
            for chunks in splits(data):
                assert_same(outcome(fed, chunks), expected, chunks)
    for data in (
        b'["\xff"]',
        b'["\xe4\xb8"]',
        b'["\xe4\xb8\xad"]',
        b'["\xed\xa0\x80"]',
        b"\xef\xbb",
        b"\xef\xbb\xbf\xef\xbb\xbf1",
    ):
        expected = outcome(stdlib_json.loads, data)
        for chunks in splits(data):
            assert_same(outcome(fed, chunks), expected, chunks)


@given(json_documents.decoded_values, st.booleans(), st.booleans(), st.data())
def test_any_document_in_any_chunks_gives_what_the_whole_gives(
    value: Any, ensure_ascii: bool, as_bytes: bool, data: st.DataObject
) -> None:
    text = stdlib_json.dumps(value, ensure_ascii=ensure_ascii)
    source: Any = text.encode() if as_bytes else text
    cuts = sorted(data.draw(st.lists(st.integers(0, len(source)), max_size=12)))
    chunks = [source[i:j] for i, j in itertools.pairwise([0, *cuts, len(source)])]
    assert_same(outcome(fed, chunks), outcome(stdlib_json.loads, text), chunks)


def test_chunks_of_str_of_each_kind_in_each_order() -> None:
    parts = ['"a"', '"é"', '"中"', '"😀"', '"\\u4e2d"']
    for order in itertools.permutations(parts):
        for lengths in (1, 50):
            texts = ["[", *(part + "," + part[:-1] * 1 + part[-1] * 1 + "," for part in order), "1" * lengths, "]"]
            assert fed(texts) == stdlib_json.loads("".join(texts))
            fill = ["[", *(f'"{part[1:-1] * 100}",' for part in order), "1]"]
            assert fed(fill) == stdlib_json.loads("".join(fill))


def test_chunks_of_every_type_that_holds_bytes(tmp_path: Path) -> None:
    (tmp_path / "chunk").write_bytes(b" 2.5")
    with (tmp_path / "chunk").open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        chunks = [
            b'["',
            "é".encode(),
            bytearray(b'",'),
            memoryview(b"x 1,x")[1:-1],
            array.array("B", b"{},"),
            mapped,
            b"]",
        ]
        for order in (chunks, [bytearray(b""), *chunks], [b"", *chunks, memoryview(b"")]):
            assert fed(order) == ["é", 1, {}, 2.5]
    assert fed([memoryview(b"[1]")]) == fed([bytearray(b"[1]")]) == fed([array.array("b", b"[1]")]) == [1]


def test_mutable_chunk_may_change_after_its_feed() -> None:
    decoder = _core.Decoder()
    chunk = bytearray(b"[1, ")
    decoder.feed(chunk)
    chunk[:] = b"xxxxxxxxxx"
    decoder.feed(memoryview(chunk)[:0])
    chunk.clear()
    chunk.extend(b"2]")
    decoder.feed(chunk)
    chunk.clear()
    assert decoder.close() == [1, 2]


def test_single_chunk_is_not_copied() -> None:
    source: Any
    for source in (b'["' + b"x" * 1_000_000 + b'"', '["' + "中" * 500_000 + '"'):
        decoder = _core.Decoder()
        tracemalloc.start()
        try:
            decoder.feed(source)
            assert tracemalloc.get_traced_memory()[1] < 100_000
        finally:
            tracemalloc.stop()
        assert outcome(decoder.close)[0] == "JSONDecodeError"


def traced_bytes_of_chunks(chunk: str | bytes, n: int) -> int:
    """What n chunks take while they are gathered, with whatever other threads take meanwhile."""
    decoder = _core.Decoder()
    tracemalloc.start()
    try:
        for _ in range(n):
            decoder.feed(chunk)
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        outcome(decoder.close)


def test_many_small_chunks_take_little_more_than_the_body() -> None:
    for chunk, n_bytes in ((b"1", 1), ("1", 1), ("é", 1), ("中", 2), ("😀", 4)):
        least = min(traced_bytes_of_chunks(chunk, 50_000) for _ in range(4))  # a worker of xdist has threads
        assert least < 50_000 * n_bytes * 1.6 + 5000


def test_time_of_many_chunks_is_not_quadratic() -> None:
    decoder = _core.Decoder()
    for chunk in ('"', *["ab" * 10] * 200_000, "é", *["ab" * 10] * 200_000, "中", *["ab" * 10] * 200_000, '"'):
        decoder.feed(chunk)  # 12 MB: minutes if each chunk copied them
    assert len(decoder.close()) == 12_000_002


def test_close_without_chunks_is_the_error_of_an_empty_document() -> None:
    for chunks in ([], [""], [b""], [b"", b""], [bytearray()]):
        assert_same(outcome(fed, chunks), outcome(stdlib_json.loads, ""), chunks)


def test_bytes_and_str_are_not_mixed() -> None:
    for first, second in ((b"1", "2"), ("1", b"2"), ("", b"1"), (b"", "1"), ("1", bytearray(b"2")), (b"1", "")):
        decoder = _core.Decoder()
        decoder.feed(first)
        with pytest.raises(TypeError, match="chunks of one document must be all bytes or all str"):
            decoder.feed(second)
        decoder.feed("[3]")
        assert decoder.close() == [3]
        decoder.feed(b"[4]")
        assert decoder.close() == [4]


def test_chunk_of_a_wrong_type_raises_type_error_and_drops_the_body() -> None:
    decoder = _core.Decoder()
    for wrong in (None, 5, ["1"], object(), memoryview(b"1234")[::2], array.array("I", [1])):
        decoder.feed("[1")
        with pytest.raises((TypeError, BufferError)):
            decoder.feed(wrong)  # type: ignore[arg-type]
        assert outcome(decoder.close) == outcome(stdlib_json.loads, "")


def test_size_is_limited_at_each_feed() -> None:
    for unit in ("1", b"1", "中", bytearray(b"1")):
        decoder = _core.Decoder(max_size=10)
        for _ in range(3):
            for _ in range(10):
                decoder.feed(unit)
            with pytest.raises(_core.JSONSizeError) as raised:
                decoder.feed(unit)
            assert (raised.value.msg, raised.value.pos, raised.value.doc) == (
                "Document is longer than max_size (10)",
                10,
                "",
            )
            decoder.feed("[5]")
            assert decoder.close() == [5]
    decoder = _core.Decoder(max_size=10)
    with pytest.raises(_core.JSONSizeError):
        decoder.feed(b"x" * 11)
    decoder.feed(b"[1, 2, 34]")
    assert decoder.close() == [1, 2, 34]


def test_decoder_is_ready_for_the_next_body_after_each_outcome() -> None:
    decoder = _core.Decoder(max_size=1000, max_depth=3)
    for _ in range(3):
        for text in ("[1]", "[1", "\ufeff1", "[[[[1]]]]", '"\ud800"', ""):
            for source in (text, text.encode("utf-8", "surrogatepass"), [*text]):
                decoder_feeds(decoder, source)
                got = outcome(decoder.close)
                expected = outcome(_core.loads, "".join(source) if isinstance(source, list) else source, max_depth=3)
                assert_same(got, expected, source)
                assert outcome(decoder.close) == outcome(stdlib_json.loads, "")


def decoder_feeds(decoder: _core.Decoder, source: Any) -> None:
    for chunk in source if isinstance(source, list) else [source]:
        decoder.feed(chunk)


def test_doc_of_an_error_is_the_whole_body() -> None:
    for chunks in (["[1,\n", "é,\n", "中"], [b"[1,\n", "é,\n中".encode()], ["[1,\né,\n中"]):
        with pytest.raises(_core.JSONDecodeError) as raised:
            fed(chunks)
        assert (raised.value.doc, raised.value.pos, raised.value.lineno) == ("[1,\né,\n中", 4, 2)


def test_other_methods_leave_the_body_alone() -> None:
    decoder = _core.Decoder()
    decoder.feed("[1, ")
    assert decoder.decode("[5]") == [5]
    assert decoder.decode_lines("1\n2") == [1, 2]
    assert decoder.raw_decode("[1] x") == ([1], 3)
    outcome(decoder.decode, "x")
    decoder.feed("2]")
    assert decoder.close() == [1, 2]


def test_hooks_of_close_may_feed_and_close() -> None:
    results: list[Any] = []

    def hook(value: Any) -> Any:
        if not results:
            results.append(outcome(decoder.close))
            decoder.feed('{"inner": ')
            decoder.feed("1}")
            results.append(decoder.close())
            decoder.feed("[2]")
        return value

    decoder = _core.Decoder(object_hook=hook)
    for whole in (["[{}, {}]"], ["[{}", ", {}]"], [b"[{}, ", bytearray(b"{}]")]):
        results.clear()
        for chunk in whole:
            decoder.feed(chunk)
        assert decoder.close() == [{}, {}]
        assert results == [outcome(stdlib_json.loads, ""), {"inner": 1}]
        assert decoder.close() == [2]


def test_hook_of_close_that_drops_the_decoder() -> None:
    def hook(value: Any) -> Any:
        holder.clear()
        gc.collect()
        return value

    holder = [_core.Decoder(object_hook=hook)]
    holder[0].feed('[{"a": "é"}, ')
    holder[0].feed('{"b": "中"}]')
    assert holder[0].close() == [{"a": "é"}, {"b": "中"}]


def test_chunk_of_a_subclass_that_points_back_is_collected() -> None:
    class Data(bytes):
        pass

    class Text(str):
        pass

    for cls, content in ((Data, b"[1]"), (Text, "[1]")):
        chunk: Any = cls(content)
        chunk.decoder = _core.Decoder()
        chunk.decoder.feed(chunk)
        alive = weakref.ref(chunk) if cls is Text else None
        ended = weakref.finalize(chunk, lambda: None) if alive is not None else None
        del chunk
        gc.collect()
        assert ended is None or not ended.alive


def test_chunk_whose_end_runs_code_that_feeds() -> None:
    decoder = _core.Decoder(max_size=100)

    class Text(str):
        def __del__(self) -> None:
            outcome(decoder.feed, "[7]" if len(fed_by_end) % 2 else 5)
            fed_by_end.append(1)

    fed_by_end: list[int] = []
    for _ in range(10):
        decoder.feed(Text("[1"))
        outcome(decoder.feed, ", 2")
        outcome(decoder.feed, Text("]"))
        outcome(decoder.close)
        decoder.feed(Text("[1"))
        outcome(decoder.feed, "x" * 200)
        decoder.feed(Text("[1"))
        outcome(decoder.feed, b"1")
        outcome(decoder.close)
    assert len(fed_by_end) == 40


def test_private_text_is_not_shown() -> None:
    decoder = _core.Decoder()
    for chunk in ("[1, ", "2, ", "3"):
        decoder.feed(chunk)
        gc.collect()
        assert all(not isinstance(thing, str) or thing == "[1, " for thing in gc.get_referents(decoder))
    decoder.feed("]")
    assert decoder.close() == [1, 2, 3]


def test_threads_that_feed_at_once_lose_no_memory() -> None:
    decoder = _core.Decoder(max_size=5000)
    n_errors = [0]

    def work(chunk: Any) -> None:
        for i in range(500):
            got = outcome(decoder.feed, chunk)
            if got[0] != "value":
                n_errors[0] += 1
            if i % 50 == 0:
                outcome(decoder.close)

    threads = [
        threading.Thread(target=work, args=(chunk,)) for chunk in ("1", "é" * 9, "中", b"1" * 20, bytearray(b"2"))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    outcome(decoder.close)
    decoder.feed("[1]")
    assert decoder.close() == [1]


def test_body_that_is_never_closed_is_freed() -> None:
    tracemalloc.start()
    try:
        for chunk in ("中" * 10_000, b"x" * 10_000):
            before = tracemalloc.get_traced_memory()[0]
            for _ in range(50):
                decoder = _core.Decoder()
                decoder.feed(chunk)
                decoder.feed(chunk)
                del decoder
            assert tracemalloc.get_traced_memory()[0] - before < 20_000
    finally:
        tracemalloc.stop()
