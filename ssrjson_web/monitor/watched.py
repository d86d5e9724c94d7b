"""The objects whose strings a scan counts."""

from __future__ import annotations

import threading

__all__ = ["unwatch", "watch", "watched_roots"]

_lock = threading.Lock()
_roots: list[object] = []


def watch(*roots: object) -> None:
    """Make scans count the cached UTF-8 copies in all strings under these objects, such as a catalogue or a cache.

    The objects are kept alive until `unwatch`. An object that is already watched is not added again.
    """
    with _lock:
        for root in roots:
            if not any(root is known for known in _roots):
                _roots.append(root)


def unwatch(*roots: object) -> None:
    """Stop watching these objects; others are ignored."""
    with _lock:
        _roots[:] = [known for known in _roots if not any(known is root for root in roots)]


def watched_roots() -> tuple[object, ...]:
    """The watched objects, in the order in which they were added."""
    with _lock:
        return tuple(_roots)
