"""Encoding strings: escaping and transcoding of every PEP 393 kind, at every lane."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable

import pytest
from helpers import json_documents
from helpers.call_outcome import assert_same, outcome
from hypothesis import given

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

quoted = json.encoder.encode_basestring
quoted_ascii = json.encoder.encode_basestring_ascii


def assert_encoded(strings: Iterable[str], at_least: int) -> None:
    """Each string alone, and all in one list, in the three outputs: UTF-8, str of each kind, and ASCII."""
    strings = list(strings)
    assert len(strings) >= at_least
    outputs: list[tuple[str, Callable[[object], object], list[object]]] = [
        ("bytes", _core.dumps_to_bytes, [quoted(s).encode() for s in strings]),
        ("str", _core.dumps, [quoted(s) for s in strings]),
        ("ascii", lambda obj: _core.dumps(obj, ensure_ascii=True), [quoted_ascii(s) for s in strings]),
        (
            "ascii bytes",
            lambda obj: _core.dumps_to_bytes(obj, ensure_ascii=True),
            [quoted_ascii(s).encode() for s in strings],
        ),
    ]
    for name, encode, expected in outputs:
        got = [encode(s) for s in strings]
        if got != expected:
            i = next(i for i, pair in enumerate(zip(got, expected, strict=True)) if pair[0] != pair[1])
            assert_same(got[i], expected[i], (name, strings[i]))
    assert_same(_core.dumps_to_bytes(strings), f"[{','.join(map(quoted, strings))}]".encode(), "all in one list")
    assert_same(_core.dumps(strings), f"[{','.join(map(quoted, strings))}]", "all in one list")
    for first in json_documents.ANCHORS.values():
        all_strings = [first, *strings]
        assert_same(_core.dumps(all_strings), f"[{','.join(map(quoted, all_strings))}]", f"in one list after {first!r}")


@pytest.mark.parametrize("fill", json_documents.CLASSES)
def test_encode_escaped_character_at_every_lane_is_escaped(fill: str) -> None:
    strings = (
        s
        for special in json_documents.ESCAPED
        for s in json_documents.at_every_lane(special, json_documents.CLASSES[fill])
    )
    assert_encoded(strings, at_least=34 * 500)


@pytest.mark.parametrize("fill", json_documents.CLASSES)
def test_encode_special_character_at_every_lane_of_several_vectors(fill: str) -> None:
    specials = [
        char for char in ('"', "\x1f", *json_documents.CLASSES.values()) if char != json_documents.CLASSES[fill]
    ]
    strings = (
        s for char in specials for s in json_documents.at_every_lane_of_blocks(char, json_documents.CLASSES[fill])
    )
    assert_encoded(strings, at_least=6 * 1000)


@pytest.mark.parametrize("anchor", json_documents.ANCHORS)
def test_encode_code_point_at_the_edge_of_a_class_at_every_lane(anchor: str) -> None:
    strings = (
        s
        for special in json_documents.EDGES
        for s in json_documents.at_every_lane(special, "a", json_documents.ANCHORS[anchor])
    )
    assert_encoded(strings, at_least=15 * 500)


@pytest.mark.parametrize("fill", json_documents.CLASSES)
def test_encode_plain_run_of_each_length_in_each_kind(fill: str) -> None:
    char = json_documents.CLASSES[fill]
    assert_encoded((char * n + anchor for n in range(300) for anchor in json_documents.ANCHORS.values()), at_least=1200)


@pytest.mark.parametrize("fill", json_documents.CLASSES)
def test_encode_run_of_medium_length(fill: str) -> None:
    """Lengths up to those that are copied as long text, plain, and with a few escapes anywhere."""
    char = json_documents.CLASSES[fill]
    draw = random.Random(1024)
    assert_encoded((char * n for n in range(300, 1100)), at_least=800)
    strings = []
    for _ in range(2000):
        letters = [char] * draw.randint(100, 1100)
        for _ in range(draw.choice((1, 1, 2, 3, 4, 5, 20))):
            letters[draw.randrange(len(letters))] = draw.choice(json_documents.ESCAPED)
        strings.append("".join(letters))
    assert_encoded(strings, at_least=2000)


@pytest.mark.parametrize("fill", json_documents.CLASSES)
def test_encode_run_of_escapes_only(fill: str) -> None:
    char = json_documents.CLASSES[fill]
    runs = [e * n for e in json_documents.ESCAPED for n in json_documents.LENGTHS]
    assert_encoded([s for run in runs for s in (run, run + char, char + run, char + run + char)], at_least=2000)


def test_encode_change_of_class_at_every_index() -> None:
    letters = [*json_documents.CLASSES.values(), '"', "\x01"]
    pairs = [(a, b) for a in letters for b in letters if a != b]
    assert_encoded((s for a, b in pairs for s in json_documents.changes_of_class(a, b, 67)), at_least=8000)


@pytest.mark.parametrize("length", [31, 64, 67, 129, 200])
def test_encode_two_escapes_at_every_pair_of_places(length: int) -> None:
    plain = "x" * length
    assert_encoded(
        (
            plain[:first] + special + plain[first + 1 : second] + '"' + plain[second + 1 :]
            for special in '"\n\x01'
            for second in range(length)
            for first in range(second)
        ),
        at_least=3 * length * (length - 1) // 2,
    )


def test_encode_three_classes_in_turn_at_every_index() -> None:
    letters = [*json_documents.CLASSES.values(), "\\"]
    triples = [(a, b, c) for a in letters for b in letters for c in letters if len({a, b, c}) == 3]
    assert_encoded(
        ((a * i + b * width + c * (35 - i)) for a, b, c in triples for i in range(0, 36) for width in (1, 3)),
        at_least=8000,
    )


def test_encode_random_mix_of_classes() -> None:
    assert_encoded(json_documents.mixed(json_documents.KIND_ALPHABET, 10_000, seed=393), at_least=10_000)


def test_encode_long_random_mix_of_classes() -> None:
    assert_encoded(json_documents.mixed(json_documents.KIND_ALPHABET, 100, seed=3629, longest=20_000), at_least=100)


def test_encode_every_bmp_code_point_alone_and_in_one_text() -> None:
    code_points = [chr(c) for c in range(0x10000) if not 0xD800 <= c < 0xE000]
    text = "".join(code_points)
    assert_encoded(code_points, at_least=63_000)
    shuffled = random.Random(10646).sample(code_points, len(code_points))
    assert_encoded([text, "".join(shuffled), text + "\U0010ffff"], at_least=3)


def test_encode_sample_of_astral_code_points() -> None:
    draw = random.Random(17)
    planes = [plane * 0x10000 + low for plane in range(1, 17) for low in (0, 1, 0x3FF, 0x400, 0xFFFE, 0xFFFF)]
    sample = [chr(c) for c in planes + [draw.randrange(0x10000, 0x110000) for _ in range(3000)]]
    assert_encoded([*sample, "".join(sample), "a".join(sample), "中".join(sample)], at_least=3000)


def test_encode_lone_surrogate_at_every_lane_stays_in_str_and_ascii() -> None:
    for surrogate in json_documents.SURROGATES:
        for fill in json_documents.CLASSES.values():
            for text in json_documents.at_every_lane(surrogate, fill):
                assert_same(_core.dumps(text), quoted(text), text)
                assert_same(_core.dumps(text, ensure_ascii=True), quoted_ascii(text), text)


def test_encode_lone_surrogate_at_every_lane_of_bytes_raises_at_its_index() -> None:
    for surrogate in json_documents.SURROGATES:
        for fill in json_documents.CLASSES.values():
            for text in json_documents.at_every_lane(surrogate, fill):
                expected = outcome(lambda text: quoted(text).encode(), text)
                assert expected[0] == "UnicodeEncodeError"
                assert_same(outcome(_core.dumps_to_bytes, text), expected, text)


def test_encode_pair_of_surrogates_is_not_joined() -> None:
    for text in ("\ud83d\ude00", "a\ud83d\ude00", "\ud83d\ude00😀", "\ude00\ud83d"):
        assert_same(_core.dumps(text), quoted(text), text)
        assert_same(_core.dumps(text, ensure_ascii=True), quoted_ascii(text), text)
        assert_same(outcome(_core.dumps_to_bytes, text), outcome(lambda text: quoted(text).encode(), text), text)


def test_encode_str_result_has_the_narrowest_kind() -> None:
    for text in ("", "a" * 70, "é" * 70, "中" * 70, "😀" * 70, "a" * 70 + "é", "é" * 70 + "中", "中" * 70 + "😀"):
        got = _core.dumps([text, "a"])
        expected = f"[{quoted(text)},{quoted('a')}]"
        assert_same(got, expected, text)
        assert got.isascii() == expected.isascii()
        assert got.__sizeof__() == expected.__sizeof__(), f"{text!r}: {got.__sizeof__()} bytes"
        ascii_only = _core.dumps(text, ensure_ascii=True)
        assert ascii_only.isascii()
        assert ascii_only.__sizeof__() == quoted_ascii(text).__sizeof__()


@pytest.mark.parametrize("n_chars", [100_000, 3_000_000])
def test_encode_long_string_of_each_class(n_chars: int) -> None:
    for fill in (*json_documents.CLASSES.values(), '"', "\x00"):
        text = fill * n_chars
        assert_same(_core.dumps_to_bytes(text), quoted(text).encode(), fill)
        assert_same(_core.dumps(text), quoted(text), fill)
        assert_same(_core.dumps(text, ensure_ascii=True), quoted_ascii(text), fill)


@given(json_documents.texts)
def test_encode_any_text_equals_stdlib(text: str) -> None:
    assert_encoded([text], at_least=1)


@given(json_documents.texts_with_surrogates)
def test_encode_any_text_with_surrogates_equals_stdlib(text: str) -> None:
    assert_same(_core.dumps(text), quoted(text), text)
    assert_same(_core.dumps(text, ensure_ascii=True), quoted_ascii(text), text)
    assert_same(outcome(_core.dumps_to_bytes, text), outcome(lambda text: quoted(text).encode(), text), text)
