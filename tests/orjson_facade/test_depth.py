"""What is too deep for ssrjson_web.orjson.dumps is what is too deep for orjson, in every mixture of containers."""

from __future__ import annotations

import enum
import random
from collections.abc import Callable
from typing import Any

import pytest
from check_orjson.parity import Book, Items, Members, Slotted
from helpers.call_outcome import assert_same

from ssrjson_web import orjson as ours

theirs: Any = pytest.importorskip("orjson", reason="orjson is not installed: nothing to compare with")
pytestmark = pytest.mark.skipif(
    theirs.__version__ != ours.__version__, reason="another release of orjson than the one that is followed"
)


class Unknown:
    def __init__(self, given: object) -> None:
        self.given = given


WRAPS: dict[str, Callable[[Any], Any]] = {
    "list": lambda x: [x],
    "dict": lambda x: {"a": x},
    "object": Book,
    "slots": Slotted,
    "list subclass": lambda x: Items([x]),
    "dict subclass": lambda x: Members(a=x),
    "tuple": lambda x: (x,),
    "hook": Unknown,
    "enum": lambda x: enum.Enum("Colour", {"RED": x})["RED"],
}
ADDING = ["list", "dict", "object", "slots", "list subclass", "dict subclass"]
OTHERS = ["tuple", "hook", "enum"]
LEAVES: list[Any] = [1, [], {}, (), [1], {"a": 1}, (1,), [1.5, 2.5], Items(), Members()]


def length_or_error(module: Any, value: object, option: int | None) -> object:
    try:
        return len(module.dumps(value, default=lambda one: one.given, option=option))
    except TypeError as error:
        return str(error)


def assert_alike(names: list[str], leaf: object, option: int | None = None) -> None:
    value = leaf
    for name in reversed(names):
        value = WRAPS[name](value)
    expected = length_or_error(theirs, value, option)
    assert_same(length_or_error(ours, value, option), expected, (names, leaf, option))


@pytest.mark.parametrize("option", [None, ours.OPT_SORT_KEYS, ours.OPT_NON_STR_KEYS])
def test_depth_of_one_kind(option: int | None) -> None:
    for name in ADDING:
        for n in (253, 254, 255):
            for leaf in LEAVES:
                assert_alike([name] * n, leaf, option)


def test_depth_with_tuples_hooks_and_enums() -> None:
    for other in OTHERS:
        for n in (252, 253, 254, 255):
            for names in (
                [other] + ["list"] * n,
                ["dict"] * n + [other],
                ["list"] * n + [other] * 2,
                ["list"] * n + [other, "list"],
                ["dict"] * 100 + [other] * 50 + ["list"] * (n - 100),
                ["list", other] * n,
                [other, "object"] * n,
            ):
                for leaf in LEAVES:
                    assert_alike(names, leaf)


def test_depth_of_random_mixtures() -> None:
    choice = random.Random(46)
    for _ in range(400):
        share = choice.choice([0.5, 0.9, 0.99, 1])
        n = choice.randint(245, 275)
        names = [choice.choice(ADDING) if choice.random() < share else choice.choice(OTHERS) for _ in range(n)]
        assert_alike(names, choice.choice(LEAVES), choice.choice([None, ours.OPT_SORT_KEYS]))
