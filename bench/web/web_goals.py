"""The ratios to reach on whole requests, and whether a run reached them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.web.measure import WebRow
from bench.web.rivals import ORJSON_CLASS, OUR_CLASS, SET_UP, STOCK, Kind, WebRival


@dataclass(frozen=True, kw_only=True)
class WebGoal:
    """A rival's time over ours, for the pages of 100 items of a kind."""

    kind: Kind
    ours: WebRival
    over: WebRival
    at_least: float
    no_cache: bool = False
    """Ours shall leave no byte of UTF-8 copies in the data."""


GOALS: Sequence[WebGoal] = (
    WebGoal(kind="dict", ours=SET_UP, over=STOCK, at_least=20),
    WebGoal(kind="dict", ours=SET_UP, over=ORJSON_CLASS, at_least=15),
    WebGoal(kind="instances", ours=SET_UP, over=STOCK, at_least=1.5, no_cache=True),
    WebGoal(kind="dicts", ours=SET_UP, over=STOCK, at_least=1.2, no_cache=True),
    WebGoal(kind="direct", ours=OUR_CLASS, over=ORJSON_CLASS, at_least=1.1),
    WebGoal(kind="post-any", ours=SET_UP, over=STOCK, at_least=2),
    WebGoal(kind="post-models", ours=SET_UP, over=STOCK, at_least=1.4),
)
PAGES = ("chinese", "english")


@dataclass(frozen=True, kw_only=True)
class WebVerdict:
    """How a row stands to a goal."""

    goal: WebGoal
    case: str
    ratio: float
    """Of the medians."""
    ratio_of_minima: float
    cache_bytes: int

    @property
    def is_undecided(self) -> bool:
        """Whether the two ratios lie on both sides of the goal: to be measured again, with more rounds."""
        return (self.ratio >= self.goal.at_least) != (self.ratio_of_minima >= self.goal.at_least)

    @property
    def is_met(self) -> bool:
        """Whether the ratio is reached, and no copy left where none may be."""
        return self.ratio >= self.goal.at_least and not (self.goal.no_cache and self.cache_bytes)


def verdicts(rows: Sequence[WebRow], goals: Sequence[WebGoal] = GOALS) -> list[WebVerdict]:
    """One verdict for each goal and each page that was measured."""
    found = []
    for goal in goals:
        for row in rows:
            ours, over = row.of(goal.ours), row.of(goal.over)
            is_page = row.case in [f"{goal.kind}/{page}" for page in PAGES]
            if is_page and ours and over and ours.sample and over.sample:
                found.append(
                    WebVerdict(
                        goal=goal,
                        case=row.case,
                        ratio=over.sample.median_ns / ours.sample.median_ns,
                        ratio_of_minima=over.sample.best_ns / ours.sample.best_ns,
                        cache_bytes=ours.cache_bytes,
                    )
                )
    return found
