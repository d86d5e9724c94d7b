"""Strings that a document repeats are one str; which are, and that nothing else comes of it."""

from __future__ import annotations

import gc
import json
import random
import tracemalloc
from typing import Any

import pytest
from helpers import json_documents
from helpers.call_outcome import assert_same, outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

# a document shorter than that is not worth a cache
LONG_ENOUGH = 512
# source bytes of the longest string that is shared, without its quotes
LONGEST = 31
# what fills a document that would be too short
FILLER = [0] * LONG_ENOUGH


# for each kind of str: its widest character, which the document has somewhere
WIDEST = {"latin1": "\xff", "ucs2": "\u4e22", "ucs4": "\U0001f600"}
# and the bytes of a unit of the source
UNIT_BYTES = {"bytes": 1, "latin1": 1, "ucs2": 2, "ucs4": 4}
KINDS = pytest.mark.parametrize("kind", UNIT_BYTES)


# strings of one place in a document that are not looked up after many were all different
MAX_SKIPPED = 6000


def look_up() -> None:
    """Strings of the outermost list are looked up from now on, whatever those of the documents before were."""
    _core.loads(json.dumps(["again"] * (MAX_SKIPPED + 100)))


@pytest.fixture
def looked_up(isa: str) -> None:
    look_up()


def in_kinds(texts: list[str]) -> list[tuple[str, str]]:
    """Each kind of source with each of the texts that it can hold."""
    return [(kind, text) for kind in UNIT_BYTES for text in texts if max(text) <= WIDEST.get(kind, "\U0010ffff")]


def decoded(texts: list[str], kind: str = "bytes") -> list[Any]:
    """The strings of these source texts, in a document of that kind that is long enough to share them."""
    widest = WIDEST.get(kind, "")
    document = "[" + ",".join(f'"{text}"' for text in texts) + f',"{widest}",' + json.dumps(FILLER)[1:]
    values: list[Any] = _core.loads(document if widest else document.encode())
    assert values == json.loads(document)
    return values[: len(texts)]


@pytest.mark.usefixtures("looked_up", "objects_in_place")
@KINDS
def test_equal_strings_of_a_document_are_one(kind: str) -> None:
    for n_bytes in (0, 1, 2, 3, 4, 6, 7, 8, 9, 12, 15, 16, 17, 24, 28, 30, LONGEST):
        look_up()
        text = "s" * (n_bytes // UNIT_BYTES[kind])
        first, other, second = decoded([text, "other", text], kind)
        assert first is second, n_bytes
        assert other is not first, n_bytes


@pytest.mark.usefixtures("looked_up", "objects_in_place")
def test_strings_that_are_decoded_are_shared_too() -> None:
    texts = [
        "é",
        "déjà",
        "中文",
        "пример",
        "😀 hi",
        "tab\\t",
        "d\\u00e9j\\u00e0",
        "\\ud83d\\ude00",
        "C:\\\\dir",
        "\\\\",
    ]
    for kind, text in in_kinds(texts):
        look_up()
        first, second = decoded([text, text], kind)
        assert (first is second) == (len(text) * UNIT_BYTES[kind] <= LONGEST), (kind, text)


@pytest.mark.usefixtures("looked_up", "objects_in_place")
def test_words_that_differ_in_one_place_do_not_drive_each_other_out() -> None:
    forms = ["status_{}", "{}_kind", "category_{:03}", "2026-11-{:02}", "{}", "中文{}", "{}é"]
    for kind, form in in_kinds(forms):
        look_up()
        words = [form.format(i) for i in range(60)]
        values = decoded(random.Random(1).choices(words, k=1200), kind)
        are_short = len(words[0]) * UNIT_BYTES[kind] <= LONGEST
        assert (len({id(value) for value in values}) < 180) == are_short, (kind, form)


@pytest.mark.usefixtures("looked_up", "objects_in_place")
@KINDS
def test_longer_strings_are_not_shared(kind: str) -> None:
    first, second = decoded(["s" * ((LONGEST + 1) // UNIT_BYTES[kind])] * 2, kind)
    assert first == second
    assert first is not second


@pytest.mark.usefixtures("looked_up", "objects_in_place")
def test_a_str_source_of_ascii_shares_as_bytes_do() -> None:
    values = _core.loads(json.dumps(["red", "green", "red", *FILLER]))
    assert values[0] is values[2]


def test_misses_are_counted_for_each_key(objects_in_place: None) -> None:
    rows = [{"shared_string": str(i), "status": "shipped" if i % 3 else "open"} for i in range(500)]
    first = _core.loads(json.dumps(rows))
    again = _core.loads(json.dumps(rows))
    assert first == again == rows
    assert len({id(row["status"]) for row in again[:-1]}) == 2


@pytest.mark.usefixtures("looked_up", "objects_in_place")
def test_each_document_has_strings_of_its_own() -> None:
    (first,) = decoded(["of one document"])
    (second,) = decoded(["of one document"])
    assert first is not second


@pytest.mark.usefixtures("looked_up")
def test_no_string_is_kept_after_its_document() -> None:
    document = json.dumps([f"kept {i}" for i in range(300)] + FILLER)
    _core.loads(document)
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(20):
            _core.loads(document)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 300 * 50


@pytest.mark.usefixtures("looked_up", "objects_in_place")
def test_a_repeated_string_takes_no_memory() -> None:
    document = json.dumps(["a status of an order"] * 10_000)
    tracemalloc.start()
    try:
        values = _core.loads(document)
        now, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len({id(value) for value in values}) <= 2  # the end of a text is read with more care
    assert now < 10_000 * 8 * 1.3


@pytest.mark.usefixtures("looked_up")
@KINDS
def test_more_strings_than_there_is_room_for_are_all_right(kind: str) -> None:
    dice = random.Random(1)
    characters = [c for c in 'ab"\\\u00e9中\u2222😀' if c <= WIDEST.get(kind, c)]
    words = ["".join(dice.choices(characters, k=dice.randrange(12))) for _ in range(3000)]
    texts = [json.dumps(dice.choice(words), ensure_ascii=dice.random() < 0.5)[1:-1] for _ in range(20_000)]
    decoded(texts, kind)


@pytest.mark.usefixtures("looked_up")
@KINDS
def test_strings_that_begin_alike_are_told_apart(kind: str) -> None:
    # some units have a byte that is a quote, or zero, after which another text ends
    ends = [end for end in ("", "x", "y", "\\n", "\u2222", "\u0122", "\U00012222") if end <= WIDEST.get(kind, end)]
    texts = [stem[:n] + end for stem in ("abcdefgh" * 4, "é" * 16) for n in range(31) for end in ends]
    decoded(texts * 3, kind)


@pytest.mark.usefixtures("looked_up")
@KINDS
def test_an_escaped_quote_does_not_end_a_text(kind: str) -> None:
    # a known text, and one of which the part before the first quote is that text or a backslash more
    decoded(["ab", 'ab\\"', 'ab\\"c', "ab\\\\", 'ab\\\\\\"', "ab", '\\"', "", '\\"ab'] * 3, kind)


@pytest.mark.usefixtures("looked_up")
@KINDS
def test_an_escaped_quote_in_a_key_does_not_end_a_text(kind: str) -> None:
    # a string of which the part before the first quote is the beginning of a key, up to its quote
    rows = [f'{{"é{i}\\"":0}},"é{i}\\"z","again"' for i in range(20_000)]
    widest = WIDEST.get(kind, "")
    document = f'["{widest}",' + ",".join(rows) + "]"
    assert _core.loads(document if widest else document.encode()) == json.loads(document)


def test_strings_that_are_all_different_are_looked_up_no_more_and_later_again() -> None:
    different = [f"name {i}" for i in range(20_000)]
    assert _core.loads(json.dumps(different)) == different
    alike = ["the same"] * (2 * MAX_SKIPPED)
    assert _core.loads(json.dumps(alike)) == alike
    mixed = [value for pair in zip(different, alike, strict=False) for value in pair]
    assert _core.loads(json.dumps(mixed)) == mixed


@pytest.mark.usefixtures("looked_up")
@KINDS
def test_strings_near_the_end_of_the_text(kind: str) -> None:
    for n_bytes in range(70):
        values = [WIDEST.get(kind, ""), *FILLER, "ab", "ab", "x" * n_bytes, "ab"]
        document = json.dumps(values, separators=(",", ":"), ensure_ascii=False)
        assert _core.loads(document) == json.loads(document)
        for n_cut in range(1, min(n_bytes + 8, 40)):
            assert_same(
                outcome(_core.loads, document[:-n_cut]), outcome(json.loads, document[:-n_cut]), document[-n_cut - 40 :]
            )


@KINDS
def test_documents_after_known_strings_decode_as_stdlibs(kind: str) -> None:
    known = json.dumps([WIDEST.get(kind, ""), *FILLER], ensure_ascii=False)[:-1]
    for text in (*json_documents.VALID, *json_documents.MALFORMED):
        look_up()
        around = known + ',"","a","x","\\ud800",' + text
        for document in (around + "]", f'{around},"a","x",{text}]', f'{around},{text},"a"' + " " * 40 + "]"):
            assert_same(outcome(_core.loads, document), outcome(json.loads, document), text)


@pytest.mark.usefixtures("looked_up")
@KINDS
def test_what_an_option_refuses_is_refused_after_it_was_taken(kind: str) -> None:
    filler = json.dumps([WIDEST.get(kind, ""), *FILLER], ensure_ascii=False)[1:]
    surrogates = '["\\ud800","\\ud800",' + filler
    tabs = '["a\tb","a\tb",' + filler
    if kind.startswith("ucs"):
        raw = '["\ud800","\ud800",' + filler
        assert _core.loads(raw)[:2] == ["\ud800", "\ud800"]
        with pytest.raises(json.JSONDecodeError):
            _core.loads(raw, allow_surrogates=False)
    for _ in range(2):
        assert _core.loads(surrogates)[:2] == ["\ud800", "\ud800"]
        assert _core.loads(tabs, strict=False)[:2] == ["a\tb", "a\tb"]
        with pytest.raises(json.JSONDecodeError):
            _core.loads(surrogates, allow_surrogates=False)
        with pytest.raises(json.JSONDecodeError):
            _core.loads(tabs)


@given(st.lists(st.text(max_size=12), max_size=30), st.booleans(), st.randoms(use_true_random=False))
def test_any_strings(words: list[str], ensure_ascii: bool, dice: random.Random) -> None:
    values = [dice.choice(words) for _ in range(100) if words] + FILLER
    document = json.dumps(values, ensure_ascii=ensure_ascii)
    assert _core.loads(document.encode("utf-8", "surrogatepass")) == values
    assert _core.loads(document) == values


@pytest.mark.usefixtures("objects_in_place")
def test_equal_keys_that_are_not_ascii_are_one_str() -> None:
    keys = ["编号", "naïve", "d\\u00e9j\\u00e0", "ключ" * 3, "😀"]
    objects = [f'{{"{key}":{i},"of its own {i}":0}}' for i in range(3) for key in keys]
    for filler in (FILLER, []):  # with a cache of strings, and without
        values = _core.loads(f"[{','.join(objects)},{json.dumps(filler)}]".encode())
        assert values == json.loads(f"[{','.join(objects)},{json.dumps(filler)}]")
        for i in range(len(keys)):
            assert len({id(next(iter(value))) for value in values[:-1][i :: len(keys)]}) == 1


def test_more_keys_than_there_is_room_for_are_all_right() -> None:
    dice = random.Random(2)
    keys = ["".join(dice.choices("é中😀\u0416a", k=dice.randrange(1, 14))) for _ in range(2000)]
    value = [dict.fromkeys(dice.sample(keys, 50), i) for i in range(100)]
    assert _core.loads(json.dumps(value, ensure_ascii=False).encode()) == value
    assert _core.loads(json.dumps(value)) == value


def object_of(keys: list[str], kind: str) -> None:
    """The object with these keys, in a str of that kind that is long enough for a cache, is as json's."""
    value = {key: i for i, key in enumerate(keys)} | {"filler": [WIDEST[kind], *FILLER]}
    document = json.dumps(value, ensure_ascii=False)
    assert list(_core.loads(document).items()) == list(json.loads(document).items())


@pytest.mark.parametrize("kind", WIDEST)
def test_equal_keys_of_a_wide_text_are_one_str(kind: str, objects_in_place: None) -> None:
    keys = ["\xe9t\xe9", WIDEST[kind], WIDEST[kind] * 3, "tab\\t\xe9"]
    objects = ",".join(f'{{"{key}":{i},"of its own {i}":0}}' for i in range(3) for key in keys)
    document = f"[{objects},{json.dumps(FILLER)}]"
    values = _core.loads(document)
    assert values == json.loads(document)
    for i in range(len(keys)):
        assert len({id(next(iter(value))) for value in values[:-1][i :: len(keys)]}) == 1


@pytest.mark.parametrize("kind", WIDEST)
def test_keys_of_a_wide_text_that_begin_alike_are_told_apart(kind: str) -> None:
    # units with a byte that is a quote, or zero, after which another key ends
    units = [unit for unit in "a\xe9\u0100\u2200\u2222\u4e22\u0022\U0001f622\U00012222" if unit <= WIDEST[kind]]
    ends = ["", *units, *(a + b for a in units for b in units)]
    object_of([unit * n + end for unit in units for n in range(9) for end in ends], kind)


@pytest.mark.parametrize("kind", WIDEST)
def test_more_keys_of_a_wide_text_than_there_is_room_for(kind: str) -> None:
    dice = random.Random(2)
    alphabet = [c for c in 'ab"\\\n\xe9\u4e2d\U0001f600' if c <= WIDEST[kind]]
    object_of(["".join(dice.choices(alphabet, k=dice.randrange(1, 20))) for _ in range(5000)], kind)


@pytest.mark.parametrize("kind", WIDEST)
def test_keys_near_the_end_of_a_wide_text(kind: str) -> None:
    for n in range(40):
        document = json.dumps([FILLER, {WIDEST[kind]: 0}, {WIDEST[kind]: 1, WIDEST[kind] * n: 2}], ensure_ascii=False)
        assert _core.loads(document) == json.loads(document)
        for n_cut in range(1, 20):
            cut = document[:-n_cut]
            assert_same(outcome(_core.loads, cut), outcome(json.loads, cut), cut[-40:])
