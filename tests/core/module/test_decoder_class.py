"""Decoder: options checked once, the values of loads, JSON Lines, and a value at an index."""

from __future__ import annotations

import gc
import io
import json
import sys
import typing
import weakref
from typing import Any

import pytest
from helpers import decode_checks, json_documents, reference_codec, stdlib_json
from helpers.call_outcome import assert_same, outcome
from helpers.decode_checks import in_each_kind, is_encodable, tagged
from helpers.threads import in_threads
from hypothesis import given
from hypothesis import strategies as st

import ssrjson_web
from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

DECODER = _core.Decoder()
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")


# ---- the class


def test_decoder_is_exported_and_says_where_it_lives() -> None:
    assert ssrjson_web.Decoder is _core.Decoder
    assert (_core.Decoder.__module__, _core.Decoder.__qualname__) == ("ssrjson_web", "Decoder")


def test_decoder_takes_keywords_only() -> None:
    for wrong in (lambda: _core.Decoder(None), lambda: _core.Decoder(cls=1), lambda: _core.Decoder(**{"é": 1})):  # type: ignore[call-arg, misc]
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError, match=r"^Decoder\(\) takes keyword arguments only, such as type=$"):
        _core.Decoder(int)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"^loads\(\) takes .* \(2 given\); write options with their names$"):
        _core.loads("1", int)  # type: ignore[call-overload]


def test_decoder_names_its_type_in_annotations() -> None:
    assert typing.get_origin(_core.Decoder[int]) is _core.Decoder
    assert typing.get_args(_core.Decoder[int]) == (int,)


def test_decoder_cannot_be_changed_or_subclassed() -> None:
    decoder = _core.Decoder()
    with pytest.raises(AttributeError):
        decoder.strict = False  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        type("Sub", (_core.Decoder,), {})
    with pytest.raises(TypeError):
        _core.Decoder.extra = 1  # type: ignore[attr-defined]
    decoder.__init__(strict=False)  # type: ignore[misc]
    assert outcome(decoder.decode, '"\t"')[0] == "JSONDecodeError"


def test_decode_takes_all_that_loads_takes() -> None:
    for text in json_documents.VALID + json_documents.MALFORMED:
        for encoding in ENCODINGS:
            data = text.encode(encoding)
            for source in (data, bytearray(data), memoryview(data), text):
                assert_same(outcome(DECODER.decode, source), outcome(_core.loads, source), source)
    for wrong in (None, 5, [], object()):
        assert outcome(DECODER.decode, wrong) == outcome(_core.loads, wrong)


def test_methods_with_wrong_arguments_raise_type_error() -> None:
    for call in (DECODER.decode, DECODER.decode_lines, DECODER.raw_decode, DECODER.feed):
        for arguments in ((), ("1", 0, 0)):
            with pytest.raises(TypeError):
                call(*arguments)  # type: ignore[operator]
        with pytest.raises(TypeError):
            call("1", index=0)  # type: ignore[operator]
    with pytest.raises(TypeError):
        DECODER.close(1)  # type: ignore[call-arg]


def test_decoder_keeps_its_hooks() -> None:
    decoder = _core.Decoder(**{name: tagged(name) for name in decode_checks.HOOKS})
    gc.collect()
    text = '{"a": [1, 2.5, NaN, {}]}'
    assert_same(outcome(decoder.decode, text), outcome(reference_codec.decode, text, **named_hooks()), text)


def named_hooks() -> dict[str, Any]:
    return {name: tagged(name) for name in decode_checks.HOOKS}


def test_decoder_in_a_cycle_with_its_hooks_is_collected() -> None:
    class Hook:
        def __call__(self, value: Any) -> Any:
            return value

    for name in decode_checks.HOOKS:
        hook = Hook()
        hook.decoder = _core.Decoder(**{name: hook})  # type: ignore[attr-defined]
        reference_to_hook = weakref.ref(hook)
        hook.decoder.decode('{"a": [1, 1.5, NaN]}')  # type: ignore[attr-defined]
        del hook
        gc.collect()
        assert reference_to_hook() is None, name


def test_decoder_dropped_by_its_own_hook_goes_on() -> None:
    holder: list[Any] = []

    def hook(value: Any) -> Any:
        holder.clear()
        gc.collect()
        return "dropped"

    for method in ("decode", "decode_lines", "raw_decode"):
        holder.append(_core.Decoder(object_hook=hook, parse_int=lambda text: [text] * 3))
        assert "dropped" in repr(getattr(holder[0], method)('[{"a": 1}, {"b": [2, {}]}]'))
    holder.append(_core.Decoder(object_hook=hook))
    holder[0].feed('[{"a": 1}, ')
    holder[0].feed("{}]")
    assert holder[0].close() == ["dropped"] * 2


def test_decoder_is_used_by_threads() -> None:
    text = stdlib_json.dumps([{"id": i, "имя": "é" * i, "x": [i / 7]} for i in range(50)])
    expected = stdlib_json.loads(text)

    def work() -> None:
        for _ in range(30):
            assert DECODER.decode(text) == expected
            assert DECODER.decode_lines(f"{text}\n{text}") == [expected] * 2

    in_threads(work, 6)


def test_references_are_given_back() -> None:
    def hook(value: Any) -> Any:
        return value

    text, data = '[{"a": [1]}, "中"]' + " " * 50, b'[{"a": [1]}, "x"]' + b" " * 50
    things: list[Any] = [text, data, hook, _core.Decoder, None]

    def call() -> None:
        decoder = _core.Decoder(object_hook=hook, array_hook=hook, parse_int=hook, max_size=1000)
        for source in (text, data):
            decoder.decode(source)
            decoder.decode_lines(source)
            decoder.feed(source)
            decoder.feed(source[-1:])
            decoder.close()
            decoder.feed(source)
            outcome(decoder.feed, 5)
            outcome(decoder.feed, source * 20)
            decoder.feed(source[:-1])
            decoder.feed(source[-1:])
            outcome(decoder.feed, text if source is data else data)
        decoder.raw_decode(text)
        outcome(decoder.raw_decode, text, 1)
        outcome(_core.Decoder, object_hook=hook, parse_int=hook, max_size=0)

    call()
    gc.collect()  # what other tests left in cycles would be counted
    before = [sys.getrefcount(thing) for thing in things]
    for _ in range(100):
        call()
    gc.collect()
    # Other threads of the test run move the counts of None and of the type by a few. A leak moves them by 100.
    assert max(abs(sys.getrefcount(thing) - n) for thing, n in zip(things, before, strict=True)) < 50


# ---- lines

LINES = [
    "",
    "\n",
    "1",
    "1\n",
    "1\r\n2\r\n",
    "\n\n [1] \n\t\r\n{}\n \n",
    '{"a": "é"}\n["中"]\n"😀"\nnull\n-1.5e3',
    "[1]\n[2\n]",
    "[1]\n[2] 3\n[4]",
    '"a\n"b"',
    '{"a":\n1}',
    "1\n\n\n  x\n2",
    '"é"\n"中"\n   tru\n',
    "1\r2",
    "1\x0b\n2",
    "1\x852",
    "1\u2028\n2",
    '["\\ud83d"]\n["\\ude00"]\n["\\u12',
    '"\\\n"',
    "-\n1",
    "[" * 5 + "\n" + "]" * 5,
    "Infinity\nNaN\n-\nInfinity",
    "\n\u0a0a\n",
    '["\u0a0a\u0a0a"]\n["\U000a0a0a\u0a0a"]\n x',
]


def assert_lines(text: str, **options: Any) -> None:
    decoder = _core.Decoder(**options)
    expected = outcome(reference_codec.decode_lines, text, **options)
    assert_same(outcome(decoder.decode_lines, text), expected, (text, options))
    if is_encodable(text):
        data = text.encode()
        for source in (data, bytearray(data), memoryview(b"[" + data + b"9")[1:-1]):
            assert_same(outcome(decoder.decode_lines, source), expected, (source, options))


def test_lines_give_what_the_oracle_gives() -> None:
    for text in LINES:
        assert_lines(text)
        for end in range(len(text)):
            assert_lines(text[:end])
        for head in ("é\n", '"中"\n', '"😀"\n', '"é"\n', "1\n" * 100):
            assert_lines(head + text)


def test_lines_by_each_option_give_what_the_oracle_gives() -> None:
    choices: tuple[dict[str, Any], ...] = (
        decode_checks.HOOKS,
        {"strict": False},
        {"allow_nan": False},
        {"allow_surrogates": False},
        {"max_depth": 2},
        {"duplicate_keys": "error"},
    )
    for options in choices:
        for text in [*LINES, '{"a": 1, "b": {"a": 2}}\n\n{"a": [[[1]]]}', '{"a": 1}\n{"a": 1, "a": 2}', '"\t"\nNaN']:
            assert_lines(text, **options)


def test_lines_equal_each_line_decoded() -> None:
    values = [stdlib_json.loads(text) for text in json_documents.VALID[2:]] * 20
    for char in "aé中😀":
        text = "\n".join(stdlib_json.dumps([char, value]) for value in values) + "\n"
        expected = [stdlib_json.loads(line) for line in text.splitlines() if line]
        for source in (text, text.replace("\n", "\r\n\n")):
            assert repr(DECODER.decode_lines(source)) == repr(expected)
            for encoding in ENCODINGS:
                assert repr(DECODER.decode_lines(source.encode(encoding, "surrogatepass"))) == repr(expected)


def test_lines_error_has_the_line_of_the_whole_text() -> None:
    text = '{"é": 1}\n\n["中",\n[2]\n'
    for source in (text, text.encode(), text.encode("utf-8-sig"), text.encode("utf-16")):
        with pytest.raises(_core.JSONDecodeError) as raised:
            DECODER.decode_lines(source)
        error = raised.value
        assert (error.msg, error.lineno, error.colno, error.pos, error.doc) == ("Expecting value", 3, 6, 15, text)
    with pytest.raises(_core.JSONDepthError) as raised:
        _core.Decoder(max_depth=1).decode_lines("[1]\n[1]\n[[1]]")
    assert (raised.value.lineno, raised.value.colno) == (3, 2)
    with pytest.raises(UnicodeDecodeError) as invalid:
        DECODER.decode_lines(b'"a"\n"\xff"\n')
    assert (invalid.value.start, invalid.value.object) == (5, b'"a"\n"\xff"\n')


def test_lines_of_a_str_with_a_byte_order_mark_raise_as_loads() -> None:
    for text in ("\ufeff1\n2", "\ufeff"):
        assert_same(outcome(DECODER.decode_lines, text), outcome(stdlib_json.loads, text), text)
    assert DECODER.decode_lines("1\n2".encode("utf-8-sig")) == [1, 2]


def test_lines_by_a_hook_that_decodes_lines() -> None:
    def hook(value: Any) -> Any:
        gc.collect()
        return _core.Decoder().decode_lines("1\n2\n")

    assert _core.Decoder(object_hook=hook).decode_lines('{}\n[{}]\n"x"') == [[1, 2], [[1, 2]], "x"]


@given(st.lists(json_documents.decoded_values, max_size=8), st.sampled_from(["\n", "\r\n", "\n\n \n"]), st.booleans())
def test_lines_of_any_documents_equal_their_values(values: list[Any], feed: str, ensure_ascii: bool) -> None:
    text = feed.join(stdlib_json.dumps(value, ensure_ascii=ensure_ascii) for value in values)
    assert repr(DECODER.decode_lines(text)) == repr([stdlib_json.loads(stdlib_json.dumps(value)) for value in values])


# ---- a value at an index


def assert_raw(text: str, *index: Any) -> None:
    expected = outcome(json.JSONDecoder().raw_decode, text, *index)
    assert_same(outcome(DECODER.raw_decode, text, *index), expected, (text, *index))


def test_raw_at_each_index_equals_stdlib() -> None:
    for text in [
        *decode_checks.CORPUS,
        "\ufeff1",
        "12abc",
        "1.5.5",
        "1.",
        "1.e5",
        "1e",
        "-",
        "truefalse",
        "nul",
        '"a"b',
        "[1]x",
    ]:
        for document in in_each_kind(text):
            assert_raw(document)
            for index in range(-1, len(document) + 3):
                assert_raw(document, index)


def test_raw_index_of_odd_values_equals_stdlib() -> None:
    class Index:
        def __index__(self) -> int:
            return 1

    for index in (True, Index(), 2**62, 2**63, -(2**63), -(2**64), 1.0, "1", None):
        assert_raw("[1]", index)
    assert DECODER.raw_decode("[1]", idx=1) == (1, 2)


def test_raw_of_other_types_raises_as_in_stdlib() -> None:
    for source in (b"1", bytearray(b"1"), None, 5, ["1"]):
        assert outcome(json.JSONDecoder().raw_decode, source)[0] == "TypeError"
        assert_raw(source)  # type: ignore[arg-type]


def test_raw_by_options_is_in_the_positions_of_the_whole() -> None:
    text = '中 {"a": [1, 2.5, NaN], "a": "\t"} [[[1]]] "\\ud83d"'
    start = text.index("{")
    value, end = _core.Decoder(**decode_checks.HOOKS, strict=False).raw_decode(text, start)
    expected = reference_codec.decode(text[start:end], **decode_checks.HOOKS, strict=False)
    assert (repr(value), text[end:]) == (repr(expected), ' [[[1]]] "\\ud83d"')
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"duplicate_keys": "error", "strict": False}, "{", '"a": "'),
        ({"allow_nan": False}, "{", "NaN"),
        ({}, "{", "\t"),
        ({"max_depth": 2}, "[[[", "[1]]]"),
        ({"allow_surrogates": False}, '"\\ud', "\\ud"),
    ]
    for options, at, culprit in cases:
        with pytest.raises(_core.JSONDecodeError) as raised:
            _core.Decoder(**options).raw_decode(text, text.index(at))
        assert (raised.value.pos, raised.value.doc) == (text.index(culprit), text)


def test_raw_reads_a_stream_of_values() -> None:
    values = [stdlib_json.loads(text) for text in json_documents.VALID]
    for gap in (" ", "\n", " , "):
        text = gap.join(stdlib_json.dumps([value]) for value in values)
        got, at = [], 0
        while at < len(text):
            value, at = DECODER.raw_decode(text, at)
            got.append(value[0])
            at += len(gap)
        assert repr(got) == repr(values)


def test_raw_of_subclass_and_file_content() -> None:
    class Text(str):
        def __len__(self) -> int:
            return 0

    assert DECODER.raw_decode(Text('["é"] x'), 0) == (["é"], 5)
    assert DECODER.raw_decode(io.StringIO("[1] 2").read(), 4) == (2, 5)
