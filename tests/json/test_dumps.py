"""dumps and dump: stdlib's text, stdlib's errors, for every value and option."""

from __future__ import annotations

import collections
import decimal
import enum
import io
import json as theirs
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from helpers import json_documents
from helpers.call_outcome import assert_same, lasting_repr, outcome
from helpers.json_module_parity import assert_same_from, count_core_calls, dumped
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import json as ours

OPTIONS = st.builds(
    lambda options, sort: options | sort, json_documents.options, st.sampled_from(({}, {"sort_keys": True}))
)
SORTABLE = st.recursive(
    json_documents.scalars, lambda children: json_documents.containers(children, json_documents.texts), max_leaves=15
)


class Thing:
    pass


class Colour(enum.IntEnum):
    RED = 1


class Point(NamedTuple):
    x: int
    y: str


class Squares(list[int]):
    def __iter__(self) -> Any:
        return (n * n for n in range(len(self)))


CYCLE: list[Any] = [1]
CYCLE.append({"a": CYCLE})
ORDERED = collections.OrderedDict(a=1, b=[2], c={})
ORDERED.move_to_end("a")
VALUES: tuple[Any, ...] = (
    None,
    True,
    -0.0,
    10**40,
    1e16,
    "",
    'é中😀\n\x7f"\\/\ud800',
    [],
    {},
    (),
    [[], {}, ()],
    {"b": [1, 2.5, None], "a": {"é": "ÿ"}, 1: 2, 2.5: 3, False: 4, None: 5},
    [math.nan, math.inf, -math.inf, {math.inf: 1}],
    [Colour.RED, Point(1, "é"), Squares([7, 7, 7]), ORDERED, collections.Counter("aab")],
    {(1,): 2, "a": 3},
    {"a": {(1,): 2}},
    {Thing(): 1},
    Thing,
    [Thing],
    {"a": [b"", {1}]},
    1j,
    CYCLE,
    [10**5000],
)
HOOKS: tuple[Callable[[Any], Any], ...] = (str, repr, type, lambda thing: ["é", 1], lambda thing: thing, len)
ODD_OPTIONS: tuple[dict[str, Any], ...] = (
    {"indent": 1.5},
    {"indent": True},
    {"indent": decimal.Decimal(1)},
    {"indent": b" "},
    {"indent": Colour.RED},
    {"indent": [1]},
    {"separators": 5},
    {"separators": ()},
    {"separators": (",",)},
    {"separators": (",", ":", "")},
    {"separators": ",:"},
    {"separators": [";", "="]},
    {"separators": iter((";", "="))},
    {"separators": (b",", b":")},
    {"separators": (",", None)},
    {"default": 5},
    {"default": False},
    {"cls": 5},
    {"cls": dict},
    {"cls": None},
    {"unknown": 1},
    {"unknown": None, "cls": None},
    {"obj": 1},
    {"o": 1},
    {"skipkeys": 1, "ensure_ascii": 0, "allow_nan": "", "sort_keys": (), "check_circular": []},
    {"ensure_ascii": None, "default": None, "separators": None, "indent": None},
)


def assert_encoded(value: object, **options: Any) -> None:
    """dumps and JSONEncoder(...).encode give stdlib's text or its error."""
    assert_same_from(lambda json: json.dumps(value, **options), ("dumps", value, options))
    if "cls" not in options:
        assert_same_from(lambda json: json.JSONEncoder(**options).encode(value), ("encode", value, options))


def assert_dumped_exactly(value: object, **options: Any) -> None:
    """dump writes stdlib's text or raises its very error."""
    assert_same_from(lambda json: dumped(json, value, **options), ("dump", value, options))


def assert_dumped(value: object, **options: Any) -> None:
    """dump writes stdlib's text, or raises an error of the same kind: see the module's docstring on its words."""
    got, expected = (outcome(dumped, json, value, **options) for json in (ours, theirs))
    is_value = expected[0] == "value"
    assert_same(got if is_value else got[0], expected if is_value else expected[0], ("dump", value, options))


@given(json_documents.values, json_documents.options)
def test_any_value_with_any_options_equals_stdlib(value: Any, options: dict[str, Any]) -> None:
    assert_encoded(value, **options)
    assert_dumped(value, **options)


@given(SORTABLE, OPTIONS)
def test_any_value_with_sorted_keys_equals_stdlib(value: Any, options: dict[str, Any]) -> None:
    assert_encoded(value, **options)
    assert_dumped(value, **options)


@given(json_documents.texts_with_surrogates, st.booleans())
def test_any_text_with_surrogates_equals_stdlib(text: str, ensure_ascii: bool) -> None:
    for value in (text, [text], {text: text}):
        assert_encoded(value, ensure_ascii=ensure_ascii)
        assert_dumped(value, ensure_ascii=ensure_ascii)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: f"{type(value).__name__}")
def test_each_value_with_each_option_equals_stdlib(value: Any) -> None:
    choices: list[dict[str, Any]] = [
        {},
        {"ensure_ascii": False},
        {"allow_nan": False},
        {"skipkeys": True},
        {"sort_keys": True},
        {"indent": 0},
        {"indent": 3},
        {"indent": "\t"},
        {"indent": 2, "skipkeys": True},
        {"indent": 2, "separators": ("，", "：")},
        {"separators": (",", ":")},
        {"separators": (",", ":"), "ensure_ascii": False, "allow_nan": False, "indent": None},
        {"separators": ("", "")},
    ]
    for options in choices:
        assert_encoded(value, **options)
        assert_dumped(value, **options)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: f"{type(value).__name__}")
def test_each_value_with_a_hook_equals_stdlib(value: Any) -> None:
    for hook in HOOKS:
        for indent in (None, 1):
            assert_encoded(value, default=hook, indent=indent)
            assert_dumped(value, default=hook, indent=indent)


@pytest.mark.parametrize("options", ODD_OPTIONS, ids=lasting_repr)
def test_options_of_odd_kinds_are_taken_or_refused_as_in_stdlib(options: dict[str, Any]) -> None:
    iterator = options.get("separators")
    for value in ("é", ["é", {"b": 1, "a": math.nan}], [Thing()], {Thing(): 1}):
        if isinstance(iterator, collections.abc.Iterator):
            for json in (ours, theirs):
                assert json.dumps([1, {"a": 2}], separators=iter((";", "="))) == '[1;{"a"=2}]'
        else:
            assert_encoded(value, **options)
            if options not in ({"separators": (b",", b":")}, {"separators": (",", None)}):
                assert_dumped(value, **options)


def test_defaults_are_stdlibs() -> None:
    assert ours.dumps({"é": [1, 2]}) == '{"\\u00e9": [1, 2]}'
    assert dumped(ours, {"é": [1, 2]}) == '{"\\u00e9": [1, 2]}'
    assert ours.dumps([1, {"a": 2}], indent=1) == '[\n 1,\n {\n  "a": 2\n }\n]'


def test_calls_with_wrong_arguments_raise_as_in_stdlib() -> None:
    assert_same_from(lambda json: json.dumps())
    assert_same_from(lambda json: json.dumps(1, 2))
    assert_same_from(lambda json: json.dumps(obj=[1]))
    assert outcome(ours.dump, 1)[0] == outcome(theirs.dump, 1)[0] == "TypeError"


def test_truth_that_raises_raises_where_stdlib_asks_for_it() -> None:
    class Unsure:
        def __bool__(self) -> bool:
            raise ZeroDivisionError("unsure")

    for name in ("skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys"):
        for value in ("text", {"a": 1}, [1]):
            assert_encoded(value, **{name: Unsure()})


def test_calls_reach_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = count_core_calls(monkeypatch)
    options: tuple[dict[str, Any], ...] = (
        {},
        {"indent": 2},
        {"default": str},
        {"cls": None},
        {"cls": ours.JSONEncoder},
        {"cls": theirs.JSONEncoder},
        {"separators": (",", ":"), "ensure_ascii": False, "allow_nan": False, "sort_keys": True, "skipkeys": True},
    )
    for chosen in options:
        for value in ("text", {"a": [1]}, 5):
            before = calls.dumps
            ours.dumps(value, **chosen)
            dumped(ours, value, **chosen)
            assert calls.dumps == before + 2, (chosen, value)


def test_hook_is_called_once_for_each_value_also_when_another_fails() -> None:
    for call in (ours.dumps, lambda value, **options: dumped(ours, value, **options)):
        for value in ([Thing(), {"a": Thing()}], [Thing(), {"a": Thing(), (): 1}]):
            calls: list[object] = []
            outcome(call, value, default=lambda thing, calls=calls: calls.append(thing))
            assert len(calls) == 2


def test_hook_error_passes_through_as_it_is() -> None:
    error = KeyError("mine")

    def hook(thing: object) -> Any:
        raise error

    for call in (ours.dumps, lambda value, **options: dumped(ours, value, **options)):
        with pytest.raises(KeyError) as raised:
            call([[Thing()]], default=hook)
        assert raised.value is error


def test_nesting_beyond_stdlibs_limit_is_encoded() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    expected = "[" * 100_001 + "]" * 100_001
    assert_same(ours.dumps(value), expected, "dumps")
    assert_same(ours.JSONEncoder().encode(value), expected, "encode")
    assert_same(dumped(ours, value), expected, "dump")
    while value:
        value = value[0]


def test_dump_writes_once_to_anything_with_write() -> None:
    class Log:
        def __init__(self) -> None:
            self.chunks: list[str] = []

        def write(self, chunk: str) -> None:
            self.chunks.append(chunk)

    log = Log()
    ours.dump({"é": [1, "b"] * 100}, log, ensure_ascii=False)
    assert log.chunks == [theirs.dumps({"é": [1, "b"] * 100}, ensure_ascii=False)]
    assert type(log.chunks[0]) is str


def test_dump_that_fails_writes_nothing() -> None:
    file = io.StringIO()
    with pytest.raises(TypeError, match="Object of type Thing is not JSON serializable"):
        ours.dump([1, Thing()], file)
    assert file.getvalue() == ""


def test_dump_to_what_cannot_be_written_to_raises_as_in_stdlib() -> None:
    assert_same_from(lambda json: json.dump([1], io.BytesIO()))
    assert_same_from(lambda json: json.dump([1], object()))
    assert_same_from(lambda json: json.dump([1], None, indent=1))


class FalseList(list[Any]):
    def __bool__(self) -> bool:
        return False


class TrueList(list[Any]):
    def __bool__(self) -> bool:
        return True


class ShortList(list[Any]):
    def __len__(self) -> int:
        return 0


class FailingList(list[Any]):
    def __bool__(self) -> bool:
        raise KeyError("bool")


class OwnIter(list[Any]):
    def __iter__(self) -> Any:
        return iter([1, {"a": [2]}])


class OwnTupleIter(tuple[Any, ...]):
    def __iter__(self) -> Any:
        return iter("ab")

    def __len__(self) -> int:
        return 5


class PairsAsLists(dict[str, Any]):
    def items(self) -> Any:
        return [["a", 1], ["b", [1, {"x": None}]]]


class Triples(dict[str, Any]):
    def items(self) -> Any:
        return [("a", 1, 2)]


class Doubled(dict[str, Any]):
    def items(self) -> Any:
        return [("a", 1), ("a", 2)]


class Generated(dict[str, Any]):
    def items(self) -> Any:
        return ((key, 1) for key in "ab")


class FalseDict(dict[str, Any]):
    def __bool__(self) -> bool:
        return False


class TrueDict(dict[str, Any]):
    def __bool__(self) -> bool:
        return True


class ShortDict(dict[str, Any]):
    def __len__(self) -> int:
        return 0


class WithAttributes(dict[str, Any]):
    def __init__(self, n_others: int) -> None:
        super().__init__(a=1)
        for n in range(n_others):
            setattr(self, f"other{n}", n)
        self.items: Any = lambda: [("b", 2)]  # type: ignore[method-assign]


class OwnText(str):
    def __str__(self) -> str:
        return "no"

    __repr__ = __str__

    def __len__(self) -> int:
        return 0


class OwnInt(int):
    def __repr__(self) -> str:
        return "no"

    __str__ = __repr__


class OwnFloat(float):
    def __repr__(self) -> str:
        return "no"

    __str__ = __repr__


HOSTILE: tuple[Any, ...] = (
    *(FalseList([1]), TrueList(), ShortList([1]), FailingList([1]), OwnIter(), OwnTupleIter("xy")),
    *(PairsAsLists(), PairsAsLists(z=1), Triples(a=1), Doubled(a=1), Generated(), Generated(a=1)),
    *(FalseDict(a=1), TrueDict(), ShortDict(a=1), WithAttributes(0), WithAttributes(50)),
    *(collections.OrderedDict(b=1, a=2), collections.Counter("aab"), collections.defaultdict(list, a=[1])),
    *(OwnText("é\n"), OwnInt(5), OwnFloat(1.5), {OwnText("é"): 1, OwnInt(3): 2, OwnFloat(2.5): 3}),
    *({decimal.Decimal(1): 2}, math.nan, object()),
)
HOSTILE_OPTIONS: tuple[dict[str, Any], ...] = (
    *({}, {"indent": 2}, {"indent": "\t\n", "ensure_ascii": False}, {"sort_keys": True}, {"separators": ("，", ":")}),
    *({"skipkeys": True, "indent": 0}, {"allow_nan": False}, {"check_circular": False}),
    {"default": lambda _: ["hook", OwnIter()]},
)


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: type(value).__name__)
def test_subclass_that_overrides_what_is_asked_of_it_is_written_as_by_stdlib(value: Any) -> None:
    values = (value, [value, 1, value], {"k": [(value,), {"z": value}]}, [[OwnIter([value])], PairsAsLists(q=value)])
    for options in HOSTILE_OPTIONS:
        for each in values:
            assert_dumped_exactly(each, **options)
            assert_encoded(each, **options)


def test_cycle_through_a_subclass_that_overrides_its_iteration_is_found() -> None:
    class Ring(list[Any]):
        def __iter__(self) -> Any:
            return list.__iter__(self)

    ring = Ring()
    ring.append({"a": [ring]})
    for options in ({}, {"indent": 1}):
        for value in (ring, [ring], ring[0]):
            assert_dumped_exactly(value, **options)
            assert_encoded(value, **options)


def test_dump_asks_an_object_of_a_subclass_once() -> None:
    class Counted(list[Any]):
        n_asked = 0

        def __iter__(self) -> Any:
            self.n_asked += 1
            return iter(range(self.n_asked))

    for options in ({}, {"indent": 1}):
        value = Counted([7])
        dumped(ours, [value], **options)
        assert value.n_asked == 1


class Proxy:
    """Passes for the object that it holds, also with isinstance."""

    def __init__(self, held: Any) -> None:
        self._held = held

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self._held)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._held, name)

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Any:
        return iter(self._held)


def test_proxy_of_a_container_counts_as_one_where_it_does_in_stdlib() -> None:
    for value in (Proxy({"b": Proxy([1, Proxy(())]), "a": Proxy({})}), [Proxy([Proxy({"é": 1})])]):
        for options in ({}, {"indent": 2}, {"sort_keys": True}, {"default": lambda thing: "hook"}):
            assert_dumped_exactly(value, **options)
            assert_encoded(value, **options)
    held: list[Any] = []
    held.append(Proxy(held))
    assert outcome(dumped, ours, held) == outcome(dumped, theirs, held) == ("ValueError", "Circular reference detected")


def test_list_that_makes_its_items_as_they_are_asked_for_is_dumped() -> None:
    class Stream(list[Any]):
        def __len__(self) -> int:
            return 1

        def __iter__(self) -> Any:
            return (n * n for n in range(3))

    for value in (Stream(), {"a": Stream()}):
        assert_encoded(value)
        assert_dumped(value)
    assert dumped(ours, Stream()) == "[0, 1, 4]"
