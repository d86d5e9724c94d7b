"""The cached UTF-8 copies that a graph's strings hold, counted without the library under test."""

from __future__ import annotations

import sys

# A fresh, non-ASCII, one-character str: its header, one UCS-2 unit and the terminating one.
_HEADER_BYTES = sys.getsizeof(chr(0x4E2D)) - 2 * 2


def string_cache_bytes(text: str) -> int:
    """Bytes of the cached UTF-8 copy that `text` holds, its NUL included; 0 for ASCII, which is its own UTF-8.

    Single latin-1 characters count as 0: CPython shares one object of each, so what they hold is not ours.
    """
    if text.isascii() or len(text) == 1:
        return 0
    widest = max(text)
    unit_bytes = 1 if widest < "\u0100" else 2 if widest < "\U00010000" else 4
    return sys.getsizeof(text) - _HEADER_BYTES - (len(text) + 1) * unit_bytes


def graph_cache_bytes(root: object) -> int:
    """Bytes of cached UTF-8 copies held by the strings in a graph of dicts and lists, each string counted once."""
    seen: set[int] = set()
    pending: list[object] = [root]
    total = 0
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            if id(value) not in seen:
                seen.add(id(value))
                total += string_cache_bytes(value)
        elif isinstance(value, dict):
            pending.extend(value)
            pending.extend(value.values())
        elif isinstance(value, list | tuple):
            pending.extend(value)
    return total
