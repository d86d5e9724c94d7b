"""The resident catalogue: product records, made from a seed. Each string belongs to one record."""

from __future__ import annotations

import functools
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.kit.lexicon import LEXICONS, SCRIPTS, Lexicon

__all__ = ["MEGABYTE", "PAGE_RECORDS", "Catalogue", "Record", "generate", "make_page", "make_record", "strings"]

Record = dict[str, Any]

MEGABYTE = 1_000_000
PAGE_RECORDS = 20
_POOL_SENTENCES = 500
_SEED_STRIDE = 1 << 32


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """Records kept in memory, and the size of their objects."""

    script: str
    seed: int
    records: list[Record]
    n_bytes: int
    """All objects of the records: dicts, lists, numbers and text."""
    text_bytes: int
    """The strings among them."""

    @property
    def pages(self) -> int:
        """Pages of PAGE_RECORDS records; the last may be shorter."""
        return -(-len(self.records) // PAGE_RECORDS)

    def page(self, number: int) -> list[Record]:
        """The records of one page, counted from 0."""
        return self.records[number * PAGE_RECORDS : (number + 1) * PAGE_RECORDS]


def generate(*, megabytes: float, script: str = "mixed", seed: int = 1) -> Catalogue:
    """A catalogue of about `megabytes`; the record that exceeds the size is the last.

    The same arguments give the same records in any process. Their number depends on the version of Python, because
    the size of dicts differs. Raises KeyError for an unknown script.
    """
    records: list[Record] = []
    total = text = 0
    wanted = megabytes * MEGABYTE
    while total < wanted:
        record = make_record(len(records), script=script, seed=seed)
        records.append(record)
        record_bytes, record_text = _sizes(record)
        total += record_bytes
        text += record_text
    return Catalogue(script=script, seed=seed, records=records, n_bytes=total, text_bytes=text)


def make_page(number: int, *, of: int, script: str, seed: int) -> list[Record]:
    """Page `number` of a catalogue of `of` records, made without the catalogue."""
    first = number * PAGE_RECORDS
    return [make_record(index, script=script, seed=seed) for index in range(first, min(first + PAGE_RECORDS, of))]


def make_record(index: int, *, script: str, seed: int) -> Record:
    """Record `index`, created again in each call: no two calls share a string value."""
    names = SCRIPTS[script]
    name = names[index % len(names)]
    lexicon = LEXICONS[name]
    sentences = _sentences(name)
    rng = random.Random(seed * _SEED_STRIDE + index)
    return {
        "id": index + 1,
        "sku": f"SKU-{index:07d}-{rng.randrange(10_000):04d}",
        "name": _phrase(rng, lexicon),
        "category": lexicon.word_separator.join(rng.sample(lexicon.products, k=2)),
        "description": "".join(rng.sample(sentences, k=rng.randint(*lexicon.sentences))),
        "price": rng.randrange(100, 100_000) / 100,
        "stock": rng.randrange(257, 5_000),
        "updated": _timestamp(rng),
        "tags": [_phrase(rng, lexicon) for _ in range(3)],
        "reviews": [
            {
                "author": lexicon.word_separator.join(
                    (rng.choice(lexicon.family_names), rng.choice(lexicon.given_names))
                ),
                "stars": rng.randrange(1, 6),
                "text": "".join(rng.sample(sentences, k=2)),
            }
            for _ in range(2)
        ],
    }


def strings(record: Record) -> Iterator[str]:
    """Every string value of a record."""
    for value in record.values():
        if isinstance(value, str):
            yield value
    yield from record["tags"]
    for review in record["reviews"]:
        yield review["author"]
        yield review["text"]


def _phrase(rng: random.Random, lexicon: Lexicon) -> str:
    return lexicon.word_separator.join((rng.choice(lexicon.qualities), rng.choice(lexicon.products)))


def _timestamp(rng: random.Random) -> str:
    day = rng.randrange(28) + 1
    return f"2025-{rng.randrange(12) + 1:02d}-{day:02d}T{rng.randrange(24):02d}:{rng.randrange(60):02d}:00Z"


@functools.cache
def _sentences(name: str) -> tuple[str, ...]:
    """Sentences for descriptions. They are prepared once, so that a record only has to join a few."""
    lexicon = LEXICONS[name]
    rng = random.Random(f"sentences in {name}")
    pool = []
    for _ in range(_POOL_SENTENCES):
        text = lexicon.clause_separator.join(rng.sample(lexicon.clauses, k=rng.randint(2, 3)))
        pool.append(text[0].upper() + text[1:] + lexicon.sentence_end)
    return tuple(pool)


def _sizes(record: Record) -> tuple[int, int]:
    """Bytes of all of a record's own objects, and of its strings."""
    size = sys.getsizeof
    text = sum(map(size, strings(record)))
    reviews = record["reviews"]
    containers = size(record) + size(record["tags"]) + size(reviews) + sum(map(size, reviews))
    numbers = size(record["id"]) + size(record["price"]) + size(record["stock"])
    return containers + numbers + text, text
