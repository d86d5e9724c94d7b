"""JSON documents: fixed corpora and hypothesis strategies for values, texts and options."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from helpers import vector_lane_strings

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

KIND_ALPHABET = "".join(vector_lane_strings.CLASSES.values()) + vector_lane_strings.EDGES + '"\\\n\t\x00\x1f/'

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
