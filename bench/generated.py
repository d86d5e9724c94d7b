"""Generated documents: deterministic, the same in every Python version and on every machine."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Mapping, Sequence

from bench.vocabulary import VOCABULARIES, Vocabulary

N_ROWS = 100
"""Records in a document of rows: a page that an API returns."""
N_NUMBERS = 10_000


class Dice:
    """Repeatable choices. It uses only `Random.random`: Python promises the same sequence in all versions."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def unit(self) -> float:
        """A double in [0, 1)."""
        return self._random.random()

    def below(self, limit: int) -> int:
        """An int in [0, limit), limit <= 2**53."""
        return int(self._random.random() * limit)

    def bits64(self) -> int:
        """64 random bits."""
        return self.below(1 << 32) << 32 | self.below(1 << 32)

    def pick(self, choices: Sequence[str]) -> str:
        """One of `choices`."""
        return choices[self.below(len(choices))]

    def phrase(self, vocabulary: Vocabulary, n_words: int) -> str:
        """`n_words` words, joined as the script joins them."""
        return vocabulary.joiner.join(self.pick(vocabulary.words) for _ in range(n_words))


def rows(script: str) -> list[object]:
    """100 records of a typical API in the words of one script; the keys are ASCII."""
    dice, vocabulary = Dice(1), VOCABULARIES[script]
    return [_row(dice, vocabulary, number) for number in range(N_ROWS)]


def _row(dice: Dice, vocabulary: Vocabulary, number: int) -> dict[str, object]:
    return {
        "id": 104_729 + 17 * number,
        "sku": f"A{dice.below(10_000):04}-{dice.below(100_000):05}",
        "title": dice.phrase(vocabulary, 3 + dice.below(4)),
        "summary": dice.phrase(vocabulary, 12 + dice.below(18)) + vocabulary.stop,
        "seller": {
            "name": dice.phrase(vocabulary, 2),
            "email": f"seller{dice.below(1000)}@example.com",
            "verified": dice.below(2) == 0,
        },
        "tags": [dice.pick(vocabulary.words) for _ in range(1 + dice.below(4))],
        "price": (100 + dice.below(90_000)) / 100,
        "discount": None if dice.below(3) else 0.15,
        "stock": dice.below(500),
        "created_at": f"2024-{1 + dice.below(12):02}-{1 + dice.below(28):02}T{dice.below(24):02}:30:00Z",
        "active": dice.below(4) != 0,
    }


def escape_rows(lines: Sequence[str]) -> list[object]:
    """100 records with markup or source code as text: quotes, backslashes, line feeds and tabs throughout."""
    dice = Dice(2)
    return [
        {"id": number, "body": "\n".join(dice.pick(lines) for _ in range(6 + dice.below(10)))}
        for number in range(N_ROWS)
    ]


def long_text(script: str, n_bytes: int = 1_000_000) -> str:
    """One string of `n_bytes` of UTF-8, a word more or less, in the words of one script."""
    dice, vocabulary = Dice(3), VOCABULARIES[script]
    parts: list[str] = []
    missing = n_bytes
    while missing > 0:
        parts.append(dice.pick(vocabulary.words) + vocabulary.joiner)
        missing -= len(parts[-1].encode())
    return "".join(parts)


def paragraphs(script: str, n_chars: int = 300) -> list[str]:
    """Strings of `n_chars` in the words of one script, 20 KB of UTF-8."""
    text = long_text(script, 20_000)
    return [text[start : start + n_chars] for start in range(0, len(text), n_chars)]


def strings_by_length(unit: str) -> list[str]:
    """Strings of every length from 0 to 64 characters, 20 times over in a scattered order."""
    dice = Dice(4)
    return [
        "".join(chr(ord(unit) + dice.below(20)) for _ in range((31 * step + turn) % 65))
        for turn in range(20)
        for step in range(65)
    ]


def names(scripts: Sequence[str]) -> list[str]:
    """20,000 names of one to four words, of 1,000 different ones.

    The order of their lengths, and of their scripts, is too long for a CPU to learn, as that of real data is."""
    dice = Dice(9)
    known = [dice.phrase(VOCABULARIES[dice.pick(scripts)], 1 + dice.below(4)) for _ in range(1000)]
    return [dice.pick(known) for _ in range(20_000)]


def tags(script: str) -> list[str]:
    """5,000 words of the vocabulary of one script, each many times."""
    dice, vocabulary = Dice(19), VOCABULARIES[script]
    return [dice.pick(vocabulary.words) for _ in range(5000)]


def labels(script: str) -> list[str]:
    """2,000 short strings that are all different: a word or two and a number."""
    dice, vocabulary = Dice(20), VOCABULARIES[script]
    return [f"{dice.phrase(vocabulary, 1 + dice.below(2))}{number}" for number in range(2000)]


def word_map(script: str) -> dict[str, int]:
    """A map with 1,000 short keys of one script that are all different."""
    dice, vocabulary = Dice(21), VOCABULARIES[script]
    return {f"{dice.phrase(vocabulary, 1 + dice.below(2))}{number}": dice.below(1000) for number in range(1000)}


def comments() -> list[str]:
    """4,000 texts of 3 to 60 English words, up to 400 characters; one in three has a line feed or a word in quotes."""
    dice, vocabulary = Dice(10), VOCABULARIES["ascii"]
    texts = []
    for _ in range(4000):
        begin, end = (dice.phrase(vocabulary, 1 + dice.below(30)) for _ in range(2))
        quoted = dice.pick(vocabulary.words)
        middle = (" ", " ", " ", " ", "\n", f' "{quoted}" ')[dice.below(6)]
        texts.append(begin + middle + end)
    return texts


def flags() -> list[object]:
    """5,000 records of a number and flags that are true, false or unknown, in no order that a CPU could learn."""
    dice = Dice(11)
    return [
        {
            "id": dice.below(100_000),
            "active": dice.below(2) == 0,
            "verified": dice.below(4) != 0,
            "public": dice.below(10) == 0,
            "newsletter": None if dice.below(5) == 0 else dice.below(2) == 0,
        }
        for _ in range(5000)
    ]


def long_keys() -> list[object]:
    """100 objects of 20 ASCII keys of 30 to 70 characters each: generated clients and configuration dumps."""
    dice, words = Dice(5), VOCABULARIES["ascii"].words
    keys = []
    for number in range(20):
        key = f"field_{number}"
        while len(key) < 30 + 2 * number:
            key += "_" + dice.pick(words)
        keys.append(key[:70])
    return [{key: dice.below(1000) for key in keys} for _ in range(100)]


def small_web(script: str) -> dict[str, object]:
    """The answer of a small endpoint: about 200 bytes."""
    dice, vocabulary = Dice(6), VOCABULARIES[script]
    return {
        "id": 48_271,
        "name": dice.phrase(vocabulary, 2),
        "email": "reader@example.com",
        "roles": ["reader", "editor"],
        "active": True,
        "score": 87.5,
        "last_login": "2024-05-17T08:30:00Z",
        "manager": None,
        "note": dice.phrase(vocabulary, 5),
    }


def article_object() -> dict[str, str]:
    """The object of the ssrJSON article: keys and values double in length, 590 KB of UTF-8 in all."""
    return {"中" * 2**power: "文" * 2 ** (power + 1) for power in range(16)}


def _wide_double(dice: Dice) -> float:
    """A finite double with any exponent."""
    while True:
        value: float = struct.unpack("<d", struct.pack("<Q", dice.bits64()))[0]
        if abs(value) < float("inf"):
            return value


_NUMBERS: Mapping[str, tuple[int, Callable[[Dice], object]]] = {
    "random-floats": (11, Dice.unit),
    "wide-floats": (12, _wide_double),
    "short-floats": (13, lambda dice: dice.below(100_000) / 100),
    "ints-64-bit": (14, lambda dice: dice.bits64() - 2**63),
    "small-ints": (15, lambda dice: dice.below(1000)),
    "bool-null": (16, lambda dice: (True, False, None)[dice.below(3)]),
}


NUMBER_KINDS = tuple(_NUMBERS)


def numbers(kind: str) -> list[object]:
    """10,000 values of one kind of number, or of booleans and nulls."""
    seed, draw = _NUMBERS[kind]
    dice = Dice(seed)
    return [draw(dice) for _ in range(N_NUMBERS)]


def coordinates() -> list[object]:
    """2,000 points as objects of two floats with six digits after the point."""
    dice = Dice(17)
    return [
        {"lat": (dice.below(180_000_000) - 90_000_000) / 1e6, "lng": (dice.below(360_000_000) - 180_000_000) / 1e6}
        for _ in range(2000)
    ]


def int_lists() -> list[object]:
    """5,000 lists of 1 to 8 ints, each of 1 to 6 digits."""
    dice = Dice(18)
    return [[dice.below(10 ** (1 + dice.below(6))) for _ in range(1 + dice.below(8))] for _ in range(5000)]


def pairs() -> list[object]:
    """5,000 lists of two ints below 1,000: edges, ranges."""
    dice = Dice(22)
    return [[dice.below(1000), dice.below(1000)] for _ in range(5000)]


def empty_lists() -> list[object]:
    """A list of 10,000 empty lists."""
    return [[] for _ in range(10_000)]


def nested_lists() -> list[object]:
    """100 towers of 100 nested lists: as deep as every rival goes."""
    towers: list[object] = []
    for _ in range(100):
        tower: list[object] = []
        for _ in range(99):
            tower = [tower]
        towers.append(tower)
    return towers
