"""The measurements, and the figures computed from them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.timing import Sample


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """One rival on one case in one mode."""

    rival: str
    is_ours: bool
    converts: bool
    sample: Sample | None
    """None where the rival did not run."""
    reason: str = ""
    """Why it did not run."""
    is_wrong: bool = False
    """Whether it did not run because its result was wrong."""
    cache_bytes: int = 0
    """Size of the cached UTF-8 copies that one call leaves."""


@dataclass(frozen=True, kw_only=True)
class Duel:
    """Another library's time over ours in one case."""

    name: str
    other: str
    ours: Sample
    theirs: Sample

    @property
    def ratio(self) -> float:
        """The ratio of the medians; above 1 we are faster."""
        return self.theirs.median_ns / self.ours.median_ns

    @property
    def ratio_of_minima(self) -> float:
        """The ratio of each side's fastest round."""
        return self.theirs.best_ns / self.ours.best_ns

    @property
    def low(self) -> float:
        """Their quick quartile over our slow one."""
        return self.theirs.p25_ns / self.ours.p75_ns

    @property
    def high(self) -> float:
        """Their slow quartile over our quick one."""
        return self.theirs.p75_ns / self.ours.p25_ns

    @property
    def is_loss(self) -> bool:
        """Whether the other is faster."""
        return self.ratio < 1

    @property
    def is_undecided(self) -> bool:
        """Whether the two ratios lie on both sides of 1."""
        return self.is_loss != (self.ratio_of_minima < 1)


@dataclass(frozen=True, kw_only=True)
class Row:
    """All rivals on one case in one mode."""

    case: str
    mode: str
    n_bytes: int
    n_calls: int
    n_rounds: int
    measurements: Sequence[Measurement]

    @property
    def ours(self) -> Measurement | None:
        """Our measurement; None where we did not run."""
        return next((each for each in self.measurements if each.is_ours and each.sample), None)

    @property
    def best_peer(self) -> Measurement | None:
        """The fastest other library that makes the type itself; None where none ran."""
        peers = [each for each in self.measurements if each.sample and not each.is_ours and not each.converts]
        return min(peers, key=lambda each: each.sample.median_ns if each.sample else math.inf, default=None)

    @property
    def duel(self) -> Duel | None:
        """The best peer's time over ours; None where either did not run."""
        ours, peer = self.ours, self.best_peer
        if ours is None or peer is None or ours.sample is None or peer.sample is None:
            return None
        return Duel(name=self.case, other=peer.rival, ours=ours.sample, theirs=peer.sample)

    @property
    def ratio(self) -> float | None:
        """The best peer's time over ours: above 1 we are faster. None where either did not run."""
        return self.duel.ratio if self.duel else None

    @property
    def is_loss(self) -> bool:
        """Whether the best peer is faster than we are, by the medians and by the fastest rounds."""
        return self.duel is not None and self.duel.is_loss and not self.duel.is_undecided

    @property
    def is_undecided(self) -> bool:
        """Whether the ratio of the medians and that of the fastest rounds lie on both sides of 1."""
        return self.duel is not None and self.duel.is_undecided


@dataclass(frozen=True, kw_only=True)
class Report:
    """A whole run."""

    machine: Mapping[str, str]
    rows: Sequence[Row]
    is_complete: bool = True
    """False after Ctrl-C."""

    @property
    def modes(self) -> list[str]:
        """The modes measured, in the order of the run."""
        return list(dict.fromkeys(row.mode for row in self.rows))

    def of_mode(self, mode: str) -> list[Row]:
        """The rows of one mode."""
        return [row for row in self.rows if row.mode == mode]

    @property
    def our_faults(self) -> list[Row]:
        """The rows in which our result was wrong."""
        return [row for row in self.rows if any(each.is_ours and each.is_wrong for each in row.measurements)]


def geometric_mean(values: Iterable[float]) -> float:
    """The geometric mean of one or more positive numbers."""
    logarithms = [math.log(value) for value in values]
    return math.exp(math.fsum(logarithms) / len(logarithms))


def report_to_json(report: Report) -> dict[str, Any]:
    """`report` as plain JSON values, best peer and ratio of each row included."""
    rows = [
        {**asdict(row), "best_peer": row.best_peer.rival if row.best_peer else None, "ratio": row.ratio}
        for row in report.rows
    ]
    return {"machine": dict(report.machine), "is_complete": report.is_complete, "rows": rows}
