"""escape_surrogates: a lone surrogate, which UTF-8 cannot encode, is escaped; all other text is unchanged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from helpers import json_documents
from helpers.all_outputs import encodings
from helpers.call_outcome import assert_same, outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

HALVES = ("\ud800", "\udbff", "\udc00", "\udfff")
FILLS = ("a", "é", "中", "😀", '"', "\\", "\n")
texts = st.text(alphabet="".join(HALVES) + '"\\aé中😀\n\ud7ff\ue000', max_size=60)


def escaped(text: str) -> str:
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)


def assert_escaped(value: Any, **options: Any) -> None:
    """Each way to encode gives the str without the option, its surrogates escaped."""
    expected = outcome(lambda: escaped(_core.dumps(value, **options)))
    for way, got in encodings(value, escape_surrogates=True, **options):
        assert_same(got, expected, (way, value, options))


@pytest.mark.parametrize("half", HALVES, ids=ascii)
def test_half_a_pair_is_escaped_in_values_and_keys(half: str) -> None:
    for fill in FILLS:
        for layout in ({}, {"ensure_ascii": True}, {"indent": 1}, {"separators": ("，", ":")}, {"html_safe": True}):
            value = [half, fill, {f"{fill}{half}": [f"{half}{fill * 20}{half * 3}", fill]}, {fill: half}]
            assert_escaped(value, **layout)
            assert json.loads(_core.dumps_to_bytes(value, escape_surrogates=True)) == value


def test_half_a_pair_is_escaped_at_each_place_and_length() -> None:
    for length in (1, 2, 3, 15, 16, 17, 31, 33, 64, 70):
        for at in range(length):
            for fill in "aé中😀":
                text = fill * at + "\udead" + fill * (length - 1 - at)
                expected = escaped(f'"{text}"')
                assert _core.dumps_to_bytes(text, escape_surrogates=True).decode() == expected
                assert _core.dumps(text, escape_surrogates=True) == expected


def test_whole_pairs_of_halves_are_escaped_one_by_one_as_stdlib_does() -> None:
    text = "\ud83d\ude00"  # of two code points: JSON's escapes of it are read as one
    assert _core.dumps(text, escape_surrogates=True) == json.dumps(text) == '"\\ud83d\\ude00"'


def test_text_without_halves_stays_and_has_the_narrowest_kind() -> None:
    for text in ("a", "é", "中", "\ud7ff\ue000", "😀", "😀" * 500):
        assert _core.dumps_to_bytes([text], escape_surrogates=True) == _core.dumps_to_bytes([text])
        assert _core.dumps([text], escape_surrogates=True) == _core.dumps([text])
    got = _core.dumps(["\ud800"], escape_surrogates=True)
    assert got.isascii()
    assert got.__sizeof__() == '["\\ud800"]'.__sizeof__()


def test_without_the_option_bytes_are_an_error_and_a_str_holds_it() -> None:
    for options in ({}, {"escape_surrogates": False}, {"escape_surrogates": None}):
        assert _core.dumps("é\ud800", **options) == '"é\ud800"'
        assert outcome(_core.dumps_to_bytes, "é\ud800", **options) == (
            *("UnicodeEncodeError", "utf-8", 2, 3),
            *("surrogates not allowed", '"é\ud800"'),
        )


def test_fragments_are_escaped_too() -> None:
    for contents in ('["é\ud800"]', b'["\xc3\xa9"]', '"é"'):
        assert_escaped([_core.Fragment(contents), "\ud800", "中"])
        assert_escaped([_core.Fragment(contents)], ensure_ascii=True)


def test_hooks_and_iterators_are_asked_once() -> None:
    asked: list[object] = []

    def numbers() -> Iterator[int]:
        yield from range(3)

    def default(thing: object) -> Any:
        asked.append(thing)
        return numbers()

    thing = object()
    encoder = _core.Encoder(default=default, iterables=True, escape_surrogates=True)
    for encode in (encoder.encode, lambda value: b"".join(encoder.iterencode(value, 1))):
        assert encode(["\ud800", thing, numbers(), "\ud800"]) == b'["\\ud800",[0,1,2],[0,1,2],"\\ud800"]'
    assert asked == [thing, thing]


def test_lines_and_buffers_are_escaped() -> None:
    encoder = _core.Encoder(escape_surrogates=True)
    assert (
        encoder.encode_lines(["\ud800", "é", {"\ud800": "中"}])
        == b'"\\ud800"\n"\xc3\xa9"\n' + '{"\\ud800":"中"}\n'.encode()
    )
    buffer = bytearray(b"<")
    encoder.encode_into("\ud800", buffer, -1)
    assert buffer == b'<"\\ud800"'


def test_encoder_derives_one_that_escapes_and_keeps_all_other_options() -> None:
    encoder = _core.Encoder(default=list, indent="é", separators=(";", "= "), sort_keys=True, natives=True, utc="Z")
    derived = encoder._with_escaped_surrogates()
    assert type(derived) is _core.Encoder
    assert derived is not encoder
    assert derived._with_escaped_surrogates() is derived
    value = {"b": [1, {2}], "a": "中"}
    assert derived.encode(value) == encoder.encode(value)
    del encoder
    assert derived.encode(["\ud800"]) == '[\né"\\ud800"\n]'.encode()


def test_canonical_encoder_derives_itself_and_goes_on_refusing() -> None:
    encoder = _core.Encoder(canonical=True, natives=True)
    assert encoder._with_escaped_surrogates() is encoder
    assert encoder.encode({"b": 1.0, "a": 2}) == b'{"a":2,"b":1}'
    with pytest.raises(UnicodeEncodeError):
        encoder.encode("\ud800")


@given(
    st.recursive(texts, lambda inner: json_documents.containers(inner, texts), max_leaves=10), json_documents.options
)
def test_any_texts_with_any_options(value: Any, options: dict[str, Any]) -> None:
    assert_escaped(value, **options)
