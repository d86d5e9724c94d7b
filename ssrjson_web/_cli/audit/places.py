"""The strings under an object, by their path and by the type that holds them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ssrjson_web._core import _audit_utf8_cache

__all__ = ["DEPTH", "KEYS", "MAX_DEPTH", "MAX_KEYS", "Audit", "Copies", "audit"]

DEPTH = 12
KEYS = 32
MAX_DEPTH = 100
MAX_KEYS = 2**32 - 1

_STEPS = {"item": "[*]", "keys": ".keys()", "held": ".*", "deeper": "..."}


@dataclass(frozen=True, kw_only=True)
class Copies:
    """Cached UTF-8 copies of strings that are not ASCII: those that exist, and those that could be added."""

    bytes: int = 0
    """Size of the copies that exist."""
    strings: int = 0
    """Strings that hold a copy."""
    more_bytes: int = 0
    """Size of the copies that would be added if a library that makes copies encoded every string."""
    more_strings: int = 0
    """Strings that hold no copy and could get one."""

    @property
    def most_bytes(self) -> int:
        """Maximum size of all copies: those that exist and those that could be added."""
        return self.bytes + self.more_bytes

    def __add__(self, other: Copies) -> Copies:
        return Copies(
            bytes=self.bytes + other.bytes,
            strings=self.strings + other.strings,
            more_bytes=self.more_bytes + other.more_bytes,
            more_strings=self.more_strings + other.more_strings,
        )


@dataclass(frozen=True, kw_only=True)
class Audit:
    """The strings under one object."""

    name: str
    strings: int
    """Number of strings that were visited, ASCII ones included; each counts once."""
    objects: int
    """Number of strings and of objects that were looked into; numbers and the like are not counted."""
    total: Copies
    by_path: dict[str, Copies]
    """By the path, such as `books[*].title`; the path with the largest `most_bytes` first."""
    by_type: dict[str, Copies]
    """By the type that holds the strings, `dict` or `app.models.Book`; the largest `most_bytes` first."""


def audit(root: object, *, name: str = "root", depth: int = DEPTH, keys: int = KEYS) -> Audit:
    """Count the cached UTF-8 copies in all strings that can be reached from `root`, by path and by type.

    A string counts at the shortest path to it. In a path, `[*]` means the items of lists and sets, and the values of
    dicts with more than `keys` keys or with keys other than strings. `.keys()` means the keys themselves, `.*` what an
    object holds under no name, and `...` everything more than `depth` steps below the root. Nothing is changed,
    and no code of the objects runs. The GIL is held for tenths of a second per million strings.

    Raises ValueError for a `depth` that is not between 0 and 100, and for `keys` below 0.
    """
    for option, value, maximum in (("depth", depth, MAX_DEPTH), ("keys", keys, MAX_KEYS)):
        if not 0 <= value <= maximum:
            raise ValueError(f"{option} must be between 0 and {maximum}, not {value}")
    strings, objects, rows = _audit_utf8_cache(root, depth, keys)
    paths: list[str] = []
    found: list[tuple[str, str, Copies]] = []
    for parent, step, key, holder, _is_table, cached, cached_bytes, plain, plain_bytes in rows:
        paths.append(_path(step, key, parent=paths[parent], is_in_table=rows[parent][4]) if paths else name)
        if cached or plain:
            copies = Copies(bytes=cached_bytes, strings=cached, more_bytes=plain_bytes, more_strings=plain)
            found.append((paths[-1], holder, copies))
    return Audit(
        name=name,
        strings=strings,
        objects=objects,
        total=sum((copies for _, _, copies in found), Copies()),
        by_path=_sums((path, copies) for path, _, copies in found),
        by_type=_sums((holder, copies) for _, holder, copies in found),
    )


def _path(step: str, key: str | None, *, parent: str, is_in_table: bool) -> str:
    if step == "attribute":
        return f"{parent}.{key}"
    if step == "key":
        return f"{parent}[*]" if is_in_table else f"{parent}[{key!r}]"
    return parent + _STEPS[step]


def _sums(found: Iterable[tuple[str, Copies]]) -> dict[str, Copies]:
    sums: dict[str, Copies] = {}
    for name, copies in found:
        sums[name] = sums.get(name, Copies()) + copies
    return dict(sorted(sums.items(), key=lambda item: (-item[1].most_bytes, item[0])))
