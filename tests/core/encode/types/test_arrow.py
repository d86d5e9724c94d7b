"""Arrays of Arrow by its C interface, with arrays=True: the text of to_pylist(); exports that contradict themselves
are refused."""

from __future__ import annotations

import ast
import ctypes
import gc
import json
import random
import re
import struct
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from helpers.all_outputs import assert_encoded_as, in_chunks
from helpers.builds import IS_FREE_THREADED
from helpers.call_outcome import outcome
from helpers.exports import NO_RELEASE, Array, Exported, Schema, Streamed, array, schema

from ssrjson_web import Encoder, JSONEncodeTypeError, JSONEncodeValueError, dumps, dumps_to_bytes

pytestmark = pytest.mark.usefixtures("isa")

HOOKS: tuple[dict[str, Any], ...] = ({}, {"default": str})  # what is wrong never goes to default


def packed(letter: str, *values: Any) -> bytes:
    return struct.pack(f"={len(values)}{letter}", *values)


def bits(*flags: bool) -> bytes:
    n = sum(1 << i for i, flag in enumerate(flags) if flag)
    return n.to_bytes(len(flags) // 8 + 1, "little")


def texts(*values: str, letter: str = "i", **fields: Any) -> Array:
    data = [value.encode() for value in values]
    offsets = [sum(map(len, data[:i])) for i in range(len(data) + 1)]
    return array(len(values), None, packed(letter, *offsets), b"".join(data), **fields)


def views(*values: bytes, buffer: bytes = b"") -> Array:
    """Views: short texts in the view, others where the buffer has them."""
    view = b""
    for value in values:
        short = len(value) <= 12
        rest = value.ljust(12, b"\0") if short else value[:4] + packed("i", 0, buffer.index(value))
        view += packed("i", len(value)) + rest
    return array(len(values), None, view, buffer, packed("q", len(buffer)))


def ints(letter: str) -> Callable[..., Array]:
    return lambda *values: array(len(values), None, packed(letter, *values))


I8, I16, I32, I64 = map(ints, "bhiq")

EXAMPLES: dict[str, tuple[Schema, Array, Any]] = {
    "null": (schema(b"n"), array(3), [None] * 3),
    "bool": (
        schema(b"b"),
        array(9, bits(*[True] * 3, False, *[True] * 5), bits(True, False) + b"\1"),
        [True, False, False, None, *[False] * 4, True],
    ),
    "int8": (schema(b"c"), I8(-128, 127), [-128, 127]),
    "uint8": (schema(b"C"), array(2, None, b"\x00\xff"), [0, 255]),
    "int16": (schema(b"s"), I16(-(1 << 15), 1), [-(1 << 15), 1]),
    "uint16": (schema(b"S"), array(1, None, packed("H", 65535)), [65535]),
    "int32": (schema(b"i"), I32(-(1 << 31), 1), [-(1 << 31), 1]),
    "uint32": (schema(b"I"), array(1, None, packed("I", (1 << 32) - 1)), [(1 << 32) - 1]),
    "int64": (schema(b"l"), I64(-(1 << 63), 1), [-(1 << 63), 1]),
    "uint64": (schema(b"L"), array(1, None, packed("Q", (1 << 64) - 1)), [(1 << 64) - 1]),
    "float16": (schema(b"e"), array(2, None, packed("e", 0.1, -2)), [0.0999755859375, -2.0]),
    "float32": (schema(b"f"), array(2, None, packed("f", 0.1, -2)), [0.10000000149011612, -2.0]),
    "float64": (schema(b"g"), array(3, None, packed("d", 0.1, 1e300, 5e-324)), [0.1, 1e300, 5e-324]),
    "nulls between": (
        schema(b"i"),
        array(40, bits(*[i % 7 not in (0, 3) for i in range(40)]), packed("i", *range(40))),
        [None if i % 7 in (0, 3) else i for i in range(40)],
    ),
    "offset": (
        schema(b"i"),
        array(3, bits(*[False] * 9, True, False, True), packed("i", *range(12)), offset=9),
        [9, None, 11],
    ),
    "validity without nulls": (schema(b"i"), array(2, b"\0", packed("i", 1, 2), null_count=0), [1, 2]),
    "utf8": (
        schema(b"u"),
        texts("a", "", 'é"\\\n', "中😀" * 30, "x" * 100),
        ["a", "", 'é"\\\n', "中😀" * 30, "x" * 100],
    ),
    "large_utf8": (schema(b"U"), texts("a", "é", letter="q"), ["a", "é"]),
    "empty texts without data": (schema(b"u"), array(2, None, packed("i", 0, 0, 0), None), ["", ""]),
    "string_view": (
        schema(b"vu"),
        views(b"abc", b"", b"x" * 12, b"y" * 13, buffer=b"zz" + b"y" * 13),
        ["abc", "", "x" * 12, "y" * 13],
    ),
    "date32": (schema(b"tdD"), I32(0, -1, 20000), ["1970-01-01", "1969-12-31", "2024-10-04"]),
    "date64": (schema(b"tdm"), I64(86399999, -1, -86400000), ["1970-01-01", "1969-12-31", "1969-12-31"]),
    "time32 s": (schema(b"tts"), I32(0, 86399), ["00:00:00", "23:59:59"]),
    "time32 ms": (schema(b"ttm"), I32(1, 61000), ["00:00:00.001000", "00:01:01"]),
    "time64 us": (schema(b"ttu"), I64(1), ["00:00:00.000001"]),
    "time64 ns": (
        schema(b"ttn"),
        I64(1, 1000, 86399999999999),
        ["00:00:00.000000001", "00:00:00.000001", "23:59:59.999999999"],
    ),
    "timestamp s": (schema(b"tss:"), I64(0, -1), ["1970-01-01T00:00:00", "1969-12-31T23:59:59"]),
    "timestamp ms": (schema(b"tsm:"), I64(1), ["1970-01-01T00:00:00.001000"]),
    "timestamp us": (schema(b"tsu:"), I64(1), ["1970-01-01T00:00:00.000001"]),
    "timestamp ns": (
        schema(b"tsn:"),
        I64(1, -(1 << 63)),
        ["1970-01-01T00:00:00.000000001", "1677-09-21T00:12:43.145224192"],
    ),
    "timestamp with a zone": (schema(b"tss:Europe/Berlin"), I64(0), ["1970-01-01T00:00:00+00:00"]),
    "list": (
        schema(b"+l", schema(b"i")),
        array(3, bits(True, False, True), packed("i", 0, 2, 2, 2), children=[I32(1, 2)]),
        [[1, 2], None, []],
    ),
    "large_list": (schema(b"+L", schema(b"i")), array(1, None, packed("q", 0, 2), children=[I32(1, 2)]), [[1, 2]]),
    "list_view": (
        schema(b"+vl", schema(b"i")),
        array(3, None, packed("i", 2, 0, 1), packed("i", 1, 2, 0), children=[I32(1, 2, 3)]),
        [[3], [1, 2], []],
    ),
    "large_list_view": (
        schema(b"+vL", schema(b"i")),
        array(1, None, packed("q", 1), packed("q", 1), children=[I32(1, 2)]),
        [[2]],
    ),
    "fixed_size_list": (schema(b"+w:2", schema(b"i")), array(2, None, children=[I32(1, 2, 3, 4)]), [[1, 2], [3, 4]]),
    "fixed_size_list of an offset": (
        schema(b"+w:2", schema(b"i")),
        array(1, None, children=[array(4, None, packed("i", 0, 1, 2, 3, 4), offset=1)], offset=1),
        [[3, 4]],
    ),
    "fixed_size_list of nothing": (schema(b"+w:0", schema(b"i")), array(2, None, children=[I32()]), [[], []]),
    "struct": (
        schema(b"+s", schema(b"i", name=b"b"), schema(b"u", name='é"'.encode())),
        array(2, bits(True, False), children=[I32(1, 2), texts("x", "y")]),
        [{"b": 1, 'é"': "x"}, None],
    ),
    "struct without fields": (schema(b"+s"), array(2, None), [{}, {}]),
    "struct of an offset": (
        schema(b"+s", schema(b"i", name=b"")),
        array(1, None, children=[array(2, None, packed("i", 0, 1, 2), offset=1)], offset=1),
        [{"": 2}],
    ),
    "map": (
        schema(b"+m", schema(b"+s", schema(b"u", name=b"key"), schema(b"i", name=b"value"))),
        array(1, None, packed("i", 0, 2), children=[array(2, None, children=[texts("a", "b"), I32(1, 2)])]),
        [[["a", 1], ["b", 2]]],
    ),
    "dictionary": (
        schema(b"c", dictionary=schema(b"u")),
        array(3, bits(True, True, False), packed("b", 1, 0, 9), dictionary=texts("a", "b")),
        ["b", "a", None],
    ),
    "dictionary by uint64": (
        schema(b"L", dictionary=schema(b"i")),
        array(1, None, packed("Q", 1), dictionary=array(2, None, packed("i", 5, 6, 7), offset=1)),
        [7],
    ),
    "dictionary of a dictionary": (
        schema(b"c", dictionary=schema(b"c", dictionary=schema(b"i"))),
        array(2, None, packed("b", 1, 0), dictionary=array(2, None, packed("b", 0, 1), dictionary=I32(8, 9))),
        [9, 8],
    ),
    "nothing": (schema(b"i"), array(0, None, None), []),
    "no lists": (schema(b"+l", schema(b"i")), array(0, None, None, children=[array(0, None, None)]), []),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_array_of_each_type_is_written_as_its_list(name: str) -> None:
    of_type, items, expected = EXAMPLES[name]
    exported = Exported(of_type, items)
    assert_encoded_as(expected, exported, arrays=True)
    assert dumps(Streamed(of_type, items), arrays=True) == dumps(expected)


@pytest.mark.parametrize("name", EXAMPLES)
def test_arrays_of_a_stream_are_one_array(name: str) -> None:
    of_type, items, expected = EXAMPLES[name]
    none = array(0, *[None] * items.n_buffers, children=[items.children[i].contents for i in range(items.n_children)])
    if items.dictionary:
        none.dictionary = items.dictionary
    layouts: tuple[dict[str, Any], ...] = ({}, {"indent": 2})
    for layout in layouts:
        stream = Streamed(of_type, none, items, none, items, items, none)
        assert dumps([stream, 1], arrays=True, **layout) == dumps([expected * 3, 1], **layout)
    assert dumps(Streamed(of_type), arrays=True, indent=2) == "[]"


def test_stream_is_read_once_where_the_text_wants_a_wider_output() -> None:
    stream = Streamed(schema(b"u"), texts("a"), texts("é"), texts("中"), texts("😀"))
    assert dumps(["b", stream, "é"], arrays=True) == '["b",["a","é","中","😀"],"é"]'


LONG = Exported(
    schema(b"+l", schema(b"u")),
    array(400, None, packed("i", *range(401)), children=[texts(*[f"{i}é" * 20 for i in range(400)])]),
)


def test_long_array_is_written_whole_in_every_way() -> None:
    expected = [[f"{i}é" * 20] for i in range(400)]
    assert dumps_to_bytes(LONG, arrays=True) == dumps_to_bytes(expected)
    assert dumps(LONG, arrays=True, ensure_ascii=True) == json.dumps(expected, separators=(",", ":"))
    assert in_chunks([LONG, 1], 100, arrays=True) == dumps_to_bytes([expected, 1])


def test_every_ascii_character_is_written_as_in_a_str() -> None:
    texts_of_all = ["".join(map(chr, range(128))), "\x7f", "\x7f" * 10_000, "é\x7f"]
    exported = Exported(schema(b"+s", schema(b"u", name=b"\x7f")), array(4, None, children=[texts(*texts_of_all)]))
    rows = [{"\x7f": text} for text in texts_of_all]
    for options in ({}, {"ensure_ascii": True}):
        assert dumps(exported, arrays=True, **options) == dumps(rows, **options)
        assert dumps(["中", exported], arrays=True, **options) == dumps(["中", rows], **options)
        assert dumps_to_bytes(exported, arrays=True, **options) == dumps_to_bytes(rows, **options)


# Options


def test_options_of_times_apply() -> None:
    zoned = Exported(schema(b"tsn:UTC"), I64(1_500_000_001))
    naive = Exported(schema(b"tsn:"), I64(1_500_000_001))
    assert dumps([zoned, naive], arrays=True, utc="Z", timespec="milliseconds") == (
        '[["1970-01-01T00:00:01.500Z"],["1970-01-01T00:00:01.500"]]'
    )
    assert dumps(naive, arrays=True, naive="utc") == '["1970-01-01T00:00:01.500000001+00:00"]'
    assert dumps(Exported(schema(b"ttn"), I64(1_500_000_001)), arrays=True, timespec="seconds") == '["00:00:01"]'


@pytest.mark.parametrize(("unit", "step"), [(b"s", 1), (b"m", 10**3), (b"u", 10**6), (b"n", 10**9)])
def test_durations_are_written_as_timedelta_says(unit: bytes, step: int) -> None:
    durations = Exported(schema(b"tD" + unit), I64(90 * step, -step))
    assert dumps(durations, arrays=True, timedelta="seconds") == "[90.0,-1.0]"
    assert dumps(durations, natives=True) == '["PT1M30S","-PT1S"]'
    with pytest.raises(JSONEncodeValueError, match="durations: the option timedelta"):
        dumps(durations, arrays=True)


BYTES = {
    "binary": (b"z", texts("aé")),
    "large_binary": (b"Z", texts("aé", letter="q")),
    "binary_view": (b"vz", views("aé".encode())),
    "fixed_size_binary": (b"w:3", array(1, None, "aé".encode())),
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes_are_written_as_the_option_says(name: str) -> None:
    exported = Exported(schema(BYTES[name][0]), BYTES[name][1])
    assert dumps(exported, arrays=True, bytes="utf-8") == '["aé"]'
    assert dumps(exported, arrays=True, bytes="base64") == '["YcOp"]'
    with pytest.raises(JSONEncodeValueError, match="holds bytes: the option bytes"):
        dumps(exported, arrays=True)


def test_long_bytes_are_written_in_base64() -> None:
    data = bytes(range(256)) * 200
    exported = Exported(schema(b"w:51200"), array(2, None, data * 2))
    assert dumps(exported, arrays=True, bytes="base64url") == dumps([data, data], bytes="base64url")
    assert dumps(Exported(schema(b"w:0"), array(2, None, None)), arrays=True, bytes="base64") == '["",""]'


FIELDS = Exported(
    schema(b"+s", schema(b"i", name=b"order_id"), schema(b"u", name="é".encode()), schema(b"i", name=b"b")),
    array(2, None, children=[I32(1, 2), texts("x", "y"), array(2, bits(True, False), packed("i", 3, 4))]),
)


def test_options_of_keys_apply_to_fields() -> None:
    rows = [{"order_id": 1, "é": "x", "b": 3}, {"order_id": 2, "é": "y", "b": None}]
    cases: tuple[dict[str, Any], ...] = (
        {"sort_keys": True},
        {"key_case": "camel"},
        {"key_case": "camel", "sort_keys": True},
        {"exclude_none": True},
        {"canonical": True},
        {"html_safe": True},
    )
    for options in cases:
        assert dumps(FIELDS, arrays=True, **options) == dumps(rows, **options), options
        assert dumps_to_bytes(FIELDS, arrays=True, **options) == dumps_to_bytes(rows, **options)


def test_struct_of_nulls_alone_is_empty_without_them() -> None:
    of_type = schema(b"+s", schema(b"n", name=b"a"), schema(b"c", name=b"b", dictionary=schema(b"n")))
    exported = Exported(of_type, array(1, None, children=[array(1), array(1, None, b"\0", dictionary=array(1))]))
    assert dumps(exported, arrays=True, exclude_none=True) == "[{}]"
    assert dumps(exported, arrays=True, exclude_none=True, indent=1) == "[\n {}\n]"
    assert dumps(exported, arrays=True) == '[{"a":null,"b":null}]'


def test_keys_that_become_equal_are_refused() -> None:
    both = schema(b"+s", schema(b"i", name=b"a_b"), schema(b"i", name=b"aB"))
    exported = Exported(both, array(1, None, children=[I32(1), I32(2)]))
    assert dumps(exported, arrays=True) == '[{"a_b":1,"aB":2}]'
    with pytest.raises(JSONEncodeValueError, match="have the key 'aB'"):
        dumps(exported, arrays=True, key_case="camel")
    twice = schema(b"+s", schema(b"i", name=b"a"), schema(b"i", name=b"a"))
    with pytest.raises(JSONEncodeValueError, match="have the key 'a'"):
        dumps(Exported(twice, array(1, None, children=[I32(1), I32(2)])), arrays=True)


def test_options_of_numbers_apply() -> None:
    big = Exported(schema(b"l"), I64(1 << 53, 1))
    assert dumps(big, arrays=True, int53="str") == '["9007199254740992",1]'
    with pytest.raises(JSONEncodeValueError, match="53 bits"):
        dumps([big], arrays=True, int53="error")
    singles = Exported(schema(b"f"), array(2, None, packed("f", 0.1, float("nan"))))
    assert dumps(singles, arrays=True, float32="shortest") == "[0.1,NaN]"
    assert dumps(singles, arrays=True, nan_as_null=True) == "[0.10000000149011612,null]"
    with pytest.raises(JSONEncodeValueError, match="not JSON compliant") as raised:
        dumps({"a": [singles]}, arrays=True, allow_nan=False)
    assert raised.value.__notes__ == ["at $.a[0]"]


def test_line_separators_are_escaped_where_asked() -> None:
    exported = Exported(schema(b"u"), texts("\u2028<\x85"))
    cases: tuple[dict[str, Any], ...] = ({"line_safe": True}, {"html_safe": True})
    for options in cases:
        assert dumps_to_bytes(exported, arrays=True, **options) == dumps_to_bytes(["\u2028<\x85"], **options)
        assert dumps(exported, arrays=True, **options) == dumps(["\u2028<\x85"], **options)


def test_without_the_option_it_goes_to_default_or_is_refused_with_a_hint() -> None:
    exported = Exported(schema(b"c"), I8(1))
    with pytest.raises(JSONEncodeTypeError, match="Exported is not JSON serializable") as raised:
        dumps(exported)
    assert raised.value.__notes__ == ["at $; arrays=True, or natives=True, writes it"]
    assert dumps(exported, default=lambda value: "hook") == '"hook"'
    assert Encoder(natives=True, default=lambda value: "hook").encode(exported) == b"[1]"


# What is refused

NO_FORM = [
    b"d:10,2",
    b"d:10,2,256",
    b"+us:0,1",
    b"+ud:0",
    b"tiM",
    b"tiD",
    b"tin",
    b"+r",
    b"x",
    b"",
    b"ii",
    b"i:",
    b"w",
    b"w:",
    b"w:x",
    b"+w:-1",
    b"w:99999999999",
    b"ts",
    b"tss",
    b"tdD:",
    b"tss\xff",
    b"u" * 300,
]


@pytest.mark.parametrize("format", NO_FORM, ids=str)
def test_type_without_a_form_goes_to_default_or_is_refused(format: bytes) -> None:
    row = Exported(schema(b"+s", schema(format, name=b"price")), array(0, None, children=[array(0)]))
    assert dumps([row], arrays=True, default=lambda value: "hook") == '["hook"]'
    with pytest.raises(JSONEncodeValueError, match=r"^Arrow's type \".*\" of \"price\" is not written: cast") as raised:
        dumps([row], arrays=True)
    assert raised.value.__notes__ == ["at $[0]"]


def deep(levels: int, **fields: Any) -> Schema:
    made = schema(b"i", **fields)
    for _ in range(levels):
        made = schema(b"+l", made)
    return made


def deep_array(levels: int) -> Array:
    made = I32(1)
    for _ in range(levels):
        made = array(1, None, packed("i", 0, 1), children=[made])
    return made


def wide(levels: int) -> Schema:
    """2 ** levels types, of which the struct holds few."""
    made = schema(b"i", name=b"a")
    for _ in range(levels):
        made = schema(b"+s", made, schema(b"n", name=b"b"), made, name=b"a")
        made.children[1].contents.name = b"b"
    return made


WRONG_TYPES: dict[str, tuple[Schema, str]] = {
    "no format": (schema(None), "lacks a type"),
    "released": (schema(b"i", release=NO_RELEASE), "released before"),
    "list without a child": (schema(b"+l"), "another number of children"),
    "list of two": (schema(b"+l", schema(b"i"), schema(b"i")), "another number of children"),
    "number with a child": (schema(b"i", schema(b"i")), "another number of children"),
    "negative children": (schema(b"+s", n_children=-1), "more than 131072 types"),
    "too many children": (schema(b"+s", n_children=1 << 17), "more than 131072 types"),
    "many more children": (schema(b"+s", n_children=1 << 62), "more than 131072 types"),
    "children without a pointer": (schema(b"+s", n_children=2), "lacks types of children"),
    "too deep": (deep(65), "deeper than 64 levels"),
    "a type within itself": (deep(1), "deeper than 64 levels"),
    "a dictionary within itself": (schema(b"i", dictionary=schema(b"i")), "deeper than 64 levels"),
    "shared by all levels": (wide(40), "two fields|more than 131072"),
    "map of numbers": (schema(b"+m", schema(b"i")), "entries are no pairs"),
    "map of three": (schema(b"+m", schema(b"+s", *(schema(b"i", name=n) for n in (b"a", b"b", b"c")))), "no pairs"),
    "dictionary by floats": (schema(b"f", dictionary=schema(b"i")), "indices are no ints"),
    "dictionary by texts": (schema(b"u", dictionary=schema(b"i")), "indices are no ints"),
}
for name, field in (("a type within itself", "children"), ("a dictionary within itself", "dictionary")):
    cycle = WRONG_TYPES[name][0]
    if field == "children":
        cycle.children[0] = ctypes.pointer(cycle)
    else:
        cycle.dictionary = ctypes.pointer(cycle)


@pytest.mark.parametrize("name", WRONG_TYPES)
def test_type_that_contradicts_itself_is_refused(name: str) -> None:
    of_type, message = WRONG_TYPES[name]
    for export in (Exported, Streamed):
        for options in HOOKS:
            with pytest.raises(JSONEncodeValueError, match=message):
                dumps(export(of_type, array(0, None, None)), arrays=True, **options)


def test_deepest_type_is_written() -> None:
    assert dumps(Exported(deep(64), deep_array(64)), arrays=True) == "[" * 65 + "1" + "]" * 65
    text = dumps(Exported(deep(64), deep_array(64)), arrays=True, indent=4)
    assert text == json.dumps(json.loads(text), indent=4)


def test_name_that_is_not_utf8_is_refused() -> None:
    of_type = schema(b"+s", schema(b"i", name=b"\xff"))
    with pytest.raises(UnicodeDecodeError):
        dumps(Exported(of_type, array(1, None, children=[I32(1)])), arrays=True)


LIST, STRUCT, TEXT = schema(b"+l", schema(b"i")), schema(b"+s", schema(b"i", name=b"a")), schema(b"u")
TWO = schema(b"+w:2", schema(b"i"))
WRONG_ARRAYS: dict[str, tuple[Schema, Array]] = {
    "negative length": (schema(b"i"), array(-1, None, b"")),
    "negative offset": (schema(b"i"), array(1, None, bytes(8), offset=-1)),
    "length beyond addresses": (schema(b"i"), array(1 << 62, None, bytes(8))),
    "offset beyond addresses": (schema(b"i"), array(1, None, bytes(8), offset=(1 << 63) - 1)),
    "too few buffers": (schema(b"i"), array(1, None)),
    "negative buffers": (schema(b"i"), array(1, None, bytes(8), n_buffers=-1)),
    "no buffers": (schema(b"i"), array(1, None, bytes(8), buffers=None)),
    "no data": (schema(b"i"), array(1, None, None)),
    "no bits": (schema(b"b"), array(1, None, None)),
    "no offsets": (TEXT, array(1, None, None, b"")),
    "no data of text": (TEXT, array(1, None, packed("i", 0, 1), b"")),
    "no views": (schema(b"vu"), array(1, None, None, None)),
    "no sizes of views": (schema(b"vu"), array(1, None, bytes(16), b"", None)),
    "no sizes": (schema(b"+vl", schema(b"i")), array(1, None, packed("i", 0), None, children=[I32(1)])),
    "no child": (LIST, array(1, None, packed("i", 0, 1))),
    "two children": (LIST, array(1, None, packed("i", 0, 1), children=[I32(1), I32(1)])),
    "children without a pointer": (LIST, array(1, None, packed("i", 0, 1), n_children=1)),
    "a number with a child": (schema(b"i"), array(1, None, bytes(8), children=[I32(1)])),
    "short field": (STRUCT, array(2, None, children=[I32(1)])),
    "field shorter than the offset": (STRUCT, array(1, None, children=[I32(1)], offset=1)),
    "short items": (TWO, array(2, None, children=[I32(1, 2, 3)])),
    "items beyond addresses": (schema(b"+w:2147483647", schema(b"i")), array(1 << 40, None, children=[I32(1)])),
    "no dictionary": (schema(b"c", dictionary=schema(b"i")), array(1, None, b"\0")),
    "dictionary of another type": (schema(b"c", dictionary=TEXT), array(1, None, b"\0", dictionary=I8(1))),
}
WRONG_ARRAYS["no data of text"][1].buffers[2] = None
OUTSIDE = "(text|list|index) .* outside"
WRONG_ITEMS: dict[str, tuple[Schema, Array, str]] = {
    "negative offset": (TEXT, array(1, None, packed("i", -1, 1), b"a"), OUTSIDE),
    "offsets go back": (TEXT, array(1, None, packed("i", 1, 0), b"a"), OUTSIDE),
    "offsets that overflow": (
        schema(b"U"),
        array(1, None, packed("q", -(1 << 63), (1 << 63) - 1), b"a"),
        OUTSIDE,
    ),
    "text without data": (TEXT, WRONG_ARRAYS["no data of text"][1], OUTSIDE),
    "negative size of a view": (
        schema(b"vu"),
        array(1, None, packed("i", -1, 0, 0, 0), b"", packed("q", 0)),
        OUTSIDE,
    ),
    "view of no buffer": (schema(b"vu"), array(1, None, packed("i", 13, 0, 0, 0), None), OUTSIDE),
    "view of a negative buffer": (
        schema(b"vu"),
        array(1, None, packed("i", 13, 0, -1, 0), b"", packed("q", 0)),
        OUTSIDE,
    ),
    "view of the sizes": (
        schema(b"vu"),
        array(1, None, packed("i", 13, 0, 1, 0), b"x" * 20, packed("q", 20)),
        OUTSIDE,
    ),
    "view before its buffer": (
        schema(b"vu"),
        array(1, None, packed("i", 13, 0, 0, -1), b"x" * 20, packed("q", 20)),
        OUTSIDE,
    ),
    "view beyond its buffer": (
        schema(b"vu"),
        array(1, None, packed("i", 13, 0, 0, 8), b"x" * 20, packed("q", 20)),
        OUTSIDE,
    ),
    "view after its buffer": (
        schema(b"vu"),
        array(1, None, packed("i", 13, 0, 0, 30), b"x" * 20, packed("q", 20)),
        OUTSIDE,
    ),
    "buffer of a negative size": (
        schema(b"vu"),
        array(1, None, packed("i", 13, 0, 0, 1), b"x" * 20, packed("q", -(1 << 63))),
        OUTSIDE,
    ),
    "list beyond its items": (LIST, array(1, None, packed("i", 0, 2), children=[I32(1)]), OUTSIDE),
    "list after its items": (LIST, array(1, None, packed("i", 5, 5), children=[I32(1)]), OUTSIDE),
    "list that goes back": (LIST, array(1, None, packed("i", 1, 0), children=[I32(1)]), OUTSIDE),
    "list of a negative offset": (LIST, array(1, None, packed("i", -1, 1), children=[I32(1)]), OUTSIDE),
    "large list that overflows": (
        schema(b"+L", schema(b"i")),
        array(1, None, packed("q", -(1 << 63), (1 << 63) - 1), children=[I32(1)]),
        OUTSIDE,
    ),
    "view of a negative size": (
        schema(b"+vl", schema(b"i")),
        array(1, None, packed("i", 0), packed("i", -1), children=[I32(1)]),
        OUTSIDE,
    ),
    "view that overflows": (
        schema(b"+vL", schema(b"i")),
        array(1, None, packed("q", 1), packed("q", (1 << 63) - 1), children=[I32(1)]),
        OUTSIDE,
    ),
    "index after the dictionary": (
        schema(b"c", dictionary=schema(b"i")),
        array(1, None, b"\1", dictionary=I32(1)),
        OUTSIDE,
    ),
    "negative index": (
        schema(b"c", dictionary=schema(b"i")),
        array(1, None, b"\xff", dictionary=I32(1)),
        OUTSIDE,
    ),
    "index beyond 63 bits": (
        schema(b"L", dictionary=schema(b"i")),
        array(1, None, b"\xff" * 8, dictionary=I32(1)),
        OUTSIDE,
    ),
    "time of the next day": (schema(b"tts"), I32(86400), "outside of a day"),
    "negative time": (schema(b"ttn"), I64(-1), "outside of a day"),
    "late year": (schema(b"tss:"), I64(1 << 62), "years 0 to 9999"),
    "early year": (schema(b"tdD"), I32(-(1 << 31)), "years 0 to 9999"),
    "earliest time": (schema(b"tss:UTC"), I64(-(1 << 63)), "years 0 to 9999"),
    "early year in milliseconds": (schema(b"tdm"), I64(-(1 << 63)), "years 0 to 9999"),
}
del WRONG_ARRAYS["no data of text"]


@pytest.mark.parametrize("name", WRONG_ARRAYS)
def test_array_that_contradicts_its_type_is_refused(name: str) -> None:
    of_type, items = WRONG_ARRAYS[name]
    for export in (Exported, Streamed):
        for encode in (dumps, dumps_to_bytes):
            with pytest.raises(JSONEncodeValueError, match="contradicts its type or itself") as raised:
                encode(["é", export(of_type, items)], arrays=True, default=str)
            assert raised.value.__notes__ == ["at $[1]"]


@pytest.mark.parametrize("name", WRONG_ITEMS)
def test_item_outside_of_its_array_is_refused(name: str) -> None:
    of_type, items, message = WRONG_ITEMS[name]
    for encode in (dumps, dumps_to_bytes):
        with pytest.raises(JSONEncodeValueError, match=message) as raised:
            encode(["é", Exported(of_type, items)], arrays=True, default=str)
        assert raised.value.__notes__ == ["at $[1]"]


@pytest.mark.parametrize("tail", ["", "x" * 40], ids=["short", "long"])
@pytest.mark.parametrize(
    "wrong",
    [
        b"\x80",
        b"\xc3",
        b"\xc0\x80",
        b"\xe0\x80\x80",
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"\xf0\x80\x80\x80",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xff",
        b"\xe4\xb8",
    ],
    ids=str,
)
def test_text_that_is_not_utf8_is_refused_at_every_place(wrong: bytes, tail: str) -> None:
    for n in range(70):
        data = b"a" * n + wrong + tail.encode()
        with pytest.raises(UnicodeDecodeError) as raised:
            dumps_to_bytes(Exported(TEXT, array(1, None, packed("i", 0, len(data)), data)), arrays=True)
        assert raised.value.start == n


def test_text_of_every_length_and_character_is_written() -> None:
    for text in ("x", "\x7f", "é", "中", "\ud7ff", "\ue000", "😀", "\U0010ffff", '"', "\n"):
        values = ["a" * n + text for n in range(70)] + [text * n for n in range(70)]
        assert dumps_to_bytes(Exported(TEXT, texts(*values)), arrays=True) == dumps_to_bytes(values)


# Random arrays


def drawn(chosen: random.Random, n: int, depth: int, name: bytes = b"") -> tuple[Schema, Array, list[Any]]:
    """A type, an array of n items of it within a longer one, and its list."""
    before = chosen.choice([0, 0, 1, 9])
    places = n + before
    valid = [chosen.random() < 0.8 for _ in range(places + 1)]
    has_validity = chosen.random() < 0.5
    buffer = bits(*valid) if has_validity else None

    def nulled(items: list[Any]) -> list[Any]:
        return [item if valid[i] or not has_validity else None for i, item in enumerate(items)][before:]

    kind = chosen.randrange(7 if depth > 0 else 3)
    if kind == 0:
        letter, of_type = chosen.choice([("b", b"c"), ("H", b"S"), ("i", b"i"), ("Q", b"L")])
        numbers = [chosen.randrange(100) for _ in range(places)]
        return schema(of_type, name=name), array(n, buffer, packed(letter, *numbers), offset=before), nulled(numbers)
    if kind == 1:
        words = [chosen.choice(["", "a", 'é"', "中" * chosen.randrange(20), "😀\n"]) for _ in range(places)]
        made = texts(*words, offset=before)
        made.length = n
        if buffer is not None:
            made.buffers[0] = array(0, buffer).buffers[0]
        return schema(b"u", name=name), made, nulled(words)
    if kind == 2:
        flags = [chosen.random() < 0.5 for _ in range(places)]
        return schema(b"b", name=name), array(n, buffer, bits(*flags), offset=before), nulled(flags)
    if kind == 3:
        size = chosen.randrange(3)
        inner = drawn(chosen, places * size, depth - 1)
        made = array(n, buffer, children=[inner[1]], offset=before)
        lists = [inner[2][i * size : i * size + size] for i in range(places)]
        return schema(b"+w:%d" % size, inner[0], name=name), made, nulled(lists)
    if kind == 4:
        sizes = [chosen.randrange(4) for _ in range(places)]
        offsets = [sum(sizes[:i]) for i in range(places + 1)]
        inner = drawn(chosen, offsets[-1], depth - 1)
        made = array(n, buffer, packed("i", *offsets), children=[inner[1]], offset=before)
        return schema(b"+l", inner[0], name=name), made, nulled([inner[2][a:b] for a, b in pairwise(offsets)])
    if kind == 5:
        fields = [drawn(chosen, places, depth - 1, f"k{i}".encode()) for i in range(chosen.randrange(3))]
        made = array(n, buffer, children=[field[1] for field in fields], offset=before)
        rows = [{f"k{k}": field[2][i] for k, field in enumerate(fields)} for i in range(places)]
        return schema(b"+s", *(field[0] for field in fields), name=name), made, nulled(rows)
    inner = drawn(chosen, 5, depth - 1)
    indices = [chosen.randrange(5) for _ in range(places)]
    made = array(n, buffer, packed("h", *indices), dictionary=inner[1], offset=before)
    return schema(b"s", dictionary=inner[0], name=name), made, nulled([inner[2][i] for i in indices])


@pytest.mark.parametrize("seed", range(60))
def test_random_array_is_written_as_its_list(seed: int) -> None:
    of_type, items, expected = drawn(random.Random(seed), seed % 13, depth=4)
    exported = Exported(of_type, items)
    assert dumps_to_bytes(exported, arrays=True) == dumps_to_bytes(expected)
    assert dumps(exported, arrays=True) == dumps(expected)
    assert dumps(["é", exported], arrays=True, indent=1) == dumps(["é", expected], indent=1)
    assert dumps(exported, arrays=True, exclude_none=True) == dumps(expected, exclude_none=True)


EDGES = (0, 1, 2, -1, 5, 6, 100, 1 << 31, -(1 << 31), (1 << 63) - 1, -(1 << 63), 1 << 62)


@pytest.mark.parametrize("seed", range(300))
def test_random_offsets_sizes_and_indices_never_lead_outside(seed: int) -> None:
    """Each is written or refused; that nothing else is read, AddressSanitizer sees."""
    chosen = random.Random(seed)
    n = chosen.randrange(1, 4)

    def numbers(letter: str, count: int) -> bytes:
        low, high = (-(1 << 31), (1 << 31) - 1) if letter == "i" else (-(1 << 63), (1 << 63) - 1)
        return packed(letter, *(min(max(chosen.choice(EDGES), low), high) for _ in range(count)))

    of_type, letter, n_numbers = chosen.choice(
        [(b"+l", "i", n + 1), (b"+L", "q", n + 1), (b"+vl", "i", n), (b"+vL", "q", n), (b"i", "i", n), (b"l", "q", n)]
    )
    inner = I32(*range(5))
    if of_type.startswith(b"+"):
        buffers = [numbers(letter, n_numbers) for _ in range(1 + of_type.startswith(b"+v"))]
        exported = Exported(schema(of_type, schema(b"i")), array(n, None, *buffers, children=[inner]))
    else:
        made = array(n, None, numbers(letter, n_numbers), dictionary=inner)
        exported = Exported(schema(of_type, dictionary=schema(b"i")), made)
    field = chosen.choice(["length", "offset", "n_buffers", "n_children", None])
    if field is not None:
        setattr(inner, field, chosen.choice([0, 1, -1, -(1 << 63), *([] if field != "n_children" else EDGES)]))
    result = outcome(dumps_to_bytes, exported, arrays=True)
    if result[0] == "value":
        assert len(json.loads(ast.literal_eval(str(result[1])))) == n
    else:
        assert re.search(f"{OUTSIDE}|contradicts its type or itself", str(result))


# Hostile Python

AFTER = ',"after"' if IS_FREE_THREADED else ""  # without the GIL, a list is written as it was when it was reached


def with_array(method: Any) -> Any:
    return type("Hostile", (), {"__arrow_c_array__": method})()


def test_methods_that_return_something_else_raise() -> None:
    good = Exported(schema(b"i"), I32(1)).__arrow_c_array__()
    for returned in (None, 1, (), good[:1], (*good, 1), list(good)):
        with pytest.raises(JSONEncodeTypeError, match="must return two capsules"):
            dumps(with_array(lambda self, returned=returned: returned), arrays=True)
    for returned in ((1, 2), good[::-1], (good[0], good[0]), (good[0], None)):
        with pytest.raises(JSONEncodeTypeError, match='must export a capsule "arrow_'):
            dumps(with_array(lambda self, returned=returned: returned), arrays=True)
    for returned in (None, good, good[1]):
        hostile = type("Hostile", (), {"__arrow_c_stream__": lambda self, returned=returned: returned})()
        with pytest.raises(JSONEncodeTypeError, match='must export a capsule "arrow_array_stream"'):
            dumps(hostile, arrays=True)


def test_exception_of_a_method_passes() -> None:
    def fail(self: Any) -> Any:
        raise KeyError("own")

    with pytest.raises(KeyError, match="own"):
        dumps(with_array(fail), arrays=True, default=str)
    with pytest.raises(TypeError, match="not callable"):
        dumps(with_array(7), arrays=True)
    with pytest.raises(JSONEncodeTypeError, match="not JSON serializable"):
        dumps(with_array(None), arrays=True)


def test_released_array_is_refused() -> None:
    released = I32(1)
    released.release = NO_RELEASE
    with pytest.raises(JSONEncodeValueError, match="released before"):
        dumps(Exported(schema(b"i"), released), arrays=True)
    for field in ("release", "get_schema", "get_next"):
        stream = Streamed(schema(b"i"), I32(1))
        setattr(stream.stream, field, type(getattr(stream.stream, field))())
        with pytest.raises(JSONEncodeValueError, match="released before"):
            dumps(stream, arrays=True)


@pytest.mark.parametrize("field", ["release", "get_next"])
def test_stream_released_between_its_arrays_is_refused(field: str) -> None:
    first = I32(1)
    stream = Streamed(schema(b"i"), first, I32(2))

    def release(array: Any) -> None:
        setattr(stream.stream, field, type(getattr(stream.stream, field))())

    first.release = type(first.release)(release)
    with pytest.raises(JSONEncodeValueError, match="released before"):
        dumps(stream, arrays=True)


def failing() -> int:
    return 5


def test_stream_that_fails_raises_what_it_says() -> None:
    for arrays in ([failing], [I32(1), failing]):
        for options in HOOKS:
            with pytest.raises(JSONEncodeValueError, match="failed with error 5: the disk is on fire") as raised:
                dumps([Streamed(schema(b"i"), *arrays)], arrays=True, **options)
            assert raised.value.__notes__ == ["at $[0]"]
    silent = Streamed(schema(b"i"), failing)
    silent.stream.get_last_error = type(silent.stream.get_last_error)()
    with pytest.raises(JSONEncodeValueError, match="it gives no reason"):
        dumps(silent, arrays=True)


def test_stream_that_changes_what_is_being_written() -> None:
    data: dict[str, Any] = {}

    def change() -> int:
        data.clear()
        outer.clear()
        gc.collect()
        assert dumps(["within", Exported(schema(b"c"), I8(2))], arrays=True) == '["within",[2]]'
        return 5

    def stream(*last: Any) -> Streamed:
        return Streamed(schema(b"i"), I32(*range(3000)), *last)

    outer: list[Any] = [data, "after"]
    data["stream"] = stream(change)
    with pytest.raises(JSONEncodeValueError, match="the disk is on fire"):
        dumps(outer, arrays=True)

    class Changing(Exported):
        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            data.clear()
            outer.clear()
            gc.collect()
            return super().__arrow_c_array__()

    for encode in (dumps, lambda value, **options: dumps_to_bytes(value, **options).decode()):
        outer = [data, "after"]
        data["changing"] = Changing(TEXT, texts("é", "中" * 5000))
        data["last"] = 3
        assert encode(outer, arrays=True) == f'[{{"changing":["é","{"中" * 5000}"],"last":3}}{AFTER}]'


def test_class_with_all_attributes_is_no_array() -> None:
    class Everything:
        def __getattr__(self, name: str) -> Callable[..., int]:
            return lambda *args, **options: 1

    assert dumps(Everything(), arrays=True, default=lambda value: "hook") == '"hook"'
