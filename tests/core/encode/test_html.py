"""html_safe: text that may be embedded in a page; no part of it is read as markup or as a line's end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers import json_documents
from helpers.all_outputs import encodings, in_chunks
from helpers.call_outcome import assert_same, outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

SPECIAL = "<>&\u2028\u2029"
ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in SPECIAL}
texts = st.text(alphabet=SPECIAL + '"\\aé中😀\u2027\u202a\u1028\u3028\xe2\x80\xa8', max_size=60)


def assert_escaped(value: Any, **options: Any) -> None:
    """Each way to encode gives the text without the option, its special characters escaped."""
    expected = outcome(lambda: _core.dumps(value, **options).translate(ESCAPES))
    for way, got in encodings(value, html_safe=True, **options):
        assert_same(got, expected, (way, value, options))


def test_each_special_character_is_escaped_in_values_and_keys() -> None:
    for special in SPECIAL:
        for fill in json_documents.CLASSES.values():
            for options in ({}, {"ensure_ascii": True}, {"indent": 1}, {"append_newline": True}):
                assert_escaped([special, {f"{fill}{special}": [f"{special}{fill * 20}{special * 3}", fill]}], **options)


def test_special_character_at_each_place_and_length() -> None:
    for special in "<\u2028":
        for length in (1, 2, 3, 15, 16, 17, 33, 70):
            for at in range(length):
                for fill in "aé中😀":
                    text = fill * at + special + fill * (length - 1 - at)
                    assert _core.dumps(text, html_safe=True) == _core.dumps(text).translate(ESCAPES)
                    got = _core.dumps_to_bytes(text, html_safe=True).decode()
                    assert got == _core.dumps(text).translate(ESCAPES)


def test_special_characters_in_long_texts() -> None:
    # bytes of a special character's UTF-8 as characters, and another character that begins with the same bytes
    beginnings = ("\xe2", "\x80\xa8", "\u2000", "\xc2\x85")
    for fill in ("a", "é", "中", "😀", *beginnings):
        for n in (60, 126, 200):
            for specials in ("<", "\u2028", "<\u2029&", SPECIAL * 9):
                texts = [fill * n + specials, specials + fill * n, (specials + fill * (n % 17 + 1)) * 9, fill * n]
                assert_escaped(texts)
                assert_escaped(dict.fromkeys(texts, fill))


def test_result_has_the_narrowest_kind() -> None:
    got = _core.dumps(["<\u2028"], html_safe=True)
    assert got.isascii()
    assert got == json.dumps(["<\u2028"], separators=(",", ":")).replace("<", "\\u003c")


def test_neighbours_of_the_line_separators_stay() -> None:
    text = "\u2027\u202a\u1028\u3028\u2128\xe2\x80\xa8\U0001f028"
    assert _core.dumps(text, html_safe=True) == f'"{text}"'
    assert _core.dumps_to_bytes(text, html_safe=True) == f'"{text}"'.encode()


def test_fragment_is_escaped_too() -> None:
    for contents in ('["<é>"]', '["<é>"]'.encode()):
        assert_escaped([_core.Fragment(contents), "\u2028"])


def test_lone_surrogate_is_an_error_in_bytes_all_the_same() -> None:
    assert _core.dumps("<\ud800", html_safe=True) == '"\\u003c\ud800"'
    assert outcome(_core.dumps_to_bytes, "<\ud800", html_safe=True)[0] == "UnicodeEncodeError"


def test_layout_with_special_characters_is_refused() -> None:
    for special in SPECIAL:
        for options in ({"indent": special}, {"separators": (special, ":")}, {"separators": (",", f": {special}")}):
            for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
                with pytest.raises(ValueError, match="html_safe"):
                    encode([1], html_safe=True, **options)


@given(
    st.recursive(texts, lambda inner: json_documents.containers(inner, texts), max_leaves=10), json_documents.options
)
def test_any_texts_with_any_options(value: Any, options: dict[str, Any]) -> None:
    assert_escaped(value, **options)
