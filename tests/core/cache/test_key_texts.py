"""The texts of keys, which are kept with a reference to the key: each must be of the key that is there now.

Only a key that others hold, too, has a text. So each case has such keys, and keys that a single dict holds.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers import stdlib_json
from helpers.all_outputs import LAYOUTS, NEIGHBOURS, assert_all_give
from helpers.threads import in_threads

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


def dumps_by_bytes(value: object, **options: Any) -> str:
    return _core.dumps_to_bytes(value, **options).decode()


def fresh(text: str) -> str:
    """A str of its own, which is freed with its last reference."""
    return "".join([text[:1], text[1:]]) if len(text) > 1 else text


def key_at(address: int) -> str:
    """A key at the address of one that was freed; elsewhere if that one is still held."""
    others = []
    for n in range(1000):
        key = fresh(f"another {n:05}")
        if id(key) == address:
            return key
        others.append(key)
    return fresh("no key at that address")


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("neighbour", NEIGHBOURS)
def test_repeated_keys_of_each_kind_and_length(neighbour: str, layout: dict[str, Any]) -> None:
    rows = [*(dict.fromkeys(KEYS, n) for n in range(4))]
    of_one_key = [[{key: 1}, {key: 2, "and": 3}, {key: 4}, {key: 5, "and": 6}] for key in KEYS]
    document = [rows, neighbour, rows, {"k": rows}, of_one_key]
    assert_all_give(("value", repr(stdlib_json.dumps(document, **layout))), document, **layout)


def test_more_keys_than_there_is_room_for() -> None:
    keys = [f"key {n}" for n in range(1000)]
    rows = [*({key: n for n, key in enumerate(keys[start:])} for start in range(5))]
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
    document = [[*rows], [*rows]]
    assert_all_give(("value", repr(stdlib_json.dumps(document, **options))), document, **options)


def test_bytes_that_go_on_as_str_after_a_surrogate() -> None:
    rows = [*[{"ключ": 1, "name": 2}] * 3, {"ключ": "\ud800", "name": 2}, *[{"ключ": 3, "name": 4}] * 3]
    expected = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).replace("\ud800", "\\ud800")
    assert _core.dumps_to_bytes(rows, escape_surrogates=True).decode() == expected


def test_keys_of_items_that_are_freed_once_they_are_written() -> None:
    """Each dict is freed before the next one is made, whose key mostly comes to the same address."""

    def items() -> Iterator[Any]:
        for n in range(500):
            key = fresh(f"key {n:04}")
            yield [{key: n}, {key: n}, {key: n}]

    expected = [[*[{f"key {n:04}": n}] * 3] for n in range(500)]
    assert json.loads(_core.dumps_to_bytes([items()], iterables=True)) == [expected]
    assert json.loads(_core.dumps([items(), "中"], iterables=True)) == [expected, "中"]
    assert json.loads(b"".join(_core.Encoder(iterables=True).iterencode([items()], 1))) == [expected]


def test_keys_of_what_a_hook_returns() -> None:
    n = 0

    def hook(value: object) -> Any:
        nonlocal n
        n += 1
        key = fresh(f"key {n:04}")
        return [{key: n}, {key: n}, {key: n}]

    expected = [[*[{f"key {n:04}": n}] * 3] for n in range(1, 501)]
    assert json.loads(_core.dumps_to_bytes([[object()] * 500], default=hook)) == [expected]


@pytest.mark.skipif(IS_FREE_THREADED, reason="without the GIL a list is written as it was before the hook changed it")
@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("encode", [_core.dumps, dumps_by_bytes])
def test_hook_that_frees_a_key_and_makes_another_one_at_its_address(encode: Any, is_shared: bool) -> None:
    key = fresh("the first key")
    address = id(key)
    rows: list[Any] = [{key: 1}, *([{key: 1}, {key: 1}] if is_shared else []), object(), None, None, {"last": 4}]
    del key
    n_first = len(rows) - 4

    def hook(value: object) -> Any:
        rows[:n_first] = [None] * n_first
        key = key_at(address)
        rows[-3:-1] = [{key: 3}, {key: 3}]
        return {key: 2}

    text = encode(rows, default=hook)
    (replaced,) = rows[-2]
    expected = [*[{"the first key": 1}] * n_first, {replaced: 2}, *[{replaced: 3}] * 2, {"last": 4}]
    assert text == json.dumps(expected, separators=(",", ":"))


class FinalisedDict(dict[str, Any]):
    """An empty dict that calls a function when it is freed."""

    def __init__(self, finalise: Callable[[], None]) -> None:
        self.finalise = finalise

    def __del__(self) -> None:
        self.finalise()


def list_of(first: Any, rows: list[Any]) -> Any:
    return [first, object(), *rows]  # freed from its end


def tuple_of(first: Any, rows: list[Any]) -> Any:
    return (first, object(), *rows)


def dict_of_list(last: Any, rows: list[Any]) -> Any:
    return {"hook": object(), "rows": rows, "last": last}


def dict_of_dicts(last: Any, rows: list[Any]) -> Any:
    return {"hook": object(), **{f"row {n}": row for n, row in enumerate(rows)}, "last": [last]}


@pytest.mark.skipif(IS_FREE_THREADED, reason="without the GIL a list is written as it was before the hook changed it")
@pytest.mark.parametrize("n_rows", [1, 3, 300])
@pytest.mark.parametrize("container", [list_of, tuple_of, dict_of_list, dict_of_dicts])
def test_container_that_is_freed_once_it_is_written_and_whose_finaliser_makes_a_key(
    container: Any, n_rows: int
) -> None:
    """The hook drops the container that is being walked: the walk has the last reference to it, and so to its keys."""
    for encode in (_core.dumps, dumps_by_bytes):
        document: list[Any] = [None, None, {"last": 3}]
        key = fresh("the first key")

        def finalise(document: list[Any] = document, address: int = id(key)) -> None:
            document[1] = {key_at(address): 2}

        def hook(value: object, document: list[Any] = document) -> Any:
            document[0] = None
            return 0

        document[0] = container(FinalisedDict(finalise), [{key: 1} for _ in range(n_rows)])
        del key
        text = encode(document, default=hook)
        assert document[1] is not None
        assert text.endswith(json.dumps(document[1:], separators=(",", ":")).removeprefix("["))
        assert text.count('"the first key":1') == n_rows


def test_kept_texts_hold_their_keys_and_nothing_more() -> None:
    """A document of many keys leaves no more of them in memory than there are texts and remembered orders."""
    for options in ({}, {"sort_keys": True}):
        shared = [fresh(f"shared key {n}") for n in range(20_000)]
        before = sum(map(sys.getrefcount, shared))
        rows = [dict.fromkeys(shared[n : n + 4], 1) for n in range(0, len(shared), 4)]
        for encode in (_core.dumps, _core.dumps_to_bytes):
            encode(rows, **options)
        del rows
        n_held = sum(map(sys.getrefcount, shared)) - before
        assert n_held <= 512 + 1024
        n_before = n_held
        own = [{fresh(f"own key {n} {k}"): k for k in range(4)} for n in range(5_000)]
        _core.dumps_to_bytes(own, **options)
        n_held_of_own = sum(sys.getrefcount(key) - 3 for row in own for key in row)
        assert n_held_of_own <= 0, "a key that a single dict holds is not kept"
        assert sum(map(sys.getrefcount, shared)) - before == n_before


def test_long_keys_are_not_kept() -> None:
    long = fresh("k" * 1000)
    before = sys.getrefcount(long)
    rows = [{long: 1, "a": 2}] * 300
    del rows[100:]
    for options in ({}, {"sort_keys": True}, {"ensure_ascii": True}):
        _core.dumps_to_bytes(rows, **options)
        _core.dumps(rows, **options)
    del rows
    assert sys.getrefcount(long) == before


FORMATS: tuple[dict[str, Any], ...] = (
    {},
    {"ensure_ascii": True},
    {"separators": (", ", ": ")},
    {"separators": (",", ": ")},
    {"separators": (", ", ":")},
    {"separators": (";", "=")},
    {"separators": (",\0", ":\0")},
    {"separators": (" ,", " :")},
    {"separators": ("", "")},
    {"separators": (",,,,", "::::")},
    {"separators": (",     ", ":     ")},
    {"indent": 0},
    {"indent": 2},
    {"indent": "é"},
    {"html_safe": True},
    {"line_safe": True},
    {"escape_surrogates": True},
    {"sort_keys": True},
    {"is_write_cache": True},
)


def test_text_of_one_format_is_not_used_in_another() -> None:
    """The same keys by turns in each format and output: what one call keeps, the next one finds."""
    keys = ["name", "<script>", "clé", "ключ", "钥匙", "🔑", "line\u2028", "x" * 40, "é" * 20]
    row = dict.fromkeys(sorted(keys), "v")
    values = ["a", "é", "ж", "😀", "\u2028<"]
    expected: dict[Any, str] = {}
    for turn in range(2):
        for value in values if not turn else values[::-1]:
            document = [row, {**row, "last": value}, row]
            for options in FORMATS:
                is_bytes_only = "is_write_cache" in options or "escape_surrogates" in options
                for encode in (dumps_by_bytes,) if is_bytes_only else (_core.dumps, dumps_by_bytes):
                    text = encode(document, **options)
                    number = (value, str(options), encode)
                    assert text == expected.setdefault(number, text)
                    plain = options.keys() <= {"ensure_ascii", "separators", "indent", "sort_keys"}
                    if plain:
                        assert text == stdlib_json.dumps(document, **options)


@pytest.mark.skipif(IS_FREE_THREADED, reason="without the GIL nothing is kept")
def test_cache_is_written_where_the_text_of_a_key_is_kept() -> None:
    key = "".join(["клю", "ч"])
    rows = [{key: 1}, {key: 2}]
    _core.dumps_to_bytes(rows)
    assert _core.utf8_cache_size(key) == 0
    _core.dumps_to_bytes(rows, is_write_cache=True)
    assert _core.utf8_cache_size(key) > 0


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
            assert json.loads(_core.dumps_to_bytes(rows, default=hook)) == expected

    in_threads(work, [f"thread {n}" for n in range(4)])


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
