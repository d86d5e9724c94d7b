"""The objects whose strings a scan looks into."""

from __future__ import annotations

import threading

__all__ = ["unwatch", "watch", "watched_roots"]

_lock = threading.Lock()
_roots: list[object] = []


def watch(*roots: object) -> None:
    """Have scans count the UTF-8 copies in all strings under these objects, such as a catalogue or a cache.

    They are kept alive until `unwatch`. An object that is watched already is not added again.
    """
    with _lock:
        for root in roots:
            if not any(root is known for known in _roots):
                _roots.append(root)


def unwatch(*roots: object) -> None:
    """Let go of objects that were watched; of others nothing happens."""
    with _lock:
        _roots[:] = [known for known in _roots if not any(known is root for root in roots)]


def watched_roots() -> tuple[object, ...]:
    """What is watched, in the order in which it came."""
    with _lock:
        return tuple(_roots)
