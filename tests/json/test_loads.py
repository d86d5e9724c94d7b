"""loads and load: stdlib's values, stdlib's errors, for every document, type of input and option."""

from __future__ import annotations

import collections
import decimal
import io
import json as theirs
import math
from typing import Any

import pytest
from helpers import json_documents
from helpers.call_outcome import assert_same, outcome
from helpers.json_module_parity import assert_same_from, count_core_calls
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import JSONDecodeError
from ssrjson_web import json as ours

TEXTS = [*json_documents.VALID, *json_documents.MALFORMED]
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")


def tagged(name: str) -> Any:
    """A hook that shows what it was called with."""
    return lambda *args: (name, *args)


HOOKS: tuple[dict[str, Any], ...] = (
    {"object_hook": tagged("object")},
    {"object_pairs_hook": tagged("pairs")},
    {"object_hook": tagged("object"), "object_pairs_hook": tagged("pairs")},
    {"object_pairs_hook": collections.OrderedDict},
    {"parse_float": decimal.Decimal},
    {"parse_int": float},
    {"parse_constant": tagged("constant")},
    {"parse_float": tagged("float"), "parse_int": tagged("int"), "object_hook": len},
    {"strict": False},
    {"strict": True},
    {"strict": 0, "object_hook": None},
    {"object_hook": None, "object_pairs_hook": None, "parse_float": None, "parse_int": None, "parse_constant": None},
    {"cls": None},
    {"cls": theirs.JSONDecoder},
    {"cls": ours.JSONDecoder, "parse_int": str},
)


def assert_decoded(document: Any, **options: Any) -> None:
    """loads gives stdlib's value or its error."""
    assert_same_from(lambda json: json.loads(document, **options), ("loads", document, options))


def assert_decoded_by_class(document: Any, **options: Any) -> None:
    """JSONDecoder(...).decode and raw_decode give stdlib's value or its error."""
    assert_same_from(lambda json: json.JSONDecoder(**options).decode(document), ("decode", document, options))
    assert_same_from(lambda json: json.JSONDecoder(**options).raw_decode(document), ("raw_decode", document, options))


def assert_read(make_file: Any, content: Any, **options: Any) -> None:
    """load gives stdlib's value or its error."""
    assert_same_from(lambda json: json.load(make_file(content), **options), ("load", content, options))


@pytest.mark.parametrize("text", TEXTS)
def test_each_document_and_its_beginnings_equal_stdlib(text: str) -> None:
    for end in range(len(text) + 1):
        assert_decoded(text[:end])
        assert_decoded(text[:end].encode())
    assert_read(io.StringIO, text)
    assert_read(io.BytesIO, text.encode())
    assert_decoded_by_class(text)


@pytest.mark.parametrize("options", HOOKS, ids=lambda options: ",".join(options))
def test_each_document_with_hooks_equals_stdlib(options: dict[str, Any]) -> None:
    for text in [*TEXTS, '"a\tb"', '{"a": 1.0, "b": [1, NaN, {"a": 2}]}', "5", "-Infinity"]:
        assert_decoded(text, **options)
        assert_read(io.StringIO, text, **options)
        if "cls" not in options:
            assert_decoded_by_class(text, **options)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_each_encoding_equals_stdlib(encoding: str) -> None:
    for text in TEXTS:
        data = text.encode(encoding)
        for document in (data, bytearray(data), data[:-1], data + b"\xff"):
            assert_decoded(document)
            assert_decoded(document, strict=True)
        assert ours.detect_encoding(data) == theirs.detect_encoding(data)


@given(json_documents.decoded_values, json_documents.spaces)
def test_any_document_equals_stdlib(value: Any, space: str) -> None:
    text = space + theirs.dumps(value, ensure_ascii=False) + space
    assert_decoded(text)
    assert_decoded(text, object_pairs_hook=tagged("pairs"))
    assert_decoded(text.encode())
    assert_decoded_by_class(text)


@given(
    st.one_of(
        st.text(alphabet='[]{}",:0123456789.-+eEtrufalsn\\ \n\té中\ud800\ufeff', max_size=30), st.binary(max_size=20)
    )
)
def test_any_text_equals_stdlib(document: str | bytes) -> None:
    assert_decoded(document)
    if isinstance(document, str):
        assert_decoded_by_class(document)


def test_input_of_other_types_raises_as_in_stdlib() -> None:
    class Disguised:
        __class__ = property(lambda self: bytes)

    inputs: tuple[Any, ...] = (None, 1, [], memoryview(b"1"), array_of_bytes(), Disguised(), object, io.StringIO("1"))
    for document in inputs:
        assert outcome(theirs.loads, document)[0] in ("TypeError", "AttributeError")
        assert_decoded(document)
        assert_decoded(document, strict=True)
        assert_decoded_by_class(document)


def array_of_bytes() -> Any:
    import array

    return array.array("B", b"1")


def test_subclasses_of_str_and_bytes_are_read_with_their_own_methods() -> None:
    class Text(str):
        def startswith(self, *args: Any) -> bool:
            raise KeyError("startswith")

    class Data(bytes):
        def decode(self, *args: Any) -> str:
            return '"decoded"'

    class Buffer(bytearray):
        pass

    for document in (Text("[1]"), Data(b"[1]"), Buffer(b"[1]")):
        assert_decoded(document)
    assert ours.loads(Data(b"[1]")) == "decoded"


def test_calls_with_wrong_arguments_raise_as_in_stdlib() -> None:
    assert_same_from(lambda json: json.loads("[1]", unknown=1))
    assert_same_from(lambda json: json.loads("[1]", cls=5))
    assert_same_from(lambda json: json.loads("[1]", encoding="utf-8"))
    assert_same_from(lambda json: json.loads(s="[1]"))
    assert_same_from(lambda json: json.load(fp=io.StringIO("[1]")))
    for json in (ours, theirs):
        assert outcome(json.loads)[0] == outcome(json.loads, "1", "2")[0] == "TypeError"
        assert outcome(json.load, 5) == ("AttributeError", "'int' object has no attribute 'read'")


def test_byte_order_mark_in_text_has_an_error_of_its_own_in_loads_only() -> None:
    for text in ("\ufeff", "\ufeff1", "\ufeff[", " \ufeff1", "1\ufeff"):
        assert_decoded(text)
        assert_decoded_by_class(text)
    with pytest.raises(theirs.JSONDecodeError, match="Unexpected UTF-8 BOM") as raised:
        ours.loads("\ufeff1")
    assert raised.value.pos == 0
    with pytest.raises(theirs.JSONDecodeError, match="Expecting value") as raised:
        ours.JSONDecoder().decode("\ufeff1")
    assert not isinstance(raised.value.__context__, theirs.JSONDecodeError)


def test_every_decode_error_is_caught_as_stdlibs() -> None:
    assert ours.JSONDecodeError is theirs.JSONDecodeError
    assert issubclass(JSONDecodeError, ours.JSONDecodeError)
    for call in (ours.loads, ours.JSONDecoder().decode, lambda text: ours.loads(text, strict=False)):
        with pytest.raises(ours.JSONDecodeError) as raised:
            call("[1,\n x]")
        error = raised.value
        assert (error.msg, error.pos, error.lineno, error.colno, error.doc) == ("Expecting value", 5, 2, 2, "[1,\n x]")


def test_calls_reach_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = count_core_calls(monkeypatch)
    assert ours.loads("[1]") == ours.loads(b"[1]") == ours.loads(bytearray(b"[1]")) == [1]
    assert ours.load(io.StringIO("[1]")) == ours.load(io.BytesIO(b"[1]")) == [1]
    assert calls.loads == 5
    assert ours.JSONDecoder().decode("[1]") == [1]
    assert ours.loads("[1]", cls=ours.JSONDecoder) == ours.loads("[1]", cls=None, parse_int=None) == [1]
    assert ours.JSONDecoder(strict=True, object_hook=None).decode("[1]") == [1]
    assert calls.loads == 9
    for options in HOOKS[:11]:
        ours.loads("[1]", **options)
        ours.loads(b"[1]", **options)
        ours.JSONDecoder(**options).decode("[1]")
    assert calls.loads == 9 + 33
    outcome(ours.loads, "[1]", parse_int=5)
    outcome(ours.loads, "[1]", unknown=5)
    ours.loads("[1]", cls=theirs.JSONDecoder)
    assert calls.loads == 9 + 33


def test_hooks_that_are_wrong_or_false_mean_what_they_mean_in_stdlib() -> None:
    class Untrue:
        def __bool__(self) -> bool:
            return False

        def __call__(self, value: Any) -> Any:
            return "called"

    class Equal:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

        def __call__(self, value: Any) -> Any:
            return "equal"

    names = ("object_hook", "object_pairs_hook", "parse_float", "parse_int", "parse_constant")
    for name in names:
        for hook in (Untrue(), Equal(), 0, False, "", 5, "text", [], float, int, str):
            for text in ('{"a": [1, 2.5, NaN, {}]}', "[1]", "[1.5]", '"a"'):
                assert_decoded(text, **{name: hook})
                assert_decoded(text.encode(), **{name: hook})
                assert_decoded_by_class(text, **{name: hook})
    for strict in (0, 1, "", "x", None, [], Untrue(), Equal()):
        assert_decoded('"\t"', strict=strict)
        assert_decoded(b'"\t"', strict=strict)
        assert_decoded_by_class('"\t"', strict=strict)


def test_what_hooks_raise_is_what_stdlib_makes_of_it() -> None:
    for error in (
        KeyError("x"),
        StopIteration(),
        StopIteration(3),
        StopIteration("x"),
        ValueError("y"),
        RecursionError(),
    ):

        def raising(value: Any, error: Exception = error) -> Any:
            raise error

        for name in ("object_hook", "object_pairs_hook", "parse_float", "parse_int", "parse_constant"):
            text = '["abc", 1.5, 1, NaN, {"a": 2}]' if name != "object_hook" else '["abc", {}]'
            for document in (text, text.encode(), bytearray(text.encode())):
                assert_decoded(document, **{name: raising})
            assert_decoded_by_class(text, **{name: raising})


def test_hooks_are_called_for_no_bytes_that_are_no_text() -> None:
    calls: list[Any] = []
    for json in (ours, theirs):
        with pytest.raises(UnicodeDecodeError):
            json.loads(b'[{}, 1, "\xff"]', object_hook=calls.append, parse_int=calls.append)
    assert calls == []
    for data in (b"\xef\xbb\xbf\xef\xbb\xbf1", b"\xff\xfe\xff\xfe1\x00", b'"\xed\xa0\x80"'):
        assert_decoded(data, parse_int=float)
        assert_decoded(data, strict=False)


def test_a_value_at_each_index_equals_stdlib() -> None:
    class Index(int):
        pass

    for text in [*TEXTS, "12abc", '{"a": [1, NaN]} x']:
        for options in ({}, {"parse_int": tagged("int"), "object_hook": tagged("object")}, {"strict": False}):
            ours_decoder, their_decoder = ours.JSONDecoder(**options), theirs.JSONDecoder(**options)
            for index in (*range(-2, len(text) + 2), True, Index(1), 1.0, None, 2**70):
                expected = outcome(their_decoder.raw_decode, text, index)
                assert_same(outcome(ours_decoder.raw_decode, text, index), expected, (text, options, index))
            assert outcome(ours_decoder.raw_decode, s=text, idx=0) == outcome(their_decoder.raw_decode, s=text, idx=0)


def test_nesting_beyond_stdlibs_limit_is_decoded() -> None:
    for call in (ours.loads, ours.JSONDecoder().decode):
        value = call("[" * 100_000 + "]" * 100_000)
        depth = 1
        while value:
            value = value[0]
            depth += 1
        assert depth == 100_000


def test_special_numbers_equal_stdlib() -> None:
    assert math.isnan(ours.loads("NaN"))
    for text in ("1e400", "-1e400", "-0", "-0.0", "1" * 5000, "[" + "1" * 5000 + "]", "0.1" + "0" * 400 + "1"):
        assert_decoded(text)
        assert_decoded(text, parse_float=decimal.Decimal)
    assert_same(outcome(ours.loads, "1E2"), ("value", "100.0"), "1E2")


def test_array_hook_is_that_of_the_running_pythons_json() -> None:
    for text in ("[1,[2,{}],[]]", '{"a":[1]}', "[1,", "5"):
        assert_same_from(lambda json, text=text: json.loads(text, array_hook=tuple))
        assert_same_from(lambda json, text=text: json.loads(text, array_hook=None))
        assert_same_from(lambda json, text=text: json.JSONDecoder(array_hook=len).decode(text))
    assert_same_from(lambda json: json.loads("[1]", array_hook=5))
    assert_same_from(lambda json: json.load(io.StringIO("[[]]"), array_hook=tuple, object_pairs_hook=dict))
