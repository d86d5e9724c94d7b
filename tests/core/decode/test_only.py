"""only=: the parts that JSON Pointers name, held against a selection of the whole value, and the errors of loads."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import random
import sys
import tracemalloc
from typing import Any

import pytest
from helpers import decode_checks
from helpers.call_outcome import assert_same, outcome
from helpers.selected_parts import selected

from ssrjson_web import Decoder, JSONDecodeError, _core

pytestmark = pytest.mark.usefixtures("isa")

KEYS = ["a", "b", "é", "中", "", "a/b", "~", "*", "0", "1", "01", "-", "x" * 70, "😀", 'quote"s']
SCALARS = [
    *(0, -1, 2**70, 1.5, -0.0, 1e300, True, False, None),
    *("", "é", "中文", "😀", "a\nb", "\\", "x" * 100, "é" * 40, "中" * 33, "\ud800", '"'),
]


def random_value(r: random.Random, depth: int) -> Any:
    kind = r.randrange(4 if depth else 2)
    if kind < 2:
        return r.choice(SCALARS)
    n = r.choice([0, 1, 2, 3, 12])
    if kind == 2:
        return [random_value(r, depth - 1) for _ in range(n)]
    return {r.choice(KEYS): random_value(r, depth - 1) for _ in range(n)}


def token(r: random.Random) -> str:
    key = r.choice([*KEYS, *"0123*****", "11"])
    return key.replace("~", "~0").replace("/", "~1")


def random_pointers(r: random.Random) -> list[str]:
    return ["".join("/" + token(r) for _ in range(r.choice([0, 1, 1, 2, 2, 3, 4]))) for _ in range(r.choice([1, 2, 5]))]


def random_text(r: random.Random, value: Any) -> str:
    separators = r.choice([(",", ":"), (", ", ": "), (" ,\n", "\t:\r\n")])
    return json.dumps(value, ensure_ascii=r.random() < 0.4, separators=separators, indent=r.choice([None, None, 1]))


def expected(source: Any, pointers: list[str], **options: Any) -> tuple[Any, ...]:
    return outcome(lambda: selected(_core.loads(source, **options), pointers))


@pytest.mark.parametrize(
    ("text", "only", "value"),
    [
        ('{"a": {"b": 1, "c": 2}, "d": 3}', "/a/b", {"a": {"b": 1}}),
        ('{"a": {"b": 1, "c": 2}, "d": 3}', ("/d", "/a/c"), {"a": {"c": 2}, "d": 3}),
        ('{"a": 1}', "", {"a": 1}),
        ('{"a": 1}', "/b", {}),
        ('{"a": 1}', "/a/b", {"a": 1}),
        ('{"a": null, "b": []}', ("/a/x", "/b/0"), {"a": None, "b": []}),
        ("[[1, 2], 3, {}]", "/*/1", [[None, 2], 3, {}]),
        ("[0, 1, 2, 3]", "/2", [None, None, 2]),
        ("[0, 1, 2, 3]", "/02", []),
        ('{"02": 1, "-": 2}', ("/02", "/-"), {"02": 1, "-": 2}),
        ('{"a/b": 1, "m~n": 2, "~1": 3}', ("/a~1b", "/m~0n", "/~01"), {"a/b": 1, "m~n": 2, "~1": 3}),
        ('{"": {"": 1, "a": 2}}', "//", {"": {"": 1}}),
        ('{"*": 1, "a": 2}', "/*", {"*": 1, "a": 2}),
        ('{"a": {"x": 1}, "a": {}}', "/a/x", {"a": {}}),
        ('{"a": {"x": 1}, "b": 0, "a": {"x": 2}}', "/a/x", {"a": {"x": 2}}),
        ("5", "/a", 5),
        (' "é" ', "/a/b", "é"),
        ('{"\\u0061": [1], "b": 2}', "/a", {"a": [1]}),
    ],
)
def test_parts_of_a_document(text: str, only: Any, value: Any) -> None:
    for source in (text, text.encode(), bytearray(text.encode())):
        assert _core.loads(source, only=only) == value
        assert Decoder(only=only).decode(source) == value


@pytest.mark.parametrize("seed", range(8))
def test_random_parts_are_those_of_the_whole_value(seed: int) -> None:
    r = random.Random(seed)
    for _ in range(150):
        value, pointers = random_value(r, 4), random_pointers(r)
        text = random_text(r, value)
        options = r.choice([{}, {}, {"parse_float": "decimal"}, {"allow_surrogates": False}, {"int64": "float"}])
        for form in decode_checks.in_each_kind(text) if r.random() < 0.3 else [text]:
            for source in (form, form.encode("utf-8", "surrogatepass")):
                wanted = expected(source, pointers, **options)
                assert_same(outcome(_core.loads, source, only=pointers, **options), wanted, (source, pointers))


FAULTS = [
    *(
        "",
        " ",
        ",",
        ":",
        "]",
        "}",
        "[",
        "{",
        '"',
        "x",
        "\x00",
        "\x1f",
        "\\",
        "\\u12",
        "\\x",
        "01",
        "1.",
        "1e",
        "-",
        "+1",
    ),
    *("tru", "nul", "NaN", "-Infinity", "1e400", "9" * 700, "\x7f", "//", "0x", ".5", '"\\ud8', "\ufeff"),
]


@pytest.mark.parametrize("seed", range(8))
def test_errors_are_those_of_loads(seed: int) -> None:
    r = random.Random(seed)
    n_errors = 0
    for _ in range(250):
        text = random_text(r, random_value(r, 3))
        at = r.randrange(len(text) + 1)
        text = text[:at] + r.choice(FAULTS) + text[at + r.choice([0, 0, 1, 5]) :]
        pointers = random_pointers(r)
        options: dict[str, Any] = r.choice([{}, {}, {"allow_nan": False}, {"strict": False}, {"max_depth": 2}])
        options |= r.choice([{}, {}, {"duplicate_keys": "error"}, {"int64": "error"}, {"jsonc": True}])
        data = text.encode("utf-8", "surrogatepass")
        if r.random() < 0.2:
            at = r.randrange(len(data) + 1)
            data = data[:at] + r.choice([b"\xff", b"\xc3", b"\xed\xa0", b"\xf4\x90\x80\x80", b"\xc0\x80"]) + data[at:]
        for source in (text, data):
            wanted = expected(source, pointers, **options)
            n_errors += wanted[0] != "value"
            assert_same(outcome(_core.loads, source, only=pointers, **options), wanted, (source, pointers, options))
    assert n_errors > 100


def test_each_byte_that_may_be_cut_or_changed() -> None:
    text = '{"a": [1, -2.5e3, "é\\u00e9\\n", true], "中": {"b": null, "c": []}, "d": "' + "é" * 20 + '"}'
    data = text.encode()
    for i in range(len(data)):
        for source in (data[:i], data[:i] + b'"' + data[i + 1 :], data[:i] + bytes([data[i] ^ 0x80]) + data[i + 1 :]):
            for only in ("/a/0", "/zzz", "/中/b"):
                assert_same(outcome(_core.loads, source, only=only), expected(source, [only]), (source, only))


TOKENS = [
    *("0", "-0", "12", "1.5", "-1.25e+10", "1E-7", "0.0", "01", "-", "-x", "1.", ".1", "1e", "1e+", "1.e1", "1.2.3"),
    *("1e5.6", "1e5e6", "1-2", "+1", "--1", "-01", "0x1", "1_0", "00", "1e1.", "1" * 18, "1" * 200, "0." + "1" * 200),
    *("true", "false", "null", "tru", "truee", "nulll", "falsy", "true1", "1true", "truefalse", "True", "t", "nul"),
    *('"a"', '""', '"\\""', '"\\\\"', '"\\u00e9"', '"\\ud83d\\ude00"', '"\\u00g0"', '"\\x"', '"é"', '"中😀"', '"\t"'),
    *(
        '"a" "b"',
        '"a""b"',
        '"a"1',
        '1"a"',
        '"a":1',
        '{"a":1}',
        '{"a" :1 }',
        '{"a":"b":1}',
        '{"a"}',
        '{"a":}',
        '{"a":1,}',
    ),
    *(
        '{"a":1,"b":2}',
        '{"a":1 "b":2}',
        '{"a":1,2}',
        "{1:2}",
        "{,}",
        "{:1}",
        '{"a",1}',
        '{"a"::1}',
        "[1,]",
        "[,1]",
        "[1 2]",
    ),
    *(
        "[]",
        "{}",
        "[[]]",
        "[{}]",
        '{"a":[]}',
        "[}",
        "{]",
        '{"a":]',
        '["a":1]',
        "[:]",
        "[1,2",
        "]",
        "}",
        "1 2",
        ",",
        "é",
        "\x00",
    ),
]


@pytest.mark.parametrize("text", TOKENS, ids=ascii)
def test_tokens_at_each_place_of_a_block(text: str) -> None:
    """Containers are skipped in blocks of 64 bytes."""
    for n in range(66):
        for before in (" " * n, '"' + "x" * n + '",'):
            source = f'{{"x": [{before}{text} ,"y"], "z": 1}}'
            assert_same(outcome(_core.loads, source, only="/z"), expected(source, ["/z"]), source)


def test_what_is_skipped_is_not_made() -> None:
    """Not even by the parser, which reads the whole text where it has to decide about a fault."""
    values = [*SCALARS, 1e-7, [[]], {"a": {}}, {"a": [1, {"é": None}]}, '\\"' * 9, "x" * 300, 10**60]
    for ensure_ascii in (False, True):
        for indent in (None, 2):
            source = json.dumps({"x": values * 100, "z": 1}, ensure_ascii=ensure_ascii, indent=indent)
            data = source.encode("utf-8", "surrogatepass")
            tracemalloc.start()
            try:
                assert _core.loads(data, only="/z") == {"z": 1}
                assert tracemalloc.get_traced_memory()[1] < 10_000
            finally:
                tracemalloc.stop()


def test_deep_nesting() -> None:
    for depth in (1000, 1023, 1024, 1025, 100_000):
        text = "[" * depth + "1" + "]" * depth
        assert _core.loads(text, only="/1") == []
        assert_same(outcome(_core.loads, text[:-1], only="/1"), expected(text[:-1], ["/1"]), depth)
    limited = outcome(_core.loads, '{"a": [[[1]]], "b": 2}', only="/b", max_depth=3)
    assert limited == expected('{"a": [[[1]]], "b": 2}', ["/b"], max_depth=3)
    assert limited[0] != "value"


def test_lines_and_raw_decode() -> None:
    decoder = Decoder(only="/a")
    assert decoder.decode_lines('{"a": 1, "b": 2}\n\n{"b": 1}\n') == [{"a": 1}, {}]
    with pytest.raises(JSONDecodeError) as raised:
        decoder.decode_lines('{"a": 1, "b": 2}\n{"a": 1, "b": }\n')
    assert (raised.value.pos, raised.value.lineno) == (31, 2)
    assert decoder.raw_decode('  {"a": 1, "b": 2} x', 2) == ({"a": 1}, 18)
    for chunk in ('{"a": ', "[1,", ' 2], "b": 3}'):
        decoder.feed(chunk)
    assert decoder.close() == {"a": [1, 2]}


@pytest.mark.parametrize(
    ("only", "error", "message"),
    [
        ((), ValueError, "only names no part; '' is the whole document"),
        ("a", ValueError, "a JSON Pointer has a '/' before each key, as in '/user/id': 'a' in only"),
        (["/a", "b/c"], ValueError, "a JSON Pointer has a '/' before each key, as in '/user/id': 'b/c' in only"),
        (["/~"], ValueError, "'~' is written as '~0' and '/' as '~1' in a JSON Pointer: '/~' in only"),
        (["/a~2"], ValueError, "'~' is written as '~0' and '/' as '~1' in a JSON Pointer: '/a~2' in only"),
        (5, TypeError, "only must be a str or an iterable of str, not int"),
        (b"/a", TypeError, "only must be a str or an iterable of str, not bytes"),
        ([b"/a"], TypeError, "only must be a str or an iterable of str, not of bytes"),
        (["/a"] * 65, ValueError, "only has more than 64 JSON Pointers"),
        ("/a" * 65, ValueError, "a JSON Pointer in only has more than 64 parts"),
    ],
    ids=str,
)
def test_wrong_pointers_are_refused(only: Any, error: type[Exception], message: str) -> None:
    for call in (lambda: _core.loads("1", only=only), lambda: Decoder(only=only)):
        with pytest.raises(error) as raised:
            call()
        assert str(raised.value) == message


@pytest.mark.parametrize(
    "option",
    [
        *({"object_hook": dict}, {"object_pairs_hook": dict}, {"array_hook": tuple}, {"parse_int": int}),
        *({"parse_float": float}, {"parse_constant": float}, {"number_arrays": "array"}, {"type": dict}),
        {"key_case": "snake"},
    ],
    ids=lambda option: next(iter(option)),
)
def test_options_that_cannot_be_combined(option: dict[str, Any]) -> None:
    (name,) = option
    for more in ({}, {"parse_float": "decimal"} if name not in ("parse_float", "number_arrays", "type") else {}):
        with pytest.raises(TypeError, match=rf"^only cannot be combined with {name}$"):
            _core.loads("1", only="/a", **{**more, **option})
    with pytest.raises(TypeError, match=r"^only cannot be combined with partial$"):
        Decoder(only="/a", partial="on")


def test_pointers_are_kept_as_they_were_given() -> None:
    changing = ["/a"]
    for only in (changing, iter(["/a"]), {"/a": 1}, ("/a",)):
        decoder = Decoder(only=only)
        changing.append("/b")
        for made in (decoder, copy.copy(decoder), pickle.loads(pickle.dumps(decoder))):
            assert repr(made) == "Decoder(only=('/a',))"
            assert made.decode('{"a": 1, "b": 2}') == {"a": 1}
        changing.pop()


def test_iterable_that_raises_or_decodes_in_turn() -> None:
    def pointers() -> Any:
        yield "/a"
        assert _core.loads('{"a": 1, "b": 2}', only="/b") == {"b": 2}
        yield "/b"
        raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        _core.loads("{}", only=pointers())
    with pytest.raises(KeyError, match="stop"):
        Decoder(only=pointers())


def test_nothing_is_kept() -> None:
    text = json.dumps({"a": [{"b": i, "é": "é" * 50} for i in range(50)], "c": "\\u00e9"})
    decoder = Decoder(only=("/a/*/b", "/a/3/é"))
    broken = text[:-1]

    def work() -> None:
        for _ in range(20):
            decoder.decode(text)
            outcome(decoder.decode, broken)
            _core.loads(text, only=["/a/1", "/*"])
            outcome(Decoder, only=["/a", "x"])

    work()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(5):
        work()
    gc.collect()
    assert sys.getallocatedblocks() - before < 100
