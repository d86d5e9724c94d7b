"""Decoding lists of ints: every list equals stdlib's, value or error."""

from __future__ import annotations

import json
import random

import pytest
from helpers.call_outcome import assert_same, outcome
from helpers.stdlib_json import assert_decoded

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

FAST_NUMBER_UNITS = 40
"""A number with less text after it is read by another function."""
AFTER = ",1" * FAST_NUMBER_UNITS + "]"
ODD_ITEMS = [
    *("0", "-0", "-1", "7", "256", "257", "-5", "-6", "1024", "1025"),
    *("99999999", "999999999", "-999999999", "1073741823", "1073741824", "-9999999999", "12345678901234567890"),
    *("01", "-01", "00", "-", "--1", "+1", "1-", "1-2", "1.5", "1.", ".5", "1e2", "-1.5e-3", "1e", "0x1", "1_0"),
    *(" 1", "1 ", " 1 ", "  1", "- 1", " -1", "\t1", "1\n", "1 2", "", " ", "١", "1é", "x", "1x"),
    *('"1"', "true", "null", "nul", "NaN", "-Infinity", "[1]", "[]", "{}", '{"a":1}', "1]", "]", "1}", "1,", ",1"),
]


@pytest.mark.parametrize("after", ["]", AFTER])
@pytest.mark.parametrize("separator", [",", ", "])
def test_odd_item_in_a_list_of_ints(separator: str, after: str) -> None:
    for odd in ODD_ITEMS:
        for n_before in range(3):
            assert_decoded("[" + separator.join([*["1"] * n_before, odd]) + after)


def test_lists_of_every_length_end_where_they_end() -> None:
    for n in range(3 * FAST_NUMBER_UNITS):
        ints = [i % 11 - 5 for i in range(n)]
        assert_same(_core.loads(json.dumps(ints)), ints, n)
        assert_same(_core.loads(json.dumps([ints, ints]).replace(" ", "")), [ints, ints], n)


def test_text_cut_anywhere_is_refused_as_stdlib_does() -> None:
    document = json.dumps([draw % 1000 - 500 for draw in range(0, 9000, 37)])
    for n in range(len(document)):
        assert_decoded(document[:n])


def test_random_lists_of_ints_and_odd_items() -> None:
    draw = random.Random(9)
    for _ in range(1000):
        separators = draw.choice([[","], [", "], [",", ", "], [",", ", ", ",  ", " ,", "\n,"]])
        n_digits = draw.randrange(1, 12)
        rareness = draw.choice([5, 50, 10**9])
        text = ""
        for _ in range(draw.randrange(200)):
            item = ODD_ITEMS[draw.randrange(len(ODD_ITEMS))] if draw.randrange(rareness) == 0 else None
            text += (item or str(draw.randrange(-(10**n_digits), 10**n_digits))) + draw.choice(separators)
        assert_decoded(f"[{text}0]")


def test_lists_in_lists_and_objects() -> None:
    draw = random.Random(10)
    matrix = [[draw.randrange(256) for _ in range(draw.randrange(60))] for _ in range(60)]
    for value in (matrix, {"rows": matrix, "n": 1}, [{"a": row, "b": [row, 1, 2, 3]} for row in matrix]):
        for separators in ((",", ":"), (", ", ": ")):
            text = json.dumps(value, separators=separators)
            for source in (text, text.encode(), f"[{text}]", f'["é",{text}]'):
                assert_same(outcome(_core.loads, source), outcome(json.loads, source), source[:40])


def test_hook_gets_every_int() -> None:
    got: list[str] = []

    def note(text: str) -> int:
        got.append(text)
        return int(text)

    ints = list(range(-300, 300))
    assert _core.loads(json.dumps(ints), parse_int=note) == ints
    assert got == [str(i) for i in ints]


def test_shared_ints_are_shared_and_others_are_not() -> None:
    shared, others = list(range(-5, 257)), list(range(2000, 2300))
    first, second = (_core.loads(json.dumps(shared + others)) for _ in range(2))
    is_same = [a is b for a, b in zip(first, second, strict=True)]
    assert is_same == [True] * len(shared) + [False] * len(others)
