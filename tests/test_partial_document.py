"""The slow decoder of unfinished documents is right: against known values, and against jiter."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from helpers.partial_document import decode_part

N_DOCUMENTS = 400
N_CUTS = 25
CHARACTERS = 'ab "\\/\n\x01\x7fé中😀\u2028'

# a part, its value without and with unfinished strings
KNOWN: list[tuple[str, Any, Any]] = [
    ("1", 1, 1),
    ("[", [], []),
    ("[12", [12], [12]),
    ("[1,12.", [1], [1]),
    ("[1,2e", [1], [1]),
    ("[-", [], []),
    ("[tru", [], []),
    ("[true", [True], [True]),
    ('["ab', [], ["ab"]),
    ('["a\\', [], ["a"]),
    ('["a\\u00e', [], ["a"]),
    ('["a\\ud83d', [], ["a"]),
    ('["a\\ud83d\\ude0', [], ["a"]),
    ('["a\\ud83d\\ude00', [], ["a😀"]),
    ('["a\\ud83db', [], ["a\ud83db"]),
    ('{"a', {}, {}),
    ('{"a"', {}, {}),
    ('{"a":', {}, {}),
    ('{"a":1,"b', {"a": 1}, {"a": 1}),
    ('{"a":"x","a":"y', {"a": "x"}, {"a": "y"}),
    ('{"a":[1,{"b":2,"c":"z', {"a": [1, {"b": 2}]}, {"a": [1, {"b": 2, "c": "z"}]}),
]


@pytest.mark.parametrize(("part", "dropped", "included"), KNOWN, ids=ascii)
def test_known_parts(part: str, dropped: object, included: object) -> None:
    assert decode_part(part.encode(), trailing_strings=False) == dropped
    assert decode_part(part.encode(), trailing_strings=True) == included


@pytest.mark.parametrize("part", ["", " \n", "-", "1.", "tru", "-Inf"])
@pytest.mark.parametrize("trailing_strings", [False, True])
def test_nothing_is_known_yet(part: str, trailing_strings: bool) -> None:
    with pytest.raises(LookupError):
        decode_part(part.encode(), trailing_strings=trailing_strings)


def test_cut_character_waits() -> None:
    assert decode_part('["a€'.encode()[:-1], trailing_strings=True) == ["a"]


def random_value(source: random.Random, depth: int) -> object:
    kind = source.randrange(8 if depth > 0 else 6)
    if kind >= 6:
        n = source.randrange(5)
        if kind == 6:
            return [random_value(source, depth - 1) for _ in range(n)]
        return {random_string(source): random_value(source, depth - 1) for _ in range(n)}
    if kind == 0:
        return source.choice([True, False, None])
    if kind == 1:
        return source.randrange(-(10 ** source.randrange(1, 30)), 10**9)
    if kind == 2:
        return source.uniform(-1, 1) * 10 ** source.randrange(-30, 30)
    return random_string(source)


def random_string(source: random.Random) -> str:
    return "".join(source.choices(CHARACTERS, k=source.randrange(8)))


def outcome(decode: Any, error: type[Exception]) -> str:
    try:
        return repr(decode())
    except error:
        return "nothing"


def test_truncated_documents_are_as_jiter_has_them() -> None:
    jiter = pytest.importorskip("jiter", reason="jiter is not installed")
    source = random.Random(20)
    for _ in range(N_DOCUMENTS):
        value = [random_value(source, 4), random_value(source, 4)]
        indent = source.choice([None, None, 1])
        text = json.dumps(value, ensure_ascii=source.random() < 0.5, indent=indent).encode()
        for _ in range(N_CUTS):
            part = text[: source.randrange(len(text) + 1)]
            for mode in ("on", "trailing-strings"):
                expected = outcome(lambda: jiter.from_json(part, partial_mode=mode), ValueError)  # noqa: B023
                ours = outcome(
                    lambda: decode_part(part, trailing_strings=mode == "trailing-strings"),  # noqa: B023
                    LookupError,
                )
                assert ours == expected, (mode, part)
