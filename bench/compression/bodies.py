"""JSON bodies of given sizes, from generated product records."""

from __future__ import annotations

from typing import Any

from bench.kit.records import make_record
from ssrjson_web import Encoder

__all__ = ["SCRIPTS", "SIZES", "body_of", "rows_of"]

SCRIPTS = {"Chinese": "chinese", "English": "ascii"}
SIZES = (1_000, 10_000, 50_000, 500_000)
_SEED = 20
_MAX_CHARS = 60


def rows_of(language: str, n_bytes: int) -> list[dict[str, Any]]:
    """Records whose JSON, in UTF-8, has about `n_bytes`: the last one is the first to reach them."""
    encode = Encoder().encode
    rows: list[dict[str, Any]] = []
    size = 2
    while size < n_bytes - 100:
        row = make_record(len(rows), script=SCRIPTS[language], seed=_SEED)
        del row["reviews"]
        row["description"] = row["description"][:_MAX_CHARS]  # whole ones have the same sentences again and again
        rows.append(row)
        size += len(encode(row)) + 1
    return rows


def body_of(language: str, n_bytes: int) -> bytes:
    """The compact JSON of `rows_of`."""
    return Encoder().encode(rows_of(language, n_bytes))
