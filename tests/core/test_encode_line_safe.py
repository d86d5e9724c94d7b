"""line_safe: text that str.splitlines leaves whole, and that is otherwise the same."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import json_documents, vector_lane_strings
from helpers.all_outputs import encodings, in_chunks
from helpers.call_outcome import assert_same, outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

LINE_ENDS = "\x85\u2028\u2029"
ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in LINE_ENDS}
texts = st.text(alphabet=LINE_ENDS + '<"\\aé中😀\u2027\u202a\x84\x86\n\x1d\xe2\x80\xa8\xc2', max_size=60)


def assert_escaped(value: Any, **options: Any) -> None:
    """Each way to encode gives the text without the option, its line ends escaped."""
    expected = outcome(lambda: _core.dumps(value, **options).translate(ESCAPES))
    for way, got in encodings(value, line_safe=True, **options):
        assert_same(got, expected, (way, value, options))


def test_every_character_that_ends_a_line_is_escaped_and_no_other() -> None:
    for code in range(0x11000):
        char = chr(code)
        text = _core.dumps(f"a{char}b", line_safe=True)
        assert len(text.splitlines()) == 1
        assert (text == _core.dumps(f"a{char}b")) == (char not in LINE_ENDS)


def test_line_end_at_each_place_and_length() -> None:
    for end in LINE_ENDS:
        for length in (1, 2, 3, 15, 16, 17, 33, 64, 65, 129, 1100):
            for at in {*range(min(length, 40)), length // 2, length - 1}:
                for fill in "aé中😀":
                    text = fill * at + end + fill * (length - 1 - at)
                    expected = _core.dumps(text).translate(ESCAPES)
                    assert _core.dumps(text, line_safe=True) == expected
                    assert _core.dumps_to_bytes(text, line_safe=True).decode() == expected
                    assert _core.dumps_to_bytes({text: 1}, line_safe=True).decode() == f"{{{expected}:1}}"


def test_values_and_keys_of_each_kind_and_layout() -> None:
    for end in LINE_ENDS:
        for fill in vector_lane_strings.CLASSES.values():
            for options in ({}, {"ensure_ascii": True}, {"indent": 1}, {"html_safe": True}, {"append_newline": True}):
                assert_escaped([end, {f"{fill}{end}": [f"{end}{fill * 20}{end * 3}", fill]}], **options)


def test_keys_that_objects_repeat_are_escaped_in_each_chunk() -> None:
    rows = [{"a\u2028": n, "b": "x" * 50} for n in range(100)]
    assert in_chunks(rows, 64, line_safe=True) == _core.dumps_to_bytes(rows).replace("\u2028".encode(), rb"\u2028")


def test_text_with_a_cached_copy_is_escaped() -> None:
    text = "é\u2029" * 20
    text.encode()
    _core.dumps_to_bytes(text, is_write_cache=True)
    assert _core.dumps_to_bytes(text, line_safe=True).decode() == _core.dumps(text).translate(ESCAPES)


def test_fragments_and_native_values_are_escaped() -> None:
    for contents in ('["a\u2028"]', '["a\x85"]'.encode()):
        assert_escaped([_core.Fragment(contents)])
    assert_escaped(["a\u2028".encode(), {"b\x85".encode(): 1}], bytes="utf-8", skipkeys=True)


def test_separators_with_line_ends_are_refused() -> None:
    for end in LINE_ENDS:
        for options in ({"indent": end}, {"separators": (end, ":")}, {"separators": (",", f": {end}")}):
            for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
                with pytest.raises(ValueError, match="line_safe"):
                    encode([1], line_safe=True, **options)


@given(
    st.recursive(texts, lambda inner: json_documents.containers(inner, texts), max_leaves=10), json_documents.options
)
def test_any_texts_with_any_options(value: Any, options: dict[str, Any]) -> None:
    assert_escaped(value, **options)
