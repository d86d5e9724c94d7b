"""number_arrays: lists of numbers become arrays with the values that loads gives, or stay lists."""

from __future__ import annotations

import array
import json
import math
import subprocess
import sys
from typing import Any

import pytest
from helpers.call_outcome import assert_same, outcome
from helpers.number_arrays import described, expected
from hypothesis import example, given
from hypothesis import strategies as st

from ssrjson_web import Decoder, JSONDecodeError, JSONDepthError, _core, loads

np = pytest.importorskip("numpy", reason="numpy is not installed")

pytestmark = pytest.mark.usefixtures("isa")


def check(text: str, n_min: int = 1) -> None:
    """Compare all kinds of source with the oracle."""
    value = json.loads(text)
    for kind in ("numpy", "array"):
        wanted = expected(value, kind, n_min)
        sources: list[Any] = [text, text.encode(), bytearray(text.encode())]
        for wide in ("é", "中", "😀"):
            sources.append(f'[{text},"{wide}"]')
        for source in sources:
            got = described(loads(source, number_arrays=kind, number_arrays_from=n_min))
            if isinstance(source, str) and source is not text:
                got = got[0]
            assert_same(repr(got), repr(wanted), (kind, text[:300]))


# ---- values ------------------------------------------------------------------------------------

ints = st.one_of(
    st.integers(-100, 100),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(2**53 - 2, 2**53 + 2),
    st.sampled_from([2**63, -(2**63) - 1, 2**64, 10**30, 2**62, 2**53 * 1000, -(2**53) - 1]),
)
floats = st.one_of(st.floats(), st.floats(-1, 1), st.sampled_from([-0.0, 0.5, 5e-324, 1.7976931348623157e308]))
rows = st.one_of(
    st.lists(ints, min_size=1, max_size=40),
    st.lists(floats, min_size=1, max_size=40),
    st.lists(st.one_of(ints, floats), min_size=1, max_size=40),
    st.lists(st.one_of(floats, st.none(), st.booleans(), st.text(max_size=2)), max_size=10),
)


@st.composite
def matrices(draw: st.DrawFn) -> Any:
    """Lists of lists that are mostly of equal lengths."""
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=10))
    item = draw(st.sampled_from([st.integers(-5, 5), floats, ints]))

    def make(level: int) -> Any:
        if level == len(shape):
            return draw(item)
        n = shape[level] + (draw(st.integers(0, 30)) == 0)
        return [make(level + 1) for _ in range(n)]

    return make(0) if math.prod(shape) <= 200 else []


documents = st.recursive(
    st.one_of(rows, matrices(), st.none(), ints, floats),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=4)),
    max_leaves=8,
)


@given(documents, st.sampled_from([None, 1]), st.sampled_from([1, 2, 16]))
@example([1, 2, 3], None, 4)
@example([[[]]], None, 1)
@example([[], []], None, 1)
@example([[1], [2.5]], None, 1)
@example([[2**53 + 1], [2.5]], None, 1)
@example([[1, 2], [3]], None, 1)
@example([[[1, 2], [3, 4]], [[5, 6], [7, 8.5]]], None, 1)
@example([[1, 2], 3], None, 1)
@example([1, [2]], None, 1)
@example([-(2**63), 2**63 - 1], None, 1)
@example([2**63, 0.5], None, 1)
@example([1] * 127 + [0.5] * 130, None, 1)
@example([True, 1], None, 1)
def test_values_are_those_of_loads(value: Any, indent: Any, n_min: int) -> None:
    check(json.dumps(value, indent=indent), n_min)


TEXTS = [
    "[-0,1]",
    "[-0,0.5]",
    "[-0.0,1]",
    "[0.1e1,1E+2,1e-2]",
    "[1e400,-1e400]",
    "[1e-400,5e-324,2.4703282292062328e-324]",
    "[9007199254740993,1]",
    "[9007199254740992,0.5]",
    "[9007199254740993,0.5]",
    "[0.5,9007199254740993]",
    "[0.5,9007199254740992]",
    "[0.000000000000000000000000000001234567890123456789]",
    "[123456789012345678901234567890.5,1]",
    "[1.00000000000000011102230246251565404236316680908203125,2]",
    "[NaN,Infinity,-Infinity,1]",
    "[ 1 ,\n2\t, 3 ]",
    " [\r\n[1, 2] ,\n[3 ,4]\n]  ",
    "[[[[[[[[1,2]]]]]]]]",
    "[[[[[[[[[1,2]]]]]]]]]",
    "[" * 50 + "1,2" + "]" * 50,
    '{"a":[1,2],"b":[1.5],"c":{"d":[[1],[2]]}}',
    "[[1,2],[3,4],[5,6,7]]",
    "[[1,2],[3,4],[]]",
    "[[],[1,2]]",
    "[[1,2],null]",
    "[[1,2],[3,null]]",
]


@pytest.mark.parametrize("text", TEXTS)
def test_texts_give_the_values_of_loads(text: str) -> None:
    for n_min in (1, 3):
        check(text, n_min)


def test_numbers_at_every_distance_from_the_end_are_read() -> None:
    for n in range(60):
        check("[0.125,-7" + ",12.5e1" * (n % 7) + " " * n + "]")


def test_each_place_of_something_else_leaves_a_list() -> None:
    for i in range(20):
        for other in ("null", "true", '"a"', "{}", "[]", "[1]", "1" + "0" * 20):
            numbers = ["1.5"] * 20
            numbers[i] = other
            check(f"[{','.join(numbers)}]")


@pytest.mark.parametrize(
    "text",
    [
        *("[1,2", "[1,2,", "[1,,2]", "[1,2,]", "[1 2]", "[[1,2],[3,4]", "[[1,2],[3,4,]]", "[01,2]", "[1.,2]", "[-]"),
        *("[+1]", "[1.5.5]", "[[1,2]3]", "[1,2}", "[.5,1]", "[1e,2]", "[--1]", "[1,2]x", "[1,-Inf]", "[Na,1]", "[1,/]"),
    ],
)
def test_malformed_text_raises_the_error_of_loads(text: str) -> None:
    for source in (text, text.encode(), f'["é中",{text}]'):
        expected_error = outcome(loads, source)
        assert expected_error[0] == "JSONDecodeError"
        for kind in ("numpy", "array"):
            assert_same(
                outcome(loads, source, number_arrays=kind, number_arrays_from=1), expected_error, (source, kind)
            )


# ---- options -----------------------------------------------------------------------------------


def test_lists_below_sixteen_numbers_stay_lists_by_default() -> None:
    assert loads(json.dumps([1] * 15), number_arrays="numpy") == [1] * 15
    assert type(loads(json.dumps([1] * 16), number_arrays="numpy")) is np.ndarray
    assert type(loads(json.dumps([[1] * 4] * 4), number_arrays="numpy")) is np.ndarray
    assert loads(json.dumps([[1] * 4] * 4), number_arrays="array") == [[1] * 4] * 4


def test_decoder_keeps_the_option_in_copies_and_for_all_its_methods() -> None:
    decoder = Decoder(number_arrays="array", number_arrays_from=2)
    one = array.array("q", [1, 2])
    assert decoder.decode(b"[1,2]") == one
    assert decoder.decode_lines(b"[1,2]\n[1,2]\n") == [one, one]
    assert decoder.raw_decode("[1,2] x") == (one, 5)
    decoder.feed(b"[1,")
    decoder.feed(b"2]")
    assert decoder.close() == one
    assert repr(decoder) == "Decoder(number_arrays='array', number_arrays_from=2)"


def test_infinities_and_nan_are_refused_where_the_options_refuse_them() -> None:
    for text in ("[1,NaN]", "[1,-Infinity]", "[1,1e400]"):
        wanted = outcome(loads, text, allow_nan=False)
        assert wanted[0] == "JSONDecodeError"
        got = outcome(loads, text, allow_nan=False, number_arrays="numpy", number_arrays_from=1)
        assert_same(got, wanted, text)


def test_ints_beyond_64_bits_do_what_int64_says() -> None:
    text = f"[1,{2**64}]"
    options: Any = {"number_arrays": "numpy", "number_arrays_from": 1}
    assert loads(text, int64="float", **options) == [1, float(2**64)]
    with pytest.raises(JSONDecodeError):
        loads(text, int64="error", **options)


def test_depth_limit_holds_within_arrays() -> None:
    for depth in range(1, 6):
        text = "[" * 4 + "1" + "]" * 4
        options: Any = {"max_depth": depth, "number_arrays": "numpy", "number_arrays_from": 1}
        if depth < 4:
            with pytest.raises(JSONDepthError) as raised:
                loads(text, **options)
            assert raised.value.pos == depth
        else:
            assert loads(text, **options).shape == (1, 1, 1, 1)


def test_list_with_a_comment_or_a_trailing_comma_stays_a_list() -> None:
    options: Any = {"jsonc": True, "number_arrays": "array", "number_arrays_from": 2}
    for text in ("[1, 2, 3,]", "[1, /* two */ 2, 3]", "[1, 2, 3 // three\n]"):
        assert loads(text, **options) == [1, 2, 3]
    assert loads("/* a */ [1, 2, 3] // b", **options) == array.array("q", [1, 2, 3])


def test_object_hooks_get_the_arrays() -> None:
    seen: list[Any] = []
    loads('{"a":[1,2]}', object_hook=seen.append, number_arrays="array", number_arrays_from=1)
    loads('{"a":[1,2]}', object_pairs_hook=seen.append, number_arrays="array", number_arrays_from=1)
    assert seen == [{"a": array.array("q", [1, 2])}, [("a", array.array("q", [1, 2]))]]


@pytest.mark.parametrize("other", ["array_hook", "parse_float", "parse_int", "parse_constant"])
def test_hooks_of_numbers_and_lists_cannot_be_combined_with_it(other: str) -> None:
    with pytest.raises(TypeError, match=f"^number_arrays cannot be combined with {other}$"):
        loads("[]", number_arrays="numpy", **{other: str})  # type: ignore[arg-type]


def test_partial_and_types_cannot_be_combined_with_it() -> None:
    with pytest.raises(TypeError, match="number_arrays cannot be combined with partial"):
        Decoder(number_arrays="array", partial="on")
    with pytest.raises(TypeError, match="type cannot be combined with number_arrays"):
        loads("[]", number_arrays="array", type=list[int])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"number_arrays": "torch"}, ValueError),
        ({"number_arrays": True}, TypeError),
        ({"number_arrays": "numpy", "number_arrays_from": 0}, ValueError),
        ({"number_arrays": "numpy", "number_arrays_from": "1"}, TypeError),
        ({"number_arrays_from": 2}, TypeError),
    ],
    ids=str,
)
def test_wrong_values_raise(options: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="number_arrays"):
        loads("[]", **options)
    loads("[]", number_arrays=None)


def test_numpy_is_imported_only_where_it_is_wanted() -> None:
    code = (
        "import sys, ssrjson_web as s\n"
        "s.loads('[1]', number_arrays='array', number_arrays_from=1); assert 'numpy' not in sys.modules\n"
        "sys.modules['numpy'] = None\n"
        "try: s.loads('[1]', number_arrays='numpy')\n"
        "except ModuleNotFoundError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "number_arrays='numpy' needs numpy: pip install numpy\n"


def test_numpy_that_makes_something_else_is_an_error() -> None:
    code = (
        "import sys, types, ssrjson_web as s\n"
        "sys.modules['numpy'] = fake = types.ModuleType('numpy')\n"
        "fake.dtype = str\n"
        "fake.empty = lambda shape, dtype: made\n"
        "import datetime, _datetime\n"
        "class Bad: __array_struct__ = _datetime.datetime_CAPI\n"
        "for made in (1, Bad(), None):\n"
        "    try: s.loads('[1]', number_arrays='numpy', number_arrays_from=1)\n"
        "    except (AttributeError, TypeError, ValueError) as error: print(type(error).__name__)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["AttributeError", "ValueError", "AttributeError"]


def test_many_arrays_leave_no_reference_behind() -> None:
    text = json.dumps([{"a": [0.5] * 20, "b": [[1, 2], [3, 4]] * 5}] * 10)
    decoder = Decoder(number_arrays="numpy")
    value = decoder.decode(text)
    dtypes = [np.dtype("f8"), np.dtype("i8")]
    before = [sys.getrefcount(dtype) for dtype in dtypes]
    for _ in range(100):
        decoder.decode(text)
    assert [abs(sys.getrefcount(dtype) - n) < 50 for dtype, n in zip(dtypes, before, strict=True)] == [True, True]
    assert value[9]["b"].tolist() == [[1, 2], [3, 4]] * 5


def test_large_matrix_is_read_whole() -> None:
    numbers = np.random.default_rng(1).standard_normal((100, 1536))
    got = loads(json.dumps(numbers.tolist()), number_arrays="numpy")
    assert got.dtype == np.float64
    assert (got == numbers).all()


def test_option_is_in_the_table() -> None:
    rows = {row[0]: row for row in _core._options() if not row[5]}
    assert rows["number_arrays"][2] == ["numpy", "array"]
    assert rows["number_arrays_from"][3] == "16"
