"""How floats are laid out beside models."""

from __future__ import annotations

from typing import Literal

__all__ = ["layout_of_pydantic"]


def layout_of_pydantic() -> Literal["e+16", "e16"]:
    """The core's option `floats` for what the installed pydantic writes; for its newest version where none is."""
    try:
        from pydantic_core import to_json
    except ImportError:  # not installed, or not for subinterpreters
        return "e+16"
    return "e+16" if to_json(1e16) == b"1e+16" else "e16"
