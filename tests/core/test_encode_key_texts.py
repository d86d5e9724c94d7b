"""The texts of keys, which the walk keeps by the keys' addresses: each must be of the key that is there now.

They are kept where many objects are expected: from the second dict on of an array that is long.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from helpers import stdlib_json
from helpers.all_outputs import LAYOUTS, NEIGHBOURS, assert_all_give

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

IS_FREE_THREADED = _core.get_current_features()["free_threading"]

KEYS = (
    "",
    "a",
    "identifier",
    'quote"',
    "back\\slash",
    "line\nfeed",
    "x" * 200,
    "clé",
    "ключ",
    "钥匙",
    "🔑",
    "🔑" * 11,
    # around the longest text that is kept, and the longest that is copied at once, in each width and layout
    *("x" * n for n in range(2, 50)),
    *(char * n for char in "éю钥" for n in range(2, 26)),
)


MANY = [0] * 33
"""At the end of an array they make it so long that the texts of keys are kept from its second dict on."""


def fresh(text: str) -> str:
    """A str of its own, which is freed with its last reference."""
    return "".join([text[:1], text[1:]]) if len(text) > 1 else text


def key_at(address: int, others: list[str]) -> str | None:
    """A key at the address of one that was freed, if a str comes there; those that did not are added to the others."""
    for n in range(10_000):
        key = fresh(f"another {n:05}")
        if id(key) == address:
            return key
        others.append(key)
    return None


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("neighbour", NEIGHBOURS)
def test_repeated_keys_of_each_kind_and_length(neighbour: str, layout: dict[str, Any]) -> None:
    rows = [*(dict.fromkeys(KEYS, n) for n in range(4)), *MANY]
    of_one_key = [[{key: 1}, {key: 2, "and": 3}, {key: 4}, {key: 5, "and": 6}, *MANY] for key in KEYS]
    document = [rows, neighbour, rows, {"k": rows}, of_one_key]
    assert_all_give(("value", repr(stdlib_json.dumps(document, **layout))), document, **layout)


def test_more_keys_than_there_is_room_for() -> None:
    keys = [f"key {n}" for n in range(1000)]
    rows = [*({key: n for n, key in enumerate(keys[start:])} for start in range(5)), *MANY]
    assert _core.dumps(rows) == json.dumps(rows, separators=(",", ":"))


def test_keys_of_many_objects_that_are_in_no_array() -> None:
    document = {str(n): {"name": n, "clé": {"name": n, "x" * 40: [{"name": n}]}} for n in range(300)}
    assert_all_give(("value", repr(stdlib_json.dumps(document))), document)
    rows = [[{"name": n, "rows": [{"name": n, "ключ": n}] * (n % 5)}] for n in range(300)]
    assert_all_give(("value", repr(stdlib_json.dumps(rows))), rows)


@pytest.mark.parametrize("options", [{}, {"ensure_ascii": True}, {"separators": (", ", ": ")}], ids=str)
def test_output_that_becomes_wider_between_rows(options: dict[str, Any]) -> None:
    keys = ("name", "clé", "ключ", "x" * 22, "钥匙")
    narrow, wide = keys[:1], keys
    rows: list[Any] = [dict.fromkeys(narrow, 1)] * 3
    for value in ("é", "ж", "中", "😀"):
        rows += [dict.fromkeys(wide, value)] * 3
    document = [[*rows, *MANY], [*rows, *MANY]]
    assert_all_give(("value", repr(stdlib_json.dumps(document, **options))), document, **options)


def test_bytes_that_go_on_as_str_after_a_surrogate() -> None:
    rows = [*[{"ключ": 1, "name": 2}] * 3, {"ключ": "\ud800", "name": 2}, *[{"ключ": 3, "name": 4}] * 3, *MANY]
    expected = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).replace("\ud800", "\\ud800")
    assert _core.dumps_to_bytes(rows, escape_surrogates=True).decode() == expected


def test_keys_of_items_that_are_freed_once_they_are_written() -> None:
    """Each dict is freed before the next one is made, whose key mostly comes to the same address."""

    def items() -> Iterator[Any]:
        for n in range(500):
            key = fresh(f"key {n:04}")
            yield [{key: n}, {key: n}, {key: n}, *MANY]

    expected = [[*[{f"key {n:04}": n}] * 3, *MANY] for n in range(500)]
    assert json.loads(_core.dumps_to_bytes([items()], iterables=True)) == [expected]
    assert json.loads(_core.dumps([items(), "中"], iterables=True)) == [expected, "中"]
    assert json.loads(b"".join(_core.Encoder(iterables=True).iterencode([items()], 1))) == [expected]


def test_keys_of_what_a_hook_returns() -> None:
    n = 0

    def hook(value: object) -> Any:
        nonlocal n
        n += 1
        key = fresh(f"key {n:04}")
        return [{key: n}, {key: n}, {key: n}, *MANY]

    expected = [[*[{f"key {n:04}": n}] * 3, *MANY] for n in range(1, 501)]
    assert json.loads(_core.dumps_to_bytes([[object()] * 500], default=hook)) == [expected]


class Hostile:
    """A document whose hook frees the dicts before it, and puts another key at the address of those dicts' key."""

    def __init__(self) -> None:
        key = fresh("the first key")
        self.address = id(key)
        self.rows: list[Any] = [{key: 1}, {key: 1}, {key: 1}, object(), None, None, {"last": 4}, *MANY]
        self.others: list[str] = []
        self.is_replaced = False

    def hook(self, value: object) -> Any:
        self.rows[:3] = [None] * 3
        key = key_at(self.address, self.others)
        if key is None:
            return 2
        self.rows[4:6] = [{key: 3}, {key: 3}]
        self.is_replaced = True
        return {key: 2}


def dumps_by_bytes(value: object, **options: Any) -> str:
    return _core.dumps_to_bytes(value, **options).decode()


@pytest.mark.parametrize("encode", [_core.dumps, dumps_by_bytes])
def test_key_at_the_address_of_a_freed_one(encode: Any) -> None:
    for _ in range(20):
        hostile = Hostile()
        text = encode(hostile.rows, default=hostile.hook)
        if hostile.is_replaced:
            (replaced,) = hostile.rows[4]
            expected = [*[{"the first key": 1}] * 3, {replaced: 2}, *[{replaced: 3}] * 2, {"last": 4}, *MANY]
            assert text == json.dumps(expected, separators=(",", ":"))
            return
    pytest.skip("no str came to the address: this interpreter does not reuse memory at once")


class FreedRows:
    """Rows of which the first one is freed when its text is finished, because a hook has dropped it.

    A finaliser then puts another key, at the address of one of the first row's, into the second row.
    """

    def __init__(self) -> None:
        key = fresh("the first key")
        self.address = id(key)
        self.others: list[str] = []
        self.is_replaced = False
        nested = [{key: 1}, {key: 1}, {key: 1}, *MANY]
        self.rows: list[Any] = [{"hook": object(), "nested": nested, "last": FinalisedDict(self)}, None, *MANY]

    def hook(self, value: object) -> Any:
        self.rows[0] = None
        return 0

    def finalise(self) -> None:
        key = key_at(self.address, self.others)
        if key is not None:
            self.rows[1] = {key: 2}
            self.is_replaced = True


class FinalisedDict(dict[str, Any]):
    def __init__(self, rows: FreedRows) -> None:
        self.rows = rows

    def __del__(self) -> None:
        self.rows.finalise()


@pytest.mark.skipif(IS_FREE_THREADED, reason="without the GIL a list is written as it was before the hook changed it")
@pytest.mark.parametrize("encode", [_core.dumps, dumps_by_bytes])
def test_key_at_the_address_of_one_that_was_freed_with_its_frame(encode: Any) -> None:
    for _ in range(20):
        freed = FreedRows()
        text = encode(freed.rows, default=freed.hook)
        if freed.is_replaced:
            (replaced,) = freed.rows[1]
            first = {"hook": 0, "nested": [*[{"the first key": 1}] * 3, *MANY], "last": {}}
            assert text == json.dumps([first, {replaced: 2}, *MANY], separators=(",", ":"))
            return
    pytest.skip("no str came to the address: this interpreter does not reuse memory at once")


def test_calls_within_calls_have_texts_of_their_own() -> None:
    def rows(depth: int) -> list[Any]:
        return [{fresh(f"depth {depth} key {n}"): n, "common": depth} for n in range(100)]

    def encode(depth: int) -> Any:
        def hook(value: object) -> Any:
            return encode(depth - 1) if depth > 0 else None

        return json.loads(_core.dumps_to_bytes([[*rows(depth), object(), *rows(depth)]], default=hook))

    expected: Any = None
    for depth in range(6):
        expected = [[*rows(depth), expected, *rows(depth)]]
    assert encode(5) == expected


def test_threads_that_take_turns_within_hooks() -> None:
    def hook(value: object) -> Any:
        time.sleep(0)  # another thread encodes meanwhile
        return None

    def work(name: str) -> None:
        rows = [[{fresh(f"{name} {n}"): n, "common": name}, object()] for n in range(200)]
        expected = [[row, None] for row, _ in rows]
        for _ in range(5):
            if json.loads(_core.dumps_to_bytes(rows, default=hook)) != expected:
                wrong.append(name)

    wrong: list[str] = []
    threads = [threading.Thread(target=work, args=(f"thread {n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_dicts_that_change_while_they_are_read_in_place() -> None:
    """The walk has addresses of entries at hand for all containers that are open; a hook changes each of them."""
    inner: dict[str, Any] = {**dict.fromkeys("abcdefgh", 1), "hook": object()}
    items: list[Any] = [1, inner, 2]
    outer = {"a": items, "b": 3}
    document = [outer, 4]

    def hook(value: object) -> Any:
        inner.update({f"new {n}": n for n in range(1000)})
        items[:] = range(2, 1000)
        outer.clear()
        document.extend(range(1000))
        return "seen"

    got = json.loads(_core.dumps([document], default=hook))
    seen = {**dict.fromkeys("abcdefgh", 1), "hook": "seen"}
    if _core.get_current_features()["free_threading"]:  # containers are copied when they are entered
        assert got == [[{"a": [1, seen, 2], "b": 3}, 4]]
    else:  # of a dict, the pairs are those of the moment when the hook was called; of a list, the items it has now
        assert got == [[{"a": [1, seen, *range(4, 1000)], "b": 3}, 4, *range(1000)]]
