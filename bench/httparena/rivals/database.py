"""What the applications share: the query of `async-db`, and its rows as items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["MAX_ITEMS", "QUERY", "answer_of"]

MAX_ITEMS = 50
QUERY = (
    "SELECT id, name, category, price, quantity, active, tags, rating_score, rating_count"
    " FROM items WHERE price BETWEEN {} AND {} LIMIT {}"
)


def answer_of(rows: Sequence[Any]) -> dict[str, Any]:
    """The answer with rows that are read by the names of their columns."""
    items = [
        {
            **{name: row[name] for name in ("id", "name", "category", "price", "quantity", "active", "tags")},
            "rating": {"score": row["rating_score"], "count": row["rating_count"]},
        }
        for row in rows
    ]
    return {"items": items, "count": len(items)}
