"""Indented text at every level: the lines of each container are read from it in place."""

from __future__ import annotations

import enum
import json
import random
import uuid
from typing import Any

import pytest
from helpers import json_documents

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

INDENTS = [0, 1, 2, 7, 40, "\t", "", "ab", "é", "　 "]
SCRIPTS = list(json_documents.CLASSES.values())


def assert_indented(value: Any, **options: Any) -> None:
    expected = json.dumps(value, ensure_ascii=False, **options)
    assert _core.dumps(value, **options) == expected
    assert _core.dumps_to_bytes(value, **options) == expected.encode()
    escaped = json.dumps(value, **options)
    assert _core.dumps(value, ensure_ascii=True, **options) == escaped


def random_value(draw: random.Random, depth: int) -> Any:
    def text() -> str:
        letters = draw.choice(SCRIPTS) * draw.choice((0, 1, 3, 20, 33, 70, 130))
        return letters + draw.choice(("", '"', "\n", "x"))

    kind = draw.randrange(9 if depth > 0 else 6)
    if kind == 6:
        return [random_value(draw, depth - 1) for _ in range(draw.randrange(5))]
    if kind == 7:
        return tuple(random_value(draw, depth - 1) for _ in range(draw.randrange(4)))
    if kind == 8:
        keys: list[Any] = [text(), draw.randrange(99), "key", draw.random(), None, True, "a" * draw.randrange(80)]
        return {key: random_value(draw, depth - 1) for key in draw.sample(keys, draw.randrange(5))}
    return (text(), draw.getrandbits(70) - 2**69, draw.random(), None, True, draw.randrange(1000))[kind]


@pytest.mark.parametrize("indent", INDENTS, ids=repr)
def test_indented_text_equals_stdlib(indent: int | str) -> None:
    draw = random.Random(44)
    for separators in (None, (",", ":"), (" ; ", " = "), ("，", ":"), ("-" * 9, "=" * 9)):
        for _ in range(60):
            assert_indented(random_value(draw, 5), indent=indent, separators=separators)


@pytest.mark.parametrize("indent", [1, 2, 3, 4, 8, 100, "\t", "ab"], ids=repr)
def test_each_depth(indent: int | str) -> None:
    """Lines of few characters, of more than are stored at once, and of more than room is left for."""
    for leaf in (1.5, "文"):
        lists: Any = leaf
        mixed: Any = leaf
        for depth in range(150):
            lists = [depth, lists, depth]
            mixed = [mixed, [], depth] if depth % 2 else {"a": depth, "b": mixed, "c": {}}
            if depth % 7 == 0 or depth < 40:
                assert_indented([lists, mixed], indent=indent)


@pytest.mark.parametrize("sort_keys", [False, True])
def test_lines_at_the_end_of_the_memory(sort_keys: bool) -> None:
    """Texts of many lengths, so that each thing is written where the room ends."""
    pad = json_documents.CLASSES["ascii"]
    for n in range(0, 600, 3):
        filler = ["", pad * 100] * 6 + [pad * n]
        nested: Any = [{"k" * 30: "\x01" * 128, "a": [[["\x01" * 60]]]}, 2.5, None, {}, [], 2**64]
        assert_indented([filler, nested, {"z": filler, "b": nested}], indent=10, sort_keys=sort_keys)


def test_skipped_keys_leave_no_line() -> None:
    for value in ({(1,): 2}, {(1,): 2, "a": 1}, {"a": 1, (1,): 2}, {(1,): 2, (2,): 3, "b": [{(3,): 4}]}):
        for indent in (1, "é"):
            assert_indented(value, indent=indent, skipkeys=True)


def test_dicts_with_holes_and_shared_tables() -> None:
    class Point:
        def __init__(self) -> None:
            self.x, self.y, self.z = 1, [2], {}

    holes = {str(n): n for n in range(20)}
    for n in range(0, 20, 3):
        del holes[str(n)]
    rows = _core.loads(json.dumps([{"id": n, "name": "é", "tags": [n]} for n in range(9)]))
    assert_indented([holes, Point().__dict__, rows, [Point().__dict__]], indent=2)


def test_native_keys_are_not_taken_for_one_another() -> None:
    """Each such key is a str that is made for its item alone; the wide one makes the text wider half-way."""

    class Name(enum.Enum):
        WIDE = "中"
        PLAIN = "plain"

    value = [{uuid.UUID(int=n): n for n in range(50)}, {Name.PLAIN: 1, Name.WIDE: 2, uuid.UUID(int=1): 3, "k": 4}] * 3
    plain = [{str(key.value if isinstance(key, Name) else key): item for key, item in pairs.items()} for pairs in value]
    got = _core.dumps(value, natives=True, indent=2)
    assert got == json.dumps(plain, ensure_ascii=False, indent=2)
    assert _core.dumps_to_bytes(value, natives=True, indent=2) == got.encode()


def test_hook_that_changes_the_containers_that_are_being_written() -> None:
    for change in ("append", "clear", "pop", "replace"):

        def hook(odd: Any, change: str = change) -> Any:
            items, pairs = odd.containers
            if change == "append":
                items.append("more")
                pairs["more"] = "é中😀"
            elif change == "clear":
                items.clear()
                pairs.clear()
            elif change == "pop":
                items.pop()
                pairs.popitem()
            else:
                items[:] = ["x" * 50] * 50
                pairs.update({str(n): n for n in range(100)})
            return {"inner": [1, {"a": []}]}

        def made() -> Any:
            class Odd:
                containers: tuple[list[Any], dict[Any, Any]]

            odd = Odd()
            items: list[Any] = ["first", odd, "last"]
            pairs: dict[Any, Any] = {"first": 1, "odd": odd, "items": items, "last": 2}
            odd.containers = (items, pairs)
            return [{"a": pairs}, items]

        for encode in (_core.dumps, _core.dumps_to_bytes):
            indented, compact = encode(made(), default=hook, indent=3), encode(made(), default=hook)
            assert json.loads(indented) == json.loads(compact), change
            assert indented == encode(json.loads(indented), indent=3)
