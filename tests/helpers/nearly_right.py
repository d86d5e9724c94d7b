"""Bodies of an item that are right, nearly right and wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["nearly_right"]


def nearly_right(row: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """By name; `row` makes a right one, with changes."""
    return {
        "by alias": row(seller={"name": "é", "Wertung": 4}),
        "by name": row(seller={"name": "é", "rating": 4}),
        "extra": row(more=[1]),
        "an int in place of a float": row(price=3),
        "converted": row(id="5"),
        "wrong": row(id="x"),
        "wrong below": row(seller={"name": 1}),
        "wrong date": row(made="2026-02-30T00:00:00"),
        "missing": {"id": 1},
        "no object": 5,
        "null": None,
    }
