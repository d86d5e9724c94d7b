"""Durations counted in buckets, in memory that does not grow with their number."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Histogram"]

_N_BUCKETS = (42 - 2) * 8 + 1  # durations of 2**42 ns (over an hour) or more share the last one


def _lowest(index: int) -> int:
    """The smallest duration of a bucket, in nanoseconds."""
    return index if index < 16 else (8 + (index & 7)) << (index // 8 - 1)


class Histogram:
    """Counts of durations in nanoseconds. Buckets are eighths of powers of two, so quantiles are exact to 6 %."""

    __slots__ = ("buckets",)

    def __init__(self) -> None:
        self.buckets: list[int] = [0] * _N_BUCKETS

    def add(self, ns: int) -> None:
        """Count a duration."""
        shift = ns.bit_length() - 4
        index = ns if shift <= 0 else shift * 8 + (ns >> shift)
        self.buckets[index if index < _N_BUCKETS else -1] += 1

    def merge(self, counts: Iterable[tuple[int, int]]) -> None:
        """Add the `counts` of another histogram; unknown buckets are ignored."""
        for index, count in counts:
            if 0 <= index < _N_BUCKETS:
                self.buckets[index] += count

    def counts(self) -> list[tuple[int, int]]:
        """(index, count) of each bucket that is not empty."""
        return [(index, count) for index, count in enumerate(self.buckets) if count]

    def quantiles(self, *shares: float) -> list[int | None]:
        """For each share, in ascending order, the quantile in nanoseconds; None before any duration."""
        total = sum(self.buckets)
        found: list[int | None] = []
        below = 0
        index = -1
        for share in shares:
            while index < _N_BUCKETS - 1 and (below == 0 or below < share * total):
                index += 1
                below += self.buckets[index]
            found.append((_lowest(index) + _lowest(index + 1)) // 2 if total else None)
        return found
