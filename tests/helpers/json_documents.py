"""JSON documents, strings with one special character at each lane of a vector, and hypothesis strategies."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

VECTOR_LENGTHS = (8, 16, 32, 64)
LENGTHS = sorted({0, 1} | {n for length in VECTOR_LENGTHS for n in (length - 1, length, length + 1, 2 * length + 3)})
LONGEST = LENGTHS[-1]
# four of the widest vectors at once, with and without a rest
BLOCK_LENGTHS = (255, 256, 257, 256 + 64 + 3)

# one code point of each class: bytes in UTF-8, width in a str
CLASSES = {
    "ascii": "a",
    "latin-1": "é",
    "two bytes in ucs2": "я",
    "three bytes": "中",
    "four bytes": "😀",
}
# a last character that forces the kind of the whole str
ANCHORS = {"ascii": "", "latin-1": "ÿ", "ucs2": "\uffff", "ucs4": "\U0010ffff"}
# the first and last code point of each UTF-8 length and each PEP 393 kind, and of the surrogates' neighbours
EDGES = "\x20\x7e\x7f\x80\xff\u0100\u07ff\u0800\ud7ff\ue000\ufeff\ufffd\uffff\U00010000\U0001f600\U0010ffff"
ESCAPED = [chr(c) for c in range(0x20)] + ['"', "\\"]
SURROGATES = "\ud800\udbff\udc00\udfff"


def at_every_lane(special: str, fill: str, anchor: str = "") -> Iterator[str]:
    """`special` at each index of a run of `fill`, for each length around vector edges."""
    for length in LENGTHS:
        for index in range(length):
            yield fill * index + special + fill * (length - 1 - index) + anchor


def at_every_lane_of_blocks(special: str, fill: str) -> Iterator[str]:
    """`special` at each index of a run of `fill` that is several vectors long."""
    for length in BLOCK_LENGTHS:
        for index in range(length):
            yield fill * index + special + fill * (length - 1 - index)


def changes_of_class(first: str, second: str, length: int) -> Iterator[str]:
    """From one class to another at every index, and there and back again."""
    for index in range(length + 1):
        yield first * index + second * (length - index)
        yield first * index + second + first * (length - index)
        yield first * index + second * 2 + first * (length - index)


def mixed(alphabet: str, n_strings: int, seed: int, longest: int = LONGEST + 10) -> Iterator[str]:
    """Seeded random strings, each with its own few characters of the alphabet and its own length of runs."""
    draw = random.Random(seed)
    for _ in range(n_strings):
        letters = draw.sample(alphabet, draw.randint(1, min(5, len(alphabet))))
        longest_run = draw.choice((1, 2, 5, 20))
        length = draw.randint(0, longest)
        text = ""
        while len(text) < length:
            text += draw.choice(letters) * draw.randint(1, longest_run)
        yield text[:length]


# each construct once, in ASCII and in each kind of str; short, so that every mutation of them can be tried
VALID = [
    "null",
    " true\n",
    "-12.5e-3",
    '"a\\u00e9\\ud83d\\ude00\\n"',
    "[]",
    "{}",
    "[1, -0, 2.5, 1E400, NaN, Infinity, -Infinity]",
    '{"a": [true, false, null], "b": {"c": ""}, "a": 1}',
    '[[], [[]], {}, {"": {}}]',
    '\t{ "k" :\r\n [ "v" , 0 ] } ',
    '["é", {"ÿ": "\\u00ff"}]',
    '{"имя": "Иван", "x": [1]}',
    '["中文", "\\u4e2d", "文"]',
    '{"😀": "a\\ud83dé", "\\ude00": "中"}',
    '{"id": 12345678901234567890, "s": "\\\\\\"\\/\\b\\f\\r\\t", "t": "0123456789abcdef0123456789abcdef"}',
]

# one document that leads to each error of stdlib's decoder
MALFORMED = [
    "",
    " ",
    "\ufeff1",
    "nul",
    "tru",
    "fals",
    "nulll",
    "Null",
    "nan",
    "-NaN",
    "Inf",
    "-Infinit",
    "+1",
    "-",
    "--1",
    "-a",
    "01",
    "-01",
    "1.",
    "1.e5",
    ".5",
    "1e",
    "1e+",
    "1e-",
    "1.5E",
    "1_000",
    "0x10",
    "\u0661",
    "1\u0662",
    "1 2",
    "[] []",
    "1]",
    "[",
    "[ ",
    "[1",
    "[1 ",
    "[1,",
    "[1, ",
    "[1,]",
    "[1 ,\n]",
    "[,1]",
    "[1,,2]",
    "[1 2]",
    "[1}",
    "[}",
    "{",
    "{ ",
    "{,",
    "{]",
    "{a: 1}",
    "{1: 1}",
    "{'a': 1}",
    '{"a"',
    '{"a" ',
    '{"a" 1}',
    '{"a":',
    '{"a": ',
    '{"a":}',
    '{"a":,',
    '{"a":1',
    '{"a":1 ',
    '{"a":1 "b":2}',
    '{"a":1,',
    '{"a":1, ',
    '{"a":1,}',
    '{"a":1 ,\n}',
    '{"a":1,,}',
    '{"a":1]',
    '{"a":1,2:3}',
    '"',
    '"a',
    '["a',
    '"\\',
    '"a\\"',
    '"\\x"',
    '"\\U0041"',
    '"\\u"',
    '"\\u12"',
    '"\\u123',
    '"\\u1234',
    '"\\u12g4"',
    '"\\u+123"',
    '"\\u 123"',
    '"\\u٠٠٠٠"',
    '"\\ud83d\\u"',
    '"\\ud83d\\u12"',
    '"\\ud83d\\u12g4"',
    '"\\ud83d\\ude00',
    '"\\ud83d\\ude0',
    '"\\ud83d\\x"',
    '"a\tb"',
    '"a\nb"',
    '"a\x00b"',
    '["é\x1f"]',
    '{"中\n": 1}',
    "\x0b1",
    "\xa01",
    "\u20281",
    "1\x00",
    "[\x00]",
    "// comment\n1",
    "[1] // comment",
    '"é" "中"',
    "\n\n  [1,\n\n 中]",
]

KIND_ALPHABET = "".join(CLASSES.values()) + EDGES + '"\\\n\t\x00\x1f/'

texts = st.one_of(
    st.text(max_size=20),
    st.text(alphabet=KIND_ALPHABET, max_size=100),
    st.text(alphabet=st.characters(max_codepoint=0x7F), max_size=100),
    st.text(alphabet=st.characters(max_codepoint=0xFF), max_size=100),
)
texts_with_surrogates = st.text(alphabet='aé中😀\ud800\udbff\udc00\udfff"\\', max_size=40)
ints = st.one_of(st.integers(-1000, 1000), st.integers(-(2**65), 2**65), st.integers())
floats = st.floats()
scalars = st.one_of(st.none(), st.booleans(), ints, floats, texts)


def containers(children: st.SearchStrategy[Any], keys: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.lists(children, max_size=6),
        st.lists(children, max_size=4).map(tuple),
        st.dictionaries(keys, children, max_size=6),
    )


keys = st.one_of(texts, ints, floats, st.booleans(), st.none())
values = st.recursive(scalars, lambda children: containers(children, keys), max_leaves=25)
# what json.loads can give: no tuples, only str keys
decoded_values = st.recursive(
    scalars,
    lambda children: st.one_of(st.lists(children, max_size=6), st.dictionaries(texts, children, max_size=6)),
    max_leaves=25,
)
separators = st.tuples(st.sampled_from([",", ", ", " ,\n", "，", ""]), st.sampled_from([":", ": ", " : ", "：😀"]))
indents = st.one_of(st.integers(-2, 9), st.sampled_from(["", "\t", "  ", "--", "é", "中", "😀", " " * 70]))
options = st.fixed_dictionaries(
    {},
    optional={
        "ensure_ascii": st.booleans(),
        "allow_nan": st.booleans(),
        "check_circular": st.booleans(),
        "skipkeys": st.booleans(),
        "indent": st.none() | indents,
        "separators": st.none() | separators,
    },
)


def without_conflicts(options: dict[str, Any]) -> dict[str, Any]:
    """The options without those that have no effect beside others, or contradict them, which is an error."""
    dropped = {"int64"} if options.get("int53") else set()
    if options.get("indent") is not None or "\n" in "".join(options.get("separators") or ()):
        dropped.add("line_safe")
    return {name: value for name, value in options.items() if name not in dropped}


# options beyond stdlib's; html_safe refuses a layout with special characters, and those above have none
core_options = st.fixed_dictionaries(
    {},
    optional={
        "append_newline": st.booleans(),
        "html_safe": st.booleans(),
        "escape_surrogates": st.booleans(),
        "nan_as_null": st.booleans(),
        "int53": st.sampled_from([None, "error", "str"]),
        "int64": st.sampled_from([None, "error", "str"]),
        "line_safe": st.booleans(),
    },
).map(without_conflicts)
spaces = st.text(alphabet=" \t\n\r", max_size=3)
