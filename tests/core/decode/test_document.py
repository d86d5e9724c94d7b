"""Decoding documents: values equal stdlib's, from str of each kind and from bytes."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import pytest
from helpers import json_documents, reference_codec, stdlib_json
from helpers.call_outcome import assert_same, outcome
from helpers.stdlib_json import assert_decoded
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")


@pytest.mark.parametrize("text", json_documents.VALID)
def test_decode_valid_document_equals_stdlib(text: str) -> None:
    assert outcome(stdlib_json.loads, text)[0] == "value"
    assert_decoded(text)


def test_decode_constants_and_empty_containers() -> None:
    for text in ("null", "true", "false", "[]", "{}", '""', "0", "[[],{}]", '{"":{}}', " [ ] ", " { } "):
        assert_decoded(text)


@pytest.mark.parametrize("literal", ["true", "false", "null", "nul", "fals", "trux", "NaN", "n", "Infinity"])
def test_decode_literal_as_the_last_value(literal: str) -> None:
    """As few as no units follow it, of texts as short as the literal: each is whole, cut, or followed by others."""
    for n_before in range(12):
        for n_chars in range(len(literal) + 1):
            for after in ("", "]", "}", "]]", " ]", "\n", "e", "\x00", "ue]"):
                text = literal[:n_chars] + after
                assert_decoded(" " * n_before + text)
                assert_decoded("[" + "1," * n_before + text)
                assert_decoded('{"' + "k" * n_before + '":' + text)
                assert_decoded('["中",' + "1," * n_before + text)


def test_decode_spaces_of_each_count_in_each_place() -> None:
    for space in (" ", "\n", "\t", "\r", " \t\r\n"):
        for count in (0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200):
            gap = (space * count)[:count]
            for text in ('[1,"é",{"a":[],"b":null}]', '{"中":{},"x":[true,false]}', "1.5", '"😀"'):
                assert_decoded(gap + text.replace(",", f"{gap},{gap}").replace(":", f"{gap}:{gap}") + gap)
                assert_decoded(text.replace("[", f"[{gap}").replace("]", f"{gap}]"))
                assert_decoded(text.replace("{", f"{{{gap}").replace("}", f"{gap}}}"))


def test_decode_white_space_that_json_does_not_know_raises_as_stdlib() -> None:
    for char in "\x00\x08\x0b\x0c\x1f\x7f\x85\xa0\u2028\u3000\ufeff/#":
        for text in (f"{char}1", f"1{char}", f"[{char}1]", f"[1{char}]", f'{{{char}"a":1}}', f'{{"a"{char}:1}}'):
            assert_decoded(text)


def test_decode_list_of_each_length_up_to_300() -> None:
    for item in ("1", "null", '"é"', "[]", "{}", "1.5"):
        for length in (*range(70), 127, 128, 129, 255, 256, 257, 300):
            assert_decoded(f"[{','.join([item] * length)}]")


def test_decode_dict_of_each_length_up_to_300() -> None:
    for key in ("k", "é", "中", "😀", "\\u00e9", "k" * 70):
        for length in (*range(70), 127, 128, 129, 255, 256, 257, 300):
            members = ",".join(f'"{key}{i}":{i}' for i in range(length))
            assert_decoded(f"{{{members}}}")


def test_decode_duplicate_keys_last_value_wins_at_the_first_place() -> None:
    assert list(_core.loads('{"a":1,"b":2,"a":3}').items()) == [("a", 3), ("b", 2)]
    for key in ("a", "é", "中", "😀", "", "k" * 100):
        for n_between in (0, 1, 5, 8, 30, 100):
            between = "".join(f'"{i}":{i},' for i in range(n_between))
            assert_decoded(f'{{"{key}":1,{between}"{key}":[2]}}')
            assert_decoded(f'{{"x":0,{between}"{key}":1,"{key}":2,"{key}":3,"y":0}}')
            assert_decoded(f'[{{"{key}":1,"b":2}},{{"{key}":1,"{key}":2}},{{"{key}":3,"b":4}}]')
    assert_decoded('{"a":1,"\\u0061":2}')


def test_decode_rows_with_the_same_keys() -> None:
    draw = random.Random(4)
    for fill in ("", "é", "中", "😀"):
        for n_keys in (1, 2, 5, 8, 9, 20, 21, 60):
            values: list[Any] = [7, None, [1], {}, "x"]
            rows = [{f"{fill}k{i}": draw.choice(values) for i in range(n_keys)} for _ in range(20)]
            assert_decoded(stdlib_json.dumps(rows))
            assert_decoded(stdlib_json.dumps(rows, indent=1))


def test_decode_rows_whose_keys_nearly_repeat() -> None:
    row = {"id": 1, "name": "é", "tags": [], "中": None}
    variants: list[dict[str, Any]] = [row]
    for key in row:
        variants.append({k: v for k, v in row.items() if k != key})
        variants.append({(k + "x" if k == key else k): v for k, v in row.items()})
        variants.append({(k[:-1] if k == key else k): v for k, v in row.items()})
        variants.append({(k.upper() if k == key else k): v for k, v in row.items()})
    variants += [dict(order) for order in itertools.permutations(row.items())]
    variants += [row | {"more": 1}, {"less": 0} | row, {}, row]
    draw = random.Random(8)
    for _ in range(20):
        assert_decoded(stdlib_json.dumps([draw.choice(variants) for _ in range(60)]))
    text = stdlib_json.dumps(variants)
    assert_decoded(text.replace('"name":', '"n\\u0061me":', 3))
    assert_decoded(text.replace('"id":1,', '"id":1,"id":2,', 3))


def test_decode_rows_are_separate_objects() -> None:
    rows = _core.loads('[{"a":[],"b":1},{"a":[],"b":1},{"a":[],"b":1}]')
    rows[0]["a"].append(1)
    rows[0]["c"] = 2
    del rows[1]["b"]
    assert rows == [{"a": [1], "b": 1, "c": 2}, {"a": []}, {"a": [], "b": 1}]
    assert _core.loads('[{"a":[],"b":1}]') == [{"a": [], "b": 1}]


def test_decode_many_different_keys() -> None:
    members = {f"{fill}{i}": i for i in range(20_000) for fill in ("key", "é", "中")}
    assert_decoded(stdlib_json.dumps(members))
    assert_decoded(stdlib_json.dumps([{key: value} for key, value in members.items()]))


def test_decode_keys_that_share_a_beginning_or_an_end() -> None:
    for length in (1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200):
        for fill in ("a", "é", "中", "😀"):
            keys = [
                fill * length,
                fill * length + "x",
                "x" + fill * length,
                fill * (length - 1) + "x",
                fill * 2 * length,
            ]
            assert_decoded(stdlib_json.dumps([{key: i} for i, key in enumerate(keys * 3)]))


def test_decode_documents_of_stdlib_in_every_layout() -> None:
    value = {"é": [1, 2.5, "中\n", {"😀": [None, True, []]}], "b": {"c": {}}}
    for indent in (None, 0, 1, 4, "\t"):
        for ensure_ascii in (False, True):
            assert_decoded(json.dumps(value, indent=indent, ensure_ascii=ensure_ascii))


def test_decode_kind_of_the_document_does_not_show_in_the_values() -> None:
    for wide in ("é", "中", "😀"):
        value = ["abc", {"key": "é"}, 1, 2.5, "a" * 100, "中" * 20]
        assert_decoded(stdlib_json.dumps([*value, wide]))
        assert_decoded(stdlib_json.dumps([wide, *value]))


@given(json_documents.decoded_values, st.booleans(), st.sampled_from([None, 0, 2]))
def test_decode_any_document_equals_stdlib_and_reference(value: Any, ensure_ascii: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)
    assert_decoded(text)
    assert_same(outcome(_core.loads, text), outcome(reference_codec.decode, text), text)


@given(json_documents.values)
def test_decode_of_what_the_core_encoded_equals_stdlib(value: Any) -> None:
    assert_decoded(_core.dumps(value))
    data = _core.dumps_to_bytes(value)
    assert_same(outcome(_core.loads, data), outcome(stdlib_json.loads, data), value)


@given(
    st.lists(st.sampled_from(["[", "]", "{", "}", ",", ":", '"a"', "1", "-", "0", ".5", "e1", "null", " ", '"', "é"]))
)
def test_decode_any_sequence_of_tokens_equals_stdlib(tokens: list[str]) -> None:
    assert_decoded("".join(tokens))


@given(st.text(alphabet='[]{},:"\\u0019eE+-.nultrfas \n\té中😀\x00', max_size=40))
def test_decode_any_text_of_json_characters_equals_stdlib(text: str) -> None:
    assert_decoded(text)


def test_decode_every_ascii_pair_equals_stdlib() -> None:
    for first in map(chr, range(128)):
        for second in map(chr, range(128)):
            text = first + second
            expected = outcome(stdlib_json.loads, text)
            assert_same(outcome(_core.loads, text), expected, text)


def test_decode_long_document_of_each_class() -> None:
    for fill in json_documents.CLASSES.values():
        text = stdlib_json.dumps([{"key": fill * 50, "n": i, "nested": [fill, {}]} for i in range(5000)])
        assert_decoded(text)


@pytest.mark.parametrize("letter", ["é", "中", "😀", ""])
def test_any_character_within_white_space_is_told_from_it(letter: str) -> None:
    others = [chr(i) for i in range(0x80)] + ["\x80", "\xa0", "\u0120", "\u2009", "\u200a", "\u2020", "\U00010020"]
    for n_before in (0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 50):
        for other in others:
            space = " \n\r\t"[n_before % 4] * n_before
            text = f'["{letter}",{space}{other}{" " * 40}1]'
            for source in (text, text.encode()):
                assert outcome(_core.loads, source) == outcome(json.loads, source)
