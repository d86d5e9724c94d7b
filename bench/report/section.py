"""The parts of every section of the page: its HTML, and its lines of the summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bench.kit.charts import Bar
from bench.kit.markup import ratio_text
from bench.report.run_records import Finding
from bench.rivals import OURS
from bench.speed_results import Duel, geometric_mean
from bench.timing import Sample


@dataclass(frozen=True, kw_only=True)
class SpeedLine:
    """A line of the summary: our speed at one kind of work."""

    title: str
    best: Sequence[Duel]
    """Duels with the fastest other library, one for each case."""
    orjson: Sequence[Duel] = ()
    stock: Sequence[Duel] = ()
    """Duels with the standard library, or with the framework without changes."""

    @classmethod
    def of_samples(cls, title: str, case: str, samples: Mapping[str, Sample]) -> SpeedLine | None:
        """The line of one case, from a sample of each library; None without ours, or without another."""
        others = [name for name in samples if name != OURS]
        if OURS not in samples or not others:
            return None

        def duels(name: str) -> list[Duel]:
            return [Duel(name=case, other=name, ours=samples[OURS], theirs=samples[name])] if name in samples else []

        best = min(others, key=lambda name: samples[name].median_ns)
        return cls(title=title, best=duels(best), orjson=duels("orjson"), stock=duels("json"))

    @property
    def losses(self) -> list[Duel]:
        """The cases in which another is faster, the worst first."""
        return sorted((duel for duel in self.best if duel.is_loss), key=lambda duel: duel.ratio)


@dataclass(frozen=True, kw_only=True)
class HeldLine:
    """A line of the summary: memory that remains in use."""

    title: str
    held_mb: Mapping[str, float]
    """The median of the rounds, by library."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of the page."""

    anchor: str
    title: str
    body: str
    speed: Sequence[SpeedLine] = ()
    held: Sequence[HeldLine] = ()
    findings: Sequence[Finding] = field(default_factory=list)
    """The results that it was made from."""
    absent: Sequence[str] = ()
    """Libraries that could not be imported."""


def bar_of(duel: Duel, label: str = "", *, has_name: bool = True) -> Bar:
    """The duel's row in a chart, with the other's name beside the ratio."""
    return Bar(
        label=label or duel.name,
        value=duel.ratio,
        low=duel.low,
        high=duel.high,
        note=f"{ratio_text(duel.ratio)} {duel.other if has_name else ''}".rstrip(),
    )


def mean_ratio(duels: Sequence[Duel]) -> float:
    """The geometric mean of one or more ratios."""
    return geometric_mean(duel.ratio for duel in duels)


def mean_ratio_of_minima(duels: Sequence[Duel]) -> float:
    """The geometric mean of the ratios of the fastest rounds."""
    return geometric_mean(duel.ratio_of_minima for duel in duels)
