"""Hooks of decoding: called as stdlib calls them, with the same arguments; no hook can break the decoder."""

from __future__ import annotations

import collections
import decimal
import gc
import itertools
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from helpers import decode_checks, json_documents, stdlib_json
from helpers.all_outputs import run_with_little_stack
from helpers.call_outcome import assert_same, outcome
from helpers.decode_checks import HOOKS, assert_decoded, in_each_kind, tagged
from helpers.threads import in_threads
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

DEPTH = 100_000
DOCUMENT = '{"a": [1, 2.5, {"é": NaN}], "b": {"c": [[], {}, "中"]}, "a": -Infinity, "d": [{"x": 1}, {"x": 2}]}'


# ---- as stdlib


@pytest.mark.parametrize("options", decode_checks.HOOK_CHOICES, ids=decode_checks.names)
def test_hooks_in_every_combination_give_what_the_oracle_gives(options: dict[str, Any]) -> None:
    for text in decode_checks.CORPUS:
        assert_decoded(text, **options)


@pytest.mark.parametrize("name", HOOKS)
def test_hook_is_called_for_text_of_each_kind(name: str) -> None:
    options = {name: HOOKS[name]}
    for text in decode_checks.CORPUS:
        for document in in_each_kind(text):
            assert_decoded(document, **options)


@given(json_documents.decoded_values, st.sampled_from(decode_checks.STDLIB_HOOKS), st.booleans())
def test_hooks_on_any_document_equal_stdlib(value: Any, options: dict[str, Any], ensure_ascii: bool) -> None:
    text = stdlib_json.dumps(value, ensure_ascii=ensure_ascii)
    assert_same(outcome(_core.loads, text, **options), outcome(stdlib_json.loads, text, **options), (text, options))


def test_hooks_are_called_in_stdlibs_order() -> None:
    def calls_of(loads: Callable[..., Any]) -> list[Any]:
        calls: list[Any] = []

        def hook(name: str) -> Callable[[Any], Any]:
            return lambda value: calls.append((name, repr(value))) or value

        loads(DOCUMENT, **{name: hook(name) for name in HOOKS if name != "array_hook"})
        loads(DOCUMENT, object_hook=hook("object"), parse_int=hook("int"))
        return calls

    assert calls_of(_core.loads) == calls_of(stdlib_json.loads)


def test_classes_as_hooks_equal_stdlib() -> None:
    choices: tuple[dict[str, Any], ...] = (
        {"object_pairs_hook": collections.OrderedDict},
        {"object_pairs_hook": list},
        {"object_hook": collections.Counter},
        {"parse_float": decimal.Decimal},
        {"parse_float": float, "parse_int": int},
        {"parse_int": float},
        {"parse_int": str, "parse_float": str, "parse_constant": str},
        {"parse_float": decimal.Decimal, "parse_int": decimal.Decimal, "parse_constant": decimal.Decimal},
    )
    for options in choices:
        for text in (
            '{"a": 1, "b": 2, "a": 3}',
            "[1, -2, 1.50, 1e400, -0, -0.0]",
            "[NaN, -Infinity]",
            "1" * 4000,
            "1.5",
        ):
            for source in (text, text.encode()):
                assert_same(
                    outcome(_core.loads, source, **options),
                    outcome(stdlib_json.loads, text, **options),
                    (text, options),
                )


def test_number_hooks_get_the_text_of_the_document() -> None:
    numbers = [
        "0",
        "-0",
        "12345678901234567890123",
        "-1",
        "1.0",
        "1E5",
        "1e+05",
        "-0.0e-0",
        "0.10000000000000000000000001",
    ]
    for number in [*numbers, "9" * 5000, "0." + "1" * 5000]:
        for document in in_each_kind(number):
            assert_decoded(document, parse_int=tagged("int"), parse_float=tagged("float"))


def test_object_pairs_hook_gets_a_list_of_tuples_with_every_pair() -> None:
    seen: list[Any] = []
    _core.loads('[{"a": 1, "b": [2], "a": 3}, {}]', object_pairs_hook=seen.append)
    assert seen == [[("a", 1), ("b", [2]), ("a", 3)], []]
    assert {type(pairs) for pairs in seen} == {list}
    assert {type(pair) for pairs in seen for pair in pairs} == {tuple}
    big = "{" + ",".join(f'"k{i}":{i}' for i in range(5000)) + "}"
    assert _core.loads(big, object_pairs_hook=list) == [(f"k{i}", i) for i in range(5000)]


def test_object_pairs_hook_goes_before_object_hook() -> None:
    assert _core.loads('{"a": 1}', object_hook=tagged("object"), object_pairs_hook=dict) == {"a": 1}


def test_array_hook_gets_the_list_and_its_result_replaces_it() -> None:
    assert _core.loads("[1, [2, []], {}]", array_hook=tuple) == (1, (2, ()), {})
    assert _core.loads('{"a": [[1], [2]]}', array_hook=sum_of_firsts) == {"a": 3}
    assert _core.loads("[]", array_hook=lambda items: (type(items), items)) == (list, [])


def sum_of_firsts(items: list[Any]) -> Any:
    return sum(items)


def test_hook_at_the_top_replaces_the_document() -> None:
    for text, name in (("{}", "object_hook"), ("{}", "object_pairs_hook"), ("[]", "array_hook"), ("1", "parse_int")):
        assert _core.loads(text, **{name: lambda value: "replaced"}) == "replaced"
        assert _core.loads(text, **{name: lambda value: None}) is None
    assert _core.loads("1.5", parse_float=lambda text: [text]) == ["1.5"]
    assert _core.loads("NaN", parse_constant=lambda text: {text: 1}) == {"NaN": 1}


def test_keys_and_strings_and_literals_go_to_no_hook() -> None:
    def fail(value: Any) -> Any:
        raise AssertionError(value)

    options = dict.fromkeys(("parse_int", "parse_float", "parse_constant", "array_hook"), fail)
    assert _core.loads('{"1": "2.5", "NaN": [null][0]}'.replace("[null][0]", "null"), **options) == {
        "1": "2.5",
        "NaN": None,
    }
    assert _core.loads('["NaN", true, false, null]', object_hook=fail, parse_constant=fail) == [
        "NaN",
        True,
        False,
        None,
    ]


# ---- whatever they do


def hooks_that(act: Callable[[Any], Any]) -> dict[str, Any]:
    return dict.fromkeys(HOOKS, act)


@pytest.mark.parametrize(
    "error", [KeyError, StopIteration, RecursionError, MemoryError, KeyboardInterrupt, GeneratorExit]
)
def test_what_a_hook_raises_passes_through_from_each_call(error: type[BaseException]) -> None:
    for name in [*HOOKS, "all"]:
        for n_calls in itertools.count():
            count = itertools.count()
            raised = error("mine")

            def hook(value: Any, count: Any = count, n_calls: int = n_calls, raised: BaseException = raised) -> Any:
                if next(count) == n_calls:
                    raise raised
                return value

            options = hooks_that(hook) if name == "all" else {name: hook}
            caught = None
            try:
                _core.loads(DOCUMENT, **options)
            except error as got:
                caught = got
            if caught is None:
                break
            assert caught is raised
            assert caught.__context__ is None
        assert n_calls > 0


def test_malformed_rest_after_hooks_raises_as_without_them() -> None:
    for cut in range(len(DOCUMENT)):
        expected = outcome(stdlib_json.loads, DOCUMENT[:cut])
        assert_same(outcome(_core.loads, DOCUMENT[:cut], **hooks_that(repr)), expected, cut)


def test_odd_results_are_kept_as_they_are() -> None:
    things: list[Any] = [
        None,
        NotImplemented,
        KeyError("a value"),
        object,
        [],
        {},
        float("nan"),
        Ellipsis,
        iter(()),
        2**70,
    ]
    for thing in things:
        for name in HOOKS:
            value = _core.loads('{"k": [[], {}, 1, 1.5, NaN]}', **{name: lambda _, thing=thing: thing})
            found = [value, *(value.values() if isinstance(value, dict) else ())]
            items = value.get("k") if isinstance(value, dict) else None
            found += items if isinstance(items, list) else []
            assert any(part is thing for part in found), (name, thing)


def test_hook_that_takes_no_argument_is_a_type_error() -> None:
    for name in HOOKS:
        with pytest.raises(TypeError):
            _core.loads(DOCUMENT, **{name: lambda: None})


def test_hook_that_decodes_with_the_same_hooks() -> None:
    decoder: Any = None

    def hook(value: Any) -> Any:
        inner = '[{"in": 1.5}]' if depth[0] < 3 else "[]"
        depth[0] += 1
        try:
            return [value, decoder.decode(inner), _core.loads(DOCUMENT) is not None]
        finally:
            depth[0] -= 1

    depth = [0]
    decoder = _core.Decoder(object_hook=hook)
    assert stdlib_json.dumps(decoder.decode('[{"a": {}}, {"b": "é"}]')).count('"in"') > 5


def test_hook_that_recurs_for_ever_is_a_recursion_error() -> None:
    def hook(value: Any) -> Any:
        return _core.loads('{"a": 1}', object_hook=hook)

    with pytest.raises(RecursionError):
        hook({})


def test_calls_of_hooks_within_each_other_take_little_of_the_stack() -> None:
    def hook(value: Any) -> Any:
        return _core.loads('{"a": 1}', object_hook=hook)

    def recur() -> None:
        with pytest.raises(RecursionError):
            hook({})

    assert run_with_little_stack(recur)


def test_hook_that_collects_garbage() -> None:
    class Node:
        def __del__(self) -> None:
            _core.loads(DOCUMENT)

    def hook(value: Any) -> Any:
        node = Node()
        node.cycle = node  # type: ignore[attr-defined]
        del node
        gc.collect()
        return value

    small = '{"a": [1, 2.5, {"é": NaN}], "b": [[], "中", {}]}'
    for name in HOOKS:
        assert_same(
            outcome(_core.loads, small, **{name: hook}), outcome(stdlib_json.loads, small, **kept(name, hook)), name
        )


def kept(name: str, hook: Any) -> dict[str, Any]:
    return {} if name == "array_hook" else {name: hook}


def test_hook_that_keeps_and_empties_what_it_is_given() -> None:
    taken: list[Any] = []

    def keep(value: Any) -> Any:
        taken.append(value)
        if isinstance(value, (dict, list)):
            for part in taken:
                if isinstance(part, (dict, list)) and part is not value:
                    part.clear()
        return value

    for _ in range(3):
        _core.loads(DOCUMENT * 1, **hooks_that(keep))
        _core.loads(DOCUMENT, object_hook=keep, array_hook=keep)
    assert len(taken) > 30


def test_hook_that_looks_at_unfinished_containers() -> None:
    def look(value: Any) -> Any:
        for thing in gc.get_objects():
            if type(thing) in (list, dict):
                len(thing)
        return value

    assert _core.loads('[[1, {"a": [2]}], 3]', object_hook=look, parse_int=look) == [["1", {"a": ["2"]}], "3"]


def test_hook_cannot_resize_the_source_but_write_to_it() -> None:
    source = bytearray(b'[{"a": 1}, {"b": "' + b"x" * 200 + b'"}, {"c": 3}]')

    def resize(value: Any) -> Any:
        for change in (source.clear, lambda: source.extend(b"x" * 100_000), lambda: source.pop()):
            with pytest.raises(BufferError):
                change()
        return value

    assert len(_core.loads(source, object_hook=resize)) == 3
    assert len(_core.Decoder(object_hook=resize).decode(memoryview(source))) == 3
    source.clear()

    for fill in (b"\xff", b'"', b"\\", b"[", b" ", b"\x00", b"1", b"\xe4\xb8"):
        data = bytearray(b'[{"a": 1}, {"b": "' + b"x" * 200 + b'"}, {"c": 3}]')

        def overwrite(value: Any, data: bytearray = data, fill: bytes = fill) -> Any:
            data[:] = (fill * len(data))[: len(data)]
            return value

        for call in (_core.loads, lambda s, **options: _core.Decoder(**options).decode_lines(s)):
            for options in ({}, {"duplicate_keys": "error"}, {"strict": False}, {"allow_surrogates": False}):
                data[:] = b'[{"a": 1}, {"b": "' + b"x" * 200 + b'"}, {"c": 3}]'
                got = outcome(call, data, object_hook=overwrite, **options)
                assert got[0] in ("value", "JSONDecodeError", "UnicodeDecodeError")


def test_hook_inside_an_object_with_a_repeated_key_that_overwrites_the_source() -> None:
    content = b'{"a": {"b": 1}, "\xc3\xa9": 5, "a": 2, "\xc3\xa9": 3}'
    for fill in (b"x", b'"', b"\\", b"{", b" ", b"\xff"):
        data = bytearray(content)

        def overwrite(value: Any, data: bytearray = data, fill: bytes = fill) -> Any:
            data[:14] = (fill * 14)[:14]  # up to where the parser stands
            return value

        got = outcome(_core.loads, data, object_hook=overwrite, duplicate_keys="error")
        assert got[0] in ("JSONDecodeError", "UnicodeDecodeError"), fill


def test_hook_that_drops_the_source() -> None:
    holder = ['["é", {"a": 1}, {"b": "' + "中" * 500 + '"}]']

    def drop(value: Any) -> Any:
        holder.clear()
        gc.collect()
        return value

    for source in (holder[0], holder[0].encode()):
        holder[:] = [source]  # type: ignore[list-item]
        del source
        assert len(_core.loads(holder.pop(), object_hook=drop)) == 3


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"é":', "}]")])
def test_hooks_100_000_deep(opening: str, closing: str) -> None:
    n_levels = DEPTH // len(opening.replace('"a":', "").replace('"é":', ""))
    text = opening * n_levels + "1" + closing * n_levels

    def count(value: Any) -> Any:
        inner = value[0] if isinstance(value, list) else value["a" if "a" in value else "é"]
        return inner + 1

    def count_pairs(pairs: list[tuple[str, int]]) -> int:
        return pairs[0][1] + 1

    n_brackets = n_levels * (len(closing))
    for source in (text, text.encode()):
        assert _core.loads(source, object_hook=count, array_hook=count) == n_brackets + 1
        assert _core.loads(source, object_pairs_hook=count_pairs, array_hook=count) == n_brackets + 1


def test_hooks_in_many_threads() -> None:
    decoder = _core.Decoder(object_hook=lambda members: sorted(members), parse_int=lambda text: f"<{text}>")
    expected = decoder.decode(DOCUMENT)

    def work() -> None:
        for _ in range(100):
            assert repr(decoder.decode(DOCUMENT)) == repr(expected)

    in_threads(work, 6)


def test_results_of_hooks_are_released() -> None:
    class Thing:
        pass

    things: list[weakref.ref[Thing]] = []

    def make(value: Any) -> Thing:
        thing = Thing()
        things.append(weakref.ref(thing))
        return thing

    for text in ("[{}, {}, 1]", "[{}, {}, x]", '{"a": {}, "a": {}}', "[[1, 2, {}"):
        outcome(lambda text=text: _core.loads(text, object_hook=make, parse_int=make, array_hook=make) and None)
        gc.collect()
        assert all(thing() is None for thing in things), text
