"""Every kind of value, wherever it can stand: what leaves the fast path must come back to it and lose nothing.

A sample is a value of one kind with the options that write it, and the plain value that has the same text. It is put
at every place of long containers of each kind, in each layout, and held against the reference's text of the plain one.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import types
import uuid
from collections import OrderedDict, UserDict, deque, namedtuple
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import pytest
from helpers import all_outputs, reference_codec
from helpers.builds import IS_FREE_THREADED
from helpers.call_outcome import outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import Fragment, _core

pytestmark = pytest.mark.usefixtures("isa")

LARGE = 2**60
HUGE = 10**40


class Text(str):
    pass


class Number(int):
    pass


class Real(float):
    pass


class Items(list[Any]):
    pass


class OwnItems(list[Any]):
    def __iter__(self) -> Any:
        return iter(["own", {"a": 1}])


class OwnPairs(dict[str, Any]):
    def items(self) -> Any:
        return [("own", 1), ("b", [2])]


class Colour(enum.Enum):
    RED = ("r", [1], {"g": 2})


class Level(enum.IntEnum):
    HIGH = LARGE


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = None


@dataclasses.dataclass
class Slotted:
    __slots__ = ("x", "y")
    x: Any
    y: Any


class Odd:
    """Known to no option."""


class Instance:
    """Its `__dict__` shares its keys with those of others."""

    def __init__(self, value: Any) -> None:
        self.a = 1
        self.value = value
        self.z = [2]


Pair = namedtuple("Pair", "a b")
ZONE = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
UUID = uuid.UUID("12345678-1234-5678-1234-567812345678")

Sample = tuple[Callable[[], Any], Any, dict[str, Any]]
"""How to make the value, the plain one, and the options."""


def own_pairs() -> Any:
    pairs = OwnPairs()
    pairs["hidden"] = 0
    return pairs


def hook(_value: object) -> Any:
    return {"hooked": [1, {"deep": "é"}]}


HOOKED = hook(None)
NATIVES: dict[str, Any] = {"natives": True}
VALUES: dict[str, Sample] = {
    "str": (lambda: "plain", "plain", {}),
    "latin-1": (lambda: "é\n", "é\n", {}),
    "UCS-2": (lambda: "中" * 70, "中" * 70, {}),
    "UCS-4": (lambda: "😀", "😀", {}),
    "long str": (lambda: "x" * 5000, "x" * 5000, {}),
    "int": (lambda: 5, 5, {}),
    "int of 64 bits": (lambda: -LARGE, -LARGE, {}),
    "int beyond": (lambda: HUGE, HUGE, {}),
    "int53": (lambda: LARGE, str(LARGE), {"int53": "str"}),
    "int53 beyond 64 bits": (lambda: -HUGE, str(-HUGE), {"int53": "str"}),
    "int53 of a subclass": (lambda: Number(LARGE), str(LARGE), {"int53": "str"}),
    "int53 of an enum": (lambda: Level.HIGH, str(LARGE), {"int53": "str"}),
    "int53 of the hook": (
        Odd,
        [str(LARGE), {"a": str(HUGE)}],
        {"int53": "str", "default": lambda _: [LARGE, {"a": HUGE}]},
    ),
    "float": (lambda: 1.5, 1.5, {}),
    "NaN": (lambda: float("nan"), None, {"nan_as_null": True}),
    "constants": (lambda: [True, None, False], [True, None, False], {}),
    "str subclass": (lambda: Text("é"), "é", {}),
    "int subclass": (lambda: Number(7), 7, {}),
    "int subclass beyond": (lambda: Number(HUGE), HUGE, {}),
    "float subclass": (lambda: Real(2.5), 2.5, {}),
    "list subclass": (lambda: Items([1, [2]]), [1, [2]], {}),
    "list with its own iteration": (lambda: OwnItems([0]), ["own", {"a": 1}], {}),
    "namedtuple": (lambda: Pair(1, [2]), [1, [2]], {}),
    "OrderedDict": (lambda: OrderedDict(b=1, a=[2]), {"b": 1, "a": [2]}, {}),
    "dict with its own items": (own_pairs, {"own": 1, "b": [2]}, {}),
    "empty containers": (lambda: [[], {}, ()], [[], {}, []], {}),
    "hook": (Odd, HOOKED, {"default": hook}),
    "hook twice": (Odd, [HOOKED], {"default": lambda value: [Fragment("1")] if value is None else [HOOKED]}),
    "fragment": (lambda: Fragment('{"a":["é"]}'), {"a": ["é"]}, {"is_compact": True}),
    "datetime": (lambda: datetime.datetime(2026, 1, 2, 3, 4, 5, 6, ZONE), "2026-01-02T03:04:05.000006+05:30", NATIVES),
    "date": (lambda: datetime.date(2026, 1, 2), "2026-01-02", NATIVES),
    "time": (lambda: datetime.time(1, 2), "01:02:00", NATIVES),
    "timedelta": (lambda: datetime.timedelta(days=1), "P1D", NATIVES),
    "seconds": (lambda: datetime.timedelta(seconds=90), 90.0, {"timedelta": "seconds"}),
    "UUID": (lambda: UUID, str(UUID), NATIVES),
    "enum": (lambda: Colour.RED, ["r", [1], {"g": 2}], NATIVES),
    "enum's name": (lambda: Colour.RED, "RED", {"enum": "name"}),
    "Decimal": (lambda: Decimal("1.50"), "1.50", {"decimal": "str"}),
    "Decimal beyond": (lambda: Decimal(HUGE), str(HUGE), {"decimal": "str"}),
    "Decimal as float": (lambda: Decimal("1.5"), 1.5, {"decimal": "float"}),
    "bytes": (lambda: b"\x00\xff", "AP8=", {"bytes": "base64"}),
    "dataclass": (lambda: Point([1], {"a": 2}), {"x": [1], "y": {"a": 2}}, NATIVES),
    "dataclass of slots": (lambda: Slotted(LARGE, [2]), {"x": LARGE, "y": [2]}, NATIVES),
    "dataclass with int53": (
        lambda: Point(LARGE, [Slotted(LARGE, {"a": 1})]),
        {"x": str(LARGE), "y": [{"x": str(LARGE), "y": {"a": 1}}]},
        NATIVES | {"int53": "str"},
    ),
    "model": (lambda: Point(LARGE, [LARGE]), {"x": LARGE, "y": [LARGE]}, {"models": True}),
    "set": (lambda: {5}, [5], NATIVES),
    "deque": (lambda: deque([1, [2]]), [1, [2]], NATIVES),
    "iterator": (lambda: iter([1, [LARGE], {"a": 1}]), [1, [LARGE], {"a": 1}], NATIVES),
    "mapping": (lambda: UserDict(a=[1]), {"a": [1]}, NATIVES),
    "mapping proxy": (lambda: types.MappingProxyType({"a": [1]}), {"a": [1]}, NATIVES),
    "path": (lambda: PurePosixPath("/a/b"), "/a/b", NATIVES),
}
KEYS: dict[str, Sample] = {
    "int key": (lambda: 5, "5", {}),
    "int key beyond": (lambda: HUGE, str(HUGE), {}),
    "int53 key": (lambda: LARGE, str(LARGE), {"int53": "str"}),
    "float key": (lambda: 1.5, "1.5", {}),
    "None key": (lambda: None, "null", {}),
    "bool key": (lambda: True, "true", {}),
    "str subclass key": (lambda: Text("é"), "é", {}),
    "int subclass key": (lambda: Number(HUGE), str(HUGE), {}),
    "datetime key": (lambda: datetime.date(2026, 1, 2), "2026-01-02", NATIVES),
    "UUID key": (lambda: UUID, str(UUID), NATIVES),
    "enum key": (lambda: Colour.RED, "RED", {"enum": "name"}),
    "Decimal key": (lambda: Decimal("1.50"), "1.50", {"decimal": "str"}),
    "skipped key": (lambda: (1, 2), None, {"skipkeys": True}),
    "UCS-4 key": (lambda: "😀" * 40, "😀" * 40, {}),
}
LAYOUTS: tuple[dict[str, Any], ...] = (
    {},
    {"indent": 2},
    {"separators": (", ", " : ")},
    {"separators": ("，", ": "), "ensure_ascii": True},
    {"indent": "\t", "ensure_ascii": True},
    {"html_safe": True, "append_newline": True, "check_circular": False},
)


def with_hole(v: Callable[[], Any]) -> dict[str, Any]:
    """A dict from which an entry was deleted."""
    members = {"a": 1, "gone": 0, "v": v(), "b": [2], "w": v(), "c": 3}
    del members["gone"]
    return members


def places(v: Callable[[], Any], *, is_plain: bool = False) -> Any:
    """A document with the value at the first, an inner and the last place of each kind of container."""
    learnt = json.loads if is_plain else _core.loads
    rows = [learnt('{"a": 1, "v": 2, "b": [3], "c": {"d": 4}}') for _ in range(3)]
    for row in rows:
        row["v"] = v()
    return {
        "first": v(),
        "str": "é",
        "dict": {"v": v(), "a": 1, "b": {"v": v()}, "c": [v(), 1, v()], "d": {}, "e": v()},
        "then": v(),
        "list": [2],
        "next": v(),
        "int": 3,
        "tuple": (v(), 1, [v()], {"v": v()}, v()),
        "instances": [vars(Instance(v())) for _ in range(3)],
        "rows": rows,
        "hole": with_hole(v),
        "run of values": [v() for _ in range(18)],
        "ints": [1, 2, 3, 4, 5, v(), 6, 7, 8, 9, 10, v()],
        "floats": [0.5] * 5 + [v()] + [1.5] * 5 + [v(), 2.5],
        "constants": [True] * 5 + [v()] + [None] * 5 + [v(), False],
        "coordinates": [[1.5, 2.5]] * 3 + [v()] + [[3.5]] * 2 + [v()],
        "deep": {"a": {"b": [{"c": (v(), [v()])}, v()], "d": 1}, "e": 2},
        "last but one": v(),
        "end": [],
        "last": v(),
    }


def keyed(key: Any, place: int, n: int) -> dict[Any, Any]:
    """n entries, of which the one at a place has the key; its value is a container."""
    names = ["a", "é", "中", "b", "c", "d", "e"]
    return {(key if i == place else names[i]): ({"k": [i]} if i % 2 else i) for i in range(n)}


def keyed_by(make: Callable[[], Any], place: int, n: int) -> dict[Any, Any]:
    return keyed(make(), place, n)


def is_written_compactly(options: dict[str, Any], layout: dict[str, Any]) -> bool:
    """Whether a Fragment's text, which no layout changes, is what the layout gives."""
    return not options.get("is_compact") or not ({"indent", "separators", "ensure_ascii"} & layout.keys())


def assert_written_as(value: Callable[[], Any], plain: Any, options: dict[str, Any]) -> None:
    """Each way to encode gives the plain value's text; values that writing uses up are made again for each."""
    settings = {name: option for name, option in options.items() if name != "is_compact"}
    known = {name: option for name, option in settings.items() if name in reference_codec.Options.__dataclass_fields__}
    known.pop("int53", None)  # the plain value has the quotes already
    expected = reference_codec.encode(plain, **known)
    assert _core.dumps(value(), **settings) == expected, options
    assert _core.dumps_to_bytes(value(), **settings).decode() == expected, options
    encoder = _core.Encoder(**settings)
    assert encoder.encode(value()).decode() == expected, options
    assert encoder.encode_str(value()) == expected, options
    for size in (1, 60, 5000):
        assert all_outputs.in_chunks(value(), size, **settings).decode() == expected, options
    if not {"indent", "separators", "append_newline"} & settings.keys():
        assert encoder.encode_lines([value(), value()]).decode() == f"{expected}\n" * 2, options


@pytest.mark.parametrize("name", VALUES)
def test_value_at_each_place_loses_nothing(name: str) -> None:
    make, plain, options = VALUES[name]
    for layout in LAYOUTS:
        if is_written_compactly(options, layout):  # a Fragment keeps its own layout
            assert_written_as(lambda: places(make), places(lambda: plain, is_plain=True), options | layout)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: "-".join(layout) or "compact")
@pytest.mark.parametrize("name", KEYS)
def test_key_at_each_place_loses_nothing(name: str, layout: dict[str, Any]) -> None:
    make, plain, options = KEYS[name]
    for n in range(2, 8):  # an indented dict of nothing but skipped keys differs between versions of Python
        for place in range(n):
            expected = keyed(plain, place, n)
            expected.pop(None, None)
            made = partial(keyed_by, make, place, n)
            assert_written_as(made, expected, options | layout)
            assert_written_as(
                lambda made=made: [made(), {"after": made()}], [expected, {"after": expected}], options | layout
            )


def sorted_throughout(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: sorted_throughout(value[key]) for key in sorted(value)}
    return [sorted_throughout(item) for item in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("name", [name for name in VALUES if name not in ("fragment", "dict with its own items")])
def test_value_under_sorted_keys_loses_nothing(name: str) -> None:
    make, plain, options = VALUES[name]
    expected = sorted_throughout(places(lambda: plain, is_plain=True))
    for layout in ({}, {"indent": 2}):
        got = _core.dumps(places(make), sort_keys=True, **options, **layout)
        assert got == reference_codec.encode(expected, **layout)


OPTIONS: dict[str, Any] = {
    "natives": True,
    "models": True,
    "int53": "str",
    "default": hook,
    "decimal": "str",
    "skipkeys": True,
}
PLAIN_WITH_ALL_OPTIONS: dict[str, Any] = {
    "int of 64 bits": str(-LARGE),
    "int beyond": str(HUGE),
    "int subclass beyond": str(HUGE),
    "dataclass of slots": {"x": str(LARGE), "y": [2]},
    "model": {"x": str(LARGE), "y": [str(LARGE)]},
    "iterator": [1, [str(LARGE)], {"a": 1}],
    "mapping": {"a": [1]},
}
OF_OTHER_OPTIONS = {
    "NaN",
    "seconds",
    "enum's name",
    "Decimal as float",
    "bytes",
    "int53 of the hook",
    "hook twice",
    "fragment",
}
SAMPLES = [
    (make, PLAIN_WITH_ALL_OPTIONS.get(name, plain))
    for name, (make, plain, _) in VALUES.items()
    if name not in OF_OTHER_OPTIONS
]
KEY_SAMPLES = [(make, plain) for name, (make, plain, _) in KEYS.items() if name not in ("enum key", "skipped key")]

Drawn = tuple[Callable[[], Any], Any]
leaves: st.SearchStrategy[Drawn] = st.sampled_from(SAMPLES)


def list_of(drawn: list[Drawn]) -> Drawn:
    return lambda: [make() for make, _ in drawn], [plain for _, plain in drawn]


def tuple_of(drawn: list[Drawn]) -> Drawn:
    return lambda: tuple(make() for make, _ in drawn), [plain for _, plain in drawn]


def dict_of(drawn: list[Drawn], keys: list[Drawn | None]) -> Drawn:
    """A dict of any keys; two that are equal or have one text stay two entries: a name with its place replaces one."""

    def name(i: int) -> str:
        return f"{'aé中😀'[i % 4]}{i}"

    chosen = [keys[i] if i < len(keys) else None for i in range(len(drawn))]
    seen: set[Any] = set()
    for i, key in enumerate(chosen):
        same = set() if key is None else {key[0](), key[1]}
        if same & seen:
            chosen[i] = None
        seen |= same
    plain_keys = [name(i) if key is None else key[1] for i, key in enumerate(chosen)]
    return (
        lambda: {
            (name(i) if key is None else key[0]()): value[0]()
            for i, (key, value) in enumerate(zip(chosen, drawn, strict=True))
        },
        {key: value[1] for key, value in zip(plain_keys, drawn, strict=True)},
    )


def containers(children: st.SearchStrategy[Drawn]) -> st.SearchStrategy[Drawn]:
    many = st.lists(children, min_size=1, max_size=25)
    keys = st.lists(st.none() | st.sampled_from(KEY_SAMPLES), max_size=25)
    return st.builds(list_of, many) | st.builds(tuple_of, many) | st.builds(dict_of, many, keys)


trees = st.recursive(leaves, containers, max_leaves=60)


@given(trees, st.sampled_from(LAYOUTS))
def test_any_mixture_of_kinds_at_any_place_loses_nothing(tree: Drawn, layout: dict[str, Any]) -> None:
    make, plain = tree
    assert_written_as(make, plain, OPTIONS | layout)


def test_container_after_an_int_that_is_quoted_keeps_its_place() -> None:
    value = {"n": "x", "id": LARGE, "t": {"a": 1}, "e": [2], "f": 3}
    assert _core.dumps(value, int53="str") == '{"n":"x","id":"1152921504606846976","t":{"a":1},"e":[2],"f":3}'
    many = {str(i): LARGE if i % 3 == 0 else {"a": i} for i in range(101)}
    assert len(json.loads(_core.dumps_to_bytes(many, int53="str"))) == 101


def test_list_that_a_hook_empties_ends_there() -> None:
    items: list[Any] = [1, Odd(), 3, [4]]

    def empty(_value: object) -> int:
        items.clear()
        return 2

    rest = ",3,[4]" if IS_FREE_THREADED else ""  # a list is written as it was when it was reached
    assert _core.dumps({"a": items, "b": 1}, default=empty) == f'{{"a":[1,2{rest}],"b":1}}'
    assert outcome(_core.dumps, items, default=empty) == ("value", "'[]'")
