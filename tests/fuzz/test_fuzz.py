"""The fuzzers' committed inputs, at every level and without sanitizers; and that the fuzzers find what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz import corpus, decode, encode, partial
from fuzz.finds import Finds
from fuzz.graph import is_written_alike_by_msgspec


def test_decode_of_the_corpus_gives_what_the_oracle_gives(isa: str) -> None:
    inputs = corpus.load("decode")
    assert len(inputs) > 100
    for data in inputs:
        decode.decode_one(data)


def test_encode_of_the_corpus_gives_what_the_oracle_gives(isa: str) -> None:
    inputs = corpus.load("encode")
    assert len(inputs) > 100
    for data in inputs:
        encode.encode_one(data, isa)


def test_partial_documents_of_the_corpus_are_decoded_as_the_whole(isa: str) -> None:
    inputs = corpus.load("partial")
    assert len(inputs) > 30
    for data in inputs:
        partial.partial_one(data)


def test_corpus_has_graphs_of_each_kind() -> None:
    cases = [encode.Case(data) for data in corpus.load("encode")]
    assert any(case.is_wild for case in cases)
    assert any(case.has_hook and not case.is_wild for case in cases)
    assert {way for case in cases for way in case.ways} == set(encode.WAYS)
    graphs = [case.build()[0] for case in cases]
    assert any(graph.is_circular for graph in graphs)
    options = {name for case in cases for name, value in case.options.items() if value}
    assert options >= {"natives", "models", "indent", "separators", "sort_keys", "int53", "html_safe", "nan_as_null"}


def test_values_that_differ_are_a_find_once_a_place(tmp_path: Path) -> None:
    def target(data: bytes) -> None:
        assert len(data) < 3, data

    finds = Finds(target, "target-avx2", tmp_path)
    for data in (b"a", b"abc", b"abcd"):
        finds(data)
    (kept,) = [path for path in tmp_path.iterdir() if path.suffix != ".txt"]
    assert kept.read_bytes() == b"abc"
    assert "AssertionError: b'abc'" in kept.with_name(f"{kept.name}.txt").read_text()


def test_decode_target_notices_a_wrong_value(monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytes((0, 0, 0, 0, 0)) + b"[1]"  # bytes, loads, no options
    decode.decode_one(data)
    monkeypatch.setattr(decode.reference_codec, "decode", lambda source, **options: [2])
    with pytest.raises(AssertionError, match=r"got .*1"):
        decode.decode_one(data)


def test_encode_target_notices_a_wrong_text(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    encode.encode_one(bytes(50), isa)
    monkeypatch.setitem(vars(encode), "WAYS", (lambda value, options, draw: "wrong",) * 8)
    with pytest.raises(AssertionError, match="wrong"):
        encode.encode_one(bytes(50), isa)


def test_struct_has_an_expected_text_if_msgspec_writes_its_values_as_stdlib_does() -> None:
    pytest.importorskip("msgspec")
    from fuzz.models import Struct

    cycle: list[object] = []
    cycle.append(cycle)
    for value in ("é", 2**60, None, [True, (1, {"a": []})], Struct({}, [])):
        assert is_written_alike_by_msgspec(Struct(value, 1), set()), value
    for value in (1e16, {None: 1}, {1: 1}, {"a": [b"a"]}, Struct(1, 0.5), cycle):
        assert not is_written_alike_by_msgspec(Struct([value], 1), set()), value
