"""The data of the applications: resident records, one catalogue for each script, and records made for one request."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bench.kit.lexicon import LEXICONS
from bench.kit.records import generate, make_record, strings
from ssrjson_web import memory

Record = dict[str, Any]

SCRIPTS: Mapping[str, tuple[str, ...]] = {
    "mix": ("chinese", "japanese", "russian", "french", "ascii"),
    **{name: (name,) for name in LEXICONS},
}
"""The scripts of the catalogues, by the value of SCRIPT. `ascii` is the control: memory never grows by copies."""

RESIDENT, FRESH, POSTED = 1, 2, 3
"""Seeds of the resident records, of those made for a GET, and of those that a client posts."""
MAX_RECORDS = 200


@dataclass(frozen=True, kw_only=True)
class Review:
    """A part of a Product."""

    author: str
    stars: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Product:
    """A record as an object, as an ORM would give it."""

    id: int
    sku: str
    name: str
    category: str
    description: str
    price: float
    stock: int
    updated: str
    tags: list[str]
    reviews: list[Review]

    @classmethod
    def of(cls, record: Record) -> Product:
        """The record; its strings are the record's own."""
        return cls(**{**record, "reviews": [Review(**review) for review in record["reviews"]]})


class Shelf:
    """The catalogues of a process."""

    def __init__(self, *, script: str, megabytes: float) -> None:
        names = SCRIPTS[script]
        self.catalogues = {
            name: generate(megabytes=megabytes / len(names), script=name, seed=RESIDENT).records for name in names
        }
        gc.collect()
        gc.freeze()
        memory.trim()

    def about(self) -> dict[str, Any]:
        """The number of records by script, for the client."""
        return {"pid": os.getpid(), "records": {name: len(records) for name, records in self.catalogues.items()}}

    def resident(self, script: str, first: int, count: int) -> list[Record]:
        """Records that stay in memory. Raises KeyError for an unknown script."""
        return self.catalogues[script][first : first + min(count, MAX_RECORDS)]

    def fresh(self, script: str, first: int, count: int) -> list[Record]:
        """Records that are freed after the request, like rows of a database. Raises KeyError for an unknown script."""
        if script not in self.catalogues:
            raise KeyError(script)
        return made(script, seed=FRESH, first=first, count=min(count, MAX_RECORDS))


def made(script: str, *, seed: int, first: int, count: int) -> list[Record]:
    """New records, the same ones in server and client for the same arguments."""
    return [make_record(index, script=script, seed=seed) for index in range(first, first + count)]


def receipt(records: Iterable[Record]) -> dict[str, int]:
    """The answer to posted records."""
    lengths = [sum(map(len, strings(record))) for record in records]
    return {"records": len(lengths), "characters": sum(lengths)}
