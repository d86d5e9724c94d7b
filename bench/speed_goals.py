"""The ratios to reach (best peer's time over ours), and whether a run reached them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from bench.speed_results import Report, geometric_mean

_FLOATS_AND_INTS = ("doc/canada", "doc/mesh", "numbers/*-floats", "numbers/*ints*")
_WEB = ("small/web*",)
_ANY = ("*",)


@dataclass(frozen=True, kw_only=True)
class Goal:
    """One line of the table of goals."""

    title: str
    mode: str
    cases: Sequence[str]
    """Names and globs."""
    rule: Literal["mean", "each"]
    """Whether the geometric mean of the ratios must reach the goal, or each ratio."""
    at_least: float


GOALS: Sequence[Goal] = (
    *(
        goal
        for mode, mean in (("encode bytes cold", 1.5), ("encode str cold", 1.3))
        for goal in (
            Goal(title="all cases", mode=mode, cases=_ANY, rule="mean", at_least=mean),
            Goal(title="real documents", mode=mode, cases=("doc/*",), rule="mean", at_least=mean),
            Goal(title="no case lost", mode=mode, cases=_ANY, rule="each", at_least=1.0),
        )
    ),
    Goal(
        title="Russian, French, emoji, Chinese/ASCII rows",
        mode="encode bytes cold",
        cases=("rows/russian", "rows/french", "rows/emoji", "rows/chinese-ascii"),
        rule="each",
        at_least=2.5,
    ),
    Goal(
        title="floats, 64-bit ints, empty lists, bool/null, escapes, numpy",
        mode="encode bytes cold",
        cases=(
            "doc/canada",
            "doc/truenull",
            "numbers/random-floats",
            "numbers/wide-floats",
            "numbers/ints-64-bit",
            "numbers/bool-null",
            "shape/empty-lists",
            "escapes/*",
            "numpy/*",
        ),
        rule="each",
        at_least=1.1,
    ),
    Goal(title="small web payload", mode="encode bytes cold", cases=_WEB, rule="each", at_least=1.15),
    Goal(title="no case lost", mode="encode bytes warm", cases=_ANY, rule="each", at_least=1.0),
    *(
        goal
        for mode in ("decode bytes", "decode str cold")
        for goal in (
            Goal(title="all cases", mode=mode, cases=_ANY, rule="mean", at_least=1.4),
            Goal(title="real documents", mode=mode, cases=("doc/*",), rule="mean", at_least=1.4),
            Goal(title="no case lost", mode=mode, cases=_ANY, rule="each", at_least=1.0),
            Goal(
                title="repeated objects",
                mode=mode,
                cases=("doc/twitter", "doc/ctm", "doc/citm*", "doc/github", "rows/*"),
                rule="each",
                at_least=1.6,
            ),
            Goal(
                title="escapes, emoji, Chinese/ASCII",
                mode=mode,
                cases=("escapes/*", "rows/emoji", "rows/chinese-ascii", "text/emoji", "text/chinese-ascii"),
                rule="each",
                at_least=1.5,
            ),
            Goal(title="floats and ints", mode=mode, cases=_FLOATS_AND_INTS, rule="each", at_least=1.15),
            Goal(title="small web payload", mode=mode, cases=_WEB, rule="each", at_least=1.15),
        )
    ),
)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether a run reaches a goal, and by how much."""

    goal: Goal
    at_least: float
    """The goal's figure, scaled for the instruction-set level in use."""
    mean: float
    """Geometric mean of the ratios."""
    worst: float
    """The smallest ratio."""
    worst_case: str
    n_cases: int
    n_short: int
    """Number of cases below the goal's figure."""

    @property
    def is_met(self) -> bool:
        """Whether the goal is reached, by its rule."""
        return (self.mean if self.goal.rule == "mean" else self.worst) >= self.at_least


def verdicts(report: Report, goals: Sequence[Goal] = GOALS) -> list[Verdict]:
    """One verdict for each goal that the run has cases of."""
    scale = goal_scale(report.machine)
    found = []
    for goal in goals:
        ratios = {
            row.case: row.ratio
            for row in report.of_mode(goal.mode)
            if row.ratio is not None and any(fnmatchcase(row.case, pattern) for pattern in goal.cases)
        }
        if not ratios:
            continue
        at_least = goal.at_least * scale
        worst_case = min(ratios, key=ratios.__getitem__)
        found.append(
            Verdict(
                goal=goal,
                at_least=at_least,
                mean=geometric_mean(ratios.values()),
                worst=ratios[worst_case],
                worst_case=worst_case,
                n_cases=len(ratios),
                n_short=sum(ratio < at_least for ratio in ratios.values()),
            )
        )
    return found


def goal_scale(machine: Mapping[str, str]) -> float:
    """1, or 0.8 where our level is below the CPU's best: the peers still use their own best."""
    best = machine.get("best level", "")
    return 1.0 if machine.get("level", best) == best else 0.8
