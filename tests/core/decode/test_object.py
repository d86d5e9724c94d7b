"""Objects whose keys are no known shape: dicts of every size, repeated keys, changes of the dicts afterwards."""

from __future__ import annotations

import json
import random
import sys
from itertools import count
from typing import Any

import pytest

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

_numbers = count()


def fresh_keys(n: int) -> list[str]:
    """Keys that no document had before, so that no shape is known for them."""
    return [f"{'é' * (i % 7 == 3)}{next(_numbers)}" for i in range(n)]


# tables grow at two thirds of a power of two; places in them take a byte up to 128, two up to 32768, then four
@pytest.mark.parametrize("n", [0, 1, 5, 6, 10, 11, 21, 22, 42, 43, 85, 86, 170, 171, 341, 342, 21845, 21846, 50000])
def test_objects_of_any_size_are_as_stdlibs(n: int) -> None:
    text = json.dumps({key: i for i, key in enumerate(fresh_keys(n))})
    ours, stdlibs = _core.loads(text), json.loads(text)
    assert list(ours.items()) == list(stdlibs.items())
    assert sys.getsizeof(ours) <= sys.getsizeof(stdlibs)
    assert all(ours[key] == value for key, value in stdlibs.items())
    assert "absent" not in ours
    for made in (ours, stdlibs):
        made.update({f"more{i}": i for i in range(n + 3)})
        for key in list(made)[::2]:
            del made[key]
        made["last"] = None
    assert list(ours.items()) == list(stdlibs.items())


@pytest.mark.parametrize("n_names", [1, 2, 4, 8, 30, 100, 300])
def test_repeated_keys_keep_the_first_place_and_the_last_value(n_names: int) -> None:
    dice = random.Random(n_names)
    for _ in range(30):
        names = [*fresh_keys(n_names), "", "a", "\n", "名"]
        pairs = [
            (dice.choice(names), dice.choice([1, [], {}, "x", None])) for _ in range(dice.randrange(1, 2 * n_names))
        ]
        text = "{" + ",".join(f"{json.dumps(key)}:{json.dumps(value)}" for key, value in pairs) + "}"
        for document in (text, text.encode()):
            ours, stdlibs = _core.loads(document), json.loads(text)
            assert list(ours.items()) == list(stdlibs.items())
            assert len(ours) == len(stdlibs)
            ours["more"] = stdlibs["more"] = 1
            assert list(ours.items()) == list(stdlibs.items())


def test_one_key_a_hundred_thousand_times() -> None:
    text = "{" + ",".join(f'"k{i % 3}":{i}' for i in range(100_000)) + "}"
    assert _core.loads(text) == {"k0": 99_999, "k1": 99_997, "k2": 99_998}


def test_objects_of_unknown_keys_hold_what_they_are_given() -> None:
    dice = random.Random(3)

    def value(depth: int) -> Any:
        if depth == 0 or dice.randrange(3) == 0:
            return dice.choice([None, True, 1, 2.5, "x", "名"])
        if dice.randrange(2) == 0:
            return [value(depth - 1) for _ in range(dice.randrange(5))]
        return {key: value(depth - 1) for key in fresh_keys(dice.randrange(12))}

    for _ in range(50):
        expected = value(5)
        for text in (json.dumps(expected), json.dumps(expected, ensure_ascii=False, indent=1)):
            assert _core.loads(text) == _core.loads(text.encode()) == expected
