"""What every section of the page gives: its HTML, and its lines of the summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bench.report.run_records import Finding
from bench.rivals import OURS
from bench.speed_results import geometric_mean
from bench.timing import Sample
from ssrjson_web._cli.kit.charts import Bar
from ssrjson_web._cli.kit.markup import ratio_text


@dataclass(frozen=True, kw_only=True)
class Duel:
    """One other's time over ours on one thing."""

    name: str
    other: str
    ours: Sample
    theirs: Sample

    @property
    def ratio(self) -> float:
        """Of the medians: above 1 we are faster."""
        return self.theirs.median_ns / self.ours.median_ns

    @property
    def ratio_of_minima(self) -> float:
        """Of each side's fastest round."""
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

    def bar(self, label: str = "", *, has_name: bool = True) -> Bar:
        """Its row of a chart, with the other's name beside the ratio."""
        return Bar(
            label=label or self.name,
            value=self.ratio,
            low=self.low,
            high=self.high,
            note=f"{ratio_text(self.ratio)} {self.other if has_name else ''}".rstrip(),
        )


@dataclass(frozen=True, kw_only=True)
class SpeedLine:
    """A line of the summary: how fast we are at one kind of work."""

    title: str
    best: Sequence[Duel]
    """Against the fastest of the others, case by case."""
    orjson: Sequence[Duel] = ()
    stock: Sequence[Duel] = ()
    """Against the standard library, or the framework as it comes."""

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
    """A line of the summary: what stays in memory."""

    title: str
    held_mb: Mapping[str, float]
    """By library, the median of the rounds."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of the page."""

    anchor: str
    title: str
    body: str
    speed: Sequence[SpeedLine] = ()
    held: Sequence[HeldLine] = ()
    findings: Sequence[Finding] = field(default_factory=list)
    """What it was made of."""
    absent: Sequence[str] = ()
    """Libraries that could not be imported."""


def mean_ratio(duels: Sequence[Duel]) -> float:
    """The geometric mean of one or more ratios."""
    return geometric_mean(duel.ratio for duel in duels)


def mean_ratio_of_minima(duels: Sequence[Duel]) -> float:
    """The geometric mean of the ratios of the fastest rounds."""
    return geometric_mean(duel.ratio_of_minima for duel in duels)
