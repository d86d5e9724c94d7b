"""No memory leaks: counts of blocks and references after many calls, errors included."""

from __future__ import annotations

import contextlib
import copy
import enum
import gc
import pickle
import sys
import tracemalloc
from collections import ChainMap, UserDict, deque, namedtuple
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest
from helpers.call_outcome import outcome

from ssrjson_web import _core
from ssrjson_web._models.language import Accepted, Rule
from ssrjson_web._models.plan import Plan, PlanField

pytestmark = pytest.mark.usefixtures("isa", "utf8_cache_switch")

N_CALLS = 300
N_TRACED_CALLS = 40
# a block or a reference for each call would be 300; what the interpreter itself keeps is less than this
NOISE = 60


class Thing:
    pass


def raising(thing: object) -> Any:
    raise KeyError("hook")


class RaisingItems(dict[str, Any]):
    def items(self) -> Any:
        raise KeyError("items")


class RaisingZone(tzinfo):
    def utcoffset(self, moment: Any) -> Any:
        raise KeyError("zone")


class Colour(enum.Enum):
    RED = ("rot", 1)


@dataclass
class Model:
    x: Any
    y: Any


@dataclass
class RaisingModel:
    x: Any = 1

    def __getattribute__(self, name: str) -> Any:
        raise KeyError(name)


def convert(value: Any, *_options: bool) -> Any:
    return ["converted" * 9]


def rule_of(*arguments: Any, **options: Any) -> Rule:
    return (Accepted(*arguments, **options),)


class Planned:
    __ssrjson_plan__ = Plan(
        "dict",
        (
            PlanField("a", "a", "A", rule_of(list, "items", inner=rule_of(str)), convert),
            PlanField("b", "b", "b", rule_of(dict, "fields", mapping={"x": 0}, places=(None,)), convert),
        ),
        (PlanField("c", "c", "c", rule_of(str), convert),),
        convert,
    )
    c = 5

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


class WrongPlan:
    __ssrjson_plan__ = Plan("dict", (PlanField("a", "a", "a", rule_of(str, "finite")),), convert=convert)


Point = namedtuple("Point", "y x")


class RefusedPoint(Point):
    def _asdict(self) -> Any:
        return [1]


@dataclass
class Defaults:
    a: Any = field(default_factory=list)
    b: Any = "xxxxx"


CYCLE: list[Any] = [1]
CYCLE.append([{"a": CYCLE}])
EXCLUDING = {"exclude_none": True, "namedtuple_as_object": True, "mapping": True}
NATIVE: Any = (
    datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=timezone(timedelta(hours=1))),
    UUID(int=5),
    Decimal("1.50"),
    Colour.RED,
    PurePosixPath("a/é"),
    b"bytes" * 50,
    {1: {5}},
    deque([1, Model(1, [Model(2, None)])]),
    MappingProxyType({"a": ChainMap({"b": b"c"})}),
    {"k": 1}.items(),
    memoryview(b"abc"),
    timedelta(5),
)
OTHER_FORMATS: Any = {
    "natives": True,
    "utc": "Z",
    "naive": "utc",
    "timedelta": "seconds",
    "enum": "name",
    "decimal": "float",
    "bytes": "base64",
    "uuid": "hex",
}
SHARED: Any = {"é": ["中" * 100, "😀" * 100, "a" * 5000, 1.5, 10**30, None, True, {"k": ()}], 5: "x", None: []}
ROWS = "[" + ",".join(f'{{"id":{i},"имя":"é{i}","t":["\\n中",{i}.5,{{}}]}}' for i in range(30)) + "]"

ENCODED: dict[str, tuple[Any, dict[str, Any]]] = {
    "native values": (SHARED, {}),
    "ascii": (SHARED, {"ensure_ascii": True}),
    "indented and sorted": ({"b": SHARED, "a": [SHARED]}, {"indent": 2, "separators": ("，", "：")}),
    "sorted": ({"b": 1, "a": {"d": 1, "c": 2}}, {"sort_keys": True}),
    "large": (["é" * 20_000, "a" * 20_000], {}),
    "deep": ([[[[[[[[{"a": [[[[]]]]}]]]]]]]], {}),
    "hook": ([Thing(), {"a": Thing()}], {"default": lambda thing: {"k": ["é" * 50]}}),
    "skipped keys": ({(): 1, "a": 2}, {"skipkeys": True}),
    "hook raises": (["é" * 1000, [Thing()]], {"default": raising}),
    "hook gives its argument": ([Thing()], {"default": lambda thing: thing}),
    "not native": (["é", {"a": [Thing()]}], {}),
    "odd key": (["é", {"a": 1, (): 2}], {}),
    "cycle": (CYCLE, {}),
    "nan refused": ([1, {"a": float("nan")}], {"allow_nan": False}),
    "lone surrogate": (["é", {"a": ["\ud800"]}, "😀"], {}),
    "digit limit": ([1, 10**5000], {}),
    "mixed keys": ([{"b": 1, 2: 3}], {"sort_keys": True}),
    "items raise": ([RaisingItems(a=1)], {}),
    "indent of a wrong type": ([1], {"indent": 1.5}),
    "separators of a wrong type": ([1], {"separators": (",", 1)}),
    "unknown keyword": ([1], {"ident": 1}),
    "option without effect": ([1], {"by_alias": True}),
    "native types that are off": ({"a": {"k b": [1, UUID(int=5)]}}, {}),
    "model that is off": ({b"k": Model(1, 2)}, {"skipkeys": True}),
    "native key that is off": ({UUID(int=5): 1}, {}),
    "strided buffer": ([memoryview(b"abcd")[::2]], {"natives": True}),
    "surrogate that loses": ([1, {"k\ud800": Thing()}], {}),
    "native types": (NATIVE, {"natives": True}),
    "native types, other formats": (NATIVE, OTHER_FORMATS),
    "native types, sorted and indented": (NATIVE, {"natives": True, "sort_keys": True, "indent": 1}),
    "native keys": (dict.fromkeys(NATIVE[:6], 1), {"natives": True}),
    "native key that is none": ({frozenset(): 1}, {"natives": True}),
    "native type that is off": ([NATIVE, b"a"], {"natives": True, "bytes": None}),
    "zone raises": ([datetime(2026, 1, 2, tzinfo=RaisingZone())], {"natives": True}),
    "bytes are no text": ([b"\xff"], {"natives": True}),
    "property raises": ([RaisingModel()], {"natives": True}),
    "iterator raises": ({"a": map(raising, (1, 2))}, {"natives": True}),
    "attribute missing": ([object.__new__(Model), object.__new__(UUID)], {"natives": True}),
    "int beyond 53 bits": ([2**53, {2**60: 1}], {"int53": "error"}),
    "int beyond 53 bits as text": ([2**53, {2**60: 10**30}], {"int53": "str"}),
    "html": (["<é\u2028>" * 500, {"&": 1}], {"html_safe": True, "append_newline": True}),
    "surrogates": (["\ud800" * 50, "é\udfff", {"\udc00": 1}], {"escape_surrogates": True, "append_newline": True}),
    "html layout": ([1], {"html_safe": True, "indent": "<"}),
    "fragments": ([_core.Fragment("é" * 50), {"k": _core.Fragment(b"[1]" * 50)}], {"ensure_ascii": True}),
    "fragment is no text": ([_core.Fragment(b"\xff")], {"ensure_ascii": True}),
    "unknown format": ([1], {"bytes": "base32"}),
    "plans": ([Planned(a=["é"], b={"x": None}), Planned(b=1, a=2), Planned()], {"models": True}),
    "plans, by alias": ([Planned(a=["é"], b={"x": None})], {"models": True, "by_alias": True, "exclude_none": True}),
    "items left out": ([{"a": None, "é" * 5: [1]}, {"b": None}, Point(None, UserDict(a=None))], EXCLUDING),
    "items left out, sorted": ([{"b": None, "a": [1]}, {2: None, "a": 1}], {"exclude_none": True, "sort_keys": True}),
    "namedtuple is refused": ([{"a": RefusedPoint(1, 2)}], {"namedtuple_as_object": True}),
    "defaults left out": ([Defaults(), Defaults([], "x" * 5)], {"dataclass": True, "omit_defaults": True}),
    "option of another library": ([1], {"enc_hook": None}),
    "plan that is refused": ([Planned(a=1, b=2), WrongPlan()], {"models": True}),
}
DECODED: dict[str, Any] = {
    "rows": ROWS,
    "bytes": ROWS.encode(),
    "utf-16": ROWS.encode("utf-16"),
    "byte order mark": ROWS.encode("utf-8-sig"),
    "long": f'["{"中" * 100_000}", "{"a" * 100_000}"]',
    "big ints": f"[{'9' * 4000}, -{'1' * 30}]",
    "duplicate keys": '{"a":[1],"a":[2],"a":[3]}',
    "long keys": f'{{"{"k" * 1000}":1,"{"é" * 1000}":[]}}',
    "deep": "[" * 1000 + "]" * 1000,
    "deep and unclosed": '[{"a":' * 1000,
    "unterminated": '[{"a":["é", "x',
    "cut": ROWS[:-5],
    "escape": '[{"a":["é","\\x"]}]',
    "extra data": f"{ROWS} 1",
    "no value": '{"a":[1,{"b":}]}',
    "no key": '{"a":[1],2:3}',
    "digit limit": f"[[1], {'9' * 5000}]",
    "invalid UTF-8": b'[{"a":["x"]}, "\xff"]',
    "wrong type": 5,
    "no loads argument": None,
}
DECODE_OPTIONS: dict[str, dict[str, Any]] = {
    "hooks": dict.fromkeys(("object_hook", "array_hook", "parse_int", "parse_float", "parse_constant"), lambda v: [v]),
    "pairs": {"object_pairs_hook": lambda pairs: [*pairs], "strict": False},
    "object hook raises": {"object_hook": raising},
    "pairs hook raises": {"object_pairs_hook": raising},
    "array hook raises": {"array_hook": raising},
    "parse_int raises": {"parse_int": raising},
    "parse_float raises": {"parse_float": raising},
    "refusals": {"duplicate_keys": "error", "allow_nan": False, "allow_surrogates": False},
    "depth": {"max_depth": 2},
    "size": {"max_size": 100},
    "wrong hook": {"object_hook": len, "parse_int": 5},
    "wrong limit": {"object_hook": len, "max_depth": 0},
    "unknown": {"duplicate_keys": "first"},
}


def call_all(call: Callable[[], Any], n_calls: int) -> None:
    for _ in range(n_calls):
        call()


def settle() -> None:
    """Free what the interpreter itself keeps: garbage, and the names in its cache of attribute look-ups."""
    gc.collect()
    clear = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache
    clear()


def least_growth(call: Callable[[], Any], n_calls: int, measure: Callable[[], int], limit: int) -> int:
    """What n calls add to a measure: up to three tries, because the interpreter's own caches fill up."""
    call_all(call, 10)
    grown: list[int] = []
    while len(grown) < 3 and min(grown, default=limit) >= limit:
        settle()
        before = measure()
        call_all(call, n_calls)
        settle()
        grown.append(measure() - before)
    return min(grown)


def traced_bytes() -> int:
    """Of every allocator of the interpreter, the raw one too."""
    return tracemalloc.get_traced_memory()[0]


def assert_no_growth(call: Callable[[], Any]) -> None:
    n_blocks = least_growth(call, N_CALLS, sys.getallocatedblocks, NOISE)
    assert n_blocks < NOISE, f"{n_blocks} blocks after {N_CALLS} calls"
    tracemalloc.start()
    try:
        n_bytes = least_growth(call, N_TRACED_CALLS, traced_bytes, N_TRACED_CALLS * 16)
    finally:
        tracemalloc.stop()
    assert n_bytes < N_TRACED_CALLS * 16, f"{n_bytes} bytes after {N_TRACED_CALLS} calls"


@pytest.mark.parametrize("case", ENCODED)
def test_encode_leaves_nothing_allocated(case: str) -> None:
    value, options = ENCODED[case]
    assert_no_growth(lambda: (outcome(_core.dumps, value, **options), outcome(_core.dumps_to_bytes, value, **options)))


@pytest.mark.parametrize("case", ENCODED)
def test_encoder_leaves_nothing_allocated(case: str) -> None:
    value, options = ENCODED[case]

    def call() -> None:
        try:
            encoder = _core.Encoder(**options)
        except (TypeError, ValueError):
            return
        outcome(encoder.encode, value)
        outcome(encoder.encode_lines, [value, value])
        outcome(encoder.encode_into, value, bytearray(b"abc"), 3)
        outcome(list, encoder.iterencode(value, 100))
        for n in range(4):
            chunks = encoder.iterencode([value], 1)
            with contextlib.suppress(StopIteration, TypeError, ValueError, KeyError, AttributeError, BufferError):
                for _ in range(n):
                    next(chunks)

    assert_no_growth(call)


def test_copies_and_reprs_leave_nothing_allocated() -> None:
    def call() -> None:
        things: tuple[Any, ...] = (
            _core.Encoder(natives=True, separators=[", ", ":"], default=raising, sort_keys=1),  # type: ignore[arg-type]
            _core.Decoder(object_hook=raising, max_depth=5),
            _core.Fragment("é" * 50),
        )
        for thing in things:
            for other in (copy.copy(thing), copy.deepcopy(thing), pickle.loads(pickle.dumps(thing, 2))):
                assert repr(other) == repr(thing)
            outcome(pickle.dumps, _core.Encoder(default=lambda other: other))
        assert things[2] == _core.Fragment("é" * 50)
        hash(things[2])

    assert_no_growth(call)


@pytest.mark.parametrize("case", DECODED)
def test_decode_leaves_nothing_allocated(case: str) -> None:
    source = DECODED[case]
    assert_no_growth(lambda: decode_ignoring_errors(source))


@pytest.mark.parametrize("options", DECODE_OPTIONS)
def test_decoder_leaves_nothing_allocated(options: str) -> None:
    chosen = DECODE_OPTIONS[options]
    sources = [DECODED[case] for case in ("deep", "utf-16", "duplicate keys", "cut", "wrong type")]
    sources += [ROWS[:200], ROWS[:300].encode(), b'[{"a": 1, "b": [1.5, -2]}, {"a": 3, "b": []}]']
    sources += ['[NaN, 1.5, {"a": "\\ud800"}]', "\ufeff1", '{"é": {"a": 1, "中": 1, "é": 2, "中": []}}']

    def call() -> None:
        for source in sources:
            call_ignoring_errors(_core.loads, source, **chosen)
        try:
            decoder = _core.Decoder(**chosen)
        except (TypeError, ValueError):
            return
        for source in sources[1:]:
            for method in (decoder.decode, decoder.decode_lines, decoder.raw_decode, decoder.feed):
                call_ignoring_errors(method, source)
            if isinstance(source, (str, bytes)):
                call_ignoring_errors(decoder.feed, source[:9])
            call_ignoring_errors(decoder.close)
        call_ignoring_errors(decoder.raw_decode, "é [1]", 2)
        call_ignoring_errors(decoder.raw_decode, "é [1]", 9)
        decoder.feed("never closed")
        call_ignoring_errors(decoder.feed, "é")

    assert_no_growth(call)


def call_ignoring_errors(call: Callable[..., Any], *args: Any, **options: Any) -> None:
    """Call without the repr that `outcome` makes: some values are nested too deeply for one."""
    with contextlib.suppress(TypeError, ValueError, KeyError):
        call(*args, **options)


def decode_ignoring_errors(source: Any) -> None:
    with contextlib.suppress(TypeError, ValueError):
        _core.loads(source)


def test_decode_of_ever_new_keys_keeps_a_bounded_number_of_them() -> None:
    def decode(first: int, n_keys: int) -> None:
        for i in range(first, first + n_keys):
            _core.loads(f'{{"new key {i}": 1, "é{i}": 2, "other {i}": 3}}')

    decode(0, 20_000)
    gc.collect()
    before = sys.getallocatedblocks()
    decode(20_000, 20_000)
    gc.collect()
    n_blocks = sys.getallocatedblocks() - before
    assert n_blocks < 5000, f"{n_blocks} blocks stay after 60000 keys that were seen once"


def test_small_functions_leave_nothing_allocated() -> None:
    def call() -> None:
        _core.get_current_features()
        _core.utf8_cache_size("é")
        _core.write_utf8_cache(False)
        _core._use_level(_core.get_current_features()["level"])
        outcome(_core._use_level, "none")
        outcome(_core.utf8_cache_size, 1)
        _core.scan_utf8_cache(SHARED, CYCLE, Thing(), call, "é")
        _core._audit_utf8_cache([SHARED, CYCLE, Thing(), call, {"ключ": "é"}], 3, 2)

    assert_no_growth(call)


def test_references_to_arguments_are_given_back() -> None:
    def hook(thing: object) -> str:
        return "x"

    key, text, thing, item, colon = "k" * 20, "é" * 20, Thing(), "; " * 2, " = " * 2
    number, real = 2**70, 1.25
    value = {key: [text, thing, number, real, (text,)]}
    objects: list[Any] = [hook, key, text, thing, item, colon, number, real, value, value[key], Thing]

    def call() -> None:
        for encode in (_core.dumps, _core.dumps_to_bytes):
            encode(value, default=hook, separators=(item, colon), indent=1, sort_keys=True)
            outcome(encode, value)
            outcome(encode, [value, "\ud800", {(): thing}], default=hook)

    call()
    before = [sys.getrefcount(thing) for thing in objects]
    call_all(call, 100)
    assert [sys.getrefcount(thing) for thing in objects] == before


def test_references_to_constants_do_not_drift() -> None:
    constants: list[Any] = [None, True, False, 0, 1, "", "a", (), b"", dict, list, str, int, float]
    source = '[null, true, false, 0, 1, "", "a", {"a": null, "b": true}, [], {}]'
    value = _core.loads(source)

    def call() -> None:
        _core.dumps(value)
        _core.dumps_to_bytes(value, default=None, indent=None, separators=None)
        _core.loads(source)
        _core.loads(source.encode())
        decode_ignoring_errors("[null, true, false, 0, 1, {}")
        outcome(_core.dumps, [None, True, Thing])

    call_all(call, 10)
    gc.collect()  # what other tests left in cycles would be counted
    before = [sys.getrefcount(constant) for constant in constants]
    call_all(call, N_CALLS)
    gc.collect()
    after = [sys.getrefcount(constant) for constant in constants]
    for constant, n_before, n_after in zip(constants, before, after, strict=True):
        assert abs(n_after - n_before) < NOISE, f"{constant!r}: {n_before} references, then {n_after}"


def test_utf8_cache_that_was_written_is_freed_with_its_str() -> None:
    def call() -> None:
        _core.dumps_to_bytes(["".join(["中"] * 100), {"".join(["é"] * 100): 1}], is_write_cache=True)

    assert_no_growth(call)
