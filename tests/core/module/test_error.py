"""Errors of the encoder: type, text and position equal the running stdlib's; the next call works."""

from __future__ import annotations

import decimal
import json
import math
from pathlib import Path
from typing import Any

import pytest
from helpers import json_documents, stdlib_json
from helpers.call_outcome import assert_same, error_outcome, outcome
from helpers.processes import run_python
from helpers.stdlib_json import assert_encoded
from hypothesis import given

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")


class Thing:
    pass


NOT_NATIVE: tuple[Any, ...] = (object(), Thing(), Thing, {1}, b"a", 1j, len, decimal.Decimal(1), iter([]), ...)


def test_value_that_is_not_native_raises_type_error_with_stdlibs_text() -> None:
    for value in NOT_NATIVE:
        assert outcome(stdlib_json.dumps, value)[0] == "TypeError"
        assert_encoded(value)
    assert outcome(_core.dumps, Thing())[:2] == ("TypeError", "Object of type Thing is not JSON serializable")


def test_value_that_is_not_native_inside_containers_raises_with_stdlibs_text_and_notes() -> None:
    for value in NOT_NATIVE:
        for holder in ([value], (1, value), {"é": value}, {"a": [0, {"b": (value,)}]}, [[], {}, [1, [value]]]):
            assert_encoded(holder)
            assert_encoded(holder, indent=2)
            assert_encoded(holder, sort_keys=True)


def test_class_name_in_the_error_is_the_one_that_stdlib_reads() -> None:
    assert_encoded(type("Имя", (), {})())
    assert_encoded(type("A" * 300, (), {})())

    class Disguised:
        __class__ = property(lambda self: Thing)

    assert_encoded(Disguised())


def test_class_name_that_is_no_str_is_written_out_as_in_stdlib(isa: str, tmp_path: Path) -> None:
    snippet = """
        import json, ssrjson_web
        class Odd:
            __class__ = property(lambda self: type("Meta", (), {"__name__": 5})())
        def text(call, *arguments, **options):
            try:
                call(*arguments, **options)
            except TypeError as error:
                return str(error)
        for value in Odd(), [Odd()], {"a": Odd()}, {Odd(): 1}:
            for indent in None, 1:
                expected = text(json.dumps, value, indent=indent)
                for encode in ssrjson_web.dumps, ssrjson_web.dumps_to_bytes:
                    got = text(encode, value, indent=indent)
                    print("same" if got == expected else (got, expected))
        got, expected = text(ssrjson_web.loads, Odd()), text(json.loads, Odd())
        print("same" if got == expected else (got, expected))
    """
    done = run_python(snippet, tmp_path, SSRJSON_ISA=isa)
    assert done.stdout.splitlines() == ["same"] * 17, done


def test_class_that_raises_when_asked_for_its_name_passes_the_error_through() -> None:
    def fail(self: object) -> Any:
        raise KeyError("class")

    raising: Any = type("Raising", (), {"__class__": property(fail)})()
    for encode in (_core.dumps, _core.dumps_to_bytes):
        for value in (raising, [raising], {"a": raising}):
            with pytest.raises(KeyError, match="class"):
                encode(value)
    with pytest.raises(KeyError, match="class"):
        _core.loads(raising)


def test_error_after_much_output_raises_and_the_next_call_is_right() -> None:
    for before in ("a", "é", "中", "😀", '"'):
        value = [before * 1000] * 100 + [{1}]
        assert_encoded(value)
        assert_encoded(value[:-1])


@pytest.mark.parametrize("fill", json_documents.CLASSES)
def test_lone_surrogate_in_bytes_raises_with_the_whole_document_and_its_position(fill: str) -> None:
    text = json_documents.CLASSES[fill]
    for n_before in (0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 200):
        for lone in ("\ud800", "\udfff", "\udc00\ud800", "\ud83d\ude00", "\ud800" * 70, "\ud800a\ud801"):
            before = text * n_before
            for value in (
                before + lone,
                [1, before, lone + before],
                {"k": [before + "\n" + lone + before]},
                {before + lone: 1},
                [before, {"é": ["中", lone, "\ud900"]}, "😀"],
            ):
                with pytest.raises(UnicodeEncodeError) as expected:
                    json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
                with pytest.raises(UnicodeEncodeError) as got:
                    _core.dumps_to_bytes(value)
                assert_same(error_outcome(got.value), error_outcome(expected.value), value)
                assert type(got.value.object) is str


def test_lone_surrogate_in_bytes_with_each_option_raises_as_stdlib() -> None:
    value = {"b": ["é\n", 1.5], "a": ["x\udc80y", {"中": "\ud800"}], "😀": {}}
    for options in (
        {"indent": 2},
        {"indent": "\t"},
        {"separators": (", ", " : ")},
        {"sort_keys": True},
        {"sort_keys": True, "indent": "é"},
        {"separators": ("，", "："), "indent": 1},
        {"check_circular": False},
        {"ensure_ascii": True},
    ):
        assert_encoded(value, **options)


def test_lone_surrogate_loses_to_an_error_that_stdlib_finds_first() -> None:
    # stdlib makes the whole str before it encodes it, so any other error anywhere wins
    for value in (["\ud800", {1}], [{1}, "\ud800"], ["\ud800", {(): 1}], ["\ud800", 10**5000]):
        assert outcome(stdlib_json.dumps_to_bytes, value)[0] in ("TypeError", "ValueError")
        assert_encoded(value)
    assert_encoded(["\ud800", math.nan], allow_nan=False)
    cycle: list[Any] = ["\ud800"]
    cycle.append(cycle)
    assert outcome(_core.dumps_to_bytes, cycle)[:2] == ("ValueError", "Circular reference detected")


def test_lone_surrogate_with_a_hook_calls_the_hook_as_often_as_stdlib() -> None:
    for value in (["\ud800", Thing(), Thing()], [Thing(), "\ud800", Thing()]):
        calls: list[object] = []

        def hook(thing: object, calls: list[object] = calls) -> str:
            calls.append(thing)
            return f"thing {len(calls)}"

        expected = outcome(stdlib_json.dumps_to_bytes, value, default=hook)
        n_expected = len(calls)
        calls.clear()
        assert_same(outcome(_core.dumps_to_bytes, value, default=hook), expected, value)
        assert len(calls) == n_expected


def test_error_leaves_no_trace_in_the_next_call() -> None:
    failing: tuple[Any, ...] = ({1}, ["\ud800"], {(): 1}, [[[[object()]]]], [10**5000])
    for value in failing:
        assert outcome(_core.dumps_to_bytes, value)[0] != "value"
        assert _core.dumps_to_bytes({"é": [1, "中"]}) == '{"é":[1,"中"]}'.encode()
        assert _core.dumps({"é": [1, "中"]}) == '{"é":[1,"中"]}'


@given(json_documents.texts_with_surrogates, json_documents.texts_with_surrogates, json_documents.options)
def test_any_texts_with_surrogates_equal_stdlib(first: str, second: str, options: dict[str, Any]) -> None:
    assert_encoded([first, {second: [first]}], **options)
