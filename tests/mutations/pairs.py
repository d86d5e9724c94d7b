"""Pairs of calls for libraries whose own classes ours serve."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

__all__ = ["pair_of"]


def pair_of(
    use: Callable[[], Any], disabled: Callable[[], AbstractContextManager[Any]]
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """A call in the library's own way, and the same call by ours."""

    def by_stock() -> Any:
        with disabled():
            return use()

    return by_stock, use
