"""Objects that repeat a sequence of keys: their dicts share keys, which Python code cannot notice."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import random
import sys
import tracemalloc
from types import SimpleNamespace
from typing import Any

import pytest

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

# what is seen twice is learnt, so the fourth object is one of a known shape
N_TO_LEARN = 4


def row(n_keys: int, prefix: str = "k") -> dict[str, Any]:
    return {f"{prefix}{i}": i * 1000 for i in range(n_keys)}


def learnt(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Decoded objects of a shape that is known by now."""
    rows: list[dict[str, Any]] = _core.loads(json.dumps([value] * 2 * N_TO_LEARN))
    return rows[N_TO_LEARN:]


def in_order(value: dict[str, Any]) -> list[tuple[str, Any]]:
    return list(value.items())


@pytest.mark.parametrize("n_keys", [1, 2, 5, 6, 7, 14, 15, 29, 30, 31, 40, 100, 128, 129, 200])
def test_objects_of_any_number_of_keys_are_dicts_as_stdlibs(n_keys: int) -> None:
    expected = row(n_keys)
    plain = json.loads(json.dumps(expected))
    for value in learnt(expected):
        assert type(value) is dict
        assert value == expected
        assert in_order(value) == in_order(expected)
        assert list(reversed(value)) == list(reversed(expected))
        assert len(value) == n_keys
        assert all(value[key] == expected[key] for key in expected)
        assert "absent" not in value
        assert value.get("absent") is None
        assert sys.getsizeof(value) <= sys.getsizeof(plain)
        assert _core.dumps(value) == json.dumps(expected, separators=(",", ":"))
        assert json.dumps(value) == json.dumps(expected)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="keys are shared from Python 3.11 on")
@pytest.mark.usefixtures("objects_in_place")
def test_a_dict_of_a_known_shape_takes_half_the_memory() -> None:
    for n_keys in (6, 21, 30):
        plain = json.loads(json.dumps(row(n_keys)))
        assert sys.getsizeof(learnt(row(n_keys))[-1]) <= 0.75 * sys.getsizeof(plain)


def test_changes_to_one_object_reach_no_other() -> None:
    for n_keys in (1, 5, 8, 30, 31, 50):
        expected = row(n_keys)
        first, second, *others = learnt(expected)
        first["extra"] = 1
        assert in_order(first) == [*in_order(expected), ("extra", 1)]
        del second["k0"]
        second["k0"] = "again"
        assert in_order(second) == [*in_order(expected)[1:], ("k0", "again")]
        assert all(in_order(other) == in_order(expected) for other in [*others, *learnt(expected)])
        assert in_order(learnt(expected | {"extra": 2})[-1]) == [*in_order(expected), ("extra", 2)]


def random_step(dice: random.Random, value: dict[Any, Any]) -> None:
    key: Any = dice.choice([f"k{dice.randrange(35)}", "k0", "k1", "new", 5, None, ("t",)])
    match dice.randrange(12):
        case 0 | 1 | 2:
            value[key] = dice.randrange(1000)
        case 3 | 4:
            value.pop(key, None)
        case 5:
            if value:
                value.popitem()
        case 6:
            value.update({key: 1, f"u{dice.randrange(3)}": [2]})
        case 7:
            value.setdefault(key, [])
        case 8:
            if dice.randrange(8) == 0:
                value.clear()
        case 9:
            value |= {"k2": None}
        case 10:
            for present in list(value)[::3]:
                del value[present]
        case _:
            gc.collect(0)


@pytest.mark.parametrize("seed", range(40))
def test_random_changes_give_what_they_give_to_stdlibs_dict(seed: int) -> None:
    n_keys = seed % 34 + 1
    ours = learnt(row(n_keys))[-1]
    stdlibs = json.loads(json.dumps(row(n_keys)))
    dice, same_dice = random.Random(seed), random.Random(seed)
    for _ in range(60):
        random_step(dice, ours)
        random_step(same_dice, stdlibs)
        assert in_order(ours) == in_order(stdlibs)
        assert ours == stdlibs
        assert _core.dumps(ours, skipkeys=True) == json.dumps(stdlibs, skipkeys=True, separators=(",", ":"))
        assert in_order(ours.copy()) == in_order(stdlibs)


def test_objects_serve_wherever_a_dict_does() -> None:
    expected = row(6)
    value = learnt(expected)[-1]
    assert in_order(copy.copy(value)) == in_order(copy.deepcopy(value)) == in_order(expected)
    assert in_order(pickle.loads(pickle.dumps(value))) == in_order(expected)
    assert in_order(dict(value)) == in_order({**value}) == in_order(value | {}) == in_order(expected)
    assert SimpleNamespace(**value) == SimpleNamespace(**expected)
    assert type("Made", (), value).k5 == 5000  # type: ignore[attr-defined]
    assert eval("k1 + k2", {}, value) == 3000
    assert dict.fromkeys(value) == dict.fromkeys(expected)
    assert repr(value) == repr(expected)

    class Holder:
        k1: int

    for _ in range(50):  # long enough for the interpreter to specialise
        holder = Holder()
        holder.__dict__ = learnt(expected)[-1]
        assert holder.k1 == 1000
        holder.k1 = 7
        holder.extra = 8  # type: ignore[attr-defined]
        assert in_order(vars(holder)) == in_order(expected | {"k1": 7, "extra": 8})


def test_mixed_shapes_are_told_apart() -> None:
    shapes: list[dict[str, Any]] = [
        {"id": 1, "name": "x", "tags": [], "owner": {"id": 2, "login": "y"}},
        {"id": 1, "name": "x"},
        {"id": 1, "title": "x", "owner": {"login": "y", "id": 2}},
        {"id": 1, "name": "x", "tags": [{"id": 3}], "owner": None, "more": {}},
        {"idx": 1},
        {"i": {"i": {"i": {}}}},
        {"": 1, " ": 2},
        {'quote"': 1, "back\\slash": 2, "new\nline": 3, "tab\t": 4},
        {"a": 1, 'a"': 2, 'a":1': 3},
        {"k" * 31: 1, "k" * 32: 2, "k" * 33: 3, "k" * 64: 4, "k" * 65: 5, "k" * 300: 6},
        {"k" * 31 + "x": 1, "k" * 32 + "y": 2, "k" * 33 + "z": 3},
        {"имя": 1, "é": 2, "名": 3, "😀": 4},
        {"é" * 15: 1, "é" * 16: 2, "名" * 10: 3, "名" * 11: 4, "😀" * 7: 5, "😀" * 8: 6, "a" * 28 + "名": 7},
        {"a" * 31 + "é": 1, "é" * 5000: 2, "名" * 5000: 3, "x" * 5000: 4, "😀" * 5000: 5},
        {"id": 1, "имя": 2, "name": 3},
        {"id": "é", "name": "名", "tags": "😀"},
    ]
    dice = random.Random(1)
    for _ in range(30):
        rows = [dice.choice(shapes) for _ in range(40)]
        for text in (
            json.dumps(rows),
            json.dumps(rows, ensure_ascii=False, separators=(",", ":")),
            json.dumps(rows, ensure_ascii=False, indent="\t"),
        ):
            for document in (text, text.encode(), text + "\n" * 40):
                found = _core.loads(document)
                assert found == rows
                assert json.dumps(found) == json.dumps(rows)


def test_a_key_that_repeats_keeps_its_last_value_in_known_shapes_too() -> None:
    learnt({"a": 1, "b": 2})
    for text in ('{"a":1,"a":2}', '{"a":1,"b":2,"a":3}', '{"a":1,"b":2,"b":3,"a":4}', '{"a":{"a":1,"a":2},"a":[]}'):
        for _ in range(N_TO_LEARN):
            assert in_order(_core.loads(text)) == in_order(json.loads(text))


def test_errors_in_objects_of_a_known_shape_are_stdlibs() -> None:
    learnt({"id": 1, "name": "x", "owner": {"id": 1, "login": "y"}})
    text = json.dumps([{"id": 1, "name": "x", "owner": {"id": 1, "login": "y"}}] * 3, indent=1)
    for end in range(len(text)):
        for broken in (text[:end], text[:end] + "\x01" + text[end + 1 :], text[:end] + '"' + text[end:]):
            with pytest.raises(json.JSONDecodeError) as expected:
                json.loads(broken)
            for document in (broken, broken.encode()):
                with pytest.raises(_core.JSONDecodeError) as raised:
                    _core.loads(document)
                assert str(raised.value) == str(expected.value)


def test_shapes_are_given_up_when_there_are_too_many() -> None:
    def decode_many(first: int, n: int) -> None:
        for number in range(first, first + n):
            learnt({f"x{number}": 1, "b": {f"y{number}": 2, "z": None}})

    decode_many(0, 3000)
    tracemalloc.start()
    try:
        decode_many(3000, 3000)
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert held < 4_000_000
    expected = row(9)
    assert in_order(learnt(expected)[-1]) == in_order(expected)


def test_long_keys_are_held_up_to_a_bound() -> None:
    def decode_long(number: int) -> None:
        learnt({f"{'名' * 30_000}{number}": 1, "b": 2})

    decode_long(-1)
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(100):
            decode_long(number)
        assert tracemalloc.get_traced_memory()[0] - before < 2_500_000
    finally:
        tracemalloc.stop()
    learnt({"名" * 100_000: 1})
    assert learnt({"名" * 100_000: 1}) == [{"名" * 100_000: 1}] * N_TO_LEARN


def test_maps_of_many_names_are_not_taken_for_shapes() -> None:
    text = json.dumps({f"name{i}": {"id": i, "tags": ["a"]} for i in range(5000)})
    assert _core.loads(text) == json.loads(text)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(2000):
            _core.loads(f'{{"only{number}":{{"once{number}":1}}}}')
        assert tracemalloc.get_traced_memory()[0] - before < 300_000
    finally:
        tracemalloc.stop()


def test_dicts_of_a_known_shape_are_collected_in_cycles() -> None:
    class Alive:
        count = 0

        def __init__(self) -> None:
            Alive.count += 1

        def __del__(self) -> None:
            Alive.count -= 1

    for value in learnt({"list": [1], "x": 1}):
        value["list"].append([value, Alive()])
    for value in learnt({"a": {"b": {"c": 1}}, "x": 1}):
        value["a"]["b"]["c"] = [value, Alive()]
    del value
    gc.collect()
    assert Alive.count == 0
