"""Strings whose one interesting character stands at each lane of a vector, in every PEP 393 kind."""

from __future__ import annotations

import random
from collections.abc import Iterator

VECTOR_LENGTHS = (8, 16, 32, 64)
LENGTHS = sorted({0, 1} | {n for length in VECTOR_LENGTHS for n in (length - 1, length, length + 1, 2 * length + 3)})
LONGEST = LENGTHS[-1]
# four of the widest vectors at once, with and without a rest
BLOCK_LENGTHS = (255, 256, 257, 256 + 64 + 3)

# one code point of each class: bytes in UTF-8, width in a str
CLASSES = {
    "ascii": "a",
    "latin-1": "é",
    "two bytes in ucs2": "я",
    "three bytes": "中",
    "four bytes": "😀",
}
# a last character that forces the kind of the whole str
ANCHORS = {"ascii": "", "latin-1": "ÿ", "ucs2": "\uffff", "ucs4": "\U0010ffff"}
# the first and last code point of each UTF-8 length and each PEP 393 kind, and of the surrogates' neighbours
EDGES = "\x20\x7e\x7f\x80\xff\u0100\u07ff\u0800\ud7ff\ue000\ufeff\ufffd\uffff\U00010000\U0001f600\U0010ffff"
ESCAPED = [chr(c) for c in range(0x20)] + ['"', "\\"]
SURROGATES = "\ud800\udbff\udc00\udfff"


def at_every_lane(special: str, fill: str, anchor: str = "") -> Iterator[str]:
    """`special` at each index of a run of `fill`, for each length around vector edges."""
    for length in LENGTHS:
        for index in range(length):
            yield fill * index + special + fill * (length - 1 - index) + anchor


def at_every_lane_of_blocks(special: str, fill: str) -> Iterator[str]:
    """`special` at each index of a run of `fill` that is several vectors long."""
    for length in BLOCK_LENGTHS:
        for index in range(length):
            yield fill * index + special + fill * (length - 1 - index)


def changes_of_class(first: str, second: str, length: int) -> Iterator[str]:
    """From one class to another at every index, and there and back again."""
    for index in range(length + 1):
        yield first * index + second * (length - index)
        yield first * index + second + first * (length - index)
        yield first * index + second * 2 + first * (length - index)


def mixed(alphabet: str, n_strings: int, seed: int, longest: int = LONGEST + 10) -> Iterator[str]:
    """Seeded random strings, each with its own few characters of the alphabet and its own length of runs."""
    draw = random.Random(seed)
    for _ in range(n_strings):
        letters = draw.sample(alphabet, draw.randint(1, min(5, len(alphabet))))
        longest_run = draw.choice((1, 2, 5, 20))
        length = draw.randint(0, longest)
        text = ""
        while len(text) < length:
            text += draw.choice(letters) * draw.randint(1, longest_run)
        yield text[:length]
