"""jsonc=True: comments where white space may stand, and a comma after the last item; held against the slow codec."""

from __future__ import annotations

import random
from typing import Any

import pytest
from helpers import decode_checks, reference_codec
from helpers.call_outcome import assert_same, outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import Decoder, JSONDecodeError, _core

pytestmark = pytest.mark.usefixtures("isa")

TOKENS = ["[", "]", "{", "}", ",", ":", '"a"', '"/*"', '"//"', '"é"', "1", "-2.5e3", "null", "true"]
SPACES = [
    "",
    "",
    "",
    " ",
    "\n",
    "\r\n",
    "//\n",
    "// x ]\r",
    "/**/",
    "/* , */",
    "/***/",
    "/*/*/",
    "/* é中😀 */",
    "//é\n",
]
FAULTS = ["/", "//", "/*", "/* *", "*/", "# x\n", "/ /", ",", "\x01", "x"]


def value(source: random.Random, depth: int) -> list[str]:
    """The tokens of a random value; half of the containers with items end with a comma."""
    kind = source.randrange(4 if depth > 0 else 2)
    if kind < 2:
        return [source.choice(TOKENS[6:])]
    tokens = ["[" if kind == 2 else "{"]
    n = source.randrange(4)
    for i in range(n):
        if kind == 3:
            tokens += [source.choice(TOKENS[6:10]), ":"]
        tokens += value(source, depth - 1)
        if i + 1 < n or source.random() < 0.5:
            tokens.append(",")
    return [*tokens, "]" if kind == 2 else "}"]


def document(source: random.Random) -> str:
    tokens = value(source, 3)
    if source.random() < 0.5:  # spoil it
        place = source.randrange(len(tokens) + 1)
        tokens[place : place + source.randrange(2)] = [source.choice(TOKENS + FAULTS)]
    return source.choice(SPACES) + "".join(token + source.choice(SPACES) for token in tokens)


def without_document(result: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*result[:5], *result[6:]) if result[0] == "JSONDecodeError" else result


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("// a\n1", 1),
        ("/* a */ 1 // b", 1),
        ("[1, 2,]", [1, 2]),
        ("[1, 2, // two\n]", [1, 2]),
        ("[1, 2 /* two */ , ]", [1, 2]),
        ("[/* nothing */]", []),
        ("{// nothing\n}", {}),
        ('{"a": 1,}', {"a": 1}),
        ('{"a" /* key */ : /* value */ [{},],\r\n}', {"a": [{}]}),
        ('["// no comment", "/* nor this */"]', ["// no comment", "/* nor this */"]),
        ('{"a": 1, /* "b": 2, */ "c": 3}', {"a": 1, "c": 3}),
    ],
)
def test_comments_and_trailing_commas_are_skipped(text: str, expected: Any) -> None:
    for kind in decode_checks.in_each_kind(text):
        wanted = expected if kind == text else [kind[2], expected]
        suffix = "\n" if kind != text and "// b" in text else ""
        source = kind[:-1] + suffix + kind[-1]
        assert _core.loads(source, jsonc=True) == wanted
        assert _core.loads(source.encode(), jsonc=True) == wanted


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("[1, /* 2]", "Unterminated comment starting at", 4),
        ("[1] /*/", "Unterminated comment starting at", 4),
        ("/*", "Unterminated comment starting at", 0),
        ("[1, 2,,]", "Expecting value", 6),
        ("[,]", "Expecting value", 1),
        ("{,}", "Expecting property name enclosed in double quotes", 1),
        ('{"a": 1,,}', "Expecting property name enclosed in double quotes", 8),
        ('{"a": /**/}', "Expecting value", 10),
        ('{"a" /**/ 1}', "Expecting ':' delimiter", 10),
        ("[1 /**/ 2]", "Expecting ',' delimiter", 8),
        ("[1, // 2", "Expecting value", 8),
        ("// nothing", "Expecting value", 10),
        ("[1 / 2]", "Expecting ',' delimiter", 3),
        ("1 /* a */ 2", "Extra data", 10),
        ("1, ", "Extra data", 1),
        ("[1}", "Expecting ',' delimiter", 2),
        ("[1, }", "Expecting value", 4),
        ('{"a": 1, ]', "Expecting property name enclosed in double quotes", 9),
        ("{a: 1}", "Expecting property name enclosed in double quotes", 1),
        ("['a']", "Expecting value", 1),
        ("[1] # a", "Extra data", 4),
    ],
)
def test_other_faults_have_their_message_and_position(text: str, message: str, position: int) -> None:
    for source in (text, text.encode()):
        with pytest.raises(JSONDecodeError) as raised:
            _core.loads(source, jsonc=True)
        assert (raised.value.msg, raised.value.pos, raised.value.doc) == (message, position, text)


def test_without_the_option_a_comment_is_what_it_was() -> None:
    for text in ("[1, // 2\n3]", "/**/1", "[1,]", '{"a":1,}', "1 //"):
        for options in ({}, {"jsonc": False}, {"jsonc": None}):
            expected = outcome(reference_codec.decode, text)
            assert_same(outcome(_core.loads, text, **options), expected, text)
            assert_same(outcome(_core.loads, text.encode(), **options), expected, text)


def test_comments_must_be_utf8() -> None:
    for text in (b"[1 /* \xff */]", b"// \xed\xa0\n1", b"1 // \xc3", b"/* \x80"):
        expected = outcome(reference_codec.decode, text, jsonc=True)
        assert expected[0] == "UnicodeDecodeError"
        decoder = Decoder(jsonc=True, partial="on")
        got = outcome(decode_checks.fed, [text[i : i + 1] for i in range(len(text))], jsonc=True, partial="on")
        if text[0] != ord("/") or b"\n" in text:  # else the comment has no end
            assert_same(outcome(_core.loads, text, jsonc=True), expected, text)
            assert got[0] == "UnicodeDecodeError"
        assert decoder.decode(b"/* \xed\xa0\x80 */1") == 1  # what Python's json decodes, too


@pytest.mark.parametrize("seed", range(6))
def test_random_documents_give_what_the_slow_codec_gives(seed: int) -> None:
    source = random.Random(seed)
    decoder = Decoder(jsonc=True)
    n_valid = 0
    for _ in range(400):
        text = document(source)
        options: dict[str, Any] = {"jsonc": True}
        if source.random() < 0.3:
            options |= {"object_pairs_hook": list} if source.random() < 0.5 else {"duplicate_keys": "error"}
        for kind in decode_checks.in_each_kind(text):
            for form in (kind, kind.encode()):
                expected = outcome(reference_codec.decode, form, **options)
                assert_same(outcome(_core.loads, form, **options), expected, (form, options))
        expected = outcome(reference_codec.decode, text, jsonc=True)
        n_valid += expected[0] == "value"
        assert_same(outcome(decoder.decode, text), expected, text)
        lines = outcome(reference_codec.decode_lines, text, jsonc=True)
        assert_same(outcome(decoder.decode_lines, text), lines, text)
    assert 100 < n_valid < 380


@pytest.mark.parametrize("seed", range(6))
def test_documents_in_any_chunks_give_the_same(seed: int) -> None:
    source = random.Random(seed)
    for _ in range(200):
        text = document(source)
        body: Any = source.choice([text, text.encode()])
        expected = without_document(outcome(reference_codec.decode, text, jsonc=True))
        longest = source.choice([1, 1, 2, 5])
        chunks = []
        rest = body
        while rest:
            n = source.randint(1, longest)
            chunks.append(rest[:n])
            rest = rest[n:]
        assert_same(
            outcome(decode_checks.fed, chunks, jsonc=True)[:5], outcome(_core.loads, body, jsonc=True)[:5], body
        )
        for mode in ("on", "trailing-strings"):
            got = without_document(outcome(decode_checks.fed, chunks, jsonc=True, partial=mode))
            assert_same(got, expected, (chunks, mode))


def test_value_so_far_is_that_before_the_comment() -> None:
    decoder = Decoder(jsonc=True, partial="trailing-strings")
    seen = []
    for chunk in ["/", "/ \n", "[", "/* ", '"', "*/", "1 ", "/", "* */", ",", "//\n", "]", " /", "/ x"]:
        decoder.feed(chunk)
        try:
            seen.append(decoder.value)
        except LookupError:
            seen.append(None)
    assert seen == [None, None, [], [], [], [], [1], [1], [1], [1], [1], [1], [1], [1]]
    assert decoder.close() == [1]


def test_items_are_taken_between_comments() -> None:
    decoder = Decoder(jsonc=True, partial="on")
    taken: list[Any] = []
    text = "// begin\n[" + "".join(f"{i}, // {i}\n/* [{i}] */" for i in range(2000)) + "] // end"
    for at in range(0, len(text), 7):
        decoder.feed(text[at : at + 7])
        taken += decoder.take_items()
    assert [*taken, *decoder.close()] == list(range(2000))
    decoder.feed("/* { */ {")
    with pytest.raises(JSONDecodeError, match=r"Expecting an array: line 1 column 9 \(char 8\)"):
        decoder.take_items()


def test_raw_decode_ends_before_a_comment() -> None:
    decoder = Decoder(jsonc=True)
    assert decoder.raw_decode("[1, /* a */] // b") == ([1], 12)
    with pytest.raises(JSONDecodeError, match=r"Expecting value: line 1 column 1"):
        decoder.raw_decode("/* a */ 1")


@given(st.integers(0, 2**32))
def test_raw_decode_does_not_depend_on_the_text_after_the_value(seed: int) -> None:
    source = random.Random(seed)
    decoder = Decoder(jsonc=True)
    for _ in range(20):
        text = document(source).lstrip(" \n\r")
        for after in ("", " ", "//", "/*", "]", ",", '"', "1", "e", ":"):
            results = [outcome(decoder.raw_decode, text + after + last) for last in ("\nx", "\né", "\n中", "\n😀")]
            for one in results[1:]:
                assert_same(without_document(one), without_document(results[0]), text + after)


def test_hooks_get_what_is_between_comments() -> None:
    text = '{"a": [1, /* ] */ 2,], /* b */ "c": {/**/}, "d": [//\n],}'
    options = decode_checks.HOOKS
    assert_same(
        outcome(_core.loads, text, jsonc=True, **options),
        outcome(reference_codec.decode, text, jsonc=True, **options),
        text,
    )


def test_duplicate_key_after_comments_is_found() -> None:
    text = '{"a": 1, /* "a": {[, */ "b": 2, // "x"\n "a": 3}'
    with pytest.raises(JSONDecodeError) as raised:
        _core.loads(text, jsonc=True, duplicate_keys="error")
    assert raised.value.pos == text.rindex('"a"')
