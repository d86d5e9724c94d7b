"""Decoding strings: every kind, every escape and every fault at every lane."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable

import pytest
from helpers import json_documents, reference_codec, stdlib_json
from helpers.call_outcome import assert_same, outcome
from helpers.stdlib_json import assert_decoded
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

ESCAPES = [
    *('\\"', "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"),
    *("\\u0041", "\\u0000", "\\u001f", "\\u007f", "\\u0080", "\\u00e9", "\\u00FF", "\\u0100", "\\u07ff", "\\u0800"),
    *("\\u4e2d", "\\uD7FF", "\\ue000", "\\uFFFF", "\\ufeff"),
    *("\\ud83d\\ude00", "\\uD800\\uDC00", "\\udbff\\udfff"),
    *("\\ud800", "\\udbff", "\\udc00", "\\udfff", "\\ude00\\ud83d", "\\ud83d\\ud83d\\ude00", "\\ud83d\\u0041"),
    *("\\ud83d\\n", "\\ud83d\\\\", "\\ud83d\\u00e9", "\\ud83dé", "\\ud83d😀"),
]
FAULTS = [
    *("\\x", "\\U0041", "\\a", "\\0", "\\'", "\\ ", "\\\n", "\\é", "\\中", "\\😀"),
    *("\\u", "\\u1", "\\u12", "\\u123", "\\u123g", "\\ug123", "\\u 123", "\\u+123", "\\u-123", "\\u0x12", "\\u00é0"),
    *("\\u00\\n", "\\u\\u0041", "\\ud83d\\u", "\\ud83d\\u12", "\\ud83d\\ude0", "\\ud83d\\ude0g", "\\ud83d\\x"),
]


def assert_all_decoded(strings: Iterable[str], at_least: int) -> None:
    """Each JSON string (with its quotes), from str and from bytes."""
    n_strings = 0
    for text in strings:
        n_strings += 1
        assert_decoded(text)
    assert n_strings >= at_least


def quoted(inside: Iterable[str]) -> Iterable[str]:
    return (f'"{text}"' for text in inside)


@pytest.mark.parametrize("fill", json_documents.CLASSES)
def test_decode_plain_string_of_each_length(fill: str) -> None:
    char = json_documents.CLASSES[fill]
    assert_all_decoded(
        quoted(char * n + last for n in range(200) for last in json_documents.ANCHORS.values()), at_least=800
    )


@pytest.mark.parametrize("escape", ESCAPES)
def test_decode_escape_at_every_lane(escape: str) -> None:
    for fill in json_documents.CLASSES.values():
        assert_all_decoded(quoted(json_documents.at_every_lane(escape, fill)), at_least=500)


@pytest.mark.parametrize("fill", json_documents.CLASSES)
def test_decode_special_character_at_every_lane_of_several_vectors(fill: str) -> None:
    for special in ("\\n", '"', "\x1f", *json_documents.CLASSES.values()):
        assert_all_decoded(
            quoted(json_documents.at_every_lane_of_blocks(special, json_documents.CLASSES[fill])),
            at_least=1000,
        )


@pytest.mark.parametrize("fault", FAULTS)
def test_decode_faulty_escape_at_every_lane_raises_at_its_position(fault: str) -> None:
    for fill in ("a", "é", "中", "😀"):
        assert_all_decoded(quoted(json_documents.at_every_lane(fault, fill)), at_least=500)


def test_decode_control_character_at_every_lane_raises_at_its_position() -> None:
    for char in map(chr, range(0x20)):
        for fill in ("a", "中") if char not in "\x00\n\x1f" else json_documents.CLASSES.values():
            assert_all_decoded(quoted(json_documents.at_every_lane(char, fill)), at_least=500)


def test_decode_code_point_at_the_edge_of_a_class_at_every_lane() -> None:
    for special in json_documents.EDGES:
        for fill in ("a", "é"):
            assert_all_decoded(quoted(json_documents.at_every_lane(special, fill)), at_least=500)


def test_decode_change_of_class_at_every_index() -> None:
    letters = [*json_documents.CLASSES.values(), "\\n", "\\u4e2d", "\\ud83d\\ude00"]
    pairs = [(a, b) for a in letters for b in letters if a != b]
    assert_all_decoded(quoted(s for a, b in pairs for s in json_documents.changes_of_class(a, b, 35)), at_least=6000)


def test_decode_random_mix_of_classes_and_escapes() -> None:
    draw = random.Random(8259)
    pieces = [*json_documents.CLASSES.values(), *json_documents.EDGES, *ESCAPES]
    strings = (
        "".join(draw.choice(few) * draw.choice((1, 1, 2, 7, 33)) for _ in range(draw.randint(0, 25)))
        for few in (draw.sample(pieces, draw.randint(1, 6)) for _ in range(4000))
    )
    assert_all_decoded(quoted(strings), at_least=4000)


def test_decode_run_of_escapes_only() -> None:
    assert_all_decoded(quoted(escape * n for escape in ESCAPES for n in (1, 2, 3, 8, 31, 64, 200)), at_least=200)


def test_decode_backslashes_before_a_quote_of_each_count() -> None:
    for before in range(70):
        for n_backslashes in range(1, 12):
            text = '"' + "a" * before + "\\" * n_backslashes + '"'
            assert_all_decoded([text, f"[{text}]", f'[{text},"b"]', f'{{{text}:"c"}}'], at_least=4)


def test_decode_run_of_backslashes_across_vectors() -> None:
    for before in (0, 1, 14, 15, 16, 31, 33, 62, 63, 64, 65):
        for n_backslashes in (15, 16, 17, 31, 32, 33, 63, 64, 65, 126, 127, 128, 129, 200):
            for fill in ("a", "é", "中", "😀"):
                text = fill * before + "\\" * n_backslashes
                assert_all_decoded([f'"{text}"', f'"{text}n"', f'["{text}", "b"]'], at_least=3)


def test_decode_pair_of_escapes_at_every_lane() -> None:
    pairs = [
        a + b for a in ("\\n", "\\\\", '\\"', "\\u4e2d") for b in ("\\t", "\\\\", "n", "\\u00e9", "\\ud83d\\ude00")
    ]
    for pair in pairs:
        for fill in ("a", "中"):
            assert_all_decoded(quoted(json_documents.at_every_lane(pair, fill)), at_least=500)


def test_decode_special_character_where_long_strings_change_their_kernel() -> None:
    # strings are first read by one vector, then by 256 bytes, then by pieces of four vectors
    lengths = (*range(60, 70), *range(124, 132), *range(250, 262), *range(380, 390), *range(508, 516), 1023, 1024, 1025)
    for fill in json_documents.CLASSES.values():
        n_bytes = len(fill.encode())
        for n in sorted({*lengths, *(length // n_bytes for length in lengths)}):
            for last in ("", "\\n", "\\u00e9", "\x1f", "\\x", "é", "中", "😀"):
                assert_all_decoded([f'"{fill * n}{last}"', f'"{fill * n}{last}{fill * 3}"', f'"{fill * n}{last}'], 3)


def test_decode_text_and_escapes_at_every_place_of_a_block() -> None:
    # far from the end of the document they are read together, 64 bytes at a time
    for piece in (*ESCAPES, *FAULTS, "é", "\x01"):
        for n in range(70):
            text = f"\\u00e9{'b' * n}{piece}\\u00e8{'c' * 9}\\u4e2d"
            assert_all_decoded([f'"{text}"{" " * 200}', f'"{text}"', f'["{text * 3}"]', f'"{text}{" " * 200}'], 4)


def test_decode_run_of_code_points_of_each_length_and_what_ends_it() -> None:
    for escape in ("\\u4e2d", "\\u00e9", "\\u0041", "\\ud83d\\ude00", "\\ud83d", "\\uDE00"):
        for n in range(40):
            for last in (
                "",
                "a",
                "é",
                "中",
                "😀",
                "\\n",
                "\\u12",
                "\\u123g",
                "\\x",
                "\x01",
                "a" * 70 + "\\u20ac",
                "\\ude00",
            ):
                assert_all_decoded([f'"{escape * n}{last}"', f'["ab{escape * n}{last}"]', f'"{escape * n}{last}'], 3)


def test_decode_first_surrogate_after_units_of_each_number() -> None:
    # up to it the text is read as UTF-16, from it on as code points
    pair, high, low = "\\ud83d\\ude00", "\\ud83d", "\\ude00"
    for n in (*range(20), 31, 32, 33, 63, 64, 65, 200):
        for first in ("\\u0416" * n, "\\u00e9" + "a" * n, "\\u20ac \\n" * n, "a" * n):
            for rest in (pair, pair * 3 + "b" * 20, high + pair, low + "\\u4e2d" * 9 + pair, pair * 9 + high):
                text = f'"{first}{rest}"'
                assert_all_decoded([text, f'["{first}{rest}{first}"]', text[:-1]], at_least=3)
                expected = outcome(reference_codec.decode, text, allow_surrogates=False)
                assert_same(outcome(_core.loads, text.encode(), allow_surrogates=False), expected, text)


def test_decode_fault_in_each_digit_of_a_run_of_code_points() -> None:
    run = "\\u4e2d\\u6587\\uABCD\\uef01" * 5
    for index in range(len(run)):
        for char in ("g", "G", "/", ":", "@", "`", "é", '"', "\\", "u", "\x00"):
            assert_all_decoded([f'"{run[:index]}{char}{run[index + 1 :]}"', f'"{run[:index]}{char}{run[index:]}"'], 2)
        assert_all_decoded([f'"{run[:index]}"', f'"{run[:index]}', f'"{run[:index]}{run[index + 1 :]}"'], at_least=3)


def test_decode_string_of_each_length_has_the_narrowest_kind() -> None:
    for fill in json_documents.CLASSES.values():
        for n in (*range(1, 70), 127, 128, 129, 257):
            for first in ("", "a", "é", "中"):
                inside = first + fill * n
                for form in (f'"{inside}"', json.dumps(inside), f'"{inside[:-1]}{json.dumps(inside[-1])[1:]}'):
                    expected = "".join(list(inside)).__sizeof__()
                    for source in (form, form.encode()):
                        text = _core.loads(source)
                        assert text == inside
                        assert text.__sizeof__() == expected
                        assert hash(text) == hash(inside)


def test_decode_string_without_its_end_at_every_length_raises_at_its_quote() -> None:
    for fill in json_documents.CLASSES.values():
        for n in (*range(70), 127, 128, 129, 131):
            assert_all_decoded(
                [f'"{fill * n}', f'["x",  "{fill * n}', f'"{fill * n}\\', f'"{fill * n}\\u12'], at_least=4
            )


def test_decode_every_code_point_of_the_bmp_raw_and_escaped() -> None:
    code_points = [c for c in range(0x20, 0x10000) if c not in (0x22, 0x5C) and not 0xD800 <= c < 0xE000]
    raw = [f'"{chr(c)}"' for c in code_points]
    escaped = [f'"\\u{c:04x}"' for c in range(0x10000)]
    upper = [f'"\\u{c:04X}"' for c in range(0x10000)]
    for texts in (raw, escaped, upper):
        document = f"[{','.join(texts)}]"
        expected = stdlib_json.loads(document)
        assert _core.loads(document) == expected, texts[-1]
        assert _core.loads(document.encode()) == expected, texts[-1]
        joined = '"' + "".join(text[1:-1] for text in texts if not text.lower().startswith('"\\ud')) + '"'
        assert_same(_core.loads(joined), stdlib_json.loads(joined), texts[-1])
        assert_same(_core.loads(joined.encode()), stdlib_json.loads(joined), texts[-1])


def test_decode_every_pair_of_surrogate_escapes_at_the_edges() -> None:
    edges = (0xD7FF, 0xD800, 0xD801, 0xDBFE, 0xDBFF, 0xDC00, 0xDC01, 0xDFFE, 0xDFFF, 0xE000, 0x41)
    units = [f"\\u{c:04x}" for c in edges]
    strings = [a + b + c for a in units for b in units for c in ("", "x", *units)]
    assert_all_decoded(quoted(strings), at_least=1500)


def test_decode_sample_of_astral_code_points_raw_and_escaped() -> None:
    draw = random.Random(16)
    texts = [chr(draw.randrange(0x10000, 0x110000)) * draw.choice((1, 3)) for _ in range(5000)]
    for document in (json.dumps(texts), json.dumps(texts, ensure_ascii=False)):
        assert _core.loads(document) == texts
        assert _core.loads(document.encode()) == texts


def test_decode_raw_lone_surrogate_in_str_is_kept() -> None:
    for surrogate in json_documents.SURROGATES:
        for fill in json_documents.CLASSES.values():
            for text in quoted(json_documents.at_every_lane(surrogate, fill)):
                assert_same(outcome(_core.loads, text), outcome(stdlib_json.loads, text), text)
    for text in (
        '"\ud83d\ude00"',
        '"\\ud83d\ude00"',
        '"\ud83d\\ude00"',
        '{"\ud800": "\udfff"}',
        "\ud800",
        '["a" \udc00]',
    ):
        assert_same(outcome(_core.loads, text), outcome(stdlib_json.loads, text), text)


def test_decode_string_has_the_narrowest_kind() -> None:
    for inside in ("a" * 70, "é" * 70, "中" * 70, "😀" * 70, "a" * 69 + "é", "é" * 69 + "中", "中" * 69 + "😀"):
        escaped = json.dumps(inside)
        for wide in ("", "é", "中", "😀"):
            for form in (f'"{inside}"', escaped):
                document = f'["{wide}", {form}, {{{form}: 0}}]'
                for source in (document, document.encode()):
                    _, text, members = _core.loads(source)
                    assert text == inside
                    assert text.__sizeof__() == (inside + "")[:].__sizeof__() == next(iter(members)).__sizeof__()
                    assert text.isascii() == inside.isascii()


def test_decode_keys_with_escapes_equal_keys_without() -> None:
    document = '[{"é": 1, "a/b": 2}, {"\\u00e9": 3, "a\\/b": 4}, {"\\u00E9": 5, "a\\u002fb": 6}]'
    for source in (document, document.encode()):
        assert [list(row) for row in _core.loads(source)] == [["é", "a/b"]] * 3
        assert_same(outcome(_core.loads, source), outcome(stdlib_json.loads, source), document)


LONG = 8192  # units after which the rest of a string may be copied while it is scanned


@pytest.mark.parametrize("text", ["a", "é", "中", "😀"])
@pytest.mark.parametrize("length", [LONG - 1, LONG, LONG + 255, LONG + 256, LONG + 257, 5 * LONG, 40 * LONG + 3])
def test_decode_long_string_from_str_and_what_follows_it(text: str, length: int) -> None:
    long = text * length
    documents = (
        f'"{long}"',
        f'["{long}"]',
        f'  {{"{long}" : "{long}"}}' + " " * 70,  # no quote is among the last units
        f'["{long}", "{long[: length // 2]}", 1]',
        f'["{long}", "short"]',  # the last quote is another string's
        f'["{long[: length // 3]}\\n{long}"]',
        f'["{long}\\u00e9"]',
        f'["{long}\\""]',  # the last quote but one is escaped
        f'["{long}',
        f'["{long}\\"',
        f'["{long}\n", "short"]',
        f'["{long}", "short]',
    )
    for document in documents:
        assert_decoded(document)


@pytest.mark.parametrize("before", ["a", "é", "中"])
@pytest.mark.parametrize("wider", ["é", "中", "😀", "\ud800"])
def test_decode_long_string_from_str_that_becomes_wider(before: str, wider: str) -> None:
    for place in (0, 100, LONG, 2 * LONG, 7 * LONG):
        long = before * place + wider + before * (8 * LONG - place)
        for document in (
            json.dumps([long, "中", "end"], ensure_ascii=False),
            json.dumps(["😀", long], ensure_ascii=False),
        ):
            assert _core.loads(document) == json.loads(document)
        decoded = _core.loads(f'["😀", "{long}"]')[1]
        assert (decoded, decoded.__sizeof__()) == (long, (long + "x")[:-1].__sizeof__())


def test_decode_long_string_of_each_class() -> None:
    for fill in (*json_documents.CLASSES.values(), "\\n", "\\u4e2d", "\\ud83d\\ude00"):
        text = f'"{fill * 200_000}"'
        expected = stdlib_json.loads(text)
        assert_same(_core.loads(text), expected, fill)
        assert_same(_core.loads(text.encode()), expected, fill)


@given(json_documents.texts)
def test_decode_any_text_raw_and_escaped_equals_stdlib(text: str) -> None:
    assert_all_decoded([json.dumps(text), json.dumps(text, ensure_ascii=False)], at_least=2)


@given(st.text(alphabet='\\u"dDeEfF0123456789nbx/aé中😀\x01', max_size=60))
def test_decode_any_text_of_escape_characters_equals_stdlib(text: str) -> None:
    assert_all_decoded([f'"{text}"', f'"\\{text}"', f'"\\u{text}'], at_least=3)


@pytest.mark.parametrize("seed", range(12))
def test_mixtures_of_text_and_escapes_of_every_kind(seed: int) -> None:
    dice = random.Random(seed)
    pieces = [
        "\\n",
        "\\u00e9",
        "\\u4e2d",
        "\\ud83d\\ude00",
        "\\ud83d",
        "\\ude00",
        "\\\\",
        "\\/",
        '\\"',
        "\\u0041",
        "\\u0000",
        "x",
    ]
    pieces += ["a" * n for n in (3, 7, 15, 16, 17, 40)]
    rare = ["é", "中", "😀", "\x01", "\\x", "\\u12g4", "\\u", "\\"]
    for _ in range(150):
        kinds = pieces + (rare if dice.randrange(3) == 0 else [])
        text = "".join(dice.choice(kinds) for _ in range(dice.randrange(1, 60)))
        for document in (f'"{text}"', f'["{text}", "{text}"]', f'"{text}', f'"{text}"' + " " * 200):
            for source in (document, document.encode()):
                for strict in (True, False):
                    ours = outcome(_core.loads, source, strict=strict)
                    assert ours == outcome(json.loads, source, strict=strict), document
