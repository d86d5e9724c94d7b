"""scan_utf8_cache: what is reached and what is not, what is counted and for whom, and that nothing is touched.

Without the isa fixture: the scan is no part of the codec, and the same at each level.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import gc
import random
import sys
import tracemalloc
import types
import weakref
from collections import ChainMap, Counter, OrderedDict, UserList, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from helpers.cached_strings import cached, fill_cache

from ssrjson_web import _core, scan_utf8_cache

if TYPE_CHECKING:
    from ssrjson_web._core import CacheReport

HERE = __name__
KINDS = {"latin-1": "é", "UCS-2 of two bytes": "ш", "UCS-2 of three bytes": "中", "UCS-4": "😀"}


def holders(*roots: object) -> dict[str, tuple[int, int]]:
    """Bytes and cached strings by holder, once the totals were found to be their sums."""
    report = scan_utf8_cache(*roots)
    by_holder = report["by_holder"]
    assert report["bytes"] == sum(counts["bytes"] for counts in by_holder.values())
    assert report["cached_strings"] == sum(counts["cached_strings"] for counts in by_holder.values())
    assert report["cached_strings"] <= report["strings"] <= report["objects"]
    return {name: (counts["bytes"], counts["cached_strings"]) for name, counts in by_holder.items()}


def found_bytes(*roots: object) -> int:
    holders(*roots)
    return scan_utf8_cache(*roots)["bytes"]


# ---- what is counted --------------------------------------------------------------------------


def test_scan_of_nothing_is_all_zero() -> None:
    nothing: CacheReport = {"bytes": 0, "cached_strings": 0, "strings": 0, "objects": 0, "by_holder": {}}
    assert scan_utf8_cache() == nothing
    assert scan_utf8_cache(1, 2.5, None, True, b"bytes", 10**50, 1j, bytearray(b"x")) == nothing


def test_scan_of_a_keyword_raises_type_error() -> None:
    with pytest.raises(TypeError, match="keyword"):
        scan_utf8_cache(root=[])  # type: ignore[call-arg]


@pytest.mark.parametrize("kind", KINDS)
def test_scan_counts_a_copy_of_each_kind_of_str(kind: str) -> None:
    text = KINDS[kind] * 7
    assert scan_utf8_cache([text]) == {"bytes": 0, "cached_strings": 0, "strings": 1, "objects": 2, "by_holder": {}}
    fill_cache(text)
    n_bytes = len(text.encode()) + 1
    assert scan_utf8_cache([text]) == {
        "bytes": n_bytes,
        "cached_strings": 1,
        "strings": 1,
        "objects": 2,
        "by_holder": {"list": {"bytes": n_bytes, "cached_strings": 1}},
    }


def test_scan_counts_no_copy_of_ascii() -> None:
    text = "".join(["plain ", "ASCII"])
    fill_cache(text)
    assert scan_utf8_cache([text, sys.intern("interned ASCII"), "", "a"])["strings"] == 4
    assert found_bytes([text]) == 0


def test_scan_counts_interned_and_single_character_strings() -> None:
    interned = sys.intern(cached(101))
    assert holders([interned]) == {"list": (101, 1)}
    single = chr(0x4E2D)
    fill_cache(single)
    assert holders([single]) == {"list": (4, 1)}


def test_scan_of_a_str_writes_no_copy() -> None:
    texts = [kind * 9 for kind in KINDS.values()]
    scan_utf8_cache(texts, *texts)
    assert [_core.utf8_cache_size(text) for text in texts] == [0] * len(texts)


def test_scan_str_that_is_a_root_has_the_holder_root() -> None:
    text = cached(20)
    assert holders(text) == {"root": (20, 1)}
    assert holders([text], text, {"a": text}) == {"root": (20, 1)}


def test_scan_shared_string_counts_once() -> None:
    text = cached(33)
    assert scan_utf8_cache([text, text], {"a": text}, (text,))["bytes"] == 33
    assert sum(count for _, count in holders([text, [text]], {text: text}).values()) == 1


def test_scan_equal_strings_count_each() -> None:
    assert holders([cached(9) for _ in range(5)]) == {"list": (45, 5)}


def test_scan_objects_count_once_each() -> None:
    inner: list[Any] = []
    assert scan_utf8_cache([inner, inner, [inner]], inner, inner)["objects"] == 3


def test_scan_holders_are_sorted_by_bytes_then_by_name() -> None:
    root = [[cached(10)], {cached(50)}, deque([cached(20)]), (cached(10),)]
    assert list(holders(root)) == ["set", "collections.deque", "list", "tuple"]


# ---- what is reached --------------------------------------------------------------------------

Pair = namedtuple("Pair", "left right")
CONTAINERS: dict[str, Callable[[str], Any]] = {
    "list": lambda text: [0, text],
    "tuple": lambda text: (0, text),
    "set": lambda text: {0, text},
    "frozenset": lambda text: frozenset({0, text}),
    "dict": lambda text: {0: 1, "a": text},
    "collections.deque": lambda text: deque([0, text]),
    "collections.OrderedDict": lambda text: OrderedDict(a=text),
    "collections.defaultdict": lambda text: defaultdict(list, a=text),
    "collections.Counter": lambda text: Counter([text]),
    f"{HERE}.Pair": lambda text: Pair(0, text),
    "functools.partial": lambda text: functools.partial(print, text),
    "types.SimpleNamespace": lambda text: types.SimpleNamespace(a=text),
    "slice": lambda text: slice(text),
    "ValueError": lambda text: ValueError(text),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_scan_container_is_looked_into(name: str) -> None:
    report = holders(CONTAINERS[name](cached(25)))
    if name == "functools.partial":
        report = {name: report.pop("tuple")} | report  # of its arguments
    if name == "ValueError":
        report = {name: report.pop("tuple")} | report
    assert report == {name: (25, 1)}


@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: types.MappingProxyType({"a": text}),
        lambda text: ChainMap({}, {"a": text}),
        lambda text: UserList([text]),
        lambda text: {"a": text}.items(),
        lambda text: iter([text]),
        lambda text: weakref.WeakValueDictionary({text: test_scan_container_is_looked_into}),
        lambda text: [[text]].__iter__().__next__().__iter__(),
        lambda text: UserList([text]).append,
        lambda text: functools.lru_cache(lambda: 1) and remembering(text),
        lambda text: property(doc=text),
        lambda text: {1: ({2: [[text]]},)},
    ],
)
def test_scan_what_the_collector_can_follow_is_followed(wrap: Callable[[str], Any]) -> None:
    assert found_bytes(wrap(cached(25))) == 25


def remembering(text: str) -> Callable[[int], str]:
    """A cached function that holds a result."""

    @functools.lru_cache
    def remember(number: int) -> str:
        return text + "!"[number:]

    fill_cache(remember(1))  # the very str: nothing is added
    return remember


def test_scan_dict_keys_count_beside_values() -> None:
    assert holders({cached(10): cached(20), 1: cached(30), (cached(40),): 0}) == {"dict": (60, 3), "tuple": (40, 1)}


def test_scan_containers_that_the_collector_has_untracked_are_looked_into() -> None:
    pair, inner = (cached(10), 1), {"a": cached(20)}
    gc.collect()
    gc.collect()
    assert not gc.is_tracked(pair)
    assert found_bytes([pair, inner]) == 30
    assert found_bytes(pair) == 10


class Plain:
    def __init__(self, text: str) -> None:
        self.text = text
        self.number = 1


class Slotted:
    __slots__ = ("text", "unset")

    def __init__(self, text: str) -> None:
        self.text = text


class SlottedMore(Slotted):
    __slots__ = ("__weakref__", "more")

    def __init__(self, text: str, more: str) -> None:
        super().__init__(text)
        self.more = more


class SlotsAndDict(SlottedMore):
    def __init__(self, text: str, more: str, other: str) -> None:
        super().__init__(text, more)
        self.other = other


@dataclass(frozen=True)
class Frozen:
    text: str


@dataclass(slots=True)
class SlottedData:
    text: str
    number: int = 1


@dataclass
class Tree:
    class Leaf:
        def __init__(self, text: str) -> None:
            self.text = text

    leaf: Leaf


def test_scan_attributes_count_for_the_class() -> None:
    assert holders(Plain(cached(10))) == {f"{HERE}.Plain": (10, 1)}
    assert holders([Slotted(cached(11))]) == {f"{HERE}.Slotted": (11, 1)}
    assert holders([SlottedMore(cached(12), cached(13))]) == {f"{HERE}.SlottedMore": (25, 2)}
    assert holders({1: SlotsAndDict(cached(14), cached(15), cached(16))}) == {f"{HERE}.SlotsAndDict": (45, 3)}
    assert holders(Frozen(cached(17))) == {f"{HERE}.Frozen": (17, 1)}
    assert holders(SlottedData(cached(17))) == {f"{HERE}.SlottedData": (17, 1)}
    assert holders(Tree(Tree.Leaf(cached(18)))) == {f"{HERE}.Tree.Leaf": (18, 1)}


def test_scan_attributes_count_for_the_class_where_a_dict_was_made_too() -> None:
    thing = Plain(cached(10))
    name = cached(30)
    vars(thing)[name] = cached(20)
    assert holders(thing) == {f"{HERE}.Plain": (60, 3)}
    assert holders([thing], thing) == {f"{HERE}.Plain": (60, 3)}
    assert holders(vars(thing)) == {"dict": (60, 3)}


def test_scan_dict_that_an_attribute_holds_is_a_dict() -> None:
    thing: Any = Slotted("")
    thing.text = {"a": cached(10)}
    assert holders(thing) == {"dict": (10, 1)}
    other: Any = Plain("")
    other.text = {"a": cached(10)}
    assert holders(other) == {"dict": (10, 1)}


def test_scan_attributes_in_a_subclass_of_dict_are_found() -> None:
    class Attributes(dict[str, Any]):
        pass

    thing = Plain("")
    thing.__dict__ = Attributes(a=cached(10))
    assert found_bytes(thing) == 10


@pytest.mark.parametrize(
    "base", [list, tuple, set, frozenset, dict, deque, OrderedDict, defaultdict, int, float, bytes]
)
def test_scan_subclass_holds_items_and_attributes(base: Any) -> None:
    derived = type("Derived", (base,), {"__module__": "app.models"})
    if issubclass(base, defaultdict):
        thing = derived(None, {cached(10): 1})
    elif issubclass(base, dict):
        thing = derived({cached(10): 1})
    elif issubclass(base, int | float | bytes):
        thing = derived()
    else:
        thing = derived([cached(10)])
    thing.note = cached(20)
    expected = (20, 1) if issubclass(base, int | float | bytes) else (30, 2)
    assert holders([thing]) == {"app.models.Derived": expected}


def test_scan_long_int_and_tuple_subclasses_have_their_attributes_after_their_items() -> None:
    class Number(int):
        pass

    class Items(tuple[Any, ...]):
        pass

    for value in (0, 1, -1, 2**31, -(2**100), 2**1000):
        number = Number(value)
        number.note = cached(10)  # type: ignore[attr-defined]
        assert list(holders(number).values()) == [(10, 1)]
    for length in range(9):
        items = Items([cached(10)] * length)
        items.note = cached(20)  # type: ignore[attr-defined]
        assert found_bytes(items) == 20 + 10 * (length > 0)


def test_scan_str_subclass_is_a_string_and_holds_attributes() -> None:
    class Named(str):
        pass

    class NamedSlots(str):
        __slots__ = ()

    named, bare, plain = Named("ёлка"), NamedSlots("ёлка"), Named("ASCII")
    named.note = cached(10)  # type: ignore[attr-defined]
    for text in (named, bare, plain):
        fill_cache(text)
    n_bytes = len("ёлка".encode()) + 1
    report = holders([named, bare, plain])
    assert report == {"list": (2 * n_bytes, 2), f"{HERE}.{Named.__qualname__}": (10, 1)}


def test_scan_pydantic_models_are_looked_into() -> None:
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    inner = pydantic.create_model("Inner", __module__="app", text=(str, ...))
    outer = pydantic.create_model("Outer", __module__="app", inner=(inner, ...), tags=(list[str], ...))
    model = outer.model_construct(inner=inner.model_construct(text=cached(10)), tags=[cached(20)])
    assert holders(model) == {"list": (20, 1), "app.Inner": (10, 1)}


@pytest.mark.parametrize("is_tracked", [True, False])
def test_scan_msgspec_structs_are_looked_into_though_the_collector_may_not_know_them(is_tracked: bool) -> None:
    msgspec = pytest.importorskip("msgspec", reason="msgspec is not installed")
    base = msgspec.defstruct("Base", [("first", Any)], gc=is_tracked, module="app")
    struct = msgspec.defstruct("Struct", [("second", Any, None)], bases=(base,), gc=is_tracked, module="app")
    assert gc.is_tracked(struct([])) is is_tracked
    assert holders([struct(cached(10), cached(20))]) == {"app.Struct": (30, 2)}
    assert holders(struct([cached(10)])) == {"list": (10, 1)}


# ---- where it ends ----------------------------------------------------------------------------


class Classy:
    label = cached(50)


def generator(text: str) -> Iterator[str]:
    yield text


PROGRAM: dict[str, tuple[Callable[[str], Any], int]] = {
    "class": (lambda text: type("C", (), {"label": text}), 25),
    "function": (lambda text: lambda: text, 25),
    "default": (lambda text: lambda a=text: a, 25),
    "bound builtin": (lambda text: [text].append, 25),
    "generator": (generator, 25 if sys.version_info >= (3, 11) else 0),
    "frame": (lambda text: sys._getframe(), None),
}


@pytest.mark.parametrize("name", PROGRAM)
def test_scan_program_is_looked_into_only_as_root(name: str) -> None:
    make, expected = PROGRAM[name]
    thing = make(cached(25))
    assert scan_utf8_cache([thing], {1: thing}) == scan_utf8_cache([None], {1: None})
    if expected is not None:
        assert found_bytes(thing) == expected


def test_scan_module_is_looked_into_only_as_root_and_leads_to_no_other() -> None:
    module: Any = types.ModuleType("catalogue")
    module.rows = [cached(25)]
    module.title = cached(10)
    module.other = types.ModuleType("other")
    module.other.rows = [cached(40)]
    module.Classy = Classy
    assert holders([module]) == {}
    assert holders(module) == {"list": (25, 1), "module": (10, 1)}
    assert holders(module, Classy) == {"type": (50, 1), "list": (25, 1), "module": (10, 1)}


def test_scan_function_leads_to_what_is_its_own_and_not_to_its_module() -> None:
    code = (lambda: 1).__code__
    function = types.FunctionType(code, {"rows": [cached(99)]}, argdefs=(cached(10),))
    function.__kwdefaults__ = {"a": cached(20)}
    function.note = [cached(30)]  # type: ignore[attr-defined]
    function.title = cached(40)  # type: ignore[attr-defined]
    assert holders(function) == {"function": (40, 1), "list": (30, 1), "dict": (20, 1), "tuple": (10, 1)}


def test_scan_class_leads_to_no_base_and_no_instance_to_its_class() -> None:
    class Derived(Classy):
        own = cached(60)

    assert holders(Derived) == {"type": (60, 1)}
    assert holders(Derived()) == {}


def test_scan_builtins_are_looked_into_only_as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "probe", cached(25), raising=False)
    module: Any = types.ModuleType("module")
    module.__builtins__ = vars(builtins)
    assert holders(module) == {}
    assert holders(builtins) == {"module": (25, 1)}
    assert holders(vars(builtins), module) == {"dict": (25, 1)}


def test_scan_weak_reference_leads_nowhere() -> None:
    thing = Plain(cached(10))
    assert holders(weakref.ref(thing), weakref.WeakValueDictionary({1: thing})) == {}


# ---- names ------------------------------------------------------------------------------------


def test_scan_classes_of_one_name_are_one_holder() -> None:
    things = []
    for n_bytes in (10, 20, 30):
        things.append(type("Same", (), {"__module__": "app", "__slots__": ("text",)})())
        things[-1].text = cached(n_bytes)
    other = type("Other", (), {"__module__": "app"})()
    other.text = cached(15)
    assert holders(things, other) == {"app.Same": (60, 3), "app.Other": (15, 1)}


def test_scan_class_with_an_odd_module_is_named_without_it() -> None:
    class Odd:
        pass

    thing = Odd()
    thing.text = cached(10)  # type: ignore[attr-defined]
    for module in (5, "builtins", None):
        Odd.__module__ = module  # type: ignore[assignment]
        assert list(holders(thing)) == [Odd.__qualname__]
    Odd.__qualname__ = "名"
    Odd.__module__ = "模块"
    assert list(holders(thing)) == ["模块.名"]


def test_scan_many_classes_are_told_apart() -> None:
    things = []
    for number in range(500):
        things.append(type(f"Class{number}", (), {"__module__": "app"})())
        things[-1].text = cached(10 + number)
        things[-1].more = [number]
    report = holders(things)
    assert report == {f"app.Class{number}": (10 + number, 1) for number in reversed(range(500))}
    assert list(report) == [f"app.Class{number}" for number in reversed(range(500))]


# ---- shapes -----------------------------------------------------------------------------------


def test_scan_cycle_ends() -> None:
    root: list[Any] = [cached(10)]
    thing = Plain(cached(20))
    thing.back = [root, thing]  # type: ignore[attr-defined]
    root += [root, {"back": root}, thing]
    assert holders(root) == {f"{HERE}.Plain": (20, 1), "list": (10, 1)}
    assert scan_utf8_cache(root)["objects"] <= 10


@pytest.mark.parametrize("wrap", [lambda x: [x], lambda x: (x,), lambda x: {"a": x}, Slotted], ids="ltds")
def test_scan_nesting_of_any_depth_takes_no_stack(wrap: Callable[[Any], Any]) -> None:
    root: Any = cached(10)
    for _ in range(300_000):
        root = wrap(root)
    report = scan_utf8_cache(root)
    assert report["bytes"] == 10
    assert report["objects"] >= 300_001
    while not isinstance(root, str):  # taken down by hand: not every version can free this
        root = root.text if isinstance(root, Slotted) else next(iter(root.values() if isinstance(root, dict) else root))


def referents(thing: object) -> list[object]:
    return gc.get_referents(thing) + (list(thing) if isinstance(thing, dict) else [])


def walked(root: object) -> tuple[int, int]:
    """Bytes of copies and number of strings, in the slow and obvious way."""
    visited: dict[int, object] = {}
    pending = [root]
    while pending:
        thing = pending.pop()
        if id(thing) not in visited and not isinstance(thing, type):
            visited[id(thing)] = thing
            pending.extend(referents(thing))
    texts = [thing for thing in visited.values() if isinstance(thing, str)]
    return sum(map(_core.utf8_cache_size, texts)), len(texts)


def test_scan_of_any_graph_equals_the_slow_and_obvious_walk() -> None:
    for seed in range(30):
        rng = random.Random(seed)
        pool: list[Any] = [cached(rng.randrange(4, 60)) if rng.random() < 0.5 else "é" * n for n in range(200)]
        mutable: list[Any] = []
        for n in range(rng.choice([10, 300, 3000])):
            items = rng.choices(pool, k=rng.randrange(4))
            keys = [f"k{rng.randrange(50)}{'é' * rng.randrange(2)}" for _ in items]
            kind = rng.randrange(7)
            made: Any = [
                items,
                tuple(items),
                dict(zip(keys, items, strict=True)),
                {n: items},
                deque(items),
                set(keys),
                Plain(items),  # type: ignore[arg-type]
            ][kind]
            pool.append(made)
            if kind in (0, 4):
                mutable.append(made)
        for made in mutable:
            made.append(rng.choice(pool))
        report = scan_utf8_cache(pool)
        assert (report["bytes"], report["strings"]) == walked(pool), seed


def test_scan_of_all_that_the_collector_knows_finds_what_is_in_it(whole_heap: None) -> None:
    import asyncio

    async def coroutine() -> int:
        held = [cached(103)]
        await asyncio.sleep(0)
        return len(held)

    suspended, probe = coroutine(), [cached(101)]
    suspended.send(None)
    running = (scan_utf8_cache(*gc.get_objects()) for _ in range(1))
    with contextlib.closing(suspended):
        before = next(running)
        probe.append(cached(1009))
        after = scan_utf8_cache(*gc.get_objects())
    assert after["strings"] > 10_000
    assert before["bytes"] + 1009 <= after["bytes"]
    assert before["bytes"] > 101


# ---- that nothing is touched ------------------------------------------------------------------


def test_scan_runs_no_code_of_the_objects() -> None:
    def fail(*_: object) -> Any:
        raise AssertionError("code of the object was run")

    names = ("getattribute", "getattr", "iter", "len", "eq", "hash", "repr", "contains", "getitem", "class", "sizeof")
    for base in (object, list, dict, set, tuple, str):
        hostile_type = type("Hostile", (base,), {f"__{name}__": fail for name in names})
        thing = base.__new__(hostile_type)
        object.__setattr__(thing, "text", cached(10))
        assert holders(thing) == holders([thing]) == {f"{HERE}.Hostile": (10, 1)}

    class Key:
        __hash__ = object.__hash__

        def __init__(self) -> None:
            self.text = cached(20)

        def __eq__(self, other: object) -> bool:
            raise AssertionError("compared")

    assert found_bytes({Key(): 1, Key(): 2}, {Key()}) == 60

    class Meta(type):
        def __getattribute__(cls, name: str) -> Any:
            raise AssertionError(name)

    thing = Meta("Made", (), {"__slots__": ("text",), "__module__": "app"})()
    object.__setattr__(thing, "text", cached(30))
    assert holders(thing) == {"app.Made": (30, 1)}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="instances always have a dict")
def test_scan_makes_no_dicts_for_inline_attributes() -> None:
    things = [Plain("é" * 5) for _ in range(10_000)]
    assert not any(isinstance(held, dict) for held in gc.get_referents(things[0]))
    scan_utf8_cache(things)
    before = sys.getallocatedblocks()
    assert scan_utf8_cache(things)["objects"] > 10_000
    assert sys.getallocatedblocks() - before < 100
    assert not any(isinstance(held, dict) for held in gc.get_referents(*things))


def test_scan_takes_a_few_bytes_of_memory_an_object() -> None:
    root = [[number] for number in range(200_000)]
    tracemalloc.start()
    try:
        scan_utf8_cache(root)
        n_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n_bytes < 200_000 * 51  # no two objects within 512 bytes: see address_set.h; else far less
