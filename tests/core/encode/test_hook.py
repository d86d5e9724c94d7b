"""The default hook: its result is encoded, its exceptions are passed on, its side effects do no harm."""

from __future__ import annotations

import gc
import json
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers import stdlib_json
from helpers.all_outputs import encodings
from helpers.call_outcome import assert_same, outcome
from helpers.processes import run_python
from helpers.threads import in_threads

from ssrjson_web import _core

IS_FREE_THREADED = _core.get_current_features()["free_threading"]

pytestmark = pytest.mark.usefixtures("isa")

ENCODERS: tuple[Callable[..., Any], ...] = (_core.dumps, _core.dumps_to_bytes)


class Thing:
    def __init__(self, value: Any = None) -> None:
        self.value = value


def unwrap(thing: Any) -> Any:
    if isinstance(thing, Thing):
        return thing.value
    raise TypeError(f"no {type(thing).__name__}")


def assert_encoded(value: Any, hook: Callable[[Any], Any], **options: Any) -> None:
    expected = outcome(stdlib_json.dumps, value, default=hook, **options)
    assert_same(outcome(_core.dumps, value, default=hook, **options), expected, (value, options))
    expected = outcome(stdlib_json.dumps_to_bytes, value, default=hook, **options)
    assert_same(outcome(_core.dumps_to_bytes, value, default=hook, **options), expected, (value, options))


def loaded(encoded: str | bytes) -> Any:
    return json.loads(encoded)


def test_hook_result_of_each_type_is_encoded_in_place() -> None:
    results: tuple[Any, ...] = (None, True, 1, 2.5, "é中😀\n", [], [1, [2]], {}, {"a": {"b": ()}}, (1, 2), 10**30)
    for result in results:
        for value in (Thing(result), [1, Thing(result), 2], {"k": Thing(result)}, ({"a": [Thing(result)]}, 1)):
            for options in ({}, {"indent": 2}, {"ensure_ascii": True}, {"sort_keys": True}):
                assert_encoded(value, unwrap, **options)


def test_hook_is_called_again_for_what_it_returned() -> None:
    assert_encoded(Thing(Thing(Thing("deep"))), unwrap)
    assert_encoded([Thing([Thing({"a": Thing(1)})]), Thing(Thing(()))], unwrap)


def test_hook_is_called_once_for_each_value_in_order() -> None:
    for encode in ENCODERS:
        seen: list[Any] = []

        def hook(thing: Any, seen: list[Any] = seen) -> str:
            seen.append(thing.value)
            return "x"

        encode([Thing(1), {"a": Thing(2)}, (Thing(3),)], default=hook)
        assert seen == [1, 2, 3]


def test_hook_is_not_called_for_native_values_and_their_subclasses() -> None:
    class Text(str):
        pass

    def hook(thing: Any) -> Any:
        raise AssertionError(thing)

    value = [1, "a", None, Text("b"), {"c": ()}, 1.5, 10**30]
    assert _core.dumps(value, default=hook) == stdlib_json.dumps(value)


@pytest.mark.parametrize("error", [KeyError("x"), TypeError("mine"), ValueError("mine"), KeyboardInterrupt()])
def test_hook_that_raises_passes_its_error_through(error: BaseException) -> None:
    def hook(thing: Any) -> Any:
        raise error

    for encode in ENCODERS:
        for value in (Thing(), [[{"a": Thing()}]], ["é" * 1000, Thing()]):
            with pytest.raises(type(error)) as raised:
                encode(value, default=hook)
            assert raised.value is error


def test_hook_that_returns_its_argument_is_a_cycle_as_in_stdlib() -> None:
    for value in (Thing(), [Thing()], {"a": Thing()}):
        expected = outcome(stdlib_json.dumps, value, default=lambda thing: thing)
        assert expected[:2] == ("ValueError", "Circular reference detected")
        for encode in ENCODERS:
            assert outcome(encode, value, default=lambda thing: thing)[:2] == expected[:2]


def test_hook_that_returns_an_outer_container_is_a_cycle_as_in_stdlib() -> None:
    outer: list[Any] = [1, Thing()]
    outer[1].value = outer
    around: dict[str, Any] = {"a": Thing()}
    around["a"].value = [around]
    for value in (outer, around):
        expected = outcome(stdlib_json.dumps, value, default=unwrap)
        assert expected[:2] == ("ValueError", "Circular reference detected")
        for encode in ENCODERS:
            assert outcome(encode, value, default=unwrap)[:2] == expected[:2]


def test_hook_that_returns_the_same_container_twice_in_a_row_is_no_cycle() -> None:
    shared = [1, 2]
    assert_encoded([Thing(), Thing()], lambda thing: shared)


def test_hook_beside_a_cycle_is_called_a_bounded_number_of_times() -> None:
    calls: list[object] = []

    def hook(thing: object) -> str:
        calls.append(thing)
        return "x"

    cycle: list[Any] = [Thing()]
    cycle.append([cycle])
    assert outcome(stdlib_json.dumps, cycle, default=hook)[:2] == ("ValueError", "Circular reference detected")
    assert len(calls) == 1
    for encode in ENCODERS:
        calls.clear()
        assert outcome(encode, cycle, default=hook)[:2] == ("ValueError", "Circular reference detected")
        # the core looks for cycles each time that its stack of containers doubles, from 32 on
        assert 1 <= len(calls) <= 32


def test_hook_that_goes_on_for_ever_raises() -> None:
    for encode in ENCODERS:
        with pytest.raises((RecursionError, ValueError)):
            encode(Thing(), default=lambda thing: Thing())
        with pytest.raises((RecursionError, ValueError)):
            encode(Thing(), default=lambda thing: [Thing()])


@pytest.mark.parametrize("n_rounds", [1, 60, 63, 64, 65, 127, 128, 129, 200])
def test_hook_that_returns_the_same_object_until_it_ends_equals_stdlib_without_the_check(n_rounds: int) -> None:
    class Countdown:
        def __init__(self, wrap: Callable[[Any], Any]) -> None:
            self.n_left = n_rounds
            self.wrap = wrap

    def count(thing: Any) -> Any:
        thing.n_left -= 1
        return thing.wrap(thing) if thing.n_left > 0 else "end"

    wraps: tuple[Callable[[Any], Any], ...] = (lambda t: t, lambda t: [t], lambda t: {"a": t}, lambda t: (1, [t]))
    for wrap in wraps:
        for options in ({}, {"indent": 1}, {"ensure_ascii": True}):
            expected = outcome(stdlib_json.dumps, Countdown(wrap), default=count, check_circular=False, **options)
            assert expected[0] == "value"
            thing = Countdown(wrap)
            for way, got in encodings(thing, default=count, check_circular=False, **options):
                assert_same(got, expected, (way, n_rounds, options))
                thing.n_left = n_rounds
        thing = Countdown(wrap)
        for way, got in encodings(thing, default=count):
            assert got[0] == ("value" if n_rounds == 1 else "ValueError"), way
            thing.n_left = n_rounds


@pytest.mark.skipif(IS_FREE_THREADED, reason="without the GIL a list is written as it was before the hook changed it")
@pytest.mark.parametrize("n_rounds", [1, 100, 128, 200])
def test_hook_that_ends_a_cycle_of_containers_equals_stdlib_without_the_check(n_rounds: int) -> None:
    def make() -> list[Any]:
        value: list[Any] = [Thing(), 1]
        value[1] = value
        return value

    def run(encode: Callable[..., Any]) -> Any:
        value = make()
        calls = []

        def hook(_: Any) -> int:
            calls.append(1)
            if len(calls) == n_rounds:
                value[1] = "end"
            return len(calls)

        return encode(value, default=hook, check_circular=False)

    expected = outcome(run, stdlib_json.dumps)
    assert expected[0] == "value"
    assert_same(outcome(run, _core.dumps), expected, n_rounds)
    assert_same(outcome(lambda: run(_core.dumps_to_bytes).decode()), expected, n_rounds)


def test_cycle_that_no_hook_ends_raises_recursion_error_without_the_check() -> None:
    value: list[Any] = [1]
    value.append({"a": value})
    for hook in (None, unwrap):
        for encode in ENCODERS:
            assert outcome(encode, value, default=hook, check_circular=False)[0] == "RecursionError"
    deep: Any = []
    for _ in range(5 * sys.getrecursionlimit()):
        deep = [deep]
    text = _core.dumps(deep, check_circular=False)
    assert text == "[" * (5 * sys.getrecursionlimit() + 1) + "]" * (5 * sys.getrecursionlimit() + 1)


def test_hook_whose_result_lives_only_in_the_result_is_kept_alive() -> None:
    for encode in ENCODERS:
        got = encode([Thing(), Thing()], default=lambda thing: {"k" + str(id(thing)): [str(n) for n in range(100)]})
        assert [list(item.values()) for item in loaded(got)] == [[[str(n) for n in range(100)]]] * 2


def test_hook_that_reenters_the_core_leaves_the_outer_call_right() -> None:
    def hook(thing: Any) -> Any:
        inner = _core.dumps({"inner": ["中", thing.value]}, default=unwrap)
        assert _core.dumps_to_bytes(["é" * 5000]) == f'["{"é" * 5000}"]'.encode()
        assert _core.loads(inner) == {"inner": ["中", thing.value]}
        with pytest.raises(TypeError):
            _core.dumps([object()])
        with pytest.raises(_core.JSONDecodeError):
            _core.loads("[1,")
        return inner

    assert_encoded(["é", Thing(1), {"a": Thing("😀")}, "b" * 3000], hook)


def test_hook_that_reenters_fifty_times_over() -> None:
    def hook(thing: Any) -> Any:
        return "end" if thing.value == 0 else _core.dumps([Thing(thing.value - 1), "é"], default=hook)

    def expected(level: int) -> str:
        return "end" if level == 0 else stdlib_json.dumps([expected(level - 1), "é"])

    # each level escapes the quotes of the one below: keep it small
    assert_same(_core.dumps(Thing(12), default=hook), stdlib_json.dumps(expected(12)), "12 levels")


def test_hook_that_grows_the_list_being_walked_gives_wellformed_json() -> None:
    for encode in ENCODERS:
        walked: list[Any] = [Thing(), 1]

        def hook(thing: Any, walked: list[Any] = walked) -> str:
            walked.extend(["é" * 10] * 1000)
            return "x"

        got = loaded(encode(walked, default=hook))
        assert got[:2] == ["x", 1]
        assert set(got[2:]) <= {"é" * 10}


def test_hook_that_clears_the_container_being_walked_gives_wellformed_json() -> None:
    def clearing(container: Any) -> Callable[[Any], str]:
        def hook(thing: Any) -> str:
            container.clear()
            gc.collect()
            return "x"

        return hook

    for encode in ENCODERS:
        for n_after in (0, 1, 100):
            items: list[Any] = [Thing(), *([str(n)] for n in range(n_after))]
            expected = outcome(stdlib_json.dumps, list(items), default=clearing(items))
            assert expected[0] == "value"
            items = [Thing(), *([str(n)] for n in range(n_after))]
            # without the GIL a list is written as it was when it was reached
            after = [[str(n)] for n in range(n_after)] if IS_FREE_THREADED else []
            assert loaded(encode([items], default=clearing(items))) == [["x", *after]]
            members: dict[str, Any] = {"thing": Thing()} | {str(n): [str(n)] for n in range(n_after)}
            try:
                got = loaded(encode([members], default=clearing(members)))
            except RuntimeError:
                continue
            assert got[0]["thing"] == "x"


def test_hook_that_grows_the_dict_being_walked_gives_wellformed_json_or_an_error() -> None:
    for encode in ENCODERS:
        for sort_keys in (False, True):
            members: dict[str, Any] = {"a": Thing(), "b": 1}

            def hook(thing: Any, members: dict[str, Any] = members) -> str:
                members.update({f"new {n}": n for n in range(1000)})
                return "x"

            try:
                got = loaded(encode(members, default=hook, sort_keys=sort_keys))
            except RuntimeError:
                continue
            assert got["a"] == "x"
            assert set(got) <= set(members)


def test_hook_that_replaces_values_and_keys_of_the_dict_being_walked_does_no_harm() -> None:
    for encode in ENCODERS:
        members: dict[Any, Any] = {"a": Thing(), "b": ["old"] * 3, "c": {"old": "é" * 50}}

        def hook(thing: Any, members: dict[Any, Any] = members) -> list[str]:
            for key in list(members):
                members[key] = None
            del members["b"]
            members["b" * 2] = "new"
            gc.collect()
            return ["x"]

        try:
            got = loaded(encode(members, default=hook))
        except RuntimeError:
            continue
        assert got["a"] == ["x"]


def test_hook_that_shrinks_outer_containers_does_no_harm() -> None:
    for encode in ENCODERS:
        outer: dict[str, Any] = {"list": [[[Thing(), "after"], "after"], "after"], "after": ["é"] * 10}

        def hook(thing: Any, outer: dict[str, Any] = outer) -> str:
            outer["list"][0][0].clear()
            outer["list"][0].clear()
            outer["list"].clear()
            outer.clear()
            gc.collect()
            return "x"

        try:
            got = loaded(encode(outer, default=hook))
        except RuntimeError:
            continue
        assert "x" in json.dumps(got)


def test_items_that_mutate_the_dict_they_come_from_do_no_harm() -> None:
    class Mutating(dict[str, Any]):
        def items(self) -> Any:
            for key in list(self):
                value = self.pop(key)
                gc.collect()
                yield key, value

    for encode in ENCODERS:
        value = Mutating({f"k{n}": [str(n)] for n in range(50)})
        assert loaded(encode([value])) == [{f"k{n}": [str(n)] for n in range(50)}]


def test_comparison_of_keys_that_clears_the_dict_being_sorted_does_no_harm() -> None:
    class Key(str):
        def __lt__(self, other: object) -> bool:
            outer.clear()
            members.clear()
            gc.collect()
            return str.__lt__(self, str(other))

    for encode in ENCODERS:
        members: dict[str, Any] = {Key(f"k{n}"): [str(n)] for n in (3, 1, 2)}
        outer: list[Any] = [{"a": [members, ["after"]]}]
        try:
            got = loaded(encode(outer, sort_keys=True))
        except (RuntimeError, ValueError):
            continue
        assert got[0]["a"][0] == {"k1": ["1"], "k2": ["2"], "k3": ["3"]}


@pytest.mark.skipif(sys.version_info < (3, 12), reason="int's repr runs Python code from 3.12 on")
def test_digits_that_python_code_makes_may_clear_the_containers_being_walked(isa: str, tmp_path: Path) -> None:
    snippet = """
        import gc, sys
        import _pylong
        from ssrjson_web import dumps, dumps_to_bytes
        sys.set_int_max_str_digits(0)
        number = 7**60_000
        digits = str(number)
        convert = _pylong.int_to_decimal_string

        def clearing(n):
            for container in outer.pop("list", []), outer:
                container.clear()
            gc.collect()
            [[str(i)] for i in range(1000)]
            return convert(n)

        _pylong.int_to_decimal_string = clearing
        for encode in dumps, dumps_to_bytes:
            outer = {"list": [[number, ["after" * 10]], "after"], "after": ["é"] * 10}
            try:
                got = encode(outer)
            except RuntimeError:
                print("done")
            else:
                print("done" if digits in (got if isinstance(got, str) else got.decode()) else got[:100])
    """
    done = run_python(snippet, tmp_path, SSRJSON_ISA=isa)
    assert done.stdout.split() == ["done"] * 2, done


def test_hook_releases_its_results_and_arguments() -> None:
    for encode in ENCODERS:
        results: list[Any] = []

        def hook(thing: Any, results: list[Any] = results) -> Any:
            result = type("Items", (list,), {})([1, 2])
            results.append(weakref.ref(result))
            return result

        thing = Thing()
        reference = weakref.ref(thing)
        assert loaded(encode([thing, {"a": thing}], default=hook)) == [[1, 2], {"a": [1, 2]}]
        del thing
        gc.collect()
        assert [ref() for ref in [reference, *results]] == [None] * 3


def test_hook_in_many_threads_at_once() -> None:
    value = [Thing(["é" * n, {"中": n}]) for n in range(50)]
    expected = stdlib_json.dumps_to_bytes(value, default=unwrap)

    def work() -> None:
        for _ in range(50):
            assert _core.dumps_to_bytes(value, default=unwrap) == expected

    in_threads(work, 4)
