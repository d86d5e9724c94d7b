"""sort_keys: the order that Python's sorted has, for any keys and number of them."""

from __future__ import annotations

import gc
import json
import random
import sys
from collections import OrderedDict, UserDict
from typing import Any

import pytest
from helpers import json_documents
from helpers.all_outputs import in_chunks
from helpers.call_outcome import assert_same, outcome
from helpers.stdlib_json import assert_encoded
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

ALPHABET = "\0\x01aAbz~\x7f\x80éÿ\u0100я中\ud7ff\ue000\uffff" + "\U00010000😀\U0010ffff"
SIZES = [*range(67), 100, 255, 256, 257, 1000]
keys = st.text(alphabet=ALPHABET + json_documents.SURROGATES, max_size=6)


def shuffled(texts: list[str], seed: int) -> dict[str, int]:
    draw = random.Random(seed)
    draw.shuffle(texts)
    return {text: n for n, text in enumerate(texts)}


def assert_sorted(value: Any, **options: Any) -> None:
    assert_encoded(value, sort_keys=True, **options)
    expected = outcome(_core.dumps_to_bytes, value, sort_keys=True, **options)
    assert_same(outcome(in_chunks, value, 1, sort_keys=True, **options), expected, value)


def test_each_number_of_keys() -> None:
    for size in SIZES:
        assert_sorted(shuffled([f"key {n}" for n in range(size)], size))
        assert_sorted(shuffled([chr(n * 37 + 1) for n in range(size)], size))
        assert_sorted({f"{n:04}": n for n in range(size)})
        assert_sorted({f"{-n:05}": n for n in range(size)})


def test_dicts_in_a_row_with_the_same_keys_and_with_others() -> None:
    draw = random.Random(7)
    for size in (1, 2, 11, 40, 64, 65):
        texts = [f"{n * 7 % 31} key {n}" for n in range(size)]
        rows: list[Any] = []
        for n in range(40):
            if n % 7 == 3:
                draw.shuffle(texts)
            row: dict[Any, Any] = dict.fromkeys(texts, n)
            if n % 5 == 4:
                row[texts[0]] = {"within": n, "another": {"z": 1, "a": 2}}
            if n % 11 == 10:
                row[f"more {n}"] = row.pop(texts[-1])
            rows.append(row)
        assert_sorted(rows)
        assert_sorted({"z": rows, "a": rows[::-1]})


def test_more_dicts_and_keys_than_are_remembered() -> None:
    for size, shapes in ((1, 300), (3, 300), (60, 40)):
        texts = [[f"{k * 37 % 61} {shape}" for k in range(size)] for shape in range(shapes)]
        assert_sorted([dict.fromkeys(texts[n % shapes], n) for n in range(2 * shapes)])
        assert_sorted([dict.fromkeys(texts[n // 2], n) for n in range(2 * shapes)])


def two_keys(begins_with: str) -> list[str]:
    return [f"{begin} {'x' * 40}" for begin in begins_with]


def two_keys_at(places: list[int]) -> list[str]:
    """Two keys, at the addresses of others that have been freed where strs come there."""
    made = {id(text): text for text in [f"{'ab'[k % 2]} {k} {'y' * 40}" for k in range(6)]}
    return [made[place] for place in places] if made.keys() >= set(places) else list(made.values())[:2]


@pytest.mark.parametrize("is_of_another_call", [False, True])
def test_keys_that_take_the_place_of_others_between_chunks(is_of_another_call: bool) -> None:
    for attempt in range(40):
        keys = two_keys("ab" if attempt % 2 else "ba")
        places = [id(key) for key in keys]
        first = dict.fromkeys(keys, 1)
        rows: list[Any] = [None if is_of_another_call else first, "a text that is longer than a chunk", None]
        value = {"first": rows, "last": 2}
        expected = json.dumps(rows[0], sort_keys=True, separators=(",", ":"))
        chunks = _core.Encoder(sort_keys=True).iterencode(value, 1)
        got = b""
        while b"text" not in got:
            got += next(chunks)
        if is_of_another_call:
            _core.dumps_to_bytes(first, sort_keys=True)
        rows[0] = None
        del first, keys
        rows[2] = dict.fromkeys(two_keys_at(places), 2)
        got += b"".join(chunks)
        last = json.dumps(rows[2], sort_keys=True, separators=(",", ":"))
        assert got.decode() == f'{{"first":[{expected},"{rows[1]}",{last}],"last":2}}'


def test_keys_that_take_the_place_of_others_in_memory() -> None:
    draw = random.Random(1)
    expected: list[str] = []
    places: set[int] = set()

    def two_keys(n: int) -> list[str]:
        """In either order, where the last two were, which are gone."""
        made = {}
        for _ in range(50):
            made = {id(text): text for text in [f"{draw.choice('ab')} {k} {n} {'x' * 40}" for k in range(6)]}
            if places and places <= made.keys():
                return [made[place] for place in sorted(places)]
        return list(made.values())[:2]

    def row(_: object) -> dict[str, int]:
        made = dict.fromkeys(two_keys(len(expected)), 1)
        places.clear()
        places.update(map(id, made))
        expected.append(json.dumps(made, sort_keys=True, separators=(",", ":")))
        return made

    for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
        expected.clear()
        text = encode([object()] * 200, default=row, sort_keys=True)
        assert json.loads(text) == json.loads(f"[{','.join(expected)}]")
        assert (text if isinstance(text, str) else bytes(text).decode()) == f"[{','.join(expected)}]"


def test_keys_with_equal_beginnings() -> None:
    for fill in ("", "a", "ab", "abc", "abcdefgh" * 10, "é", "中文字", "😀😀😀😀"):
        for size in (2, 5, 25, 64, 65, 100):
            assert_sorted(shuffled([fill + "x" * n for n in range(size)], size))
            assert_sorted(shuffled([fill + chr(n) for n in range(size)], size))
            assert_sorted(shuffled([fill + "\0" * n for n in range(size)], size))


def test_keys_of_every_kind_of_str_with_nuls() -> None:
    texts = [a + b + c for a in ALPHABET for b in ("", *"\0aé中😀") for c in ("", *"\0a中😀")]
    for seed in range(3):
        assert_sorted(shuffled(sorted(set(texts)), seed))


def test_keys_with_surrogates() -> None:
    texts = [
        f"{fill}{surrogate}" for fill in ("", "a", "é", "中", "😀", "\uffff") for surrogate in json_documents.SURROGATES
    ]
    members = shuffled(texts, 5)
    assert_same(_core.dumps(members, sort_keys=True), _core.dumps(dict(sorted(members.items()))), members)
    assert_sorted(members, ensure_ascii=True)
    assert outcome(_core.dumps_to_bytes, members, sort_keys=True)[0] == "UnicodeEncodeError"


@given(st.dictionaries(keys, st.integers(0, 9), max_size=60))
def test_any_text_keys(members: dict[str, int]) -> None:
    expected = _core.dumps(dict(sorted(members.items())), ensure_ascii=True)
    assert _core.dumps(members, sort_keys=True, ensure_ascii=True) == expected
    assert _core.dumps(members, sort_keys=True) == _core.dumps(dict(sorted(members.items())))


@given(st.dictionaries(st.integers() | st.floats(allow_nan=False) | st.booleans(), st.integers(), max_size=40))
def test_any_number_keys(members: dict[Any, int]) -> None:
    assert_sorted(members)


def test_keys_of_mixed_types_raise_as_stdlib() -> None:
    odd: tuple[Any, ...] = (1, None, 2.5, True, (), b"a")
    for size in (0, 1, 3, 24, 25, 100):
        for key in odd:
            for at in {0, size // 2, size}:
                names: list[Any] = [f"k{n}" for n in range(size)]
                names.insert(at, key)
                assert_sorted(dict.fromkeys(names, 1))


def test_keys_of_a_subclass_of_str_are_compared_by_their_own_code() -> None:
    class Backwards(str):
        def __lt__(self, other: str) -> bool:
            return str.__gt__(self, other)

        def __gt__(self, other: str) -> bool:
            return str.__lt__(self, other)

    assert_sorted({Backwards(text): 1 for text in "badc"})
    assert_sorted({Backwards("a"): 1, "b": 2, "c": 3})


def test_subclasses_of_dict_and_dicts_of_instances() -> None:
    class Own(dict[str, Any]):
        pass

    class Thing:
        def __init__(self) -> None:
            self.b, self.a, self.c = 1, 2, 3

    for made in (Own(b=1, a=2), OrderedDict(b=1, a=2), Thing().__dict__, {"b": Thing().__dict__, "a": Own(z=1, y=2)}):
        assert_sorted(made)
        assert_sorted([made, {"k": made}], indent=1)
    assert _core.dumps(UserDict(b=1, a=2), mapping=True, sort_keys=True) == '{"a":2,"b":1}'


def test_dict_with_deleted_entries() -> None:
    members = {f"k{n}": n for n in range(100)}
    for n in range(0, 100, 3):
        del members[f"k{n}"]
    assert_sorted(members)


def test_hook_that_clears_the_sorted_dict_finds_its_pairs_kept() -> None:
    for size in (1, 5, 30):
        for at in {0, size // 2, size - 1}:
            members: dict[str, Any] = {f"k{n:02}": ["x" * 20 + str(n)] for n in range(size)}
            members[f"k{at:02}"] = {1}
            expected = _core.dumps(members, default=lambda _: "hook", sort_keys=True)

            def hook(thing: Any, members: dict[str, Any] = members) -> str:
                members.clear()
                gc.collect()
                return "hook"

            assert _core.dumps(members, default=hook, sort_keys=True) == expected


def test_order_holds_each_key_once_and_gives_back_all_else() -> None:
    key, other, item = "k" * 30, "a" * 30, ["x"]
    members = {key: item, other: item}
    things: list[Any] = [key, other, item, members]

    def encode() -> list[int]:
        _core.dumps(members, sort_keys=True)
        _core.dumps([members, {1}], sort_keys=True, default=lambda _: "hook")
        outcome(_core.dumps, [members, {1}, {"a": object()}], sort_keys=True)
        outcome(_core.dumps, members | {1: 2}, sort_keys=True)
        return [sys.getrefcount(thing) for thing in things]

    first = encode()
    for _ in range(50):
        assert encode() == first
