"""The layout of floats with `models=True`."""

from __future__ import annotations

from typing import Literal

__all__ = ["layout_of_pydantic"]


def layout_of_pydantic() -> Literal["e+16", "e16"]:
    """The core's option `floats` that gives the installed pydantic's layout, or the newest one where it is missing."""
    try:
        from pydantic_core import to_json
    except ImportError:  # not installed, or not for subinterpreters
        return "e+16"
    return "e+16" if to_json(1e16) == b"1e+16" else "e16"
