"""A call whose cost is guarded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Library = Literal["", "fastapi", "msgspec", "pydantic"]


@dataclass(frozen=True, kw_only=True)
class GuardedCall:
    """One function, its argument, and how often it is called while instructions are counted."""

    name: str
    """Entry point and document: `dumps_to_bytes rows/chinese`."""
    make: Callable[[], tuple[Callable[[Any], object], object]]
    """Makes the function and its argument; its own instructions are not counted."""
    rounds: int
    library: Library = ""
    """The library that the figure depends on too; its release is recorded."""
    warm_ups: int = 3
    """Calls before the count, which fill the caches of keys, shapes and plans."""
    counts_python_calls: bool = False
    """Whether the figure is the number of calls of Python functions, not that of instructions."""
