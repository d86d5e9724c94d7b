"""What counts the values that an object of a route validates."""

from __future__ import annotations

__all__ = ["ValidationCounter"]


class ValidationCounter:
    """Counts the values that an object of a route validates."""

    def __init__(self) -> None:
        self.n_bypassed = self.n_validated = 0
