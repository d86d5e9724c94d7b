"""The arguments of compare mode, which every adapter has. The rest is imported where they ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ssrjson_web._compare.comparison import Comparison

__all__ = ["checked_comparison"]


def checked_comparison(
    compare: object, serve: object, mask: object = True, *, names: tuple[str, str, str] = ("compare", "serve", "mask")
) -> Comparison | None:
    """The comparison that arguments ask for; None for a share of 0. Raises TypeError and ValueError that name them."""
    if isinstance(compare, bool) or not isinstance(compare, (int, float)):
        raise TypeError(f"{names[0]} must be a share of requests, a number from 0 to 1, not {compare!r}")
    if not 0 <= compare <= 1:
        raise ValueError(f"{names[0]} must be a share of requests, from 0 to 1, not {compare!r}")
    if serve not in ("stock", "core"):
        raise ValueError(f"{names[1]} must be 'stock' or 'core', not {serve!r}")
    if not isinstance(mask, bool):
        raise TypeError(f"{names[2]} must be True or False, not {mask!r}")
    if not compare:
        return None
    from ssrjson_web._compare.comparison import Comparison

    return Comparison(compare, serve, mask=mask)
