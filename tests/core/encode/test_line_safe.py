"""line_safe: text that str.splitlines leaves whole, and that is otherwise the same."""

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

LINE_ENDS = "\x85\u2028\u2029"
ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in LINE_ENDS}
texts = st.text(alphabet=LINE_ENDS + '<"\\aé中😀\u2027\u202a\x84\x86\n\x1d\xe2\x80\xa8\xc2', max_size=60)


def assert_escaped(value: Any, **options: Any) -> None:
    """Each way to encode gives the text without the option, its line ends escaped."""
    options = json_documents.without_conflicts(options | {"line_safe": True})
    if not options.pop("line_safe", False):
        return
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
        for fill in json_documents.CLASSES.values():
            for options in (
                {},
                {"ensure_ascii": True},
                {"separators": ("; ", "：")},
                {"html_safe": True},
                {"append_newline": True},
            ):
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


def test_layouts_with_line_ends_are_refused() -> None:
    for end in "\n\v\f\r\x1c\x1d\x1e" + LINE_ENDS:
        assert len(f"a{end}b".splitlines()) == 2
        for options in ({"indent": end}, {"separators": (end, ":")}, {"separators": (",", f": {end}")}):
            for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
                with pytest.raises(ValueError, match="line_safe writes a value on one line"):
                    encode([1], line_safe=True, **options)
    for indent in (0, 1, "", " "):
        with pytest.raises(ValueError, match="line_safe writes a value on one line"):
            _core.Encoder(line_safe=True, indent=indent)
    assert _core.dumps([1, 2], line_safe=True, separators=(", \t", ":"), append_newline=True) == "[1, \t2]\n"


def on_one_line(text: str) -> str:
    """Obvious code for a Fragment of valid or invalid JSON."""
    got, is_in_string, is_escaped = "", False, False
    for char in text:
        if char in "\n\v\f\r\x1c\x1d\x1e":
            got += f"\\u{ord(char):04x}" if is_in_string else " "
        else:
            got += ESCAPES.get(ord(char), char)
        if char == '"' and not is_escaped:
            is_in_string = not is_in_string
        is_escaped = is_in_string and char == "\\" and not is_escaped
    return got


def assert_fragment_on_one_line(text: str) -> None:
    for contents in (text, text.encode()):
        value = [_core.Fragment(contents), "é", {"k": _core.Fragment(contents)}]
        line = on_one_line(text)
        expected = ("value", repr(f'[{line},"é",{{"k":{line}}}]'))
        for way, got in encodings(value, line_safe=True):
            assert_same(got, expected, (way, text))
        lines = _core.Encoder().encode_lines([value, 1]).decode().translate(ESCAPES)
        assert lines == f'[{line},"é",{{"k":{line}}}]\n1\n'
        if not text.isascii():
            line = _core.dumps(_core.Fragment(line), ensure_ascii=True)
        assert _core.dumps(value[0], line_safe=True, ensure_ascii=True) == line


def test_fragment_goes_on_one_line() -> None:
    texts = [
        "[\n1,\r\n2]\v",
        '"a\nb"\n',
        '"\\\n"\n"',
        '"\\\\"\n"',
        '{"中\\"\n":\f"😀"}\x1e',
        '"open\n',
        '\\"\n"',
        '"\\',
        "\n",
        "",
    ]
    for text in texts:
        for fill in ("", " " * 100, '"é"' * 40, "中\u2028"):
            assert_fragment_on_one_line(text + fill)
            assert_fragment_on_one_line(fill + text)
    value = _core.dumps({"a": [1, "b", {"c": None}]}, indent=2)
    assert json.loads(_core.dumps(_core.Fragment(value), line_safe=True)) == json.loads(value)


@given(st.text(alphabet='"\\\n\v\r\x1c\x85\u2028 ,aé中😀\t', max_size=60))
def test_any_fragment_goes_on_one_line(text: str) -> None:
    assert_fragment_on_one_line(text)


def test_fragment_of_a_hook_or_of_wrong_bytes_goes_on_one_line() -> None:
    for data in (b"\xff\n", b'"\xe2\x80\n', b"\xc2", b'"\xed\xa0\x80\n"'):
        line = _core.Encoder(default=lambda _, data=data: _core.Fragment(data)).encode_lines([{1: object()}])
        assert line == b'{"1":' + data.replace(b"\n", b"\\u000a" if data[:1] == b'"' else b" ") + b"}\n"
    surrogate = _core.Fragment('"\ud800\n"')
    assert _core.dumps(surrogate, line_safe=True) == '"\ud800\\u000a"'
    assert _core.dumps_to_bytes(surrogate, line_safe=True, escape_surrogates=True) == b'"\\ud800\\u000a"'


@given(
    st.recursive(texts, lambda inner: json_documents.containers(inner, texts), max_leaves=10), json_documents.options
)
def test_any_texts_with_any_options(value: Any, options: dict[str, Any]) -> None:
    assert_escaped(value, **options)
