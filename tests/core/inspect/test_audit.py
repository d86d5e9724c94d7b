"""_audit_utf8_cache through ssrjson_web.audit: where strings are found, what is counted, and that nothing is touched.

What is reached is what scan_utf8_cache reaches, which test_scan.py holds against a slow and obvious walk.
"""

from __future__ import annotations

import gc
import random
import sys
import types
from collections import Counter, OrderedDict, UserList, defaultdict, deque, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from helpers.cached_strings import cached, fill_cache, plain

from ssrjson_web import _core, scan_utf8_cache
from ssrjson_web._cli.audit import Audit, Copies, audit

HERE = __name__


def paths(root: object, **options: int) -> dict[str, int]:
    """The bytes that copies could take at most, by path; once the sums were found to be those of a scan."""
    found = audited(root, **options)
    return {path: copies.most_bytes for path, copies in found.by_path.items()}


def audited(root: object, **options: int) -> Audit:
    found = audit(root, name="root", **options)
    report = scan_utf8_cache(root)
    assert (found.strings, found.objects) == (report["strings"], report["objects"])
    assert (found.total.bytes, found.total.strings) == (report["bytes"], report["cached_strings"])
    for lines in (found.by_path, found.by_type):
        assert sum(lines.values(), Copies()) == found.total
        assert list(lines.values()) == sorted(lines.values(), key=lambda copies: -copies.most_bytes)
    return found


# ---- paths ------------------------------------------------------------------------------------

Pair = namedtuple("Pair", "left right")


class Plain:
    def __init__(self, text: Any, more: Any = None) -> None:
        self.text = text
        self.more = more


class Slotted:
    __slots__ = ("text", "unset")

    def __init__(self, text: Any) -> None:
        self.text = text


class SlotsAndDict(Slotted):
    def __init__(self, text: Any, more: Any) -> None:
        super().__init__(text)
        self.more = more


@dataclass(slots=True)
class SlottedData:
    text: Any


class Named(str):
    pass


def attributed(base: Any, *args: Any) -> Any:
    thing = type("Derived", (base,), {})(*args)
    thing.note = cached(20)
    return thing


STEPS: dict[str, tuple[Callable[[str], Any], str]] = {
    "root": (lambda text: text, "root"),
    "list": (lambda text: [0, text], "root[*]"),
    "tuple": (lambda text: (0, text), "root[*]"),
    "namedtuple": (lambda text: Pair(0, text), "root[*]"),
    "set": (lambda text: {0, text}, "root[*]"),
    "frozenset": (lambda text: frozenset({0, text}), "root[*]"),
    "deque": (lambda text: deque([0, text]), "root[*]"),
    "dict": (lambda text: {"a": 1, "b": text}, "root['b']"),
    "dict with a key to be quoted": (lambda text: {"it's\n": text}, 'root["it\'s\\n"]'),
    "dict with other keys": (lambda text: {0: 1, "a": 2, 5: text}, "root[*]"),
    "dict with keys of a subclass": (lambda text: {Named("a"): text}, "root[*]"),
    "key": (lambda text: {text: 1}, "root.keys()"),
    "key in a tuple": (lambda text: {(1, text): 1}, "root.keys()[*]"),
    "OrderedDict": (lambda text: OrderedDict(a=text), "root['a']"),
    "defaultdict": (lambda text: defaultdict(list, a=text), "root['a']"),
    "Counter": (lambda text: Counter([text]), "root.keys()"),
    "attribute": (Plain, "root.text"),
    "second attribute": (lambda text: Plain(1, text), "root.more"),
    "slot": (Slotted, "root.text"),
    "slot of a dataclass": (SlottedData, "root.text"),
    "slot of a base": (lambda text: SlotsAndDict(text, 1), "root.text"),
    "attribute beside slots": (lambda text: SlotsAndDict(1, text), "root.more"),
    "simple namespace": (lambda text: types.SimpleNamespace(a=text), "root.a"),
    "wrapper": (lambda text: UserList([text]), "root.data[*]"),
    "proxy": (lambda text: types.MappingProxyType({"a": text}), "root.*['a']"),
    "iterator": (lambda text: iter([text]), "root.*[*]"),
    "closure": (lambda text: lambda: text, "root.*[*].*"),
    "class": (lambda text: type("C", (), {"label": text}), "root.label"),
    "far": (lambda text: {"a": [Plain({"b": (text,)})]}, "root['a'][*].text['b'][*]"),
}


@pytest.mark.parametrize("name", STEPS)
def test_audit_names_the_way_to_a_string(name: str) -> None:
    make, path = STEPS[name]
    assert paths(make(cached(25))) == {path: 25}
    assert paths(make(plain(27))) == {path: 27}


def test_audit_of_a_module_names_its_globals() -> None:
    module: Any = types.ModuleType("catalogue")
    module.rows = [cached(25)]
    module.other = types.ModuleType("other")
    module.other.rows = [cached(40)]
    assert paths(module) == {"root.rows[*]": 25}


def test_audit_attributes_of_a_builtin_subclass_are_named_beside_its_items() -> None:
    assert paths(attributed(list, [cached(10)])) == {"root.note": 20, "root[*]": 10}
    assert paths(attributed(dict, {"a": cached(10)})) == {"root.note": 20, "root['a']": 10}
    assert paths(attributed(set, {cached(10)})) == {"root.note": 20, "root[*]": 10}
    assert paths(attributed(tuple, (cached(10),))) == {"root.note": 20, "root[*]": 10}
    assert paths(attributed(str, cached(10))) == {"root.note": 20, "root": 10}
    assert paths(attributed(int, 5)) == {"root.note": 20}


def instances() -> list[tuple[Any, dict[str, int]]]:
    """Objects of one class whose attributes came and went in several ways, and what each holds."""

    class Thing:
        pass

    things: list[Any] = [Thing() for _ in range(8)]
    for thing in things[:-1]:
        thing.a, thing.b, thing.c = cached(10), cached(20), cached(30)
    del things[1].b
    things[2].d = cached(40)
    vars(things[3])
    vars(things[4])["no identifier"] = cached(50)
    things[5].__dict__ = {"a": cached(60)}
    del things[6].a
    things[6].a = cached(70)
    things[7].c, things[7].a = cached(11), cached(12)
    usual = {"a": 10, "b": 20, "c": 30}
    held = [usual, {"a": 10, "c": 30}, usual | {"d": 40}, usual, usual | {"no identifier": 50}]
    held += [{"a": 60}, usual | {"a": 70}, {"a": 12, "c": 11}]
    return list(zip(things, held, strict=True))


def test_audit_attributes_have_their_names_however_they_are_kept() -> None:
    expected: Counter[str] = Counter()
    things = instances()
    for thing, held in things:
        assert paths(thing) == {f"root.{name}": n_bytes for name, n_bytes in held.items()}
        expected.update({f"root[*].{name}": n_bytes for name, n_bytes in held.items()})
    assert paths([thing for thing, _ in things]) == expected


@pytest.mark.parametrize("count", [1, 5, 6, 7, 29, 30, 31, 100])
def test_audit_many_attributes_are_all_named(count: int) -> None:
    things = [type("Wide", (), {})() for _ in range(2)]
    for thing in things:
        for number in range(count):
            setattr(thing, f"a{number}", cached(10 + number))
    assert paths(things, keys=3) == {f"root[*].a{number}": 2 * (10 + number) for number in reversed(range(count))}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="instances always have a dict")
def test_audit_makes_no_dicts_for_inline_attributes() -> None:
    things = [Plain("é" * 5) for _ in range(10_000)]
    assert paths(things) == {"root[*].text": 11}  # a constant, shared by all
    assert not any(isinstance(held, dict) for held in gc.get_referents(*things))


def test_audit_msgspec_structs_and_pydantic_models_have_named_fields() -> None:
    msgspec = pytest.importorskip("msgspec", reason="msgspec is not installed")
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    for is_tracked in (True, False):
        struct = msgspec.defstruct("Struct", [("first", Any), ("second", Any)], gc=is_tracked)
        assert paths([struct(cached(10), cached(20))]) == {"root[*].second": 20, "root[*].first": 10}
    model = pydantic.create_model("Model", text=(str, ...), tags=(list[str], ...))
    assert paths(model.model_construct(text=cached(10), tags=[cached(20)])) == {"root.tags[*]": 20, "root.text": 10}


# ---- what is counted, and where ---------------------------------------------------------------


@pytest.mark.parametrize("sample", ["é", "ш", "中", "😀", "aé", "中a", "a😀中é", "\x80", "\u07ff", "\u0800", "\uffff"])
def test_audit_growth_is_what_filling_the_copies_then_takes(sample: str) -> None:
    texts = [sample * count for count in (2, 3, 17, 1000)]
    before = audited({"texts": texts, "ascii": ["plain", ""]})
    assert before.total.bytes == before.total.strings == 0
    for text in texts:
        fill_cache(text)
    after = audited({"texts": texts})
    assert (after.total.bytes, after.total.strings) == (before.total.more_bytes, before.total.more_strings)
    assert (after.total.more_bytes, after.total.more_strings) == (0, 0)
    assert before.strings == after.strings + 3  # "ascii" and what is in it


def test_audit_string_with_a_surrogate_can_get_no_copy() -> None:
    texts = [chr(0xD800) * 2, "中" + chr(0xDFFF), "😀" + chr(0xDC00)]
    assert paths(texts) == {}
    with pytest.raises(UnicodeEncodeError):
        fill_cache(texts[0])


def test_audit_writes_no_copy() -> None:
    texts = [kind * 9 for kind in ("é", "ш", "中", "😀")]
    audited([texts])
    assert [_core.utf8_cache_size(text) for text in texts] == [0] * 4


def test_audit_counts_a_shared_string_once_and_by_the_shortest_way() -> None:
    text, deep = cached(33), [[[cached(44)]]]
    assert paths({"a": [[text]], "b": [text], "c": [text]}) == {"root['b'][*]": 33}
    assert paths([{"deep": deep, "again": deep[0]}, deep[0][0]]) == {"root[*][*]": 44}


def test_audit_of_cached_and_plain_strings_in_one_place() -> None:
    found = audited({"a": [cached(10), cached(11), plain(21)], "b": [plain(100)]})
    assert found.by_path == {
        "root['b'][*]": Copies(more_bytes=100, more_strings=1),
        "root['a'][*]": Copies(bytes=21, strings=2, more_bytes=21, more_strings=1),
    }
    assert found.by_type == {"list": Copies(bytes=21, strings=2, more_bytes=121, more_strings=2)}


def test_audit_types_are_those_that_hold_the_strings() -> None:
    root = [Plain(cached(10)), Slotted(plain(20)), {"a": cached(30)}, (cached(40),)]
    expected = {"tuple": 40, "dict": 30, f"{HERE}.Slotted": 20, f"{HERE}.Plain": 10}
    by_type = audited(root).by_type
    assert {name: copies.most_bytes for name, copies in by_type.items()} == expected
    assert audited(cached(10)).by_type.keys() == {"root"}


def test_audit_holders_of_several_types_share_a_path() -> None:
    assert paths([Plain(cached(10)), Slotted(cached(20))]) == {"root[*].text": 30}


# ---- summaries --------------------------------------------------------------------------------


def test_audit_dict_with_many_keys_is_a_table() -> None:
    records = {f"k{number}": {"name": cached(10)} for number in range(5)}
    assert paths(records, keys=4) == {"root[*]['name']": 50}
    assert paths(records, keys=5) == {f"root['k{number}']['name']": 10 for number in range(5)}


def test_audit_many_dicts_with_other_keys_each_are_a_table() -> None:
    records = [{f"k{number}": cached(10), "same": cached(20)} for number in range(100)]
    assert paths(records, keys=20) == {"root[*][*]": 3000}
    assert len(paths(records, keys=101)) == 101


def test_audit_with_no_keys_names_none() -> None:
    assert paths({"a": {"b": cached(10)}}, keys=0) == {"root[*][*]": 10}


def test_audit_below_the_depth_is_one_place() -> None:
    root = {"a": {"b": {"c": cached(10), "d": {"e": cached(20)}}, "f": cached(30)}}
    assert paths(root, depth=2) == {"root['a']['b']...": 30, "root['a']['f']": 30}
    assert paths(root, depth=1) == {"root['a']...": 60}
    assert paths(root, depth=0) == {"root...": 60}
    assert paths(cached(10), depth=0) == {"root": 10}
    assert audited(root, depth=0).by_type == {"dict": Copies(bytes=60, strings=3)}


@pytest.mark.parametrize("wrap", [lambda x: [x], lambda x: (x,), lambda x: {"a": x}, Slotted, Plain], ids="ltdsp")
def test_audit_nesting_of_any_depth_takes_no_stack(wrap: Callable[[Any], Any]) -> None:
    root: Any = cached(10)
    for _ in range(500_000):
        root = wrap(root)
    for depth in (0, 12, 100):
        (path,) = paths(root, depth=depth)
        assert path.endswith("...")
    while not isinstance(root, str):  # taken down by hand: not every version can free this
        root = root.text if hasattr(root, "text") else next(iter(root.values() if isinstance(root, dict) else root))


def test_audit_has_a_bounded_number_of_places() -> None:
    def tree(depth: int) -> Any:
        return {f"k{number}": tree(depth - 1) for number in range(18)} if depth else cached(10)

    found = audited(tree(4), keys=18)  # 18**4 is 104,976
    assert 10_000 < len(found.by_path) < 66_000
    assert found.by_path["root..."].bytes > 0
    assert found.total.bytes == 10 * 18**4


@pytest.mark.parametrize(("option", "value"), [("depth", -1), ("keys", -1), ("depth", 101), ("keys", 2**32)])
def test_audit_option_out_of_range_raises_value_error_with_its_name(option: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{option} must be between 0 and [0-9]+, not {value}"):
        audit([], **{option: value})  # type: ignore[arg-type]


# ---- any graph --------------------------------------------------------------------------------


def test_audit_of_any_graph_reaches_what_a_scan_does() -> None:
    for seed in range(30):
        rng = random.Random(seed)
        pool: list[Any] = [rng.choice([cached, plain])(rng.randrange(4, 60)) for _ in range(200)]
        pool += [f"ASCII {number}" for number in range(9)]
        mutable: list[Any] = []
        for n in range(rng.choice([10, 300, 3000])):
            items = rng.choices(pool, k=rng.randrange(4))
            keys = [f"k{rng.randrange(50)}{'é' * rng.randrange(2)}" for _ in items]
            made: Any = [
                items,
                tuple(items),
                dict(zip(keys, items, strict=True)),
                {n: items},
                deque(items),
                set(keys),
                Plain(items, keys),
                Slotted(items),
                SlotsAndDict(items, n),
            ][rng.randrange(9)]
            pool.append(made)
            if isinstance(made, list | deque):
                mutable.append(made)
        for made in mutable:
            made.append(rng.choice(pool))
        audited(pool, depth=rng.choice([0, 1, 5, 50]), keys=rng.choice([0, 3, 100]))


def test_audit_of_all_that_the_collector_knows_reaches_what_a_scan_does(whole_heap: None) -> None:
    everything = gc.get_objects()
    found = audit(everything)
    assert found.strings > 10_000
    # objects that the first call made, and that are gone since: more of them in a process with more modules
    assert abs(found.strings - scan_utf8_cache(everything)["strings"]) < found.strings / 100


# ---- that nothing is touched ------------------------------------------------------------------


def test_audit_runs_no_code_of_the_objects() -> None:
    def fail(*_: object) -> Any:
        raise AssertionError("code of the object was run")

    names = ("getattribute", "getattr", "iter", "len", "eq", "hash", "repr", "contains", "getitem", "class", "sizeof")
    for base in (object, list, dict, set, tuple, str):
        hostile_type = type("Hostile", (base,), {f"__{name}__": fail for name in names})
        thing = base.__new__(hostile_type)
        object.__setattr__(thing, "text", cached(10))
        assert paths([thing]) == {"root[*].text": 10}

    class Key(str):
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            raise AssertionError("compared")

    assert paths([{Key("a"): cached(20)}, {Key("a"): cached(30)}]) == {"root[*][*]": 50}

    class Meta(type):
        def __getattribute__(cls, name: str) -> Any:
            raise AssertionError(name)

    thing = Meta("Made", (), {"__slots__": ("text",), "__module__": "app"})()
    object.__setattr__(thing, "text", cached(30))
    assert audited(thing).by_type.keys() == {"app.Made"}
